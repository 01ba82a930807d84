-- Rows that count packages of two dies (MI250, MI250X, Max 1550), each of whose dies is a device to software.
local devices = require("ballpark.catalog.devices")
local labels = require("ballpark.measured.labels")
local tables = require("ballpark.tables")

local packages = {}

--- How rows of such devices are read, for explain.
packages.says = "'MI250', 'MI250X' and 'Max 1550' are dies where the ranks are as many as gpus, and packages of two where they are "
  .. "twice as many, a host has half of its dies, or the rate is more than a die reaches: counts are then doubled and "
  .. "rates halved"

local DIES <const> = 2

-- Share of the dense peak that no published training has: 0.70 of TPU v5p (MaxText) is the most.
local MOST_OF_PEAK <const> = 0.75

-- FLOP of a trained token and parameter, without attention.
local PARAM_FLOP <const> = 6

-- FLOP per second that a row says of a device, at least; 0 where it does not.
local function flop_s(row)
  local of_tokens = row.arch ~= "moe" and (row.tokens_per_s_per_gpu or 0) * PARAM_FLOP * (row.params_b or 0) * 1e9 or 0
  return math.max((row.tflops_per_gpu or 0) * 1e12, of_tokens)
end

-- The die that a label of a package means; nil of other devices.
local function die_of(row)
  local label = row.gpu or row.gpu_label
  local name = label and labels.resolve(label)
  local about = name and devices.get(name)
  return about and devices.dies_named(about, label) == DIES and about or nil
end

local function counts_packages(row, die)
  local ranks = row.dp and (row.tp or 1) * (row.pp or 1) * (row.cp or 1) * row.dp
  if ranks and row.gpus and ranks ~= row.gpus then return ranks == DIES * row.gpus end
  if ranks then return false end
  return row.gpus_per_node ~= nil and DIES * row.gpus_per_node == die.node_size
    or flop_s(row) > MOST_OF_PEAK * die.bf16_flop_s
end

local PER_DEVICE <const> = { "tokens_per_s_per_gpu", "tflops_per_gpu" }

--- The row with dies counted, `dies_of` the package where it counted those; else the row itself.
---@param row table of ballpark.measured.training_columns
---@return table
function packages.as_dies(row)
  local die = die_of(row)
  if not die or not counts_packages(row, die) then return row end
  local changed = tables.with(row, { dies_of = die.die_of })
  for _, name in ipairs({ "gpus", "gpus_per_node" }) do changed[name] = row[name] and DIES * row[name] end
  for _, name in ipairs(PER_DEVICE) do changed[name] = row[name] and row[name] / DIES end
  return changed
end

return packages

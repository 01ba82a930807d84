-- Published whole trainings beside a training run: which is nearest, and what such runs reach. All are counted alike, six
-- FLOP per active parameter and token over device-hours, whatever the authors count.
local best = require("ballpark.search.best")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local models = require("ballpark.catalog.models")
local ratio = require("ballpark.questions.comparables.ratio")
local rows = require("ballpark.catalog.published_trainings")
local trained_tokens = require("ballpark.catalog.trained_tokens")

local trainings = {}

-- Hours that include other stages say less of the tokens.
local MORE_PENALTY <const> = math.log(4)
-- Logarithms of model sizes and peaks together: beyond that a run says nothing of another.
local FARTHEST <const> = math.log(20)
-- A cluster of another size matters less than another model.
local DEVICES_WEIGHT <const> = 0.2

local counted

-- Model FLOP per second and device, and its share of the dense bf16 peak.
local function speed_of(row)
  local device = catalog.device(row.device)
  if row.flop_s_device then return row.flop_s_device, row.flop_s_device / device.bf16_flop_s end
  local out = core.mfu({ params = row.active or row.params, devices = 1, peak_flop_s = device.bf16_flop_s,
    tokens_per_s = row.tokens / (row.device_hours * 3600) })
  return out.flop_s_device, out.mfu_frac
end

--- All runs: what the catalog has of each, with active, peak_flop_s, flop_s_device and mfu_frac.
---@return table[]
function trainings.all()
  if counted then return counted end
  counted = {}
  for i, row in ipairs(rows) do
    local flop_s, mfu = speed_of(row)
    counted[i] = { name = row.name, params = row.params, active = row.active or row.params, device = row.device,
      devices = row.devices, peak_flop_s = catalog.device(row.device).bf16_flop_s, flop_s_device = flop_s, mfu_frac = mfu,
      date = row.date, more = row.more,
      source = row.source .. (row.recalled and ", recalled" or "") .. (row.more and ", later stages included" or "") }
  end
  return counted
end

--- The published training of a model of the catalog, with its tokens, or those alone; nil where none is known.
---@param name string|nil
function trainings.of(name)
  local known = name and models.resolve(name)
  for _, row in ipairs(rows) do
    if known and row.tokens and models.resolve(row.name) == known then return row end
  end
  for _, row in ipairs(known and trained_tokens or {}) do
    if known:lower():find(row[1]) then return { tokens = row[2], source = row[3], recalled = true } end
  end
end

local function has_experts(run) return run.active < 0.9 * run.params end

local function distance(own, row)
  if has_experts(own) ~= has_experts(row) then return math.huge end
  return ratio.apart(own.active, row.active) + ratio.apart(own.peak_flop_s, row.peak_flop_s)
    + (row.more and MORE_PENALTY or 0) + (own.devices and row.devices and DEVICES_WEIGHT * ratio.apart(own.devices, row.devices) or 0)
end

--- The published run nearest to a training: { name, text, source, date, flop_s_device, mfu_frac, ratio = own share of
--- the peak over the published one }; nil where none is near.
---@param own table params, active, peak_flop_s (dense bf16 of a device), flop_s_device (6 active tokens per second) and
--- perhaps devices
function trainings.nearest(own)
  local row, far = best.nearest(trainings.all(), function(row) return distance(own, row) end)
  if far >= FARTHEST then return nil end
  return { name = row.name, text = ("%s on %s%s"):format(row.name, row.devices and row.devices .. " x " or "", row.device),
    source = row.source, date = row.date, flop_s_device = row.flop_s_device, mfu_frac = row.mfu_frac,
    ratio = own.flop_s_device / own.peak_flop_s / row.mfu_frac }
end

--- Published runs of dense models, or of such with experts, whose hours are those of the tokens, the highest MFU first.
---@param experts boolean
---@return table[]
function trainings.of_kind(experts)
  local list = {}
  for _, row in ipairs(trainings.all()) do
    if has_experts(row) == experts and not row.more then list[#list + 1] = row end
  end
  table.sort(list, function(a, b)
    if a.mfu_frac ~= b.mfu_frac then return a.mfu_frac > b.mfu_frac end
    return a.name < b.name
  end)
  return list
end

--- Their MFU: { low, median, high, count }.
---@param experts boolean
function trainings.normal(experts)
  local list = trainings.of_kind(experts)
  return { low = list[#list].mfu_frac, median = list[#list // 2 + 1].mfu_frac, high = list[1].mfu_frac, count = #list }
end

-- MFU that somebody states may count attention, which six FLOP per parameter and token leave out: a tenth more for a
-- small model of 4,096 tokens or a large one of longer sequences.
local WITH_ATTENTION <const> = 1.1

-- So few runs say what is usual within this factor only: an assumption.
local FEW <const>, FEW_FACTOR <const> = 3, 1.5

--- Whether an MFU is "above" what published runs reach, "below" it, or "usual".
---@param mfu_frac number
---@param normal table of trainings.normal
---@param stated boolean|nil said by somebody, who may count attention
function trainings.verdict(mfu_frac, normal, stated)
  local wider = normal.count < FEW and FEW_FACTOR or 1
  if mfu_frac > normal.high * wider * (stated and WITH_ATTENTION or 1) then return "above" end
  return mfu_frac < normal.low / wider and "below" or "usual"
end

return trainings

-- A row of an engine's printed memory as a scenario: what it states in the fields of replica{}, every blank left blank.
local facts_of = require("ballpark.measured.memory_facts")
local lua_source = require("ballpark.lua_source")

local memory_scenario = {}

-- Digits by which every float reads back as the same bits: DBL_DECIMAL_DIG of IEEE 754 binary64.
local EXACT <const> = 17

local function comment(lines, text) lines[#lines + 1] = "-- " .. text:gsub("%s+", " ") end

local function block(value) return (lua_source.of(value, EXACT):gsub("\n", "\n  ")) end

local function measured_words(row)
  local list = {}
  for _, column in ipairs({ "model_load_gib_per_gpu", "kv_tokens", "max_concurrency" }) do
    if row[column] then list[#list + 1] = ("%s %.15g"):format(column, row[column]) end
  end
  if row.fits ~= nil then list[#list + 1] = row.fits and "it started" or "it did not start" end
  return table.concat(list, ", ")
end

--- The scenario of a row as Lua source; raises where the row cannot be read.
---@param row table
---@param name string of the table
---@param context table may hold models, a folder of configs
---@return string
function memory_scenario.of(row, name, context)
  local facts, device, is_config = facts_of.of(row, context.models)
  local lines = {}
  comment(lines, ("Row %s of %s."):format(row.case_id or ("on line " .. row.line), name))
  if row.source then comment(lines, "Source: " .. row.source) end
  comment(lines, "Measured: " .. measured_words(row) .. ".")
  local made = device.changes and ("device(%q, %s)"):format(device.name, block(device.changes))
    or ("%q"):format(device.name)
  lines[#lines + 1] = "show(replica {"
  lines[#lines + 1] = "  model = model " .. (is_config and block(facts.model) or ("%q"):format(row.model)) .. ","
  lines[#lines + 1] = ("  cluster = cluster { device = %s, devices = %d },"):format(made,
    facts.cluster.network.devices)
  lines[#lines + 1] = "  engine = " .. block(facts.engine) .. ","
  lines[#lines + 1] = "  plan = " .. block(facts.plan) .. ","
  if facts.max_model_len then lines[#lines + 1] = ("  max_model_len = %d,"):format(facts.max_model_len) end
  lines[#lines + 1] = "  curve = false,"
  lines[#lines + 1] = "})"
  return table.concat(lines, "\n") .. "\n"
end

return memory_scenario

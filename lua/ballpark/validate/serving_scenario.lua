-- A row of measured serving as a scenario: what it states in the fields of serve{}, with every blank left blank.
local facts_of = require("ballpark.measured.serving_facts")
local lua_source = require("ballpark.lua_source")

local serving_scenario = {}

-- Digits by which every float reads back as the same bits: DBL_DECIMAL_DIG of IEEE 754 binary64.
local EXACT <const> = 17

-- The fields of serve{} that a row may state, in order.
local FIELDS <const> = { "engine", "plan", "load", "replicas", "prefill_pool", "ran" }

local function comment(lines, text) lines[#lines + 1] = "-- " .. text:gsub("%s+", " ") end

local function measured_words(row)
  local list = {}
  for _, column in ipairs({ "ttft_ms", "tpot_ms", "e2e_ms" }) do
    if row[column] then list[#list + 1] = ("%s %.15g"):format(column, row[column]) end
  end
  return table.concat(list, ", ")
end

-- A table of the scenario, inside serve{}.
local function block(value) return (lua_source.of(value, EXACT):gsub("\n", "\n  ")) end

local function model_of(row, facts, is_config)
  return ("model %s"):format(is_config and block(facts.model) or ("%q"):format(row.model))
end

--- The scenario of a row as Lua source; raises where the row cannot be read. `context` as for serving_facts.
---@param row table
---@param name string of the table
---@param context table
---@return string
function serving_scenario.of(row, name, context)
  local facts, notes, is_config = facts_of.of(row, context)
  local lines = {}
  comment(lines, ("Row %s of %s."):format(row.case_id or ("on line " .. row.line), name))
  if row.source then comment(lines, "Source: " .. row.source) end
  comment(lines, "Measured: " .. measured_words(row) .. ".")
  for _, note in ipairs(notes) do comment(lines, "Read as: " .. note .. ".") end
  lines[#lines + 1] = "show(serve {"
  lines[#lines + 1] = ("  model = %s,"):format(model_of(row, facts, is_config))
  lines[#lines + 1] = ("  cluster = cluster { device = %q, devices = %d },"):format(row.gpu,
    facts.cluster.network.devices)
  for _, field in ipairs(FIELDS) do
    local value = facts[field]
    if value ~= nil then
      lines[#lines + 1] = ("  %s = %s,"):format(field, type(value) == "table" and block(value) or tostring(value))
    end
  end
  lines[#lines + 1] = "})"
  return table.concat(lines, "\n") .. "\n"
end

return serving_scenario

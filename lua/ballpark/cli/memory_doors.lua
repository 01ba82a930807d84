-- The two doors to the memory of a replica: a row of a table by `ballpark validate memory`, and the scenario that it is
-- printed as by `ballpark run`. They have to say the same to the last bit.
local memory = require("ballpark.validate.memory")
local memory_scenario = require("ballpark.validate.memory_scenario")
local scenario = require("ballpark.scenario")
local table_rows = require("ballpark.measured.table_rows")

local memory_doors = {}

local PARTS <const> = { "weights_bytes", "pool_bytes", "usable_bytes", "activations_bytes", "buffers_bytes" }
local CACHE <const> = { "tokens", "max_model_len", "max_concurrency" }

--- The scenario of a row.
memory_doors.write = memory_scenario.of

local function by_scenario(row, name, context)
  local _, state = scenario.run({ path = "row.lua", source = memory_scenario.of(row, name, context) })
  return state.answers[1]
end

local function compare(found, names, a, b)
  for _, field in ipairs(names) do
    if a[field] ~= b[field] then
      found[#found + 1] = ("%s %s by the table, %s by the scenario"):format(field, tostring(a[field]), tostring(b[field]))
    end
  end
end

--- What differs between both doors of a row: a list of sentences, empty where nothing does. A row that both refuse is
--- no difference.
---@param row table of validate.memory.read
---@param name string of the table
---@param context table may hold models, a folder of configs
---@return string[]
function memory_doors.differences(row, name, context)
  local a, refused = table_rows.attempt(memory.answer, row, context.models)
  local b, problem = table_rows.attempt(by_scenario, row, name, context)
  if not a and not b then return {} end
  if not a then return { "refused by the table only: " .. refused } end
  if not b then return { "refused by the scenario only: " .. problem } end
  local found = {}
  compare(found, PARTS, a.memory, b.memory)
  compare(found, CACHE, a.cache, b.cache)
  compare(found, { "fits" }, a, b)
  return found
end

return memory_doors

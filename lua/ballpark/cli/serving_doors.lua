-- The two doors to an estimate of serving: a row of a table by `ballpark validate serving`, and the scenario that it is
-- printed as by `ballpark run`. They have to say the same to the last bit.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local scenario = require("ballpark.scenario")
local serving = require("ballpark.validate.serving")
local serving_scenario = require("ballpark.validate.serving_scenario")

local serving_doors = {}

local TIMES <const> = { "ttft_s", "tpot_s", "e2e_s" }

local MEMORY <const> = { "weights_bytes", "pool_bytes", "usable_bytes", "sequence_bytes", "activations_bytes",
  "max_sequences" }

--- The scenario of a row.
serving_doors.write = serving_scenario.of

-- One end of the ranges of all times.
local function ends(ranges, side)
  local list = {}
  for _, time in ipairs(TIMES) do list[time] = ranges[time][side] end
  return list
end

-- What a table says of a row: figures by name, or why it says nothing.
local function by_table(row, context)
  local answer, reason = serving.explained(row, context)
  if not answer then return nil, reason end
  local input, means = answer.case.input, answer.case.load_means
  local memory = core.infer_memory({ model = input.model, device = input.device, network = input.network,
    curves = input.curves, plan = input.plan, engine = input.engine,
    sequence_tokens = means.input_tokens + means.output_tokens })
  return { means = answer.means, low = ends(answer.range, "low"), high = ends(answer.range, "high"), memory = memory }
end

-- What the row's scenario says.
local function by_scenario(row, name, context)
  local ok, text = errors.attempt(serving_scenario.of, row, name, context)
  if not ok then return nil, tostring(text) end
  local ran, _, state = errors.attempt(scenario.run, { path = "row.lua", source = text })
  if not ran then return nil, tostring(_) end
  local answer = state.answers[1]
  local means = {}
  for _, time in ipairs(TIMES) do means[time] = answer.seen[time:gsub("_s$", "")].mean_s end
  return { means = means, low = ends(answer.range, "low"), high = ends(answer.range, "high"), memory = answer.memory }
end

local function compare(found, group, names, a, b)
  for _, name in ipairs(names) do
    if a[group][name] ~= b[group][name] then
      found[#found + 1] = ("%s.%s %.17g by the table, %.17g by the scenario"):format(group, name, a[group][name],
        b[group][name])
    end
  end
end

--- What differs between both doors of a row: a list of sentences, empty where nothing does. A row that both refuse is
--- no difference.
---@param row table of validate.serving.read
---@param name string of the table
---@param context table remembers models and devices; may hold models, a folder of configs
---@return string[]
function serving_doors.differences(row, name, context)
  local a, refused = by_table(row, context)
  local b, problem = by_scenario(row, name, context)
  if not a and not b then return {} end
  if not a then return { "refused by the table only: " .. refused } end
  if not b then return { "refused by the scenario only: " .. problem } end
  local found = {}
  for _, group in ipairs({ "means", "low", "high" }) do compare(found, group, TIMES, a, b) end
  compare(found, "memory", MEMORY, a, b)
  return found
end

return serving_doors

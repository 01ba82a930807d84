-- The two doors to an estimate of serving: a row of a table by `ballpark validate serving`, and the scenario that it is
-- printed as by `ballpark run`. They have to say the same to the last bit.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local near = require("ballpark.near")
local scenario = require("ballpark.scenario")
local serving = require("ballpark.validate.serving")
local serving_scenario = require("ballpark.validate.serving_scenario")

local serving_doors = {}

local TIMES <const> = { "ttft_s", "tpot_s", "e2e_s" }

local MEMORY <const> = { "weights_bytes", "pool_bytes", "usable_bytes", "sequence_bytes", "activations_bytes",
  "max_sequences" }

--- The scenario of the row of that name; an unknown name is an error with the nearest.
function serving_doors.scenario(rows, case_id, name, options)
  local names = {}
  for i, row in ipairs(rows) do
    if row.case_id == case_id then return serving_scenario.of(row, name, { models = options.models }) end
    names[i] = row.case_id or ""
  end
  local meant = near.name(case_id, names)
  errors.usage(("--scenario: no row of %s is called '%s'%s"):format(name, case_id,
    meant and (", did you mean '" .. meant .. "'?") or ""))
end

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
  local ok, text = pcall(serving_scenario.of, row, name, context)
  if not ok then return nil, tostring(text) end
  local ran, _, state = pcall(scenario.run, { path = "row.lua", source = text })
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

--- Takes every row through both doors: calls say(case_id, sentence) for each difference, and answers how many there
--- are.
function serving_doors.all(rows, name, options, say)
  local context, count = { models = options.models }, 0
  for _, row in ipairs(rows) do
    for _, sentence in ipairs(serving_doors.differences(row, name, context)) do
      count = count + 1
      say(row.case_id or ("line " .. row.line), sentence)
    end
  end
  return count
end

return serving_doors

-- The doors to an estimate of training: a row of a table by `ballpark validate training`, the scenario that it is printed
-- as by `ballpark run`, that scenario with the class of its software named outright, and a search for its plan by --why.
-- They have to say the same to the last bit.
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local range = require("ballpark.range")
local ranges = require("ballpark.range.training")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")
local target = require("ballpark.validate.target")
local training_scenario = require("ballpark.validate.training_scenario")
local validate = require("ballpark.validate")

local training_doors = {}

--- The scenario of a row; context: { profile = coefficients of all rows, as --profile names them, or nil }.
function training_doors.write(row, name, context) return training_scenario.of(row, name, context.profile) end

-- Figures of an answer by name.
local function figures(step_s, total_bytes, logged_gib, fits, steps, tokens, memory)
  return { step_s = step_s, total_bytes = total_bytes, logged_gib = logged_gib, fit_probability = fits,
    step_low_s = steps.low, step_high_s = steps.high, tokens_low_s = tokens.low, tokens_high_s = tokens.high,
    memory_low = memory.low, memory_high = memory.high }
end

-- What a table says of a row, and the class of its software; or nil, and why it says nothing.
local function by_table(row, forced)
  local case, reason = validate.explained(row, { profile = forced })
  if not case then return nil, reason end
  local time, memory = case.out.time, case.out.memory
  return figures(time.step_s, memory.total_bytes, target.memory(case, memory), case.fits,
    range.times(case.step_band, time.step_s),
    range.under(case.token_band, time.tokens_per_s), ranges.bytes(case.memory_band, memory.total_bytes, memory)), case.class
end

-- What the row's scenario says, or nil and why it says nothing; and its answer.
local function by_scenario(row, name, profile)
  local ok, text = errors.attempt(training_scenario.of, row, name, profile)
  if not ok then return nil, tostring(text) end
  local ran, problem, state = errors.attempt(scenario.run, { path = "row.lua", source = text })
  if not ran then return nil, tostring(problem) end
  local answer = state.answers[1]
  local logged = target.logged_bytes(answer.input.case.traits, answer.memory.total_bytes, answer.allocated_bytes)
  return figures(answer.time.step_s, answer.memory.total_bytes, logged / (1 << 30), answer.memory.fit_probability,
    answer.range.step_s, answer.range.tokens_per_s, answer.range.total_bytes), nil, answer
end

-- What a search that is told the same says of the same plan: its step and its memory.
local function by_search(answer)
  local input = answer.input
  local facts = input.case.facts
  local asked = { model = facts.model, cluster = facts.cluster, software = facts.software, profile = facts.profile, ran = facts.ran,
    assume = facts.assume, job = input.job, plan = { fp8_recipe = (facts.plan or {}).fp8_recipe }, space = {},
    why = answer.plan, top = 1 }
  for _, field in ipairs(fields.searched()) do asked.space[field] = answer.plan[field] end
  asked.space.dp = answer.plan.dp
  return require("ballpark.questions.search.run").run(asked).why
end

-- Figures that do not follow from whether the class of the software had to be guessed.
local GUESSED_TOO <const> = { step_s = true, total_bytes = true, logged_gib = true }

-- Adds in which figures of `b`, by the door of this name, differ from those of the table.
local function add_differences(found, a, b, door, compared)
  for _, figure in ipairs(tables.sorted_keys(a)) do
    local value = a[figure]
    if b[figure] ~= value and (not compared or compared[figure]) then
      found[#found + 1] = ("%s %.17g by the table, %.17g by %s"):format(figure, value, b[figure], door)
    end
  end
end

-- The row's scenario with its class named outright, which a row without a name of its software leaves open.
local function add_named(found, a, row, name, class)
  local named, problem = by_scenario(row, name, class)
  local door = ('the scenario with profile "%s"'):format(class)
  if not named then found[#found + 1] = ("refused by %s: %s"):format(door, problem) return end
  add_differences(found, a, named, door, not row.framework and GUESSED_TOO or nil)
end

--- What differs between the doors of a row: a list of sentences, empty where nothing does. A row that both refuse is
--- no difference.
---@param row table
---@param name string of the table
---@param context {profile: string|nil} profile: a class, for all rows
---@return string[]
function training_doors.differences(row, name, context)
  local forced = context.profile
  local a, class = by_table(row, forced)
  local b, problem, answer = by_scenario(row, name, forced)
  if not a and not b then return {} end
  if not a then return { "refused by the table only: " .. class } end
  if not b then return { "refused by the scenario only: " .. problem } end
  local found = {}
  add_differences(found, a, b, "the scenario")
  if not forced then add_named(found, a, row, name, class) end
  local why = by_search(answer)
  if why.memory and why.memory.total_bytes ~= b.total_bytes then
    found[#found + 1] = ("total_bytes %.17g by the scenario, %.17g by a search"):format(b.total_bytes,
      why.memory.total_bytes)
  end
  if why.time and why.time.step_s ~= b.step_s then
    found[#found + 1] = ("step_s %.17g by the scenario, %.17g by a search"):format(b.step_s, why.time.step_s)
  end
  if not why.memory then
    found[#found + 1] = "a search says of the plan: " .. tostring(why.text or why.reason or why.verdict)
  end
  table.sort(found)
  return found
end

return training_doors

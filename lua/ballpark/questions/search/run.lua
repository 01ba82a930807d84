-- search{}: the best plans of a space, of one system and job or of several.
local assumed = require("ballpark.questions.training.assumed")
local cheapest_change = require("ballpark.questions.search.cheapest_change")
local core = require("ballpark.core")
local differ = require("ballpark.search.differ")
local errors = require("ballpark.errors")
local estimate = require("ballpark.questions.estimate.run")
local fields = require("ballpark.fields")
local own_schedule = require("ballpark.questions.search.own_schedule")
local range = require("ballpark.range.training")
local resolve = require("ballpark.resolve.training")
local simulated = require("ballpark.resolve.simulated")
local search = require("ballpark.search.plans")
local systems = require("ballpark.search.systems")
local tables = require("ballpark.tables")
local training_open = require("ballpark.range.training_open")
local whole_run = require("ballpark.questions.training.whole_run")

local question = {}

-- A recommended plan should not hang on the last per cent of memory. A choice of ours, shown in the
-- answer; fit_chance = 0.5 takes the estimate at its word.
local FIT_CHANCE <const> = 0.9

-- Of a plan that is known to have run: what an estimate of its memory says is no reason against it.
local LEAST_CHANCE <const> = 0.001

-- A share that was meant as a percentage is the usual mistake.
local function check_chance(chance)
  if type(chance) ~= "number" or chance <= 1 then return end
  errors.input("fit_chance", ("is a share from 0.001 to 0.999, got %.15g%s"):format(chance,
    chance < 100 and (", did you mean %.15g?"):format(chance / 100) or ""))
end

-- The fields of the plan that the search goes over.
local function varied_fields(input)
  local varied = tables.set(fields.searched())
  if type(input.space) == "table" then
    for field in pairs(input.space) do varied[field] = true end
  end
  return varied
end

-- What a space tells by leaving a field one value.
local function told_by(space)
  local plan = {}
  for field, values in pairs(type(space) == "table" and space or {}) do
    local value = values
    if type(values) == "table" and #values == 1 and next(values, 1) == nil then value = values[1] end
    if type(value) ~= "table" and value ~= "free" then plan[field] = value end
  end
  return plan
end

-- What fn(...) gives; a mistake in a field of the plan is one of `place(field)`, where people wrote it.
local function with_place(place, fn, ...)
  local ok, value = errors.attempt(fn, ...)
  if ok then return value end
  local field = value.path and value.path:match("^plan%.(.*)")
  if field then value.path = place(field) .. "." .. field end
  error(value, 0)
end

-- The input with what it leaves open filled in. Fields of the space stay there.
local function completed(input, varied)
  local space = type(input.space) == "table" and input.space or {}
  local single = told_by(space)
  for field in pairs(single) do varied[field] = nil end
  local full = with_place(function(field)
    return single[field] ~= nil and (input.plan or {})[field] == nil and "space" or "plan"
  end, estimate.completed, tables.with(input, { plan = tables.with(single, input.plan) }), { varied = varied })
  for field in pairs(space) do
    if (input.plan or {})[field] == nil then full.plan[field] = nil end
  end
  if full.case.also_searched then full.space = tables.with(full.case.also_searched, input.space) end
  return full
end

-- Log widths by what lies beside the plans and is open (the network): as of an estimate that is told the whole plan.
local function left_open(input, kept)
  local case = input.case
  local told = tables.with(case, { plan = kept.plan, facts = tables.with(case.facts, { plan = kept.plan }) })
  return training_open.widths(told, kept)
end

-- One plan that the search kept, as an estimate; a rule may have priced it anew.
local function kept_plan(input, params, kept)
  local priced = tables.with(input)
  local usd_h = kept.worth.usd_h
  if usd_h ~= (input.price or input.cluster.usd_h or 0) then priced.price = usd_h end
  local wide, names = left_open(input, kept)
  local answer = estimate.answer_of(priced, { fits = true, plan = kept.plan, memory = kept.memory,
    time = kept.time }, params, wide)
  answer.unstated = names
  answer.score, answer.worth, answer.index = kept.score, kept.worth, kept.index
  return answer
end

local function kept_plans(answer, list)
  local plans = {}
  for i, kept in ipairs(list) do
    plans[i] = kept_plan(answer.input, answer.params, kept)
    plans[i].assumed, plans[i].warnings = answer.assumed, answer.warnings
    plans[i].of = answer
  end
  return plans
end

-- The plan that `why` names, with all that the search was told; what neither says is filled in as for an estimate. Of a
-- plan that cannot be spread over the devices the search says so itself.
local function asked_plan(input)
  if type(input.why) ~= "table" then
    errors.input("why", "must be a table of plan fields, got " .. type(input.why))
  end
  local facts = input.case.facts
  local plan = tables.with(facts.plan, input.why)
  local case = errors.try(resolve.resolve, tables.with(facts, { plan = plan }), { estimate = simulated.step })
  return case and case.plan or plan
end

-- What became of the plan that was asked about.
local function why_of(input)
  local why = with_place(function() return "why" end, search.why, input, asked_plan(input))
  if why.verdict ~= "feasible" then why.changes = cheapest_change.of(input, why) end
  return why
end

-- Whether a search has no field left to go over, so that what ran is the plan it is told.
local function is_one_plan(input)
  local space = type(input.space) == "table" and input.space or {}
  for _, field in ipairs(fields.searched()) do
    if input.plan[field] == nil and told_by(space)[field] == nil then return false end
  end
  return true
end

--- The best plans of a space, best first: answer.plans are estimates, answer.best the first of them.
--- Nothing feasible is an answer with fits = false.
---@param input table as for estimate, and space=, objective=, top=, fit_chance=, rules=, why=
---@param execution table|nil of the command, see ballpark.search.execution
---@param point integer|nil which of several systems and jobs
function question.run(input, execution, point)
  estimate.check_inputs("search", input)
  input = own_schedule.in_plan(input)
  input = completed(input, varied_fields(input))
  local varied = varied_fields(input)
  local differ_in
  differ_in, input.differ = differ.split(input.differ)
  input.fit_chance = input.fit_chance or FIT_CHANCE
  local one = input.ran and is_one_plan(input)
  if one then input.fit_chance = LEAST_CHANCE end
  input.time_spread = input.time_spread or range.spread(input)
  if input.deadline_s then input.goodput_frac = whole_run.progress(input) end
  check_chance(input.fit_chance)
  local found = own_schedule.estimated(input, search.run(own_schedule.searched(input), execution, point), input.top)
  local params = core.params({ model = input.model })
  local answer = { kind = "search", input = input, params = params, found = found,
    fits = #found.plans > 0, assumed = assumed.search(input, varied, found),
    warnings = assumed.warnings(input) }
  if input.ran and not one then
    answer.warnings = table.move(answer.warnings, 1, #answer.warnings, 2, { "ran says that one of these plans ran, not "
      .. "which: plans are still rejected for memory." })
  end
  answer.plans = differ.first(kept_plans(answer, found.plans), differ_in)
  answer.front = found.front and kept_plans(answer, found.front)
  answer.best = answer.plans[1]
  answer.nearest_miss = found.own_miss or search.nearest_miss(found)
  if input.why then answer.why = why_of(input) end
  return answer
end

--- The search of an answer about one system and job once more with `changes` of its input: plans, and the nearest miss.
function question.more(answer, changes)
  local input = tables.with(answer.input, changes)
  local found = own_schedule.estimated(input, search.run(own_schedule.searched(input)), input.top)
  return { plans = kept_plans(answer, found.plans), miss = found.own_miss or search.nearest_miss(found) }
end

-- What goes by the step, and what to ask for instead where steps are of different size.
local PER_STEP = { step_s = "tokens_per_s", step_usd = "tok_usd" }

local function warn_of_sizes(answer, axes)
  local instead = PER_STEP[answer.found.objective]
  for _, axis in ipairs(instead and axes or {}) do
    if (axis.field == "global_batch" or axis.field == "seq_len") and #axis.values > 1 then
      answer.warnings = table.move(answer.warnings, 1, #answer.warnings, 2,
        { "Steps of different size are compared by " .. answer.found.objective .. ", so the smallest lead; the "
          .. "objective " .. instead .. " compares them by the token." })
      return
    end
  end
end

-- A mistake says which of the systems it is about.
local function search_one(input, axes, execution, point)
  local ok, answer = errors.attempt(question.run, input, execution, point)
  if not ok and answer.kind == "input" then
    answer.message = answer.message .. " (on " .. require("ballpark.questions.search.systems").words(axes, input) .. ")"
  end
  if not ok then error(answer, 0) end
  return answer
end

-- Systems that would be trained in different formats when nothing is said of it, in the one format that all of them
-- have; and whose format that changes. A comparison of devices is one of devices, not of formats.
local COMMON <const> = "bf16"

local function in_one_precision(inputs)
  local formats, others, list = {}, {}, {}
  for _, input in ipairs(inputs) do
    local varied = varied_fields(input)
    if varied.precision or (input.plan or {}).precision then return inputs, {} end
    local ok, full = errors.attempt(completed, input, varied)
    local format = ok and full.plan.precision or COMMON -- what is wrong with the input its own search says
    formats[format] = true
    if format == "fp8" then others[input.cluster.device.name or "device"] = true end
  end
  if not (formats.fp8 and next(formats, next(formats))) then return inputs, {} end
  for i, input in ipairs(inputs) do
    list[i] = tables.with(input, { plan = tables.with(input.plan, { precision = COMMON }) })
  end
  return list, tables.sorted_keys(others)
end

--- The same over several systems and jobs, see ballpark.search.systems: one answer, whose plans say by
--- their input what they are plans for.
---@param inputs table[] as for search
---@param axes table[] of ballpark.search.systems
function question.systems(inputs, axes, execution)
  local answers = {}
  local alike, others = in_one_precision(inputs)
  for i, input in ipairs(alike) do
    answers[i] = search_one(input, axes, execution, i)
    if not answers[i].found.searched.complete then break end
  end
  local differ_in = differ.split(inputs[1].differ)
  local joined = systems.join(answers, search.nearest_miss, { count = #inputs, axes = axes, differ = differ_in })
  warn_of_sizes(joined, axes)
  if others[1] then
    joined.warnings = tables.with(joined.warnings)
    table.insert(joined.warnings, ("All are compared in %s; alone, %s would be taken as trained in fp8: set precision "
      .. "to compare in another format."):format(COMMON, table.concat(others, ", ")))
  end
  return joined
end

return question

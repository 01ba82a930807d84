-- tune{}: measured runs and a search of the same job become the runs to make next.
local between_plans = require("ballpark.range.between_plans")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local law = require("ballpark.range.law")
local measured = require("ballpark.questions.tune.measured")
local next_runs = require("ballpark.range.next_runs")
local plans = require("ballpark.search.plans")
local questions = require("ballpark.questions")
local search = require("ballpark.questions.search.run")
local simulated = require("ballpark.resolve.simulated")
local step_input = require("ballpark.resolve.step_input")
local tables = require("ballpark.tables")
local training = require("ballpark.range.training")

local tune = {}

-- Plans that are thought of, the fastest by estimate: those behind them are seldom the best.
local CANDIDATES <const> = 96

-- Least chance of fitting of a candidate: a run that may fail teaches, but costs a launch. A choice of ours.
local FIT_CHANCE <const> = 0.3

-- Chance from which on more runs are not worth it: four in five, as for ranges.
local SURE <const> = 0.8

local RUNS <const>, WITHIN <const> = 3, 0.03

-- What a plan is by the settings that make a difference.
local function meant(input, plan) return between_plans.meant(step_input.plain(input, plan)) end

local function is_same(run, shape) return between_plans.distance(run.shape, shape) == 0 end

-- A number before a later one, and words and flags by their text.
local function before(one, two)
  if math.type(one) and math.type(two) then return one < two end
  return tostring(one) < tostring(two)
end

-- By their plans, field by field, of the same plan the faster first and those that failed last: what runs say hangs on none of
-- the order in which they were written down.
local function comes_first(one, two)
  for _, field in ipairs(fields.input("train_step", "plan")) do
    local a, b = one.step.plan[field.name], two.step.plan[field.name]
    if a ~= b then return before(a, b) end
  end
  return (one.measured_s or math.huge) < (two.measured_s or math.huge)
end

-- The plan of several runs of it counts once: with the mean of its steps; one that ran once did not run out of memory.
local function merged(runs)
  local list = {}
  for _, run in ipairs(runs) do
    local known
    for _, item in ipairs(list) do known = known or is_same(item, run.shape) and item end
    if not known then
      list[#list + 1] = tables.with(run, { times = run.measured_s and 1 or 0 })
    elseif run.measured_s then
      known.measured_s = ((known.measured_s or 0) * known.times + run.measured_s) / (known.times + 1)
      known.times, known.failed = known.times + 1, false
    end
  end
  return list
end

-- The estimate of a run, with its plan complete.
local function estimated(run, input)
  local step, refused = errors.try(simulated.step, step_input.of(input, run.plan))
  if refused then errors.input(run.from, tostring(refused)) end
  return step
end

local function candidate(input, step, shape, run)
  return { plan = step.plan, shape = shape, input = step_input.plain(input, step.plan), estimated_s = step.time.step_s,
    log_s = math.log(step.time.step_s), handicap = not run and step.worth.handicap or 0, log_fill = math.log(step.memory.total_bytes / step.memory.capacity_bytes),
    measured_s = run and run.measured_s, ran = run and not run.failed, failed = run and run.failed, from = run and run.from }
end

-- A step this many times as long as the estimate is another unit or another job (a choice of ours: published steps are
-- within three times of their estimates).
local FAR <const> = 100

-- Refuses a time that cannot be of the plan: faster than the peak of its format, or so slow that something else was meant.
local function check_time(run, step, device)
  if not run.measured_s then return end
  local eight = tostring(step.plan.precision):find("^fp8") or step.plan.precision == "mxfp8"
  local peak = eight and (device.fp8_flop_s or 0) > 0 and device.fp8_flop_s / device.bf16_flop_s or 1
  local least_s = step.time.step_s * step.time.mfu_frac / peak
  if run.measured_s < least_s then
    errors.input(run.from, ("a step of %.3g s is less than the %.3g s that the peak of the devices allows: is it of this job, in seconds?")
      :format(run.measured_s, least_s))
  elseif run.measured_s > FAR * step.time.step_s then
    errors.input(run.from, ("a step of %.3g s is %.4g times the %.3g s predicted: is it of this job, in seconds?")
      :format(run.measured_s, run.measured_s / step.time.step_s, step.time.step_s))
  end
end

-- Measured plans first, then those of the search that were not run.
local function candidates(input, runs)
  local list = {}
  for i, run in ipairs(runs) do list[i] = candidate(input, run.step, run.shape, run) end
  local asked = tables.with(input, { top = CANDIDATES, fit_chance = math.min(FIT_CHANCE, input.fit_chance),
    objective = "step_s" })
  asked.differ, asked.front = nil, nil
  for _, kept in ipairs(plans.run(asked).plans) do
    local known, shape = false, meant(input, kept.plan)
    for _, run in ipairs(runs) do known = known or is_same(run, shape) end
    if not known then list[#list + 1] = candidate(input, kept, shape) end
  end
  return list
end

-- Half of an 80 % range in deviations.
local HALF <const> = law.HALF_80

-- Before the first run what is off alike in all plans is as ranges have it.
local function width_of(known, input, any)
  local variance = known.deviation ^ 2
  if not any then variance = variance - between_plans.SHARED + training.spread(input) ^ 2 end
  return math.exp(HALF * math.sqrt(math.max(0, variance)))
end

local function row_of(item, known, width)
  local seconds = known.mean_s
  return { plan = item.plan, estimated_s = item.estimated_s, step_s = seconds, low = seconds / width,
    high = seconds * width, fits = known.fits, fastest = known.fastest }
end

local function moves_of(input, list)
  local inputs, shapes = {}, {}
  for i, item in ipairs(list) do inputs[i], shapes[i] = item.input, item.shape end
  local moves = training.moves({ class = input.case.class, input = inputs[1] }, inputs)
  for i, move in ipairs(moves) do
    if not move then errors.input(list[i].from or "plan", "has no estimate of its step") end
  end
  return shapes, moves
end

local function spread_of(input)
  return input.profile.memory_spread or fields.default("train_step", "profile", "memory_spread")
end

local function add_known(answer, list, found)
  for _, item in ipairs(found.next) do
    local known = found.plans[item.place]
    local row = row_of(list[item.place], known, width_of(known, answer.input, found.best))
    row.regret_frac = item.regret
    answer.next[#answer.next + 1] = row
  end
  for i, item in ipairs(list) do
    if item.ran ~= nil then
      answer.runs[#answer.runs + 1] = { plan = item.plan, measured_s = item.measured_s, failed = item.failed,
        estimated_s = item.estimated_s, fastest = found.plans[i].fastest, best = found.best == i }
    end
  end
end

--- What to run next of the plans of an answered search.
---@param answered table an answer of search{}, of one system and job
---@param rows table[] of ballpark.questions.tune.measured
---@param asked {runs: integer|nil, within: number|nil}
function tune.of(answered, rows, asked)
  local input, runs = answered.input, {}
  if answered.systems then errors.input("space", "tune takes one system and one job") end
  for i, row in ipairs(rows) do
    runs[i] = measured.run(row, input)
    runs[i].step = estimated(runs[i], input)
    check_time(runs[i], runs[i].step, input.cluster.device)
    runs[i].shape = meant(input, runs[i].step.plan)
  end
  table.sort(runs, comes_first)
  local list = candidates(input, merged(runs))
  local answer = { kind = "tune", input = input, fits = #list > 0, next = {}, runs = {}, candidates = #list,
    within_frac = asked.within or WITHIN, assumed = answered.assumed, warnings = answered.warnings }
  if #list == 0 then return answer end
  local shapes, moves = moves_of(input, list)
  local found = next_runs.of(list, between_plans.covariance(shapes, moves),
    { count = asked.runs or RUNS, within = answer.within_frac, memory_spread = spread_of(input) })
  answer.within_chance, answer.regret_frac, answer.stop = found.within, found.regret, found.within >= SURE
  add_known(answer, list, found)
  return answer
end

local function check(input)
  local runs, within = input.runs, input.within
  if runs ~= nil then errors.whole("runs", runs) end
  if within ~= nil and not (type(within) == "number" and within > 0 and within < 1) then
    errors.input("within", "is a share between 0 and 1, as 0.03, got " .. tostring(within))
  end
end

tune.check = check

--- The plans to run next.
---@param input table as for search{}, with measured, runs and within
function tune.run(input)
  questions.check_known("tune", input)
  check(input)
  local asked = tables.with(input)
  asked.measured, asked.runs, asked.within = nil, nil, nil
  return tune.of(search.run(asked), measured.listed(input.measured), input)
end

return tune

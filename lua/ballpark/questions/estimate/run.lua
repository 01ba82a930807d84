-- estimate{}: one plan on one cluster; from model, cluster, job, plan and software to step, memory, days and cost.
local questions = require("ballpark.questions")
local step_input = require("ballpark.resolve.step_input")
local assumed = require("ballpark.questions.training.assumed")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local planned = require("ballpark.resolve.training.planned")
local range = require("ballpark.range.training")
local run = require("ballpark.questions.training.whole_run")
local objectives = require("ballpark.search.objectives")
local resolve = require("ballpark.resolve.training")
local simulated = require("ballpark.resolve.simulated")
local tables = require("ballpark.tables")
local training_open = require("ballpark.range.training_open")

local estimate = {}

--- Refuses inputs that `question` (estimate, search) does not take, and says what is missing.
function estimate.check_inputs(question, input)
  questions.check_known(question, input)
  for _, name in ipairs({ "model", "cluster", "job" }) do
    if type(input[name]) ~= "table" then errors.input(name, "is missing") end
  end
  local network = input.cluster.network
  if type(network) ~= "table" or type(input.cluster.device) ~= "table" then
    errors.input("cluster", "must be made with cluster{device = ..., devices = ...}")
  end
  run.check_goodput(input)
end

-- USD per device-hour: the price of the input, else that of the cluster.
local function price_of(input)
  if input.price ~= nil then
    if type(input.price) ~= "number" or input.price < 0 then
      errors.input("price", "must be USD per device-hour, got " .. tostring(input.price))
    end
    return input.price
  end
  return input.cluster.usd_h
end

--- The answer about one plan from what the core said of it.
function estimate.answer_of(input, step, params, wide)
  local usd_h = price_of(input)
  return range.add({
    kind = "estimate", input = input, params = params,
    fits = step.fits, plan = step.plan, memory = step.memory, time = step.time,
    allocated_bytes = step.memory.total_bytes - step.memory.overhead_bytes,
    bound = step.time.bound, run = run.of(input, step.plan, params, step.time.step_s, usd_h),
  }, wide)
end

local function with_case(input, case)
  return tables.with(input, { plan = case.plan, job = case.job, profile = case.profile, case = case,
    objective = objectives.named(input.objective) })
end

--- The input with everything that it leaves open filled in: plan, job and profile as the core takes them, objective,
--- and case, what ballpark.resolve.training made of it.
---@param input table of an estimate or a search
---@param how {estimate: function|nil, varied: table<string, boolean>|nil}|nil as resolve.resolve takes it; without an
--- estimate that of simulated.step
function estimate.completed(input, how)
  return with_case(input, resolve.resolve(resolve.facts(input), tables.with({ estimate = simulated.step }, how or {})))
end

-- As estimate.completed; of a run that is planned the fastest that is filled in.
local function planned_input(input)
  return with_case(input, planned.resolve(resolve.facts(input), { estimate = simulated.step }))
end

-- What a search does not propose is no error here: people estimate what others ran, with software of their own.
local function add_refusals(warnings, input)
  local texts = core.launch_refusals(step_input.plain(input, input.plan))
  if texts[1] then warnings[#warnings + 1] = "search calls it impossible: " .. table.concat(texts, "; ") .. "." end
end

--- One plan on one cluster.
---@param input table {model=, cluster=, job=, plan=, software=, profile=, price=, ...}
function estimate.run(input)
  estimate.check_inputs("estimate", input)
  input = planned_input(input)
  local step = simulated.step(step_input.of(input, input.plan))
  local wide, names = training_open.widths(input.case, step)
  step.memory = training_open.memory(step_input.of(input, input.plan), step.memory, wide, simulated.step)
  local answer = estimate.answer_of(input, step, core.params({ model = input.model }), wide)
  answer.unstated = names
  answer.fits = answer.fits or input.ran == true -- the run did
  answer.assumed, answer.warnings = assumed.estimate(input), assumed.warnings(input)
  add_refusals(answer.warnings, input)
  return answer
end

return estimate

-- estimate{}: one plan on one cluster; from model, cluster, job, plan and software to step, memory, days and cost.
local questions = require("ballpark.questions")
local step_input = require("ballpark.questions.estimate.step_input")
local assumed = require("ballpark.questions.estimate.assumed")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local profiles = require("ballpark.catalog.profiles")
local range = require("ballpark.range.training")
local run = require("ballpark.questions.estimate.whole_run")
local objectives = require("ballpark.search.objectives")
local recompute_modules = require("ballpark.questions.estimate.recompute_modules")
local stage_layers = require("ballpark.questions.estimate.stage_layers")
local tables = require("ballpark.tables")
local unstated = require("ballpark.range.training_open")

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
function estimate.answer_of(input, step, params, open, wide)
  local usd_h = price_of(input)
  return range.add({
    kind = "estimate", input = input, params = params,
    fits = step.fits, plan = step.plan, memory = step.memory, time = step.time,
    bound = step.time.bound, run = run.of(input, step.plan, params, step.time.step_s, usd_h),
  }, open, wide)
end

-- Software for those who name none where none is usual: the class the base coefficients were fitted to.
local BASE_PROFILE <const> = "megatron"

local function take_profile(full, device)
  full.profile_given = full.profile ~= nil
  if full.profile_given then return end
  local usual = profiles.usual(device.vendor)
  full.profile_why = usual and ("; usual on devices of " .. device.vendor) or ""
  full.profile = catalog.profile(usual or BASE_PROFILE)
end

-- Images have as many tokens as their patches and class tokens make.
local function take_length(full)
  local model = full.model
  if full.job.seq_len ~= nil or model.arch ~= "vision" then return end
  local side, patch = model.image_size or 0, model.patch_size or 0
  if side == 0 or patch == 0 then return end
  local class_tokens = model.class_tokens or 1
  local grid = side // patch
  local job = tables.with(full.job, { seq_len = grid * grid + class_tokens })
  full.job, full.seq_len_from = job, ("%d tokens of an image: %d x %d patches and %d class token%s"):format(
    job.seq_len, grid, grid, class_tokens, class_tokens == 1 and "" or "s")
end

--- The input with its profile, its length and all that may be given in short.
function estimate.completed(input)
  local full = tables.with(input)
  take_profile(full, input.cluster.device)
  take_length(full)
  full.objective = objectives.named(input.objective)
  full.plan = recompute_modules.taken(stage_layers.taken(tables.with(input.plan, {}), input.model.layers), input.model)
  if input.cluster.device.has_bf16 == false and not full.plan.precision and not (input.space or {}).precision then
    full.plan.precision = "fp16"
  end
  return full
end

-- The ZeRO stage that this class of software uses unasked.
local function usual_zero(profile)
  for _, name in ipairs(profiles.names()) do
    if name == profile.name then return profiles.traits(name).zero end
  end
end

--- One plan on one cluster.
---@param input table {model=, cluster=, job=, plan=, profile=, price=}
function estimate.run(input)
  estimate.check_inputs("estimate", input)
  input = estimate.completed(input)
  local left_open, open = input.plan.zero == nil, range.open(input, {})
  if left_open then input.plan.zero = usual_zero(input.profile) end
  local asked = step_input.of(input, input.plan)
  local step = core.train_step(asked)
  local wide, names = unstated.widths(asked, step, open)
  local answer = estimate.answer_of(input, step, core.params({ model = input.model }), open, wide)
  answer.unstated = names
  answer.assumed, answer.warnings = assumed.estimate(input, left_open), assumed.warnings(input)
  return answer
end

return estimate

-- Training: from model, cluster, job, plan and software to step, memory, days and cost.
local step_input = require("ballpark.questions.train.step_input")
local apart = require("ballpark.search.apart")
local assumed = require("ballpark.questions.train.assumed")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local profiles = require("ballpark.catalog.profiles")
local range = require("ballpark.range.training")
local run = require("ballpark.questions.train.whole_run")
local objectives = require("ballpark.search.objectives")
local outer = require("ballpark.search.outer")
local search = require("ballpark.search")
local recompute_modules = require("ballpark.questions.train.recompute_modules")
local stage_layers = require("ballpark.questions.train.stage_layers")
local tables = require("ballpark.tables")
local unstated = require("ballpark.range.training_open")

local training = {}

-- What an estimate takes; everything else is a mistake of the scenario.
local INPUTS = { "model", "cluster", "job", "plan", "profile", "price", "goodput", "pue", "token_bytes" }
local SEARCH_INPUTS = { "model", "cluster", "job", "plan", "profile", "price", "goodput", "pue",
  "token_bytes", "space", "objective", "top", "fit_chance", "rules", "why", "differ", "front", "deadline_s",
  "time_spread", "exhaustive" }

--- What the questions take, by name.
training.inputs = { estimate = INPUTS, search = SEARCH_INPUTS }

-- A recommended plan should not hang on the last per cent of memory. A choice of ours, shown in the
-- answer; fit_chance = 0.5 takes the estimate at its word.
local FIT_CHANCE <const> = 0.9

-- A share that was meant as a percentage is the usual mistake.
local function check_chance(chance)
  if type(chance) ~= "number" or chance <= 1 then return end
  errors.input("fit_chance", ("is a share from 0.001 to 0.999, got %.15g%s"):format(chance,
    chance < 100 and (", did you mean %.15g?"):format(chance / 100) or ""))
end

local function check_inputs(what, input, known)
  errors.only(what, input, known, "input")
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

-- The answer about one plan from what the core said of it.
local function answer_of(input, step, params, open, wide)
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

-- The input with its profile, its length and all that may be given in short.
local function completed(input)
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
function training.estimate(input)
  check_inputs("estimate", input, INPUTS)
  input = completed(input)
  local left_open, open = input.plan.zero == nil, range.open(input, {})
  if left_open then input.plan.zero = usual_zero(input.profile) end
  local asked = step_input.of(input, input.plan)
  local step = core.train_step(asked)
  local wide, names = unstated.widths(asked, step, open)
  local answer = answer_of(input, step, core.params({ model = input.model }), open, wide)
  answer.unstated = names
  answer.assumed, answer.warnings = assumed.estimate(input, left_open), assumed.warnings(input)
  return answer
end

-- What a search tries unless told otherwise; see ballpark.search.
local SEARCHED = { "tp", "pp", "vpp", "dp", "cp", "ep", "zero", "recompute", "micro_batch" }

local function varied_fields(input)
  local varied = {}
  for _, field in ipairs(SEARCHED) do varied[field] = true end
  if type(input.space) == "table" then
    for field in pairs(input.space) do varied[field] = true end
  end
  return varied
end

-- One plan that the search kept, as an estimate; a rule may have priced it anew.
local function kept_plan(input, params, kept, open)
  local priced = tables.with(input)
  if kept.worth.usd_h > 0 then priced.price = kept.worth.usd_h end
  local answer = answer_of(priced, { fits = true, plan = kept.plan, memory = kept.memory,
    time = kept.time }, params, open)
  answer.score, answer.worth = kept.score, kept.worth
  return answer
end

local function kept_plans(answer, list, open)
  local plans = {}
  for i, kept in ipairs(list) do
    plans[i] = kept_plan(answer.input, answer.params, kept, open)
    plans[i].assumed, plans[i].warnings = answer.assumed, answer.warnings
    plans[i].of = answer
  end
  return plans
end

-- What became of the plan that was asked about; a mistake in it is one of `why`, not of the plan of the input.
local function why_of(input)
  local ok, why = pcall(search.why, input, input.why)
  if ok then return why end
  if errors.is(why) and why.path then why.path = why.path:gsub("^plan%.", "why.") end
  error(why, 0)
end

--- The best plans of a space, best first: answer.plans are estimates, answer.best the first of them.
--- Nothing feasible is an answer with fits = false.
---@param input table as for estimate, and space=, objective=, top=, fit_chance=, rules=, why=
---@param point integer|nil which of several systems and jobs
function training.search(input, point)
  check_inputs("search", input, SEARCH_INPUTS)
  input = completed(input)
  local differ
  differ, input.differ = apart.split(input.differ)
  input.fit_chance = input.fit_chance or FIT_CHANCE
  input.time_spread = input.time_spread or range.spread(input, range.open(input, varied_fields(input)))
  if input.deadline_s then input.goodput_frac = run.progress(input) end
  check_chance(input.fit_chance)
  local found = search.main(input, point)
  local params, varied = core.params({ model = input.model }), varied_fields(input)
  local open = range.open(input, varied)
  local answer = { kind = "search", input = input, params = params, found = found,
    fits = #found.plans > 0, assumed = assumed.search(input, varied, found),
    warnings = assumed.warnings(input) }
  answer.plans = apart.first(kept_plans(answer, found.plans, open), differ)
  answer.front = found.front and kept_plans(answer, found.front, open)
  answer.best = answer.plans[1]
  answer.nearest_miss = search.nearest_miss(found)
  if input.why then answer.why = why_of(input) end
  return answer
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
local function search_one(input, axes, point)
  local ok, answer = pcall(training.search, input, point)
  if not ok and errors.is(answer) and answer.kind == "input" then
    answer.message = answer.message .. " (on " .. require("ballpark.questions.search.systems").words(axes, input) .. ")"
  end
  if not ok then error(answer, 0) end
  return answer
end

--- The same over several systems and jobs, see ballpark.search.outer: one answer, whose plans say by
--- their input what they are plans for.
---@param inputs table[] as for search
---@param axes table[] of ballpark.search.outer
function training.search_systems(inputs, axes)
  local answers = {}
  for i, input in ipairs(inputs) do
    answers[i] = search_one(input, axes, i)
    if answers[i].found.interrupted then break end
  end
  local differ = apart.split(inputs[1].differ)
  local joined = outer.join(answers, search.nearest_miss, { count = #inputs, axes = axes, differ = differ })
  warn_of_sizes(joined, axes)
  return joined
end

--- Puts an answer into a result.
function training.show(r, answer)
  local show = require("ballpark.questions.train.show")
  if answer.kind == "search" then return require("ballpark.questions.search.show")(r, answer) end
  return show.estimate(r, answer)
end

return training

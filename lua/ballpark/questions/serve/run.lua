-- A service under load: memory of a replica, what it can do at best, what requests see of all replicas, and
-- what it costs.
local core = require("ballpark.core")
local cost = require("ballpark.questions.serve.cost")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local formats = require("ballpark.questions.serve.formats")
local load_of = require("ballpark.questions.serve.load")
local questions = require("ballpark.questions")
local range = require("ballpark.range")
local ranges = require("ballpark.range.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")
local units = require("ballpark.questions.serve.units")
local words = require("ballpark.questions.serve.words")

local serving = {}

-- Of the input, as core.serve takes them.
local FLEET <const> = { "replicas", "routing", "start_s", "autoscale", "failures", "prompt_pool",
  "percentile" }

-- A run that answers less than this share of what arrives has not kept up: its queue grew to the end.
local KEPT_UP <const> = 0.95

-- What is to be said of an engine that nobody fitted.
local function beyond_fit(engine)
  return engines.beyond(engine.name) and ("engine %s is extrapolated: %s"):format(engine.name, engine.source) or nil
end

--- What is to be said of an engine of `ballpark calibrate serving` that serves a model on devices; nil of others.
function serving.calibrated(engine, model, devices)
  if not engine.fitted_model then return nil end
  local others = {}
  for _, device in ipairs(devices) do
    local name = device.name or "this device"
    local there = engine.fitted_model == model.name and engine.fitted_device == device.name
    if not there and not tables.contains(others, name) then others[#others + 1] = name end
  end
  return ("engine %s as %s%s"):format(engine.name, engine.source, not others[1] and ""
    or ("; extrapolated to %s on %s"):format(model.name or "this model", errors.list(others)))
end

--- The engine of a name, or of a table whose `name` says which one it changes; and what was assumed.
function serving.engine(value)
  if value == nil then return engines.get("vllm"), "engine vllm, no other was given" end
  if type(value) == "string" then
    local engine = engines.get(value)
    return engine, beyond_fit(engine)
  end
  if type(value) ~= "table" then errors.input("engine", "must be a name or a table, got " .. type(value)) end
  local engine = engines.get(value.name or "vllm")
  for key, item in pairs(value) do engine[key] = item end
  return engine, value.name and beyond_fit(engine) or not value.name and "engine vllm, no other was given" or nil
end

-- Replicas that share the load when all are up.
local function most_replicas(input)
  local scale = type(input.autoscale) == "table" and input.autoscale or {}
  return math.max(1, tonumber(input.replicas) or 1, tonumber(scale.min) or 1, tonumber(scale.max) or 1)
end

-- Requests of a trace that come at one time have no rate: each as if it were alone.
local LONE_PER_S <const> = 1e-9

-- Routers that send the turns of a session to the replica that served it.
local STICKY <const> = { session = true, prefix = true }

-- One replica with its even share of the load.
local function closed_form(setup, means, replicas, input)
  local load = input.load or {}
  local history = setup.engine.prefix_cache ~= false and means.input_tokens - means.new_tokens or 0
  return core.infer_load(tables.with(setup, {
    concurrency = means.concurrency and math.max(1, means.concurrency / replicas),
    rate_per_s = not means.concurrency and (means.rate_per_s or LONE_PER_S) / replicas or nil,
    input_tokens = means.input_tokens, prefix_tokens = load.prefix_tokens, history_tokens = history,
    turns = load.turns, think_s = load.think_s, same_frac = STICKY[input.routing] and 1 or 1 / replicas,
    output_tokens = means.output_tokens, length_cv = means.length_cv }))
end

--- Refuses a plan whose tensor-parallel ranks do not divide the heads; `path` is where their number stands.
-- Published points are wider than their heads now and then (attention groups nobody wrote down), so the
-- kernel takes any width; a plan that somebody asks for has to run.
function serving.check_heads(model, plan, path)
  local tp = type(plan) == "table" and plan.tp or 1
  if type(tp) == "number" and type(model) == "table" and model.heads and tp > 0 and model.heads % tp ~= 0 then
    errors.input(path or "plan.tp", ("%d does not divide %d attention heads"):format(tp // 1, model.heads))
  end
end

--- Refuses a model that reads only: it has no answers to write token by token.
function serving.check_writes(model)
  if type(model) == "table" and model.arch and model.arch ~= "decoder" then
    errors.input("model", ("%s writes no tokens (%s); encode{} times it"):format(model.name or "this model",
      model.arch))
  end
end

-- A plan that says nothing of its weights has those of the checkpoint; and what was assumed.
local function with_published(plan, model)
  local given = type(plan) == "table" and ((plan.weights or "auto") ~= "auto" or plan.experts ~= nil)
  local published = not given and formats.published(model)
  if not published then return plan, not given and "16-bit weights, no format was given" or nil end
  return tables.with(plan, published), "weights as published, in " .. published.weights
    .. (published.experts and ", experts in " .. published.experts or "")
end

-- The setup of a replica with what makes a fleet of it.
local function fleet_of(setup, input)
  local fleet = {}
  for _, name in ipairs(FLEET) do fleet[name] = input[name] end
  if type(fleet.prompt_pool) == "table" then
    fleet.prompt_pool = tables.with(fleet.prompt_pool, {
      plan = with_published(fleet.prompt_pool.plan or setup.plan, setup.model) })
    serving.check_heads(setup.model, fleet.prompt_pool.plan, "prompt_pool.plan.tp")
    units.check(fleet.prompt_pool.plan, setup.device, setup.engine.name, "prompt_pool.plan")
  end
  return tables.with(setup, fleet)
end

-- A share of a replica's capacity as target stands for that many arrivals per second.
local function scaled(autoscale, steady)
  if type(autoscale) ~= "table" or autoscale.utilization_frac == nil then return autoscale end
  local share = autoscale.utilization_frac
  if autoscale.target or autoscale.metric then
    errors.input("autoscale.utilization_frac", "says metric and target: give one of them")
  elseif type(share) ~= "number" or share <= 0 or share > 1 then
    errors.input("autoscale.utilization_frac", "must be above 0 and at most 1, got " .. tostring(share))
  elseif not steady then
    errors.input("autoscale", "is of one pool: not with a prompt_pool")
  end
  local plain = tables.with(autoscale, { metric = "rate", target = share * steady.capacity_per_s })
  plain.utilization_frac = nil
  return plain
end

-- Replicas that come or come back during the run have to start; what was assumed of that.
local function add_start(answer, input)
  local failing = type(input.failures) == "table" and input.failures.mtbf_s
  if input.start_s ~= nil or not (input.autoscale or failing) then return end
  local devices = cost.devices(answer.input.plan)
  local start = core.cold_start({ weights_bytes = devices * answer.memory.weights_bytes })
  answer.input.start_s = start.start_s
  answer.assumed[#answer.assumed + 1] = ("A replica starts in %.0f s: %.0f s to load its weights, the rest for the "
    .. "engine; see cold_start"):format(start.start_s, start.load_s)
end

-- Ranges of the mean times: those that published measurements of the engine have around their predictions.
local function add_range(answer)
  local borrowed, why = ranges.of_device(answer.input.device)
  answer.range = {}
  for _, metric in ipairs({ "ttft", "tpot", "e2e" }) do
    local time = ranges.of(answer.input.engine.name, metric .. "_ms", { borrowed, borrowed, why = why })
    answer.range[metric .. "_s"] = range.times(time, answer.seen[metric].mean_s)
  end
end

-- What takes the time of a step at the mean of the sequences that run.
local function step_of(setup, answer)
  local running = math.max(1, answer.seen.mean_running / math.max(1, answer.seen.mean_replicas))
  return core.infer_step(tables.with(setup, { sequences = running,
    context = answer.means.input_tokens + answer.means.output_tokens / 2 }))
end

local function simulate(answer, setup, input, given)
  local load, said = load_of.filled(given, answer.means, answer.steady and answer.steady.e2e_s)
  answer.input.load = load
  answer.simulated = said
  answer.seen = core.serve(tables.with(fleet_of(setup, input), { load = load, trace = input.trace,
    samples = input.samples, start_s = answer.input.start_s,
    autoscale = answer.input.autoscale }))
  answer.keeps_up = answer.means.concurrency ~= nil
    or answer.seen.requests_per_s >= KEPT_UP * answer.seen.offered_per_s
  answer.bill, answer.link = cost.of(answer, answer.seen), words.link(input)
  answer.step = step_of(setup, answer)
  add_range(answer)
end

-- Separate pools have no closed form: they are simulated, and whether they keep up is seen.
local function is_apart(input) return type(input.prompt_pool) == "table" and (input.prompt_pool.replicas or 0) > 0 end

local function check_apart(pool)
  if type(pool) == "table" and pool.replicas == nil then
    errors.input("prompt_pool.replicas", "is missing: how many replicas only prefill")
  end
end

local function checked(input)
  questions.check_known("serve", input)
  core.serve_check({ replicas = input.replicas, routing = input.routing, start_s = input.start_s,
    failures = input.failures, percentile = input.percentile })
  load_of.check(input.load or {}, input.trace, input.samples)
  check_apart(input.prompt_pool)
  if type(input.cluster) ~= "table" or not input.cluster.device then
    errors.input("cluster", "must be made by cluster{}")
  end
  serving.check_writes(input.model)
  serving.check_heads(input.model, input.plan)
end

-- The answer before anything is estimated, and the setup of a replica.
local function begun(input)
  local engine, said = serving.engine(input.engine)
  local plan, published = with_published(input.plan or {}, input.model)
  local curves, origin = serving_curves.get(input.cluster.device)
  local setup = { model = input.model, device = input.cluster.device, network = input.cluster.network,
    curves = curves, plan = plan, engine = engine }
  local given, assumed = input.load or {}, {}
  units.check(plan, setup.device, engine.name)
  for _, text in ipairs({ said or false, serving.calibrated(engine, input.model, { setup.device }) or false,
    published or false, units.said(plan, setup.device) or false,
    load_of.assumed(given, input.trace or input.samples) or false }) do
    if text then assumed[#assumed + 1] = text end
  end
  return { kind = "serving", input = tables.with(fleet_of(setup, input), { load = given, trace = input.trace }),
    assumed = assumed, origin = origin, price_usd_h = input.cluster.usd_h,
    price_assumed = input.cluster.price_assumed, replicas_most = most_replicas(input),
    means = load_of.means(given, input.trace, input.samples) }, setup
end

--- Serves input.load (of core.serve) by input.model on input.cluster: { kind, input, means, fits, memory, steady,
--- seen, keeps_up, bill, range, step }. `steady` is of one replica with its share, absent where nothing fits
--- or pools are apart; `seen` and what follows are absent where the load is beyond capacity.
function serving.run(input)
  checked(input)
  local answer, setup = begun(input)
  local means = answer.means
  answer.memory = core.infer_memory(tables.with(setup, { sequence_tokens = means.input_tokens + means.output_tokens }))
  answer.fits = answer.memory.fits
  if not answer.fits then return answer end
  add_start(answer, input)
  if not is_apart(input) then
    answer.steady = closed_form(setup, means, answer.replicas_most, input)
  end
  answer.input.autoscale = scaled(input.autoscale, answer.steady)
  if is_apart(input) or input.trace or answer.steady.stable then simulate(answer, setup, input, input.load or {}) end
  return answer
end

return serving

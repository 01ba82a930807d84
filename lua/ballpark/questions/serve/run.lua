-- A service under load: memory of a replica, what it can do at best, what requests see of all replicas, and
-- what it costs.
local answered = require("ballpark.questions.serve.answered")
local cache = require("ballpark.questions.serve.cache")
local core = require("ballpark.core")
local cost = require("ballpark.questions.serve.cost")
local errors = require("ballpark.errors")
local load_of = require("ballpark.questions.serve.load")
local packing = require("ballpark.resolve.serving.packing")
local questions = require("ballpark.questions")
local range = require("ballpark.range")
local ranges = require("ballpark.range.serving")
local resolve = require("ballpark.resolve.serving")
local resolved_load = require("ballpark.resolve.serving.load")
local simulate = require("ballpark.questions.serve.simulate")
local tables = require("ballpark.tables")
local words = require("ballpark.questions.serve.words")

local serving = {}

-- A run that answers less than this share of what arrives has not kept up: its queue grew to the end.
local KEPT_UP <const> = 0.95

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

-- Replicas that share the load when all are up.
local function most_replicas(input)
  local scale = type(input.autoscale) == "table" and input.autoscale or {}
  return math.max(1, tonumber(input.replicas) or 1, tonumber(scale.min) or 1, tonumber(scale.max) or 1)
end

-- Requests of a trace that come at one time have no rate: each as if it were alone.
local LONE_PER_S <const> = 1e-9

-- Routers that send the turns of a session to the replica that served it.
local STICKY <const> = { session = true, prefix = true }

-- Whether requests of a trace say which blocks they begin with.
local function shares_blocks(trace) return trace ~= nil and trace[1] ~= nil and trace[1].blocks ~= nil end

-- One replica with its even share of the load.
local function closed_form(setup, means, replicas, input)
  local load = input.load or {}
  local history = setup.engine.prefix_cache ~= false and means.input_tokens - means.new_tokens or 0
  return core.infer_load(tables.with(setup, {
    concurrency = means.concurrency and math.max(1, means.concurrency / replicas),
    rate_per_s = not means.concurrency and (means.rate_per_s or LONE_PER_S) / replicas or nil,
    input_tokens = means.input_tokens, history_tokens = history, prefix_tokens = load.prefix_tokens,
    shared_tokens = resolved_load.held_once(load, means.input_tokens, shares_blocks(input.trace)),
    turns = load.turns, think_s = load.think_s, same_frac = STICKY[input.routing] and 1 or 1 / replicas,
    output_tokens = means.output_tokens, length_cv = means.length_cv, input_cv = means.input_cv,
    one_token_frac = means.one_token_frac, pool_tokens = input.pool_tokens }))
end

-- Answers of one length that start together end together, and the prompts that take their places share a step. Once answers
-- do not start together, every prompt has a step of its own. This spread of lengths stands for that (deviation over mean; an
-- assumption: any spread of more than some tokens does the same).
local OUT_OF_STEP_CV <const> = 0.5

-- Requests per second of a replica whose answers of one length do not start together; nil where lengths differ anyway.
local function out_of_step(setup, means, replicas, input)
  if not means.rate_per_s or (means.length_cv or 0) > 0 then return nil end
  return closed_form(setup, tables.with(means, { length_cv = OUT_OF_STEP_CV }), replicas, input).capacity_per_s
end

-- The setup of a replica whose engine is told to run so many sequences of each attention group at most.
local function told(setup, running)
  return tables.with(setup, { engine = tables.with(setup.engine, { max_running = running }) })
end

-- From one number of sequences that an engine may be told to the next: the best of these is within 3 % of the best of all (600
-- drawn cases).
local STRIDE <const> = 2 ^ (1 / 4)

-- Requests per second of a replica that never lacks them: the most that its engine does when it is told to run no more
-- sequences than a number of them, up to all places. Fewer may be faster, since fewer prompts share a step then. Which numbers
-- are asked does not depend on the places, so that more room never brings less.
local function full_capacity(setup, means, replicas, input, steady)
  local best, running = steady.capacity_per_s, 0
  if not (means.concurrency and packing.is_of(setup.engine, input.load or {})) then return best end
  local ranks, most = setup.plan.dp or 1, setup.engine.max_running
  while running < most and running * ranks < steady.places do
    running = math.min(most, math.ceil(math.max(running + 1, running * STRIDE)))
    local fewer = told(setup, running)
    fewer.engine = packing.under(fewer, input.load, running * ranks)
    best = math.max(best, closed_form(fewer, means, replicas, input).capacity_per_s)
  end
  return best
end

-- The same, with the capacity of a replica that never lacks requests.
local function steady_of(setup, means, replicas, input)
  local steady = closed_form(setup, means, replicas, input)
  return tables.with(steady, { capacity_per_s = full_capacity(setup, means, replicas, input, steady) })
end

--- Refuses a model that reads only: it has no answers to write token by token.
function serving.check_writes(model)
  if type(model) == "table" and model.arch and model.arch ~= "decoder" then
    errors.input("model", ("%s writes no tokens (%s); encode{} times it"):format(model.name or "this model",
      model.arch))
  end
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
    errors.input("autoscale", "is of one pool: not with a prefill_pool")
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

-- Ranges of the mean times: those that published measurements of the engine have around their predictions, wider by
-- what is left open.
local function add_range(answer, case)
  local means = simulate.means(answer.seen)
  local function run(input) return simulate.means((simulate.run(case, input))) end
  local short = simulate.stretch(case.input, answer.means, answer.replicas_most)
  answer.range = ranges.around(case, means,
    ranges.left_open(case, short, short == case.input and means or run(short), run,
      short == case.input and answer.seen or nil))
  answer.extrapolated = range.extrapolated(answer.range.e2e_s)
end

-- What takes the time of a step at the mean of the sequences that run.
local function step_of(setup, answer)
  local running = math.max(1, answer.seen.mean_running / math.max(1, answer.seen.mean_replicas))
  return core.infer_step(tables.with(setup, { sequences = running,
    context = answer.means.input_tokens + answer.means.output_tokens / 2 }))
end

-- Closed forms of closed loops are below what is simulated by no more than this, but for few (tests/lua/capacity_spec.lua).
local NEAR <const> = 1.1

-- From one number of sequences that are told and simulated to the next.
local OCTAVE <const> = 2

-- What replicas were seen to answer, they can; and as much as they are seen to answer of the clients of a closed loop when they
-- are told to run fewer at a time than they have room for. Those that closed forms say to be too few are not simulated.
local function raise_capacity(answer, case, setup)
  local steady, replicas, means = answer.steady, answer.replicas_most, answer.means
  if not steady then return end
  local function raise(seen) steady.capacity_per_s = math.max(steady.capacity_per_s, seen.requests_per_s / replicas) end
  raise(answer.seen)
  local ranks, running = setup.plan.dp or 1, 1
  while means.concurrency and running * ranks < math.min(steady.places, means.concurrency / replicas) do
    local fewer = told(setup, running)
    if NEAR * closed_form(fewer, means, replicas, case.input).capacity_per_s > steady.capacity_per_s then
      raise((simulate.run(case, tables.with(case.input, { engine = fewer.engine }))))
    end
    running = running * OCTAVE
  end
end

local function add_seen(answer, case, setup)
  local load, said = load_of.filled(case.input.load, answer.means, answer.steady and answer.steady.e2e_s)
  case.input = tables.with(case.input, { load = load, start_s = answer.input.start_s,
    autoscale = answer.input.autoscale })
  answer.input.load = load
  answer.simulated = said
  local room
  answer.seen, room = simulate.run(case, case.input)
  answer.assumed[#answer.assumed + 1] = room
  raise_capacity(answer, case, setup)
  answer.keeps_up = answer.means.concurrency ~= nil
    or answer.seen.requests_per_s >= KEPT_UP * answer.seen.offered_per_s
  answer.answered = answered.of(answer)
  answer.bill, answer.link = cost.of(answer), words.link(case.input)
  answer.step = step_of(setup, answer)
  add_range(answer, case)
end

-- Disaggregated prefill and decode has no closed form: it is simulated, and whether it keeps up is seen.
local function is_apart(input) return type(input.prefill_pool) == "table" and (input.prefill_pool.replicas or 0) > 0 end

local function check_apart(pool)
  if type(pool) == "table" and pool.replicas == nil then
    errors.input("prefill_pool.replicas", "is missing: how many replicas only prefill")
  end
end

local function checked(input)
  questions.check_known("serve", input)
  if input.ran ~= nil and type(input.ran) ~= "boolean" then
    errors.input("ran", "must be true or false, got " .. type(input.ran))
  end
  core.serve_check({ replicas = input.replicas, routing = input.routing, start_s = input.start_s,
    failures = input.failures, percentile = input.percentile })
  load_of.check(input.load or {}, input.trace, input.samples)
  check_apart(input.prefill_pool)
  if type(input.cluster) ~= "table" or not input.cluster.device then
    errors.input("cluster", "must be made by cluster{}")
  end
  serving.check_writes(input.model)
  load_of.check_length(input.max_model_len, load_of.longest_sure(input.load or {}))
end

-- The answer before anything is estimated, the resolved case, and the setup of a replica.
local function begun(input)
  local case = resolve.of(input)
  local full, assumed = case.input, {}
  local setup = { model = full.model, device = full.device, network = full.network, curves = full.curves,
    plan = full.plan, engine = full.engine }
  table.move(case.assumed, 1, #case.assumed, 1, assumed)
  for _, text in ipairs({ serving.calibrated(full.engine, input.model, { setup.device }) or false,
    load_of.assumed(full.load, input.trace or input.samples) or false }) do
    if text then assumed[#assumed + 1] = text end
  end
  return { kind = "serving", input = full, assumed = assumed, open = case.open, origin = case.origin,
    launched = case.launched, max_model_len = input.max_model_len,
    price_usd_h = input.cluster.usd_h, price_assumed = input.cluster.price_assumed,
    replicas_most = most_replicas(full), means = load_of.means(full.load, input.trace, input.samples) }, case, setup
end

-- The answer as far as memory goes, the resolved case, and the setup of a replica.
local function held(input)
  checked(input)
  if input.pool_tokens then errors.number("pool_tokens", input.pool_tokens, 0) end
  local answer, case, setup = begun(input)
  local means = answer.means
  local request_tokens, printed = means.input_tokens + means.output_tokens, input.pool_tokens
  answer.memory = core.infer_memory(tables.with(setup, { sequence_tokens = request_tokens }))
  answer.fits = answer.memory.fits or case.ran == true
  case.input.pool_tokens = printed and cache.room(setup, printed, request_tokens, input.max_model_len)
  local is_elsewhere = is_apart(case.input) or shares_blocks(input.trace)
  answer.cache = cache.of(setup, answer.memory, { request_tokens = request_tokens, max_model_len = input.max_model_len,
    shared_tokens = resolved_load.held_once(case.input.load, means.input_tokens, is_elsewhere),
    pool_tokens = printed, room = case.input.pool_tokens })
  return answer, case, setup
end

--- The answer of serving.run without a simulation: memory, fits and cache; what was assumed of the load is left out.
function serving.held(input)
  local answer, case = held(input)
  answer.assumed = table.move(answer.assumed, 1, case.before_load, 1, {})
  return answer
end

--- Serves input.load (of core.serve) by input.model on input.cluster: { kind, input, means, fits, memory, steady, seen,
--- cache (tokens, range, max_model_len, max_concurrency, sequences), keeps_up, answered, bill, range, step, out_of_step_per_s }. `steady`
--- is of one replica with its share, absent where nothing fits or pools are apart; `seen` and what follows are absent where
--- the load is beyond capacity; `out_of_step_per_s` is what a replica does of answers of one length once they do not start
--- together.
function serving.run(input)
  local answer, case, setup = held(input)
  local full = case.input
  if not answer.fits then return answer end
  answer.input = tables.with(full)
  add_start(answer, input)
  if not is_apart(full) and answer.memory.fits then
    answer.steady = steady_of(setup, answer.means, answer.replicas_most, full)
    answer.out_of_step_per_s = out_of_step(setup, answer.means, answer.replicas_most, full)
  end
  answer.input.autoscale = scaled(input.autoscale, answer.steady)
  if not answer.steady or input.trace or answer.steady.stable then add_seen(answer, case, setup) end
  return answer
end

return serving

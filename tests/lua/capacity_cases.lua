-- Services drawn at random, and what a replica of each answers when it never lacks requests: what closed forms say of
-- its capacity is compared to.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local drawn_numbers = dofile(here .. "/drawn.lua")
local errors = require("ballpark.errors")
local loads = require("ballpark.questions.serve.load")
local resolve = require("ballpark.resolve.serving")
local tables = require("ballpark.tables")

local cases = {}

local between, one_of = drawn_numbers.between, drawn_numbers.one_of

local MODELS <const> = { "llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "qwen3-30b-a3b", "mixtral-8x7b", "deepseek-v3",
  "gpt-oss-120b", "gemma-3-27b" }
local DEVICES <const> = { "H100", "H200", "A100-80GB", "L40S", "RTX-4090", "MI300X", "B200", "T4" }
local ENGINES <const> = { "vllm", "sglang", "trtllm", "generic" }
local FORMATS <const> = { "bf16", "fp8", "int8", "int4", "nvfp4" }
local LENGTHS <const> = { "fixed", "uniform", "lognormal", "exponential" }

local function engine_of(unit)
  local engine = { name = one_of(unit, ENGINES) }
  if unit() < 0.5 then engine.token_budget = 2 ^ (9 + math.floor(unit() * 6)) // 1 end
  if unit() < 0.5 then engine.max_running = between(unit, 8, 1024) // 1 end
  if unit() < 0.3 then engine.memory_frac = 0.5 + 0.45 * unit() end
  if unit() < 0.2 then engine.reserve_output = unit() < 0.5 end
  if unit() < 0.1 then engine.graph_tokens = between(unit, 128, 1024) // 1 end
  local wait = unit() < 0.2 and between(unit, 2, 30) // 1
  if wait and engine.name == "trtllm" then engine.batch_wait = wait end
  return engine
end

local function plan_of(unit)
  local plan = { tp = 2 ^ math.floor(unit() * 4) // 1, weights = one_of(unit, FORMATS) }
  if unit() < 0.15 then plan.pp = 2 end
  if unit() < 0.15 then plan.dp = 2 ^ (1 + math.floor(unit() * 3)) // 1 end
  if unit() < 0.3 then plan.kv = "fp8" end
  if unit() < 0.1 then plan.draft_tokens, plan.acceptance = 1 + math.floor(unit() * 3), 0.8 end
  return plan
end

local function load_of(unit)
  local kind = one_of(unit, LENGTHS)
  -- Whole numbers that differ about a mean of a few have another mean.
  local load = { lengths = kind, input_tokens = between(unit, 16, 16000) // 1,
    output_tokens = between(unit, kind == "fixed" and 1 or 8, 3000) // 1 }
  if load.lengths == "uniform" then load.spread = 0.95 * unit() end
  if load.lengths == "lognormal" then load.spread = 0.1 + unit() end
  if unit() < 0.1 then load.prefix_tokens = load.input_tokens // 2 end
  return load
end

--- The facts of case number `index`: { model, device, engine, plan, load }.
function cases.drawn(index)
  local unit = drawn_numbers.stream(index)
  return { index = index, model = one_of(unit, MODELS), device = one_of(unit, DEVICES), engine = engine_of(unit),
    plan = plan_of(unit), load = load_of(unit), clients = between(unit, 1, 1000) // 1, arrivals = one_of(unit, { "closed", "open" }) }
end

-- changed: of the cluster another one, nil for itself.
local function resolved(drawn, changed)
  local plan = drawn.plan
  local cluster = catalog.cluster({ device = drawn.device, devices = plan.tp * (plan.pp or 1) * (plan.dp or 1) })
  if changed then cluster = changed(cluster) end
  return resolve.of({ model = catalog.model(drawn.model), cluster = cluster, engine = drawn.engine, plan = plan,
    load = tables.with(drawn.load, drawn.arrivals == "closed" and { concurrency = drawn.clients }
      or { arrivals = "open", rate_per_s = 1 }) })
end

local function setup_of(input)
  return { model = input.model, device = input.device, network = input.network, curves = input.curves,
    plan = input.plan, engine = input.engine }
end

-- Clients for each place, so many that some wait even when all that ran end together; requests of each place in the run,
-- and requests of a run.
local CLIENTS <const>, ROUNDS <const>, LEAST <const>, MOST <const> = 3, 6, 1500, 30000

-- Loads over capacity. Where requests come by chance and answers have one length, prompts that waited
-- together end together for ever, so that a replica answers the more the further it is overloaded: what it holds is what
-- it answers at the least load that it does not keep up with, which answers less than this share of it.
local OVER <const>, KEEPS_UP <const> = { 1.02, 1.1, 1.25, 1.5, 2, 3 }, 0.97

-- The first of these that never lets requests run out, unless it is kept up with.
local ENDLESS <const> = 4

-- Where answers have one length and requests come by chance, what was answered together at the start stays together: the
-- mean of so many starts.
local STARTS <const> = 4

-- Places that fill together empty together, for long where lengths differ little: a run goes on until two stretches of it,
-- the second twice as long, answer as many in a second within this, or a stretch would be of more requests.
local SETTLED <const>, LONGEST <const> = 0.02, 500000

-- Requests that run, or are computed, at one time.
local function places_of(case, steady)
  local engine, load = case.input.engine, case.input.load
  if load.output_tokens > 1 then return steady.places end
  local fresh = load.input_tokens - (load.prefix_tokens or 0)
  return math.min(steady.places, 2 + 2 * engine.token_budget * (case.input.plan.dp or 1) * (case.input.plan.pp or 1) // fresh)
end

-- Capacity with fewer sequences than this share of the places is one that an engine has to be told.
local FEWER <const> = 1

-- Engines that answer most with fewer sequences than they have places for are simulated with as many.
local function best_setup(case, steady)
  local setup = setup_of(case.input)
  local groups = setup.plan.dp or 1
  if steady.capacity_places < FEWER * steady.places then
    setup.engine = tables.with(setup.engine, { max_running = math.max(1, math.ceil(steady.capacity_places / groups)) })
  end
  return setup
end

-- Seconds in which the first so many requests of a load are answered.
local function simulated(setup, load, requests)
  return core.serve(tables.with(setup, { load = tables.with(load, { requests = requests }) }))
end

-- Answers per second, without the time in which the replica fills and drains; and the longest run.
local function answered_of(case, steady, load)
  local places = math.ceil(places_of(case, steady))
  local stretch = math.ceil(math.min(MOST, math.max(LEAST, ROUNDS * places)) / places) * places
  local first = math.ceil(CLIENTS * places) + 4
  local setup, all = best_setup(case, steady), tables.with(case.input.load, load(first))
  local run, per_s = simulated(setup, all, first + stretch), nil
  local before
  repeat
    local longer = simulated(setup, all, first + 2 * stretch)
    before, per_s = per_s, stretch / (longer.duration_s - run.duration_s)
    run, stretch = longer, 2 * stretch
  until before and math.abs(per_s / before - 1) <= SETTLED or stretch > LONGEST
  return per_s, run
end

-- The same in the mean of several starts, where that never forgets how it began.
local function of_starts(case, steady, rate)
  local starts = case.input.load.lengths == "fixed" and STARTS or 1
  local sum, run = 0, nil
  for seed = 1, starts do
    local per_s
    per_s, run = answered_of(case, steady, function() return { rate_per_s = rate, seed = seed } end)
    sum = sum + per_s
  end
  return sum / starts, run
end

-- The same of a replica that never lacks requests.
local function answered(case, steady, arrivals)
  if arrivals == "closed" then
    return answered_of(case, steady, function(clients) return { concurrency = clients } end)
  end
  local per_s, run
  for i = case.input.load.lengths == "fixed" and 1 or ENDLESS, #OVER do
    local rate = OVER[i] * steady.capacity_per_s
    per_s, run = of_starts(case, steady, rate)
    if per_s < KEEPS_UP * rate then break end
  end
  return per_s, run
end

-- The resolved case; nil and why where no engine runs it.
local function case_of(drawn, changed)
  local ok, case = pcall(resolved, drawn, changed)
  if ok then return case end
  if not errors.is(case) then error(case, 0) end
  return nil, case.message
end

-- The input of core.infer_load for a case.
local function asked_of(case, arrivals)
  local load = case.input.load
  local means = loads.means(load)
  return tables.with(setup_of(case.input), { concurrency = arrivals == "closed" and 1 or nil, rate_per_s = 1e-6,
    input_tokens = means.input_tokens, output_tokens = means.output_tokens, length_cv = means.length_cv,
    input_cv = means.input_cv, one_token_frac = means.one_token_frac, prefix_tokens = load.prefix_tokens, shared_tokens = load.shared_tokens })
end

--- The input of core.infer_load for a drawn case, on its own cluster or on what changed(cluster) makes of it; nil and
--- why where no engine runs it.
function cases.asked(drawn, changed)
  local case, why = case_of(drawn, changed)
  return case and asked_of(case, drawn.arrivals), why
end

-- What a call says; nil and why where it refuses its input.
local function said(call, ...)
  local ok, answer, more = pcall(call, ...)
  if ok then return answer, more end
  if not errors.is(answer) then error(answer, 0) end
  return nil, answer.message
end

--- What closed forms say of a drawn case and what is simulated: { capacity_per_s, simulated_per_s, steady, seen,
--- case }; nil and why where no engine runs it, or one request has no room.
function cases.measured(drawn)
  local case, why = case_of(drawn)
  if not case then return nil, why end
  local steady, refusal = said(core.infer_load, asked_of(case, drawn.arrivals))
  if not steady then return nil, refusal end
  local per_s, seen = said(answered, case, steady, drawn.arrivals)
  if not per_s then return nil, seen end
  return { capacity_per_s = steady.capacity_per_s, simulated_per_s = per_s, steady = steady, seen = seen, case = case }
end

-- Requests of a run of clients: so many for each, and at least.
local OF_EACH <const>, OF_ALL <const> = 40, 400

--- Answers per second to so many clients of a drawn case, each of whom waits for one and asks again: what closed forms say,
--- and what is simulated; nil where no engine runs it.
function cases.of_clients(drawn, clients)
  local case = case_of(tables.with(drawn, { arrivals = "closed" }))
  local steady = case and said(core.infer_load, tables.with(asked_of(case, "closed"), { concurrency = clients, rate_per_s = 0 }))
  if not steady then return nil end
  local requests = math.max(OF_ALL, OF_EACH * clients)
  local seen = said(simulated, setup_of(case.input), tables.with(case.input.load, { concurrency = clients }), requests)
  return seen and steady.requests_per_s, seen and requests / seen.duration_s
end

-- Requests of a run under load: so many for each that runs.
local EACH <const>, FEWEST_SEEN <const>, MOST_SEEN <const> = 20, 3000, 40000

--- Means of what requests see that come by chance at this share of a drawn case's capacity: what closed forms say, and
--- what is simulated; nil where no engine runs it, or it does not keep up.
function cases.under_load(drawn, share)
  drawn = tables.with(drawn, { arrivals = "open" })
  local case = case_of(drawn)
  local input = case and asked_of(case, "open")
  local full = input and said(core.infer_load, input)
  if not full then return nil end
  local rate = share * full.capacity_per_s
  local steady = core.infer_load(tables.with(input, { rate_per_s = rate }))
  if not steady.stable then return nil end
  local requests = math.max(FEWEST_SEEN, math.min(MOST_SEEN, math.ceil(EACH * steady.running)))
  local seen = said(core.serve, tables.with(setup_of(case.input), { load = tables.with(case.input.load,
    { rate_per_s = rate, requests = requests, trim_frac = 0.2 }) }))
  return seen and steady, seen
end

return cases

-- Simulates a resolved service: in one run of all replicas, or two pools of a closed loop as two loops, each of which
-- is the time that the clients of the other one think.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local loads = require("ballpark.resolve.serving.load")
local tables = require("ballpark.tables")

local simulate = {}

-- Nothing but decode steps, whatever their size: prompts come computed.
local DECODES <const> = { graph_tokens = 1e9, graph_prompts = true }

-- Clients and requests of one of `count` replicas that have `share` of a load's clients.
local function clients(load, share, count)
  local all = load.concurrency or 1
  local n = math.max(1, math.floor(all * share / count + 0.5))
  local per_client = (load.requests or 0) > 0 and math.max(1, load.requests // all) or 10
  return n, n * per_client
end

-- One replica of a pool: the other one is no part of it.
local function alone(input, changes)
  local one = tables.with(input, changes)
  one.prefill_pool, one.replicas = nil, nil
  return core.serve(one)
end

local function answers_of(input, share)
  local n, requests = clients(input.load, share, input.replicas or 1)
  return alone(input, { engine = tables.with(input.engine, DECODES),
    load = tables.with(input.load, { concurrency = n, requests = requests, prefix_tokens = loads.WHOLE_PROMPT, shared_tokens = 0 }) })
end

local function prompts_of(input, think_s)
  local pool = input.prefill_pool
  local n, requests = clients(input.load, 1, pool.replicas)
  return alone(input, { plan = tables.with(pool.plan, { draft_tokens = 0 }),
    load = tables.with(input.load, { concurrency = n, requests = requests, output_tokens = 1, think_s = think_s }) })
end

-- A time of requests, later by some seconds.
local function later(times, seconds)
  local moved = {}
  for name, value in pairs(times) do moved[name] = value + seconds end
  return moved
end

local SUMS <const> = { "offered_per_s", "requests_per_s", "output_tok_s", "mean_running", "preemptions", "steps",
  "requests", "counted", "busy_s", "replica_s", "mean_replicas", "peak_replicas" }

-- What requests see of both pools, in the form of core.serve: the first token of the one, the others of the other.
local function together(input, prompts, answers)
  local seen, count, prefill_count = tables.with(answers), input.replicas or 1, input.prefill_pool.replicas
  for _, name in ipairs(SUMS) do seen[name] = answers[name] * count end
  seen.ttft, seen.queue = prompts.ttft, prompts.queue
  seen.e2e = later(answers.e2e, prompts.ttft.mean_s - answers.ttft.mean_s)
  seen.total_tok_s = seen.output_tok_s + prefill_count * (prompts.total_tok_s - prompts.output_tok_s)
  -- Prefill replicas are paid for as long as the others are.
  seen.prefill_replica_s = prefill_count * answers.duration_s
  seen.replica_s = seen.replica_s + seen.prefill_replica_s
  seen.busy_s = seen.busy_s + prefill_count * answers.duration_s * prompts.busy_frac
  seen.busy_frac = seen.busy_s / seen.replica_s
  seen.mean_replicas, seen.peak_replicas = seen.mean_replicas + prefill_count, seen.peak_replicas + prefill_count
  seen.cached_frac = prompts.cached_frac
  return seen
end

local function two_loops(input)
  local answers = answers_of(input, 1)
  local prompts = prompts_of(input, answers.e2e.mean_s)
  answers = answers_of(input, answers.e2e.mean_s / (answers.e2e.mean_s + prompts.e2e.mean_s))
  return together(input, prompts_of(input, answers.e2e.mean_s), answers)
end

-- What was measured did run: where our count leaves no room, all clients are taken to fit.
local function with_least_pool(input)
  local load = input.load
  return tables.with(input, { pool_tokens = ((load.input_tokens or loads.TOKENS)
    + (load.output_tokens or loads.TOKENS) + 64) * (load.concurrency or 1) })
end

--- What requests see of `input`, the input of a case of resolve.serving or one changed from it, as core.serve answers;
--- and what had to be assumed for it beside case.assumed, if anything.
function simulate.run(case, input)
  local run = case.loops and two_loops or core.serve
  if not case.ran then return run(input) end
  local ok, seen = errors.attempt(run, input)
  if ok then return seen end
  if seen.path ~= "memory" then error(seen, 0) end
  return run(with_least_pool(input)), "memory: by our count it does not fit; all clients taken to have room"
end

-- Requests that are enough to see what a setting moves, and as many as are simulated again for each of them.
local ENOUGH <const> = 2000

--- The input by which is seen what a setting moves: a closed loop as it is; of arrivals that go on for long, as those
--- of a day or of a trace, a stretch at the mean rate on `replicas` that stay as they are.
---@param means table of questions.serve.load
---@param replicas integer
function simulate.stretch(input, means, replicas)
  local load = input.load
  local short = tables.with(input, { replicas = replicas })
  if input.trace then
    if #input.trace <= ENOUGH then return input end
    short.trace = table.move(input.trace, 1, ENOUGH, 1, {})
  elseif load.arrivals == "diurnal" or load.arrivals == "open" and (load.requests or 0) > ENOUGH then
    short.load = tables.with(load, { arrivals = "open", rate_per_s = means.rate_per_s, requests = ENOUGH })
    for _, name in ipairs({ "period_s", "peak_over_mean", "rates" }) do short.load[name] = nil end
  else
    return input
  end
  short.autoscale, short.failures = nil, nil
  return short
end

--- Mean times of what was seen: { ttft_s, tpot_s, e2e_s }.
function simulate.means(seen)
  return { ttft_s = seen.ttft.mean_s, tpot_s = seen.tpot.mean_s, e2e_s = seen.e2e.mean_s }
end

return simulate

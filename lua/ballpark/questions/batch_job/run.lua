-- Prompts that nobody waits for: every kind of replica at the throughput it has when it never lacks requests, as many of
-- them as the deadline takes, and what that costs.
local best = require("ballpark.search.best")
local candidates = require("ballpark.questions.serve_search.candidates")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local halves = require("ballpark.halves")
local loads = require("ballpark.questions.serve.load")
local question = require("ballpark.questions.serve_search.question")
local questions = require("ballpark.questions")
local range = require("ballpark.range")
local ranges = require("ballpark.range.serving")
local resolve = require("ballpark.resolve.serving")
local resolved_load = require("ballpark.resolve.serving.load")
local tables = require("ballpark.tables")

local batch_job = {}

-- Devices that are looked at where no limit is given.
local MOST_DEVICES <const> = 4096

local HOUR_S <const> = 3600

-- The question of a fleet that has no users: any answer in any time, no spares.
local FOREVER_S <const> = 1e12

local LOAD <const> = { "input_tokens", "output_tokens", "lengths", "spread" }

-- Whole numbers beyond are not exact any more, long before anybody asks so much.
local MOST_PROMPTS <const> = 1e15

local function asked(input)
  questions.check_known("batch_job", input)
  errors.positive("prompts", input.prompts)
  if input.prompts > MOST_PROMPTS then errors.input("prompts", ("%.3g are more than %.0e"):format(input.prompts, MOST_PROMPTS)) end
  if input.deadline_s ~= nil then errors.positive("deadline_s", input.deadline_s) end
  if input.period_s ~= nil then errors.positive("period_s", input.period_s) end
  if input.start_s ~= nil then errors.positive("start_s", input.start_s) end
  local load = input.load or {}
  errors.only("load", load, LOAD)
  return question.new({ model = input.model, devices = input.devices, gpus = input.gpus or MOST_DEVICES,
    engine = input.engine, terms = input.terms, spares = 0, utilization_frac = 1, sla = { e2e_s = FOREVER_S },
    space = tables.with(input.space or {}, { pattern = "aggregated" }),
    load = tables.with(load, { rate_per_s = 1 }) })
end

-- A replica with so many prompts under way all the time, or what is changed of that.
local function busy(one, concurrency, changes)
  local input = tables.with(tables.with(one.candidate.input, changes), { engine = one.engine, concurrency = concurrency })
  input.rate_per_s = nil
  return core.infer_load(input)
end

-- Seconds of so many prompts that all begin together, and none comes later: prefill of all, then decode of all.
local function together_s(one, prompts)
  return math.max(one.first_s, prompts / one.prompts_per_s) + busy(one, prompts, { prefix_tokens = resolved_load.WHOLE_PROMPT }).e2e_s
end

-- A kind of replica: places, prompts that it has under way at most; per_s, answers per second when it never lacks prompts;
-- lone_s, time of an answer that is alone, and first_s of its prompt; prompts_per_s, of prefill by itself; full_s, of prompts
-- that take all places together.
local function kind_of(candidate, start_s)
  local engine = resolve.in_process(candidate.engine)
  local one = { candidate = candidate, engine = engine, start_s = start_s,
    places = math.max(1, math.min(engine.max_running * (candidate.plan.dp or 1), candidate.memory.max_sequences)) }
  local alone = busy(one, 1)
  one.per_s, one.lone_s, one.first_s = busy(one, one.places).capacity_per_s, alone.e2e_s, alone.ttft_s
  one.prompts_per_s = busy(one, 1, { output_tokens = 1 }).capacity_per_s
  one.full_s = together_s(one, one.places)
  return one
end

-- Answers per second of a replica that has so many prompts to answer: no more than those are under way.
local function rate_of(one, prompts)
  local least_s = prompts >= one.places and one.full_s or together_s(one, prompts)
  return math.min(one.per_s, prompts / least_s) / (one.slower or 1)
end

-- Seconds that the last answers take beyond what a full replica needs for them, while ever fewer run. A decode step costs
-- what a lone answer's does, and something for each answer that runs. So each step that the longest answer has left beyond the
-- mean costs a lone step. Where all begin together the mean has a whole answer left. Where others came before it has half of
-- one, and more where lengths differ.
local function tail_s(one, prompts)
  local candidate = one.candidate
  local cv = candidate.input.length_cv
  local longest = math.max(1, loads.longest(candidate.ask.load, math.min(prompts, one.places)))
  local left = prompts <= one.places and 1 or math.min(1, (1 + cv * cv) / 2)
  return one.lone_s * (longest - left)
end

-- Replicas that may be taken away do so much less in the mean of the run.
local function left(candidate) return 1 - candidate.pool.loss_frac end

-- A job on so many replicas: to start, to answer all, and the last answers, while ever fewer run.
local function job_of(one, prompts, replicas)
  local candidate = one.candidate
  local working = math.min(replicas, prompts)
  local each = prompts / working
  local per_s = working * rate_of(one, each) * left(candidate)
  local time_s = one.start_s + prompts / per_s + tail_s(one, each)
  local devices = replicas * candidate.ranks
  local usd_h = devices * candidate.pool.usd_h
  return { candidate = candidate, kind = one, replicas = replicas, devices = devices, per_s = per_s, time_s = time_s,
    usd_h = usd_h, usd = usd_h * time_s / HOUR_S, work_s = prompts / per_s }
end

-- The fewest replicas that are in time; nil where no number of them is, or there are not so many devices.
local function fewest(one, prompts, deadline_s, gpus)
  local most = gpus // one.candidate.ranks
  if most < 1 then return nil end
  if not deadline_s then return job_of(one, prompts, 1) end
  local rest_s = deadline_s - one.start_s
  if rest_s <= 0 then return nil end
  local function in_time(replicas) return job_of(one, prompts, replicas).time_s <= deadline_s end
  -- Fewer are too few, however full they are.
  local few = math.max(1, math.ceil(prompts / (one.per_s * left(one.candidate)) / rest_s - 1e-9))
  if few > most then return nil end
  if not in_time(few) then
    if not in_time(most) then return nil end
    few = halves.smallest(few, most, in_time)
  end
  return job_of(one, prompts, math.tointeger(few))
end

local function kinds_of(found, start_s)
  local list = {}
  for i, candidate in ipairs(found.list) do
    list[i] = kind_of(candidate, start_s
      or core.cold_start({ weights_bytes = candidate.ranks * candidate.memory.weights_bytes }).start_s)
  end
  return list
end

-- Cheaper first; of equal cost the one of fewer devices, then the faster, then the order of the space.
local function ranks(job) return { job.usd, job.devices, job.time_s, job.candidate.place } end

-- Factors on the work: the range of the engine when it is full.
local function factor_of(candidate)
  local borrowed, why = ranges.of_device(candidate.pool.device, candidate.engine.name)
  local unseen, reason = ranges.of_model(candidate.ask.model)
  return ranges.of(candidate.engine.name, candidate.ask.model, "full_ms", { borrowed, borrowed, why = why },
    { unseen, unseen, why = reason })
end

local function ranges_of(job, factor)
  local rest = job.time_s - job.work_s
  local function at(share) return rest + share * job.work_s end
  local function usd(share) return job.usd_h * at(share) / HOUR_S end
  return { time_s = range.new(job.time_s, at(factor.low), at(factor.high), factor.why),
    usd = range.new(job.usd, usd(factor.low), usd(factor.high), factor.why) }
end

-- So many of the same that they are in time at the upper end of the range, too.
local function surely(job, factor, input, gpus)
  if not input.deadline_s then return nil end
  local slow = fewest(tables.with(job.kind, { slower = factor.high }), input.prompts, input.deadline_s,
    gpus)
  return slow and job_of(job.kind, input.prompts, slow.replicas)
end

-- The winner with other numbers of replicas, up to what there is.
local function sizes_of(job, prompts, gpus)
  local list, seen = {}, {}
  local function add(replicas)
    if replicas < 1 or replicas * job.candidate.ranks > gpus or seen[replicas] then return end
    seen[replicas] = true
    list[#list + 1] = job_of(job.kind, prompts, replicas)
  end
  for _, times in ipairs({ 1 / 4, 1 / 2, 1, 2, 4, 8 }) do add(math.tointeger(math.max(1, (times * job.replicas) // 1))) end
  return list
end

-- Costs that hardly differ: starting more replicas costs a little.
local HARDLY_MORE <const> = 1.02

-- Devices that are there are used where nobody says until when: as many replicas as cost hardly more.
local function on_all(job, prompts, gpus)
  local most = gpus // job.candidate.ranks
  local function is_cheap(replicas) return job_of(job.kind, prompts, replicas).usd <= HARDLY_MORE * job.usd end
  local replicas = is_cheap(most) and most or halves.largest(1, most, is_cheap)
  return job_of(job.kind, prompts, replicas)
end

local function refusal(answer, input)
  local fastest = answer.fastest
  if not fastest then return "the model does not fit into memory" end
  return ("the fastest replicas of %d devices take %.3g h, and there are %.3g"):format(fastest.devices,
    fastest.time_s / HOUR_S, input.deadline_s / HOUR_S)
end

-- With all devices: what comes nearest to the deadline.
local function fastest_of(list, prompts, gpus)
  local jobs = {}
  for _, one in ipairs(list) do
    if gpus >= one.candidate.ranks then jobs[#jobs + 1] = job_of(one, prompts, gpus // one.candidate.ranks) end
  end
  return (best.nearest(jobs, function(job) return job.time_s end))
end

--- Answers batch_job{}: { kind, ask, prompts, deadline_s, fits, winner, sure, range, choices, sizes, assumed }, or without
--- a winner refused and fastest.
function batch_job.run(input)
  local ask = asked(input)
  local found = candidates.all(ask)
  local list = kinds_of(found, input.start_s)
  local answer = { kind = "batch_job", ask = ask, prompts = input.prompts, deadline_s = input.deadline_s, period_s = input.period_s, choices = {},
    gpus = input.gpus, assumed = found.assumed, tried = found.tried, fitting = #found.list }
  for _, one in ipairs(list) do
    local job = fewest(one, input.prompts, input.deadline_s, ask.gpus)
    if job then best.insert(answer.choices, job, ranks) end
  end
  answer.winner = answer.choices[1]
  if answer.winner and input.gpus and not input.deadline_s then answer.winner = on_all(answer.winner, input.prompts, input.gpus) end
  answer.fits = answer.winner ~= nil
  if answer.fits then
    local factor = factor_of(answer.winner.candidate)
    answer.range = ranges_of(answer.winner, factor)
    answer.sure = surely(answer.winner, factor, input, ask.gpus)
    answer.sizes = sizes_of(answer.winner, input.prompts, ask.gpus)
  else
    answer.fastest = fastest_of(list, input.prompts, ask.gpus)
    answer.refused = refusal(answer, input)
  end
  return answer
end

return batch_job

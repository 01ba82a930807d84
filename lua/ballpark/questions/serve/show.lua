-- How an answer about serving becomes blocks of a result.
local comparables = require("ballpark.questions.comparables.show")
local concurrency = require("ballpark.questions.serve.concurrency")
local cost = require("ballpark.questions.serve.cost")
local fixes = require("ballpark.questions.serve.fixes")
local memory_show = require("ballpark.questions.serve.memory_show")
local seen = require("ballpark.questions.serve.seen_show")
local words = require("ballpark.questions.serve.words")

local show = {}

local HIDDEN <const> = { hide = true }

-- Adds facts to a list: fact(name, value, unit, title, more).
local function adder(list)
  return function(name, value, unit, title, more)
    local fact = { name = name, value = value, unit = unit, title = title }
    for key, item in pairs(more or {}) do fact[key] = item end
    list[#list + 1] = fact
  end
end

local function many(input) return (input.replicas or 1) > 1 or input.autoscale ~= nil end

--- "Llama-3.1-70B on 4 x H100-SXM-80GB, vllm", with the replicas where there are several.
function show.subject(answer)
  local input = answer.input
  local devices, prefill_ranks = cost.devices(input.plan, input.prefill_pool)
  local name = input.device.name or "device"
  local on = ("%d x %s"):format(devices, name)
  local count = input.replicas or 1
  if many(input) then on = ("%d replica%s of %s"):format(count, count == 1 and "" or "s", on) end
  if prefill_ranks > 0 then
    on = ("%s, prefill on %d x %d x %s"):format(on, input.prefill_pool.replicas, prefill_ranks, name)
  end
  return ("%s on %s, %s"):format(input.model.name or "model", on, input.engine.name or "engine")
end

local function fleet_words(input)
  local parts = {}
  if many(input) then parts[1] = "routed by " .. (input.routing or "two_choices") end
  local scale, failures = input.autoscale, input.failures
  if scale then
    parts[#parts + 1] = ("scaled to %g %s per replica, %d to %d"):format(scale.target or 0, scale.metric or "requests",
      scale.min or 1, scale.max or input.replicas or 1)
  end
  if failures and (failures.mtbf_s or 0) > 0 then
    parts[#parts + 1] = "requests of a failed replica " .. (failures.lose and "lost" or "sent again")
  end
  return table.concat(parts, "; ")
end

local function add_plan(fact, answer)
  local input = answer.input
  fact("plan", words.plan_line(input.plan), "", "Plan")
  if answer.link then
    fact("prefill_plan", words.plan_line(input.prefill_pool.plan), "", "Plan of prefill")
    fact("link", answer.link, "", "Link between the pools")
  end
  local fleet = fleet_words(input)
  fact("fleet", fleet, "", "Fleet", { hide = fleet == "" })
end

local function load_text(answer)
  local load, input = answer.input.load, answer.input
  local lengths = load.lengths and load.lengths ~= "fixed" and (", " .. load.lengths) or ""
  local new = (load.turns or 1) > 1 and " ({new_tokens} of them new)" or ""
  local what = "{input_tokens} in" .. new .. ", {output_tokens} out" .. lengths
  if (load.turns or 1) > 1 then what = what .. (", sessions of %d turns"):format(load.turns) end
  local bursty = load.burstiness and load.burstiness ~= 1 and (", gaps' deviation %g of their mean")
    :format(load.burstiness) or ""
  if answer.means.concurrency then
    local thinking = (load.think_s or 0) > 0 and (load.turns or 1) == 1 and " who think {think_s} between answers, exponentially" or ""
    return "closed loop of {concurrency} clients" .. thinking .. "; " .. what
  end
  if input.trace then return "a trace, {rate_per_s} in the mean; " .. what end
  if load.arrivals == "diurnal" then
    local shape = load.rates and "rates as given" or ("%g times as many at the peak"):format(load.peak_over_mean or 2)
    local only = cost.cut_short(input) and "; seen are the first {part_requests} of {period_requests} requests of a period" or ""
    return "{rate_per_s} in the mean of a period, " .. shape .. bursty .. "; " .. what .. only
  end
  return "{rate_per_s}" .. (bursty == "" and ", Poisson" or bursty) .. "; " .. what
end

local function add_load(fact, answer)
  local means = answer.means
  local arrivals = answer.input.trace and "trace" or answer.input.load.arrivals or "closed"
  fact("load", arrivals, "", "Load", { text = load_text(answer) })
  local part = cost.cut_short(answer.input) or {}
  fact("part_requests", part.requests, "", "Requests that are simulated of a period", HIDDEN)
  fact("period_requests", part.of_day, "", "Requests of the whole period", HIDDEN)
  fact("rate_per_s", means.rate_per_s, "1/s", "Rate", HIDDEN)
  fact("concurrency", means.concurrency, "", "Clients", HIDDEN)
  fact("think_s", answer.input.load.think_s, "s", "Time between an answer and the next question", HIDDEN)
  fact("input_tokens", means.input_tokens, "tok", "Prompt, mean", HIDDEN)
  fact("new_tokens", means.new_tokens, "tok", "Of it, not said before", HIDDEN)
  fact("output_tokens", means.output_tokens, "tok", "Answer, mean", HIDDEN)
end

local function add_capacity(fact, answer)
  if not answer.steady then return end
  local replicas = answer.input.replicas or 1
  local one, all = answer.steady.capacity_per_s, replicas * answer.steady.capacity_per_s
  local used = answer.means.rate_per_s and answer.means.rate_per_s / all
  fact("stable", answer.steady.stable, "", "Keeps up with the load", HIDDEN)
  fact("replica_capacity_per_s", one, "1/s", "Requests of a replica at most", HIDDEN)
  local peak = answer.means.peak_per_s and answer.means.peak_per_s / all
  fact("used_frac", used, "frac", "Load over capacity", HIDDEN)
  fact("peak_used_frac", peak, "frac", "Peak load over capacity", HIDDEN)
  fact("capacity_per_s", all, "1/s", "Capacity", { text = "{capacity_per_s}"
    .. (replicas > 1 and ", {replica_capacity_per_s} per replica" or "")
    .. (used and "; {used_frac} asked for" or "") .. (peak and " in the mean, {peak_used_frac} at the peak" or "") })
end

local function add_cost(fact, answer)
  local known = answer.bill
  fact("mean_replicas", known.replicas, "", "Replicas, mean", { hide = not answer.input.autoscale })
  fact("devices", known.devices, "", "Devices", HIDDEN)
  fact("usd_h", known.usd_h, "USD/h", "USD per hour", HIDDEN)
  fact("usd_per_mtok", known.usd_per_mtok, "USD", "Of a million output tokens", HIDDEN)
  fact("usd_per_request", known.usd_per_request, "USD", "Of a request", HIDDEN)
  fact("usd_month", known.usd_month, "USD", "Cost by the month", HIDDEN)
  fact("cost", known.usd_h, "USD/h", "Cost", { text = known.usd_h
    and "{usd_h}" .. (known.usd_month and ", {usd_month} a month" or " in the part of a day that is simulated")
    .. (known.usd_per_mtok and "; {usd_per_mtok} per million output tokens, {usd_per_request} a request" or "") or "price unknown" })
  fact("request_j", known.request_j, "J", "Of a request", HIDDEN)
  fact("power_w", known.power_w, "W", "Energy", { hide = not known.power_w,
    text = "{power_w} of the boards at most" .. (known.request_j and "; {request_j} a request" or "") })
end

local function why_nothing_was_seen(result, answer)
  if not answer.fits then
    result:warn("one such request does not find room beside the weights" .. fixes.of_memory(answer)
      .. "; no load was simulated")
  elseif not answer.seen then
    result:warn("the rate is above what the replicas can do: waiting grows without end" .. fixes.of_rate(answer))
  end
end

local function is_beyond(answer) return answer.seen and answer.steady and not answer.steady.stable end

local function warn_of_trace(result, answer)
  if not is_beyond(answer) then return end
  result:warn(("the requests of the trace come at %.3g per s, and the replicas can do %.3g: waiting grows as long as "
    .. "it goes on"):format(answer.means.rate_per_s, answer.replicas_most * answer.steady.capacity_per_s))
end

local function warn_of_context(result, answer)
  local text = words.too_long(answer.input.model, answer.means.input_tokens + answer.means.output_tokens)
  if text then result:warn(text) end
end

-- A day may be carried in the mean and not at its peak.
local function note_peak(result, answer)
  local peak, steady = answer.means.peak_per_s, answer.steady
  local most = steady and steady.capacity_per_s * answer.replicas_most
  if answer.seen and peak and most and peak > most then
    result:warn(("at the peak of the day %.3g per s arrive, and the replicas can do %.3g: requests wait until it is "
      .. "over"):format(peak, most))
  end
end

-- What piles up during the run is longer in a longer run.
local function note_pace(result, answer)
  if not answer.seen or answer.keeps_up or is_beyond(answer) then return end
  local what = seen.is_link_full(answer) and "the link between the pools can carry"
    or "the replicas can do"
  result:warn("less is answered than arrives: the load is above what " .. what .. ", or the run too short; times and "
    .. "percentiles grow with the number of requests simulated")
end

-- Equal lengths end in the same step: see enum bp_routing.
local function note_herds(result, answer)
  local input = answer.input
  if input.routing ~= "least_requests" or not many(input) or input.trace or input.samples
    or (answer.input.load.lengths or "fixed") ~= "fixed" or not answer.seen then return end
  result:note("requests of one length end in one step, and the replica that looks empty then gets all that come next: "
    .. "such herds grow with the number of requests simulated; let lengths differ, or routing be 'two_choices'")
end

-- Capacities that differ by less are one within what is known of them.
local IN_STEP <const> = 1.1

-- Between what answers of one length reach in step and out of it, a queue that a burst has left may stay.
local function warn_of_step(result, answer)
  local out_of_step, rate = answer.out_of_step_per_s, answer.means.rate_per_s
  if not out_of_step or not answer.seen or answer.steady.capacity_per_s < IN_STEP * out_of_step then return end
  local most, replicas = answer.replicas_most * out_of_step, answer.replicas_most
  if rate <= most then return end
  result:warn(("answers of one length that start together reach %.3g per s; once they do not, or where lengths differ, the "
    .. "replica%s %.3g, and above that a queue that a burst leaves may stay"):format(replicas * answer.steady.capacity_per_s,
    replicas > 1 and "s do" or " does", most))
end

-- Answers that take so many times as long as with all places taken are worth a word.
local HELD_UP <const> = 1.25

-- Prompts that run by themselves and come one by one stop those that decode, most of all at a part of the load.
local function note_held_up(result, answer)
  local steady = answer.steady
  if not steady or answer.input.engine.policy ~= "prefill_first" or not (steady.stable and steady.full_s > 0) then return end
  local times = (steady.e2e_s - steady.ttft_s) / steady.full_s
  if times < HELD_UP then return end
  result:note(("prompts run by themselves and stop those that decode: after its first token an answer takes %.2g times as long "
    .. "as with all places taken; steps that mix both (policy mixed), fewer replicas or a smaller max_running shorten it"):format(times))
end

local function notes(result, answer)
  warn_of_step(result, answer)
  note_held_up(result, answer)
  note_herds(result, answer)
  why_nothing_was_seen(result, answer)
  warn_of_trace(result, answer)
  warn_of_context(result, answer)
  note_peak(result, answer)
  note_pace(result, answer)
  for _, text in ipairs(answer.assumed) do result:assume(text .. ".") end
  if answer.simulated and answer.simulated ~= "" then result:assume("Simulation: " .. answer.simulated .. ".") end
  if answer.seen and answer.price_assumed then result:assume("Price: " .. answer.price_assumed .. ".") end
  if answer.bill and answer.bill.power_w then
    result:assume(("Energy: board power while a step runs, %g %% of it while none does; no host, no cooling.")
      :format(100 * cost.IDLE_FRAC))
  end
  result:assume("Curves of experts and decode attention: " .. answer.origin .. ".")
end

--- Adds an answer of serving.run to a result.
function show.answer(result, answer)
  local title = show.subject(answer)
  local list = { name = "serving", title = result.title and title }
  result.title = result.title or title
  local fact = adder(list)
  add_plan(fact, answer)
  add_load(fact, answer)
  if answer.seen then seen.add_rates(fact, answer) end
  add_capacity(fact, answer)
  if answer.seen then
    seen.add_times(fact, answer)
    add_cost(fact, answer)
    seen.add_bound(fact, answer)
  end
  memory_show.add(fact, answer)
  if not result.numbers_only then comparables.of_serving(fact, result, answer) end
  if answer.seen then seen.add_rest(fact, answer) end
  result:facts(list)
  if answer.seen then result:table(seen.table(answer)) end
  if answer.steady and result.illustrated then
    local input = answer.input
    result:table(concurrency.table({ model = input.model, device = input.device, network = input.network, curves = input.curves,
      plan = input.plan, engine = input.engine }, answer.means, input.load, math.min(input.engine.max_running, answer.cache.sequences)))
  end
  result:table(memory_show.table(answer.memory))
  notes(result, answer)
end

return show

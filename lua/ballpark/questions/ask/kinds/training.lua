-- A training run: how long, on how many devices, for how much, and which MFU a deadline and a budget need.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local energy = require("ballpark.questions.ask.energy")
local errors = require("ballpark.errors")
local late = require("ballpark.questions.training.late")
local mentions = require("ballpark.mentions")
local named_data = require("ballpark.questions.said.named_data")
local page = require("ballpark.questions.ask.page")
local peak = require("ballpark.questions.training.peak")
local plan_text = require("ballpark.questions.training.plan_text")
local price_terms = require("ballpark.catalog.price_terms")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local search = require("ballpark.questions.search.run")
local tables = require("ballpark.tables")
local paid_on = require("ballpark.questions.ask.paid_on")
local trainings = require("ballpark.questions.comparables.trainings")
local which = require("ballpark.questions.ask.which")

local n = page.n

-- The device most often rented for it.
local DEVICE <const> = "H100"

-- What teams wait for (assumption).
local MONTH_S <const> = 30 * 86400

-- Tokens of a step: 4 million at 10^23 FLOP (GPT-3, Llama 2; recalled), growing as the third root of the computation, as
-- batches that train best do (arXiv:2401.02954: to the power of 0.327); Llama 3 405B of 3.8e25 FLOP took 16 million
-- (arXiv:2407.21783). Small runs take 4 million at most. The usual sequence is an assumption.
local STEP_TOKENS <const>, STEP_FLOP <const>, SEQUENCE <const> = 4e6, 1e23, 4096
-- Tokens per parameter that a given computation is best spent on.
local TOKENS_PER_PARAM <const> = 20

local model, params = proposals.model("the size most often trained from scratch", 8)

-- Share of the peak that money is turned into FLOP with, so that a run of the size proposed keeps its budget: below most
-- published runs (assumption).
local BOUGHT_MFU <const> = 0.35

-- Of the time that is said, what a run of the size proposed takes (assumption: the rest is what goes wrong).
local USED_FRAC <const> = 0.95

-- Device time that there is, or that the money buys; nil where neither is said, or nobody rents the device.
local function bought_s(f, device)
  local usd_h = f.usd_h or prices.get(device.name)
  return f.device_s or f.cost_usd and usd_h and f.cost_usd / usd_h * 3600
end

-- Runs one after another, of each of which the lines are; time, money and energy are those of all.
local function runs_of(f) return f.trials or 1 end

-- FLOP of one run that the money buys at the peak, or the devices in their time; nil where neither is said.
local function affordable(f)
  local device = catalog.device(f.device or DEVICE)
  local device_s = bought_s(f, device) or f.devices and f.time_s and f.devices * f.time_s
  return device_s and device_s * device.bf16_flop_s / runs_of(f)
end

-- What is left of a number without its factors of two: 16,000 devices are 128 times 125, and 125 data-parallel ranks need a
-- batch that they divide.
local function odd_part(devices)
  while devices % 2 == 0 do devices = devices // 2 end
  return devices
end

-- Ranks that share a batch have few odd factors: of a number of devices with many, so many of them are used (assumption:
-- at most 3 % wait).
local MOST_ODD <const>, LEAST_USED <const> = 255, 0.97

-- Devices of the largest network that is estimated: `ballpark explain network`.
local MOST_CONNECTED <const> = 100000000

local function used_devices(count)
  if count > MOST_CONNECTED then errors.input("devices", ("must be at most %d, got %.0f"):format(MOST_CONNECTED, count)) end
  if odd_part(count) <= MOST_ODD then return count end
  local power = 2 ^ math.floor(math.log(count, 2))
  while power > 1 do
    local used = math.tointeger(count // power * power)
    if used >= LEAST_USED * count and odd_part(used) <= MOST_ODD then return used end
    power = power / 2
  end
  return count
end

-- Parameters of a round number of digits: two.
local function rounded(value)
  local unit = 10 ^ (math.floor(math.log(value, 10)) - 1)
  return math.floor(value / unit) * unit
end

-- FLOP of a run beyond any that is estimated: of 1e18 tokens, the most that a job may have.
local MOST_FLOP <const> = 1e38

-- Sequences of a step, and the odd number of ranks that share them.
local function usual_batch(f)
  local flop = math.min(6 * (f.active_params or f.params) * f.tokens, MOST_FLOP)
  local most = STEP_TOKENS * math.max(1, flop / STEP_FLOP) ^ (1 / 3)
  local odd, length = odd_part(used_devices(f.devices or 1)), f.seq_len + 0.0 -- products of whole numbers may be too large for one
  local batch = odd * length <= most and odd or 1
  while 2 * batch * length <= most do batch = 2 * batch end
  return batch, odd
end

-- Formats that training multiplies in, among those that people name.
local PRECISIONS <const> = tables.set({ "bf16", "fp16", "fp32", "fp8", "nvfp4" })

-- "4M tokens" may be 4 times 2^20: 4.9 % more.
local BINARY_MILLION <const> = 0.05

-- Sequences of the tokens of a step that are said: as many as the devices share, where they are no fewer, else by eight.
local function shared_batch(f)
  local batch = f.batch_tokens / f.seq_len
  local power = 2 ^ math.floor(math.log(batch, 2) + 0.5)
  if math.abs(power / batch - 1) <= BINARY_MILLION then return math.tointeger(power) or 1 end
  local part = f.devices and f.devices <= batch and f.devices or batch >= 8 and 8 or 1
  return math.max(1, math.floor(batch / part + 0.5) * part)
end

-- What is said of the plan; the search fills in the rest.
local function stated_plan(f)
  local plan = { offload = proposals.offload(f) }
  for _, name in ipairs({ "tp", "pp", "dp", "cp", "ep", "zero" }) do plan[name] = f[name] end
  return next(plan) and plan or nil
end

local function searched(f, shape, device, devices, usd_h, precision)
  precision = precision or PRECISIONS[f.weights or ""] and f.weights
  local cluster = catalog.cluster({ device = catalog.device(device), devices = devices, price = usd_h, network = f.network })
  return search.run({ model = shape, cluster = cluster, top = 1, space = precision and { precision = precision } or nil,
    software = f.software, plan = stated_plan(f),
    job = { global_batch = f.global_batch, seq_len = f.seq_len, tokens = f.tokens } })
end

-- Parameters that so many FLOP train: for the tokens that are said, or best.
local function trained_by(flop, tokens)
  return rounded(tokens and flop / (6 * tokens) or math.sqrt(flop / (6 * TOKENS_PER_PARAM)))
end

-- A power of two of devices that do what the money buys, or the device time is, in about a month.
local function month_of_devices(f)
  local device_s = bought_s(f, catalog.device(f.device or DEVICE))
  return math.tointeger(math.max(8, 2 ^ math.floor(math.log(device_s / MONTH_S, 2) + 0.5)))
end

-- Share of the peak that the best plan of a model of that size reaches on the devices, or on those of a month, all its time
-- counted; nil where none fits.
local function reached(f, count)
  local devices = f.devices or month_of_devices(f)
  local own = { params = count, tokens = f.tokens or TOKENS_PER_PARAM * count, seq_len = f.seq_len or SEQUENCE, devices = devices }
  own.global_batch = f.global_batch or usual_batch(own)
  local device = f.device or DEVICE
  local best = searched(own, (proposals.decoder(own)), device, devices, f.usd_h).best
  return best and 6 * count * own.tokens / (best.run.run_s * devices * catalog.device(device).bf16_flop_s)
end

local of_model = params.propose

-- Where money or devices are said and no size, what they train best: 20 tokens for each parameter.
params = tables.with(params, { propose = function(f)
  if f.flop and not f.model then
    return trained_by(f.flop, f.tokens), ("what %s train%s"):format(n(f.flop, "FLOP"), f.tokens and "" or " best"), nil, nil, true
  end
  local peak_flop = not f.model and affordable(f)
  if not peak_flop then return of_model(f) end
  local mfu, how = BOUGHT_MFU, ("at %s MFU"):format(n(BOUGHT_MFU, "frac"))
  local found = reached(f, trained_by(peak_flop * BOUGHT_MFU, f.tokens))
  if found then
    mfu, how = found * USED_FRAC, ("at the %s of the peak that the best plan reaches, in %s of the time"):format(n(found, "frac"),
      n(USED_FRAC, "frac"))
  end
  return trained_by(peak_flop * mfu, f.tokens), ("what %s train%s %s"):format(n(peak_flop * mfu, "FLOP"),
    f.tokens and "" or " best", how)
end })

local training = {
  name = "training", title = "Training", compares = "each",
  words = "Train a model: how long, on how many devices, for how much?",
  facts = {
    model, { "flop", "How much computation is there, in FLOP?", unit = "FLOP", title = "Computation" }, params, proposals.active,
    { "tokens", "How many tokens?", unit = "tok", title = "Tokens", ask = 2, propose = function(f)
      if f.flop then return f.flop / (6 * (f.active_params or f.params)), "the computation over 6 N", nil, nil, true end
      local published = trainings.of(f.model)
      if published then
        return published.tokens, ("what it was trained on (%s%s)"):format(published.source, published.recalled and ", recalled" or "")
      end
      return TOKENS_PER_PARAM * f.params, "20 per parameter (arXiv:2203.15556)", 10 * f.params, 200 * f.params
    end },
    which.fact, proposals.device(DEVICE),
    { "devices", "How many devices?", unit = "", type = "integer", title = "Devices" },
    { "time_s", "In what time?", unit = "s", title = "Deadline", ask = 3, also = { "horizon_s" }, propose = function(f)
      if not f.devices then return MONTH_S, "a month is what teams wait for" end
    end },
    { "device_s", "How much device time is there?", unit = "device s", title = "Device time" },
    { "cost_usd", "What may the run cost, in USD?", unit = "USD", title = "Budget" },
    { "seq_len", "Tokens of a sequence?", unit = "tok", type = "integer", title = "Sequence",
      propose = function(f)
        local longest = f.model and catalog.model(f.model).max_seq or 0
        if longest > 0 and longest < SEQUENCE then return longest, "the longest of the model" end
        return SEQUENCE, "usual in pretraining"
      end },
    { "batch_tokens", "Tokens of a step?", unit = "tok", title = "Tokens of a step" },
    { "weights", "In which format?", type = "string", title = "Format" },
    { "global_batch", "Sequences of a step?", unit = "", type = "integer", title = "Batch", also = { "batch" },
      propose = function(f)
        if f.batch_tokens then
          return shared_batch(f), "the tokens of a step over those of a sequence, as devices or eighths share it"
        end
        local batch, odd = usual_batch(f)
        return batch, ("%.3g million tokens a step, a power of two%s: larger runs take larger steps (arXiv:2401.02954)"):format(
          batch * f.seq_len / 1e6, batch % odd == 0 and odd > 1 and (" times %.0f, for so many ranks share it"):format(odd) or "")
      end },
    proposals.network,
    { "software", "With which software?", type = "string", title = "Software" },
    proposals.ranks[1], proposals.ranks[2], proposals.ranks[3], proposals.ranks[4], proposals.ranks[5],
    { "zero", "Which ZeRO stage (FSDP is 3)?", unit = "", type = "integer", title = "ZeRO" },
    proposals.offloaded,
    { "wanted", "What is asked: tokens, device time, flop, mfu, speed, plan, or memory?", type = "string", title = "Asked" },
    { "mfu_frac", "At which share of the peak?", unit = "frac", title = "MFU" },
    energy.fact, energy.grid_fact,
    { "usd_kwh", "USD of a kWh?", unit = "USD", title = "Price of a kWh" },
    { "trials", "How many such runs?", unit = "", type = "integer", title = "Runs", also = { "jobs" } },
    proposals.price, paid_on.fact,
  },
}

local function cluster_of(f, device, devices)
  return catalog.cluster({ device = catalog.device(device), devices = devices, price = f.usd_h, network = f.network })
end

-- The fewest devices that meet the deadline by the best plan: a power of two within a node, in eighths of one beyond it.
local MOST_DEVICES <const>, EIGHTHS <const> = 131072, 8

local function is_in_time(found, f) return found.best and found.best.run.run_s and runs_of(f) * found.best.run.run_s <= f.time_s end

-- Of a number of devices that is enough, five to seven eighths that are, too.
local function trimmed(f, shape, node, found, count)
  for eighths = EIGHTHS // 2 + 1, EIGHTHS - 1 do
    local fewer = count // EIGHTHS * eighths
    if fewer % node == 0 and fewer > 0 then
      local other = searched(f, shape, f.device, fewer, f.usd_h)
      if is_in_time(other, f) then return other, fewer end
    end
  end
  return found, count
end

local function sized(f, shape, peak_flop_s, active)
  local rule = core.training_rule({ params = active, tokens = f.tokens, peak_flop_s = peak_flop_s, mfu_frac = 0.4 })
  local node = cluster_of(f, f.device, 8).network.node_size
  local count = 1
  while count * f.time_s < runs_of(f) * rule.device_s / 2 and count < MOST_DEVICES do count = 2 * count end
  while count < MOST_DEVICES do
    local found = searched(f, shape, f.device, count, f.usd_h)
    if is_in_time(found, f) then return trimmed(f, shape, node, found, count) end
    count = 2 * count
  end
  return searched(f, shape, f.device, count, f.usd_h), count
end

local function size(p, f, shape, how)
  local counted, device = core.params({ model = shape }), catalog.device(f.device)
  if not f.model then
    how = ("%s; the plans below are of %s"):format(f:is_given("params") and "given" or "proposed: " .. f:entry("params").why,
      how)
    -- The rule of thumb is about the size that was said.
    counted = { total_params = f.params, active_params = f.active_params or f.params }
  end
  p:add("size", "total_params", "Parameters", counted.total_params, "", how)
  local states = core.states({ params = counted.total_params, device_bytes = device.memory_bytes })
  p:add("size", "states_bytes", "Training states", states.total_bytes, "B",
    ("%s x 16 bytes: 2 weights, 2 gradients, 12 optimizer (arXiv:1910.02054)"):format(n(counted.total_params)))
  p:add("size", "least_devices", "Devices for them", states.devices, "",
    ("over %s of a device, without activations"):format(n(device.memory_bytes, "B")))
  return counted
end

local function compute(p, f, shape, counted, peak_flop_s, best)
  local active = counted.active_params
  local normal = trainings.normal(active < 0.9 * counted.total_params)
  local rule = core.training_rule({ params = active, tokens = f.tokens, peak_flop_s = peak_flop_s,
    mfu_frac = f.mfu_frac or normal.median })
  p:add("compute", "rule_flop", "Rule of thumb", rule.flop, "FLOP", ("6 N D = 6 x %s x %s"):format(n(active),
    n(f.tokens)), { terms = { f:term("tokens") }, brief = true })
  local detailed = core.flops({ model = shape, seq_len = f.seq_len }).model_token * active
    / core.params({ model = shape }).active_params
  p:add("compute", "model_flop", "Counted", detailed * f.tokens, "FLOP",
    ("%.3g times the rule: attention over %.0f tokens is added, the embedding's lookup is no arithmetic"):format(
      detailed / (6 * active), f.seq_len), { terms = { f:term("tokens") } })
  local mfu = { name = "MFU", value = normal.median, low = normal.low, high = normal.high, power = -1 }
  if f.mfu_frac then mfu = f:term("mfu_frac", -1) end
  p:add("compute", "rule_device_s", "Device time by rule", rule.device_s, "device s",
    ("6 N D / (%s x %s MFU), %s"):format(n(peak_flop_s, "FLOP/s"), n(mfu.value, "frac"), f.mfu_frac and "as it is said"
      or ("the median of %.0f published runs"):format(normal.count)), { terms = { f:term("tokens"), mfu }, brief = f.mfu_frac ~= nil })
  if best then
    p:add("compute", "device_s", "Estimated", best.run.device_s, "device s",
      ("%.2f times the rule: the best plan reaches %s MFU at %s goodput"):format(best.run.device_s / rule.device_s,
        n(best.time.mfu_frac, "frac"), n(best.run.goodput_frac, "frac")),
      { basis = "estimated", terms = { f:term("tokens"), { name = "step time", value = best.time.step_s,
        low = best.range.step_s.low, high = best.range.step_s.high } } })
  end
end

-- Time and money of the run, whose range is that of a step and of the tokens and price that are only proposed.
local function fleet(p, f, best, devices, how)
  local step = { name = "step time", value = best.time.step_s, low = best.range.step_s.low, high = best.range.step_s.high }
  p:add("fleet", "devices", "Devices", devices, "", how, { brief = not f:is_given("devices") or devices < f.devices or nil, basis = f:is_given("devices") and "given"
    or "computed" })
  p:add("fleet", "plan", "Plan", plan_text.short(best.plan), "", "fastest of all that fit with 90 % chance",
    { basis = "estimated" })
  p:add("fleet", "memory_bytes", "Memory a device", best.memory.total_bytes, "B",
    ("of %s on the fullest stage"):format(n(best.memory.capacity_bytes, "B")), { basis = "estimated",
      low = best.range.total_bytes.low, high = best.range.total_bytes.high, brief = true })
  p:add("fleet", "steps", "Steps", f.tokens / (f.global_batch * f.seq_len), "", ("%s over those of a step"):format(n(f.tokens, "tok")),
    { terms = { f:term("tokens") } })
  p:add("fleet", "step_s", "Step", best.time.step_s, "s", ("%.0f sequences of %.0f tokens"):format(f.global_batch, f.seq_len),
    { basis = "estimated", low = step.low, high = step.high })
  p:add("fleet", "tokens_per_s", "Speed", best.time.tokens_per_s, "tok/s", ("%s of the dense peak"):format(
    n(best.time.mfu_frac, "frac")), { basis = "estimated", brief = true, low = best.range.tokens_per_s.low,
      high = best.range.tokens_per_s.high })
  p:add("fleet", "run_s", "Time", best.run.run_s, "s", ("%s over %s, %s goodput"):format(n(f.tokens, "tok"),
    n(best.time.tokens_per_s, "tok/s"), n(best.run.goodput_frac, "frac")), { basis = "estimated", brief = true,
      terms = { f:term("tokens"), step } })
  return step
end

-- A best plan this much faster than published runs in the median is said beside them in the answer.
local AHEAD <const> = 1.1

-- The time of the run as published runs of the kind were, by the share of the peak that they reach in all of their device
-- hours; in words where the best plan is clearly ahead of them.
local function as_published(p, f, best, counted, peak_flop_s, devices)
  local normal = trainings.normal(counted.active_params < 0.9 * counted.total_params)
  local whole_s = 6 * counted.active_params * f.tokens / (peak_flop_s * devices)
  local seconds = whole_s / normal.median
  local line = p:add("sanity", "published_s", "As published", seconds, "s", ("6 N D at the %s of the peak of %d published runs of the kind in the median (%s to %s)"):format(
    n(normal.median, "frac"), normal.count, n(normal.low, "frac"), n(normal.high, "frac")), { basis = "published", low = whole_s / normal.high,
      high = whole_s / normal.low, brief = true })
  return seconds > AHEAD * best.run.run_s and ("as published runs of the kind went, %s"):format(page.shown(line)) or nil
end

-- An MFU that is said is what the answer is about, at the goodput of the best plan; what that one reaches stands behind it.
local function lead_with_stated(p, f, best, devices)
  local runs = runs_of(f)
  local device_s = runs * best.run.device_s * best.time.mfu_frac / f.mfu_frac
  p:add("fleet", "stated_s", "Time at the MFU said", device_s / devices, "s", ("%s / %.0f, %s goodput"):format(
    n(device_s, "device s"), devices, n(best.run.goodput_frac, "frac")), { brief = true, terms = { p:term(runs > 1 and "trials_device_s" or "device_s") } })
  p.headline = ("%.0f x %s for %s%s at the %s MFU that is said; the best plan reaches %s: %s"):format(devices, f.device,
    n(device_s / devices, "s"), f.usd_h and ", " .. n(device_s / 3600 * f.usd_h, "USD") or "", n(f.mfu_frac, "frac"),
    n(best.time.mfu_frac, "frac"), p.headline)
  p.main = "stated_s"
end

-- More of a step than this that the network takes is too much (assumption).
local SLOWED <const> = 1.1

-- A network that is asked about is compared with the one that the device is sold with.
local function lead_with_network(p, f, shape, best, devices)
  local as_sold = setmetatable({}, { __index = function(_, name) return name ~= "network" and f[name] or nil end })
  local usual = searched(as_sold, shape, f.device, devices, f.usd_h).best
  if not usual then return end
  local ratio = best.run.run_s / usual.run.run_s
  p:add("sanity", "network_ratio", "Slower by the network", ratio, "", ("%s over %s with the network that %s is sold with"):format(n(best.run.run_s, "s"),
    n(usual.run.run_s, "s"), f.device), { basis = "estimated", brief = true })
  p.headline = ("%s %s: %.3g times as long as with the network that the device is sold with, at steps of %s; %s"):format(f.network,
    ratio <= SLOWED and "is enough" or "slows it", ratio, n(f.global_batch * f.seq_len, "tok"), p.headline)
end

-- What the run draws from the net, and what it costs.
local function spent(p, f, best, step)
  if best.run.energy_j then
    p:add("sanity", "power_w", "Power", best.run.energy_j / best.run.run_s, "W", ("%s x PUE %.3g in the mean"):format(
      n(best.run.power_w, "W"), best.run.pue), { basis = "estimated", brief = f.energy ~= nil })
    p:add("sanity", "energy_j", "Energy", best.run.energy_j, "J", ("%s x %s of a board x PUE %.3g"):format(
      n(best.run.device_s, "device s"), n(best.run.power_w, "W"), best.run.pue), { basis = "estimated", terms = { f:term("tokens"), step }, brief = f.energy ~= nil })
    local kwh = best.run.energy_j / 3.6e6
    if f.energy then
      local grid = energy.grid(f)
      p:add("sanity", "carbon_kg", "CO2", kwh * grid.value, "kg", ("%s kWh x %.3g kg: %s"):format(n(kwh), grid.value, grid.source), { basis = "estimated",
        terms = { f:term("tokens"), step, { name = "grid", value = grid.value, low = grid.low, high = grid.high } }, brief = true })
    end
    if f.usd_kwh then
      p:add("sanity", "electricity_usd", "Electricity", kwh * f.usd_kwh, "USD", ("%s x %s a kWh"):format(
        n(best.run.energy_j, "J"), n(f.usd_kwh, "USD")), { basis = "estimated", terms = { f:term("tokens"), step }, brief = true })
    end
  end
  if not f.usd_h then return end
  p:add("sanity", "cost", "Cost", best.run.cost_usd, "USD", ("%s at %s"):format(n(best.run.device_s, "device s"),
    n(f.usd_h, "USD/h")), { basis = "estimated", brief = true, terms = { f:term("tokens"), step, f:term("usd_h") } })
end

-- What a deadline and a budget ask of the efficiency, and whether that is normal.
local function needed(p, f, counted, peak_flop_s, devices)
  if not f:is_given("time_s") and not f.cost_usd then return end
  local said
  local normal = trainings.normal(counted.active_params < 0.9 * counted.total_params)
  local function verdict(mfu)
    return mfu > 1 and "more than the peak" or ({ above = "above every published run",
      below = "less than published runs reach", usual = "normal for published runs" })[trainings.verdict(mfu, normal)]
  end
  local flop = runs_of(f) * 6 * counted.active_params * f.tokens
  if f.time_s then
    local mfu = flop / (peak_flop_s * devices * f.time_s)
    p:add("sanity", "needed_mfu_frac", "MFU for the deadline", mfu, "frac",
      ("%s6 N D / (%.0f x %s x %s): %s (%s to %s)"):format(runs_of(f) > 1 and ("%.0f x "):format(runs_of(f)) or "", devices, n(peak_flop_s, "FLOP/s"), n(f.time_s, "s"),
        verdict(mfu), n(normal.low, "frac"), n(normal.high, "frac")), { terms = { f:term("tokens") }, brief = true })
    said = f:is_given("time_s") and ("a deadline of %s needs %s MFU, %s"):format(n(f.time_s, "s"), n(mfu, "frac"), verdict(mfu))
  end
  if f.time_s and f.cost_usd and f.usd_h then
    local bought = math.floor(f.cost_usd / (f.usd_h * f.time_s / 3600))
    if bought < 1 then return said end
    local most = core.budget({ flop = flop, peak_flop_s = peak_flop_s, price_usd_h = f.usd_h, devices = bought,
      deadline_s = f.time_s })
    p:add("sanity", "bought_devices", "Money buys", bought, "", ("devices for %s: %s / (%s x time)"):format(
      n(f.time_s, "s"), n(f.cost_usd, "USD"), n(f.usd_h, "USD/h")), { terms = { f:term("usd_h", -1) } })
    p:add("sanity", "bought_mfu_frac", "MFU on those", most.mfu_frac, "frac", verdict(most.mfu_frac),
      { terms = { f:term("tokens"), f:term("usd_h") }, brief = true })
    return said and ("%s; on the %.0f devices that the money buys %s"):format(said, bought, n(most.mfu_frac, "frac"))
  end
  return said
end

-- Where nobody says how many tokens: those that the time and the money are enough for, on these devices at this speed.
local function enough_for(p, f, best, counted, devices)
  if f:is_given("tokens") then return end
  local rate = best.time.tokens_per_s * best.run.goodput_frac
  local function add(name, title, seconds, what)
    local runs = runs_of(f)
    local tokens = rate * seconds / runs
    local each = runs > 1 and (" over %.0f runs"):format(runs) or ""
    p:add("sanity", name, title, tokens, "tok", ("%s at %s%s: %.3g a parameter"):format(what, n(rate, "tok/s"), each,
      tokens / counted.total_params), { basis = "estimated", brief = true, terms = { { name = "step time", value = best.time.step_s,
        low = best.range.step_s.low, high = best.range.step_s.high, power = -1 } } })
    return ("%s tokens%s %s %s"):format(n(tokens), runs > 1 and " a run" or "", name == "tokens_in_time" and "in" or "for", what)
  end
  return f:is_given("time_s") and add("tokens_in_time", "Tokens in the time", f.time_s, n(f.time_s, "s"))
    or f.cost_usd and f.usd_h and add("tokens_for_money", "Tokens for the money", f.cost_usd / f.usd_h / devices * 3600,
      n(f.cost_usd, "USD"))
end

local function contradictions(p, f, best)
  local runs = runs_of(f)
  local what = runs > 1 and ("all %.0f runs"):format(runs) or "the run"
  local verbs = runs > 1 and { "take", "cost" } or { "takes", "costs" }
  if f.time_s and runs * best.run.run_s > f.time_s then
    p:contradict("deadline", ("%s %s %s, and the deadline is %s"):format(what, verbs[1], n(runs * best.run.run_s, "s"), n(f.time_s, "s")))
  end
  if best.run.cost_usd then p:keep_budget(runs * best.run.cost_usd, f.cost_usd, ("%s %s %%s"):format(what, verbs[2])) end
end

-- What several runs come to together, by the line of one of them: name, title, unit.
local OF_ALL <const> = {
  { "run_s", "trials_s", "All runs take", "s" }, { "device_s", "trials_device_s", "All runs", "device s" },
  { "energy_j", "trials_energy_j", "Energy of all runs", "J" }, { "carbon_kg", "trials_carbon_kg", "CO2 of all runs", "kg" },
  { "electricity_usd", "trials_electricity_usd", "Electricity of all runs", "USD" }, { "cost", "trials_usd", "All runs cost", "USD" },
}

local function add_all_runs(p, f)
  local runs = runs_of(f)
  if runs == 1 then return end
  for _, row in ipairs(OF_ALL) do
    local line = p:line(row[1])
    if line then
      p:add("sanity", row[2], row[3], runs * line.value, row[4], ("%.0f such runs of %s"):format(runs, n(line.value, row[4])),
        { basis = line.basis, terms = { p:term(row[1]) }, brief = line.brief })
    end
  end
end

-- What a line says of all runs.
local function said_of_all(p, f, name)
  if runs_of(f) == 1 then return p:said(name) end
  for _, row in ipairs(OF_ALL) do
    if row[1] == name then return p:said(row[2]) end
  end
end

-- Devices that are rented instead; each is searched again.
local OTHERS <const> = { "H100", "H200", "B200", "A100", "MI300X" }

local function levers(p, f, shape, best, devices)
  if not f.usd_h then return end
  local runs = runs_of(f)
  local usd, run_s = best.run.cost_usd, runs * best.run.run_s
  local function pull(title, cost, costs)
    table.insert(p.levers, { title = title, cost_usd = runs * cost, saves_frac = 1 - cost / usd, costs = costs })
  end
  local function pull_search(title, costs, ...)
    local found = searched(f, shape, ...).best
    if found and found.run.cost_usd then pull(title, found.run.cost_usd, ("%stime %s"):format(costs, n(runs * found.run.run_s, "s"))) end
  end
  if (catalog.device(f.device).fp8_flop_s or 0) > 0 then
    pull_search("matmuls in fp8", "the loss: watch it; ", f.device, devices, f.usd_h, "fp8")
  end
  if devices >= 2 then pull_search("half as many devices", "", f.device, devices // 2, f.usd_h) end
  if f.tokens > TOKENS_PER_PARAM * 1.5 * f.params then
    local share = TOKENS_PER_PARAM * f.params / f.tokens
    pull("20 tokens a parameter", usd * share, ("a higher loss: the model is trained for less long; time %s"):format(n(run_s * share, "s")))
  end
  if not prices.get(catalog.device(f.device).name) then return end -- of cards that are owned
  local committed, spot = price_terms.committed("reserved", run_s), price_terms.get("spot", "terms")
  if committed < 1 and not paid_on.is_committed(f) then
    pull("devices committed for a year", usd * committed / paid_on.frac(f), "they are paid when nothing trains")
  end
  if f.paid_on ~= "spot" then
    pull("spot devices", usd * paid_on.instead(f, "spot") / (1 - spot.loss_frac), ("restarts from checkpoints where they are taken away; time %s"):format(
      n(run_s / (1 - spot.loss_frac), "s")))
  end
  for _, name in ipairs(OTHERS) do
    local device = catalog.device(name)
    if device.name ~= catalog.device(f.device).name then
      pull_search(("another device (%s)"):format(device.name), "", name, devices, paid_on.frac(f) * prices.get(device.name))
    end
  end
end

-- Tokens of so many steps, of a batch in tokens or in sequences.
local function of_steps(given)
  local each = given.batch_tokens or (given.global_batch or given.batch) and (given.global_batch or given.batch) * (given.seq_len or SEQUENCE)
  if not given.steps or given.tokens or not each then return given end
  given = tables.with(given, { tokens = given.steps * each })
  given.steps = nil
  return given
end

-- So few tokens are no data set: they are the length of a sequence (assumption).
local LEAST_SET <const> = 32768

-- Words of a network that is judged: what it is, and what is said of it behind that.
local ABOUT_NETWORK <const> = { "enough bandwidth", "need infiniband" }
for _, noun in ipairs({ "gbit%a*", "gbps", "gb/s", "gbe", "ethernet", "infiniband", "roce", "network%a*", "bandwidth" }) do
  for _, judged in ipairs({ "enough", "ok", "okay", "fine", "bottleneck", "sufficient", "too slow", "slow us down", "hurt" }) do
    ABOUT_NETWORK[#ABOUT_NETWORK + 1] = ("%s .-%%f[%%a]%s%%f[%%A]"):format(noun, judged)
  end
end

-- What the answer leads with, and the words that ask for it, the first that is found.
local ASKED <const> = {
  { "device time", { "how many %S+ hours", "how many %S+%-hours", "how many %S+ %S+ hours", "gpu%-?%s?hours", "%a%d+ hours to ", "%a%d+ hours for " } },
  { "tokens", { "total tokens", "optimal tokens", "optimal number of tokens", "tokens to train", "how large [%a ]*data", "how big [%a ]*data", "how much data", "dataset size", "size of [%a ]*dataset", "how many tokens", "tokens should", "token budget", "tokens can", "tokens could" } },
  { "flop", { "%f[%a]flops?%f[%A]", "how much compute" } },
  { "mfu", { "what mfu", "which mfu", "how much mfu", "mfu [%a ]*get%f[%A]", "mfu [%a ]*expect", "expect%a* mfu", "mfu [%a ]*reach", "fraction of peak", "share of peak",
    "fraction of the peak", "share of the peak", "percent of peak", "%% of peak", "%% of the peak" } },
  { "speed", { "throughput", "steps ?/ ?s", "steps per second", "steps a second", "iterations per second", "it/s", "s/step", "s/it", "sec per step", "seconds per step",
    "seconds a step", "time per step", "step time", "iteration time", "time of a step", "tokens per second", "tokens/s", "tok/s", "how long is a step" } },
  { "plan", { "config", "which parallel", "what parallel", "3d parallel", "parallelism", "layout", "how to split", "how to shard", "tp/pp", "tp pp", "what tp", "which tp" } },
  { "network", ABOUT_NETWORK },
  { "memory", { "^%W*can%f[%A]", "%f[%a]fits?%f[%A]", "enough memory", "%f[%a]oom%f[%A]", "is it possible", "how much memory", "how much vram", "memory breakdown", "memory usage", "memory per gpu", "memory per device",
    "memory footprint", "gpu memory" } },
}

-- What is asked of a plan before how long the run takes: its share of the peak, its speed, its memory.
local function asked_of_plan(f, best, devices)
  if f.wanted == "mfu" then return ("%s of the peak, the MFU"):format(n(best.time.mfu_frac, "frac")) end
  if f.wanted == "speed" then
    return ("%s a step, %s, %s a device"):format(n(best.time.step_s, "s"), n(best.time.tokens_per_s, "tok/s"), n(best.time.tokens_per_s / devices, "tok/s"))
  end
  if f.wanted == "plan" then return plan_text.short(best.plan) end
  if f.wanted == "memory" then
    return ("it fits: %s of %s of a device"):format(n(best.memory.total_bytes, "B"), n(best.memory.capacity_bytes, "B"))
  end
end

--- Tokens that are seen several times are so many more.
function training.given(given, _, text)
  given = of_steps(given)
  named_data.check(text, given.tokens or given.flop, "300B tokens")
  if given.tokens and given.tokens > 0 and given.tokens <= LEAST_SET and not given.seq_len then
    given = tables.with(given, { seq_len = given.tokens })
    given.tokens = nil
  end
  -- "At 140 TFLOP/s per GPU" is a share of its peak.
  local per_s = given.flop_s_device or given.flop_s and given.devices and given.flop_s / given.devices
  if per_s and given.device and not given.mfu_frac then
    local share = per_s / catalog.device(given.device).bf16_flop_s
    if share <= 1 then given = tables.with(given, { mfu_frac = share }) end
    given.flop_s_device, given.flop_s = nil, nil
  end
  given = energy.given(given, text)
  local wanted = mentions.first(text, ASKED)
  given = tables.with(given, { wanted = wanted })
  if not (given.epochs and given.tokens) then return given end
  given = tables.with(given, { tokens = given.tokens * given.epochs })
  given.epochs = nil
  return given
end

-- Formats of matmuls below 16 bit, and their bits.
local NARROW <const> = { fp8 = 8, nvfp4 = 4 }

-- A format that the device does not multiply in is refused: no plan would fit, and not for want of memory.
local function check_format(f, device)
  local bits = NARROW[f.weights or ""]
  if bits and not peak.of(device, f.weights) then
    errors.input("weights", ("%s: %s has no matrix units of %d bit: leave it out, or say another device"):format(f.weights, device.name, bits))
  end
end

--- The five steps.
function training.steps(p, f)
  local shape, how = proposals.decoder(f)
  local device = catalog.device(f.device)
  check_format(f, device)
  for _, name in ipairs({ "flop", "tokens", "time_s", "tp", "pp", "dp", "cp", "ep", "zero", "offloaded", "device", "network", "seq_len", "global_batch", "usd_h", "cost_usd" }) do p:fact(f, name) end
  local counted = size(p, f, shape, f.model and "counted from its shape" or how)
  local found, devices
  if f.devices then
    devices = used_devices(f.devices)
    found = searched(f, shape, f.device, devices, f.usd_h)
  else
    found, devices = sized(f, shape, device.bf16_flop_s, counted.active_params)
  end
  if f.network then p.warnings[#p.warnings + 1] = cluster_of(f, f.device, devices).slow_network end
  local best = found.best
  local endless = best and late.endless(best)
  compute(p, f, shape, counted, device.bf16_flop_s, not endless and best or nil)
  p.estimate = found
  if not best then
    p:contradict("memory", ("no plan%s fits %.0f x %s"):format(stated_plan(f) and " as it is said" or "", devices, device.name))
    local states = f.offloaded ~= "yes" and ("; the states alone take %.0f devices"):format(p.values.least_devices) or ""
    p.headline = ("no plan fits %.0f x %s%s"):format(devices, device.name, states)
    return
  end
  if endless then
    p:contradict("run", endless)
    p.headline = ("%.0f x %s: %s"):format(devices, device.name, endless)
    return
  end
  local step = fleet(p, f, best, devices, f:is_given("devices") and (devices < f.devices and ("of %d: ranks of a batch have few odd factors")
    :format(f.devices) or "given")
    or runs_of(f) * best.run.run_s <= f.time_s and ("the fewest that keep %s, %s"):format(n(f.time_s, "s"),
      devices <= cluster_of(f, f.device, devices).network.node_size and "of powers of two" or "in eighths of a power of two")
    or ("as many as are looked at, and too few for %s"):format(n(f.time_s, "s")))
  spent(p, f, best, step)
  add_all_runs(p, f)
  local mfu_said = needed(p, f, counted, device.bf16_flop_s, devices)
  local enough = enough_for(p, f, best, counted, devices)
  contradictions(p, f, best)
  local speed = core.training_rule({ params = counted.active_params, tokens = best.time.tokens_per_s / devices,
    peak_flop_s = device.bf16_flop_s, mfu_frac = 1 }).flop
  p.comparable = trainings.nearest({ params = counted.total_params, active = counted.active_params, devices = devices,
    peak_flop_s = device.bf16_flop_s, flop_s_device = speed })
  p.what = "the share of the peak"
  levers(p, f, shape, best, devices)
  local as_others = as_published(p, f, best, counted, device.bf16_flop_s, devices)
  local runs = runs_of(f)
  local what = f.model and "" or ("%s on %s: "):format(n(f.params), n(f.tokens, "tok"))
  p.headline = ("%s%.0f x %s for %s%s%s"):format(f:is_given("params") and "" or what, devices, device.name, said_of_all(p, f, "run_s"),
    best.run.cost_usd and f.usd_h and ", " .. said_of_all(p, f, "cost") or "", runs > 1 and (", %.0f runs one after another"):format(runs) or "")
  local of_net = f.energy == "carbon" and "carbon_kg" or f.energy and "energy_j"
  local paid = of_net and p:line("electricity_usd") and (", %s of electricity"):format(said_of_all(p, f, "electricity_usd")) or ""
  if of_net and p:line(of_net) then
    p.headline = ("%s%s%s: %s"):format(said_of_all(p, f, of_net), f.energy == "carbon" and " of CO2" or "", paid, p.headline)
  end
  if f.wanted == "device time" then
    local known = trainings.of(f.model)
    local published = known and known.device_hours and known.tokens == f.tokens and (", published %s of %s"):format(n(known.device_hours * 3600, "device s"), known.device) or ""
    p.headline = ("%s%s: %s"):format(said_of_all(p, f, "device_s"), published, p.headline)
  end
  local led = asked_of_plan(f, best, devices)
  if led then p.headline = ("%s: %s"):format(led, p.headline) end
  if f.wanted == "flop" and not f.flop and not f:is_given("mfu_frac") then p.headline = ("%s, 6 N D %s: %s"):format(p:said("model_flop"), p:said("rule_flop"), p.headline) end
  if f.wanted == "tokens" and f:is_given("tokens") then
    p.headline = ("%s tokens, %.3g for each parameter (20 are compute-optimal): %s"):format(n(f.tokens), f.tokens / counted.total_params, p.headline)
  end
  if f.wanted == "tokens" and not enough and not f:is_given("tokens") then p.headline = ("%s tokens: %s"):format(n(f.tokens), p.headline) end
  local is_led = f.wanted == "tokens" and enough
  if is_led then p.headline = ("%s; %s tokens take %s"):format(enough, n(f.tokens), p.headline) end
  if paid_on.is_committed(f) and best.run.cost_usd then
    p.headline = ("%s; %s"):format(p.headline, paid_on.owed(f.paid_on, runs * best.run.run_s, runs * best.run.cost_usd / paid_on.frac(f)))
  end
  for _, more in ipairs({ not is_led and mfu_said or false, not is_led and enough or false }) do
    if more then p.headline = p.headline .. "; " .. more end
  end
  p.aside = runs == 1 and not f.mfu_frac and as_others or nil
  p.main = runs > 1 and "trials_s" or "run_s"
  if f.wanted == "network" and f:is_given("network") then lead_with_network(p, f, shape, best, devices) end
  if f.mfu_frac then lead_with_stated(p, f, best, devices) end
end

return training

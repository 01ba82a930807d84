-- Encoders and images: uploads or queries through a network, for a deadline of a backlog or for a latency.
local calls = require("ballpark.questions.comparables.calls")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local encode = require("ballpark.questions.encode.run")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local same = require("ballpark.questions.levers.same")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")
local paid_on = require("ballpark.questions.ask.paid_on")
local units = require("ballpark.units")

local n = page.n

local MONTH_H <const> = units.MONTH_H
-- Devices that are rented to encode, by which a proposal is chosen: the cheapest of them for an item.
local RENTED <const> = { "L4", "L40S", "A10G", "T4", "A100", "H100" }
local USUAL_TOKENS <const>, IMAGE_TOKENS <const> = 128, 256

-- Items of the call that a page is about, where the device holds it.
local CALL <const> = 32

-- Items per second of a device at its best batch, and the answer behind it: of a smaller call where the device does not hold the
-- usual one, and one that does not fit where it holds none.
local function speed(f, device, changes)
  local network = proposals.encoder(f)
  local tokens = subject.of(network).spread == "encoder" and f.seq_len or nil
  local input = tables.with({ model = network, device = catalog.device(device), tokens = tokens, batch = CALL }, changes)
  local answer = encode.run(input)
  local best = calls.best_of(answer)
  if not answer.fits and answer.batches[1] then answer = encode.run(tables.with(input, { batch = best.batch })) end
  return best, answer
end

local encoders

-- Tokens of a text of an encoder; images have none.
local function usual_tokens(f)
  if f.of_images == "yes" then return IMAGE_TOKENS, "an image of 224 pixels in patches of 14" end
  if subject.of((proposals.encoder(f))).spread == "encoder" then return USUAL_TOKENS, "a query or a short paragraph" end
end

-- SLO of an interactive service, and how much longer than the time of an item alone one is at least that nobody said:
-- replicas that may not make anybody wait are many and idle (assumptions).
local INTERACTIVE_S <const>, ROOM <const> = 0.2, 4

-- Seconds of an item alone on the device that is said; 0 where none is, or nothing fits.
local function alone_on_said(f)
  if not f.device then return 0 end
  local _, answer = speed(f, f.device)
  local alone = answer.batches[1]
  return alone and alone[2] or 0
end

encoders = {
  speed = speed, usual_tokens = usual_tokens, RENTED = RENTED,
  name = "encode", title = "Encoders and images", compares = "own",
  words = "Run images or texts through a network: how many devices, what does it cost?",
  example = {},
  facts = {
    { "model", "Which network (name of the catalog)?", type = "string", title = "Model", ask = 2,
      propose = function(f)
        if not f.params then return "vit-l-16-224", "the usual size of an image model of quality" end
      end }, proposals.encoder_params,
    { "rate_per_s", "Items per second in the mean?", unit = "1/s", title = "Mean rate", ask = 1,
      propose = proposals.constant(100, "8.6 million a day", 20, 500) },
    proposals.peak,
    { "within_s", "Within what time may a backlog be done?", unit = "s", title = "Done within" },
    { "burst_s", "How long is a burst?", unit = "s", title = "Burst lasts", propose = function(f)
      if f.within_s then return 3600, "an hour at the peak rate", 1800, 7200 end
    end },
    { "of_images", "Is the network of that size one of images?", type = "boolean", title = "Images" },
    { "seq_len", "Tokens of a text?", unit = "tok", type = "integer", title = "Tokens", also = { "input_tokens", "tokens" },
      propose = function(f) return usual_tokens(f) end },
    { "slo_s", "SLO of an item, seconds?", unit = "s", title = "SLO", propose = function(f)
      if f.within_s then return nil end
      local alone_s = alone_on_said(f)
      if alone_s > INTERACTIVE_S / ROOM then
        return ROOM * alone_s, ("%g times what an item alone takes on %s (assumption)"):format(ROOM, catalog.device(f.device).name)
      end
      return INTERACTIVE_S, "an interactive service"
    end },
    { "latency", "Is the latency asked?", type = "string", title = "Latency" },
    { "percentile", "For how many in a hundred?", unit = "", title = "Percentile",
      propose = proposals.constant(99, "what batches in front of replicas are sized for") },
    proposals.utilization, proposals.spares,
    { "device", "Which device?", type = "string", title = "Device", ask = 4, propose = function(f)
      return encoders.cheapest(f), "the cheapest fleet of " .. table.concat(RENTED, ", ")
    end },
    proposals.price, paid_on.fact, proposals.budget_month,
  },
}

-- Words of what a network of images sees.
local IMAGES <const> = { "image", "photo", "picture", "video", "vision", "%f[%a]vit%f[%A]", "frames" }

-- Words by which a latency is asked.
local LATENCIES <const> = { "latency", "how long" }

--- A size beside images is that of a network of images.
function encoders.given(given, _, text)
  if mentions.any(text, LATENCIES) then given = tables.with(given, { latency = "asked" }) end
  if given.params and not given.model and mentions.any(text, IMAGES) then return tables.with({ of_images = "yes" }, given) end
  return given
end

-- Replicas for the load: those of a backlog that has to be worked off in time, or those that keep a latency.
local function fleet_of(f, device, changes)
  local best, answer = speed(f, device, changes)
  if not answer.fits then return { answer = answer, per_s = best.per_s } end
  if f.within_s then
    local queue = core.batch_queue({ base_per_s = f.rate_per_s, burst_per_s = f.rate_per_s * f.peak_ratio,
      burst_s = f.burst_s, replica_per_s = best.per_s, limit_s = f.within_s, utilization_frac = f.utilization_frac,
      spares = f.spares })
    return { replicas = queue.replicas, needed = queue.needed, for_peak = queue.for_peak, wait_s = queue.wait_s,
      per_s = best.per_s, answer = answer }
  end
  local sized = encode.run(tables.with(answer.input, { model = proposals.encoder(f), load = { rate_per_s = f.rate_per_s * f.peak_ratio,
    sla_s = f.slo_s, utilization_frac = f.utilization_frac, spares = f.spares }, runtime = answer.input.runtime.name,
    price_usd_h = 1 }))
  if not sized.fleet then return { answer = answer, per_s = best.per_s } end
  return { replicas = sized.fleet.replicas, needed = sized.fleet.needed, wait_s = sized.fleet.batching.p99_s,
    per_s = best.per_s, answer = answer }
end

encoders.fleet_of = fleet_of

-- The device whose fleet costs least; the last of the list where none keeps the SLO.
function encoders.cheapest(f)
  local best, least = RENTED[#RENTED], math.huge
  for _, name in ipairs(RENTED) do
    local usd_h = prices.get(catalog.device(name).name)
    local replicas = usd_h and fleet_of(f, name).replicas
    if replicas and replicas * usd_h < least then best, least = name, replicas * usd_h end
  end
  return best
end

local function usd_month(replicas, usd_h) return replicas * usd_h * MONTH_H end

-- The next smaller network of the family.
local SMALLER <const> = { ["vit-l-16-224"] = "vit-b-16-224", ["vit-h-14-224"] = "vit-l-16-224",
  ["vit-b-16-224"] = "vit-s-16-224", ["clip-vit-l-14"] = "clip-vit-b-16", ["bert-large-uncased"] = "bert-base-uncased",
  ["bert-base-uncased"] = "distilbert-base-uncased", resnet152 = "resnet101", resnet101 = "resnet50" }

local function add_levers(p, f, month, base)
  local function busy_of(of, fleet) return of.rate_per_s * of.peak_ratio / (fleet.replicas * fleet.per_s) end
  local function pull(title, costs, changed, usd_h, device, changes)
    local fleet = fleet_of(changed, device or f.device, changes)
    if not fleet.replicas then return end
    local cost = usd_month(fleet.replicas, usd_h or f.usd_h)
    table.insert(p.levers, { title = title, cost_usd_month = cost, saves_frac = 1 - cost / month,
      costs = costs .. (cost == month and same.words({ count = fleet.replicas, busy_frac = busy_of(f, base),
        own_busy_frac = busy_of(changed, fleet) }) or ("; %.0f replicas"):format(fleet.replicas)), busy_frac = busy_of(changed, fleet) })
  end
  local function with(changes)
    return setmetatable(changes, { __index = f })
  end
  for _, name in ipairs(RENTED) do
    local device = catalog.device(name)
    local usd_h = prices.get(device.name)
    if usd_h and device.name ~= catalog.device(f.device).name then
      pull("another device (" .. device.name .. ")", "moving", f, paid_on.frac(f) * usd_h, name)
    end
  end
  pull("8 bit", "accuracy: evaluate the quantised network", f, nil, nil, { dtype = "int8" })
  local smaller = SMALLER[f.model]
  if smaller then pull("a smaller network (" .. smaller .. ")", "quality: evaluate it on the task", with({ model = smaller })) end
  if f.paid_on ~= "spot" then
    pull("spot devices", "they are taken away: keep a queue", with({ spares = f.spares + 1 }), f.usd_h * paid_on.instead(f, "spot"))
  end
  if f.within_s then
    pull("twice the time for a backlog", "results come later", with({ within_s = 2 * f.within_s }))
  else
    pull("an SLO looser by half", "users wait longer", with({ slo_s = 1.5 * f.slo_s }))
  end
  pull("planned at 85 %", "bursts wait longer", with({ utilization_frac = 0.85 }))
end

-- What is bought; before it what one device does where nobody said a rate.
local function headline(f, fleet, bought)
  if f.latency and not f:is_given("slo_s") and not f.within_s then
    bought = ("P%g %s, %s an item alone; %s"):format(f.percentile, n(fleet.wait_s, "s"), n(fleet.answer.batches[1][2], "s"), bought)
  end
  if f:is_given("rate_per_s") then return bought end
  return ("%s on a %s; %s for %s in the mean"):format(n(fleet.per_s, "1/s"), catalog.device(f.device).name, bought,
    n(f.rate_per_s, "1/s"))
end

--- The memory of a call on a device.
function encoders.add_memory(p, answer)
  local device = answer.input.device
  p:add("size", "memory_bytes", "Memory", answer.out.memory_bytes, "B", ("weights, and activations of %d at once; %s has %s")
    :format(answer.input.batch, device.name, n(device.memory_bytes, "B")), { basis = "estimated" })
end

--- Says that a device holds not even one item.
function encoders.contradict_memory(p, device)
  p:contradict("memory", ("one item needs more than the %s of %s"):format(n(device.memory_bytes, "B"), device.name))
  p.headline = device.name .. " does not hold it"
end

--- The shape that stands for a size.
function encoders.add_shape(p, f)
  if f.model then return end
  local shape, how = proposals.encoder(f)
  p:add("size", "total_params", "Parameters", core.params({ model = shape }).total_params, "", how)
end

--- The five steps.
function encoders.steps(p, f)
  for _, name in ipairs({ "model", "params", "rate_per_s", "peak_ratio", "within_s", "burst_s", "slo_s", "device", "usd_h",
    "budget_usd_month" }) do
    p:fact(f, name, { brief = name == "rate_per_s" or nil })
  end
  local device = catalog.device(f.device)
  local fleet = fleet_of(f, f.device)
  local answer = fleet.answer
  encoders.add_shape(p, f)
  encoders.add_memory(p, answer)
  p:add("compute", "item_flop", "One item", answer.out.item_flop, "FLOP",
    "two FLOP for each multiply-accumulate, attention counted")
  local rule = core.request_rule({ params = answer.out.item_flop / 2, tokens = 1, peak_flop_s = device.bf16_flop_s,
    mfu_frac = 0.4 })
  p:add("compute", "rule_per_s", "A device by rule", rule.per_s, "1/s", ("%s x 40 %% / %s"):format(
    n(device.bf16_flop_s, "FLOP/s"), n(answer.out.item_flop, "FLOP")))
  local around = answer.range.per_s
  p:add("compute", "per_s", "A device estimated", fleet.per_s, "1/s", ("%.2f times the rule: bound by %s, best batch of 256 "
    .. "at most"):format(fleet.per_s / rule.per_s, answer.out.bound), { basis = "estimated",
    low = fleet.per_s * around.low / answer.out.per_s, high = fleet.per_s * around.high / answer.out.per_s, brief = true })
  p:add("fleet", "peak_per_s", "Peak", f.rate_per_s * f.peak_ratio, "1/s", ("%s x %s"):format(n(f.rate_per_s, "1/s"),
    n(f.peak_ratio)), { terms = { f:term("rate_per_s"), f:term("peak_ratio") } })
  p.comparable = calls.nearest({ spread = answer.subject.spread, item_flop = answer.out.item_flop, device = device,
    per_s_device = fleet.per_s })
  p.what = "the share of the peak"
  if not fleet.replicas then
    local alone = answer.batches[1]
    if not alone then return encoders.contradict_memory(p, device) end
    p:contradict("slo", ("an item alone takes %s on %s, and the SLO is %s"):format(n(alone[2], "s"), device.name, n(f.slo_s, "s")))
    p.headline = "no number of " .. device.name .. " keeps the SLO"
    return
  end
  local terms = { f:term("rate_per_s"), f:term("peak_ratio"), p:term("per_s", -1) }
  p:add("fleet", "replicas", "Replicas", fleet.replicas, "", f.within_s
    and ("a burst of %s worked off within %s at %s of %s each, %.0f spare; %.0f would need no backlog"):format(
      n(f.burst_s, "s"), n(f.within_s, "s"), n(f.utilization_frac, "frac"), n(fleet.per_s, "1/s"), f.spares, fleet.for_peak)
    or ("peak at %s of capacity within the SLO, %.0f spare"):format(n(f.utilization_frac, "frac"), f.spares),
    { basis = "estimated", terms = terms, counted = page.counted(fleet.replicas, f.rate_per_s * f.peak_ratio / fleet.per_s
      / f.utilization_frac), brief = true })
  p:add("sanity", "wait_s", f.within_s and "Last of a burst waits" or "P99", fleet.wait_s, "s", f.within_s
    and ("within %s"):format(n(f.within_s, "s")) or ("SLO %s, without network and preprocessing"):format(n(f.slo_s, "s")))
  if f.usd_h then
    local month = usd_month(fleet.replicas, f.usd_h)
    p:add("sanity", "cost_usd_month", "Cost a month", month, "USD", ("%.0f x %s x %.0f h"):format(fleet.replicas,
      n(f.usd_h, "USD/h"), MONTH_H), { basis = "estimated", brief = true,
      terms = { p:term("replicas"), f:term("usd_h") } })
    add_levers(p, f, month, fleet)
    p:keep_budget(month, f.budget_usd_month, "it costs %s a month")
    p.headline = headline(f, fleet, ("%s x %s, %s a month"):format(p:said("replicas"), device.name, p:said("cost_usd_month")))
    p.main = "cost_usd_month"
  else
    p.headline = headline(f, fleet, ("%.0f x %s"):format(fleet.replicas, device.name))
    p.main = "replicas"
  end
end

return encoders

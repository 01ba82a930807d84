-- What a claim about a training run implies, what is usual, and what it contradicts. Any figures that are there give the
-- others: tokens, time, devices, MFU, money.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local peak = require("ballpark.questions.training.peak")
local prices = require("ballpark.questions.said.prices")
local slips = require("ballpark.lints.slips")
local tables = require("ballpark.tables")
local trainings = require("ballpark.questions.comparables.trainings")
local units = require("ballpark.units")

local training = {}

-- Two figures for one thing that differ by less are one, rounded.
local ROUNDED <const> = 0.15

-- A speed beyond so many times the dense 16-bit peak is of all devices: formats and sparsity make it 8 at most.
local MOST_PEAKS <const> = 8

-- The computation of a device in a second, where that of one or of all is said.
local function of_device(claim, device)
  local all = claim.flop_s
  if not all then return claim.flop_s_device end
  return all > MOST_PEAKS * device.bf16_flop_s and all / (claim.devices or 1) or all
end

local function differ(a, b) return math.abs(math.log(a / b)) > math.log(1 + ROUNDED) end

-- How a figure that is said goes with what others make of it: a slip that people make, or so many times off.
local function apart(said, right, unit)
  local slip = slips.of(said, right, unit)
  if slip then return slip.code, slip.text end
  return "contradiction", ("off by %.3g"):format(math.max(said / right, right / said))
end

-- Fills in what follows from two others, and says where three do not agree.
local function solve(known, say)
  local function agree(name, value, unit, how)
    if value == nil then return end
    if known[name] == nil then
      known[name] = value
    elseif differ(known[name], value) and not known.disagree then
      known.disagree = true -- what follows from two figures that disagree would disagree again
      local code, why = apart(known[name], value, unit)
      say(code, ("%s is said to be %s, and %s makes %s: %s"):format(
        training.titles[name] or name, units.format(known[name], unit), how, units.format(value, unit),
        why))
    end
  end
  agree("time_s", known.device_s and known.devices and known.device_s / known.devices, "s", "device-hours over devices")
  agree("device_s", known.time_s and known.devices and known.time_s * known.devices, "device s", "devices times time")
  agree("tokens_per_s", known.tokens_per_s_device and known.devices and known.tokens_per_s_device * known.devices, "tok/s",
    "the speed of a device times devices")
  if known.tokens and known.mfu_frac then
    local rule = core.training_rule({ params = known.active, tokens = known.tokens, peak_flop_s = known.peak_flop_s,
      mfu_frac = known.mfu_frac, devices = known.devices or 1 })
    agree("device_s", rule.device_s, "device s", "6 N D over the peak at the stated MFU")
    if known.devices then agree("time_s", rule.time_s, "s", "6 N D over devices, peak and MFU") end
  end
  agree("tokens_per_s", known.tokens and known.time_s and known.tokens / known.time_s, "tok/s", "tokens over time")
  agree("time_s", known.tokens and known.tokens_per_s and known.tokens / known.tokens_per_s, "s", "tokens over speed")
  agree("device_s", known.time_s and known.devices and known.time_s * known.devices, "device s", "devices times time")
  -- A token at the peak: of a device that does less than one in a second, too.
  local of_token = core.training_rule({ params = known.active, tokens = 1, peak_flop_s = known.peak_flop_s, mfu_frac = 1 })
  local speed = known.tokens_per_s_device or known.tokens_per_s and known.devices and known.tokens_per_s / known.devices
    or known.tokens and known.device_s and known.tokens / known.device_s
    or known.flop_s_device and known.flop_s_device / of_token.flop
    or known.mfu_frac and known.mfu_frac / of_token.time_s
  if not speed then return end
  known.tokens_per_s_device = speed
  agree("flop_s_device", speed * of_token.flop, "FLOP/s", "the speed at 6 N FLOP a token")
  -- The share of the peak; beyond 1 it still is a number.
  agree("mfu_frac", speed * of_token.time_s, "frac", "the speed")
end

-- The least that training holds of a parameter: weight and gradient in 16 bit. Moments may be packed, or with the host.
local STATE_BYTES <const> = 4

--- Whether the devices of a claim hold the states of its model.
function training.has_room(claim, what)
  return STATE_BYTES * what.params <= (claim.devices or 1) * catalog.device(claim.device).memory_bytes
end

--- Whether training at the speed that is claimed needs no more than the peak of the devices: 6 N FLOP a token.
function training.is_below_peak(claim, what)
  local speed = claim.tokens_per_s_device or claim.tokens_per_s and claim.tokens_per_s / (claim.devices or 1)
  return not speed or 6 * (what.active or what.params) * speed <= catalog.device(claim.device).bf16_flop_s
end

training.titles = { flop_s_device = "Model FLOP of a device", time_s = "The time", device_s = "Device time", tokens_per_s = "The speed", mfu_frac = "MFU" }

-- What does not go: faster than the device, less memory than weights, cheaper than anybody sells.
local function contradictions(known, device, say)
  if known.mfu_frac and known.mfu_frac > 1 then
    say("above_peak", ("%s of the dense %s peak of %s: more than the device can do"):format(
      units.format(known.mfu_frac, "frac"), known.precision, device.name))
  end
  local memory = known.devices and known.devices * device.memory_bytes
  local weights = core.weights({ params = known.params, bytes_per_param = 2 }).weights_bytes
  if memory and memory < weights then
    say("no_room", ("%d x %s hold %s, and the weights alone take %s in 16 bit"):format(known.devices, device.name,
      units.format(memory, "B"), units.format(weights, "B")))
  end
  local unlike = known.usd_h and prices.unlike(device.name, known.usd_h)
  if unlike then say(unlike.code, unlike.text) end
end

-- What a run may cost over its device time: storage, runs before it (assumption).
local MOST_BESIDE <const> = 3

-- Money, price and device time that are all said.
local function check_money(answer, known, say)
  if not (known.cost_usd and known.usd_h and known.device_s) then return end
  local right = known.device_s / 3600 * known.usd_h
  if not differ(known.cost_usd, right) then return end
  if known.cost_usd > right and known.cost_usd <= MOST_BESIDE * right then
    answer.remarks[#answer.remarks + 1] = ("the cost is %.3g times device time at the price said: ask what else is in it"):format(
      known.cost_usd / right)
    return
  end
  local code, why = apart(known.cost_usd, right, "USD")
  say(code, ("The cost is said to be %s, and %s at %s are %s: %s"):format(
    units.format(known.cost_usd, "USD"), units.format(known.device_s, "device s"), units.format(known.usd_h, "USD/h"),
    units.format(right, "USD"), why))
end

-- So many times below every published run no run is, but a figure with a slip (assumption).
local FAR_BELOW <const> = 100

local function remarks(answer, known, device)
  local normal = answer.normal
  local verdict = known.mfu_frac and trainings.verdict(known.mfu_frac, normal, answer.claim.mfu_frac ~= nil)
  if verdict == "above" and known.mfu_frac <= 1 then
    answer.remarks[#answer.remarks + 1] = ("an MFU above every published run of this kind (%s at most): is the peak dense, "
      .. "is recomputation counted?"):format(units.format(normal.high, "frac"))
  elseif verdict == "below" and known.mfu_frac * FAR_BELOW < normal.low then
    answer.remarks[#answer.remarks + 1] = ("the MFU of %s is implausibly low, published runs of this kind have %s at least: is the "
      .. "scale of a figure right, of tokens, time or devices?"):format(units.format(known.mfu_frac, "frac"), units.format(normal.low, "frac"))
  elseif verdict == "below" then
    answer.remarks[#answer.remarks + 1] = ("an MFU below every published run of this kind (%s at least): ask what is lost"):format(
      units.format(normal.low, "frac"))
  end
  local memory = known.devices and known.devices * device.memory_bytes
  local states = core.states({ params = known.params, device_bytes = device.memory_bytes })
  if memory and memory < states.total_bytes then
    answer.remarks[#answer.remarks + 1] = ("all devices hold %s, and weights, gradients and optimizer states take %s (16 "
      .. "bytes a parameter): it needs %d devices, or offloading"):format(units.format(memory, "B"),
      units.format(states.total_bytes, "B"), states.devices)
  end
end

--- Adds to an answer what a claim about training implies.
function training.check(answer, claim, what, device, price)
  -- What a device does not multiply is multiplied in 16 bit.
  local own = claim.weights and peak.of(device, claim.weights)
  local known = { params = what.params, active = what.active, precision = own and claim.weights or "bf16",
    peak_flop_s = own or device.bf16_flop_s }
  for _, name in ipairs({ "tokens", "time_s", "device_s", "devices", "mfu_frac", "tokens_per_s", "tokens_per_s_device",
    "cost_usd", "usd_h" }) do
    known[name] = claim[name]
  end
  known.flop_s_device = of_device(claim, device)
  local function say(code, text) answer.contradictions[#answer.contradictions + 1] = { code = code, text = text } end
  solve(known, say)
  check_money(answer, known, say)
  if known.cost_usd and known.device_s then known.usd_h = known.usd_h or known.cost_usd / (known.device_s / 3600) end
  answer.known, answer.price_usd_h = known, price
  answer.normal = trainings.normal(what.active < 0.9 * what.params)
  answer.published = tables.copy(trainings.of_kind(what.active < 0.9 * what.params))
  contradictions(known, device, say)
  remarks(answer, known, device)
  if known.flop_s_device then
    answer.comparable = trainings.nearest({ params = what.params, active = what.active, devices = known.devices,
      peak_flop_s = device.bf16_flop_s, flop_s_device = known.flop_s_device })
  end
end

--- What has to be said before anything follows: { { name, such }, … }.
function training.missing(claim)
  local list = {}
  local function need(name, such) list[#list + 1] = { name, such } end
  if not claim.params and not claim.model then need("parameters or a model", "7B") end
  if not claim.device then need("the device", "A100") end
  if claim.tokens_per_s_device or claim.mfu_frac or claim.flop_s_device or claim.flop_s then return list end
  if claim.tokens_per_s then
    if not claim.devices then need("how many devices", "64 A100") end
    return list
  end
  if not claim.tokens then need("tokens of the run, or a speed", "1T tokens") end
  if not (claim.device_s or claim.time_s) then need("a time", "5 days") end
  if not claim.device_s and not claim.devices then need("how many devices", "512 A100") end
  return list
end

return training

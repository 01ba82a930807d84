-- What a claim about an encoder or an image network implies, and what it contradicts.
local comparables = require("ballpark.questions.comparables.calls")
local encode = require("ballpark.questions.encode.run")
local units = require("ballpark.units")

local calls = {}

-- Tokens of a sequence where nothing is said: assumption. Images have those of their network.
local USUAL_TOKENS <const> = 128

-- Of the estimated time of a call; what lies between is not remarked on (assumption).
local FAST <const>, SLOW <const> = 0.5, 5

-- The time of one call beside what its work takes at the peak, and beside the estimate of it.
local function check_call(answer, known, device, batch, estimated_s)
  local flop = batch * known.item_flop
  known.batch, known.estimated_call_s, known.floor_call_s = batch, estimated_s, flop / known.peak_flop_s
  if known.call_s < known.floor_call_s then
    answer.contradictions[#answer.contradictions + 1] = { code = "above_peak", text = ("a call of %s, and its %s take %s at the "
      .. "dense bf16 peak of %s"):format(units.format(known.call_s, "s"), units.format(flop, "FLOP"),
      units.format(known.floor_call_s, "s"), device.name) }
  elseif known.call_s < FAST * known.estimated_call_s then
    answer.remarks[#answer.remarks + 1] = ("a call of %s is %.2g times as fast as the estimate of %s at batch %d"):format(
      units.format(known.call_s, "s"), known.estimated_call_s / known.call_s, units.format(known.estimated_call_s, "s"), batch)
  elseif known.call_s > SLOW * known.estimated_call_s then
    answer.remarks[#answer.remarks + 1] = ("a call of %s takes %.2g times the estimate of %s at batch %d"):format(
      units.format(known.call_s, "s"), known.call_s / known.estimated_call_s, units.format(known.estimated_call_s, "s"), batch)
  end
end

--- Adds to an answer what a claim about an encoder implies; beside it stands the estimate at its best batch.
function calls.check(answer, claim, what, device, price)
  local tokens = what.call.spread == "encoder" and (claim.seq_len or claim.input_tokens or USUAL_TOKENS) or nil
  if tokens == USUAL_TOKENS and not claim.seq_len then
    answer.assumed[#answer.assumed + 1] = ("%d tokens a sequence, no length was said"):format(tokens)
  end
  local devices = claim.devices or 1
  local function estimate(batch) return encode.run({ model = claim.model, device = device, tokens = tokens, batch = batch }) end
  local estimated = estimate()
  local best = comparables.best_of(estimated)
  local rate = claim.rate_per_s or claim.rate_per_s_device and claim.rate_per_s_device * devices
    or claim.items and claim.time_s and claim.items / claim.time_s
  local known = { devices = devices, item_flop = estimated.out.item_flop, estimated_per_s = best.per_s, call_s = claim.call_s,
    rate_per_s = rate, rate_per_s_device = rate and rate / devices, time_s = claim.items and claim.time_s, usd_h = claim.usd_h or price,
    peak_flop_s = device.bf16_flop_s }
  answer.known, answer.price_usd_h = known, price
  local batch = claim.batch or 1
  if known.call_s then check_call(answer, known, device, batch, estimate(batch).out.time_s) end
  if not rate then return end
  known.peak_frac = rate / devices * known.item_flop / known.peak_flop_s
  known.of_estimated = rate / devices / best.per_s
  known.million_usd = known.usd_h and devices * known.usd_h / 3600 / rate * 1e6
  if known.peak_frac > 1 then
    answer.contradictions[1] = { code = "above_peak", text = ("%s of the dense bf16 peak of %d x %s: more than the devices "
      .. "can do"):format(units.format(known.peak_frac, "frac"), devices, device.name) }
  end
  if rate / devices > estimate(best.batch).range.per_s.high or known.of_estimated < 1 / SLOW then
    answer.remarks[#answer.remarks + 1] = ("%.2g times the estimate of %s a device at batch %d"):format(known.of_estimated,
      units.format(best.per_s, "1/s"), best.batch)
  end
  answer.comparable = comparables.nearest({ spread = what.call.spread, item_flop = known.item_flop, device = device,
    per_s_device = rate / devices })
end

--- Takes facts of words as those of a call: a time that is no more than that, and tokens of a sequence.
function calls.take(claim)
  claim.call_s, claim.slo_s = claim.call_s or claim.slo_s, nil
  if claim.tokens and not claim.seq_len and not claim.input_tokens then claim.seq_len, claim.tokens = claim.tokens, nil end
end

--- What has to be said before anything follows.
function calls.missing(claim)
  local list = {}
  if not claim.device then list[1] = { "the device", "A100" } end
  if claim.items and not claim.time_s and not claim.rate_per_s then list[#list + 1] = { "a time", "5 hours" } end
  return list
end

return calls

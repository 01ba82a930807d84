-- What a claim about a served model implies, and what it contradicts: the peak of the devices, their bandwidth, their
-- memory.
local core = require("ballpark.core")
local estimate = require("ballpark.questions.check.estimate")
local facts = require("ballpark.questions.check.facts")
local peak = require("ballpark.questions.training.peak")
local prices = require("ballpark.questions.said.prices")
local services = require("ballpark.questions.comparables.services")
local units = require("ballpark.units")

local serving = {}

-- What engines reach of the peak where they prefill and of the bandwidth where they decode: shares that are usual
-- (assumption; `ballpark serve` estimates them).
serving.USUAL = { peak = 0.6, bandwidth = 0.8 }

local function speeds(claim, known)
  local input, output = claim.input_tokens or 0, claim.output_tokens
  known.output_per_s = claim.tokens_per_s or claim.tokens_per_s_device and claim.tokens_per_s_device * known.devices
    or claim.rate_per_s and output and claim.rate_per_s * output
    or claim.tpot_s and (claim.batch or claim.concurrency or 1) / claim.tpot_s
  known.requests_per_s = claim.rate_per_s or known.output_per_s and output and known.output_per_s / output
  known.all_per_s = known.output_per_s and known.output_per_s + (known.requests_per_s or 0) * input
    or claim.rate_per_s and claim.rate_per_s * input
  local single = claim.tpot_s or (claim.batch or claim.concurrency) == 1 and known.output_per_s and 1 / known.output_per_s
  known.token_s = single or nil
end

-- Two figures for one thing that differ by less are one, rounded; and what tokens may be sold for over what they cost
-- (assumption).
local ROUNDED <const>, MOST_MARGIN <const> = 1.15, 10

-- A speed beside what the requests write: less cannot be, more is what could be done.
local function check_speed(answer, claim, known, say)
  local speed = claim.tokens_per_s or claim.tokens_per_s_device and claim.tokens_per_s_device * known.devices
  local written = claim.rate_per_s and claim.output_tokens and claim.rate_per_s * claim.output_tokens
  if not (speed and written) then return end
  local asked = ("%s of %.0f tokens"):format(units.format(claim.rate_per_s, "1/s"), claim.output_tokens)
  if speed * ROUNDED < written then
    say("contradiction", ("the speed is said to be %s, and requests, %s, write %s"):format(units.format(speed, "tok/s"), asked,
      units.format(written, "tok/s")))
  elseif speed > ROUNDED * (written + claim.rate_per_s * (claim.input_tokens or 0)) then
    answer.remarks[#answer.remarks + 1] = ("the speed is %.3g times what requests, %s, write"):format(speed / written, asked)
  end
end

-- Arithmetic of a device at so many tokens a second of all of them.
local function flop_s_device(known, per_s)
  local flop = core.request_rule({ params = known.active, tokens = 1, peak_flop_s = known.peak_flop_s, mfu_frac = 1 }).flop
  return flop * per_s / known.devices
end

-- The price of a million tokens that is said: what it makes of the price of a device, at the tokens written, or at all.
local function check_price(answer, claim, known, device, say, usd_h)
  known.usd_mtok = claim.usd_mtok
  if claim.usd_mtok and usd_h and not known.all_per_s then
    -- At least so many tokens, prompts or answers, have to be computed in a second to be sold at that.
    local per_s = known.devices * usd_h / 3600 / claim.usd_mtok * 1e6
    local share = flop_s_device(known, per_s) / known.peak_flop_s
    if share > 1 then
      say("above_peak", ("%s a million tokens at %s a device are %s, %.3g times what the devices can do"):format(
        units.format(claim.usd_mtok, "USD"), units.format(usd_h, "USD/h"), units.format(per_s, "tok/s"), share))
    end
  end
  if not (claim.usd_mtok and known.output_per_s) then return end
  local function of_device(per_s) return claim.usd_mtok / 1e6 * per_s * 3600 / known.devices end
  local least, most = of_device(known.output_per_s), of_device(known.all_per_s or known.output_per_s)
  if not claim.usd_h then
    local cheap, dear = prices.unlike(device.name, most), prices.unlike(device.name, least)
    local unlike = cheap and cheap.code == "below_price" and cheap or dear and dear.code == "above_price" and dear
    if unlike then
      say(unlike.code, ("%s a million tokens at this speed make a device-hour %s"):format(units.format(claim.usd_mtok, "USD"), unlike.text))
    end
  elseif least > ROUNDED * claim.usd_h and least <= MOST_MARGIN * claim.usd_h then
    answer.remarks[#answer.remarks + 1] = ("%s a million tokens are %.3g times what the devices cost at this speed"):format(
      units.format(claim.usd_mtok, "USD"), least / claim.usd_h)
  elseif most * ROUNDED < claim.usd_h or least > ROUNDED * claim.usd_h then
    say("contradiction", ("%s a million tokens at this speed make a device-hour %s, and %s is said"):format(
      units.format(claim.usd_mtok, "USD"), units.format(most * ROUNDED < claim.usd_h and most or least, "USD/h"),
      units.format(claim.usd_h, "USD/h")))
  end
end

local function memory(known, device, say)
  local weights = core.weights({ params = known.params, bytes_per_param = known.weight_bytes }).weights_bytes
  known.weights_bytes, known.memory_bytes = weights, known.devices * device.memory_bytes
  known.bytes_per_param = known.memory_bytes / known.params
  if weights <= known.memory_bytes then return end
  say("no_room", ("weights of %s in %s, and %d x %s hold %s"):format(units.format(weights, "B"), known.format,
    known.devices, device.name, units.format(known.memory_bytes, "B")))
end

local function arithmetic(known, device, say)
  if not known.all_per_s or known.all_per_s == 0 then return end
  known.flop_s_device = flop_s_device(known, known.all_per_s)
  known.peak_frac = known.flop_s_device / known.peak_flop_s
  if known.peak_frac > 1 then
    say("above_peak", ("2 N per token at %s is %s of the dense %s peak of %d x %s: more than the devices can do"):format(
      units.format(known.all_per_s, "tok/s"), units.format(known.peak_frac, "frac"), known.format, known.devices,
      device.name))
  end
end

-- A token of one sequence needs all weights once. Several sequences share a step, so what a speed needs is so many of them.
local function bandwidth(answer, known, device, say)
  known.floor_token_s = core.request_rule({ params = known.active, tokens = 1, peak_flop_s = known.peak_flop_s, mfu_frac = 1,
    devices = known.devices, bytes_per_param = known.weight_bytes, mem_bw_bytes_s = device.mem_bw_bytes_s }).decode_token_s
  if known.output_per_s then known.least_together = known.output_per_s * known.floor_token_s end
  if known.token_s and known.token_s < known.floor_token_s then
    answer.assumed[#answer.assumed + 1] = "a step writes one token of a sequence: no speculative decoding"
    say("above_bandwidth", ("a token every %s, and reading the weights once takes %s at the full bandwidth of %d x %s")
      :format(units.format(known.token_s, "s"), units.format(known.floor_token_s, "s"), known.devices, device.name))
  end
end

local function first_token(claim, known, say)
  if not (claim.ttft_s and claim.input_tokens) then return end
  local floor = core.request_rule({ params = known.active, tokens = claim.input_tokens, peak_flop_s = known.peak_flop_s,
    mfu_frac = 1, devices = known.devices }).time_s
  known.floor_ttft_s = floor
  if claim.ttft_s < floor then
    say("above_peak", ("a first token within %s, and 2 N L of the prompt takes %s at the peak"):format(
      units.format(claim.ttft_s, "s"), units.format(floor, "s")))
  end
end

-- What the memory beside the weights holds for each of the sequences that a speed needs: tokens of a 16-bit KV cache.
local function room(answer, claim, known, what)
  if not known.least_together or known.least_together <= 1 or known.memory_bytes <= known.weights_bytes then return end
  local each = core.kv_cache({ model = facts.shape(what), tokens = 1 }).sequence_bytes
  if each <= 0 then return end
  known.room_tok = (known.memory_bytes - known.weights_bytes) / each / known.least_together
  local held = claim.input_tokens and claim.output_tokens and claim.input_tokens + claim.output_tokens / 2
  if answer.contradictions[1] == nil and held and held > known.room_tok then
    answer.remarks[#answer.remarks + 1] = ("the speed needs %.4g sequences at one time, and there is room for %.4g tokens of each"):format(
      known.least_together, known.room_tok)
  end
end

-- Tokens of a sequence where nobody says lengths: of a chat in the middle of an answer; of a short question and its answer
-- (assumptions).
local USUAL_TOK <const>, LEAST_TOK <const> = 1150, 250

-- Sequences that are said to run at one time, beside what the memory holds: a 16-bit KV cache unless one is said.
local function together(answer, claim, known, what, say)
  local count = claim.concurrency or claim.batch
  if not count or count <= 1 or known.memory_bytes <= known.weights_bytes then return end
  local each = core.kv_cache({ model = facts.shape(what), tokens = 1 }).sequence_bytes * (claim.kv and 0.5 or 1)
  local is_said = claim.input_tokens and claim.output_tokens
  local free = known.memory_bytes - known.weights_bytes
  local function needed(tokens) return count * tokens * each end
  local held = is_said and claim.input_tokens + claim.output_tokens / 2 or USUAL_TOK
  if needed(held) <= free then return end
  local is_sure = is_said or needed(LEAST_TOK) > free
  local tokens = is_said and held or is_sure and LEAST_TOK or USUAL_TOK
  local text = ("%s at one time need %s of keys and values at %.0f tokens each%s, and the weights leave %s: room for %.0f"):format(
    units.format(count, ""), units.format(needed(tokens), "B"), tokens, is_said and "" or " (assumed)", units.format(free, "B"),
    free / (tokens * each))
  if is_sure then return say("no_room", text) end
  answer.remarks[#answer.remarks + 1] = text
end

-- A speed beside what is estimated for as many sequences.
local function beside_estimate(answer, claim, known, what, device)
  local sequences = claim.batch or claim.concurrency or known.token_s and 1
  if not (known.output_per_s and sequences) then return end
  local high
  known.estimated_per_s, high, known.estimated_by = estimate.of(claim, what, device, sequences)
  if not known.estimated_per_s then return end
  known.sequences = sequences
  if known.output_per_s > high and answer.contradictions[1] == nil then
    answer.remarks[#answer.remarks + 1] = ("%.2g times the estimate of %s, and above its 80 %% range"):format(
      known.output_per_s / known.estimated_per_s, units.format(known.estimated_per_s, "tok/s"))
  end
end

local function compare(answer, claim, known, what, device)
  local output = claim.output_tokens
  if not (known.all_per_s and claim.input_tokens and output) then return end
  answer.comparable = services.nearest({ model = facts.shape(what), device = device, input_tokens = claim.input_tokens,
    output_tokens = output, weight_bytes = known.weight_bytes, tok_s_device = known.all_per_s / known.devices })
end

--- Adds to an answer what a claim about a served model implies.
function serving.check(answer, claim, what, device, price)
  local format, weight_bytes, computed, assumed = facts.stored(claim, what)
  local known = { params = what.params, active = what.active, format = format, devices = claim.devices or 1,
    weight_bytes = weight_bytes, peak_flop_s = peak.of(device, computed) or device.bf16_flop_s }
  local function say(code, text) answer.contradictions[#answer.contradictions + 1] = { code = code, text = text } end
  answer.assumed[#answer.assumed + 1] = assumed
  if not claim.devices then answer.assumed[#answer.assumed + 1] = "one device, no number was said" end
  speeds(claim, known)
  memory(known, device, function(code, text)
    -- What nobody said cannot contradict a claim.
    if claim.devices or claim.weights then return say(code, text) end
    answer.remarks[#answer.remarks + 1] = text .. ": say how many devices, and the format of the weights"
  end)
  arithmetic(known, device, say)
  bandwidth(answer, known, device, say)
  first_token(claim, known, say)
  check_speed(answer, claim, known, say)
  check_price(answer, claim, known, device, say, claim.usd_h or price)
  known.usd_h = claim.usd_h or price
  if known.usd_h and known.output_per_s then
    known.mtok_usd = known.devices * known.usd_h / 3600 / known.output_per_s * 1e6
  end
  if known.peak_frac and known.peak_frac <= 1 and known.peak_frac > serving.USUAL.peak then
    answer.remarks[#answer.remarks + 1] = ("%s of the peak is more than engines usually reach (%s)"):format(
      units.format(known.peak_frac, "frac"), units.format(serving.USUAL.peak, "frac"))
  end
  local is_said = known.token_s and known.token_s < known.floor_token_s
  if not is_said and known.least_together and known.least_together > 1 and (claim.batch or claim.concurrency or math.huge)
    < known.least_together then
    say("above_bandwidth", ("%s needs %.3g sequences in every step at the full bandwidth, and there are %.4g"):format(
      units.format(known.output_per_s, "tok/s"), known.least_together, claim.batch or claim.concurrency))
  end
  answer.known, answer.price_usd_h = known, price
  together(answer, claim, known, what, say)
  room(answer, claim, known, what)
  beside_estimate(answer, claim, known, what, device)
  compare(answer, claim, known, what, device)
end

--- What has to be said before anything follows.
function serving.missing(claim)
  local list = {}
  if not claim.params and not claim.model then list[1] = { "parameters or a model", "8B" } end
  if not claim.device then list[#list + 1] = { "the device", "4 H100" } end
  if claim.rate_per_s and not (claim.output_tokens or claim.input_tokens) then
    list[#list + 1] = { "the lengths", "1000 in, 200 out" }
  end
  return list
end

return serving

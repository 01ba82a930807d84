-- The line of a report that sets an answer beside what was published of something like it.
local core = require("ballpark.core")
local finetunes = require("ballpark.questions.comparables.finetunes")
local platforms = require("ballpark.questions.comparables.platforms")
local ratio = require("ballpark.questions.comparables.ratio")
local services = require("ballpark.questions.comparables.services")
local trainings = require("ballpark.questions.comparables.trainings")

local show = {}

-- What is said of a ratio that is out of the usual.
local function say(r, near, what)
  local verdict = ratio.verdict(near.ratio)
  if verdict == "usual" then return end
  local text = ("%s is %.2g times what was published for %s (%s)"):format(what, near.ratio, near.text, near.date)
  if verdict == "suspect" then r:warn(text .. ": one of the two is wrong") else r:note(text) end
end

--- Adds the published training nearest to one of so many active tokens per second and device.
---@param add fun(fact: table)
---@param r table the result, which is told of what is far off
---@param own table as for ballpark.questions.comparables.trainings
function show.training(add, r, own)
  local near = trainings.nearest(own)
  add({ name = "comparable", title = "Comparable", value = near and near.name or "",
    text = near and ("{comparable_ratio} times the MFU of %s, {comparable_flop_s} a device (%s)"):format(near.text, near.date) or "no published training is near in size, kind and device" })
  if not near then return end
  add({ name = "comparable_flop_s", unit = "FLOP/s", title = "Published speed of a device", value = near.flop_s_device,
    hide = true })
  add({ name = "comparable_source", value = near.source, title = "Where that was published", hide = true })
  add({ name = "comparable_ratio", unit = "", title = "Own share of the peak over the published one", value = near.ratio, hide = true })
  say(r, near, "the share of the peak")
end

local DAY_S <const> = 86400

--- The same of an estimate of a training step; nothing of adapters and images, which nothing here is like.
function show.of_estimate(add, r, answer)
  local device, params = answer.input.cluster.device, answer.params
  if (answer.plan.lora_rank or 0) > 0 or (answer.input.model.arch or "decoder") ~= "decoder" then return end
  local devices = answer.input.cluster.network.devices
  -- Of a day: a second may have less than a token.
  local daily = core.training_rule({ params = params.active_params, tokens = answer.time.tokens_per_s * DAY_S / devices,
    peak_flop_s = device.bf16_flop_s, mfu_frac = 1 })
  show.training(add, r, { params = params.total_params, active = params.active_params, devices = devices,
    peak_flop_s = device.bf16_flop_s, flop_s_device = daily.flop / DAY_S })
end

--- Adds the published throughput nearest to a service's: fact(name, value, unit, title, more).
---@param near table|nil of ballpark.questions.comparables.services
function show.service(fact, near)
  if not near then return end
  fact("published_tok_s", near.tok_s_device, "tok/s", "Published speed of a device", { hide = true })
  fact("own_tok_s", near.own_tok_s_device, "tok/s", "Own speed of a device", { hide = true })
  fact("published_ratio", near.ratio, "", "Comparable", { text = "{published_tok_s} of input and output "
    .. "per device, offline, for " .. near.text .. " (" .. near.date .. "; " .. near.source
    .. "); here {own_tok_s} at capacity" })
end

--- Adds the published fine-tuning nearest to an answer of finetune{}, where only examples are shown to the model.
function show.of_finetuning(add, r, answer)
  local facts, cluster = answer.kind_facts, answer.input.cluster
  if answer.rollout or facts.references + facts.forwards > 0 or facts.sequences > 1 then return end
  local devices = cluster.network.devices
  local near = finetunes.nearest({ method = answer.method, params = answer.params.total_params, devices = devices,
    seq_len = answer.samples * answer.sample_tokens, peak_flop_s = cluster.device.bf16_flop_s, tok_s_device = answer.tokens_per_s / devices })
  if not near then return end
  add({ name = "comparable_ratio", title = "Comparable", value = near.ratio, text = ("{comparable_ratio} times the share of the "
    .. "peak of %s (%s)"):format(near.text, near.date) })
  add({ name = "comparable_source", title = "Where that was published", value = near.source, hide = true })
  say(r, near, "the share of the peak")
end

--- Adds the published call nearest to an encoder's or a recommendation model's, at its best batch.
---@param near table|nil of ballpark.questions.comparables.calls
function show.call(fact, r, near)
  if not near then return end
  fact("comparable_ratio", near.ratio, "", "Comparable", nil, ("{comparable_ratio} times the share of the peak of %s "
    .. "(%s, %s)"):format(near.text, near.source, near.date))
  say(r, near, "the share of the peak")
end

--- Adds the share of its devices that a published platform's jobs held.
---@param used_frac number of this one's
function show.platform(fact, r, used_frac)
  local near = platforms.nearest(used_frac)
  fact("comparable_low_frac", near.low, "frac")
  fact("comparable_high_frac", near.high, "frac")
  fact("comparable_ratio", near.ratio, "", "Comparable", { text = ("{utilization_frac} of the devices in use, {comparable_low_frac} to "
    .. "{comparable_high_frac} in %s (%s, %s)"):format(near.text, near.source, near.date) })
  say(r, near, "the share of devices in use")
end

--- The same of an answer of serve{} where one replica has a closed form.
function show.of_serving(fact, r, answer)
  local input, means = answer.input, answer.means
  if not answer.steady then return end
  local ranks = (input.plan.tp or 1) * (input.plan.pp or 1) * (input.plan.dp or 1)
  local near = services.nearest({ model = input.model, device = input.device, input_tokens = means.input_tokens,
    output_tokens = means.output_tokens,
    weight_bytes = answer.memory.weights_bytes * ranks / core.params({ model = input.model }).total_params,
    tok_s_device = answer.steady.capacity_per_s * (means.input_tokens + means.output_tokens) / ranks })
  show.service(fact, near)
  if near then say(r, near, "the capacity of a device") end
end

return show

-- diffusion{}: text encoders, steps of the denoiser and the decoder on a device: time, memory, what bounds them, and the
-- replicas of a load.
local core = require("ballpark.core")
local dealt = require("ballpark.questions.inference.dealt")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local halved_sums = require("ballpark.catalog.halved_sums")
local fleet = require("ballpark.questions.inference.fleet")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.media")
local models = require("ballpark.catalog.diffusion")
local shared_memory = require("ballpark.resolve.shared_memory")
local stored = require("ballpark.questions.diffusion.stored")
local tables = require("ballpark.tables")

local diffusion = {}

-- What the driver and libraries take before a weight is loaded (nvidia-smi of PyTorch processes, recalled).
local CONTEXT_BYTES <const> = 0.5e9

-- PyTorch's scaled dot-product attention and its like in all software of images since 2023: scores are not stored.
local FUSED_TOKENS <const> = 1000000000

-- Matmuls and convolutions of a denoiser over those of the networks that runtimes were fitted to: steps run for seconds
-- at the power limit, and layouts change between convolutions and attention. Fitted to six systems of MLPerf. Matrix units that
-- run at half their rate do not come to that limit.
local SLOWER <const> = 1.25

-- What the host takes of a step and of a launch where PyTorch runs one by one: diffusers has wrappers around every module, and
-- guidance and a scheduler between steps, so more than of a network alone (assumed; 46 ms of a step of Stable Diffusion 1.5 on
-- A100 and 53 on V100, recalled, say as much or more).
local STEPPED <const> = { call_s = 6e-3, host_kernel_s = 3.3e-5 }

-- What torch.compile leaves as it is and what it fuses: matmuls and convolutions are in the libraries' kernels that eager
-- PyTorch calls, all between them in few passes over memory, as TensorRT has it (PyTorch blog, Accelerating Generative AI
-- Part III). The class `compiled` of small networks is TorchScript and ONNX Runtime.
local function as_compiled(runtime)
  local eager, fused = encode.runtime("eager"), encode.runtime("tensorrt")
  return tables.with(runtime, { matmul = eager.matmul, conv = eager.conv, passes = fused.passes })
end

-- A runtime as it runs diffusion on a device.
local function as_denoising(runtime, device)
  if runtime.name == "compiled" then runtime = as_compiled(runtime) end
  if runtime.name == "eager" then runtime = tables.with(runtime, STEPPED) end
  local slower = halved_sums.is_in(device) and 1 or SLOWER
  return tables.with(runtime, { fused_tokens = FUSED_TOKENS, matmul = runtime.matmul / slower })
end

local BATCHES <const> = { 1, 2, 4, 8, 16 }

local FIELDS <const> = { "batch", "width", "height", "frames", "steps", "passes", "dtype", "decoder_dtype" }

local function model_of(value)
  if type(value) == "string" then return models.get(value) end
  if type(value) ~= "table" then errors.input("model", value == nil and "is missing" or "must be a name or a table") end
  return value
end

-- Both prompts of guidance go through the text encoders, in 16 bit.
local function read_texts(model, full, passes)
  local seconds, weights = 0, 0
  for _, text in ipairs(model.texts or {}) do
    local out = core.encode({ model = text.model, device = full.device, runtime = full.runtime, tokens = text.tokens,
      batch = passes * full.batch })
    seconds, weights = seconds + out.time_s, weights + out.weights_bytes
  end
  return seconds, weights
end

-- Parts of the memory, { name, bytes }; with offload one of the three is on the device at a time.
local function memory_of(out, text_bytes, text_weights, decoder_weights, offload)
  local denoiser = out.weights_bytes - decoder_weights
  if not offload then
    return { { "denoiser", denoiser }, { "text encoders", text_weights }, { "decoder", decoder_weights },
      { "activations", math.max(out.denoise_bytes, out.decode_bytes) }, { "context", CONTEXT_BYTES } }
  end
  local turns = { { "denoiser", denoiser, out.denoise_bytes }, { "text encoders", text_weights, text_bytes },
    { "decoder", decoder_weights, out.decode_bytes } }
  table.sort(turns, function(a, b) return a[2] + a[3] > b[2] + b[3] end)
  return { { turns[1][1], turns[1][2] }, { "activations", turns[1][3] }, { "context", CONTEXT_BYTES } }
end

local BYTES <const> = { fp32 = 4, tf32 = 4, fp16 = 2, bf16 = 2 }

-- The kernel's answer with weights that are stored in fewer bits: less memory, and time to make them wide for every step.
local function with_stored(out, full, kept)
  if not kept then return out end
  local wide = out.weights_bytes - out.decoder_params * BYTES[full.decoder_dtype]
  local narrow_s = kept.traffic * out.denoiser_params / full.device.mem_bw_bytes_s
  local steps = out.denoise_s / out.step_s
  local weights = out.weights_bytes - wide + kept.bytes * out.denoiser_params
  return tables.with(out, { weights_bytes = weights, memory_bytes = out.memory_bytes - out.weights_bytes + weights,
    step_s = out.step_s + narrow_s, denoise_s = out.denoise_s + steps * narrow_s, time_s = out.time_s + steps * narrow_s,
    elementwise_s = out.elementwise_s + steps * narrow_s })
end

-- Seconds in which the parts come from the host for every call where they take turns; none where memory is shared.
local function moved_s(memory_bytes, device, offload)
  if not offload or device.shared_memory or (device.host_bytes_s or 0) <= 0 then return 0 end
  return memory_bytes / device.host_bytes_s
end

local function call(model, full, asked)
  local shape, offload = tables.with(model, {}), asked.offload
  shape.texts = nil
  local out = with_stored(core.diffusion(tables.with(full, { model = shape })), full, stored.of(asked.weights))
  local passes = (full.passes or 0) > 0 and full.passes or model.guided == false and 1 or 2
  local text_s, text_weights = read_texts(model, full, passes)
  local memory = memory_of(out, 0, text_weights, out.decoder_params * BYTES[full.decoder_dtype], offload)
  local move_s = moved_s(out.weights_bytes + text_weights, full.device, offload)
  local time_s = out.time_s + text_s + move_s
  return { out = out, text_s = text_s, move_s = move_s, time_s = time_s, per_s = full.batch / time_s, steps_per_s = 1 / out.step_s,
    memory = memory,
    memory_bytes = tables.total(memory, 2), room = tables.total(memory, 2) <= shared_memory.usable(full.device) }
end

-- All images, in calls of as many as are asked for.
local function all_images(model, full, asked)
  return dealt.among(asked.images, asked.devices or 1, full.batch, function(batch)
    return call(model, tables.with(full, { batch = batch }), asked).time_s
  end)
end

local function by_batch(model, full, asked)
  local list = {}
  for _, batch in ipairs(BATCHES) do
    local made = call(model, tables.with(full, { batch = batch }), asked)
    if made.room then list[#list + 1] = { batch, made.time_s, made.per_s, made.memory_bytes, made.out.bound } end
  end
  return list
end

-- Single changes, and the two that go together: { words, what of the input }.
local CHANGES <const> = {
  { "one part on the device at a time", { offload = true } },
  { "denoiser stored in fp8", { weights = "fp8" } },
  { "denoiser stored in nf4", { weights = "nf4" } },
  { "stored in fp8, one part at a time", { weights = "fp8", offload = true } },
  { "stored in nf4, one part at a time", { weights = "nf4", offload = true } },
  { "compiled", { runtime = "compiled" } },
}

-- Whether a change leaves all as it is, or means another format than is asked for.
local function is_no_change(changes, asked)
  if changes.weights and (asked.weights or asked.dtype) or changes.offload and asked.offload then return true end
  return changes.runtime ~= nil and asked.runtime ~= nil and asked.runtime ~= "eager"
end

-- What would be different: { words, time_s, memory_bytes, fits }.
local function changed(model, full, asked)
  local list = {}
  for _, change in ipairs(CHANGES) do
    if not is_no_change(change[2], asked) then
      local own = change[2].runtime and tables.with(full, { runtime = as_denoising(encode.runtime(change[2].runtime), full.device) }) or full
      local made = call(model, own, tables.with(asked, change[2]))
      list[#list + 1] = { change[1], made.time_s, made.memory_bytes, made.room }
    end
  end
  return list
end

-- Architectures whose units have no bf16.
local NO_BF16 <const> = tables.set({ "pascal", "turing", "volta" })

-- A decoder that runs over in fp16 is run in fp32 by diffusers and ComfyUI where there is no bf16; TensorRT's is another.
local function decoder_of(input, device)
  local wide = type(input.model) == "string" and models.is_decoded_wide(input.model)
  return wide and input.runtime ~= "tensorrt" and NO_BF16[device.architecture or ""] and "fp32" or "fp16"
end

local function check_decoder(dtype)
  if dtype and not BYTES[dtype] then
    errors.input("decoder_dtype", "must be fp16, bf16, tf32 or fp32, got " .. tostring(dtype))
  end
end

--- Times input.batch images of input.model on input.device: { kind, out (of core.diffusion), time_s, per_s, range, text_s,
--- memory, memory_bytes, batches, fleet, assumed }. fleet is false where no replica meets the SLO.
function diffusion.run(input)
  questions.check_known("diffusion", input)
  local model, device = model_of(input.model), encode.device(input.device)
  check_decoder(input.decoder_dtype)
  if input.images then errors.number("images", input.images, 0) end
  if input.devices and errors.whole("devices", input.devices) > 1 and not input.images then
    errors.input("devices", "an image is made on one: several share the images of a job, say 'images' too")
  end
  local runtime = as_denoising(encode.runtime(input.runtime or "eager"), device)
  local full = { device = device, runtime = runtime }
  for _, name in ipairs(FIELDS) do full[name] = input[name] end
  full.batch, full.decoder_dtype = full.batch or 1, full.decoder_dtype or decoder_of(input, device)
  local answer = tables.with(call(model, full, input), { kind = "diffusion", asked = input, images = input.images, model = model, input = full,
    assumed = {} })
  local function assume(when, text) if when then answer.assumed[#answer.assumed + 1] = text end end
  assume(not input.runtime, "runtime eager, as diffusers and ComfyUI run it; no other was given")
  assume(not input.dtype and not input.weights, "16-bit weights, no format was given")
  assume(not input.decoder_dtype and full.decoder_dtype == "fp32", "the decoder in fp32: it runs over in fp16, and the device has no bf16")
  assume(not input.steps, ("%d steps, as usual with the model"):format(model.steps or 30))
  answer.fits = answer.room
  answer.dealt = input.images and all_images(model, full, input) or nil
  answer.range = { time_s = ranges.around("diffusion", answer.time_s),
    per_s = ranges.around("diffusion", answer.per_s, true), steps_per_s = ranges.around("diffusion", answer.steps_per_s, true) }
  answer.batches = by_batch(model, full, input)
  answer.changes = changed(model, full, input)
  answer.price_usd_h, answer.price_assumed = encode.price(device, input.price_usd_h)
  answer.usd_per_thousand = answer.price_usd_h and 1000 * answer.price_usd_h / 3600 / answer.per_s
  answer.images_usd = answer.price_usd_h and answer.dealt and answer.price_usd_h / 3600 * answer.dealt.device_s
  if input.load then
    fleet.add(answer, input.load, function(batch)
      local made = call(model, tables.with(full, { batch = batch }), input)
      return made.time_s, made.room
    end)
  end
  return answer
end

return diffusion

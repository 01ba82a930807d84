-- transcribe{}: sound cut into windows of 30 s; the encoder runs once for each, the decoder writes token by token and
-- looks at the window's keys and values in every step. Times are those of the serving kernels.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.media")
local resolve = require("ballpark.resolve.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local shared_memory = require("ballpark.resolve.shared_memory")
local speech_software = require("ballpark.catalog.speech_software")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local transcribe = {}

local WINDOW_S <const> = 30 -- Radford et al., arXiv:2212.04356 (2022)
local BEGINS <const> = 4 -- start, language, task, timestamps
local WINDOW_TOK <const> = 120 -- four tokens a second of speech (recalled)
local CONTEXT_BYTES <const> = 0.5e9 -- of CUDA and libraries (recalled)
local PLANNED <const> = 0.7 -- of what a device can do (assumption)
local BATCHES <const> = { 1, 2, 4, 8, 16, 32, 64 }

-- Texts of windows differ: their deviation over the mean (assumption), for the longest of a batch.
local DEVIATION <const> = 0.25

local function longest(mean, batch) return mean * (1 + DEVIATION * math.sqrt(2 * math.log(batch))) end

local function model_of(value)
  local model = type(value) == "string" and catalog.model(value) or value
  local encoder = model.encoder or {}
  if (encoder.mel_bins or 0) == 0 or (model.cross_layers or 0) == 0 then
    errors.input("model", "has no encoder of sound that its decoder attends to, as Whisper has")
  end
  return model
end

-- An engine that launches every kernel by itself, with nothing else on the host.
local function eager(launch_s)
  return { graph_tokens = 0, overlap = false, step_s = 0, plan_s = 0, sequence_s = 0, plan_sequence_s = 0,
    eager_kernel_s = launch_s }
end

local function step(case, batch, changes)
  return core.infer_step(tables.with(tables.with(case.setup, batch), changes))
end

-- A decoder whose hypotheses share their window's sound reads less of it for each.
local function decoding(case)
  if not case.software.shared_sound then return {} end
  return { model = tables.with(case.model, { cross_tok = math.ceil(case.model.cross_tok / case.beams) }) }
end

-- Seconds of a batch of windows: { encoder, decoder, step }. sound_s: in each window, all of it unless said.
local function of_batch(case, batch, sound_s)
  local mean = case.window_tok * (sound_s or WINDOW_S) / WINDOW_S
  local first = step(case, { prompts = batch, prompt_tokens = BEGINS * batch })
  local next_one = step(case, { sequences = batch * case.beams, context = BEGINS + mean / 2 },
    decoding(case))
  local tokens = case.software.padded and longest(mean, batch) or mean
  return { encoder = first.time_s, step = next_one.time_s,
    decoder = math.min(tokens, (case.model.max_seq or tokens) - BEGINS) * next_one.time_s }
end

-- Keys and values of a token of text, and of a window of sound: { token, cross } in bytes of one sequence.
local function cached(model)
  local function bytes(tokens) return core.kv_cache({ model = model, sequences = 1, tokens = tokens }).device_bytes end
  local token = bytes(2) - bytes(1)
  return { token = token, cross = bytes(1) - token }
end

-- Hypotheses of a window share the keys and values of its sound.
local function memory_of(case, batch)
  local model, kv = case.model, cached(case.model)
  local weights = core.infer_memory(tables.with(case.setup, { sequence_tokens = 16 })).weights_bytes
  local wide = 4 * (model.encoder.hidden or model.hidden) + (model.encoder.ffn_hidden or model.ffn_hidden)
  return { { "weights", weights }, { "keys and values of sound", batch * kv.cross },
    { "keys and values of text", batch * case.beams * kv.token * (BEGINS + longest(case.window_tok, batch)) },
    { "encoder's activations", batch * 2 * 2 * wide * model.cross_tok }, { "context", CONTEXT_BYTES } }, kv.cross
end

local function advance(case, batch)
  return batch > 1 and case.software.together_advance or case.software.advance
end

-- Of the device, or of the host that makes spectrograms beside it; behind the host that looks for voices where windows are cut
-- by them.
local function paced(case, batch, seconds)
  local voices_s = batch > 1 and batch * WINDOW_S * (case.software.voices_s or 0) or 0
  return voices_s + math.max(seconds.encoder + seconds.decoder, batch * (case.software.feature_s or 0))
end

-- Windows of a sound, and the seconds of it that the last one has: each begins where the one before has moved on to.
local function windows_of(case, batch, audio_s)
  local moves_s = WINDOW_S * advance(case, batch)
  local windows = 1 + math.max(0, math.ceil((audio_s - WINDOW_S) / moves_s))
  return windows, audio_s - (windows - 1) * moves_s
end

-- Parts and seconds of so many windows: full batches, and what is left over in a smaller one. A batch takes as long as its
-- longest window; the last one has less sound, which counts where it is alone.
local function of_windows(case, batch, windows, last_s)
  local parts, time_s = { encoder_s = 0, decoder_s = 0 }, 0
  local function add(batches, size, sound_s)
    if batches == 0 or size == 0 then return end
    local seconds = of_batch(case, size, sound_s)
    parts.encoder_s = parts.encoder_s + batches * seconds.encoder
    parts.decoder_s = parts.decoder_s + batches * seconds.decoder
    time_s = time_s + batches * paced(case, size, seconds)
  end
  local left = (windows - 1) % batch + 1 -- in the last batch
  add((windows - left) // batch, batch)
  add(1, left, left == 1 and last_s or nil)
  return parts, time_s
end

-- Seconds of sound a second where one sound comes after the other: windows of several are together, those that end a sound
-- beside each other.
local function speed_of(case, batch, audio_s)
  local windows, last_s = windows_of(case, batch, audio_s)
  local function window(sound_s) return paced(case, batch, of_batch(case, batch, sound_s)) / batch end
  return audio_s / ((windows - 1) * window() + window(last_s))
end

local function by_batch(case, audio_s)
  local list = {}
  for _, batch in ipairs(BATCHES) do
    local bytes = tables.total((memory_of(case, batch)), 2)
    if bytes <= shared_memory.usable(case.setup.device) then
      local speed = speed_of(case, batch, audio_s)
      list[#list + 1] = { batch, speed, 1 / speed, bytes }
    end
  end
  return list
end

local function case_of(input, assumed)
  local device, model = encode.device(input.device), model_of(input.model)
  local software = speech_software.get(input.software or speech_software.usual(device))
  local plan = resolve.plan({ weights = input.weights == "fp16" and "bf16" or input.weights or "bf16" }, model, "vllm", 1)
  units.check(plan, device, software.engine or "vllm", "")
  local engine = software.engine and resolve.engine({ name = software.engine }, device) or eager(software.launch_s)
  assumed[#assumed + 1] = not input.software and ("software %s, no other was given"):format(software.name) or nil
  assumed[#assumed + 1] = not input.beams and ("%d hypotheses of a window, as %s does"):format(software.beams,
    software.name) or nil
  assumed[#assumed + 1] = not input.window_tok and "120 tokens are written for 30 s of sound" or nil
  return { model = model, software = software, beams = errors.whole("beams", input.beams or software.beams),
    window_tok = errors.whole("window_tok", input.window_tok or WINDOW_TOK), setup = { model = model, device = device,
      network = { devices = 1 }, curves = (serving_curves.get(device)), plan = plan, engine = engine } }
end

local function seconds_of(input, name, default)
  local value = input[name] or default
  return value and errors.positive(name, value)
end

--- Answers transcribe{}, see its record.
function transcribe.run(input)
  questions.check_known("transcribe", input)
  local audio_s, batch = seconds_of(input, "audio_s", 3600), errors.whole("batch", input.batch or 1)
  local answer = { kind = "transcribe", asked = input, audio_s = audio_s, batch = batch, assumed = {} }
  local case = case_of(input, answer.assumed)
  local speed = speed_of(case, batch, audio_s)
  answer.case, answer.device, answer.step_s = case, case.setup.device, of_batch(case, batch).step
  local windows, last_s = windows_of(case, batch, audio_s)
  answer.windows = windows
  answer.parts, answer.time_s = of_windows(case, batch, windows, last_s)
  answer.parts.host_s = math.max(0, answer.time_s - answer.parts.encoder_s - answer.parts.decoder_s) -- rounding, where none waits
  answer.speed, answer.real_time_factor = audio_s / answer.time_s, answer.time_s / audio_s
  answer.memory, answer.cross_bytes = memory_of(case, batch)
  answer.memory_bytes = tables.total(answer.memory, 2)
  answer.fits = answer.memory_bytes <= shared_memory.usable(case.setup.device)
  answer.range = { time_s = ranges.around("transcribe", answer.time_s),
    speed = ranges.around("transcribe", answer.speed, true) }
  answer.batches = by_batch(case, audio_s)
  answer.price_usd_h, answer.price_assumed = encode.price(case.setup.device, input.price_usd_h)
  answer.usd_per_audio_h = answer.price_usd_h and answer.price_usd_h / speed
  local rate = seconds_of(input, "audio_per_s")
  answer.devices = rate and answer.fits and math.ceil(rate / (PLANNED * speed)) or nil
  return answer
end

return transcribe

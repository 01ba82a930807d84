-- speak{}: a decoder writes the tokens of a codec, so many for a second of sound. A stream keeps up where its tokens and
-- its share of the prompts take less than the sound does. Times are those of the serving kernels; the small decoder
-- that makes samples of tokens is not counted.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local halves = require("ballpark.halves")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.media")
local resolve = require("ballpark.resolve.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local shared_memory = require("ballpark.resolve.shared_memory")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")
local voices = require("ballpark.catalog.voices")

local speak = {}

local TEXT_TOK <const> = 60 -- two sentences and the voice's name (assumption)
local AUDIO_S <const> = 10 -- what they take to say, at six tokens a second (assumption)
local FIRST_S <const> = 0.5 -- of the first piece of sound, of a voice that nobody knows (assumption)
local CONTEXT_BYTES <const> = 1e9 -- of CUDA, captured graphs and the codec (assumption)
local PLANNED <const> = 0.7 -- of what a device can do (assumption)
local MOST <const> = 4096
local BATCHES <const> = { 1, 2, 4, 8, 16, 32, 64, 128 }

local function whole(input, name, default)
  local value = input[name] or default
  if value ~= nil and (math.type(value) ~= "integer" or value < 1) then
    errors.input(name, "must be a whole number of at least 1, got " .. tostring(value))
  end
  return value
end

local function positive(input, name, default)
  local value = input[name] or default
  if type(value) ~= "number" or not (value > 0 and value < math.huge) then
    errors.input(name, "must be a number above 0, got " .. tostring(value))
  end
  return value
end

-- The decoder, and what is known of its voice.
local function model_of(value)
  local voice = type(value) == "string" and voices.get(value) or nil
  if voice then return tables.with(catalog.model(voice.shape), { name = voice.name, vocab = voice.vocab }), voice end
  local unpriced = type(value) == "string" and voices.unpriced(value)
  if unpriced then errors.input("model", ("'%s' %s"):format(value, unpriced)) end
  local model = type(value) == "string" and catalog.model(value) or value
  if (model.arch or "decoder") ~= "decoder" or (model.cross_layers or 0) > 0 then
    errors.input("model", "must be a decoder that writes tokens of sound, as orpheus-3b is")
  end
  return model, nil
end

local function tokens_of(input, voice)
  if input.tokens_per_audio_s == nil and not voice then
    errors.input("tokens_per_audio_s", "is missing: the codec of a model that is no known voice (" ..
      table.concat(voices.names(), ", ") .. ") has to be told, as 82 for SNAC at 24 kHz")
  end
  return positive(input, "tokens_per_audio_s", voice and voice.tokens_per_s)
end

local function case_of(input, assumed)
  local model, voice = model_of(input.model)
  local device, name = encode.device(input.device), input.engine or "vllm"
  local tokens_per_s = tokens_of(input, voice)
  local case = { model = model, voice = voice, tokens_per_s = tokens_per_s, text_tok = whole(input, "text_tok", TEXT_TOK),
    audio_s = positive(input, "audio_s", AUDIO_S),
    first_tok = whole(input, "first_tok", voice and voice.first_tok or math.ceil(FIRST_S * tokens_per_s)) }
  case.setup = { model = model, device = device, network = { devices = 1 }, curves = (serving_curves.get(device)),
    plan = resolve.plan({ weights = input.weights or "bf16" }, model, name, 1), engine = resolve.engine({ name = name }, device) }
  units.check(case.setup.plan, device, name, "")
  if voice and not input.tokens_per_audio_s then
    assumed[#assumed + 1] = ("%.3g tokens for a second of sound (%s)"):format(tokens_per_s, voice.source)
  end
  if not input.engine then assumed[#assumed + 1] = "engine vllm, no other was given" end
  if not input.text_tok then assumed[#assumed + 1] = ("texts of %d tokens"):format(TEXT_TOK) end
  if not input.audio_s then assumed[#assumed + 1] = ("a text takes %d s to say"):format(AUDIO_S) end
  return case
end

-- Tokens that a stream keeps at its end.
local function longest(case) return math.ceil(case.text_tok + case.audio_s * case.tokens_per_s) end

local function step(case, batch) return core.infer_step(tables.with(case.setup, batch)).time_s end

-- { step_s, prompt_s, factor } of so many streams: seconds of one token of each, of one text, of a second of sound.
local function pace(case, streams)
  local one = step(case, { sequences = streams, context = case.text_tok + case.audio_s * case.tokens_per_s / 2 })
  local prompt = step(case, { prompts = 1, prompt_tokens = case.text_tok })
  return { step_s = one, prompt_s = prompt, factor = case.tokens_per_s * one + streams * prompt / case.audio_s }
end

local function memory_of(case, streams)
  local kv = core.kv_cache({ model = case.model, sequences = 1, tokens = longest(case) }).device_bytes
  return { { "weights", core.infer_memory(tables.with(case.setup, { sequence_tokens = 16 })).weights_bytes },
    { "KV cache of the streams", streams * kv }, { "context", CONTEXT_BYTES } }
end

local function holds(case, streams) return tables.total(memory_of(case, streams), 2) <= shared_memory.usable(case.setup.device) end

local function keeps_up(case, streams) return holds(case, streams) and pace(case, streams).factor <= 1 end

-- The most streams that keep up and fit; the factor grows with the streams.
local function most_streams(case)
  return halves.largest(0, MOST + 1, function(streams) return keeps_up(case, streams) end)
end

-- Streams that a device is planned to hold: whole ones, and one at least where it keeps up.
local function planned(most) return math.max(1, math.floor(PLANNED * most)) end

local function by_batch(case, usd_h)
  local list = {}
  for _, streams in ipairs(BATCHES) do
    if holds(case, streams) then
      local factor = pace(case, streams).factor
      list[#list + 1] = { streams, factor, streams / factor, tables.total(memory_of(case, streams), 2),
        usd_h and usd_h * factor / streams or nil }
    end
  end
  return list
end

local function add_ranges(answer)
  answer.range = { real_time_factor = ranges.around("speak", answer.real_time_factor),
    first_sound_s = ranges.around("speak", answer.first_sound_s), speed = ranges.around("speak", answer.speed, true),
    most_streams = ranges.around("speak_streams", answer.most_streams, true) }
end

--- Answers speak{}, see its record.
function speak.run(input)
  questions.check_known("speak", input)
  local answer = { kind = "speak", voices = whole(input, "voices", 1), assumed = {} }
  local case = case_of(input, answer.assumed)
  local at = pace(case, answer.voices)
  answer.case, answer.device, answer.tokens_per_audio_s = case, case.setup.device, case.tokens_per_s
  answer.step_s, answer.prompt_s, answer.real_time_factor = at.step_s, at.prompt_s, at.factor
  answer.speed = answer.voices / at.factor
  answer.first_sound_s = at.prompt_s + case.first_tok * at.step_s
  answer.memory = memory_of(case, answer.voices)
  answer.memory_bytes = tables.total(answer.memory, 2)
  answer.fits_memory = holds(case, answer.voices)
  answer.fits = answer.fits_memory and at.factor <= 1
  answer.most_streams = most_streams(case)
  add_ranges(answer)
  answer.price_usd_h, answer.price_assumed = encode.price(case.setup.device, input.price_usd_h)
  answer.usd_per_audio_h = answer.price_usd_h and answer.price_usd_h / answer.speed
  answer.batches = by_batch(case, answer.price_usd_h)
  local wanted = whole(input, "streams")
  answer.devices = wanted and answer.most_streams > 0 and math.ceil(wanted / planned(answer.most_streams)) or nil
  return answer
end

return speak

-- speak{}: text to speech by a language model that writes tokens of sound.
local units = require("ballpark.units")

return {
  name = "speak",
  title = "text to speech by tokens of sound on one device",
  inputs = {
    { "model", "a voice (orpheus-3b, llasa-3b, spark-tts-0.5b), or any decoder of the catalog with tokens_per_audio_s",
      is = "voice", type = "string|ballpark.model", required = true },
    { "device", "name or fields of a device", is = "device", type = "string|ballpark.device", required = true },
    { "engine", "vllm (the default), sglang or trtllm", type = "string" },
    { "tokens_per_audio_s", "tokens that a second of sound takes, of the codec: 82 for SNAC at 24 kHz", type = "number" },
    { "voices", "streams that speak at one time, 1 unless said", type = "integer" },
    { "text_tok", "tokens of the text and of what tells the voice, 60 unless said", type = "integer" },
    { "audio_s", "seconds that a text takes to say, 10 unless said", type = "number" },
    { "first_tok", "tokens that the first piece of sound is made of; the voice's, else half a second", type = "integer" },
    { "weights", "format of the weights: bf16 (the default), fp8, int4 …, as for serve", type = "string" },
    { "streams", "streams that are to be held at one time: answers the devices", type = "integer" },
    { "price_usd_h", "USD per device-hour, instead of the catalog's", type = "number" },
  },
  needs = { { "model", such = '"orpheus-3b"' }, { "device", such = '"L40S"' } },
  outputs = {
    { "fits", "boolean", "whether the streams fit, and each keeps up with its sound" },
    { "real_time_factor", "number", "seconds that a second of each stream takes" },
    { "speed", "number", "seconds of sound in a second, of all streams" },
    { "first_sound_s", "number", "from the text to the first piece of sound, without the codec" },
    { "step_s", "number", "one token of every stream" },
    { "prompt_s", "number", "the text of one stream" },
    { "most_streams", "integer", "streams that keep up and fit" },
    { "tokens_per_audio_s", "number", "that were counted with" },
    { "memory", "table[]", "its parts" },
    { "memory_bytes", "number", "all of them" },
    { "batches", "table[]", "speed, real-time factor, memory and price by streams" },
    { "range", "table<string, ballpark.range>", "80 % ranges of real_time_factor, speed, first_sound_s, most_streams" },
    { "usd_per_audio_h", "number|nil", "of an hour of sound, with as many streams" },
    { "devices", "integer|nil", "that hold streams, each of them whole ones, at most 70 % of what keeps up" },
  },
  command = {
    summary = "Turn text to speech: real-time factor, streams of a device, price of an hour of sound",
    examples = {
      "ballpark speak --model orpheus-3b --device L40S",
      "ballpark speak --model orpheus-3b --device H100 --weights fp8 --voices 16 --streams 200",
      "ballpark speak --model qwen2.5-0.5b --tokens-per-audio-s 25 --device L4",
    },
    options = {
      { "model", "model", "orpheus-3b, llasa-3b, spark-tts-0.5b, or a decoder of the catalog.", "text" },
      { "device", "device", "Catalog name.", "text" },
      { "engine", "engine", "vllm (the default), sglang or trtllm.", "text" },
      { "tokens-per-audio-s", "tokens_per_audio_s", "Tokens of a second of sound; the voice's unless said." },
      { "voices", "voices", "Streams that speak at one time; 1 unless said." },
      { "text-tok", "text_tok", "Tokens of a text; 60 unless said." },
      { "audio", "audio_s", "Seconds that a text takes to say; 10 unless said." },
      { "first-tok", "first_tok", "Tokens before the first piece of sound." },
      { "weights", "weights", "Format of the weights: bf16, fp8, int4, …", "text" },
      { "streams", "streams", "Streams to be held at one time: answers the devices." },
      { "price", "price_usd_h", "USD per device-hour, instead of the catalog's." },
    },
    after = {},
  },
  headline = function(answer)
    return (answer.devices and units.count(answer.devices, "device") .. " for the streams; " or "") .. ("first sound after %s, %.3g times the speed of sound"):format(units.format(answer.first_sound_s, "s"), answer.speed)
  end,
  reason = function(answer) return answer.fits_memory and "time" or "memory" end,
}

-- transcribe{}: speech to text by an encoder-decoder on one device.
local units = require("ballpark.units")

return {
  name = "transcribe",
  title = "speech to text by an encoder-decoder (Whisper) on one device",
  inputs = {
    { "model", "name of the catalog with an encoder of sound (whisper-large-v3), or a table of fields: ballpark explain "
      .. "model", is = "model", type = "string|ballpark.model", required = true },
    { "device", "name or fields of a device", is = "device", type = "string|ballpark.device", required = true },
    { "software", "faster-whisper (the default where it runs), whisper.cpp (elsewhere), openai-whisper, transformers or vllm", type = "string" },
    { "audio_s", "seconds of sound, hours(1) unless said", type = "number" },
    { "batch", "windows of 30 s that are decoded together, 1 unless said", type = "integer" },
    { "beams", "hypotheses of each window; what the software does unless said", type = "integer" },
    { "window_tok", "tokens that are written for a window, 120 unless said: speech has about four a second",
      type = "integer" },
    { "weights", "format of the weights: bf16 (or fp16, the default), fp8, int8 …, as for serve", type = "string" },
    { "audio_per_s", "seconds of sound that come in a second, as 500 lines of talk are 500: answers the devices",
      type = "number" },
    { "price_usd_h", "USD per device-hour, instead of the catalog's", type = "number" },
  },
  needs = { { "model", such = '"whisper-large-v3"' }, { "device", such = '"L4"' } },
  outputs = {
    { "fits", "boolean", "whether weights, keys and values, and a window's encoder fit" },
    { "time_s", "number", "for all of the sound" },
    { "speed", "number", "seconds of sound in a second" },
    { "real_time_factor", "number", "seconds that a second of sound takes" },
    { "windows", "integer", "windows of 30 s, overlaps counted" },
    { "parts", "table", "encoder_s, decoder_s and host_s (spectrograms that the device waits for): of the time" },
    { "step_s", "number", "one step of the decoder for the whole batch" },
    { "memory", "table[]", "its parts" },
    { "memory_bytes", "number", "all of them" },
    { "cross_bytes", "number", "keys and values of one window's sound, in all layers of the decoder" },
    { "batches", "table[]", "speed and memory by windows decoded together" },
    { "range", "table<string, ballpark.range>", "80 % ranges of time_s and speed" },
    { "usd_per_audio_h", "number|nil", "of an hour of sound, sounds of this length one after the other" },
    { "devices", "integer|nil", "that keep up with audio_per_s, in sounds of this length, at 70 % of their capacity; nil where a batch does not fit" },
  },
  command = {
    summary = "Turn speech to text: seconds of sound per second, memory, devices for many lines",
    examples = {
      "ballpark transcribe --model whisper-large-v3 --device L4",
      "ballpark transcribe --model whisper-large-v3-turbo --device H100 --software vllm --batch 32 \\",
      "    --audio-per-s 2000",
    },
    options = {
      { "model", "model", "Catalog name: whisper-large-v3, distil-large-v3, …", "text" },
      { "device", "device", "Catalog name.", "text" },
      { "software", "software", "faster-whisper (the default where it runs), whisper.cpp (elsewhere), openai-whisper, transformers or vllm.", "text" },
      { "audio", "audio_s", "Seconds of sound, as 'hours(10)'; an hour unless said." },
      { "batch", "batch", "Windows of 30 s that are decoded together; 1 unless said." },
      { "beams", "beams", "Hypotheses of each window; what the software does unless said." },
      { "window-tok", "window_tok", "Tokens written for a window; 120 unless said." },
      { "weights", "weights", "Format of the weights: bf16, fp8, int8, …", "text" },
      { "audio-per-s", "audio_per_s", "Seconds of sound that come in a second: answers the devices." },
      { "price", "price_usd_h", "USD per device-hour, instead of the catalog's." },
    },
    after = {},
  },
  headline = function(answer, asked)
    local of_day = asked.sound_day and not answer.devices and ("%s of sound a day; "):format(units.format(24 * answer.speed * 3600, "device s"):gsub("device%-hours", "hours")) or ""
    local keep_up = answer.devices and ("%s up; "):format(answer.devices == 1 and "1 device keeps" or answer.devices .. " devices keep") or ""
    if asked.count and keep_up == "" then keep_up = ("%s; "):format(units.count(asked.count, "device")) end
    return of_day .. keep_up .. ("%s for the sound, %.3g times its speed; %s"):format(units.format(answer.time_s, "s"), answer.speed,
      units.format(answer.memory_bytes, "B"))
  end,
  reason = function() return "memory" end,
}

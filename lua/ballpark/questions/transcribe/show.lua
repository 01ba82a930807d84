-- Speech to text in a report.
local measured = require("ballpark.questions.comparables.measured")
local parts = require("ballpark.questions.inference.show")
local transcribe = require("ballpark.questions.transcribe.run")

local show = {}

--- Adds an answer of transcribe{} to a result.
function show.answer(result, answer)
  local case = answer.case
  local list, fact = parts.facts_list("transcribe", ("%s on %s, %s, %d of 30 s together"):format(
    case.model.name or "model", answer.device.name or "device", case.software.name, answer.batch))
  fact("time_s", answer.time_s, "s", "Time for the sound", answer.range.time_s)
  fact("audio_s", answer.audio_s, "s", "Sound")
  fact("speed", answer.speed, "", "Seconds of sound a second", answer.range.speed)
  fact("real_time_factor", answer.real_time_factor, "", "Real-time factor")
  fact("step_s", answer.step_s, "s", "Step of the decoder")
  fact("windows", answer.windows, "", "Windows of 30 s")
  fact("memory_bytes", answer.memory_bytes, "B", "Memory")
  fact("cross_bytes", answer.cross_bytes, "B", "Keys and values of a window")
  fact("fits", answer.fits, "", "Fits")
  if answer.usd_per_audio_h then fact("usd_per_audio_h", answer.usd_per_audio_h, "USD", "An hour of sound") end
  if answer.devices then fact("devices", answer.devices, "", "Devices that keep up") end
  if not result.numbers_only then
    measured.add(fact, measured.nearest("transcribe", transcribe.run, case.model.name, answer.device))
  end
  result:facts(list)
  result:table(parts.share_table("time", "Time", { { "encoder", answer.parts.encoder_s },
    { "decoder", answer.parts.decoder_s }, { "spectrograms on the host", answer.parts.host_s } }, "s"))
  result:table(parts.share_table("memory", "Memory", answer.memory, "B"))
  result:table({ name = "batches", title = "By windows decoded together", rows = answer.batches,
    columns = parts.columns({ "batch", "Windows" }, { "speed", "Seconds of sound a second" },
      { "real_time_factor", "Real-time factor" }, { "memory_bytes", "Memory", "B" }) })
  parts.said(result, answer)
  if answer.windows < answer.batch and (answer.devices or answer.usd_per_audio_h) then
    result:assume("What an hour of sound costs, and the devices: one such sound comes after the other, and windows of several are decoded together.")
  end
  if answer.devices then result:assume("Devices planned at 70 % of what they can do.") end
  if answer.price_assumed then result:assume("Price: " .. answer.price_assumed .. ".") end
  result:assume("Silence is transcribed like speech; spectrograms and files are read beside the device.")
  result:assume("Range: " .. answer.range.time_s.why[1] .. ".")
end

return show

-- Text to speech in a report.
local measured = require("ballpark.questions.comparables.measured")
local parts = require("ballpark.questions.inference.show")
local speak = require("ballpark.questions.speak.run")

local show = {}

--- Adds an answer of speak{} to a result.
function show.answer(result, answer)
  local case = answer.case
  local list, fact = parts.facts_list("speak", ("%s on %s, %d at one time"):format(case.model.name or "model",
    answer.device.name or "device", answer.voices))
  fact("real_time_factor", answer.real_time_factor, "", "Real-time factor", answer.range.real_time_factor)
  fact("speed", answer.speed, "", "Seconds of sound a second", answer.range.speed)
  fact("first_sound_s", answer.first_sound_s, "s", "First sound", answer.range.first_sound_s)
  fact("most_streams", answer.most_streams, "", "Streams that keep up", answer.range.most_streams)
  fact("step_s", answer.step_s, "s", "A token of each stream")
  fact("prompt_s", answer.prompt_s, "s", "A text")
  fact("tokens_per_audio_s", answer.tokens_per_audio_s, "", "Tokens of a second of sound")
  fact("memory_bytes", answer.memory_bytes, "B", "Memory")
  fact("fits", answer.fits, "", "Fits and keeps up")
  if answer.usd_per_audio_h then fact("usd_per_audio_h", answer.usd_per_audio_h, "USD", "An hour of sound") end
  if answer.devices then fact("devices", answer.devices, "", "Devices for the streams") end
  if not result.numbers_only then
    measured.add(fact, measured.nearest("speak", speak.run, case.model.name, answer.device))
  end
  result:facts(list)
  result:table(parts.share_table("memory", "Memory", answer.memory, "B"))
  result:table({ name = "batches", title = "By streams at one time", rows = answer.batches,
    columns = parts.columns({ "streams", "Streams" }, { "real_time_factor", "Real-time factor" },
      { "speed", "Seconds of sound a second" }, { "memory_bytes", "Memory", "B" },
      { "usd_per_audio_h", "An hour of sound", "USD" }) })
  parts.said(result, answer)
  if not result.numbers_only then
    local live = measured.nearest("speak_streams", speak.run, case.model.name, answer.device)
    result:assume(("Streams: %.2g times as many as held live are estimated for %s: %s (%s; %s). The codec, clients and "
      .. "their pauses take the rest: plan with fewer."):format(live.ratio, live.text, live.formatted, live.source, live.date))
  end
  if answer.devices then result:assume("Devices planned at 70 % of the streams that keep up.") end
  if answer.price_assumed then result:assume("Price: " .. answer.price_assumed .. ".") end
  result:assume("The codec's decoder, which makes samples of tokens, is not counted.")
  result:assume("Range: " .. answer.range.speed.why[1] .. ".")
end

return show

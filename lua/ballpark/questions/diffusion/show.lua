-- Images by diffusion in a report.
local contradiction = require("ballpark.questions.inference.contradiction")
local diffusion = require("ballpark.questions.diffusion.run")
local measured = require("ballpark.questions.comparables.measured")
local parts = require("ballpark.questions.inference.show")
local units = require("ballpark.units")

local show = {}

local PARTS <const> = { { "matmul_s", "matmuls, convolutions" }, { "attention_s", "attention" },
  { "elementwise_s", "norms, gates, joins" }, { "host_s", "host, launches" } }

local function size_of(answer)
  local model, input = answer.model, answer.input
  local said = (input.width or 0) > 0
  local width = said and input.width or model.image or 512
  local height = (input.height or 0) > 0 and input.height or not said and (model.image_height or 0) > 0 and model.image_height or width
  return ("%d x %d"):format(width, height)
end

-- Frames of a film; nil of an image.
local function frames_of(answer)
  local frames = (answer.input.frames or 0) > 0 and answer.input.frames or answer.model.frames or 1
  return frames > 1 and frames or nil
end

-- Where the seconds go: what the kernel says, and the text encoders.
local function time_table(answer)
  local made = parts.parts_table(answer, PARTS)
  made.title = "Time of a call"
  table.insert(made.rows, { "text encoders", answer.text_s })
  if answer.move_s > 0 then table.insert(made.rows, { "parts from the host", answer.move_s }) end
  for _, row in ipairs(made.rows) do row[3] = row[2] / answer.time_s end
  return made
end

-- What makes it fit, the fastest first.
local function to_fit(answer)
  local best
  for _, change in ipairs(answer.changes) do
    if change[4] and (not best or change[2] < best[2]) then best = change end
  end
  if not best then return "it does not fit, nor with parts that take turns or weights of fewer bits: fewer images at once, or a larger device" end
  return ("it does not fit: it does with this change, the fastest of those below: %s"):format(best[1])
end

--- Adds an answer of diffusion{} to a result.
function show.answer(result, answer)
  local out, frames = answer.out, frames_of(answer)
  local what = frames and "film" or "image"
  local list, fact = parts.facts_list("diffusion", ("%s on %s, %d of %s%s"):format(answer.model.name or "model",
    answer.input.device.name or "device", answer.input.batch, size_of(answer), frames and (", %d frames"):format(frames) or ""))
  fact("time_s", answer.time_s, "s", "Time of a call", answer.range.time_s)
  fact("per_s", answer.per_s, "1/s", frames and "Films per second" or "Images per second", answer.range.per_s)
  fact("step_s", out.step_s, "s", "One step")
  fact("steps_per_s", answer.steps_per_s, "1/s", "Steps per second", answer.range.steps_per_s)
  fact("decode_s", out.decode_s, "s", "Decoder")
  fact("bound", out.bound, "", "Bound by")
  fact("memory_bytes", answer.memory_bytes, "B", "Memory")
  fact("fits", contradiction.is_held(answer), "", "Fits")
  fact("item_flop", out.item_flop, "FLOP", "Arithmetic of one " .. what)
  fact("pass_flop", out.pass_flop, "FLOP", "Of one pass")
  fact("util_frac", out.util_frac, "frac", "Share of the dense peak")
  fact("denoiser_params", out.denoiser_params, "", "Parameters of the denoiser")
  fact("tokens", out.tokens, "tok", "Longest sequence of attention")
  if answer.usd_per_thousand then fact("usd_per_thousand", answer.usd_per_thousand, "USD", "A thousand " .. what .. "s") end
  if answer.images then
    fact("images_s", answer.dealt.device_s, "device s", ("All %s"):format(units.tally(answer.images)))
    local devices = answer.asked.devices
    if devices then fact("images_together_s", answer.dealt.time_s, "s", ("On %s"):format(units.count(devices, "device"))) end
    if answer.images_usd then fact("images_usd", answer.images_usd, "USD", "They cost") end
  end
  if not result.numbers_only then
    measured.add(fact, measured.nearest("diffusion", diffusion.run, answer.model.name, answer.input.device))
  end
  result:facts(list)
  result:table(time_table(answer))
  result:table(parts.share_table("memory", "Memory", answer.memory, "B"))
  result:table({ name = "batches", title = "By images of a call", rows = answer.batches,
    columns = parts.columns({ "batch", "Images" }, { "time_s", "Time", "s" }, { "per_s", "Per second", "1/s" },
      { "memory_bytes", "Memory", "B" }, { "bound", "Bound by" }) })
  result:table({ name = "changes", title = "What would be different", rows = answer.changes,
    columns = parts.columns({ "change", "Change" }, { "time_s", "Time", "s" }, { "memory_bytes", "Memory", "B" },
      { "fits", "Fits" }) })
  parts.fleet_facts(result, answer)
  if not answer.room then result:warn(to_fit(answer)) end
  parts.said(result, answer)
  result:assume("Attention in one kernel; text encoders in 16 bit, for the prompt and, with guidance, an empty one.")
  result:assume("Range: " .. answer.range.time_s.why[1] .. ".")
end

return show

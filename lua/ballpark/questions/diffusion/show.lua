-- Images by diffusion in a report.
local diffusion = require("ballpark.questions.diffusion.run")
local measured = require("ballpark.questions.comparables.measured")
local parts = require("ballpark.questions.inference.show")

local show = {}

local PARTS <const> = { { "matmul_s", "matmuls, convolutions" }, { "attention_s", "attention" },
  { "elementwise_s", "norms, gates, joins" }, { "host_s", "host, launches" } }

local function size_of(answer)
  local width = (answer.input.width or 0) > 0 and answer.input.width or answer.model.image or 512
  local height = (answer.input.height or 0) > 0 and answer.input.height or width
  return width, height
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
  local out, width, height = answer.out, size_of(answer)
  local list, fact = parts.facts_list("diffusion", ("%s on %s, %d of %d x %d"):format(answer.model.name or "model",
    answer.input.device.name or "device", answer.input.batch, width, height))
  fact("time_s", answer.time_s, "s", "Time of a call", answer.range.time_s)
  fact("per_s", answer.per_s, "1/s", "Images per second", answer.range.per_s)
  fact("step_s", out.step_s, "s", "One step")
  fact("steps_per_s", answer.steps_per_s, "1/s", "Steps per second")
  fact("decode_s", out.decode_s, "s", "Decoder")
  fact("bound", out.bound, "", "Bound by")
  fact("memory_bytes", answer.memory_bytes, "B", "Memory")
  fact("fits", answer.room, "", "Fits")
  fact("item_flop", out.item_flop, "FLOP", "Arithmetic of one image")
  fact("pass_flop", out.pass_flop, "FLOP", "Of one pass")
  fact("util_frac", out.util_frac, "frac", "Share of the dense peak")
  fact("denoiser_params", out.denoiser_params, "", "Parameters of the denoiser")
  fact("tokens", out.tokens, "tok", "Longest sequence of attention")
  if answer.usd_per_thousand then fact("usd_per_thousand", answer.usd_per_thousand, "USD", "A thousand images") end
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

-- An encoder or image network in a report.
local calls = require("ballpark.questions.comparables.calls")
local comparables = require("ballpark.questions.comparables.show")
local parts = require("ballpark.questions.inference.show")
local trained_length = require("ballpark.questions.trained_length")

local show = {}

local ENCODE_PARTS <const> = { { "matmul_s", "matmuls" }, { "attention_s", "attention" },
  { "elementwise_s", "elementwise" }, { "host_s", "host, launches" }, { "input_s", "bringing inputs in" } }

--- Adds an answer of encode{} to a result.
function show.answer(result, answer)
  local out = answer.out
  local list, fact = parts.facts_list("encode", ("%s on %s, batch %d"):format(answer.subject.name or "model",
    answer.input.device.name or "device", answer.input.batch))
  parts.call_facts(fact, answer, "Texts or images")
  fact("item_flop", out.item_flop, "FLOP", "Arithmetic of one")
  if out.util_frac then fact("util_frac", out.util_frac, "frac", "Share of the dense peak") end
  if out.tokens then fact("tokens", out.tokens, "tok", "Tokens of one") end
  if (out.padding_frac or 0) > 0 then fact("padding_frac", out.padding_frac, "frac", "Computed for padding") end
  if not result.numbers_only and out.fits then
    comparables.call(fact, result, calls.nearest({ spread = answer.subject.spread, item_flop = out.item_flop,
      device = answer.input.device, per_s_device = calls.best_of(answer).per_s }))
  end
  result:facts(list)
  result:table(parts.parts_table(answer, ENCODE_PARTS))
  result:table({ name = "batches", title = "By batch", rows = answer.batches,
    columns = parts.columns({ "batch", "Batch" }, { "time_s", "Time", "s" }, { "per_s", "Per second", "1/s" },
      { "bound", "Bound by" }) })
  parts.fleet_facts(result, answer)
  local text = answer.subject.spread == "encoder" and answer.subject.model
  if text then trained_length.warn(result, text, out.tokens) end
  parts.said(result, answer)
  result:assume(parts.MEASURED_RANGES)
end

return show

-- A reranker in a report.
local contradiction = require("ballpark.questions.inference.contradiction")
local measured = require("ballpark.questions.comparables.measured")
local parts = require("ballpark.questions.inference.show")
local rerank = require("ballpark.questions.rerank.run")
local trained_length = require("ballpark.questions.trained_length")

local show = {}

local PARTS <const> = { { "matmul_s", "matmuls" }, { "attention_s", "attention" }, { "elementwise_s", "elementwise" },
  { "host_s", "host, launches" } }

--- Adds an answer of rerank{} to a result.
function show.answer(result, answer)
  local asked, out = answer.counts, answer.out
  local list, fact = parts.facts_list("rerank", ("%s on %s, %d documents of %d tokens"):format(
    answer.subject.name or "model", answer.input.device.name or "device", asked.documents, asked.document_tokens))
  fact("query_s", answer.query_s, "s", "Time of a query", answer.range.query_s)
  fact("queries_per_s", answer.queries_per_s, "1/s", "Queries per second", answer.range.queries_per_s)
  fact("documents_per_s", answer.documents_per_s, "1/s", "Documents per second", answer.range.documents_per_s)
  fact("calls", answer.calls, "", "Calls of a query")
  fact("bound", out.bound, "", "Bound by")
  fact("memory_bytes", out.memory_bytes, "B", "Memory")
  fact("fits", contradiction.is_held(answer), "", "Fits")
  fact("item_flop", out.item_flop, "FLOP", "Arithmetic of one pair")
  fact("util_frac", out.util_frac, "frac", "Share of the dense peak")
  if answer.usd_per_million then fact("usd_per_million", answer.usd_per_million, "USD", "A million pairs") end
  if not result.numbers_only then
    measured.add(fact, measured.nearest("rerank", rerank.run, answer.subject.name, answer.input.device))
  end
  result:facts(list)
  result:table(parts.parts_table(answer, PARTS))
  parts.fleet_facts(result, answer)
  if not out.fits then result:warn("a call does not fit: score fewer pairs at once with batch") end
  trained_length.warn(result, answer.subject.model, answer.input.tokens)
  parts.said(result, answer)
  result:assume("All pairs are as long as the mean; none is cut or padded.")
  result:assume("Range: " .. answer.range.query_s.why[1] .. ".")
end

return show

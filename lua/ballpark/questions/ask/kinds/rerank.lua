-- Passages ranked again: rerank{} answers.
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")

return {
  name = "rerank", title = "Ranking passages again", words = "Rank the passages of a query again: how long, how many devices?",
  question = "rerank",
  facts = {
    { "model", "Which model (name of the catalog)?", type = "string", title = "Model",
      propose = proposals.constant("bge-reranker-v2-m3", "a usual open one") },
    proposals.device("L4", "small encoders in real time"),
    { "documents", "Passages of a query?", unit = "", type = "integer", title = "Passages", ask = 1,
      also = { "vectors", "passages", "items", "candidates" }, propose = proposals.constant(100, "what a search hands on") },
    { "document_tokens", "Tokens of a passage?", unit = "tok", type = "integer", title = "Tokens of a passage",
      also = { "input_tokens", "tokens", "seq_len", "passage_tokens" }, propose = proposals.constant(256, "a paragraph") },
    { "rate_per_s", "Queries per second in the mean?", unit = "1/s", title = "Mean rate", ask = 2 },
    tables.with(proposals.peak, { propose = function(f)
      if f.rate_per_s then return proposals.peak.propose(f) end
    end }), proposals.peak_rate,
    { "slo_s", "SLO, seconds?", unit = "s", title = "SLO", propose = function(f)
      if f.rate_per_s then return 0.5, "a part of what a reader waits for" end
    end },
    proposals.own_price,
  },
  input = function(f)
    return { model = f.model, device = f.device, documents = f.documents, document_tokens = f.document_tokens, price_usd_h = f.usd_h,
      load = f.peak_per_s and { rate_per_s = f.peak_per_s, sla_s = f.slo_s } or nil }
  end,
}

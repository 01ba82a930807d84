-- rerank{}: documents of a query scored by a cross-encoder or a decoder on one device.
local contradiction = require("ballpark.questions.inference.contradiction")
local inputs = require("ballpark.questions.inputs")
local units = require("ballpark.units")

return {
  name = "rerank",
  title = "documents of a query scored pair by pair on one device",
  inputs = {
    { "model", "name of the catalog (bge-reranker-v2-m3, Qwen3-Reranker-0.6B), or fields of an encoder or decoder",
      is = "network", type = "string|table", required = true },
    { "device", "name or fields of a device", is = "device", type = "string|ballpark.device", required = true },
    { "documents", "of one query, 100 unless said", type = "integer" },
    { "query_tokens", "of a query, 32 unless said", type = "integer" },
    { "document_tokens", "of a document, 256 unless said", type = "integer" },
    { "batch", "pairs of one call; all documents of a query unless said", type = "integer" },
    { "runtime", "as for encode{}; tensorrt unless said", is = "either", type = "string|ballpark.runtime" },
    { "dtype", "format of weights and matmuls, fp16 unless said", type = "string" },
    { "load", "queries: rate_per_s, sla_s (99th percentile), utilization_frac (0.7), spares: answers the fewest replicas",
      is = "group", type = "table", whole = { "spares" } },
    { "price_usd_h", "USD per device-hour, instead of the catalog's", type = "number" },
  },
  needs = { { "model", such = '"bge-reranker-v2-m3"' }, { "device", such = '"L4"' } },
  outputs = {
    { "fits", "boolean", "whether a call fits and replicas meet the SLO" },
    { "query_s", "number", "time of a query: all its documents" },
    { "queries_per_s", "number", "queries back to back" },
    { "documents_per_s", "number", "pairs" },
    { "calls", "integer", "of a query" },
    { "out", "ballpark.encode_out", "of the kernel, for one call" },
    { "range", "table<string, ballpark.range>", "80 % ranges of query_s, queries_per_s and documents_per_s" },
    { "usd_per_million", "number|nil", "of a million pairs" },
    { "fleet", "table|false|nil", "replicas of the load; false where none meet the SLO with batches that fit" },
  },
  command = {
    summary = "Score the documents of a query with a reranker, and size replicas for queries",
    examples = {
      "ballpark rerank --model bge-reranker-v2-m3 --device L4 --documents 50",
      "ballpark rerank --model Qwen3-Reranker-0.6B --device H100 --rate 40 --sla 'ms(500)'",
    },
    options = {
      { "model", "model", "Catalog name.", "text" },
      { "device", "device", "Catalog name.", "text" },
      { "documents", "documents", "Documents of a query; 100 unless said." },
      { "query-tokens", "query_tokens", "Tokens of a query; 32 unless said." },
      { "document-tokens", "document_tokens", "Tokens of a document; 256 unless said." },
      { "batch", "batch", "Pairs of one call; all documents of a query unless said." },
      { "runtime", "runtime", "tensorrt (the default), compiled, eager, …: as for encode.", "text" },
      { "dtype", "dtype", "Format of weights and matmuls; fp16 unless said.", "text" },
      { "price", "price_usd_h", "USD per device-hour, instead of the catalog's." },
    },
    after = inputs.load_options,
  },
  contradiction = contradiction.sentence,
  headline = function(answer)
    local fleet = answer.fleet and ("%s of one %s; "):format(units.count(answer.fleet.replicas, "replica"), answer.input.device.name) or ""
    return ("%s%s a query, %s"):format(fleet, units.format(answer.query_s, "s"), units.format(answer.documents_per_s, "1/s"))
  end,
  reason = contradiction.reason,
}

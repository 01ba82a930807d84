-- The columns of a table of published inference results, and what stands in their notes.
local cells = require("ballpark.measured.cells")
local notes = require("ballpark.measured.notes")

local inference_columns = {}

-- name, kind, what it holds.
inference_columns.list = {
  { "id", "text", "name of the row; what stands before its last hyphen is its family" },
  { "model", "text", "catalog name, image network, recommendation model, or Faiss index (faiss-IVF4096,PQ64)" },
  { "gpu", "text", "device, a catalog name or a common label; CPU for a server" },
  { "gpus", "count", "devices; blank = 1" },
  { "precision_weights", "text", "fp32, tf32, fp16, bf16, fp8 or int8; blank = what the benchmark's accuracy leaves" },
  { "engine", "text", "runtime, with Triton where it is in front" },
  { "batch_or_concurrency", "count", "inputs of a call; with dynamic batching, clients; of a search, queries" },
  { "input_len", "count", "tokens of a text after padding" },
  { "output_len", "index", "tokens that are written; rows that have any are of language models and not read" },
  { "metric_kind", "text", "latency_ms, images_per_s, seqs_per_s or requests_per_s; others are not read" },
  { "value", "number", "what was measured, over all devices" },
  { "notes", "text", "key=value pairs: stat, scenario, bench, N, d, nprobe, k, R@1; padding removed" },
}

inference_columns.required = { "model", "gpu", "metric_kind" }

inference_columns.targets = { "value" }

-- What a published table may have besides.
inference_columns.beside = { "source", "source_read", "from_memory", "tp", "pp", "ep", "precision_kv" }

--- The row of typed values in `texts`: `wrong` is what does not read, `said` the pairs of its notes.
function inference_columns.row(texts)
  local row = cells.row(inference_columns.list, texts)
  row.said = notes.pairs(row.notes)
  row.family = row.id and (row.id:match("^(.*)%-[^%-]*$") or row.id) or ""
  return row
end

--- Checks a header: missing columns are an error, unknown ones are returned.
function inference_columns.check(header, name) return cells.check(inference_columns, header, name) end

return inference_columns

-- The columns of a table of published inference results, and what stands in their notes.
local errors = require("ballpark.errors")

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

inference_columns.required = { "model", "gpu", "metric_kind", "value" }

-- What a published table may have besides.
local BESIDE <const> = { "source", "source_read", "from_memory", "tp", "pp", "ep", "precision_kv" }

local function number_of(text)
  local value = tonumber(text)
  return value and value > 0 and value < math.huge and value or nil
end

local function count_of(text)
  local value = number_of(text)
  return value and math.tointeger(value) or nil
end

local readers = {
  text = function(text) return text end,
  number = function(text) return number_of(text), "a number above 0" end,
  index = function(text) return text == "0" and 0 or count_of(text), "a whole number" end,
  count = function(text) return count_of(text), "a whole number of at least 1" end,
}

-- Pairs of key=value, wherever they stand.
local function pairs_of(text)
  local said = {}
  for key, value in (text or ""):gmatch("([%w@_]+)=([^;%s]+)") do said[key] = said[key] or value end
  return said
end

--- The row of typed values in `cells`: `wrong` is what does not read, `said` the pairs of its notes.
function inference_columns.row(cells)
  local row = {}
  for _, column in ipairs(inference_columns.list) do
    local name = column[1]
    local text = (cells[name] or ""):match("^%s*(.-)%s*$")
    if text ~= "" then
      local value, expected = readers[column[2]](text)
      row[name] = value
      if value == nil and not row.wrong then row.wrong = ("%s: '%s' is not %s"):format(name, text, expected) end
    end
  end
  row.said = pairs_of(row.notes)
  row.family = row.id and (row.id:match("^(.*)%-[^%-]*$") or row.id) or ""
  return row
end

local function set_of(list)
  local set = {}
  for _, name in ipairs(list) do set[type(name) == "table" and name[1] or name] = true end
  return set
end

--- Checks a header: missing columns are an error, unknown ones are returned.
function inference_columns.check(header, name)
  local there, missing, ignored = set_of(header), {}, {}
  for _, column in ipairs(inference_columns.required) do
    if not there[column] then missing[#missing + 1] = column end
  end
  if #missing > 0 then errors.input(name, "columns missing: " .. table.concat(missing, ", ")) end
  local known, beside = set_of(inference_columns.list), set_of(BESIDE)
  for _, column in ipairs(header) do
    if not known[column] and not beside[column] then ignored[#ignored + 1] = column end
  end
  return ignored
end

return inference_columns

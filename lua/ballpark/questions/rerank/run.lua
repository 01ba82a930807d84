-- rerank{}: every pair of a query and a document goes once through a network, in calls of `batch` pairs.
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.inference.fleet")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.media")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")

local rerank = {}

-- Passages as search engines cut them, and what is usually handed on to a reranker (assumptions).
local USUAL <const> = { documents = 100, query_tokens = 32, document_tokens = 256 }
local COUNTED <const> = { "documents", "query_tokens", "document_tokens", "batch" }

local function counts(input)
  local full = {}
  for _, name in ipairs(COUNTED) do
    local value = input[name] or USUAL[name] or full.documents
    if math.type(value) ~= "integer" or value < 1 then
      errors.input(name, "must be a whole number of at least 1, got " .. tostring(value))
    end
    full[name] = value
  end
  return full
end

-- A call of the pairs that are left over is smaller than the others.
local function query_of(what, full, asked)
  local whole, rest = asked.documents // asked.batch, asked.documents % asked.batch
  local out = subject.forward(what, tables.with(full, { batch = math.min(asked.batch, asked.documents) }))
  local seconds = whole * out.time_s
  if whole > 0 and rest > 0 then
    seconds = seconds + subject.forward(what, tables.with(full, { batch = rest })).time_s
  end
  return { out = out, query_s = seconds > 0 and seconds or out.time_s, calls = whole + (rest > 0 and 1 or 0) }
end

--- Answers rerank{}, see its record.
function rerank.run(input)
  questions.check_known("rerank", input)
  local asked = counts(input)
  local what, device = subject.of(input.model), encode.device(input.device)
  if what.kind ~= "stack" or what.spread == "vision" then
    errors.input("model", "must be an encoder or a decoder of text")
  end
  local runtime, said = encode.runtime(input.runtime)
  local full = { device = device, runtime = runtime, dtype = input.dtype or "fp16",
    tokens = asked.query_tokens + asked.document_tokens }
  local answer = query_of(what, full, asked)
  answer.kind, answer.subject, answer.counts, answer.asked, answer.input = "rerank", what, asked, input, full
  answer.assumed = { said }
  for _, name in ipairs({ "documents", "query_tokens", "document_tokens" }) do
    if not input[name] then
      answer.assumed[#answer.assumed + 1] = ("%s %d, none was given"):format(name:gsub("_", " "), USUAL[name])
    end
  end
  answer.queries_per_s, answer.documents_per_s = 1 / answer.query_s, asked.documents / answer.query_s
  answer.range = { query_s = ranges.around("rerank", answer.query_s),
    queries_per_s = ranges.around("rerank", answer.queries_per_s, true),
    documents_per_s = ranges.around("rerank", answer.documents_per_s, true) }
  answer.fits = answer.out.fits
  answer.price_usd_h, answer.price_assumed = encode.price(device, input.price_usd_h)
  answer.usd_per_million = answer.price_usd_h and 1e6 / answer.documents_per_s * answer.price_usd_h / 3600
  if input.load then
    fleet.add(answer, input.load, function(queries)
      local together = query_of(what, full, tables.with(asked, { documents = queries * asked.documents }))
      return together.query_s, together.out.fits
    end)
  end
  return answer
end

return rerank

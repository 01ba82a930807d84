-- Published throughput of served models beside a replica's: like with like, a dense model beside a dense one, experts
-- beside experts, weights of about as many bits.
local best = require("ballpark.search.best")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local published = require("ballpark.catalog.served_published")
local ratio = require("ballpark.questions.comparables.ratio")

local services = {}

-- Logarithms of sizes, lengths, bits, caches and bandwidths together: beyond that a row says nothing of the answer.
local FARTHEST <const> = math.log(4)

-- Bytes of a weight in the formats of the published rows.
local WEIGHT_BYTES <const> = { fp8 = 1, bf16 = 2 }

local function has_experts(model) return (model.experts or 0) > 0 end

-- Keys and values of a sequence in 16 bit, which decide how many run.
local function cache_bytes(model, tokens) return core.kv_cache({ model = model, tokens = tokens }).sequence_bytes end

local apart = ratio.apart

-- How far a row is from a replica; infinite where they are of different kinds.
local function distance(own, row)
  local model, device = catalog.model(row[1]), catalog.device(row[2])
  if has_experts(model) ~= has_experts(own.model) then return math.huge end
  local params, mine, tokens = core.params({ model = model }), core.params({ model = own.model }),
    own.input_tokens + own.output_tokens
  return apart(params.active_params, mine.active_params)
    + (has_experts(model) and apart(params.total_params, mine.total_params) or 0)
    + apart(device.mem_bw_bytes_s, own.device.mem_bw_bytes_s) + apart(WEIGHT_BYTES[row[4]], own.weight_bytes)
    + apart(cache_bytes(model, tokens), cache_bytes(own.model, tokens))
    + apart(row[5], own.input_tokens) + apart(row[6], own.output_tokens)
end

--- The published throughput nearest to a replica's: { text, source, date, tok_s_device, own_tok_s_device, ratio = own over
--- published }, input and output tokens per second and device at capacity; nil where none is near.
---@param own table model, device, input_tokens, output_tokens, weight_bytes (of a parameter), tok_s_device
function services.nearest(own)
  local row, far = best.nearest(published.rows, function(row) return distance(own, row) end)
  if far >= FARTHEST then return nil end
  local theirs = row[7] / row[3] * (row[5] + row[6]) / row[6]
  return { text = ("%s %s on %d x %s, %d in and %d out"):format(row[1], row[4], row[3], row[2], row[5], row[6]),
    source = published.source, date = published.date, tok_s_device = theirs, own_tok_s_device = own.tok_s_device,
    ratio = own.tok_s_device / theirs }
end

return services

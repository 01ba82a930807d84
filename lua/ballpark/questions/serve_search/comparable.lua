-- The nearest published throughput to a fleet's, to see whether the answer is of the right order: like with like, a
-- dense model beside a dense one, experts beside experts, weights of about as many bits.
local best = require("ballpark.search.best")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local published = require("ballpark.catalog.served_published")

local comparable = {}

-- Logarithms of sizes, lengths, bits, caches and bandwidths together: beyond that a row says nothing of the answer.
local FARTHEST <const> = math.log(4)
-- A ratio beyond which one of the two is taken to be wrong: an order of magnitude.
comparable.suspect = 10

-- Bytes of a weight in the formats of the published rows.
local WEIGHT_BYTES <const> = { fp8 = 1, bf16 = 2 }

local function has_experts(model) return (model.experts or 0) > 0 end

local function apart(a, b) return math.abs(math.log(a / b)) end

-- Keys and values of a sequence in 16 bit, which decide how many run.
local function cache_bytes(model, tokens) return core.kv_cache({ model = model, tokens = tokens }).sequence_bytes end

-- What is compared of a replica.
local function traits(candidate)
  local load, model = candidate.ask.load, candidate.ask.model
  local params = core.params({ model = model })
  return { experts = has_experts(model), model = model, active = params.active_params, params = params.total_params,
    bandwidth = candidate.pool.device.mem_bw_bytes_s, input = load.input_tokens or 1024,
    output = load.output_tokens or 1024,
    weight_bytes = candidate.memory.weights_bytes * candidate.ranks / params.total_params }
end

-- How far a row is from a replica; infinite where they are of different kinds.
local function distance(own, row)
  local model, device = catalog.model(row[1]), catalog.device(row[2])
  if has_experts(model) ~= own.experts then return math.huge end
  local params, tokens = core.params({ model = model }), own.input + own.output
  return apart(params.active_params, own.active) + (own.experts and apart(params.total_params, own.params) or 0)
    + apart(device.mem_bw_bytes_s, own.bandwidth) + apart(WEIGHT_BYTES[row[4]], own.weight_bytes)
    + apart(cache_bytes(model, tokens), cache_bytes(own.model, tokens))
    + apart(row[5], own.input) + apart(row[6], own.output)
end

--- The published row nearest to a group of replicas of a fleet: { text, tok_s_device, own_tok_s_device, ratio = own
--- over published }, input and output tokens per second and device at capacity; nil where none is near.
function comparable.of(group)
  local candidate = group.candidate
  local own = traits(candidate)
  local row, far = best.nearest(published.rows, function(row) return distance(own, row) end)
  if far >= FARTHEST then return nil end
  local theirs = row[7] / row[3] * (row[5] + row[6]) / row[6]
  local mine = group.steady.capacity_per_s * (own.input + own.output) / candidate.ranks
  return { text = ("%s %s on %d x %s, %d in and %d out"):format(row[1], row[4], row[3], row[2], row[5], row[6]),
    source = published.source, tok_s_device = theirs, own_tok_s_device = mine, ratio = mine / theirs }
end

return comparable

-- Published throughput of served models beside a replica's: like with like, a dense model beside a dense one, experts
-- beside experts, weights of about as many bits.
local best = require("ballpark.search.best")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local published = require("ballpark.catalog.served_published")
local ratio = require("ballpark.questions.comparables.ratio")
local tables = require("ballpark.tables")

local services = {}

-- Logarithms of sizes, lengths, bits, caches and bandwidths together: beyond that a row says nothing of the answer.
local FARTHEST <const> = math.log(6)
-- Twice the prompt or the answer is as far as so much of twice the model: the rate is that of all tokens.
local LENGTH_WEIGHT <const> = 0.5

-- Bytes of a weight in the formats of the published rows.
local WEIGHT_BYTES <const> = { nvfp4 = 0.5625, fp8 = 1, bf16 = 2 }

local function has_experts(model) return (model.experts or 0) > 0 end

-- Keys and values of a sequence in 16 bit, which decide how many run.
local function cache_bytes(model, tokens) return core.kv_cache({ model = model, tokens = tokens }).sequence_bytes end

local apart = ratio.apart

-- Models of the table and their parameters: the same few again and again.
local models = {}

local function model_of(name)
  if not models[name] then
    local model = catalog.model(name)
    models[name] = { model, core.params({ model = model }) }
  end
  return models[name][1], models[name][2]
end

-- Bandwidth of the memory of the table's devices.
local bandwidths = {}

local function bandwidth_of(name)
  bandwidths[name] = bandwidths[name] or catalog.device(name).mem_bw_bytes_s
  return bandwidths[name]
end

-- How far a row is from a replica; infinite where they are of different kinds.
local function distance(own, row)
  local model, params = model_of(row[1])
  if has_experts(model) ~= has_experts(own.model) then return math.huge end
  local mine, tokens = own.params, own.input_tokens + own.output_tokens
  return apart(params.active_params, mine.active_params)
    + (has_experts(model) and apart(params.total_params, mine.total_params) or 0)
    + apart(bandwidth_of(row[2]), own.device.mem_bw_bytes_s) + apart(WEIGHT_BYTES[row[4]], own.weight_bytes)
    + apart(cache_bytes(model, tokens), cache_bytes(own.model, tokens))
    + LENGTH_WEIGHT * (apart(row[5], own.input_tokens) + apart(row[6], own.output_tokens))
end

--- The published throughput nearest to a replica's: { text, source, date, tok_s_device, own_tok_s_device, ratio = own over
--- published }, input and output tokens per second and device at capacity; nil where none is near.
---@param own table model, device, input_tokens, output_tokens, weight_bytes (of a parameter), tok_s_device
function services.nearest(own)
  own = tables.with(own, { params = core.params({ model = own.model }) })
  local row, far, from
  for _, source in ipairs(published) do
    local one, apart_of_it = best.nearest(source.rows, function(each) return distance(own, each) end)
    if not far or apart_of_it < far then row, far, from = one, apart_of_it, source end
  end
  if far >= FARTHEST then return nil end
  local theirs = row[7] / row[3] * (row[5] + row[6]) / row[6]
  return { text = ("%s %s on %d x %s, %d in and %d out"):format(row[1], row[4], row[3], row[2], row[5], row[6]),
    source = from.source, date = from.date, tok_s_device = theirs, own_tok_s_device = own.tok_s_device,
    ratio = own.tok_s_device / theirs }
end

return services

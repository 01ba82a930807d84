-- Stored bytes of a model by part, tensor by tensor, in a format.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local gguf = require("ballpark.catalog.gguf")
local weight_formats = require("ballpark.catalog.weight_formats")

local weights = {}

local function above(value, instead) return (value or 0) > 0 and value or instead end

-- { part, params, row, layers, routed, of }: of = embedding, layer, expert or head of the sum.
local function add(list, of, part, params, row, layers, routed)
  if params > 0 then
    list[#list + 1] = { of = of, part = part, params = params, row = row, layers = math.max(1, layers), routed = routed }
  end
end

-- Queries, keys, values and output of all layers with softmax attention, in their proportions; MLA as one lump.
local function add_attention(list, model, count)
  local layers = count.attention_layers
  if (model.kv_lora_rank or 0) > 0 then return add(list, "layer", "rest", count.attention, model.hidden, layers) end
  local head = above(model.head_dim, model.hidden // model.heads)
  local kv = above(model.kv_heads, model.heads)
  local q = model.heads * head * (model.attention_gate and 2 or 1)
  local parts = { q = q, k = kv * head, v = kv * above(model.v_head_dim, head), o = model.heads * head }
  local sum = parts.q + parts.k + parts.v + parts.o
  for _, part in ipairs({ "q", "k", "v", "o" }) do
    add(list, "layer", part, count.attention * parts[part] / sum, part == "o" and model.heads * head or model.hidden, layers)
  end
end

local function add_feed_forward(list, of, params, hidden, width, gated, layers, routed)
  local matrices = gated and { "gate", "up", "down" } or { "up", "down" }
  for _, part in ipairs(matrices) do
    add(list, of, part, params / #matrices, part == "down" and width or hidden, layers, routed)
  end
end

-- Tensors of a model: sums over its layers.
local function tensors(model, count)
  local list, hidden, gated = {}, model.hidden, model.gated_mlp ~= false
  local tied = model.tied_embeddings
  add(list, "embedding", tied and "output" or "embedding", count.embedding, hidden, 1)
  local own = (model.vocab or 0) * model.layers * (model.layer_embedding or 0)
  add(list, "embedding", "embedding", own, math.max(1, model.layer_embedding or 0), 1)
  add(list, "head", "output", tied and count.embedding or count.head, hidden, 1)
  if count.attention > 0 then add_attention(list, model, count) end
  add(list, "layer", "rest", count.linear, hidden, count.linear_layers)
  add(list, "layer", "rest", count.mamba, hidden, count.mamba_layers)
  add_feed_forward(list, "layer", count.mlp, hidden, above(model.ffn_hidden, hidden), gated, count.mlp_layers)
  local moe = count.moe_layers
  add_feed_forward(list, "expert", count.expert_params, hidden, above(model.moe_ffn, above(model.ffn_hidden, hidden)),
    gated, moe, true)
  add_feed_forward(list, "layer", count.shared * moe, hidden, above(model.moe_ffn, hidden), gated, moe)
  add(list, "layer", "whole", count.router * moe + count.norms + count.positions - own + count.residual, hidden, 1)
  return list
end

local function bytes_of(tensor, format, facts)
  if gguf.has(format) then return tensor.params * gguf.weight_bytes(format, tensor, facts) end
  local bits = weight_formats.get(format)
  local by = { embedding = bits[3], head = bits[2] }
  return tensor.params * (tensor.part == "whole" and 16 or by[tensor.of] or bits[1]) / 8
end

-- Bits of a weight in any file: from those of one bit to fp32, with what lies around them.
local LEAST_BITS <const>, MOST_BITS <const> = 1, 34

local function check_size(file_bytes, count)
  local bits = 8 * file_bytes / count.total_params
  if not (bits >= LEAST_BITS and bits <= MOST_BITS) then
    errors.input("file_bytes", ("%.4g GB would be %.3g bits a weight; the unit is bytes: write 'GB(4.92)'"):format(file_bytes / 1e9, bits))
  end
end

--- Fields of bp_local_weights.
---@param model table fields of a model
---@param format string of resolve/local_inference/format.lua
---@param file_bytes number|nil size of the file, where it is known: layers and experts then take what it says
function weights.of(model, format, file_bytes)
  local count = core.params({ model = model })
  if file_bytes then check_size(file_bytes, count) end
  local facts = { layers = model.layers, shared_by = model.heads / above(model.kv_heads, model.heads),
    experts = model.experts or 0 }
  local sums, largest = { embedding = 0, layer = 0, expert = 0, head = 0 }, nil
  for _, tensor in ipairs(tensors(model, count)) do
    sums[tensor.of] = sums[tensor.of] + bytes_of(tensor, format, facts)
    if not largest or tensor.params > largest.params then largest = tensor end
  end
  local outside = sums.embedding + (model.tied_embeddings and 0 or sums.head)
  local scale = file_bytes and math.max(0.1, (file_bytes - outside) / (sums.layer + sums.expert)) or 1
  return { embedding_bytes = sums.embedding, layer_bytes = sums.layer * scale, expert_bytes = sums.expert * scale,
    head_bytes = sums.head, plain_blocks = gguf.has(format) and gguf.is_plain(format, largest.row) }
end

--- Bytes of a file: what is stored once.
function weights.file_bytes(model, stored)
  return stored.embedding_bytes + stored.layer_bytes + stored.expert_bytes
    + (model.tied_embeddings and 0 or stored.head_bytes)
end

return weights

-- Shapes of models that no catalog has: what is missing beside the stated columns follows from usual
-- proportions and from the stated parameter count.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local shapes = {}

-- Vocabulary of GPT-2, padded as Megatron-LM pads it.
local DEFAULT_VOCAB <const> = 51200

-- Width over depth: 64 of 125 M parameters and 128 from 6.7 B on (GPT-3, Brown et al., arXiv:2005.14165, table 2.1;
-- LLaMA has 128, too), between them by the logarithm.
local function aspect(params) return 64 * math.max(1, math.min(2, 2 ^ math.log(params / 125e6, 6.7e9 / 125e6))) end

-- From this width on heads are a multiple of eight, so that eight ranks can split them; stages split layers by four.
local SPLIT_WIDTH <const>, SPLIT_LAYERS <const> = 2048, 4

-- A shape that misses the stated parameters by a tenth is as odd as one that is e times as wide for its depth.
local ODD_PARAMS <const> = 0.1

-- Wider than any published model.
local MOST_WIDTH <const> = 65536

local counted = setmetatable({}, { __mode = "k" })

local function count(model)
  counted[model] = counted[model] or core.params({ model = model })
  return counted[model]
end

--- All parameters of a model table; a table is counted once.
function shapes.params(model)
  return count(model).total_params
end

--- Those of them that one of as many ranks holds that experts are dealt to.
function shapes.params_of_rank(model, ranks)
  local counts = count(model)
  return counts.total_params - counts.expert_params * (1 - 1 / ranks)
end

--- Those of feed-forward parts that every token visits: of dense layers and shared experts.
function shapes.params_of_dense_mlp(model)
  local counts = count(model)
  return counts.mlp + counts.shared * counts.moe_layers
end

--- Heads of width near 128 (64 below a width of 2048) that divide hidden, split over tp ranks and
--- share kv_heads evenly.
function shapes.heads(hidden, tp, kv_heads)
  local wanted = hidden / (hidden < 2048 and 64 or 128)
  local best
  for heads = 1, hidden do
    if heads > 4 * wanted then break end
    if hidden % heads == 0 and heads % tp == 0 and heads % (kv_heads or 1) == 0
      and (not best or math.abs(heads - wanted) < math.abs(best - wanted)) then
      best = heads
    end
  end
  return best
end

-- Norms, biases and positions go with the form: GPT (two matrices) or LLaMA (gated).
local function form(model, gated, tied, seq_len)
  local gpt = not gated
  model.gated_mlp, model.tied_embeddings = gated, tied
  model.norm = gpt and "layer" or "rms"
  model.qkv_bias, model.out_bias, model.mlp_bias = gpt, gpt, gpt
  model.learned_positions = gpt and model.arch ~= "encoder" and seq_len or 0
  return model
end

-- The form whose parameter count is nearest to the stated one; the usual form wins within 2 %.
local function fitting(model, usual_gated, params, seq_len)
  local best, best_gap
  for _, gated in ipairs({ usual_gated, not usual_gated }) do
    for _, tied in ipairs({ not gated, gated }) do
      local candidate = form(tables.with(model), gated, tied, seq_len)
      local gap = math.abs(shapes.params(candidate) / params - 1)
      if not best or gap < best_gap then best, best_gap = candidate, gap end
      if best_gap <= 0.02 and candidate == best and gated == usual_gated and tied == not gated then
        return best
      end
    end
  end
  return best
end

-- How far the stated parameters are from those of a model.
local function gap_of(model, params) return math.abs(shapes.params(model) / params - 1) end

-- Beyond this, a model whose every layer has experts is not the one that is stated: an assumption.
local OTHER_MODEL <const> = 0.15

-- The same of a model with experts: where in all layers they are far more than is stated, every other or all but every
-- fourth feed-forward layer is dense (GShard, GLaM, Switch, ST-MoE).
local function fitting_experts(model, gated, params, seq_len, said)
  local best = fitting(model, gated, params, seq_len)
  if gap_of(best, params) <= OTHER_MODEL then return best end
  for _, every in ipairs({ 2, 4 }) do
    local dense = model.layers - model.layers // every
    local sparse = fitting(tables.with(model, { dense_layers = dense }), gated, params, seq_len)
    if gap_of(sparse, params) <= OTHER_MODEL then
      said[#said + 1] = ("experts in every %s layer, as params_b says"):format(every == 2 and "other" or "fourth")
      return sparse
    end
  end
  return best
end

-- Rows of the vocabulary that the stated parameters leave for embedding and head; nil where the
-- rounding of the statement (half a unit of its last digit) leaves it open.
local function vocab_left(model, gated, row)
  local matrices = gated and 2 or 1
  local bare = form(tables.with(model), gated, not gated, 0)
  bare.vocab = 0
  local per_row = matrices * model.hidden
  local left = (row.params_b * 1e9 - shapes.params(bare)) / per_row
  local open = row.params_rounding_b * 1e9 / per_row
  if open > 10000 or left < 30000 or left > 300000 then return nil end
  return math.floor(left / 128 + 0.5) * 128
end

local function is_gated(row, ffn)
  if row.experts and row.experts > 0 then return true end
  if row.kv_heads and row.heads and row.kv_heads < row.heads and ffn < 3.95 * row.hidden then return true end
  return ffn < 3.95 * row.hidden
end

local function vocab_of(model, gated, row, said)
  if row.vocab then return row.vocab end
  local left = row.params_b and (model.experts or 0) == 0 and vocab_left(model, gated, row)
  said[#said + 1] = left and ("vocab %d, what params_b leaves"):format(left)
    or ("vocab %d"):format(DEFAULT_VOCAB)
  return left or DEFAULT_VOCAB
end

local function arch_of(row)
  local text = (row.arch or ""):lower()
  if text:find("enc") or text:find("bert") then return "encoder", false end
  if text:find("vi[ts]") or text:find("dit") then return "encoder", true end
  return "decoder", false
end

local function feed_forward(model, row, said)
  local ffn = row.ffn_hidden
  if not ffn then
    ffn = 4 * row.hidden
    said[#said + 1] = ("ffn_hidden %d (4 hidden)"):format(ffn)
  end
  if row.experts and row.experts > 0 then
    model.experts, model.topk, model.moe_ffn = row.experts, row.topk or 2, ffn
    model.ffn_hidden = ffn
  else
    model.ffn_hidden = ffn
  end
  return ffn
end

local function attention(model, row, said)
  model.heads = row.heads
  if not model.heads then
    model.heads = shapes.heads(row.hidden, row.tp or 1, row.kv_heads) or row.kv_heads or row.tp or 1
    said[#said + 1] = ("%d heads"):format(model.heads)
  end
  model.kv_heads = row.kv_heads or model.heads
  if row.hidden % model.heads ~= 0 then
    model.head_dim = 128
    said[#said + 1] = "heads of width 128"
  end
end

-- Parameters of the row's shape with that many layers and that width, the usual vocabulary and the usual form.
local function params_of(row, layers, hidden, seq_len)
  local model = shapes.from_columns(tables.with(row, { layers = layers, hidden = hidden,
    vocab = row.vocab or DEFAULT_VOCAB, model = "(of this shape)" }), seq_len)
  return shapes.params(model)
end

-- Layers that make the stated parameters at the stated width: a multiple of the pipeline's stages.
local function layers_left(row, seq_len)
  local one, two = params_of(row, 1, row.hidden, seq_len), params_of(row, 2, row.hidden, seq_len)
  local stages = row.pp or 1
  return math.max(1, math.floor((1 + (row.params_b * 1e9 - one) / (two - one)) / stages + 0.5)) * stages
end

-- Widths go by this step, so that heads of 128 divide them.
local WIDTH_STEP <const> = 128

-- The width that makes the stated parameters with the stated layers, one that stated heads divide.
local function width_left(row, seq_len)
  local step = row.heads and math.max(WIDTH_STEP, row.heads) or WIDTH_STEP
  if row.heads and step % row.heads ~= 0 then step = row.heads * WIDTH_STEP end
  local best, least
  for hidden = step, MOST_WIDTH, step do
    local gap = math.abs(params_of(row, row.layers, hidden, seq_len) / (row.params_b * 1e9) - 1)
    if least and gap > least then break end
    best, least = hidden, gap
  end
  return best
end

-- The row with layers or hidden where its parameters tell one from the other; and what was assumed.
local function completed(row, seq_len)
  if row.layers and row.hidden then return row end
  if row.hidden then
    local layers = layers_left(row, seq_len)
    return tables.with(row, { layers = layers }), ("%.0f layers, what params_b leaves"):format(layers)
  end
  local hidden = width_left(row, seq_len)
  return tables.with(row, { hidden = hidden }), ("width %d, what params_b leaves"):format(hidden)
end

--- Whether a row states enough of a shape: layers and hidden, or one of them and the parameters of a dense model, which
--- are those of the whole one where it was `trimmed`.
function shapes.is_stated(row)
  if row.layers and row.hidden then return true end
  return not row.trimmed and (row.layers or row.hidden) ~= nil and row.params_b ~= nil and (row.experts or 0) == 0
end

--- A model table from a row of which shapes.is_stated; and what was assumed, as short phrases.
function shapes.from_columns(stated, seq_len)
  local row, completion = completed(stated, seq_len)
  local said = { completion }
  local arch, image = arch_of(row)
  local model = { arch = arch, layers = row.layers, hidden = row.hidden }
  attention(model, row, said)
  local ffn = feed_forward(model, row, said)
  local gated = is_gated(row, ffn)
  if image then
    model.vocab, model.lm_head = 0, false
    return form(model, gated, false, 0), said
  end
  model.vocab = vocab_of(model, gated, row, said)
  if row.params_b and (row.model and not row.model:find("%(")) then
    local fit = (model.experts or 0) > 0 and fitting_experts or fitting
    model = fit(model, gated, row.params_b * 1e9, seq_len, said)
  else
    form(model, gated, not gated, seq_len)
    said[#said + 1] = gated and "gated MLP, untied embeddings" or "two-matrix MLP, tied embeddings"
  end
  return model, said
end

-- Billions of parameters that models of usual proportions have: from the smallest that were published to ten times
-- the largest.
local LEAST_B <const>, MOST_B <const> = 0.01, 20000

-- The width and depth of that many parameters that are least odd.
local function proportions(params, vocab)
  local best, least = nil, math.huge
  local hidden = 256
  while hidden <= MOST_WIDTH do
    local layers = (params - vocab * hidden) / (12 * hidden ^ 2)
    layers = math.max(SPLIT_LAYERS, math.floor(layers / SPLIT_LAYERS + 0.5) * SPLIT_LAYERS)
    local gap = math.abs((12 * layers * hidden ^ 2 + vocab * hidden) / params - 1)
    local odd = gap / ODD_PARAMS + math.abs(math.log(hidden / layers / aspect(params)))
    if odd < least then best, least = { hidden = hidden, layers = layers }, odd end
    hidden = hidden + (hidden < SPLIT_WIDTH and 128 or 1024)
  end
  return best
end

--- A dense model table of that many parameters in usual proportions: heads of width near 128, MLP of 4 hidden.
function shapes.from_params(row, seq_len)
  if not (row.params_b >= LEAST_B and row.params_b <= MOST_B) then
    errors.input("params_b", ("%.15g billion parameters have no usual proportions"):format(row.params_b))
  end
  local vocab = row.vocab or DEFAULT_VOCAB
  local model, tp = proportions(row.params_b * 1e9, vocab), row.tp or 1
  model.heads = shapes.heads(model.hidden, tp) or tp
  model.kv_heads, model.ffn_hidden, model.vocab, model.arch = model.heads, 4 * model.hidden, vocab, "decoder"
  return form(model, false, true, seq_len)
end

return shapes

-- The model as Megatron-LM's flags describe it, and the job.
local backwards = require("ballpark.emit.backwards")
local expert_layers = require("ballpark.emit.expert_layers")

local shape = {}

local function whole(value) return math.tointeger(value) or value end

-- Flags that say a field of the model as it is.
local NAMES <const> = {
  layers = "num-layers", hidden = "hidden-size", ffn_hidden = "ffn-hidden-size", heads = "num-attention-heads",
  kv_lora_rank = "kv-lora-rank", q_lora_rank = "q-lora-rank", qk_nope_dim = "qk-head-dim",
  qk_rope_dim = "qk-pos-emb-head-dim", v_head_dim = "v-head-dim", kv_heads = "num-query-groups",
  head_dim = "kv-channels", experts = "num-experts", topk = "moe-router-topk", route_groups = "moe-router-num-groups",
  route_top = "moe-router-group-topk", moe_ffn = "moe-ffn-hidden-size",
  shared_ffn = "moe-shared-expert-intermediate-size", mtp_layers = "mtp-num-layers", vocab = "vocab-size",
  max_seq = "max-position-embeddings",
}

-- Flags for the kinds of scaled rotary positions that have some.
local SCALED = {
  llama3 = function(add, rope)
    add("use-rope-scaling", true)
    if rope.factor then add("rope-scaling-factor", rope.factor) end
  end,
  linear = function(add, rope)
    if rope.factor then add("rotary-seq-len-interpolation-factor", whole(rope.factor)) end
  end,
}

-- Shapes that pretrain_gpt.py has no flags for, by the field of the model that says so.
local UNKNOWN = {
  { "mamba_layers", "state-space layers are those of pretrain_mamba.py (--hybrid-layer-pattern)" },
  { "linear_layers", "linear-attention layers have flags of their own" },
  { "sliding_window", "set --window-size, and --window-attn-skip-freq where layers alternate" },
  { "index_layers", "sparse attention by an indexer is set by hand" },
  { "compress_layers", "attention over compressed keys is set by hand" },
  { "o_lora_rank", "a low-rank output projection has no flag" },
  { "moe_latent", "experts on a projection are set by hand" },
  { "attention_sinks", "learned sinks are set by hand" },
  { "attention_gate", "a gate on the attention output is set by hand" },
  { "shared_kv", "one projection for key and value has no flag" },
  { "embedding_norm", "a norm behind the embedding has no flag" },
  { "token_types", "token types are those of pretrain_bert.py" },
  { "image_size", "vision towers are trained by other programs" },
}

-- What rotary positions have no flag for, or nobody said.
local function missing_rope(model)
  if (model.learned_positions or 0) > 0 then return nil end
  local rope = model.rope
  if not rope then
    return { field = "model.rope", value = "not known",
      reason = "base and scaling of rotary positions are 10000 and none unless you set them" }
  end
  if rope.scaling and not SCALED[rope.scaling] then
    return { field = "model.rope.scaling", value = rope.scaling, reason = "this kind of scaling is set by hand" }
  end
end

local function missing_encoder(model)
  local layers = (model.encoder or {}).layers or 0
  if layers == 0 then return nil end
  return { field = "model.encoder.layers", value = layers, reason = (model.cross_layers or 0) > 0
    and "encoder-decoders are trained by pretrain_t5.py" or "vision towers are trained by pretrain_vlm.py" }
end

local SCORES = { softmax = true, sigmoid = true }

local function missing_router(model)
  if model.experts == 0 then return nil end
  local router = model.router
  if not router then
    return { field = "model.router", value = "not known",
      reason = "score function, normalization, groups and scale of the router are the program's unless you set them" }
  end
  if router.score and not SCORES[router.score] then
    return { field = "model.router.score", value = router.score, reason = "no such score function" }
  end
end

local function missing_of(model)
  local missing = {}
  if model.arch and model.arch ~= "decoder" then
    missing[1] = { field = "model.arch", value = model.arch, reason = "pretrain_gpt.py trains decoders" }
  end
  for _, item in ipairs(UNKNOWN) do
    local value = model[item[1]]
    if value and value ~= 0 then
      missing[#missing + 1] = { field = "model." .. item[1], value = value, reason = item[2] }
    end
  end
  missing[#missing + 1] = missing_encoder(model)
  missing[#missing + 1] = missing_rope(model)
  missing[#missing + 1] = missing_router(model)
  if (model.norms_per_layer or 2) ~= 2 then
    missing[#missing + 1] = { field = "model.norms_per_layer", value = model.norms_per_layer,
      reason = "layers have two norms unless their code says otherwise" }
  end
  if (model.residual_streams or 1) > 1 then
    missing[#missing + 1] = { field = "model.residual_streams", value = model.residual_streams,
      reason = "hyper-connections have no flag" }
  end
  return missing
end

local function attention(add, m)
  if (m.kv_lora_rank or 0) > 0 then
    add("multi-latent-attention", true)
    add(NAMES.kv_lora_rank, m.kv_lora_rank)
    if (m.q_lora_rank or 0) > 0 then add(NAMES.q_lora_rank, m.q_lora_rank) end
    add(NAMES.qk_nope_dim, m.qk_nope_dim)
    add(NAMES.qk_rope_dim, m.qk_rope_dim)
    add(NAMES.v_head_dim, m.v_head_dim)
    return
  end
  if m.kv_heads ~= m.heads then
    add("group-query-attention", true)
    add(NAMES.kv_heads, m.kv_heads)
  end
  if m.head_dim * m.heads ~= m.hidden then add(NAMES.head_dim, m.head_dim) end
  if m.qkv_bias then add("add-qkv-bias", true) end
  if (m.qk_norm_dim or 0) > 0 then add("qk-layernorm", true) end
end

-- The program takes the softmax over the experts that were chosen, which are shares of one, unless it
-- comes before the choice.
local function router_of(add, router)
  if SCORES[router.score] then add("moe-router-score-function", router.score) end
  if router.normalized == false and router.score ~= "sigmoid" then add("moe-router-pre-softmax", true) end
  if (router.scale or 1) ~= 1 then add("moe-router-topk-scaling-factor", router.scale) end
  if router.expert_bias then add("moe-router-enable-expert-bias", true) end
end

-- Groups were fields of the router before they were the model's.
local function groups_of(add, m)
  local router = m.router or {}
  local groups, top = m.route_groups, m.route_top
  if (groups or 0) == 0 then groups, top = router.groups, router.top_groups end
  if (groups or 1) > 1 then
    add(NAMES.route_groups, groups)
    add(NAMES.route_top, top)
  end
end

local function experts(add, m)
  if m.experts == 0 then return end
  add(NAMES.experts, m.experts)
  add(NAMES.topk, m.topk)
  add(NAMES.moe_ffn, m.moe_ffn)
  add("moe-grouped-gemm", true)
  add("moe-token-dispatcher-type", "alltoall")
  if m.shared_ffn > 0 then add(NAMES.shared_ffn, m.shared_ffn) end
  if m.router then router_of(add, m.router) end
  groups_of(add, m)
  local dense = m.dense_layers or 0
  if dense > 0 then
    add("moe-layer-freq", expert_layers.leading(dense, m.layers))
  end
end

local function positions(add, m)
  local learned, rope = (m.learned_positions or 0) > 0, m.rope
  add("position-embedding-type", learned and "learned_absolute" or "rope")
  if learned or not rope then return end
  add("rotary-base", whole(rope.base))
  if rope.share and rope.share < 1 then add("rotary-percent", rope.share) end
  if SCALED[rope.scaling] then SCALED[rope.scaling](add, rope) end
end

local function dense_parts(add, m)
  add("normalization", m.norm == "layer" and "LayerNorm" or "RMSNorm")
  if m.gated_mlp ~= false then add("swiglu", true) end
  if not m.tied_embeddings then add("untie-embeddings-and-output-weights", true) end
  if not m.mlp_bias and not m.out_bias then add("disable-bias-linear", true) end
  positions(add, m)
  if (m.mtp_layers or 0) > 0 then add(NAMES.mtp_layers, m.mtp_layers) end
end

--- Settings of model and job, and the parts of the model that have no flag.
function shape.of(c)
  local set, m = {}, c.model
  local function add(name, value) set[#set + 1] = { name, value } end
  add(NAMES.layers, m.layers)
  add(NAMES.hidden, m.hidden)
  if (m.ffn_hidden or 0) > 0 then add(NAMES.ffn_hidden, m.ffn_hidden) end
  add(NAMES.heads, m.heads)
  attention(add, m)
  experts(add, m)
  dense_parts(add, m)
  if (m.vocab or 0) > 0 then add(NAMES.vocab, m.vocab) end
  add(NAMES.max_seq, math.max(m.max_seq or 0, c.job.seq_len))
  add("seq-length", c.job.seq_len)
  add("global-batch-size", c.job.global_batch)
  if c.steps then add("train-iters", c.steps) end
  return set, missing_of(m)
end

local function read_rope(set)
  if set["position-embedding-type"] ~= "rope" then return nil end
  local scaled = set["use-rope-scaling"] and "llama3" or set["rotary-seq-len-interpolation-factor"] and "linear" or nil
  return { base = set["rotary-base"] or 10000, share = set["rotary-percent"], scaling = scaled,
    factor = set["rope-scaling-factor"] or set["rotary-seq-len-interpolation-factor"] }
end

local function read_router(set)
  local score = set["moe-router-score-function"] or "softmax"
  return { score = score, normalized = not set["moe-router-pre-softmax"],
    scale = set["moe-router-topk-scaling-factor"],
    expert_bias = set["moe-router-enable-expert-bias"] }
end

-- Layers without experts: none where nothing is said, or nothing that reads.
local function dense_layers(set)
  local pattern = set["moe-layer-freq"]
  return pattern and expert_layers.dense(pattern, set[NAMES.layers]) or 0
end

--- The model that settings describe, by flag; nil where they describe none.
---@param set table<string, any>
---@return table|nil
function shape.read(set)
  if not set[NAMES.layers] or not set[NAMES.hidden] or not set[NAMES.heads] then return nil end
  local m = {}
  for field, name in pairs(NAMES) do m[field] = set[name] end
  if not set["group-query-attention"] and not m.kv_lora_rank then m.kv_heads = nil end
  m.norm = set.normalization ~= "RMSNorm" and "layer" or nil
  m.gated_mlp = set.swiglu == true
  m.tied_embeddings = not set["untie-embeddings-and-output-weights"]
  m.qkv_bias = set["add-qkv-bias"]
  m.learned_positions = set["position-embedding-type"] ~= "rope" and m.max_seq or nil
  m.rope = read_rope(set)
  if m.experts then m.router, m.dense_layers = read_router(set), dense_layers(set) end
  if set["qk-layernorm"] then m.qk_norm_dim = m.head_dim or m.hidden // math.max(1, m.heads) end
  return m
end

--- The job of the settings; --train-samples says its steps as samples.
function shape.read_job(set)
  local batch = set["global-batch-size"]
  return { global_batch = batch, seq_len = set["seq-length"], steps = set["train-iters"] or backwards.times(set["train-samples"], batch) }
end

return shape

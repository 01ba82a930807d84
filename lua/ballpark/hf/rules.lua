-- The parts of a config that are not one key for one field: small functions of a reader `c` and the
-- model `m` that is being filled in. Families list the ones that apply to them.
local tables = require("ballpark.tables")

local rules = {}

-- Layers of 0 … layers - 1 for which `test` holds.
local function count_layers(layers, test)
  local count = 0
  for i = 0, layers - 1 do
    if test(i) then count = count + 1 end
  end
  return count
end

--- Query and key norms over one head each (Qwen3).
function rules.qk_norm_per_head(_, m) m.qk_norm_dim = m.head_dim end

--- Query and key norms over all heads at once (OLMo-2).
function rules.qk_norm_full(_, m)
  m.qk_norm_dim = m.heads * m.head_dim
  m.k_norm_dim = m.kv_heads * m.head_dim
end

--- The same under the switch `use_qk_norm`.
function rules.optional_qk_norm(c, m)
  if c:flag("use_qk_norm") then rules.qk_norm_per_head(c, m) end
end

local KINDS = {
  full_attention = "full", sliding_attention = "window", chunked_attention = "window",
  linear_attention = "linear", attention = "full", mamba = "mamba", mamba2 = "mamba",
}

-- Layers by kind from the list layer_types, or nil without one.
local function kinds_of_layers(c, m)
  local counts = c:tally("layer_types", m.layers)
  if not counts then return nil end
  local kinds = { full = 0, window = 0, linear = 0, mamba = 0 }
  for _, word in ipairs(tables.sorted_keys(counts)) do
    local kind, count = KINDS[word], counts[word]
    if not kind then c:refuse("layer_types has the unknown kind '" .. tostring(word) .. "'") end
    kinds[kind] = kinds[kind] + count
  end
  return kinds
end

-- Says how many layers have the window; one that reaches as far as the context changes nothing.
local function set_window(c, m, width, layers)
  if not width or width == 0 or layers == 0 then return end
  if m.max_seq and width >= m.max_seq then
    c:assume("the sliding window of %d tokens reaches over the whole context: no window", width)
    return
  end
  m.sliding_window, m.window_layers = width, layers
end

--- Sliding window. `layers_with(c, layers)` says how many layers have it where no layer_types list
--- does. A written `use_sliding_window: false` switches it off.
function rules.window(layers_with)
  return function(c, m)
    local width = c:count("sliding_window")
    local kinds = kinds_of_layers(c, m)
    local switched_off = c:get("use_sliding_window") == false
    local layers = kinds and kinds.window or layers_with(c, m.layers)
    if kinds and (kinds.linear > 0 or kinds.mamba > 0) then
      c:refuse("layer_types has kinds that its model_type does not have")
    end
    if not switched_off then set_window(c, m, width, layers) end
  end
end

rules.windows = {
  all = function(_, layers) return layers end,
  --- Even layers, counted from 0.
  alternate = function(_, layers) return (layers + 1) // 2 end,
  --- Layers from max_window_layers on (Qwen2).
  upper = function(c, layers)
    return math.max(0, layers - (c:count("max_window_layers") or layers))
  end,
  --- All but every nth layer; the key that says n, or what it is by default.
  except_every = function(keys, default)
    return function(c, layers)
      local n = c:count(keys)
      if not n or n == 0 then
        n = default
        c:assume("which layers have the sliding window is not given: all but every %dth", n)
      end
      return layers - layers // n
    end
  end,
}

--- Dense feed-forward layers before the first MoE layer (DeepSeek), and MoE in every nth after it.
function rules.leading_dense(c, m)
  local first = c:count("first_k_dense_replace") or 0
  local list = type(c:get("moe_layer_freq")) == "table" and c:tally("moe_layer_freq", m.layers)
  if list then
    m.dense_layers = list[0] or 0
    return
  end
  local every = math.max(1, c:count("moe_layer_freq") or 1)
  m.dense_layers = count_layers(m.layers, function(i) return i < first or i % every ~= 0 end)
end

--- Dense layers of Qwen's MoE models: those listed, and all but every decoder_sparse_step-th.
function rules.sparse_step(c, m)
  local every, listed = c:count("decoder_sparse_step") or 1, {}
  for _, i in ipairs(c:list("mlp_only_layers") or {}) do listed[i] = true end
  m.dense_layers = count_layers(m.layers, function(i)
    return listed[i] or every == 0 or (i + 1) % every ~= 0
  end)
end

--- MoE in every nth layer, dense in the others (Llama-4).
function rules.interleaved(c, m)
  local every, listed = math.max(1, c:count("interleave_moe_layer_step") or 1), c:list("moe_layers")
  local moe = listed and #listed or m.layers // every
  m.dense_layers = m.layers - moe
end

--- Width of all shared experts together, from their number and the width of a routed one.
function rules.shared_by_number(keys)
  return function(c, m)
    local number = c:count(keys) or 0
    if number > 0 then m.shared_experts = number end
  end
end

--- Width of the shared experts, written as such; 0 or missing: none.
function rules.shared_by_width(keys)
  return function(c, m)
    local width = c:count(keys) or 0
    if width > 0 then m.shared_experts, m.shared_ffn = m.shared_experts or 1, width end
  end
end

--- Multi-token-prediction layers: they are counted beside the model, not in it.
function rules.mtp(keys)
  return function(c, m)
    local layers = c:count(keys) or 0
    if layers > 0 then
      m.mtp_layers = layers
      c:assume("%d multi-token-prediction layer(s) are counted apart from the model", layers)
    end
  end
end

--- Kinds of layers of a hybrid with linear attention: layer_types, or full attention in every nth.
function rules.linear_hybrid(c, m)
  local kinds = kinds_of_layers(c, m)
  local every = c:count("full_attention_interval")
  if not kinds then
    if not every or every == 0 then
      every = 4
      c:assume("full_attention_interval is not given: %d", every)
    end
    kinds = { full = m.layers // every, window = 0, mamba = 0, linear = m.layers - m.layers // every }
  end
  if kinds.window + kinds.mamba > 0 then c:refuse("windowed or state-space layers in a linear hybrid") end
  m.linear_layers, m.attention_layers = kinds.linear, kinds.full
end

--- Kinds of layers of a hybrid of Mamba-2 and attention whose layers all have a feed-forward part.
function rules.mamba_hybrid(c, m)
  local kinds = kinds_of_layers(c, m)
  if not kinds then c:fail("layer_types", "is missing") end
  if kinds.window + kinds.linear > 0 then c:refuse("windowed or linear layers in a state-space hybrid") end
  m.mamba_layers, m.attention_layers = kinds.mamba, kinds.full
end

--- Refuses when a switch is on, or a count not 0, that the model has no place for.
function rules.without(key, reason)
  return function(c)
    local value = c:get(key)
    if value and value ~= 0 then c:refuse(reason .. " (" .. key .. ")") end
  end
end

--- The multi-latent heads are as wide as both parts of the query.
function rules.mla(c, m)
  m.head_dim = m.qk_nope_dim + m.qk_rope_dim
  m.kv_heads = nil
  if c:flag("attention_bias") then c:refuse("bias on latent attention (attention_bias)") end
end

--- Key selection by an indexer (DeepSeek-V3.2).
function rules.indexed(c, m)
  m.index_layers = m.layers
  c:assume("keys are selected by an indexer (at most %d a query); estimates that do not say so "
    .. "count attention over the whole context", m.index_topk)
end

return rules

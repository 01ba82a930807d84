-- What a config says that neither time nor memory depend on, and that launch settings need: notes beside
-- the shape of a model.
local launch = {}

local function number(value) return math.type(value) and value or nil end

local function object(value) return type(value) == "table" and value or {} end

-- Scaling of rotary positions: its kind, by what, and the length it starts from.
local function scaling(config)
  local from = object(config.rope_scaling)
  if next(from) == nil then from = object(config.rope_parameters) end
  local kind = from.rope_type or from.type
  if type(kind) ~= "string" or kind == "default" then return nil end
  return kind, number(from.factor), number(from.original_max_position_embeddings)
end

--- Rotary positions { base, share, scaling, factor, from_tok } of a decoded config; nil where it says
--- nothing of them.
function launch.rope(config)
  local base = number(config.rope_theta) or number(config.rotary_emb_base)
    or number(object(config.rope_parameters).rope_theta)
  if not base then return nil end
  local rope = { base = base, share = number(config.partial_rotary_factor) or number(config.rotary_pct) }
  rope.scaling, rope.factor, rope.from_tok = scaling(config)
  return rope
end

--- Groups that experts lie in, and how many of them a token's experts are drawn from; nil where they are one.
---@return integer|nil groups
---@return integer|nil top
function launch.groups(config)
  local groups, top = math.tointeger(config.n_group), math.tointeger(config.topk_group)
  if (groups or 1) > 1 and top then return groups, top end
  return nil
end

--- The router of experts { score, normalized, scale, expert_bias }; nil where the config says nothing of it.
function launch.router(config)
  local router = {
    score = type(config.scoring_func) == "string" and config.scoring_func or nil,
    scale = number(config.routed_scaling_factor),
  }
  if type(config.norm_topk_prob) == "boolean" then router.normalized = config.norm_topk_prob end
  if config.topk_method == "noaux_tc" then router.expert_bias = true end
  return next(router) ~= nil and router or nil
end

return launch

-- The MLP of a model that somebody describes by layers, hidden, heads and vocab alone.
local tables = require("ballpark.tables")

local mlp = {}

-- LLaMA's gated MLP has three matrices of 2/3 * 4 hidden, rounded up to a multiple of 256, where a plain one has two of
-- 4 hidden: as many parameters (Touvron et al., arXiv:2302.13971, section 2.2, and its published code).
local GATED_STEP <const> = 256

local function gated_width(hidden) return -(-8 * hidden // (3 * GATED_STEP)) * GATED_STEP end

-- A count as it is said; 0 where it is not, or is no number, which is told once the model is checked.
local function count(value) return type(value) == "number" and value or 0 end

-- What only models with gated MLPs have: shared key/value heads came with them.
local function is_gated(model)
  if model.gated_mlp ~= nil then return model.gated_mlp end
  local kv_heads = count(model.kv_heads)
  return kv_heads > 0 and kv_heads < count(model.heads)
end

-- Layers that need no width: experts have their own, and layers of a state space come without.
local function has_width(model)
  return model.ffn_hidden ~= nil or model.moe_ffn ~= nil or model.ffn_layers == 0 or count(model.mamba_layers) > 0
end

--- The model with the usual MLP where it says none, and a sentence of that; ffn_hidden = 0 is a model without.
---@param model table fields of a model
---@return table model
---@return string|nil assumed
function mlp.filled(model)
  local hidden = model.hidden
  if has_width(model) or math.type(hidden) ~= "integer" or hidden < 1 then return model end
  local gated = is_gated(model)
  local width = gated and gated_width(hidden) or 4 * hidden
  return tables.with(model, { ffn_hidden = width, gated_mlp = gated }),
    ("ffn_hidden %d, %s; ffn_hidden = 0 is a model without MLP"):format(width, gated
      and "8/3 hidden rounded up to a multiple of 256, as gated MLPs have" or "4 hidden in an MLP of two matrices")
end

return mlp

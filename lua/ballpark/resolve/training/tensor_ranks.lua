-- Over how many ranks the tensors of a model may be cut.
local tensor_ranks = {}

-- Ranks have key/value heads of their own, or share one.
local function shares_keys(model, tp)
  local keys = model.kv_heads or model.heads
  return keys % tp == 0 or tp % keys == 0
end

--- Whether so many ranks can have a share of every tensor: of the heads, and inside a node or a domain of links.
---@param case table of the resolver
---@param tp integer
function tensor_ranks.may_cut(case, tp)
  local model = case.model
  return model.heads % tp == 0 and shares_keys(model, tp) and tp <= math.max(case.network.node_size, case.network.domain)
end

return tensor_ranks

-- Over how many ranks the tensors of a model may be cut.
local tensor_ranks = {}

--- Whether so many ranks can have a share of every tensor: of the heads, and inside a node.
---@param case table of the resolver
---@param tp integer
function tensor_ranks.may_cut(case, tp) return case.model.heads % tp == 0 and tp <= case.network.node_size end

return tensor_ranks

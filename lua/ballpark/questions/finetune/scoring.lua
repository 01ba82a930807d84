-- Models that score sequences: reward models and critics. They have one number where a model of language has its vocabulary.
local tables = require("ballpark.tables")

local scoring = {}

--- The model with a head of one number for its vocabulary; layers that predict further tokens go with that. The embedding
--- stays.
---@param model table
---@return table
function scoring.of(model)
  return tables.with(model, { lm_head = false, tied_embeddings = false, head_bias = false, mtp_layers = 0, classes = 1 })
end

return scoring

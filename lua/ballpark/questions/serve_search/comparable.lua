-- The nearest published throughput to a fleet's, to see whether the answer is of the right order.
local core = require("ballpark.core")
local load_of = require("ballpark.questions.serve.load")
local services = require("ballpark.questions.comparables.services")

local comparable = {}

--- The published row nearest to a group of replicas of a fleet, as ballpark.questions.comparables.services has it; nil
--- where none is near.
function comparable.of(group)
  local candidate = group.candidate
  local load, model = candidate.ask.load, candidate.ask.model
  local input, output = load_of.tokens(load)
  return services.nearest({ model = model, device = candidate.pool.device, input_tokens = input, output_tokens = output,
    weight_bytes = candidate.memory.weights_bytes * candidate.ranks / core.params({ model = model }).total_params,
    tok_s_device = group.steady.capacity_per_s * (input + output) / candidate.ranks })
end

return comparable

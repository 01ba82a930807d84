-- What the core is asked about one plan: the input of core.train_step and of all that takes the same.
local step_input = {}

--- {model=, device=, network=, plan=, job=, profile=} of an input with its cluster; without a plan the one of defaults.
---@param input table
---@param plan? table
---@return table
function step_input.of(input, plan)
  return { model = input.model, device = input.cluster.device, network = input.cluster.network, plan = plan or {},
    job = input.job, profile = input.profile }
end

return step_input

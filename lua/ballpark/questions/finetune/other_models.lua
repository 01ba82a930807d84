-- Models beside the policy on a device: reference, reward model and critic, which lie over the devices as the plan lays the
-- policy.
local scoring = require("ballpark.questions.finetune.scoring")
local shapes = require("ballpark.resolve.shapes")
local simulated = require("ballpark.resolve.simulated")
local tables = require("ballpark.tables")

local other_models = {}

-- Bytes of a frozen model in 16 bit on a device, which stages, tensors, experts and sharing ranks part as they do
-- the policy.
local function copy_bytes(model, plan)
  local cut = 2 / plan.tp / plan.pp
  if plan.zero ~= 3 then return cut * shapes.params_of_rank(model, plan.ep) end
  return cut * shapes.params(model) / (plan.shard > 0 and plan.shard or plan.dp * plan.cp)
end

-- Their bytes beside the step of a policy. Under adapters the reference is the policy without them, and a critic or a
-- reward model is another set of adapters. A critic has as much less than the policy as its head has fewer parameters.
local function bytes_beside(kind, model, step)
  local plan, memory = step.plan, step.memory
  local frozen = (plan.lora_rank or 0) > 0
  local states, scorer = memory.gradients_bytes + memory.optimizer_bytes, scoring.of(model)
  if frozen then return (kind.trained - 1) * states end
  local share = shapes.params(scorer) / shapes.params(model)
  return (kind.trained - 1) * share * (states + memory.weights_bytes) + kind.references * copy_bytes(model, plan) + kind.frozen * copy_bytes(scorer, plan)
end

--- The profile that leaves a policy no room where models of the kind are under its plan; and their bytes.
---@param kind table of kinds.of
---@param asked table of simulated.step
---@return table profile
---@return number bytes
function other_models.profile(kind, asked)
  if kind.trained + kind.references + kind.frozen == 1 then return asked.profile, 0 end
  local bytes = bytes_beside(kind, asked.model, simulated.step(asked))
  return tables.with(asked.profile, { context_bytes = (asked.profile.context_bytes or 0) + bytes }), bytes
end

--- What simulated.step says of a step with models of the kind beside it, each plan with its own.
---@param kind table of kinds.of
---@return fun(asked: table): table
function other_models.step(kind)
  return function(asked)
    return simulated.step(tables.with(asked, { profile = (other_models.profile(kind, asked)) }))
  end
end

return other_models

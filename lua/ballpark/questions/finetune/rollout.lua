-- Answers that the policy generates before it learns from them: by the closed form of a serving engine on the same
-- devices, in the memory that training leaves.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local resolve = require("ballpark.resolve.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local shapes = require("ballpark.resolve.shapes")
local tables = require("ballpark.tables")

local rollout = {}

-- Answers to a prompt that groups of GRPO compare: TRL's num_generations; tokens of an answer: an assumption.
local USUAL <const> = { prompt_tokens = 256, output_tokens = 512, completions = 8 }

--- What is said of the generation, with the rest as is usual.
function rollout.checked(generation)
  local full = tables.with(USUAL, generation or {})
  errors.only("generation", generation or {}, tables.sorted_keys(USUAL), "input")
  for _, name in ipairs(tables.sorted_keys(full)) do full[name] = errors.whole("generation." .. name, full[name]) end
  return full
end

-- Share of what training leaves that an engine's weights and cache may take: the rest is fragmentation (assumption).
local USED <const> = 0.9

-- States of training stay where they are while the engine runs.
local function room_share(answer)
  local memory = answer.memory
  local states = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes + answer.others_bytes
  return USED * (memory.capacity_bytes - states) / memory.capacity_bytes
end

-- Ranks of a replica: the fewest that hold the weights, of those that the devices divide into.
local function width(full, share)
  local devices, tp = full.cluster.network.devices, 1
  local weights = 2 * shapes.params(full.model)
  while tp < devices and weights / tp > 0.8 * share * full.cluster.device.memory_bytes do tp = 2 * tp end
  return math.min(tp, devices)
end

--- Seconds to generate the answers of a step: { seconds, tokens_per_s, tp, replicas, concurrency }, or one that says why
--- there is no room (refused).
---@param full table the completed input of the step
---@param generation table of rollout.checked
---@param answer table with memory and plan
function rollout.of(full, generation, answer)
  local share = room_share(answer)
  local tp = width(full, share)
  local replicas = full.cluster.network.devices // tp
  local sequences = full.job.global_batch
  local network = tables.with(full.cluster.network, { devices = tp })
  local ok, out = pcall(function()
    local engine = resolve.engine({ name = "vllm" }, full.cluster.device)
    local plan = resolve.plan({ tp = tp }, full.model, engine.name)
    local concurrency = math.min(math.ceil(sequences / replicas), engine.max_running or sequences)
    local load = core.infer_load({ model = full.model, device = full.cluster.device, network = network,
      curves = (serving_curves.get(full.cluster.device)), engine = tables.with(engine, { memory_frac = share }),
      plan = plan, concurrency = concurrency, input_tokens = generation.prompt_tokens,
      output_tokens = generation.output_tokens })
    return { tokens_per_s = load.output_tok_s * replicas, concurrency = concurrency }
  end)
  if not ok then
    if not errors.is(out) then error(out, 0) end
    return { refused = out.message, seconds = 0, tp = tp, replicas = replicas }
  end
  out.tp, out.replicas = tp, replicas
  out.seconds = sequences * generation.output_tokens / out.tokens_per_s
  return out
end

return rollout

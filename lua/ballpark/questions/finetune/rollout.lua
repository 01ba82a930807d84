-- Answers that the policy generates before it learns from them: by the closed form of a serving engine on the same
-- devices, in the memory that training leaves.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local resolve = require("ballpark.resolve.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local usual = require("ballpark.questions.finetune.usual")

local rollout = {}

-- Tokens of a prompt and of an answer: assumptions.
local USUAL <const> = { prompt_tokens = 256, output_tokens = 512, completions = usual.COMPLETIONS }

--- What is said of the generation, with the rest as is usual.
function rollout.checked(generation)
  local full = tables.with(USUAL, generation or {})
  errors.only("generation", generation or {}, tables.sorted_keys(USUAL), "input")
  for _, name in ipairs(tables.sorted_keys(full)) do full[name] = errors.whole("generation." .. name, full[name]) end
  return full
end

-- Share of what training leaves that an engine's weights and cache may take: the rest is fragmentation (assumption).
local USED <const> = 0.9

-- The least share of a device that the core lets an engine have (memory_frac of core/kernel/describe/engine.h).
local LEAST <const> = 0.05

-- The share of a device that an engine may take: states of training stay where they are while it runs. Or nil, and what is
-- missing.
local function room_share(answer)
  local memory = answer.memory
  local states = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes + answer.others_bytes
  local share = USED * (memory.capacity_bytes - states) / memory.capacity_bytes
  if share >= LEAST then return share end
  return nil, ("weights, gradients, optimizer states and other models take %s, and a device has %s"):format(
    units.format(states, "B"), units.format(memory.capacity_bytes, "B"))
end

-- One replica of so many ranks under its share of the answers: { seconds, tokens_per_s, tp, replicas, concurrency }, or why
-- there is no room (refused).
local function of_width(full, generation, share, tp)
  local sequences, replicas = full.job.global_batch, full.cluster.network.devices // tp
  local network = tables.with(full.cluster.network, { devices = tp })
  local out, refused = errors.try(function()
    local engine = resolve.engine({ name = "vllm" }, full.cluster.device)
    local plan = resolve.plan({ tp = tp }, full.model, engine.name)
    local concurrency = math.min(math.ceil(sequences / replicas), engine.max_running or sequences)
    local load = core.infer_load({ model = full.model, device = full.cluster.device, network = network,
      curves = (serving_curves.get(full.cluster.device)), engine = tables.with(engine, { memory_frac = share }),
      plan = plan, concurrency = concurrency, input_tokens = generation.prompt_tokens,
      output_tokens = generation.output_tokens })
    return { tokens_per_s = load.output_tok_s * replicas, concurrency = concurrency }
  end)
  if refused then return { refused = refused.message, seconds = 0, tp = tp, replicas = replicas } end
  out.tp, out.replicas = tp, replicas
  out.seconds = sequences * generation.output_tokens / out.tokens_per_s
  return out
end

--- Seconds to generate the answers of a step by replicas of the width that is fastest: { seconds, tokens_per_s, tp, replicas,
--- concurrency }, or one that says why there is no room (refused).
---@param full table the completed input of the step
---@param generation table of rollout.checked
---@param answer table with memory and plan
function rollout.of(full, generation, answer)
  local share, refused = room_share(answer)
  if not share then return { refused = refused, seconds = 0, tp = 1, replicas = full.cluster.network.devices } end
  local tp, best = 1, nil
  while tp <= full.cluster.network.devices do
    local found = of_width(full, generation, share, tp)
    if not best or best.refused or not found.refused and found.seconds < best.seconds then best = found end
    tp = 2 * tp
  end
  return best
end

return rollout

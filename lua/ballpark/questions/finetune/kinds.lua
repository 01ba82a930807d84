-- Kinds of fine-tuning: what a step of each does with an example, beside a forward and a backward pass of the policy.
--
-- sequences   that an example is made of (a pair for preferences)
-- references  whole frozen copies that run forward: under adapters the policy without them, which needs no memory
-- forwards    further forward passes of the policy or its reference
-- scorings    forward passes of models that score: critic and reward model
-- frozen      frozen models that score in memory
-- trained     models that learn: the policy, and critics, which score
-- scores      whether the policy has a head of one number: no vocabulary, no logits
-- rollout     answers are generated first
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local kinds = {}

local KINDS <const> = {
  sft = { about = "supervised fine-tuning on demonstrations", sequences = 1 },
  reward = { about = "a reward model on pairs, whose head is one number a sequence", sequences = 2, scores = true },
  dpo = { about = "direct preference optimisation on pairs, with a reference (Rafailov et al., arXiv:2305.18290)",
    sequences = 2, references = 1 },
  orpo = { about = "odds-ratio preference optimisation on pairs, without a reference (arXiv:2403.07691)", sequences = 2 },
  simpo = { about = "simple preference optimisation on pairs, without a reference (arXiv:2405.14734)", sequences = 2 },
  kto = { about = "single answers, liked or not, with a reference; another batch for the divergence (arXiv:2402.01306)",
    sequences = 1, references = 1, forwards = 2 },
  grpo = { about = "group-relative policy optimisation: answers are generated and scored in groups, with a reference "
    .. "(arXiv:2402.03300)", sequences = 1, references = 1, rollout = true },
  ppo = { about = "proximal policy optimisation: answers are generated; policy and critic learn, reference and reward "
    .. "model are frozen (arXiv:2203.02155)", sequences = 1, references = 1, frozen = 1, forwards = 1, scorings = 2, trained = 2,
    rollout = true },
}

kinds.names = tables.sorted_keys(KINDS)

--- A kind with all of its numbers.
---@param name string|nil sft unless said
function kinds.of(name)
  local kind = KINDS[name or "sft"]
  if not kind then errors.choice("kind", tostring(name), kinds.names) end
  return tables.with({ references = 0, forwards = 0, scorings = 0, frozen = 0, trained = 1, scores = false, rollout = false }, kind)
end

--- { name, about } of all, for explain.
function kinds.reference()
  local rows = {}
  for i, name in ipairs(kinds.names) do rows[i] = { name, KINDS[name].about } end
  return rows
end

return kinds

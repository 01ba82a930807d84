-- Experts that are modules of their own in the code of a model's authors: the host launches one after the other, and
-- ZeRO-3 fetches each of their matrices by itself.
local tables = require("ballpark.tables")

-- Launches of an expert forward, counted from MixtralSparseMoeBlock.forward of Transformers 4: which tokens are its own
-- (mask, nonzero, two indices), their rows, three matmuls, activation, product, weights of the router and their product,
-- cast, sum. PyTorch starts each in 8 us.
local EXPERT_LAUNCHES <const>, LAUNCH_S <const> = 14, 8e-6

-- Modules with parameters of a dense layer: two norms, and matrices as of the layers that ZeRO-3's hooks were timed on
-- (Qwen-7B: query, key and value in one, output, gate, up, down).
local TIMED_MODULES <const> = 7

-- Layers of mixed models that have experts, as a share.
local function with_experts(model) return 1 - (model.dense_layers or 0) / model.layers end

-- Up to the last year in which Transformers has a module for each expert; since release 5 (December 2025; recalled) it
-- keeps all of a layer in one tensor.
local function apply(case)
  local model, last = case.model, case.traits.expert_modules_until
  local profile, held = case.profile, (model.experts or 0) // (case.plan.ep or 1)
  if not last or case.year > last or held == 0 or profile.calibration then return nil end
  local matrices = model.gated_mlp == false and 2 or 3
  local share = with_experts(model)
  case.profile = tables.with(profile, {
    host_layer_s = profile.host_layer_s + share * held * EXPERT_LAUNCHES * LAUNCH_S,
    host_gather_s = (profile.host_gather_s or 0) * (1 + share * matrices * (held - 1) / TIMED_MODULES),
  })
  return ("%d experts launched one after the other"):format(held)
end

return { { fact = "host_layer_s", apply = apply,
  says = "Transformers up to 2025, where a model has experts: fourteen launches of 8 us for each, and under DeepSpeed's "
    .. "ZeRO 3 hooks for each of their matrices" } }

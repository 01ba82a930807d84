-- plan.recompute_modules as the fields of the core say it.
local errors = require("ballpark.errors")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")

local DENSE = { layers = 32, hidden = 4096, heads = 32, ffn_hidden = 14336 }
local EXPERTS = { layers = 32, hidden = 4096, heads = 32, ffn_hidden = 14336, experts = 8, topk = 2 }
local LATENT = { layers = 61, hidden = 7168, heads = 128, kv_lora_rank = 512, qk_rope_dim = 64, qk_nope_dim = 128,
  v_head_dim = 128, ffn_hidden = 18432, experts = 256, topk = 8, moe_ffn = 2048, dense_layers = 3, shared_experts = 1 }

local function refusal(plan, model) return (errors.catch(recompute_modules.taken, plan, model)) end

describe("plan.recompute_modules", function()
  it("says fields of the plan in Megatron Core's words", function()
    assert.same({ tp = 2 }, recompute_modules.taken({ tp = 2 }, DENSE))
    assert.same({ tp = 2, recompute = "selective", recompute_norms = true, recompute_mlp = true },
      recompute_modules.taken({ tp = 2, recompute_modules = { "mlp", "core_attn", "layernorm" } }, DENSE))
    assert.same({ recompute_moe = true, recompute_activation = true },
      recompute_modules.taken({ recompute_modules = { "moe", "moe_act" } }, EXPERTS))
    assert.same({ recompute_up_proj = true, recompute_shared = true },
      recompute_modules.taken({ recompute_modules = { "mla_up_proj", "shared_experts" } }, LATENT))
    assert.same({ recompute = "selective", flash = false },
      recompute_modules.taken({ recompute_modules = { "core_attn" }, flash = false }, LATENT))
  end)

  it("is refused where the model has no such module or the plan says otherwise", function()
    local function list(...) return { recompute_modules = { ... } } end
    assert.matches("plan.recompute_modules: ", refusal({ recompute_modules = 3 }, DENSE))
    assert.matches("plan.recompute_mlp: and plan.recompute_modules say the same",
      refusal({ recompute_modules = "mlp", recompute_mlp = false }, DENSE))
    assert.matches("must be a list", refusal(list(), DENSE))
    assert.matches("'mpl' is not one of .*did you mean 'mlp'", refusal(list("mpl"), DENSE))
    assert.matches("names moe, and the model has no experts", refusal(list("moe"), DENSE))
    assert.matches("names mla_up_proj, and the model has no latent attention", refusal(list("mla_up_proj"), DENSE))
    assert.matches("names mlp, and the model has no dense MLP", refusal(list("mlp"), EXPERTS))
    assert.matches("names shared_experts, and the model has no shared experts",
      refusal(list("shared_experts"), EXPERTS))
    assert.matches("only mla_up_proj is estimated", refusal(list("core_attn"), LATENT))
    assert.matches("plan.recompute: and plan.recompute_modules say the same",
      refusal({ recompute = "full", recompute_modules = { "mlp" } }, DENSE))
  end)

  it("is named again from a plan", function()
    assert.same({ "core_attn", "layernorm", "mlp" }, recompute_modules.named(
      { recompute = "selective", recompute_norms = true, recompute_mlp = true, flash = true }, DENSE))
    assert.same({ "mla_up_proj", "moe" }, recompute_modules.named(
      { recompute = "selective", recompute_up_proj = true, recompute_moe = true, flash = true }, LATENT))
    assert.same({ "core_attn", "mla_up_proj" }, recompute_modules.named(
      { recompute = "selective", recompute_up_proj = true, flash = false }, LATENT))
    assert.same({}, recompute_modules.named({ recompute = "none", recompute_activation = true }, DENSE))
  end)
end)

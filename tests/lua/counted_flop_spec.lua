--- FLOP rates as software prints them: by convention of attention, in a table and in a scenario.
local scenario = require("ballpark.scenario")
local core = require("ballpark.core")
local counted_flop = require("ballpark.resolve.training.counted_flop")
local models = require("ballpark.catalog.models")

local function estimated(counted)
  local said = counted and (", attention_counted = %q"):format(counted) or ""
  local _, _, state = pcall(scenario.run, { path = "t.lua", source = ([[
    show(estimate { model = model "llama-3.1-8b", cluster = cluster { device = "H100", devices = 8 },
      job = { global_batch = 64, seq_len = 8192 }, software = { name = "nemo", year = 2025%s },
      plan = { zero = 1, micro_batch = 1, precision = "fp8", recompute = "none" } })]]):format(said) })
  return state.answers[1]
end

describe("a FLOP rate", function()
  it("counts attention in full, half or not", function()
    local answer = estimated("full")
    local flops = core.flops({ model = models.get("Llama-3.1-8B"), seq_len = 8192 })
    assert.same({ flops.model_token_full, "full attention" }, { counted_flop.per_token(answer.input.case) })
    assert.same({ flops.model_token, "causal attention" }, { counted_flop.per_token(answer.input.case, "causal") })
    assert.same({ 3 * flops.matmul_forward, "no attention" }, { counted_flop.per_token(answer.input.case, "none") })
  end)

  it("is as stated, else as the class counts in its year", function()
    local traits = { causal_flops = 2025 }
    assert.same({ "full", true }, { counted_flop.attention("full", traits, 2026) })
    assert.same({ "causal", false }, { counted_flop.attention(nil, traits, 2025) })
    assert.same({ "full", false }, { counted_flop.attention(nil, traits, 2024) })
    assert.same({ "full", false }, { counted_flop.attention(nil, {}, 2026) })
  end)

  it("changes no estimate", function()
    local stated, not_stated = estimated("full"), estimated()
    assert.equal(not_stated.time.step_s, stated.time.step_s)
    assert.equal(not_stated.memory.total_bytes, stated.memory.total_bytes)
  end)
end)

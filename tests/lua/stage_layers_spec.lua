-- Layers of every stage as a list, and the fields of the plan that say it.
local errors = require("ballpark.errors")
local stage_layers = require("ballpark.resolve.training.stage_layers")
local estimating = require("ballpark.questions.estimate.run")
local searching = require("ballpark.questions.search.run")

local function refusal(plan, layers)
  return (errors.catch(stage_layers.taken, plan, layers))
end

describe("plan.stage_layers", function()
  it("becomes stages and what their ends have", function()
    assert.same({ tp = 2 }, stage_layers.taken({ tp = 2 }, 38))
    assert.same({ pp = 4, first_layers = 10, last_layers = 8, tp = 2 },
      stage_layers.taken({ stage_layers = { 10, 10, 10, 8 }, tp = 2 }, 38))
    assert.same({ pp = 2, first_layers = 25, last_layers = 15 },
      stage_layers.taken({ stage_layers = { 25, 15 }, pp = 2 }, 40))
    assert.same({ pp = 1 }, stage_layers.taken({ stage_layers = { 40 } }, 40))
  end)

  it("may name virtual stages", function()
    assert.same({ pp = 3, vpp = 2, first_layers = 6, last_layers = 4 },
      stage_layers.taken({ stage_layers = { 3, 4, 2, 3, 4, 2 }, pp = 3, vpp = 2 }, 18))
    assert.same({ pp = 3, vpp = 2, first_layers = 6, last_layers = 4 },
      stage_layers.taken({ stage_layers = { 6, 8, 4 }, pp = 3, vpp = 2 }, 18))
    assert.matches("stage 1 virtual stages of 4 and of 5 layers",
      refusal({ stage_layers = { 3, 4, 2, 3, 5, 2 }, pp = 3, vpp = 2 }, 19))
  end)

  it("is refused where it contradicts itself, the model or the plan", function()
    local function list(...) return { stage_layers = { ... } } end
    assert.matches("plan.stage_layers: ", refusal({ stage_layers = 7 }, 38))
    assert.matches("must be a list", refusal({ stage_layers = {} }, 38))
    assert.matches("at least 1, got 0", refusal(list(38, 0), 38))
    assert.matches("at least 1, got 28.5", refusal(list(28.5, 9.5), 38))
    assert.matches("adds up to 39 layers, the model has 38", refusal(list(10, 10, 10, 9), 38))
    assert.matches("stages 1 and 2 between the ends 10 and 11 layers", refusal(list(10, 10, 11, 8), 39))
    assert.matches("has 4 numbers; pp 2 takes as many", refusal({ pp = 2, stage_layers = { 10, 10, 10, 8 } }, 38))
    assert.matches("needs plan.pp", refusal({ vpp = 2, stage_layers = { 10, 10 } }, 20))
    assert.matches("plan.pp: ", refusal({ pp = "2", stage_layers = { 10, 10 } }, 20))
    assert.matches("plan.last_layers: and plan.stage_layers say the same",
      refusal({ last_layers = 8, stage_layers = { 10, 10, 10, 8 } }, 38))
  end)

  it("is taken by estimates and searches", function()
    local function asked(plan)
      return { model = { layers = 38, hidden = 4096, heads = 32, kv_heads = 32, ffn_hidden = 11008, vocab = 32000 },
        cluster = { device = { memory_bytes = 80e9, mem_bw_bytes_s = 3.35e12, bf16_flop_s = 989e12 },
          network = { devices = 32, scaleup = { bw_bytes_s = 450e9 }, scaleout = { bw_bytes_s = 50e9 } } },
        job = { global_batch = 256, seq_len = 4096 }, plan = plan }
    end
    local listed = estimating.run(asked({ stage_layers = { 7, 12, 12, 7 } }))
    local given = estimating.run(asked({ pp = 4, first_layers = 7, last_layers = 7 }))
    local even = estimating.run(asked({ pp = 4 }))
    assert.same(given.time, listed.time)
    assert.same(given.memory, listed.memory)
    assert.is_true(listed.time.step_s > even.time.step_s)
    local best = searching.run(asked({ stage_layers = { 7, 12, 12, 7 } })).best
    assert.equal(4, best.plan.pp)
    assert.equal(7, best.plan.last_layers)
  end)
end)

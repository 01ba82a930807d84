-- Every stage of an estimate's pipeline, against the estimate of the whole.
local catalog = require("ballpark.catalog")
local result = require("ballpark.result")
local stages = require("ballpark.questions.training.stages")
local estimating = require("ballpark.questions.estimate.run")

local function estimate(plan, global_batch)
  return estimating.run({ model = catalog.model("llama-3.1-70b"),
    cluster = catalog.cluster({ device = "H100", devices = 64 }),
    job = { global_batch = global_batch or 256, seq_len = 4096 }, plan = plan })
end

local function fullest(list)
  local most = list[1]
  for _, stage in ipairs(list) do
    if stage.peak_bytes > most.peak_bytes then most = stage end
  end
  return most
end

describe("the stages of an estimate", function()
  it("are all there, and the fullest is the estimate's", function()
    for _, plan in ipairs({ { tp = 2, pp = 8 }, { tp = 4, pp = 4, vpp = 2 }, { tp = 2, pp = 8, schedule = "zbv" },
      { tp = 2, pp = 8, schedule = "dualpipe" }, { tp = 2, pp = 8, schedule = "zb_h1" },
      { tp = 4, pp = 4, first_layers = 19, last_layers = 19 }, { tp = 1, pp = 16, recompute_mlp = true } }) do
      local answer = estimate(plan)
      local list, layers = stages.of(answer), 0
      assert.equal(plan.pp, #list)
      for _, stage in ipairs(list) do
        layers = layers + stage.layers
        assert.is_true(stage.peak_at_s >= 0 and stage.peak_at_s < answer.time.step_s)
        assert.is_true(stage.pipeline_idle_frac >= 0 and stage.pipeline_idle_frac < 1)
        assert.equal(stage.peak_bytes, stage.standing_bytes + stage.activations_bytes + stage.working_bytes
          + stage.logits_bytes)
      end
      assert.equal(80, layers)
      assert.equal(answer.memory.total_bytes, fullest(list).peak_bytes)
      assert.equal(answer.memory.stage, fullest(list).stage)
      for _, stage in ipairs(list) do
        local slowest = list[answer.time.slowest_stage + 1]
        assert.is_true(slowest.forward_s + slowest.backward_s >= stage.forward_s + stage.backward_s)
      end
    end
  end)

  it("keep a micro-batch less from one to the next, and the last the head", function()
    local list = stages.of(estimate({ tp = 2, pp = 4, vpp = 1 }))
    for i = 1, 4 do
      assert.equal(5 - i, list[i].in_flight)
      local kept = list[i].in_flight * list[i].micro_bytes
      assert.is_true(math.abs(list[i].activations_bytes - kept) <= 1)
    end
    assert.is_true(list[4].forward_s > list[3].forward_s)
    assert.equal(0, list[1].memory.logits_bytes)
    assert.is_true(list[4].memory.logits_bytes > 0)
  end)

  it("are none without a pipeline, and not simulated where a step has too many operations", function()
    assert.same({}, stages.of(estimate({ tp = 8 })))
    local list = stages.of(estimate({ tp = 2, pp = 8 }, 1 << 19))
    assert.equal(8, #list)
    assert.is_nil(list[1].peak_at_s)
  end)

  it("go into machine formats wholly, to people by the ends and the fullest", function()
    local r = result.new({})
    stages.show(r, estimate({ tp = 1, pp = 16 }))
    local block = r.blocks[1]
    assert.equal(16, #block.rows)
    assert.is_false(block.skip[1] or block.skip[2] or block.skip[15] or block.skip[16])
    assert.is_true(block.skip[3] and block.skip[14])
    stages.show(r, estimate({ tp = 2, pp = 8 }))
    assert.same({}, r.blocks[2].skip)
    stages.show(r, estimate({ tp = 8 }))
    assert.is_nil(r.blocks[3])
    stages.show(r, estimate({ tp = 2, pp = 4 }), true)
    assert.equal(4, #r.blocks[3].rows)
    local _, shown = require("ballpark.report.table")(r, {}):gsub("always, GiB", "")
    assert.equal(2, shown)
  end)
end)

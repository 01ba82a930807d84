-- What is known of pipeline schedules, as the core's records say it.
local schedules = require("ballpark.schedules")

describe("the facts of a schedule", function()
  it("say where its stages lie", function()
    assert.equal("loop", schedules.of("1f1b").layout)
    assert.is_true(schedules.of("1f1b").interleaves)
    assert.equal("v", schedules.of("zbv").layout)
    assert.equal(2, schedules.of("zbv").chunks)
    assert.equal("both_ways", schedules.of("dualpipe").layout)
    assert.equal(2, schedules.of("dualpipe").weight_copies)
    assert.is_nil(schedules.of("none"))
  end)

  it("have a formula and a source each", function()
    for _, facts in ipairs(schedules.all) do
      assert.is_true(#facts.about > 0 and #facts.formula > 0 and #facts.source > 0, facts.name)
    end
  end)

  it("list the names of some", function()
    assert.equal("dualpipe and dualpipe_v", schedules.names(function(facts) return facts.pairs end, "and"))
  end)
end)

describe("a program that is named after a schedule", function()
  it("runs it, however the name is written", function()
    assert.equal("zb_h1", schedules.named_by("Megatron-LM, Zero Bubble fork"))
    assert.equal("zb_h1", schedules.named_by("zero-bubble"))
    assert.equal("zb_h2", schedules.named_by("ZB-H2"))
    assert.equal("dualpipe", schedules.named_by("HAI-LLM DualPipe"))
    assert.equal("dualpipe", schedules.named_by("hai-llm"))
    assert.equal("dualpipe_v", schedules.named_by("DualPipe-V"))
    assert.equal("gpipe", schedules.named_by("torchgpipe"))
  end)

  it("is none where the name leaves open how it interleaves", function()
    assert.is_nil(schedules.named_by("megatron 1F1B"))
    assert.is_nil(schedules.named_by("megatron"))
  end)
end)

-- What "did you mean" says, and when it says nothing.
local near = require("ballpark.near")

describe("the nearest name", function()
  local NAMES = { "tp", "pp", "vpp", "micro_batch", "recompute", "zero", "precision", "memory_bytes", "H100", "AWS",
    "OCI" }

  it("is what a slip of the finger meant", function()
    for word, meant in pairs({ vp = "pp", micro_bacth = "micro_batch", recompte = "recompute",
      zeor = "zero", presicion = "precision", memory = "memory_bytes", h10 = "H100", H1000 = "H100", aws = "AWS",
      micro_batches = "micro_batch", precison = "precision" }) do
      assert.equal(meant, near.name(word, NAMES), word)
    end
  end)

  it("is one of the same words in another order, before any other", function()
    local names = { "overlap_dp", "overlap_ep", "overlap_tp", "tp" }
    assert.equal("overlap_tp", near.name("tp_overlap", names))
    assert.equal("overlap_ep", near.name("EP-overlap", names))
    assert.equal("micro_batch", near.name("batch_micro", { "global_batch", "micro_batch" }))
    -- One word has no other order, and another separator is no exchange.
    assert.is_nil(near.name("pt", { "tp-tp" }))
    assert.equal("overlap-tp", near.name("overlap_tp", { "overlap-tp", "overlap_ep" }))
  end)

  it("is none where another word was meant", function()
    for _, word in ipairs({ "abc", "x", "q", "foo", "hello", "batch_of_things", "application", "lambda", "azure" }) do
      assert.is_nil(near.name(word, { "tp", "pp", "vpp", "zero", "H100", "AWS", "OCI", "recompute" }), word)
    end
    assert.is_nil(near.name("anything", {}))
    assert.is_nil(near.name("nope", { "qk_nope_dim" })) -- a syllable in the middle of a longer word
    assert.equal("micro_batches", near.name("o_batch", { "micro_batches" }))
    assert.equal("global_batch", near.name("batch", { "global_batch" }))
  end)

  it("does not depend on the order of the names", function()
    assert.equal("pp", near.name("cp", { "tp", "pp", "zero" }))
    assert.equal(near.name("cp", { "tp", "pp" }), near.name("cp", { "pp", "tp" }))
  end)
end)

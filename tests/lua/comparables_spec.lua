-- Published searches and platforms beside answers: the nearest of the same kind, its ratio, and what is said of it.
local catalog = require("ballpark.catalog")
local comparables = require("ballpark.questions.comparables.show")
local estimating = require("ballpark.questions.estimate.run")
local measured = require("ballpark.questions.comparables.measured")
local result = require("ballpark.result")
local vector_search = require("ballpark.questions.vector_search.run")

describe("a published search", function()
  local function near(input) return measured.nearest_search(vector_search.run, input) end

  it("is the nearest by size with the same kind of index", function()
    assert.matches("1,000,000 vectors of 128", near({ index = "ivf_pq", vectors = 2e6, dim = 128 }).text)
    assert.matches("1,000,000,000 vectors of 128", near({ index = "ivf_pq", vectors = 5e8, dim = 96 }).text)
    assert.matches("^flat among", near({ vectors = 1e6, dim = 128 }).text)
    assert.matches("^hnsw among 1,000,000 vectors", near({ index = "hnsw", vectors = 3e6, dim = 128 }).text)
    assert.is_nil(near({ index = "hnsw_pq", vectors = 1e6, dim = 128 }))
  end)

  it("stands beside what is estimated for it", function()
    local found = near({ index = "flat", vectors = 1e6, dim = 128 })
    local own = vector_search.run({ host = "Titan X", index = "flat", vectors = 1e6, dim = 128, batch = 10000, results = 1 })
    assert.near(own.out.time_s / 0.715, found.ratio, 1e-12)
    assert.is_true(found.ratio > 0.5 and found.ratio < 2)
  end)
end)

describe("a published training", function()
  it("stands beside an estimate of less than a token per second", function()
    local slow = estimating.run({ model = catalog.model("llama-3.1-70b"), job = { global_batch = 1, seq_len = 512 },
      cluster = catalog.cluster({ device = "RTX-4090", devices = 1, host_memory_bytes = 512e9 }),
      plan = { offload = "optimizer_weights_nvme" } })
    assert.is_true(slow.time.tokens_per_s < 1)
    local facts = {}
    comparables.of_estimate(function(fact) facts[fact.name] = fact.value end, result.new({}), slow)
    assert.is_string(facts.comparable)
  end)
end)

describe("a published platform", function()
  local function said(used_frac)
    local r, facts = result.new({}), {}
    comparables.platform(function(name, value) facts[name] = value end, r, used_frac)
    return facts, r
  end

  it("is noted at three times and flagged at ten times less in use", function()
    local facts, r = said(0.6)
    assert.near(0.6 / math.sqrt(0.65 * 0.90), facts.comparable_ratio, 1e-12)
    assert.equal(0, #r.notes + #r.warnings)
    r = select(2, said(0.2))
    assert.equal(1, #r.notes)
    r = select(2, said(0.05))
    assert.equal(1, #r.warnings)
  end)
end)

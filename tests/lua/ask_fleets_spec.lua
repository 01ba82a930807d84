-- Fleets on a page of questions: counts that are odd, spares that are none, devices that hold less than a call.
local ask = require("ballpark.questions.ask.run")
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")

-- Facts of a service, and what a search of fleets says of the same.
local SERVICE <const> = { model = "qwen3-32b", device = "H200", usd_h = 2, rate_per_s = 0.806786, peak_ratio = 1, input_tokens = 3541,
  output_tokens = 284, ttft_s = 0.403449, tpot_s = 0.0178622, percentile = 90, spares = 2 }
local function searched(facts)
  return search.run({ model = catalog.model(facts.model), devices = { { device = facts.device, price = facts.usd_h } },
    load = { rate_per_s = facts.rate_per_s, input_tokens = facts.input_tokens, output_tokens = facts.output_tokens },
    sla = { ttft_s = facts.ttft_s, tpot_s = facts.tpot_s, percentile = facts.percentile }, space = { pattern = "aggregated" },
    spares = facts.spares })
end

local function page(kind, facts) return ask.run({ kind = kind, facts = facts }) end

describe("a fleet on a page", function()
  it("searches any number of items, and half of them", function()
    for _, vectors in ipairs({ 12345677, 1e6 + 1 }) do
      local odd = page("retrieval", { vectors = vectors, rate_per_s = 500, model = "none", dim = 127 })
      assert.equal("half of the items", (function()
        for _, lever in ipairs(odd.levers) do
          if lever.title:find("half of the items") then return lever.title end
        end
      end)())
    end
    -- A range has a middle that is no whole number.
    local between = { low = 3e6, high = 7e6 }
    assert.is_true(page("retrieval", { vectors = between, rate_per_s = 500 }).values.servers > 0)
    assert.is_true(page("recommend", { vectors = between, rate_per_s = 500 }).values.servers > 0)
  end)

  -- The SLO sizes it: 4 replicas, of which the rate alone would fill half of one.
  it("has the range of a search of fleets, where nothing but the engine's speed is uncertain", function()
    local got, range = page("llm", SERVICE), searched(SERVICE).range
    assert.equal(4, got.values.replicas)
    assert.same({ 4, 11 }, { range.replicas.low, range.replicas.high })
    for _, name in ipairs({ "replicas", "devices" }) do
      assert.same({ range[name].low, range[name].high }, { got.ranges[name].low, got.ranges[name].high })
    end
    assert.near(11 * 2 * 730, got.ranges.cost_usd_month.high, 1e-6)
    assert.near(4 * 2 * 730, got.ranges.cost_usd_month.low, 1e-6)
    -- Wider where the rate is uncertain, too, and never below a replica and the spares.
    local wider = page("llm", tables.with(SERVICE, { rate_per_s = { low = 0.2, high = 3.3 } })).ranges.replicas
    assert.is_true(wider.high > 11 and wider.low >= 3 and wider.low <= 4, wider.high)
  end)

  it("says where no number of replicas would do, were steps slower", function()
    local facts = tables.with(SERVICE, { model = "llama-3.1-8b", device = "L40S", rate_per_s = 9.36, input_tokens = 1592,
      output_tokens = 275, ttft_s = 0.676, tpot_s = 0.0176 })
    assert.equal(math.huge, searched(facts).range.replicas.high)
    local got = page("llm", facts)
    assert.is_nil(got.ranges.devices)
    assert.matches("no number of such replicas would meet the SLO", table.concat(got.notes, "\n"))
  end)

  it("has no spares where none are said", function()
    local cases = { retrieval = { rate_per_s = 500, vectors = 1e6 }, recommend = { rate_per_s = 1000 }, encode = { rate_per_s = 100, device = "L4" },
      llm = { rate_per_s = 5, model = "llama-3.1-8b", device = "H100" } }
    for kind, facts in pairs(cases) do
      local with_one = page(kind, facts).values.cost_usd_month
      facts.spares = 0
      local none = page(kind, facts).values.cost_usd_month
      facts.spares = { low = 0, high = 2 }
      assert.equal(with_one, page(kind, facts).values.cost_usd_month, kind) -- one is the middle
      assert.is_true(none < with_one, kind)
      facts.spares = -1
      assert.matches("spares: must be a number from 0, got %-1", errors.catch(page, kind, facts))
      facts.spares, facts.rate_per_s = nil, 0
      assert.matches("rate_per_s: must be a number above 0, got 0", errors.catch(page, kind, facts))
    end
  end)

  it("is of calls that a device holds", function()
    -- 32 texts of 8192 tokens are more than what an A10G has left beside 15.1 GB of weights; 20 billion parameters are 40 GB.
    local facts = { model = "Qwen3-Embedding-8B", seq_len = 8192, device = "A10G", rate_per_s = 0.01, within_s = 3600 }
    local held = page("encode", facts)
    assert.is_true(held.values.memory_bytes < 24e9)
    assert.is_true(held.values.replicas >= 1)
    facts.model, facts.params = nil, 20e9
    local none = page("encode", facts)
    assert.equal("memory", none.contradictions[1].code)
    assert.is_nil(none.values.replicas)
    assert.equal("memory", page("retrieval", { model = "Qwen3-Embedding-8B", device = "RTX-3050-8GB", usd_h = 0.2, rate_per_s = 5, vectors = 1e6 }).contradictions[1].code)
  end)

  it("has users of a month where only is said what each of them asks in one", function()
    for _, kind in ipairs({ "llm", "recommend" }) do
      local open = ask.run({ text = "x", kind = kind, facts = { requests_per_user_month = 30 } })
      assert.equal(5e6, open.known.monthly_users, kind)
      -- A fifth of those of a month come on a day.
      assert.equal(5000, ask.run({ text = "x", kind = kind, facts = { requests_per_user_month = 30, users = 1000 } }).known.monthly_users, kind)
    end
  end)

  it("refuses a length that no whole number holds twice", function()
    assert.matches("job.seq_len: must be from 1 to", errors.catch(ask.run, { text = "train a model of 7B on 1T tokens",
      facts = { seq_len = math.maxinteger } }))
  end)
end)

-- Fleets on a page of questions: counts that are odd, spares that are none, devices that hold less than a call.
local ask = require("ballpark.questions.ask.run")
local errors = require("ballpark.errors")

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

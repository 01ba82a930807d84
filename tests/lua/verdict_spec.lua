-- What stands in the way of answers of every kind.
local questions = require("ballpark.questions")
local result = require("ballpark.result")

local function training(host_capacity, total)
  return { kind = "estimate", fits = false, memory = { total_bytes = total, capacity_bytes = 100,
    host_node_bytes = 50, host_capacity_bytes = host_capacity } }
end

describe("the verdict of an answer", function()
  it("is nothing where it can be done", function()
    for _, answer in ipairs({ { kind = "estimate", fits = true, run = {} }, { kind = "latency", fits = true },
      { kind = "serving", fits = true, seen = {}, steady = { stable = true } },
      { kind = "serving", fits = true, seen = {}, keeps_up = true }, { kind = "levers", fits = true } }) do
      assert.is_true(questions.is_feasible(answer))
      assert.is_nil(questions.reason(answer))
    end
  end)

  it("stands first in its report where it does not go, and nowhere else", function()
    local latency = require("ballpark.questions.latency.run")
    local function first(sla_s)
      local r = result.new({})
      questions.show(r, latency.run({ parts = { { name = "model", fixed_s = 0.06 } }, sla_s = sla_s }))
      return r.blocks[1].items[1], r.blocks[1].items[2]
    end
    local lead, then_ = first(0.05)
    assert.equal("contradiction", lead.name)
    assert.equal("sla_s", then_.name)
    assert.equal("sla_s", first(0.07).name)
    local contradiction = require("ballpark.questions.inference.contradiction")
    assert.matches("keeps 2 ms", contradiction.sentence({ fleet = false, load = { sla_s = 0.002 }, out = { fits = true } }))
    assert.matches("memory", contradiction.sentence({ out = { fits = false } }))
  end)

  it("names what is missing", function()
    assert.equal("memory", questions.reason(training(0, 101)))
    assert.equal("memory of the host", questions.reason(training(49, 99)))
    assert.equal("memory", questions.reason({ kind = "serving", fits = false }))
    for _, answer in ipairs({ { steady = { stable = false } }, { seen = {}, steady = { stable = false } },
      { seen = {}, keeps_up = false } }) do
      answer.kind, answer.fits = "serving", true
      assert.is_falsy(questions.is_feasible(answer))
      assert.equal("the load is beyond the capacity", questions.reason(answer))
    end
    assert.equal("layers", questions.reason({ kind = "search", fits = false, nearest_miss = { reason = "layers" } }))
    assert.equal("no fleet", questions.reason({ kind = "serving_search", fits = false, refused = "no fleet" }))
    assert.equal("memory", questions.reason({ kind = "encode", fits = false, out = { fits = false } }))
    assert.equal("no replica meets the SLO",
      questions.reason({ kind = "encode", fits = false, out = { fits = true }, fleet = false }))
    assert.equal("recall", questions.reason({ kind = "vector_search", fits = false, out = { fits = true } }))
    assert.matches("longer than the SLO allows", questions.reason({ kind = "latency", fits = false }))
    assert.equal("the work costs 3 million USD so, and 2 million USD are given", questions.reason({ kind = "budget", fits = false,
      found = { cost_usd = 3e6 }, known = { budget_usd = 2e6, mfu_frac = 0.4 }, input = { job = {} } }))
    assert.equal("the given values contradict each other", questions.reason({ kind = "budget", fits = false,
      found = {}, known = {}, input = { job = {} } }))
  end)
end)

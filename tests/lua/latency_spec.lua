-- Latency budgets as sums of distributions: against closed forms, in the limits, and refused.
local errors = require("ballpark.errors")
local latency = require("ballpark.questions.latency.run")
local result = require("ballpark.result")
local show = require("ballpark.questions.latency.show")

local function budget(parts, changes)
  local input = { sla_s = 0.05, parts = parts }
  for key, value in pairs(changes or {}) do input[key] = value end
  return latency.run(input)
end

describe("a latency budget", function()
  it("is the sum where nothing varies", function()
    local answer = budget({ { name = "network", fixed_s = 0.005 }, { name = "features", fixed_s = 0.010 },
      { name = "inference", fixed_s = 0.020 }, { fixed_s = 0.005 } })
    assert.near(0.040, answer.value_s, 1e-12)
    assert.near(0.010, answer.left_s, 1e-12)
    assert.near(answer.value_s, answer.stacked_s, 1e-12)
    assert.equal(1, answer.within_frac)
    assert.equal("inference", answer.dominant)
    assert.equal("part 4", answer.parts[4].name)
  end)

  it("of one lognormal part has its percentiles", function()
    local answer = budget({ { name = "a", median_s = 0.01, p99_s = 0.04 } })
    assert.near(1, answer.value_s / 0.04, 1e-3)
    assert.near(1, answer.median_s / 0.01, 1e-3)
    local deviation = math.log(4) / 2.3263478740408
    assert.near(1, answer.mean_s / (0.01 * math.exp(deviation ^ 2 / 2)), 1e-4)
    -- The same part by its mean and coefficient of variation.
    local again = budget({ { mean_s = answer.mean_s, cv = math.sqrt(math.exp(deviation ^ 2) - 1) } })
    assert.near(1, again.value_s / answer.value_s, 1e-3)
  end)

  it("is less than its parts' percentiles and more than their means", function()
    local parts = {}
    for i = 1, 6 do parts[i] = { name = "p" .. i, median_s = 0.004, p99_s = 0.012 } end
    local answer = budget(parts)
    assert.is_true(answer.value_s < 0.8 * answer.stacked_s)
    assert.is_true(answer.value_s > answer.mean_s)
    -- Independent parts: means add up, and each of six equal ones is a sixth.
    assert.near(1 / 6, answer.parts[3].share, 1e-3)
    assert.near(answer.parts[1].saves_s, answer.parts[6].saves_s, 1e-9)
  end)

  it("names the part that would gain most, which need not have the largest mean", function()
    local answer = budget({ { name = "steady", mean_s = 0.02, cv = 0.02 }, { name = "wild", mean_s = 0.015, cv = 2 } })
    assert.equal("wild", answer.dominant)
    assert.is_true(answer.parts[1].mean_s > answer.parts[2].mean_s)
  end)

  it("agrees between its percentile and the share within the SLO", function()
    local parts = { { median_s = 0.01, p99_s = 0.03 }, { median_s = 0.008, p99_s = 0.04 }, { fixed_s = 0.004 } }
    local answer = budget(parts, { percentile = 95 })
    local at = budget(parts, { sla_s = answer.value_s })
    assert.near(0.95, at.within_frac, 1e-6)
    assert.is_true(budget(parts, { percentile = 99.9 }).value_s > answer.value_s)
    assert.is_false(budget(parts, { sla_s = 0.9 * answer.value_s, percentile = 95 }).fits)
  end)

  it("takes the times of a simulated answer", function()
    local seen = { ttft = { mean_s = 0.02, p50_s = 0.018, p90_s = 0.03, p99_s = 0.06 },
      queue = { mean_s = 0, p50_s = 0, p90_s = 0, p99_s = 0 } }
    local served = { kind = "serving", seen = seen }
    assert.near(1, budget({ { answer = served, time = "ttft" } }).value_s / 0.06, 2e-3)
    assert.near(1, budget({ { answer = served, time = "ttft" } }, { percentile = 90 }).value_s / 0.03, 2e-3)
    assert.equal(0, budget({ { answer = { kind = "serving_search", winner = served }, time = "queue" } }).value_s)
  end)

  it("takes calls, searches and other budgets as parts", function()
    local function with(answer) return budget({ { answer = answer } }).value_s end
    assert.equal(0.02, with({ kind = "vector_search", out = { time_s = 0.02 } }))
    assert.equal(0.01, with({ kind = "encode", out = { time_s = 0.01 } }))
    local batched = { kind = "recommend", out = { time_s = 0.01 }, fleet = { batching = { p50_s = 0.01, p99_s = 0.03 } } }
    assert.near(0.03, with(batched), 1e-5)
    local parts = { { median_s = 0.01, p99_s = 0.03 }, { median_s = 0.008, p99_s = 0.04 }, { fixed_s = 0.004 } }
    local inner = budget(parts)
    assert.near(1, with(inner) / inner.value_s, 1e-3)
    assert.equal(0.004, with(budget({ { fixed_s = 0.004 } })))
  end)

  it("has the median that is said of a part with a heavy tail", function()
    assert.near(0.1, latency.run({ sla_s = 1e5, percentile = 50, parts = { { median_s = 0.1, p99_s = 30 } } }).median_s, 1e-4)
    -- Lognormal of mean m and deviation cv m: median m / sqrt(1 + cv^2).
    assert.near(0.1 / math.sqrt(1 + 1e4), latency.run({ sla_s = 1e5, parts = { { mean_s = 0.1, cv = 100 } } }).median_s, 1e-5)
    local parts = {}
    for i = 1, 65 do parts[i] = { mean_s = 0.1, cv = 1 } end
    assert.matches("65 of them vary, and at most 64", errors.catch(latency.run, { sla_s = 30, parts = parts }))
  end)

  it("of parts that take no time gives each no share", function()
    local answer = latency.run({ sla_s = 1, parts = { { name = "a", fixed_s = 0 }, { name = "b", fixed_s = 0 } } })
    assert.equal(0, answer.parts[1].share)
    assert.equal(0, answer.value_s)
  end)

  it("becomes blocks of a report", function()
    local r = result.new({})
    show.answer(r, budget({ { name = "slow", mean_s = 0.1, cv = 1 } }))
    assert.equal(2, #r.blocks)
  end)

  it("refuses what it cannot add", function()
    local function said(parts, changes) return errors.catch(budget, parts, changes) end
    local one = { { fixed_s = 1 } }
    assert.matches("parts: ", said({}))
    assert.matches("sla_s: ", said(one, { sla_s = "x" }))
    assert.matches("sla_s: ", said(one, { sla_s = 0 }))
    assert.matches("latency.part: .*'parts'", said(one, { part = 1 }))
    assert.matches("latency.1: ", said(one, { "not a field", zzz = 1 }))
    assert.matches("percentile: ", said(one, { percentile = 99.99 }))
    assert.matches("parts%[1%]: ", said({ { name = "a", median_s = 1 } }))
    assert.matches("parts%[1%]: ", said({ { fixed_s = 1, mean_s = 1 } }))
    assert.matches("parts%[1%].medain_s: .*'median_s'", said({ { medain_s = 1 } }))
    assert.matches("parts%[1%].p99_s: ", said({ { median_s = 2, p99_s = 1 } }))
    assert.matches("parts%[1%].answer: ", said({ { answer = {} } }))
    assert.matches("parts%[1%].time: ", said({ { answer = { seen = {} }, time = "tttf" } }))
  end)
end)

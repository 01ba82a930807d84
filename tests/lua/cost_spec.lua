-- What fleets cost over time, by hand; kernels by the names of the catalog, and shown with their formula.
local cost = require("ballpark.questions.cost.run")
local errors = require("ballpark.errors")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local show = require("ballpark.questions.cost.show")

local HOUR <const> = 3600

describe("the cost of fleets", function()
  it("is hours times prices, month by month", function()
    local answer = cost.run({ fleets = { { name = "a", usd_h = 2, replicas = 3 }, { name = "b", usd_h = 4 } } })
    assert.equal(10 * 730, answer.usd_month)
    assert.equal(10 * 730 * 12, answer.usd_year)
    assert.equal(answer.usd_year, answer.usd_horizon)
    assert.equal(0.6, answer.fleets[1].share)
    assert.is_true(answer.fits)
  end)

  it("grows compound, and adds up over a horizon", function()
    local answer = cost.run({ fleets = { { usd_h = 1 } }, growth_month_frac = 0.1, horizon_s = 3 * 730 * HOUR })
    assert.near(730 * (1 + 1.1 + 1.21), answer.usd_horizon, 1e-9)
    assert.near(730 * 1.21, answer.usd_last_month, 1e-9)
    -- A month and a half: the second at the grown price, half of it.
    local half = cost.run({ fleets = { { usd_h = 1 } }, growth_month_frac = 0.1, horizon_s = 1.5 * 730 * HOUR })
    assert.near(730 * (1 + 0.55), half.usd_horizon, 1e-9)
    -- A year is twelve months.
    local year = cost.run({ fleets = { { usd_h = 1 } }, growth_month_frac = 0.1, horizon_s = 365 * 24 * HOUR })
    assert.near(730 * 1.1 ^ 11, year.usd_last_month, 1e-9)
    assert.near(year.usd_year, year.usd_horizon, 1e-9)
    local own = cost.run({ fleets = { { usd_h = 1, growth_month_frac = 0 } }, growth_month_frac = 0.1 })
    assert.near(730 * 12, own.usd_year, 1e-9)
  end)

  it("takes answers of any kind that has a fleet", function()
    local function month(answer) return cost.run({ fleets = { { answer = answer } } }).usd_month / 730 end
    assert.equal(5, month({ kind = "serving_search", winner = { cost_usd_h = 5 } }))
    assert.equal(6, month({ kind = "serving", bill = { usd_h = 6 } }))
    assert.equal(12, month({ kind = "recommend", fleet = { replicas = 2 }, price_usd_h = 3, input = { devices = 2 } }))
    assert.near(2, month({ kind = "ask", values = { cost_usd_month = 1460 } }), 1e-12)
  end)

  it("says when a month breaks the budget, and refuses what has no price", function()
    local answer = cost.run({ fleets = { { usd_h = 1 } }, budget_usd_month = 729 })
    assert.is_false(answer.fits)
    local r = result.new({})
    show.answer(r, answer)
    assert.matches("costs more than the budget", r.blocks[1].items[1].value)
    local function said(input) return errors.catch(cost.run, input) end
    assert.matches("fleets: ", said({ fleets = {} }))
    assert.matches("fleets%[1%].usd_h: ", said({ fleets = { {} } }))
    assert.matches("has no fleet", said({ fleets = { { answer = { kind = "latency" } } } }))
    assert.matches("what a question answered", said({ fleets = { { answer = { 1 } } } }))
    assert.matches("has no fleet", said({ fleets = { { answer = { kind = "encode" } } } }))
    assert.matches("did you mean 'usd_h'", said({ fleets = { { usd_hh = 1 } } }))
    assert.matches("at most 100 years", said({ fleets = { { usd_h = 1 } }, horizon_s = 1e308 }))
    assert.matches("more over the horizon", said({ fleets = { { usd_h = 1e300 } }, growth_month_frac = 9 }))
    assert.matches("budget_usd_month: ", said({ fleets = { { usd_h = 1 } }, budget_usd_month = "1" }))
    assert.equal(0, cost.run({ fleets = { { usd_h = 0 } } }).fleets[1].share)
  end)
end)

describe("a kernel in a scenario", function()
  local function run(source) return (scenario.run({ path = "s.lua", source = source })) end

  it("is shown with its formula, what it was given and what came out", function()
    local r = run("show(kernel.weights { params = billion(7), overhead_factor = 1.2 })")
    local values = {}
    for _, item in ipairs(r.blocks[1].items) do values[item.name] = item.value end
    assert.matches("params bytes_per_param", values.weights_formula)
    assert.equal(7e9, values.params)
    assert.near(16.8e9, values.footprint_bytes, 1)
    assert.matches("Source: ", r.notes[1])
  end)

  it("takes models and devices by name", function()
    local r = run("facts('x', { { 'p', kernel.params { model = 'llama-3.1-8b' }.total_params }, "
      .. "{ 't', kernel.gemm { device = 'H100', m = 64, n = 64, k = 64 }.time_s } })")
    assert.near(8.03e9, r.blocks[1].items[1].value, 1e7)
    assert.is_true(r.blocks[1].items[2].value > 0)
    assert.matches("did you mean", select(2, pcall(run, "kernel.params { model = 'llama-3.1-8c' }")).message)
  end)
end)

-- budget{}: any two of money, time and efficiency, against numbers worked out by hand.
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local overrides = require("ballpark.scenario.overrides")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")
local search = require("ballpark.questions.search.run")
local uncertain = require("ballpark.uncertain")

-- A 1B model on H100 at 2 USD/h, 10 billion tokens.
local function ask(changes, job, definitions)
  local state = scenario.state(nil, { overrides = overrides.parse(definitions) })
  local env = environment.new(state)
  local input = { model = env.model({ layers = 16, hidden = 2048, heads = 16, ffn_hidden = 8192, vocab = 50000,
    gated_mlp = false }), cluster = { device = "H100" }, price = 2, job = { tokens = 1e12, seq_len = 2048 } }
  for key, value in pairs(job or {}) do input.job[key] = value end
  for key, value in pairs(changes) do input[key] = value end
  local answer = env.budget(input)
  env.show(answer)
  return answer, scenario.finish(state, "this test")
end

local HOUR, PEAK = 3600, 989e12

describe("a budget", function()
  it("of money and time says how many devices, and the efficiency they need", function()
    -- 100,000 USD buy 50,000 device-hours; in 250 h that is 200 devices.
    local answer = ask({ budget_usd = 1e5, deadline_s = 250 * HOUR })
    assert.equal(200, answer.found.devices)
    assert.near(answer.terms.flop / (50000 * HOUR * PEAK), answer.found.mfu_frac, 1e-12)
    assert.is_nil(answer.reached)
    -- Whole nodes, which a little less money pays for a little less long.
    local less = ask({ budget_usd = 0.99e5, deadline_s = 250 * HOUR }).found
    assert.same({ 200, "spent" }, { less.devices, less.bought })
    assert.near(0.99 * 250 * HOUR, less.deadline_s, 1e-6)
  end)

  it("searches once for all draws of money and time, and again where a draw changes what is searched", function()
    local run, count = search.run, 0
    search.run = function(...)
      count = count + 1
      return run(...)
    end
    local function asked(changes)
      count = 0
      local answer = ask(changes, { global_batch = 128, tokens = 1e10 })
      return answer, count
    end
    local ok, problem = pcall(function()
      local _, once = asked({ budget_usd = 1000, deadline_s = 10 * HOUR, price = 2.5 })
      local drawn, all = asked({ budget_usd = uncertain.scope.range(200, 2000), deadline_s = uncertain.scope.range(2 * HOUR, 20 * HOUR) })
      assert.is_true(once > 3 and all == once)
      assert.equal(64, drawn.drawn.samples)
      local plain, none = asked({ budget_usd = drawn.input.budget_usd, deadline_s = drawn.input.deadline_s })
      assert.same({ 0, drawn.found.cost_usd, drawn.found.feasible }, { none, plain.found.cost_usd, plain.found.feasible })
      assert.equal(once, select(2, asked({ budget_usd = 1000, deadline_s = 10 * HOUR, price = 3 })))
    end)
    search.run = run
    assert(ok, problem)
  end)

  it("of time and efficiency says devices and cost", function()
    local answer = ask({ deadline_s = 240 * HOUR, mfu_frac = 0.4 })
    local exact = answer.terms.flop / (PEAK * 0.4 * 240 * HOUR)
    assert.equal(math.ceil(exact / 8) * 8, answer.found.devices)
    -- They are held until the work is done.
    assert.near(exact * 240 * 2, answer.found.cost_usd, 1e-6)
    assert.near(exact / answer.found.devices * 240 * HOUR, answer.found.deadline_s, 1e-3)
    assert.is_true(answer.fits)
  end)

  it("of money and efficiency says the time for clusters of several sizes", function()
    local answer, r = ask({ budget_usd = 1e5, mfu_frac = 0.4 })
    local device_s = answer.terms.flop / (PEAK * 0.4)
    assert.equal(8, answer.found.sizes[1].devices)
    for i, row in ipairs(answer.found.sizes) do
      assert.equal(8 << (i - 1), row.devices)
      assert.near(device_s / row.devices, row.deadline_s, 1e-6 * row.deadline_s)
    end
    assert.near(device_s / HOUR * 2, answer.found.cost_usd, 1e-6)
    assert.matches("Time by size of the cluster", report.render(r, "table"))
    assert.is_false(ask({ budget_usd = 1e3, mfu_frac = 0.4 }).fits)
  end)

  it("is refused with one of them, and with money alone", function()
    for _, case in ipairs({ { { deadline_s = 1e6 }, nil, "^budget: needs mfu_frac, such as" }, { { budget_usd = 1e5 },
      { global_batch = 256 }, "^budget: needs deadline_s" },
      { { deadlin_s = 1 }, nil, "did you mean 'deadline_s'" },
      { { deadline_s = 1e6, mfu_frac = 0.4, job = {} }, nil, "needs job.tokens and job.seq_len, such as" } }) do
      assert.matches(case[3], (errors.catch(ask, case[1], case[2])))
    end
  end)

  it("finds the cheapest run that meets a deadline by searches, and the one on the fewest devices", function()
    local answer = ask({ deadline_s = 240 * HOUR }, { global_batch = 256 })
    local run, fewest = answer.reached.best.run, answer.found.fewest or answer.found
    assert.is_true(answer.fits and run.run_s <= 240 * HOUR)
    assert.equal(run.devices, answer.found.devices)
    assert.near(answer.terms.flop / (run.device_s * PEAK), answer.found.mfu_frac, 1e-4)
    -- Searches of their own find none cheaper, and none in time on fewer.
    local runner = require("ballpark.questions.search.run").run
    for _, devices in ipairs({ 8, 16, 24, 32, 40, 48, 64, 80, 128, 256 }) do
      local found = runner({ model = answer.input.model, cluster = answer.input.site(devices), job = answer.input.job, price = 2 }).best
      if found and found.run.run_s <= 240 * HOUR then
        assert.is_true(run.cost_usd <= found.run.cost_usd)
        assert.is_true(fewest.devices <= devices)
      end
    end
    assert.is_true(fewest.deadline_s <= 240 * HOUR and fewest.cost_usd >= run.cost_usd)
  end)

  it("says the fastest run where none is in time", function()
    local answer, r = ask({ deadline_s = 1 }, { global_batch = 4, tokens = 1e9 })
    assert.is_false(answer.fits)
    assert.is_true(r.infeasible and answer.found.deadline_s > 1)
    assert.is_nil(answer.found.fewest)
  end)

  it("never costs more at a later deadline, and buys no less with more money", function()
    -- The first of these cost 29 % more in 30 days than in 20, on the fewest devices.
    local jobs = { { "llama-3.1-8b", { global_batch = 512, seq_len = 8192 } }, { "mixtral-8x7b", { global_batch = 40 } } }
    for _, job in ipairs(jobs) do
      local last = math.huge
      for _, days in ipairs({ 20, 30, 400 }) do
        local answer = ask({ model = job[1], deadline_s = days * 24 * HOUR }, job[2])
        local cost = answer.fits and answer.found.cost_usd or math.huge
        assert.is_true(cost <= last, ("%s in %d days: %g USD, %g before"):format(job[1], days, cost, last))
        last = cost
      end
      -- Money for the cheapest run is enough, and less is not.
      for times, enough in pairs({ [0.999] = false, [1] = true, [1.5] = true }) do
        assert.equal(enough, ask({ model = job[1], deadline_s = 400 * 24 * HOUR, budget_usd = times * last }, job[2]).fits)
      end
    end
  end)

  it("needs no more efficiency for a later deadline, whatever whole nodes divide", function()
    local last
    for days = 90, 400, 5 do
      local found = ask({ budget_usd = 76800, deadline_s = days * 24 * HOUR }).found
      assert.is_true(found.deadline_s <= days * 24 * HOUR * (1 + 1e-9) and found.cost_usd <= 76800 * (1 + 1e-9))
      assert.is_true(not last or found.mfu_frac <= last * (1 + 1e-9), days .. " days")
      last = found.mfu_frac
    end
  end)

  it("holds one node more until the money is spent where whole nodes until the deadline do too little", function()
    -- 60,000 USD buy 30,000 device-hours: in 5,000 h that is less than a node, so a node for 3,750 h.
    local early, late = ask({ budget_usd = 6e4, deadline_s = 3750 * HOUR }), ask({ budget_usd = 6e4, deadline_s = 5000 * HOUR })
    assert.same({ 8, "until" }, { early.found.devices, early.found.bought })
    assert.same({ 8, "spent" }, { late.found.devices, late.found.bought })
    assert.near(3750 * HOUR, late.found.deadline_s, 1e-6)
    assert.near(early.found.mfu_frac, late.found.mfu_frac, 1e-12)
    assert.is_true(early.fits and late.fits)
  end)

  it("counts in whole groups of a plan that is stated", function()
    local answer = ask({ deadline_s = 2400 * HOUR, plan = { pp = 3, tp = 1, cp = 1 } }, { global_batch = 256,
      tokens = 1e10 })
    assert.is_true(answer.fits)
    assert.equal(0, answer.found.devices % 24)
  end)

  it("compares what is needed with what the best plan reaches", function()
    local easy = ask({ budget_usd = 1e5, deadline_s = 250 * HOUR }, { global_batch = 1024 })
    assert.is_true(easy.fits and easy.reached.best.run.run_s <= 250 * HOUR)
    local hard, r = ask({ budget_usd = 4e3, deadline_s = 250 * HOUR }, { global_batch = 1024 })
    assert.is_false(hard.fits)
    assert.is_true(r.infeasible)
    assert.matches("Can be done +no", report.render(r, "table"))
  end)

  it("looks at other counts where what the money buys divides badly: both promises are upper bounds", function()
    local answer, r = ask({ model = "llama-3.1-70b", budget_usd = 17.5e6, deadline_s = 200 * 24 * HOUR, price = 3.9 },
      { global_batch = 1024, seq_len = 8192, tokens = 15.5e12 })
    local run = answer.reached.best.run
    assert.equal(936, answer.found.devices) -- 17.5e6 / 3.9 / 4800 h is 934.8, in nodes of 8
    assert.is_true(answer.fits and run.run_s <= 200 * 24 * HOUR and run.cost_usd <= 17.5e6)
    assert.equal(1024, (answer.found.fewest or run).devices)
    assert.matches("yes, by the estimate of the best plan, on 1,%d%d%d devices", report.render(r, "table"))
  end)

  it("takes its inputs from the command line", function()
    assert.equal(240 * HOUR, ask({ deadline_s = 1, mfu_frac = 0.4 }, nil, { "deadline_s=hours(240)" }).known.deadline_s)
  end)
end)

-- What measured runs say of other plans, which to run next, and tune{} as a scenario asks it.
local between_plans = require("ballpark.range.between_plans")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local next_runs = require("ballpark.range.next_runs")
local scenario = require("ballpark.scenario")

local OPTIONS = { count = 2, within = 0.03, memory_spread = 0.1 }

-- Independent plans but for what is off alike in all.
local function covariance(n, deviation)
  local list = {}
  for i = 1, n do
    for j = 1, n do
      list[(i - 1) * n + j] = between_plans.SHARED + (i == j and deviation ^ 2 or 0)
    end
  end
  return list
end

local function plan(seconds, changes)
  local item = { log_s = math.log(seconds), log_fill = -5 }
  for key, value in pairs(changes or {}) do item[key] = value end
  return item
end

describe("what a measured run says", function()
  it("is nearly itself of that plan, and what is off alike of the others", function()
    local mean, left = next_runs.learned({ 0, 0 }, covariance(2, 0.01), { [1] = 2 })
    -- Gains: 1.0001 / 1.0005 of the run itself and 1 / 1.0005 of the other.
    assert.near(math.log(2) * 1.0001 / 1.0005, mean[1], 1e-9)
    assert.near(math.log(2) / 1.0005, mean[2], 1e-9)
    assert.near(1.0001 - 1 / 1.0005, left[4], 1e-9)
  end)

  it("widens the rest where runs are further off against each other than expected", function()
    local _, near = next_runs.learned({ 0, 0, 0 }, covariance(3, 0.02), { [1] = 1, [2] = 1 })
    local _, far = next_runs.learned({ 0, 0, 0 }, covariance(3, 0.02), { [1] = 1, [2] = 1.3 })
    assert.is_true(far[9] > 4 * near[9])
    local _, one = next_runs.learned({ 0, 0, 0 }, covariance(3, 0.02), { [1] = 1 })
    assert.near(one[9], near[9], 0.02 ^ 2) -- what agrees narrows nothing but what it is about
  end)

  it("says more of how far plans are off, the more runs there are", function()
    local function freedom(measured)
      local _, _, degrees = next_runs.learned({ 0, 0, 0 }, covariance(3, 0.02), measured)
      return degrees - between_plans.FREEDOM
    end
    assert.same({ 0, 0, 1, 2 }, { freedom({}), freedom({ 1 }), freedom({ 1, 1 }), freedom({ 1, 1, 1 }) })
  end)
end)

describe("runs to make next", function()
  it("need no second where nothing is left open", function()
    local found = next_runs.of({ plan(1, { ran = true, measured_s = 1 }), plan(1.1) }, covariance(2, 0), OPTIONS)
    assert.equal(1, found.best)
    assert.is_true(found.within > 0.97)
    assert.is_true(found.regret < 0.005)
  end)

  it("start with the fastest of plans that are open alike, then the second", function()
    local found = next_runs.of({ plan(1.2), plan(1), plan(1.1) }, covariance(3, 0.05), OPTIONS)
    assert.equal(0, found.within)
    assert.is_nil(found.regret)
    assert.equal(2, found.next[1].place)
    assert.equal(3, found.next[2].place)
    assert.is_true(found.next[2].regret < found.next[1].regret)
    assert.near(1, found.plans[1].fastest + found.plans[2].fastest + found.plans[3].fastest, 1e-9)
  end)

  it("are not those that were run, and no more than there are", function()
    local found = next_runs.of({ plan(1, { ran = true, measured_s = 1 }), plan(1.1), plan(1.2) }, covariance(3, 0.1),
      { count = 9, within = 0.03, memory_spread = 0.1 })
    assert.equal(2, #found.next)
    for _, item in ipairs(found.next) do assert.is_true(item.place > 1) end
  end)

  it("learn from what ran out of memory, and from what ran", function()
    local function chance(changes)
      local list = { plan(1, { log_fill = 0 }), plan(1.01, { log_fill = 0 }) }
      for key, value in pairs(changes) do list[1][key] = value end
      return next_runs.of(list, covariance(2, 0.05), OPTIONS).plans[2].fits
    end
    local before = chance({})
    assert.near(0.5, before, 0.03)
    assert.is_true(chance({ ran = false }) < before - 0.1)
    assert.is_true(chance({ ran = true, measured_s = 1 }) > before + 0.1)
  end)

  it("do not trust a plan that needs as much as one that was sure to fit and did not", function()
    for _, fill in ipairs({ -0.2, -0.4, -0.8 }) do
      local list = { plan(1, { log_fill = fill, ran = false }), plan(1.01, { log_fill = fill }),
        plan(1.02, { log_fill = fill / 2 }), plan(1.03, { log_fill = fill - 1 }) }
      local found = next_runs.of(list, covariance(4, 0.05), OPTIONS).plans
      assert.is_true(found[2].fits < 0.8)
      assert.is_true(found[3].fits <= found[2].fits)
      assert.is_true(found[4].fits > 0.9)
    end
  end)

  it("have to be better by their handicap", function()
    local function first(handicap)
      local list = { plan(1, { handicap = handicap }), plan(1.02) }
      local found = next_runs.of(list, covariance(2, 0), OPTIONS)
      assert.near(1, found.plans[1].mean_s, 1e-12) -- the step stays what it is
      return found.next[1].place
    end
    assert.equal(1, first(0))
    assert.equal(2, first(0.05))
  end)

  it("count no plan as the fastest that did not run", function()
    local found = next_runs.of({ plan(1, { ran = false }), plan(2, { ran = true, measured_s = 2 }) },
      covariance(2, 0.05), OPTIONS)
    assert.equal(0, found.plans[1].fastest)
    assert.equal(1, found.plans[2].fastest)
    assert.equal(1, found.within)
  end)
end)

describe("tune{}", function()
  local env = environment.new(scenario.state(nil, { command = "run" }))
  local function asked(changes)
    local input = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 16 },
      job = { global_batch = 128, seq_len = 8192 }, runs = 2 }
    for key, value in pairs(changes or {}) do input[key] = value end
    return env.tune(input)
  end

  it("proposes runs with nothing measured, and stops when all is measured that matters", function()
    local answer = asked()
    assert.equal(2, #answer.next)
    assert.equal(0, answer.within_chance)
    assert.is_false(answer.stop)
    local first = answer.next[1].plan
    local told = asked({ space = { tp = first.tp, pp = first.pp, cp = first.cp, zero = first.zero, vpp = first.vpp,
      recompute = first.recompute, micro_batch = first.micro_batch },
      measured = { { tp = first.tp, pp = first.pp, cp = first.cp, zero = first.zero, vpp = first.vpp,
        recompute = first.recompute, micro_batch = first.micro_batch, step_s = 3.5 } } })
    assert.equal(1, told.within_chance)
    assert.is_true(told.stop)
    assert.equal(3.5, told.runs[1].measured_s)
  end)

  it("takes what a run leaves open as all plans of the search have it", function()
    local failed = { tp = 2, pp = 1, cp = 1, vpp = 1, zero = 1, micro_batch = 1, recompute = "none", status = "oom" }
    for _, name in ipairs({ "Megatron-LM", "NeMo" }) do
      local answer = asked({ software = { name = name }, measured = { failed } })
      assert.is_true(answer.runs[1].plan.overlap_tp)
      for _, item in ipairs(answer.next) do
        local plan_ = item.plan
        assert.is_false(plan_.tp == 2 and plan_.pp == 1 and plan_.cp == 1 and plan_.zero == 1 and plan_.micro_batch == 1
          and plan_.recompute == "none")
      end
    end
    failed.overlap_tp = "none" -- the plan's own name of tp_overlap
    assert.is_false(asked({ software = { name = "Megatron-LM" }, measured = { failed } }).runs[1].plan.overlap_tp)
  end)

  it("begins with plans that somebody has run", function()
    for _, item in ipairs(asked({ software = { name = "Megatron-LM" }, runs = 3 }).next) do
      assert.is_false(item.plan.pp == 1 and item.plan.zero == 2)
    end
  end)

  it("says the same of runs in any order", function()
    local one, two, three = { tp = 1, pp = 1, zero = 1, micro_batch = 1, step_s = 6.1 },
      { tp = 2, pp = 1, zero = 1, micro_batch = 1, step_s = 6.9 }, { tp = 2, pp = 2, zero = 1, micro_batch = 1, status = "oom" }
    local again = { tp = 2, pp = 1, zero = 1, micro_batch = 1, step_s = 7.3 }
    local function said(list)
      local answer = asked({ measured = list, space = { tp = { 1, 2 }, pp = { 1, 2 }, cp = 1, vpp = 1, recompute = "none" } })
      return { answer.next, answer.runs, answer.within_chance, answer.regret_frac }
    end
    local first = said({ one, two, three, again })
    for _, list in ipairs({ { again, three, two, one }, { three, again, one, two }, { two, one, again, three } }) do
      assert.same(first, said(list))
    end
  end)

  it("takes the mean of runs of one plan", function()
    local one = { tp = 2, pp = 1, step_s = 4 }
    local answer = asked({ measured = { one, { tp = 2, pp = 1, step_s = 5 }, { tp = 4, pp = 1, status = "oom" } } })
    assert.equal(2, #answer.runs)
    assert.equal(4.5, answer.runs[1].measured_s)
    assert.is_true(answer.runs[2].failed)
  end)

  it("refuses what it cannot take, in one line", function()
    for text, changes in pairs({
      ["runs"] = { runs = 0 }, ["within"] = { within = 3 }, ["measured"] = { measured = 7 },
      ["measured[1]"] = { measured = { { tp = 2 } } },
      ["measured[1]: status 'killed' says neither"] = { measured = { { tp = 2, step_s = 1, status = "killed" } } },
      ["another job"] = { measured = { { gpus = 8, step_s = 1 } } },
      ["measured[1]: recompute"] = { measured = { { tp = 2, step_s = 1, recompute = "x" } } },
    }) do
      local ok, problem = pcall(asked, changes)
      assert.is_false(ok)
      assert.is_true(errors.is(problem))
      assert.is_truthy(tostring(problem):find(text, 1, true), tostring(problem))
      assert.is_nil(tostring(problem):find("\n"))
    end
  end)
end)

-- How plans of one job are off against each other, and how likely each is the fastest.
local between_plans = require("ballpark.range.between_plans")
local core = require("ballpark.core")
local environment = require("ballpark.scenario.environment")
local scenario = require("ballpark.scenario")

local LAW = { coefficients = 2, plan = 0.1, reach = 2, own = 0 }

local function sum(list)
  local all = 0
  for _, value in ipairs(list) do all = all + value end
  return all
end

describe("the distance of plans", function()
  it("counts doublings, and other settings as one", function()
    assert.equal(0, between_plans.distance({ tp = 2, pp = 4 }, { tp = 2, pp = 4 }))
    assert.equal(3, between_plans.distance({ tp = 1, pp = 4 }, { tp = 4, pp = 8 }))
    assert.equal(1, between_plans.distance({ recompute = "full" }, { recompute = "none" }))
    assert.equal(1, between_plans.distance({ zero = 0 }, { zero = 2 }))
  end)

  it("takes what is not said as the default, and leaves out what follows from the rest", function()
    assert.equal(0, between_plans.distance({ tp = 1 }, {}))
    assert.equal(0, between_plans.distance({ dp = 8 }, { dp = 1 }))
  end)
end)

describe("the covariance of plans", function()
  it("has what coefficients and each plan bring, over what all share", function()
    local list = between_plans.covariance({ { tp = 1 }, { tp = 4 } }, { { 0.1, 0 }, { 0.2, 0.3 } }, LAW)
    local shared = list[2] - 4 * 0.02 - 0.01 * math.exp(-1)
    assert.near(shared + 4 * 0.01 + 0.01, list[1], 1e-12)
    assert.near(shared + 4 * 0.13 + 0.01, list[4], 1e-12)
    assert.equal(list[2], list[3])
    local alone = between_plans.covariance({ { tp = 1 }, { tp = 4 } }, { { 0.1, 0 }, { 0.2, 0.3 } },
      { coefficients = 2, plan = 0.1, reach = 2, own = 0.3 })
    assert.near(list[1] + 0.09, alone[1], 1e-12)
    assert.equal(list[2], alone[2])
  end)
end)

describe("the chance to be the fastest", function()
  it("is 1 of the first where nothing is left open", function()
    local none = between_plans.covariance({ { tp = 1 }, { tp = 2 } }, { { 0 }, { 0 } },
      { coefficients = 2, plan = 0, reach = 2, own = 0 })
    local fastest, near = between_plans.chances(between_plans.draws({ 0, 0.01 }, none, 100), 0.03)
    assert.same({ 1, 0 }, fastest)
    assert.near(1, near[2], 1e-9)
  end)

  it("is halved between two that are the same", function()
    local list = between_plans.covariance({ { tp = 2 }, { tp = 2 } }, { { 0.1 }, { 0.1 } }, LAW)
    local fastest = between_plans.chances(between_plans.draws({ 0, 0 }, list, 100), 0.03)
    assert.near(0.5, fastest[1], 1e-9)
    assert.near(0.5, fastest[2], 1e-9)
  end)

  it("is that of Student's t for two plans, whose scale differs from source to source", function()
    local list = between_plans.covariance({ { tp = 1 }, { tp = 4 } }, { { 0 }, { 0 } }, LAW)
    local deviation = math.sqrt(2 * 0.01 * (1 - math.exp(-1)))
    -- One deviation apart: 1/2 + arctan(1) / pi with one degree of freedom, and so on (tables of the distribution).
    for freedom, share in pairs({ [1] = 0.75, [2] = 0.7887, [4] = 0.8130, [30] = 0.8373 }) do
      local fastest = between_plans.chances(between_plans.draws({ 0, deviation }, list, 20000, 1, freedom), 0.03)
      assert.near(share, fastest[1], 0.01)
      assert.near(1, sum(fastest), 1e-9)
    end
  end)

  it("has the same bits for the same seed, and others for another", function()
    local list = between_plans.covariance({ { tp = 1 }, { tp = 4 } }, { { 0 }, { 0 } }, LAW)
    local one = between_plans.draws({ 0, 0 }, list, 10, 5)
    assert.same(one, between_plans.draws({ 0, 0 }, list, 10, 5))
    assert.are_not.same(one, between_plans.draws({ 0, 0 }, list, 10, 6))
  end)
end)

describe("draws of numbers that are normal together", function()
  it("refuse what is no covariance or no count", function()
    assert.has_error(function() core.joint_draws({ mean = { 0 }, covariance = { 1, 2 }, samples = 2 }) end)
    assert.has_error(function() core.joint_draws({ mean = { 0 }, covariance = { 1 }, samples = 0 }) end)
    assert.has_error(function() core.joint_draws({ mean = { 0 }, covariance = { 0 / 0 }, samples = 2 }) end)
  end)
end)

describe("a search", function()
  local function told(changes)
    local state = scenario.state(nil, { command = "search" })
    local env = environment.new(state)
    local input = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 16 },
      job = { global_batch = 128, seq_len = 8192 }, top = 4 }
    for key, value in pairs(changes or {}) do input[key] = value end
    local answer = env.search(input)
    env.show(answer)
    local facts = {}
    for _, item in ipairs(state.result:scalars()) do facts[item.name] = item.value end
    return answer, facts
  end

  it("says how likely its first plans are the fastest of the best", function()
    local answer, facts = told()
    local all = 0
    for _, plan in ipairs(answer.plans) do
      assert.is_true(plan.fastest_chance > 0 and plan.near_chance >= plan.fastest_chance)
      all = all + plan.fastest_chance
    end
    assert.is_true(all <= 1)
    assert.equal(64, facts.rivals)
    assert.equal(answer.plans[1].fastest_chance, facts.fastest_chance)
    assert.is_true(answer.plans[1].fastest_chance > answer.plans[4].fastest_chance)
  end)

  it("says none where plans do not go by their time, or only one is left", function()
    local _, facts = told({ objective = "headroom_bytes" })
    assert.is_nil(facts.fastest_chance)
    _, facts = told({ space = { tp = 2, pp = 1, vpp = 1, cp = 1, ep = 1, zero = 1, recompute = "none",
      micro_batch = 1 } })
    assert.is_nil(facts.fastest_chance)
  end)
end)

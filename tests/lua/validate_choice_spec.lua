--- How good the plans are that estimates choose: figures by hand.
local choice = require("ballpark.validate.choice")
local choice_result = require("ballpark.validate.choice_result")
local json = require("ballpark.json")

local function plans(...)
  local list = {}
  for i, times in ipairs({ ... }) do
    list[i] = { case_id = "p" .. i, predicted_s = times[1], measured_s = times[2] }
  end
  return list
end

-- A run of the table: family, model, tp, predicted and measured seconds.
local function run(case_id, family, model, tp, predicted_s, measured_s)
  return { case_id = case_id, family = family, row = { case_id = case_id, family = family, model = model, tp = tp,
    gpus = 8 }, predicted_s = predicted_s, measured_s = measured_s }
end

describe("the choice of a group", function()
  it("costs what the plan predicted fastest takes longer than the fastest", function()
    -- Predicted order: p2 (12), p1 (10), p3 (10.2). Within 3 % of the best: p1 and p3.
    local found = choice.of(plans({ 2, 10 }, { 1, 12 }, { 3, 10.2 }))
    assert.same({ "p2", "p1", 3 }, { found.case_id, found.best_id, found.plans })
    assert.near(0.2, found.regret, 1e-12)
    assert.equal(2, found.runs)
    assert.near(4 / 3, found.random_runs, 1e-12)
    -- p1 and p3 differ by 2 %: no pair. p2 is slower than both and predicted faster.
    assert.same({ 2, 0 }, { found.pairs, found.right })
  end)

  it("is no regret where the fastest is predicted", function()
    local found = choice.of(plans({ 3, 30 }, { 1, 10 }, { 2, 20 }))
    assert.same({ 0, 1, 3, 3, 2 }, { found.regret, found.runs, found.pairs, found.right, found.random_runs })
  end)

  it("counts plans predicted alike as no order", function()
    local found = choice.of(plans({ 1, 11 }, { 1, 10 }))
    assert.same({ 1, 0, "p1" }, { found.pairs, found.right, found.case_id })
    assert.near(0.1, found.regret, 1e-12)
  end)

  it("takes as many runs at random as there are plans when one is good", function()
    -- (n + 1) / (k + 1) of n = 4 plans with k = 1 good ones.
    assert.near(2.5, choice.of(plans({ 1, 10 }, { 2, 20 }, { 3, 30 }, { 4, 40 })).random_runs, 1e-12)
  end)
end)

describe("groups", function()
  it("are of rows that differ in their plan only", function()
    local groups = choice.groups({ run("a", "f", "m", 1, 1, 1), run("b", "f", "m", 2, 1, 1), run("c", "f", "n", 2, 1, 1),
      run("d", "g", "m", 2, 1, 1) })
    assert.equal(1, #groups)
    assert.same({ "a", "b" }, { groups[1].plans[1].case_id, groups[1].plans[2].case_id })
  end)

  it("have runs of one plan once, by their mean", function()
    local groups = choice.groups({ run("a", "f", "m", 1, 5, 8), run("b", "f", "m", 1, 5, 12), run("c", "f", "m", 2, 6, 9) })
    assert.same({ 2, 10, 9 }, { #groups[1].plans, groups[1].plans[1].measured_s, groups[1].plans[2].measured_s })
    assert.equal(0, #choice.groups({ run("a", "f", "m", 1, 5, 8), run("b", "f", "m", 1, 5, 12) }))
  end)
end)

describe("figures of choices", function()
  -- Family f: regrets 0.2 and 0; family g: 0.04.
  local found = choice.figures({
    run("a", "f", "m", 1, 1, 12), run("b", "f", "m", 2, 2, 10),
    run("c", "f", "n", 1, 1, 10), run("d", "f", "n", 2, 2, 20),
    run("e", "g", "m", 1, 1, 10.4), run("h", "g", "m", 2, 2, 10), run("i", "g", "m", 4, 3, 11),
  })

  it("are means over groups, by family and over all", function()
    local f, all, families = found.families[1], found.summary, found.of_families
    assert.same({ "f", 2, 4 }, { f.family, f.groups, f.plans })
    assert.near(0.1, f.mean_regret, 1e-12)
    assert.near(0.1, f.median_regret, 1e-12)
    assert.same({ 0.5, 0.5, 1.5 }, { f.within_5, f.pairs, f.runs })
    assert.near(0.24 / 3, all.mean_regret, 1e-12)
    assert.near(0.04, all.median_regret, 1e-12)
    assert.near(2 / 3, all.within_5, 1e-12)
    -- Pairs of g: 10.4 after 10 is wrong; 11 against 10.4 and against 10 are right.
    assert.near(3 / 5, all.pairs, 1e-12)
    assert.near((0.1 + 0.04) / 2, families.mean_regret, 1e-12)
    assert.near((1 / 2 + 2 / 3) / 2, families.pairs, 1e-12)
    assert.same({ 3, 7 }, { families.groups, families.plans })
  end)

  it("are what JSON promises, null where there is nothing", function()
    local document = json.decode(json.encode(choice_result.document(found)))
    assert.near(0.08, document.summary.mean_regret, 1e-12)
    assert.same({ "f", 2 }, { document.families[1].family, document.families[1].groups })
    assert.same({ "a", "b", "m", 8 }, { document.groups[1].case_id, document.groups[1].best_id,
      document.groups[1].model, document.groups[1].gpus })
    local none = choice.figures({ run("a", "f", "m", 1, 1, 1) })
    assert.is_nil(none.summary)
    assert.equal(0, #choice_result.document(none).groups)
    assert.equal(json.null, choice_result.document(none).summary)
  end)

  it("leave out rows that are named, and those without a prediction", function()
    local answer = { times = { { case_id = "a", family = "f", row = {}, error = 0.5, measured_step_s = 2 },
      { case_id = "b", family = "f", row = {}, error = 0, measured_step_s = 2 }, { case_id = "c", row = {} } } }
    local runs = choice.runs(answer, { b = true })
    assert.same({ 1, "a", 3.0, 2 }, { #runs, runs[1].case_id, runs[1].predicted_s, runs[1].measured_s })
  end)
end)

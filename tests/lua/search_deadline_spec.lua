-- A deadline that was given with a search, and that its best plan misses.
local late = require("ballpark.questions.training.late")
local questions = require("ballpark.questions")
local scenario = require("ballpark.scenario")

local DAY <const> = 86400

local function plan(run_days, devices)
  return { run = { run_s = run_days and run_days * DAY }, input = { cluster = { device = { name = "H100" }, network = { devices = devices } } } }
end

local function text(deadline_days, plans, systems)
  return late.text({ input = { deadline_s = deadline_days and deadline_days * DAY }, best = plans[1], plans = plans,
    systems = systems and { plans = systems } })
end

describe("the deadline of a search", function()
  it("is missed where the best plan takes longer, and another that is in time is named", function()
    assert.is_nil(text(nil, { plan(18) }))
    assert.is_nil(text(18, { plan(18) }))
    assert.is_nil(text(3, { plan(nil) })) -- without tokens there is no run
    assert.is_nil(text(3, {}))
    assert.equal("the run takes 18 days, and the deadline is 3 days", text(3, { plan(18) }))
    assert.equal("the run takes 18 days, and the deadline is 12 days; plan 2 takes 11 days", text(12, { plan(18), plan(11) }))
    assert.equal("the run takes 18 days, and the deadline is 12 days; 64 x H100 takes 9 days",
      text(12, { plan(18) }, { plan(18, 32), plan(9, 64) }))
  end)

  it("stands in the head and decides whether the question is met", function()
    local function ask(days)
      local outcome = scenario.run({ path = "s.lua", source = ([[show(search { model = "llama-3.1-8b", top = 1,
        cluster = cluster { device = "H100", devices = 8 }, job = { global_batch = 64, seq_len = 8192, tokens = billion(10) },
        space = { tp = 1, pp = 1, micro_batch = 1 }, deadline_s = days(%g) })]]):format(days) })
      return outcome.blocks[1].items[1]
    end
    assert.equal("contradiction", ask(0.01).name)
    assert.not_equal("contradiction", ask(100).name)
    assert.is_false(questions.is_feasible({ kind = "search", fits = true, input = { deadline_s = 1 }, best = plan(1),
      plans = { plan(1) } }))
  end)
end)

-- Searches over systems and jobs: the same as searching each by hand.
local errors = require("ballpark.errors")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local files = dofile(here .. "/files.lua")
local scenario = require("ballpark.scenario")

local folder

local function run(text)
  local path = files.write(folder, "s.lua", text)
  local _, state = scenario.run(scenario.load(path), {})
  return state.answers
end

local HEAD = [[
local m = model { layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008, vocab = 32000 }
local function one(cluster_spec, batch, more)
  local input = { model = m, cluster = cluster_spec, job = { seq_len = 4096, global_batch = batch }, top = 5 }
  for key, value in pairs(more or {}) do input[key] = value end
  return search(input)
end
]]

-- One search over systems first, then each system and job by hand.
local function both(objective)
  return run(HEAD .. ([[
    local more = { objective = %s }
    one({ fabric = "infiniband" }, nil, { objective = more.objective, space = {
      system = { device = { "A100", "H100" }, devices = { from = 8, to = 32, times = 2 } },
      job = { global_batch = { 64, 128 } } } })
    for _, name in ipairs { "A100", "H100" } do
      for _, devices in ipairs { 8, 16, 32 } do
        for _, batch in ipairs { 64, 128 } do
          one({ fabric = "infiniband", device = name, devices = devices }, batch, more)
        end
      end
    end
    note "done"
  ]]):format(objective))
end

local function best_by_hand(answers, less)
  local best
  for i = 2, #answers do
    for _, plan in ipairs(answers[i].plans) do
      if not best or less(plan, best) then best = plan end
    end
  end
  return best
end

describe("a search over systems and jobs", function()
  before_each(function() folder = files.folder() end)
  after_each(function() files.remove(folder) end)

  it("finds what searching each finds", function()
    local answers = both('"tokens_per_s"')
    local joined, sum = answers[1], 0
    assert.equal(12, joined.systems)
    assert.equal(13, #answers)
    local best = best_by_hand(answers, function(a, b) return a.time.tokens_per_s > b.time.tokens_per_s end)
    assert.equal(best.time.tokens_per_s, joined.best.time.tokens_per_s)
    assert.equal(32, joined.best.input.cluster.network.devices)
    for i = 2, #answers do sum = sum + answers[i].found.feasible end
    assert.equal(sum, joined.found.feasible)
    assert.equal(5, #joined.plans)
    for i = 2, 5 do assert.is_true(joined.plans[i].score <= joined.plans[i - 1].score) end
    local counted = joined.found.feasible + joined.found.bounded
    for _, line in ipairs(joined.found.tally) do counted = counted + line.count end
    assert.equal(joined.found.evaluated, counted)
  end)

  it("asks for the fewest devices, and the fastest plan on them", function()
    local answers = both('"devices"')
    local best = best_by_hand(answers, function(a, b)
      local x, y = a.input.cluster.network.devices, b.input.cluster.network.devices
      return x < y or (x == y and a.time.step_s < b.time.step_s)
    end)
    assert.equal(best.time.step_s, answers[1].best.time.step_s)
    assert.equal(8, answers[1].best.score)
  end)

  it("joins Pareto fronts", function()
    local answers = both('{ "step_s", "devices" }')
    local joined, seen = answers[1].front, {}
    assert.is_true(#joined >= 2)
    for i = 2, #joined do assert.is_true(joined[i].time.step_s > joined[i - 1].time.step_s) end
    for _, plan in ipairs(joined) do
      local devices = plan.input.cluster.network.devices
      assert.is_nil(seen[devices])
      seen[devices] = true
      local best = best_by_hand(answers, function(a, b)
        local x, y = a.input.cluster.network.devices == devices, b.input.cluster.network.devices == devices
        if x ~= y then return x end
        return a.time.step_s < b.time.step_s
      end)
      assert.equal(best.time.step_s, plan.time.step_s)
    end
  end)

  it("refuses what it cannot vary", function()
    local function refusal(input)
      return (errors.catch(run, HEAD .. "one(" .. input .. ")"))
    end
    assert.matches("cluster: is made already", refusal('cluster { device = "H100", devices = 8 }, 64, '
      .. '{ space = { system = { devices = { 8 } } } }'))
    assert.matches("space.system.devices: must be a list, or",
      refusal('{ device = "H100" }, 64, { space = { system = { devices = { from = 8 } } } }'))
    assert.matches("space.system: must be a table",
      refusal('{ device = "H100" }, 64, { space = { system = 7 } }'))
    assert.matches("why: asks about one plan",
      refusal('{ device = "H100" }, 64, { why = { tp = 2 }, space = { system = { devices = { 8 } } } }'))
    assert.matches("more than 10000",
      refusal('{ device = "H100" }, 64, { space = { job = { global_batch = { from = 1, to = 1e6, step = 1 } } } }'))
  end)
end)

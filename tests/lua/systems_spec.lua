-- Searches over systems and jobs: the same as searching each by hand.
local errors = require("ballpark.errors")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local files = dofile(here .. "/files.lua")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local show = require("ballpark.questions.search.show")

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

-- What an order by time goes by: unusual plans stand behind.
local function stands_at(plan) return plan.time.step_s * (1 + plan.worth.handicap) end

local function best_by_hand(answers, less, list)
  local best
  for i = 2, #answers do
    for _, plan in ipairs(answers[i][list or "plans"]) do
      if not best or less(plan, best) then best = plan end
    end
  end
  return best
end

describe("a search over systems and jobs", function()
  before_each(function() folder = files.folder() end)
  after_each(function() files.remove(folder) end)

  it("compares devices in one format where none is stated", function()
    local answers = run(HEAD .. [[
      local function on(device, more) one({ devices = 8, device = device }, 64, more) end
      one({ devices = 8 }, 64, { space = { system = { device = { "B200", "H100" } } } })
      one({ devices = 8 }, 64, { ran = true, space = { system = { device = { "B200", "H100" } } } })
      on("B200")
      on("B200", { ran = true })
      one({ devices = 8 }, 64, { plan = { precision = "fp8" }, space = { system = { device = { "B200", "H100" } } } })
    ]])
    local of_each = answers[1].systems.plans
    assert.equal("bf16", of_each[1].plan.precision)
    assert.equal("bf16", of_each[2].plan.precision)
    assert.equal("bf16", answers[3].best.plan.precision)
    assert.equal(answers[3].best.time.step_s, of_each[1].time.step_s)
    assert.equal("bf16", answers[2].best.plan.precision)
    assert.matches("compared in bf16", table.concat(answers[2].warnings))
    assert.equal("fp8", answers[4].best.plan.precision)
    assert.equal("fp8", answers[5].systems.plans[2].plan.precision)
  end)

  it("says the best plan of each, best first", function()
    local answers = both('"tokens_per_s"')
    local best = answers[1].systems.plans
    assert.equal(answers[1].best, best[1])
    local by_hand = {}
    for i = 2, #answers do
      local plan = answers[i].best
      if plan then by_hand[#by_hand + 1] = plan.time.tokens_per_s end
    end
    table.sort(by_hand, function(a, b) return a > b end)
    assert.equal(#by_hand, #best)
    for i, plan in ipairs(best) do assert.near(by_hand[i], plan.time.tokens_per_s, 1e-9 * by_hand[i]) end
  end)

  it("keeps the best of each device, or of each device and width, where that is asked", function()
    local function kept(differ)
      return run(HEAD .. ([[
        one({ fabric = "infiniband" }, 64, { objective = "tokens_per_s", differ = %s, space = { system = {
          device = { "A100", "H100" }, devices = { 8, 16 } } } })]]):format(differ))[1]
    end
    local answer = kept('"device"')
    assert.equal(2, #answer.plans)
    assert.equal("H100-SXM-80GB", answer.plans[1].input.cluster.device.name)
    assert.equal("A100-80GB-SXM", answer.plans[2].input.cluster.device.name)
    assert.equal(16, answer.plans[2].input.cluster.network.devices)
    local seen = {}
    for _, plan in ipairs(kept('{ "device", "tp" }').plans) do
      local key = plan.input.cluster.device.name .. plan.plan.tp
      assert.is_nil(seen[key])
      seen[key] = true
    end
    assert.matches("differ.devic: ", errors.catch(kept, '"devic"'))
  end)

  it("keeps the best of one system where plans are to differ by it", function()
    local function of_one(differ)
      return run(HEAD .. ('one({ device = "H100", devices = 8 }, 64, { differ = %s })'):format(differ))[1]
    end
    assert.equal(1, #of_one('"device"').plans)
    local by_tp, both_named = of_one('"tp"'), of_one('{ "tp", "device" }')
    assert.is_true(#by_tp.plans > 1)
    assert.equal(#by_tp.plans, #both_named.plans)
  end)

  it("says what the plans of each device rest on", function()
    local answer = run(HEAD .. [[one({}, 64, { space = { system = { device = { "A100", "H100", "TPU-v5e" },
      devices = { 8, 16 } } } })]])[1]
    local r = result.new({})
    show.answer(r, answer)
    local texts = table.concat(r.assumed, "\n")
    assert.matches("\nTPU%-v5e: Software: tpu", "\n" .. texts)
    assert.matches("\nA100%-80GB%-SXM, 16 devices: Cluster: [^\n]*3.43 USD", texts)
    assert.matches("\nH100%-SXM%-80GB, 16 devices: Cluster: [^\n]*3.90 USD", "\n" .. texts)
    assert.matches("\nTPU%-v5e: Not searched: [^\n]*overlap_tp %(off%)", "\n" .. texts)
    assert.matches("Not searched: [^\n]*overlap_tp %(on%)", texts)
  end)

  it("finds what searching each finds", function()
    local answers = both('"tokens_per_s"')
    local joined, sum = answers[1], 0
    assert.equal(12, joined.systems.searched)
    assert.equal(12, joined.systems.all)
    assert.equal(13, #answers)
    local best = best_by_hand(answers, function(a, b) return a.time.tokens_per_s / (1 + a.worth.handicap) > b.time.tokens_per_s / (1 + b.worth.handicap) end)
    assert.equal(best.time.tokens_per_s, joined.best.time.tokens_per_s)
    assert.equal(32, joined.best.input.cluster.network.devices)
    for i = 2, #answers do sum = sum + answers[i].found.feasible end
    assert.equal(sum, joined.found.feasible)
    assert.equal(5, #joined.plans)
    for i = 2, 5 do
      local now, before = joined.plans[i], joined.plans[i - 1]
      assert.is_true(now.score / (1 + now.worth.handicap) <= before.score / (1 + before.worth.handicap))
    end
    local counted = joined.found.feasible + joined.found.bounded
    for _, line in ipairs(joined.found.tally) do counted = counted + line.count end
    assert.equal(joined.found.evaluated, counted)
  end)

  it("asks for the fewest devices, and the fastest plan on them", function()
    local answers = both('"devices"')
    local best = best_by_hand(answers, function(a, b)
      local x, y = a.input.cluster.network.devices, b.input.cluster.network.devices
      return x < y or (x == y and stands_at(a) < stands_at(b))
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
      end, "front")
      assert.equal(best.time.step_s, plan.time.step_s)
    end
  end)

  it("says in its tables what each plan is for", function()
    local path = files.write(folder, "s.lua", HEAD .. [[
      show(one({ fabric = "infiniband", devices = 8 }, nil, { objective = "tokens_per_s", space = {
        system = { device = { "A100", "H100" }, nodes = { 1, 2 } }, job = { global_batch = { 64, 128 } } } }))]])
    local r, state = scenario.run(scenario.load(path), { command = "sweep" })
    local answer, plans, rejected = state.answers[1], r:pick("plans"), r:pick("rejected")
    local at = {}
    for i, column in ipairs(plans.columns) do at[column.name] = i end
    for i, row in ipairs(plans.rows) do
      local input = answer.plans[i].input
      assert.equal(input.cluster.device.name, row[at.device])
      assert.equal(input.cluster.network.devices, row[at.devices])
      assert.equal(input.job.global_batch, row[at.global_batch])
      assert.equal(4096, row[at.seq_len])
    end
    assert.is_true(plans.columns[at.seq_len].hide)
    local human = #rejected.columns
    for i, column in ipairs(rejected.columns) do human = column.name == "nearest" and i or human end
    for _, row in ipairs(rejected.rows) do
      assert.matches("^[AH]100%-[%w%-]+, %d+ devices, batch %d+: ", row[human])
    end
  end)

  it("says where nothing is feasible which system came nearest, and relaxes that one", function()
    local path = files.write(folder, "s.lua", [[
      show(search { model = "gpt3-175b", cluster = { fabric = "infiniband" },
        job = { global_batch = 64, seq_len = 2048 },
        space = { system = { device = { "H100", "H200" }, nodes = { 1 } } } })]])
    local r, state = scenario.run(scenario.load(path), { command = "run" })
    local answer = state.answers[1]
    assert.is_true(r.infeasible)
    assert.equal("H200-SXM-141GB", answer.nearest_miss.of.input.cluster.device.name)
    local texts = {}
    for _, fact in ipairs(r:scalars()) do texts[fact.name] = fact.value end
    assert.equal("H200-SXM-141GB", texts.nearest_system)
    assert.matches("on H200%-SXM%-141GB", r:pick("relax").title)
  end)

  it("compares steps of different size with a warning", function()
    local answers = run(HEAD .. [[
      one({ device = "H100", devices = 8 }, nil, { space = { job = { global_batch = { 64, 128 } } } })
      one({ device = "H100", devices = 8 }, nil, { objective = "tokens_per_s",
        space = { job = { global_batch = { 64, 128 } } } })]])
    assert.matches("smallest lead; the objective tokens_per_s", answers[1].warnings[1])
    assert.is_nil((answers[2].warnings[1] or ""):match("smallest lead"))
  end)

  it("is free where that means something", function()
    local answer = run(HEAD .. [[
      one({ device = "H100" }, 64, { space = {
        system = { nodes = { from = 1, to = 2, step = 1 }, fabric = "free" } } })]])[1]
    local fabrics = require("ballpark.catalog.fabrics").scaleout_names()
    assert.equal(2 * #fabrics, answer.systems.searched)
    assert.matches("space.job.tokens: ", errors.catch(run, HEAD .. [[
      one({ device = "H100", devices = 8 }, 64, { space = { job = { tokens = "free" } } })]]))
    answer = run(HEAD .. [[one({ device = "H100", devices = 8 }, 64, { objective = "tokens_per_s",
      space = { system = { price = "free" }, job = { seq_len = "free" } } })]])[1]
    local heights = {}
    for _, price in ipairs(require("ballpark.catalog.prices").all("H100-SXM-80GB")) do heights[price.usd_h] = true end
    local count = 0
    for _ in pairs(heights) do count = count + 1 end
    assert.equal(count * 8, answer.systems.searched) -- 1,024 to 131,072 tokens
    local _, e = errors.catch(run, HEAD .. [[
      one({ device = "H100" }, 64, { space = { system = { devices = {} } } })]])
    assert.equal(1, e.code)
  end)

  it("refuses what it cannot vary", function()
    local function refusal(input)
      return (errors.catch(run, HEAD .. "one(" .. input .. ")"))
    end
    assert.matches("cluster: ", refusal('cluster { device = "H100", devices = 8 }, 64, '
      .. '{ space = { system = { devices = { 8 } } } }'))
    assert.matches("space.system.devices: must be a list, or",
      refusal('{ device = "H100" }, 64, { space = { system = { devices = { from = 8 } } } }'))
    assert.matches("space.system: must be a table",
      refusal('{ device = "H100" }, 64, { space = { system = 7 } }'))
    assert.matches("why: asks about one plan",
      refusal('{ device = "H100" }, 64, { why = { tp = 2 }, space = { system = { devices = { 8 } } } }'))
    assert.matches("more than 10000 systems",
      refusal('{ device = "H100" }, 64, { space = { job = { global_batch = { from = 1, to = 5e4, step = 1 } } } }'))
    assert.matches("space.job.global_batch: stands for more than 100000 values",
      refusal('{ device = "H100" }, 64, { space = { job = { global_batch = { from = 1, to = 1e6, step = 1 } } } }'))
  end)
end)

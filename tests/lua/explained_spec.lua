-- Explanations hold when they are tried: parts add up, what is said to suffice suffices and a little less
-- does not, and what is said of the winner is what a search finds.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local difference = require("ballpark.questions.compare.difference")
local varied = require("ballpark.questions.training.varied")
local needed = require("ballpark.questions.training.needed")
local overrides = require("ballpark.scenario.overrides")
local search = require("ballpark.search.plans")
local sensitivity = require("ballpark.questions.training.sensitivity")
local estimating = require("ballpark.questions.estimate.run")
local searching = require("ballpark.questions.search.run")
local tables = require("ballpark.tables")

local function input_of(changes)
  local input = { model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 16 }),
    job = { global_batch = 64, seq_len = 8192 } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return input
end

local function sum_of(rows)
  local sum = 0
  for i = 1, #rows - 1 do sum = sum + rows[i].difference end
  return sum
end

local function row_of(list, key, name)
  for _, row in ipairs(list) do
    if row[key] == name then return row end
  end
end

describe("the difference of two plans", function()
  local plans = { { tp = 1 }, { tp = 8 }, { pp = 4, micro_batch = 2 }, { tp = 2, zero = 3, recompute = "full" },
    { pp = 2, tp = 4, cp = 2 }, { cp = 4, recompute = "selective" } }
  local estimates = {}
  for i, plan in ipairs(plans) do estimates[i] = estimating.run(input_of({ plan = plan })) end

  it("is the sum of its parts, largest first", function()
    for i, a in ipairs(estimates) do
      for j, b in ipairs(estimates) do
        local time, memory = difference.time(a, b), difference.memory(a, b)
        assert.equal(b.time.step_s - a.time.step_s, time[#time].difference)
        assert.near(time[#time].difference, sum_of(time), 1e-12 * a.time.step_s)
        assert.equal(b.memory.total_bytes - a.memory.total_bytes, sum_of(memory), i .. " and " .. j)
        for k = 2, #time - 1 do
          assert.is_true(math.abs(time[k - 1].difference) >= math.abs(time[k].difference))
        end
      end
    end
  end)

  it("of a plan to itself is nothing", function()
    for _, row in ipairs(difference.time(estimates[2], estimates[2])) do assert.equal(0, row.difference) end
  end)
end)

describe("what would have to change", function()
  local input = input_of({ plan = {}, profile = catalog.profile("megatron"), fit_chance = 0.9,
    space = { tp = { 1, 2, 4, 8 }, pp = { 1, 2 }, vpp = 1, cp = 1, ep = 1, zero = 1, recompute = { "none", "full" },
      micro_batch = { 1, 2 } } })
  local best = search.run(input).plans[1]

  local function changes(plan) return needed.of(input, search.why(input, plan), best.plan) end

  it("wins where it is said to, and not a little before", function()
    local tried = 0
    for _, plan in ipairs({ { tp = 8, pp = 1 }, { tp = 2, pp = 2 }, { tp = 4, pp = 1 }, { tp = 4, pp = 2 },
      { tp = 8, pp = 2 }, { tp = 1, pp = 2 } }) do
      local why = search.why(input, plan)
      for _, row in ipairs(changes(plan)) do
        if row.bound == "at least" or row.bound == "at most" then
          local item = assert(varied[({ mem_bw_bytes_s = "memory_bandwidth", tdp_w = "power" })[row.name] or row.name])
          local there = item.set(input, row.needed)
          local mine = core.train_step({ model = input.model, device = there.cluster.device, plan = why.plan,
            network = there.cluster.network, job = input.job, profile = input.profile })
          local winner = search.run(there).plans[1]
          assert.is_true(mine.time.step_s <= winner.time.step_s * (1 + 1e-9), row.name)
          if row.name ~= "memory" then
            local before = item.set(input, row.value * row.factor ^ 0.99)
            local slower = varied.step(before, why.plan).time.step_s
            assert.is_true(slower > search.run(before).plans[1].time.step_s, row.name .. " says too much")
          end
          tried = tried + 1
        end
      end
    end
    assert.is_true(tried > 0, "no plan could win at all")
  end)

  it("says nothing of the winner, and names what cannot help", function()
    assert.same({}, changes(best.plan))
    local list = changes({ tp = 8, pp = 2 })
    assert.equal("none", row_of(list, "name", "memory").bound)
    for _, row in ipairs(list) do assert.is_true(row.bound == "none" or row.needed ~= nil) end
  end)

  it("finds the memory that a plan lacks, to the byte", function()
    local plan = { tp = 1, pp = 1, recompute = "none", micro_batch = 2 }
    local why = search.why(input, plan)
    assert.equal("memory", why.verdict)
    local row = row_of(changes(plan), "name", "memory")
    assert.is_true(varied.step(varied.memory.set(input, row.needed), why.plan).fits)
    assert.is_false(varied.step(varied.memory.set(input, row.needed - 1), why.plan).fits)
  end)

  it("says nothing of a plan that contradicts the model", function()
    assert.same({}, changes({ tp = 3 }))
  end)
end)

describe("the cheapest change of a rejected plan", function()
  local function asked(why, changes)
    local input = input_of({ space = { tp = { 1, 2, 4, 8 }, pp = { 1, 2 } }, why = why })
    return searching.run(tables.with(input, changes))
  end

  -- The plan with settings such as "pp=2" or "recompute=full,recompute_share=0.5", its other widths following.
  local function changed(plan, change)
    local fields = tables.with(plan)
    fields.dp, fields.shard = nil, nil
    return tables.with(fields, overrides.record("change", change))
  end

  it("is tried: it fits, takes the step it says, and one field after another the shortest first", function()
    local answer = asked({ tp = 2, pp = 1, micro_batch = 2, recompute = "none", zero = 1 })
    local why = answer.why
    assert.equal("memory", why.verdict)
    assert.is_true(#why.changes > 2)
    for i, row in ipairs(why.changes) do
      local step = varied.step(answer.input, changed(why.plan, row.change))
      assert.is_true(step.fits, row.change)
      assert.equal(row.step_s, step.time.step_s)
      assert.equal(row.memory.total_bytes, step.memory.total_bytes)
      assert.is_true(i == 1 or row.step_s >= why.changes[i - 1].step_s)
    end
  end)

  it("is no slower than any one field that was tried by hand", function()
    local answer = asked({ tp = 2, pp = 1, micro_batch = 2, recompute = "none", zero = 1 })
    for _, change in ipairs({ "micro_batch=1", "zero=3", "recompute=full", "grad_bytes=2", "pp=2", "tp=4", "cp=2",
      "cross_entropy=fused", "offload=optimizer", "recompute_mlp=true" }) do
      local step = varied.step(answer.input, changed(answer.why.plan, change))
      assert.is_true(not step.fits or step.time.step_s >= answer.why.changes[1].step_s, change)
    end
  end)

  it("takes two fields where no one is enough", function()
    local answer = asked({ tp = 1, pp = 1, micro_batch = 4 }, { model = catalog.model("llama-3.1-70b"),
      cluster = catalog.cluster({ device = "H100", devices = 16 }) })
    local first = answer.why.changes[1]
    assert.matches("^[%w_]+=[^,]+,[%w_]+=[^,]+", first.change)
    assert.is_true(varied.step(answer.input, changed(answer.why.plan, first.change)).fits)
  end)

  it("makes a plan that contradicts the cluster one that can run; there is none of one that can", function()
    local answer = asked({ tp = 3 })
    assert.equal("devices", answer.why.verdict)
    assert.matches("^tp=%d+$", answer.why.changes[1].change)
    assert.is_nil(asked({ tp = 8 }).why.changes)
  end)
end)

describe("sensitivity", function()
  local answer = searching.run(input_of({ space = { tp = { 1, 2, 4 }, pp = { 1, 2 }, vpp = 1, cp = 1,
    micro_batch = { 1, 2 } } }))
  local list = sensitivity.answer(answer)

  it("turns every input both ways, the strongest first", function()
    local price = row_of(list, "name", "price")
    assert.near(-0.1, price.low.cost_frac, 1e-12)
    assert.near(0.1, price.high.cost_frac, 1e-12)
    assert.equal(0, price.low.step_frac)
    local bandwidth = row_of(list, "name", "mem_bw_bytes_s")
    assert.is_true(bandwidth.low.step_frac > 0 and bandwidth.high.step_frac < 0)
    assert.is_not_nil(row_of(list, "name", "profile.gemm"))
    for i = 2, #list do assert.is_true(list[i - 1].effect >= list[i].effect) end
  end)

  it("says who wins there as a search does", function()
    for _, item in ipairs({ varied.memory, varied.memory_bandwidth, varied.batch }) do
      local row = row_of(list, "name", item.name)
      for _, side in ipairs({ row.low, row.high }) do
        local winner = search.run(item.set(answer.input, side.value)).plans[1]
        assert.equal(winner.plan.tp, side.plan.tp)
        assert.equal(winner.plan.micro_batch, side.plan.micro_batch)
        assert.equal(side.same, varied.same_plan(winner.plan, varied.step(item.set(answer.input, side.value),
          answer.best.plan).plan))
      end
    end
  end)

  it("of an estimate keeps its plan", function()
    local of_plan = sensitivity.answer(estimating.run(input_of({ plan = { tp = 2, zero = 1 } })))
    for _, row in ipairs(of_plan) do assert.is_true(row.low.same or row.low.plan == nil, row.name) end
  end)
end)

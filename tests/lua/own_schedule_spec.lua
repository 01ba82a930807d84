-- Schedules that a scenario writes itself, in estimate and search: against the built-in ones that they copy.
local catalog = require("ballpark.catalog")
local emit = require("ballpark.emit")
local errors = require("ballpark.errors")
local estimating = require("ballpark.questions.estimate.run")
local searching = require("ballpark.questions.search.run")
local sensitivity = require("ballpark.questions.training.sensitivity")
local stages = require("ballpark.questions.training.stages")

-- Forwards and backwards in turn, `ahead` forwards first.
local function in_turn(m, ahead, kind)
  local list = {}
  for i = 0, m + ahead - 1 do
    if i < m then list[#list + 1] = { kind = "F", micro_batch = i } end
    if i >= ahead then
      list[#list + 1] = { kind = "B", micro_batch = i - ahead }
      if kind == "split" then list[#list + 1] = { kind = "W", micro_batch = i - ahead } end
    end
  end
  return list
end

local function one_f_one_b(device, p, m) return in_turn(m, p - device - 1) end
local function gpipe(_, _, m) return in_turn(m, m - 1) end

-- Interleaved 1F1B for micro-batches that are a multiple of the stages: the k-th pass of a kind.
local function interleaved(device, p, m, v)
  local list, count = {}, m * v
  local function pass(kind, k)
    local chunk = k // p % v
    list[#list + 1] = { kind = kind, chunk = kind == "F" and chunk or v - 1 - chunk,
      micro_batch = k // (p * v) * p + k % p }
  end
  local warm = math.min(count, 2 * (p - device - 1) + (v - 1) * p)
  for k = 0, count + warm - 1 do
    if k < count then pass("F", k) end
    if k >= warm then pass("B", k - warm) end
  end
  return list
end

-- A head of 256 tokens weighs next to nothing: all stages are alike.
local function even_model()
  return catalog.model("llama-3.1-8b", { vocab = 256, layers = 32 })
end

local function asked(plan, more)
  local input = { model = even_model(), cluster = catalog.cluster({ device = "H100", devices = 16 }),
    job = { global_batch = 64, seq_len = 4096 }, plan = plan }
  input.plan.micro_batch, input.plan.recompute = plan.micro_batch or 1, plan.recompute or "none"
  for name, value in pairs(more or {}) do input[name] = value end
  return input
end

local function both(plan, schedule, own, more)
  local function with(value)
    local copy = {}
    for name, field in pairs(plan) do copy[name] = field end
    copy.schedule = value
    return estimating.run(asked(copy, more))
  end
  return with(schedule), with(own)
end

local function near(expected, got, share) assert.is_true(math.abs(got / expected - 1) <= share, got .. " " .. expected) end

local function refused(plan, more)
  local ok, e = pcall(function() return searching.run(asked(plan, more)) end)
  assert.is_false(ok)
  assert.is_true(errors.is(e), tostring(e))
  return e.path, tostring(e)
end

describe("a schedule of the scenario that copies a built-in one", function()
  it("takes as long as 1f1b and keeps as much, on every stage", function()
    for _, plan in ipairs({ { tp = 1, pp = 4, vpp = 1 }, { tp = 2, pp = 8, vpp = 1 }, { tp = 1, pp = 16, vpp = 1 },
      { tp = 8, pp = 2, vpp = 1, zero = 0 } }) do
      local built, own = both(plan, "1f1b", one_f_one_b)
      near(built.time.step_s, own.time.step_s, 1e-3)
      near(built.time.bubble_s, own.time.bubble_s, 2e-2)
      assert.equal(built.time.pp_s, own.time.pp_s)
      assert.equal(built.memory.total_bytes, own.memory.total_bytes)
      for i, stage in ipairs(stages.of(own)) do assert.equal(stages.of(built)[i].in_flight, stage.in_flight) end
    end
  end)

  it("takes as long as gpipe and keeps all micro-batches", function()
    local built, own = both({ tp = 2, pp = 8, vpp = 1 }, "gpipe", gpipe)
    near(built.time.step_s, own.time.step_s, 1e-3)
    assert.equal(64, own.memory.in_flight)
    assert.equal(built.memory.total_bytes, own.memory.total_bytes)
  end)

  it("takes as long as interleaved 1f1b, with its fewer sends that show", function()
    local built, own = both({ tp = 2, pp = 4, vpp = 4 }, "1f1b", interleaved)
    near(built.time.step_s, own.time.step_s, 1e-3)
    assert.equal(built.time.pp_s, own.time.pp_s)
    assert.equal(built.memory.total_bytes, own.memory.total_bytes)
  end)

  it("counts slow sends once", function()
    local slow = { cluster = catalog.cluster({ device = "H100", devices = 16, nic_bytes_s = 1e9 }) }
    local built, own = both({ tp = 8, pp = 2, vpp = 1 }, "1f1b", one_f_one_b, slow)
    assert.is_true(own.time.pp_s > 0.05 * own.time.step_s)
    near(built.time.step_s, own.time.step_s, 1e-3)
  end)
end)

describe("a schedule of the scenario", function()
  local function frugal(device, p, m) return in_turn(m, (p - device + 1) // 2) end

  it("keeps what its simulation keeps, and waits as long", function()
    local built, own = both({ tp = 2, pp = 8, vpp = 1 }, "1f1b", { order = frugal, name = "frugal" })
    assert.equal("frugal", own.plan.schedule)
    assert.equal(5, own.memory.in_flight)
    near(5 / 8 * built.memory.activations_bytes, own.memory.activations_bytes, 1e-9)
    assert.is_true(own.time.bubble_s > built.time.bubble_s)
  end)

  it("may move weight gradients: behind each input gradient nothing is gained in time", function()
    local built, own = both({ tp = 2, pp = 8, vpp = 1 }, "1f1b",
      function(device, p, m) return in_turn(m, p - device - 1, "split") end)
    assert.is_true(own.time.step_s < built.time.step_s) -- gradients go on before W
    local h1 = both({ tp = 2, pp = 8, vpp = 1 }, "zb_h1", one_f_one_b)
    assert.is_true(own.time.step_s >= 0.99 * h1.time.step_s)
  end)

  it("keeps its weights twice where it goes both ways", function()
    local function from_both_ends(device, p, m)
      local list, half = {}, m // 2
      for _, way in ipairs(device < p // 2 and { 0, 1 } or { 1, 0 }) do
        for i = 0, half - 1 do list[#list + 1] = { kind = "F", chunk = way, micro_batch = way * half + i } end
      end
      for _, way in ipairs(device < p // 2 and { 1, 0 } or { 0, 1 }) do
        for i = 0, half - 1 do list[#list + 1] = { kind = "B", chunk = way, micro_batch = way * half + i } end
      end
      return list
    end
    local built, own = both({ tp = 2, pp = 8, vpp = 1 }, "dualpipe", { order = from_both_ends, layout = "both_ways" })
    assert.equal(built.memory.weights_bytes, own.memory.weights_bytes)
    assert.equal(64, own.memory.in_flight)
  end)

  it("means nothing without a pipeline", function()
    local built, own = both({ tp = 8, pp = 1 }, "1f1b", one_f_one_b)
    assert.equal(built.time.step_s, own.time.step_s)
    assert.equal("1f1b", own.plan.schedule)
  end)

  it("is known to all that follows from an answer", function()
    local _, own = both({ tp = 2, pp = 8, vpp = 1 }, "1f1b", { order = one_f_one_b, name = "mine" })
    assert.is_true(#sensitivity.answer(own) > 0)
    local text, missing = emit.text(own, "torchtitan")
    assert.is_true(#text > 0)
    assert.is_true(table.concat(missing, "\n"):find("plan.schedule = mine", 1, true) ~= nil)
  end)

  it("that is none is refused", function()
    assert.equal("plan.schedule.layout", (refused({ pp = 4, schedule = { order = gpipe, layout = "vee" } })))
    assert.equal("plan.schedule.order", (refused({ pp = 4, schedule = { name = "mine" } })))
    assert.equal("plan.schedule.name", (refused({ pp = 4, schedule = { order = gpipe, name = "zbv" } })))
    assert.equal("plan.schedule.way", (refused({ pp = 4, schedule = { order = gpipe, way = "v" } })))
    assert.equal("plan.vpp", (refused({ pp = 4, vpp = 2, schedule = { order = gpipe, layout = "v" } })))
    assert.equal("plan.schedule", (refused({ pp = 4, schedule = function() return nil end })))
    assert.equal("space.schedule", (refused({ pp = 4 }, { space = { schedule = { "1f1b", gpipe } } })))
    assert.equal("deadline_s", (refused({ pp = 4, schedule = gpipe }, { deadline_s = 1e6 })))
  end)
end)

describe("a search under a schedule of the scenario", function()
  local space = { tp = { 1, 2, 4, 8 }, pp = { 2, 4, 8 }, vpp = { 1 }, micro_batch = { 1, 2, 4 } }

  local function search(schedule, more)
    local input = asked({ schedule = schedule, recompute = more and more.recompute }, { space = space, top = 5 })
    input.plan.micro_batch, input.plan.recompute = nil, more and more.recompute
    for name, value in pairs(more or {}) do
      if name ~= "recompute" then input[name] = value end
    end
    return searching.run(input)
  end

  it("has the plans of the built-in one that it copies", function()
    local built, own = search("1f1b"), search({ order = one_f_one_b, name = "mine" })
    assert.equal(5, #own.plans)
    near(built.best.time.step_s, own.best.time.step_s, 2e-3)
    assert.equal("mine", own.best.plan.schedule)
    assert.is_nil(built.found.own_schedule)
    assert.is_true(own.found.own_schedule:find("mine", 1, true) ~= nil)
  end)

  it("orders by the simulated step, and leaves out what does not fit under it", function()
    assert.equal(0, #search(gpipe).plans) -- activations of all micro-batches at once
    local own = search({ order = gpipe, name = "all first" }, { recompute = "full" })
    assert.equal(5, #own.plans)
    local function order(plan) return plan.score * (1 + plan.worth.handicap) end
    for i, plan in ipairs(own.plans) do
      assert.equal(plan.time.step_s, plan.score)
      assert.is_true(i == 1 or order(plan) >= order(own.plans[i - 1]))
      assert.is_true(plan.memory.fit_probability >= 0.9)
      local fields = {}
      for name, value in pairs(plan.plan) do fields[name] = value end
      fields.schedule = gpipe
      near(estimating.run(asked(fields)).time.step_s, plan.time.step_s, 1e-12)
    end
    local dear = own.plans[1]
    near(dear.worth.usd_h * 16 * dear.time.step_s / 3600, dear.worth.step_usd, 1e-12)
  end)

  it("takes the schedule from its space, too, and several objectives", function()
    local own = search(nil, { space = { tp = { 2, 4 }, pp = { 4, 8 }, vpp = { 1 }, schedule = one_f_one_b },
      objective = { "step_s", "headroom" } })
    assert.equal("own schedule", own.best.plan.schedule)
    for i = 2, #own.front do
      assert.is_true(own.front[i].worth.headroom_bytes > own.front[i - 1].worth.headroom_bytes)
    end
  end)

  it("says of one plan what the built-in stand-in says", function()
    local own = search(one_f_one_b, { why = { tp = 2, pp = 8, micro_batch = 1 } })
    assert.equal("feasible", own.why.verdict)
  end)
end)

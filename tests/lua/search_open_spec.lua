-- Searches in pieces, with several objectives, with bounds, on several threads.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local json = require("ballpark.json")

local function request(change)
  local r = {
    model = { layers = 16, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, vocab = 128256 },
    device = { memory_bytes = 40e9, mem_bw_bytes_s = 1.555e12, bf16_flop_s = 312e12, tdp_w = 400 },
    network = { devices = 16, scaleup = { bw_bytes_s = 300e9 }, scaleout = { bw_bytes_s = 25e9 } },
    job = { global_batch = 64, seq_len = 4096 },
    space = { tp = { 1, 2, 4, 8 }, pp = { 1, 2, 4 }, cp = { 1, 2 }, zero = { 0, 1, 3 }, vpp = { 1, 2 },
      recompute = "free", micro_batch = { 1, 2, 4 }, overlap_tp = "free", ep = 1 },
    profile = { seen_cut_tok = 0 }, -- no plan stands behind others that are slower
  }
  for key, value in pairs(change or {}) do r[key] = value end
  return r
end

local function whole(change) return core.search(request(change)) end

describe("core.search_open", function()
  it("answers like core.search, whatever the pieces", function()
    local s = core.search_open(request())
    local size, step = s:size(), 97
    for begin = 0, size - 1, step do s:run(begin, math.min(begin + step, size)) end
    assert.equal(size, s:position())
    assert.same(whole(), s:answer())
  end)

  it("adds up states that went through JSON, in any order", function()
    local change = { objective = { "step_s", "headroom_bytes" }, differ = { "tp", "pp" } }
    local size = core.search_open(request(change)):size()
    local texts = {}
    for i = 0, 2 do
      local part = core.search_open(request(change))
      part:run(i * size // 3, (i + 1) * size // 3)
      texts[i + 1] = json.encode(part:state())
    end
    local sum = core.search_open(request(change))
    for _, i in ipairs({ 3, 1, 2 }) do sum:add(json.decode(texts[i], "part " .. i)) end
    assert.same(whole(change), sum:answer())
  end)

  it("goes on from a state", function()
    local first = core.search_open(request())
    local half = first:size() // 2
    first:run(0, half)
    local second = core.search_open(request())
    second:add(first:state())
    second:run(half, second:size())
    assert.same(whole(), second:answer())
  end)

  it("takes whole pieces apart from one that is cut short", function()
    local s = core.search_open(request())
    local half = s:size() // 2
    assert.equal(half, s:run(0, half))
    s:keep()
    s:run(half, half + 97)
    local also = s:kept()
    local kept = s:take()
    assert.same(also, kept)
    local rest = s:state()
    assert.equal(half, kept.evaluated + kept.duplicates)
    assert.equal(97, rest.evaluated + rest.duplicates)
    local sum = core.search_open(request())
    sum:run(half + 97, sum:size())
    sum:add(rest)
    sum:add(kept)
    assert.same(whole(), sum:answer())
  end)

  it("stops when its time is over", function()
    local s = core.search_open(request())
    local at, calls = 0, 0
    while at < s:size() do
      local upto = s:run(at, s:size(), 0)
      assert.is_true(upto > at)
      at, calls = upto, calls + 1
    end
    assert.same(whole(), s:answer())
  end)

  it("refuses what is no range and no state", function()
    local s = core.search_open(request())
    assert.has_error(function() s:run(5, 4) end)
    assert.has_error(function() s:run(0, s:size() + 1) end)
    assert.has_error(function() s:run(-1, 4) end)
    assert.has_error(function() s:add({ evaluated = 1 }) end)
    assert.has_error(function() s:add({ evaluated = "x", feasible = 0, duplicates = 0 }) end)
    local state = s:state()
    state.tally = { { slot = 4711, count = 1, example = 1, distance = 0 } }
    assert.has_error(function() s:add(state) end)
  end)

  -- What a file says of a plan is not what the plan is: an index outside of the space once divided by zero.
  it("refuses plans of a file that it would not have kept", function()
    local s = core.search_open(request())
    s:run(0, s:size())
    local text = json.encode(s:state())
    local function changed(change)
      local state = json.decode(text, "state")
      change(state)
      return function() core.search_open(request()):add(state, true) end
    end
    changed(function() end)()
    local rejected = s:state().tally[1]
    assert.is_truthy(rejected)
    for _, index in ipairs({ -1, s:size(), 2^53, rejected.example }) do
      assert.has_error(changed(function(state) state.top[1].index = math.tointeger(index) end))
    end
    for _, index in ipairs({ -1, s:size(), 2^53, s:state().top[1].index }) do
      assert.has_error(changed(function(state) state.tally[1].example = math.tointeger(index) end))
    end
    assert.has_error(changed(function(state) state.tally[1].slot = rejected.slot + 40 end))
  end)
end)

describe("a search", function()
  it("gives the same answer with any number of threads", function()
    local one = whole({ objective = { "step_s", "step_j" } })
    for threads = 2, 3 do
      assert.same(one, whole({ objective = { "step_s", "step_j" }, threads = threads }))
    end
  end)

  it("finds the same plans with bounds and says how many it left out", function()
    local all, bounded = whole(), whole({ bounded_above = 0 })
    assert.same(all.plans, bounded.plans)
    assert.equal(0, all.bounded)
    assert.is_true(bounded.bounded > 0)
    assert.is_true(bounded.bound > bounded.plans[#bounded.plans].score)
    local sum = bounded.feasible + bounded.bounded
    for _, line in ipairs(bounded.tally) do sum = sum + line.count end
    assert.equal(bounded.evaluated, sum)
    assert.same(all, whole({ bounded_above = 0, exhaustive = true }))
  end)

  it("leaves bounds aside where a rule changes the order", function()
    local rules = { { name = "most memory", score = function(c) return c.total_bytes end } }
    assert.equal(0, whole({ bounded_above = 0, rules = rules }).bounded)
    local reject = { { name = "no tp 2", reject = function(c) return c.tp == 2 end } }
    local bounded = whole({ bounded_above = 0, rules = reject })
    assert.is_true(bounded.bounded > 0)
    assert.same(whole({ rules = reject }).plans, bounded.plans)
  end)

  it("gives the Pareto front of several objectives", function()
    local answer = whole({ objective = { "step_s", "headroom_bytes" } })
    assert.same({ "step_s", "headroom_bytes" }, answer.objectives)
    assert.is_true(#answer.front > 2)
    assert.same(answer.plans[1].plan, answer.front[1].plan)
    for i = 2, #answer.front do
      local a, b = answer.front[i - 1], answer.front[i]
      assert.is_true(b.time.step_s > a.time.step_s and b.worth.headroom_bytes > a.worth.headroom_bytes)
    end
    assert.is_nil(whole({ objective = { "step_s" } }).front)
    assert.matches("front: ", (errors.catch(core.search,
      request({ objective = { "step_s", "headroom_bytes" }, front = 2 }))))
  end)

  it("breaks ties by step time, in every way it is carried out", function()
    local change = { objective = "fit_probability", top = 40 }
    local answer = whole(change)
    local equal = 0
    for i = 2, #answer.plans do
      local a, b = answer.plans[i - 1], answer.plans[i]
      assert.is_true(a.score >= b.score)
      if a.score == b.score then
        equal = equal + 1
        assert.is_true(a.time.step_s < b.time.step_s or a.time.step_s == b.time.step_s and a.index < b.index)
      end
    end
    assert.is_true(equal > 10)
    for _, way in ipairs({ { threads = 2 }, { bounded_above = 0 } }) do
      way.objective, way.top = change.objective, change.top
      assert.same(answer.plans, whole(way).plans)
    end
    local size = core.search_open(request(change)):size()
    local sum = core.search_open(request(change))
    for i = 4, 0, -1 do
      local part = core.search_open(request(change))
      part:run(i * size // 5, (i + 1) * size // 5)
      sum:add(json.decode(json.encode(part:state()), "part"))
    end
    assert.same(answer, sum:answer())
    local rules = { { name = "flat", score = function() return 1 end } }
    local flat, fastest = whole({ rules = rules, top = 40 }), whole({ top = 40 })
    for i, plan in ipairs(fastest.plans) do assert.equal(plan.index, flat.plans[i].index) end
  end)

  it("keeps plans that differ", function()
    local seen = {}
    local answer = whole({ differ = { "tp" } })
    for _, plan in ipairs(answer.plans) do
      assert.is_nil(seen[plan.plan.tp])
      seen[plan.plan.tp] = true
    end
    assert.equal(whole().plans[1].index, answer.plans[1].index)
    assert.is_true(#answer.plans > 1)
    assert.matches("differ.tpp: ", (errors.catch(core.search, request({ differ = { "tpp" } }))))
  end)

  it("orders by energy, devices, chance of fitting and of meeting a deadline", function()
    local energy = whole({ objective = "step_j", pue = 1.5 }).plans[1]
    assert.near(400 * 1.5 * 16 * energy.time.step_s, energy.score, 1e-6)
    assert.equal(16, whole({ objective = "devices" }).plans[1].score)
    assert.equal(whole().plans[1].index, whole({ objective = "devices" }).plans[1].index)
    local sure = whole({ objective = "fit_probability", fit_chance = 0.01 }).plans
    assert.is_true(sure[1].memory.fit_probability >= sure[2].memory.fit_probability)
    local job = { global_batch = 64, seq_len = 4096, tokens = 1e9 }
    local fast = whole({ job = job }).plans[1]
    local late = whole({ job = job, objective = "deadline_probability",
      deadline_s = 1e9 / fast.time.tokens_per_s })
    assert.is_true(late.plans[1].score > 0.3 and late.plans[1].score <= 1)
    assert.matches("needs deadline_s and job.tokens",
      (errors.catch(core.search, request({ objective = "deadline_probability" }))))
  end)

  it("takes ranges of values", function()
    local listed = whole({ space = { tp = { 1, 2, 4, 8 }, micro_batch = { 1, 2, 3, 4 },
      recompute_share = { 0.5, 1 } } })
    local ranged = whole({ space = { tp = { from = 1, to = 8, times = 2 },
      micro_batch = { from = 1, to = 4, step = 1 }, recompute_share = { from = 0.5, to = 1, step = 0.5 } } })
    assert.same(listed, ranged)
    local tenths = core.search(request({ space = { recompute_share = { from = 0.1, to = 0.3, step = 0.1 } } }))
    assert.equal(3 * core.search(request({ space = { recompute_share = 1 } })).space_size, tenths.space_size)
    local function refusal(range)
      return (errors.catch(core.search, request({ space = { tp = range } })))
    end
    assert.matches("either step or times", refusal({ from = 1, to = 2 }))
    assert.matches("either step or times", refusal({ from = 1, to = 2, step = 1, times = 2 }))
    assert.matches("times above 1", refusal({ from = 1, to = 2, times = 1 }))
    assert.matches("not whole", refusal({ from = 1, to = 2, step = 0.5 }))
    assert.matches("is an empty list", refusal({ from = 3, to = 2, step = 1 }))
    assert.matches("space.tp.by: ", refusal({ from = 3, to = 2, by = 1 }))
    local of_names = request({ space = { recompute = { from = 1, to = 2, step = 1 } } })
    assert.matches("names, they have no range", (errors.catch(core.search, of_names)))
  end)
end)

-- The bound search: equal to trying every plan from Lua, its tally adds up, bad input is named.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local search = require("ballpark.search.plans")

-- 16 layers of an 8-billion-parameter model on 16 devices of 40 GB.
local function request(change)
  local made = {
    model = { layers = 16, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, vocab = 128256 },
    device = { memory_bytes = 40e9, mem_bw_bytes_s = 1.555e12, bf16_flop_s = 312e12 },
    network = { devices = 16, scaleup = { bw_bytes_s = 300e9 }, scaleout = { bw_bytes_s = 25e9 } },
    job = { global_batch = 64, seq_len = 4096 },
    space = { tp = { 1, 2, 3, 4, 8 }, pp = { 1, 2, 4 }, vpp = { 1, 2 }, cp = { 1, 2 }, ep = 1,
      zero = { 0, 1, 3 }, recompute = { "none", "full" }, micro_batch = { 1, 2, 4 } },
    top = 1000,
    profile = { seen_cut_tok = 0 }, -- no plan stands behind others that are slower
  }
  for key, value in pairs(change or {}) do made[key] = value end
  return made
end

local function refusal(change, fn)
  local text, raised = errors.catch(fn or core.search, request(change))
  assert.is_truthy(text, "was accepted")
  assert.is_true(errors.is(raised), "not an input error: " .. tostring(text))
  assert.equal(2, raised.code)
  return text
end

-- All combinations, the first axis slowest: what index order means.
local ORDER = { "tp", "pp", "vpp", "cp", "ep", "zero", "recompute", "micro_batch" }
local function each_plan(space, visit, level, plan)
  level, plan = level or 1, plan or {}
  local name = ORDER[level]
  if not name then return visit(plan) end
  local values = type(space[name]) == "table" and space[name] or { space[name] }
  for _, value in ipairs(values) do
    plan[name] = value
    each_plan(space, visit, level + 1, plan)
  end
end

-- settled(plan): what a plan of the space takes along.
local function brute_force(r, settled)
  local found, short, refused, index = {}, 0, 0, -1
  each_plan(r.space, function(plan)
    index = index + 1
    plan = settled and settled(plan) or plan
    if plan.zero > 0 and plan.tp * plan.pp == 16 and plan.cp == 1 then return end -- one replica
    local ok, step = pcall(core.train_step, { model = r.model, device = r.device, network = r.network,
      job = r.job, plan = plan, profile = r.profile })
    if not ok then
      refused = refused + 1
    elseif not step.fits then
      short = short + 1
    else
      found[#found + 1] = { index = index, step_s = step.time.step_s, plan = step.plan,
        memory = step.memory, time = step.time }
    end
  end)
  table.sort(found, function(a, b)
    if a.step_s ~= b.step_s then return a.step_s < b.step_s end
    return a.index < b.index
  end)
  return found, short, refused
end

local function tally_sum(answer)
  local sum = 0
  for _, line in ipairs(answer.tally) do sum = sum + line.count end
  return sum
end

local function line_of(answer, reason)
  for _, line in ipairs(answer.tally) do
    if line.reason == reason then return line end
  end
end

describe("core.search", function()
  it("finds what trying every plan finds, in the same order with the same numbers", function()
    local r = request()
    local answer = core.search(r)
    local found, short, refused = brute_force(r)
    assert.equal(5 * 3 * 2 * 2 * 3 * 2 * 3, answer.space_size)
    assert.is_true(#found > 50 and short > 0 and refused > 0)
    assert.equal(#found, answer.feasible)
    assert.equal(#found, #answer.plans)
    for i, plan in ipairs(answer.plans) do
      assert.equal(found[i].index, plan.index)
      assert.equal(found[i].step_s, plan.score)
      assert.same(found[i].plan, plan.plan)
      assert.same(found[i].memory, plan.memory)
      assert.same(found[i].time, plan.time)
    end
    assert.equal(short, line_of(answer, "memory").count)
    assert.equal(refused, tally_sum(answer) - short)
  end)

  local function is_sharded(plan) return plan.zero == 3 and 16 // (plan.tp * plan.pp) > 1 end

  it("gives every plan the settings that follow from its others", function()
    local r = request({ follows = { { field = "grad_bytes", value = 2, sharded = true },
      { field = "overlap_tp", value = 1, sequence_parallel = true } } })
    r.plan = { sequence_parallel = true }
    local found = brute_force(r, function(plan)
      local settled = { sequence_parallel = true, overlap_tp = true, grad_bytes = is_sharded(plan) and 2 or nil }
      for field, value in pairs(plan) do settled[field] = value end
      return settled
    end)
    local answer, widths = core.search(r), {}
    assert.equal(#found, #answer.plans)
    for i, plan in ipairs(answer.plans) do
      assert.equal(found[i].step_s, plan.score)
      assert.same(found[i].plan, plan.plan)
      assert.same(found[i].time, plan.time)
      assert.same(found[i].memory, plan.memory)
      widths[plan.plan.grad_bytes] = true
    end
    assert.is_true(widths[2] and widths[4])
    r.top, r.bounded_above = 5, 0
    for i, plan in ipairs(core.search(r).plans) do assert.same(found[i].plan, plan.plan) end
  end)

  it("has settings that follow a format only in that format", function()
    local r = request({ follows = { { field = "grad_bytes", value = 2, precision = "fp8" } } })
    r.device.fp8_flop_s = 624e12
    r.space.precision, r.top = { "bf16", "fp8" }, 400
    local answer = core.search(r)
    assert.equal(400, #answer.plans)
    for _, plan in ipairs(answer.plans) do assert.equal(plan.plan.precision == "fp8" and 2 or 4, plan.plan.grad_bytes) end
    for i = 2, #answer.plans do assert.is_true(answer.plans[i].time.step_s >= answer.plans[i - 1].time.step_s) end
  end)

  it("refuses settings that follow nothing it knows", function()
    assert.matches("follows", refusal({ follows = { { field = "none", value = 1 } } }))
    assert.matches("follows", refusal({ follows = { { field = "grad_bytes" } } }))
    assert.matches("follows", refusal({ follows = { 3 } }))
  end)

  it("counts every plan once", function()
    local answer = core.search(request({ space = "free" }))
    assert.equal(answer.space_size, answer.evaluated + answer.duplicates)
    assert.equal(answer.evaluated, answer.feasible + tally_sum(answer))
    for i = 2, #answer.tally do
      local before, this = answer.tally[i - 1], answer.tally[i]
      assert.is_true(before.count > this.count
        or (before.count == this.count and before.reason < this.reason))
    end
  end)

  it("keeps expert traffic under compute apart where experts are cut but not spread", function()
    local made = request({
      model = { layers = 16, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, vocab = 32000,
        experts = 8, topk = 2 },
      device = { memory_bytes = 400e9, mem_bw_bytes_s = 1.555e12, bf16_flop_s = 312e12 },
      plan = { tp = 4, pp = 1, cp = 1, ep = 1, zero = 1, recompute = "none", micro_batch = 1 },
      space = { vpp = 1, etp = { 1, 4 }, overlap_ep = { false, true } },
    })
    local answer = core.search(made)
    assert.equal(1, answer.duplicates)
    local best = answer.plans[1].time.step_s
    for _, kept in ipairs(answer.plans) do
      if kept.plan.etp == 4 and kept.plan.overlap_ep then best = nil end
    end
    assert.is_nil(best, "the plan that overlaps was dropped")
  end)

  it("keeps no more than asked for, the same first ones", function()
    local all, few = core.search(request()), core.search(request({ top = 3 }))
    assert.equal(3, #few.plans)
    for i = 1, 3 do assert.same(all.plans[i], few.plans[i]) end
    assert.equal(all.feasible, few.feasible)
  end)

  it("includes every listed space in the free one", function()
    local free, listed = core.search(request({ space = "free" })), core.search(request())
    assert.is_true(free.plans[1].score <= listed.plans[1].score)
    assert.same(free, core.search(request({ space = {} })))
    assert.same(free, core.search(request({ space = { tp = "free", zero = "free" } })))
  end)

  it("does not vary what plan fixes", function()
    local answer = core.search(request({ space = "free", plan = { tp = 2, recompute = "full" } }))
    assert.is_true(answer.feasible > 0)
    for _, plan in ipairs(answer.plans) do
      assert.equal(2, plan.plan.tp)
      assert.equal("full", plan.plan.recompute)
    end
  end)

  it("takes one value as a list of one", function()
    local one = request()
    one.space.tp = 4
    local list = request()
    list.space.tp = { 4 }
    assert.same(core.search(list), core.search(one))
  end)

  it("says why plans were rejected, with an example that shows it", function()
    local r = request()
    local answer = core.search(r)
    for _, line in ipairs(answer.tally) do
      assert.is_true(#line.text > 0)
      local why = core.why(r, line.example)
      assert.equal(line.reason, why.reason)
      assert.equal(line.text, why.text)
    end
    local memory = line_of(answer, "memory")
    assert.equal(memory.memory.total_bytes - memory.memory.capacity_bytes, memory.short_bytes)
    assert.is_true(memory.short_bytes > 0)
  end)

  it("answers with zero plans and the nearest miss when nothing fits", function()
    local r = request()
    r.device.memory_bytes = 2e9
    local answer = core.search(r)
    assert.equal(0, answer.feasible)
    assert.same({}, answer.plans)
    local miss = search.nearest_miss(answer)
    assert.equal("memory", miss.reason)
    r.device.memory_bytes = 2e9 + miss.short_bytes
    assert.is_true(core.search(r).feasible > 0)
    r.device.memory_bytes = 2e9 + miss.short_bytes - 1
    assert.equal(0, core.search(r).feasible)
  end)

  it("ranks by the objective that was asked for", function()
    local cheap = core.search(request({ objective = "tok_usd", usd_h = 3 }))
    local fast = core.search(request({ objective = "tokens_per_s" }))
    local roomy = core.search(request({ objective = "headroom_bytes" }))
    assert.equal(cheap.plans[1].index, fast.plans[1].index) -- one price: cheapest is fastest
    assert.equal(fast.plans[1].time.tokens_per_s, fast.plans[1].score)
    for _, plan in ipairs(fast.plans) do
      assert.is_true(plan.worth.headroom_bytes <= roomy.plans[1].worth.headroom_bytes)
    end
    -- By hand: 16 devices at 3 USD/h for one step of 64 * 4096 tokens.
    local best = cheap.plans[1]
    assert.is_true(math.abs(best.worth.step_usd - 48 * best.time.step_s / 3600) < 1e-12)
    assert.is_true(math.abs(best.score * 64 * 4096 - best.worth.step_usd) < 1e-12)
  end)

  it("refuses values that a plan would refuse", function()
    local function space(name, value)
      local r = request().space
      r[name] = value
      return { space = r }
    end
    assert.equal("space.tp: is an empty list", refusal(space("tp", {})))
    assert.equal("space.tp: lists a value twice", refusal(space("tp", { 1, 2, 1 })))
    assert.equal("space.tp: must be from 1 to 65536, got 0", refusal(space("tp", { 1, 0 })))
    assert.equal("space.tp: must be a whole number, got a fraction", refusal(space("tp", { 1.5 })))
    assert.matches("'ful' is not one of full, none, selective", refusal(space("recompute", { "ful" })))
    assert.equal("space.recomputed: unknown field, did you mean 'recompute'?", refusal(space("recomputed", {})))
    assert.matches("without names or gaps", refusal(space("tp", { 1, nil, 4 })))
    assert.equal("space.tp.to: is missing", refusal(space("tp", { from = 1 })))
    assert.equal("space.name: is text, it cannot vary", refusal(space("name", { "a" })))
    assert.matches("space.lora_rank: ", refusal(space("lora_rank", "free")))
    assert.equal("space: takes the names of plan fields", refusal({ space = { 1, 2 } }))
    assert.equal("space: must be a table of plan fields, or 'free'", refusal({ space = 7 }))
  end)

  it("refuses what contradicts itself", function()
    assert.equal("space.tp: is in plan as well, which fixes it", refusal({ plan = { tp = 2 } }))
    assert.matches("usd_h: ", refusal({ objective = "tok_usd" }))
    assert.matches("objective: ", refusal({ objective = "step" }))
    assert.matches("top: ", refusal({ top = 0 }))
    assert.equal("search.rule: unknown field, did you mean 'rules'?", refusal({ rule = {} }))
    assert.matches("scaleup.bw_bytes_s: ", refusal({ network = { devices = 16 } }))
    assert.matches("model.heads: ", refusal({ model = { layers = 1, hidden = 8 } }))
  end)

  it("counts contradictory fixed fields as rejected, not as an error", function()
    local answer = core.search(request({ space = { tp = 3, pp = 5 } }))
    assert.equal(0, answer.feasible)
    assert.equal(answer.evaluated, line_of(answer, "devices").count)
  end)
end)

describe("core.why", function()
  it("tells what stops a plan as the tally does, memory and rank", function()
    local r = request()
    assert.equal("devices", core.why(r, { tp = 3 }).verdict)
    local short = core.why(r, { tp = 1, zero = 0 })
    assert.equal("memory", short.verdict)
    assert.is_true(short.short_bytes > 0)
    assert.is_nil(short.time)
    local answer = core.search(r)
    for _, i in ipairs({ 1, 7, #answer.plans }) do
      local why = core.why(r, answer.plans[i].plan)
      assert.equal("feasible", why.verdict)
      assert.equal(answer.plans[i].score, why.score)
      assert.equal(answer.feasible, why.feasible)
      assert.equal(why.score, answer.plans[why.rank].score)
      assert.is_true(why.rank == 1 or answer.plans[why.rank - 1].score < why.score)
    end
  end)

  it("refuses a plan it cannot read", function()
    local text = errors.catch(core.why, request(), { micro_batches = 2 })
    assert.equal("plan.micro_batches: unknown field, did you mean 'micro_batch'?", text)
  end)
end)

describe("search.run", function()
  local function input()
    local r = request()
    return { model = r.model, cluster = { device = r.device, network = r.network, usd_h = 2 },
      job = r.job, space = r.space, top = 5 }
  end

  it("asks the core with the cluster's parts and price", function()
    local answer = search.run(input())
    assert.equal(5, #answer.plans)
    assert.equal(2, answer.plans[1].worth.usd_h)
    local dear = input()
    dear.price = 5
    assert.equal(5, search.run(dear).plans[1].worth.usd_h)
  end)

  it("puts the fields of a question over those that are fixed", function()
    local asked = input()
    asked.space = nil
    asked.plan = { recompute = "full", zero = 3 }
    local why = search.why(asked, { tp = 2 })
    assert.equal("full", why.plan.recompute)
    assert.equal(2, why.plan.tp)
    assert.equal(8, why.plan.dp)
  end)

  it("asks about a plan with what its space was told, and with the default where that is free or listed", function()
    local asked = input()
    asked.space = { grad_bytes = 2, zero = { 2, 3 }, recompute = { "none", "full" }, micro_batch = "free",
      dp = { 4, 8 } }
    local plan = search.why(asked, { tp = 2 }).plan
    assert.equal(2, plan.grad_bytes)
    assert.equal(2, plan.zero)
    assert.equal("none", plan.recompute)
    assert.equal(1, plan.micro_batch)
    assert.equal(8, plan.dp)
    assert.equal(4, search.why(asked, { tp = 2, grad_bytes = 4 }).plan.grad_bytes)
  end)

  it("needs a cluster", function()
    assert.matches("cluster: ", (errors.catch(search.run, { cluster = {} })))
  end)
end)

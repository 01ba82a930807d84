-- What is said to suffice where nothing is feasible suffices when it is done, and a little less does not.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local varied = require("ballpark.questions.training.varied")
local relax = require("ballpark.questions.training.relax")
local search = require("ballpark.search.plans")
local estimating = require("ballpark.questions.estimate.run")
local searching = require("ballpark.questions.search.run")
local step_input = require("ballpark.resolve.step_input")
local units = require("ballpark.units")

local function input_of(changes)
  local input = { model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 16 }),
    job = { global_batch = 64, seq_len = 8192 } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return input
end

local function row_of(list, key, name)
  for _, row in ipairs(list) do
    if row[key] == name then return row end
  end
end

describe("what to relax", function()
  local function answered(changes)
    local answer = searching.run(input_of(changes))
    assert.is_false(answer.fits)
    return answer, relax.search(answer.input, answer.found)
  end

  it("names the field that is in the way, and what it would have to be", function()
    local answer, list = answered({ space = { tp = 1, pp = 1, cp = 1, zero = 0 } })
    local row = assert(row_of(list, "constraint", "plan.zero"))
    assert.equal("0", row.now)
    assert.is_true(tonumber(row.needed) >= 1)
    -- Tried by hand: the same search with that one field at the value is feasible, and below it nothing is.
    for zero = 0, 3 do
      local there = search.run(varied.with(answer.input, { "space", "zero" }, zero)).plans[1]
      if zero < tonumber(row.needed) then assert.is_nil(there) end
      if zero == tonumber(row.needed) then assert.equal(there.time.step_s, row.step_s) end
    end
  end)

  -- The input as a person changes it who does what a row says.
  local function applied(input, row)
    local field = row.constraint:match("^plan%.(.*)$")
    if field then
      local flags = { ["true"] = true, ["false"] = false }
      local value = math.tointeger(tonumber(row.needed)) or tonumber(row.needed) or row.needed
      if flags[value] ~= nil then value = flags[value] end
      return varied.with(varied.with(input, { "space", field }, nil), { "plan", field }, value)
    end
    local shown = row.unit == "B" and units.format(row.needed, "B")
    if shown then
      local number, unit = shown:match("^([%d%.,]+) (%a+)$")
      return varied.memory.set(input, units[unit](tonumber((number:gsub(",", "")))))
    end
    if row.constraint == "chance of fitting" then return varied.with(input, { "fit_chance" }, row.needed) end
    if row.constraint == "devices" then
      return varied.with(input, { "cluster" }, catalog.cluster({ device = "H100", devices = row.needed }))
    end
    return varied.with(input, { "job", (row.constraint:gsub("job%.", "")) }, row.needed)
  end

  local QUESTIONS = {
    { space = { tp = 1, pp = 1, cp = 1, zero = 0 } },
    { space = { tp = { 3, 5 } } },
    { space = { dp = 7, tp = 8 } },
    { job = { global_batch = 17, seq_len = 8192 }, plan = { tp = 4, pp = 1, cp = 1 } },
    { model = catalog.model("llama-3.1-70b"), cluster = catalog.cluster({ device = "H100", devices = 8 }) },
    { model = catalog.model("llama-3.1-70b"), cluster = catalog.cluster({ device = "H100", devices = 16 }),
      space = { recompute = "none" } },
    { job = { global_batch = 64, seq_len = 1 << 20 }, plan = { recompute = "none", cp = 8 } },
    { space = { recompute = "none", tp = 1, pp = 1, cp = 1, micro_batch = 4 } },
    { space = { recompute = "none", tp = 1, pp = 1, cp = 1, micro_batch = 1, zero = 2 }, fit_chance = 0.99 },
  }

  it("suggests what works when it is done, everything else as asked", function()
    local seen = {}
    for i, question in ipairs(QUESTIONS) do
      local answer, list, together = answered(question)
      assert.is_false(together, i)
      for _, row in ipairs(list) do
        seen[row.constraint] = true
        local plans = search.run(applied(answer.input, row)).plans
        assert.is_true(#plans > 0, i .. ": " .. row.constraint .. " " .. tostring(row.needed))
        assert.equal(row.step_s, plans[1].time.step_s, row.constraint)
      end
    end
    for _, name in ipairs({ "plan.zero", "plan.tp", "plan.dp", "memory of a device", "devices", "job.seq_len",
      "job.global_batch", "plan.recompute", "chance of fitting", "plan.offload" }) do
      assert.is_true(seen[name], name)
    end
  end)

  it("suggests the value that is nearest to the one asked for", function()
    local _, list = answered({ space = { dp = 7, tp = 2 } })
    assert.equal("8", row_of(list, "constraint", "plan.dp").needed)
    _, list = answered({ space = { tp = { 3, 5 } } })
    assert.equal("4", row_of(list, "constraint", "plan.tp").needed)
    _, list = answered({ cluster = catalog.cluster({ device = "A100", devices = 16 }), space = { precision = "fp8" } })
    assert.equal("bf16", row_of(list, "constraint", "plan.precision").needed)
  end)

  it("suggests the fewest devices, in whole nodes", function()
    local answer, list = answered({ model = catalog.model("llama-3.1-70b"),
      cluster = catalog.cluster({ device = "H100", devices = 8 }) })
    local wanted = row_of(list, "constraint", "devices").needed
    assert.equal(0, wanted % 8)
    for count = 16, wanted - 8, 8 do
      assert.equal(0, #search.run(varied.devices.set(answer.input, count)).plans, count)
    end
  end)

  it("suggests any number of devices within a node to who asks for a part of one", function()
    for now, wanted in pairs({ [3] = { 4 }, [6] = { 4, 8 }, [12] = { 8, 16 } }) do
      local answer, list = answered({ cluster = catalog.cluster({ device = "H100", devices = now }),
        plan = { tp = now == 12 and 8 or 4 } })
      local counts = {}
      for _, row in ipairs(list) do
        if row.constraint == "devices" then
          counts[#counts + 1] = row.needed
          assert.is_true(#search.run(applied(answer.input, row)).plans > 0)
        end
      end
      assert.same(wanted, counts)
    end
  end)

  it("says how much memory would do", function()
    local answer, list = answered({ space = { tp = 1, pp = 1, cp = 1, zero = 0, recompute = "full", micro_batch = 1 } })
    local row = assert(row_of(list, "constraint", "memory of a device"))
    assert.is_true(#search.run(varied.memory.set(answer.input, row.needed)).plans > 0)
    assert.equal(row.needed, units.round_up(row.needed, "B"))
    local digit = units.GiB(0.1) + (1 << 20) -- the last that is shown, and the step in which it is found
    assert.equal(0, #search.run(varied.memory.set(answer.input, row.needed - digit)).plans)
  end)

  it("finds the constraint that contradicts the model", function()
    local _, list = answered({ space = { tp = 3 } })
    assert.equal("plan.tp", list[1].constraint)
    assert.equal("3", list[1].now)
  end)

  it("finds the batch that can be cut", function()
    local _, list = answered({ job = { global_batch = 17, seq_len = 8192 },
      plan = { tp = 4, pp = 1, cp = 1, micro_batch = 1 } })
    local row = assert(row_of(list, "constraint", "job.global_batch"))
    assert.equal(0, row.needed % 4)
    assert.is_true(row.needed >= 17)
  end)

  it("names the rule that rejects everything", function()
    local _, list = answered({ rules = { { name = "nothing is good", reject = function() return true end },
      { name = "harmless", reject = function() return false end } } })
    local row = assert(row_of(list, "constraint", "rule 'nothing is good'"))
    assert.equal("left out", row.needed)
    assert.is_nil(row_of(list, "constraint", "rule 'harmless'"))
  end)

  it("finds the fewest constraints that have to give together", function()
    local answer, list, together = answered({ space = { tp = 3, pp = 7, cp = { 1, 2 }, zero = 1 } })
    assert.is_true(together)
    local names, input = {}, answer.input
    for _, row in ipairs(list) do
      names[#names + 1] = row.constraint
      local field = row.constraint:match("^plan%.(.*)$")
      input = varied.with(input, { "space", field }, tonumber(row.needed))
    end
    assert.same({ "plan.pp", "plan.tp" }, names)
    -- With what is said it works, and with either alone it does not.
    assert.equal(list[1].step_s, search.run(input).plans[1].time.step_s)
    assert.equal(0, #search.run(varied.with(input, { "space", "tp" }, 3)).plans)
    assert.equal(0, #search.run(varied.with(input, { "space", "pp" }, 7)).plans)
  end)

  it("counts memory and rules among them", function()
    local answer, list, together = answered({ model = catalog.model("llama-3.1-70b"),
      cluster = catalog.cluster({ device = "H100", devices = 8 }), space = { tp = 3, pp = 1 } })
    assert.is_true(together)
    local memory = assert(row_of(list, "constraint", "memory of a device"))
    local freed = varied.with(answer.input, { "space", "tp" }, "free")
    assert.is_true(#search.run(varied.memory.set(freed, memory.needed)).plans > 0)
    assert.equal(0, #search.run(varied.memory.set(freed, memory.needed - units.GiB(0.2))).plans)

    local no = { name = "no", reject = function() return true end }
    local _, both = answered({ space = { tp = 3 }, rules = { no } })
    assert.is_not_nil(row_of(both, "constraint", "rule 'no'"))
    assert.is_not_nil(row_of(both, "constraint", "plan.tp"))
  end)

  -- 11 devices cut neither 7 heads nor 1 layer nor 100 tokens; only the batch can give.
  local odd = { layers = 1, hidden = 448, heads = 7, ffn_hidden = 448, vocab = 1000 }

  it("leaves the plan alone where only the job can give", function()
    local cluster = catalog.cluster({ device = "H100", devices = 11, node_size = 11 })
    local _, list = answered({ model = odd, cluster = cluster, job = { global_batch = 1, seq_len = 100 } })
    assert.equal(1, #list)
    assert.equal("job.global_batch", list[1].constraint)
    assert.equal(11, list[1].needed)
  end)

  it("opens one field of a plan that does not fit", function()
    local estimate = estimating.run(input_of({ plan = { tp = 1, zero = 0, micro_batch = 4 } }))
    assert.is_false(estimate.fits)
    local list = relax.estimate(estimate.input, estimate.plan)
    local row = assert(row_of(list, "constraint", "memory of a device"))
    assert.is_true(row.needed > estimate.memory.capacity_bytes)
    for _, item in ipairs(list) do
      local field = item.constraint:match("^plan%.(.*)$")
      if field then
        local plan = {}
        for name, value in pairs(item.plan) do plan[name] = value end
        assert.is_true(estimating.run(input_of({ plan = plan })).fits, field)
      end
    end
  end)

  -- Plans that core.search goes over while fn runs; more than `most` are an error.
  local function plans_of(most, fn)
    local run, count = core.search, 0
    core.search = function(asked)
      local found = run(asked)
      count = count + found.space_size
      if count > most then error(("%d plans, more than %d"):format(count, most)) end
      return found
    end
    local done, problem = pcall(fn)
    core.search = run
    assert.is_true(done, problem)
  end

  local function on_tpu(model, device, devices, job, plan)
    return estimating.run({ model = catalog.model(model), cluster = catalog.cluster({ device = device, devices = devices }),
      job = job, plan = plan })
  end

  it("takes what the software does not launch for no matter of memory", function()
    local job = { global_batch = 64, seq_len = 2048 }
    local answer = on_tpu("llama-3.1-8b", "TPU-v5e", 8, job, { zero = 1 })
    assert.is_false(answer.fits)
    local list, together = relax.estimate(answer.input, answer.plan)
    assert.is_false(together)
    local memory = assert(row_of(list, "constraint", "memory of a device"))
    assert.is_true(memory.needed >= answer.memory.total_bytes)
    assert.equal(1, memory.plan.zero)
    assert.near(answer.time.step_s, memory.step_s, 1e-9 * memory.step_s)
    for _, row in ipairs(list) do
      local field = row.constraint:match("^plan%.(.*)$")
      if field then assert.is_true(on_tpu("llama-3.1-8b", "TPU-v5e", 8, job, row.plan).fits, field) end
    end
  end)

  it("suggests nothing that the software does not launch but what was asked for", function()
    local answer = estimating.run(input_of({ plan = { tp = 1, zero = 1, micro_batch = 4, recompute = "full" }, software = "fsdp" }))
    assert.is_false(answer.fits)
    local list = relax.estimate(answer.input, answer.plan)
    assert.is_true(#list > 1)
    for _, row in ipairs(list) do
      if row.constraint:match("^plan%.") then
        local refused = core.launch_refusals(step_input.plain(answer.input, row.plan))
        assert.same(row.plan.zero == 1 and { "the software has no ZeRO 1" } or {}, refused)
      end
    end
    assert.is_true(row_of(list, "constraint", "plan.zero").plan.zero > 1)
  end)

  it("looks at few plans where the software does not launch the one asked for", function()
    plans_of(1000000, function()
      local answer = on_tpu("minimax-m2.5", "TPU-v6e", 32, { global_batch = 2048, seq_len = 8192 },
        { tp = 2, pp = 1, micro_batch = 4, zero = 1, ep = 4 })
      local list, together = relax.estimate(answer.input, answer.plan)
      assert.is_false(together)
      assert.equal("memory of a device", list[1].constraint)
    end)
  end)

  it("asks for memory alone where that is enough, however many plans the rest would open", function()
    local shape = { name = "m", layers = 8, hidden = 1000000, heads = 8, kv_heads = 8, ffn_hidden = 4096, vocab = 32000 }
    local answer = estimating.run({ model = shape, cluster = catalog.cluster({ device = "H100", devices = 8 }),
      job = { global_batch = 16, seq_len = 1024 }, plan = { micro_batch = 1 } })
    assert.is_false(answer.fits)
    local list, together = relax.estimate(answer.input, answer.plan or answer.input.plan)
    assert.is_true(together)
    assert.equal(1, #list)
    assert.equal("memory of a device", list[1].constraint)
  end)

  it("answers a space that is empty as it is written", function()
    local answer, list = answered({ space = { tp = {}, pp = { 1, 2 } } })
    assert.equal(0, answer.found.evaluated)
    assert.equal("space", answer.nearest_miss.reason)
    assert.matches("^space%.tp: the list is empty", answer.nearest_miss.text)
    assert.is_true(answer.nearest_miss.example.tp >= 1)
    assert.equal(1, #list)
    assert.equal("plan.tp", list[1].constraint)
    local _, both, together = answered({ space = { tp = {}, pp = {} } })
    assert.is_true(together)
    assert.equal(2, #both)
  end)

  it("answers a plan that contradicts the space, and takes one that agrees", function()
    local answer, list = answered({ plan = { tp = 2 }, space = { tp = { 4, 8 } } })
    assert.equal("plan.tp: is fixed to 2, and space.tp is 4, 8 only", answer.nearest_miss.text)
    assert.equal("space.tp", list[1].constraint)
    assert.equal("2", list[1].needed)
    local fixed = searching.run(input_of({ plan = { tp = 2 } }))
    for _, tp in ipairs({ { 1, 2 }, "free", 2, { from = 1, to = 8, times = 2 } }) do
      local space = { tp = tp }
      local agreed = searching.run(input_of({ plan = { tp = 2 }, space = space }))
      assert.equal(fixed.best.time.step_s, agreed.best.time.step_s)
      assert.equal(fixed.found.evaluated, agreed.found.evaluated)
    end
  end)
end)

-- What blank columns of measured training do to ranges: the same row with other values that are as plausible.
local catalog = require("ballpark.catalog")
local columns = require("ballpark.measured.training_columns")
local law = require("ballpark.range.law")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.training")
local tables = require("ballpark.tables")
local target = require("ballpark.validate.target")
local training_case = require("ballpark.validate.training_case")
local training_open = require("ballpark.range.training_open")
local validate = require("ballpark.validate")
local widths = require("ballpark.range.log_widths")

local GiB <const> = 1 << 30

local full = {
  case_id = "a-1", year = "2025", model = "test", layers = "8", hidden = "1024", heads = "16", kv_heads = "16",
  ffn_hidden = "4096", vocab = "51200", seq_len = "2048", gpu = "A100-80GB-SXM", gpus = "16", gpus_per_node = "8",
  precision = "bf16", flash = "1", tp = "1", pp = "2", vpp = "1", dp = "8", cp = "1", zero = "1",
  sequence_parallel = "1", recompute = "none", micro_batch = "1", global_batch_seqs = "32", framework = "megatron-core",
  interconnect_inter = "8x200 Gb/s IB", step_s = "2",
}

local SECONDS <const> = { none = 1, selective = 1.1, full = 1.3 }
local MEMORY <const> = { none = 60, selective = 50, full = 30 }

-- Time and memory by recomputation, as above; a batch takes in proportion.
local function estimate_with(memory)
  return function(input)
    local mode = input.plan.recompute or "none"
    return { time = { step_s = SECONDS[mode] * input.job.global_batch / 32 },
      memory = { weights_bytes = 0, total_bytes = (memory or MEMORY)[mode] * GiB, capacity_bytes = 80 * GiB } }
  end
end

local function wide(changes, memory)
  local cells = {}
  for key, value in pairs(full) do cells[key] = value end
  for key, value in pairs(changes) do cells[key] = value end
  local case = training_case.of(columns.row(cells), { estimate = estimate_with(memory) })
  local all = training_open.widths(case, case.out)
  return { time = all.step, token = all.token, memory = all.memory }
end

local function near(expected, got)
  for i = 1, 2 do assert.near(expected[i], got[i], 1e-12) end
end

describe("log widths", function()
  it("add like independent errors, and are taken off in the same way", function()
    assert.near(0.5, widths.together(0.3, 0.4), 1e-15)
    assert.near(0.4, widths.beyond(0.5, 0.1, 0.3), 1e-15)
    assert.near(-0.4, widths.beyond(-0.5, 0.3, 0.1), 1e-15)
    assert.equal(0, widths.beyond(0.2, 0, 0.3))
  end)

  it("grow by the furthest that any value of a cause moves a figure, to either side", function()
    local all = widths.none({ "time", "memory" })
    all.time[2] = 0.3
    local own = widths.widen(all, { 0.4, -0.2, "no run" }, function(value)
      return value ~= "no run" and { time = value } or nil
    end)
    near({ 0.2, 0.4 }, own.time)
    near({ 0.2, 0.5 }, all.time)
    near({ 0, 0 }, all.memory)
  end)
end)

describe("a row that leaves settings open", function()
  it("has none where everything is stated", function()
    local none = wide({})
    near({ 0, 0 }, none.time)
    near({ 0, 0 }, none.memory)
  end)

  it("may have recomputed what fits without", function()
    local open = wide({ recompute = "" })
    near({ 0, math.log(1.3) }, open.time)
    near({ math.log(2), 0 }, open.memory)
  end)

  it("cannot have run in what memory does not hold", function()
    -- 105 GiB of 80 for nothing, 99 for selective: neither is a run, and full is what the rule takes.
    local open = wide({ recompute = "" }, { none = 105, selective = 99, full = 60 })
    near({ 0, 0 }, open.time)
    -- 90 of 80 are within what estimates of memory are off by.
    near({ math.log(1.3 / 1.1), 0 }, wide({ recompute = "" }, { none = 105, selective = 90, full = 60 }).time)
  end)

  it("fits by what it may have done, what would not have fitted being the less likely", function()
    local function chance(own, others, ran)
      return training_open.memory({ profile = {} }, { fit_probability = own, total_bytes = 90, capacity_bytes = 80 },
        { memory = { 0, 0 }, fits = ran and others or nil }).fit_probability
    end
    -- (0.01 + 0.01 + 1) / (0.1 + 0.1 + 1)
    assert.near(0.85, chance(0.1, { 0.1, 1 }, true), 1e-12)
    assert.near(0.1, chance(0.1, {}, true), 1e-12)
    assert.equal(0, chance(0, { 0 }, true))
    assert.equal(0.1, chance(0.1, { 0.1, 1 }, false))
  end)

  it("fits no less by what takes more memory, which is chosen where there is room", function()
    local function chance(total, capacity)
      local function estimate(input) return { memory = { fit_probability = input.profile.memory_spread } } end
      return training_open.memory({ profile = { memory_spread = 0.3 } }, { fit_probability = 0.99, total_bytes = total,
        capacity_bytes = capacity }, { memory = { 0.4 * law.HALF_80, 0.9 } }, estimate).fit_probability
    end
    assert.equal(0.99, chance(60, 80))
    -- The spread of what takes less, of a run that is too large: 0.3^2 + 0.4^2 = 0.5^2.
    assert.near(0.5, chance(90, 80), 1e-12)
  end)

  it("cuts tensors further than its batch asks where memory does", function()
    local device = catalog.device("MI300X")
    for _, by in ipairs({ 1, 1.2, 2 }) do
      local cluster = catalog.cluster({ device = tables.with(device, { memory_bytes = device.memory_bytes * by // 1 }), devices = 128 })
      local answer = questions.runner("estimate").run({ model = catalog.model("llama-3.1-70b"), cluster = cluster,
        job = { global_batch = 64, seq_len = 4096 } })
      assert.is_true(answer.memory.fit_probability >= 0.9, by)
    end
  end)

  it("may have had another batch: a step is as much longer, a throughput is the same", function()
    near({ math.log(4), math.log(4) }, wide({ global_batch_seqs = "" }).time)
    near({ 0, 0 }, wide({ global_batch_seqs = "" }).token)
  end)

  it("has all of them together", function()
    near({ math.log(4), widths.together(math.log(4), math.log(1.3)) },
      wide({ global_batch_seqs = "", recompute = "" }).time)
  end)
end)

describe("a range", function()
  local function cells(changes)
    local names, texts = {}, {}
    for key, value in pairs(full) do names[#names + 1], texts[key] = key, value end
    for key, value in pairs(changes) do texts[key] = value end
    table.sort(names)
    local line = {}
    for i, name in ipairs(names) do line[i] = texts[name] end
    return (validate.read(table.concat(names, ",") .. "\n" .. table.concat(line, ",") .. "\n", "t.csv"))
  end

  local function row_of(changes) return validate.run(cells(changes)).times[1] end

  it("is wider, to either side by itself, where the table is blank", function()
    local stated, open = row_of({}), row_of({ recompute = "", micro_batch = "" })
    assert.is_true(open.range.high / open.predicted > stated.range.high / stated.predicted)
    local one = validate.cases(cells({}))[1]
    local about = { input = one.input, class = one.class, known = true, open = {}, wide = { time = { 0, 1 },
      memory = { 2, 0 } } }
    local half, time, memory = ranges.half(about), ranges.time(about), ranges.memory(about)
    assert.near(half, -math.log(time.low), 1e-12)
    assert.near(widths.together(half, 1), math.log(time.high), 1e-12)
    assert.near(widths.together(math.log(memory.high), 2), -math.log(memory.low), 1e-12)
  end)

  it("turns over for a throughput", function()
    local band = { value = 1, low = 0.5, high = 4, why = {} }
    assert.same({ value = 1, low = 0.25, high = 2, why = {} }, target.band("tokens_per_s_per_gpu", band))
    assert.equal(band, target.band("step_s", band))
  end)
end)

describe("experts nobody says the ranks of", function()
  local moe = { experts = "32", topk = "2", ep = "", tp = "1", pp = "1", dp = "16" }

  local function dealt(changes, bytes)
    local row = {}
    for _, from in ipairs({ full, moe, changes }) do
      for key, value in pairs(from) do row[key] = value end
    end
    local case = training_case.of(columns.row(row), { estimate = function(input)
      local total = bytes and bytes(input.plan) or GiB
      return { time = { step_s = 1 }, memory = { weights_bytes = 0, capacity_bytes = 80 * GiB, total_bytes = total } }
    end })
    assert.matches("ep " .. case.plan.ep, table.concat(case.assumed, " | "), 1, true)
    return case.plan
  end

  local function ep(changes, bytes) return dealt(changes, bytes).ep end

  it("are dealt to up to eight that fast links join, as they divide", function()
    assert.equal(8, ep({}))
    assert.equal(4, ep({ experts = "12" }))
    assert.equal(1, ep({ experts = "7" }))
    assert.equal(4, ep({ tp = "2", pp = "4", dp = "2" }))
    assert.equal(4, ep({ tp = "4", dp = "4", etp = "4" })) -- 4 groups of 4 ranks that cut an expert
  end)

  it("are dealt to more where the run would not fit, and to none where weights are sharded anyway", function()
    local function shared(plan) return 1000 * GiB // plan.ep end
    assert.equal(16, ep({}, shared)) -- 125 GiB with eight
    assert.equal(1, ep({ zero = "3" }))
  end)

  it("are dealt out before weights are sharded, beside stated tensor parallelism too", function()
    local plan = dealt({ tp = "2", dp = "8", zero = "" }, function(plan) return 1000 * GiB // plan.ep // (plan.zero == 3 and 8 or 1) end)
    assert.same({ 16, 1 }, { plan.ep, plan.zero })
  end)
end)

describe("a planned run of open ranks", function()
  local function asked(device)
    local found = require("ballpark.questions.estimate.run").run({ model = catalog.model("qwen3-235b-a22b"),
      cluster = catalog.cluster({ device = device, devices = 512 }), job = { global_batch = 1024, seq_len = 4096 } })
    return found, table.concat(found.assumed, " | ")
  end

  it("is filled in for less memory where that is faster, and what is open about it, too", function()
    local small, large = asked("B200"), asked("B300")
    assert.is_true(large.time.step_s < small.time.step_s)
    local _, words = asked("B300")
    assert.matches("which is faster", words, 1, true)
    -- Other values are those of as much memory: another batch of samples at a time on the same ranks, not another layout.
    assert.is_true(large.range.step_s.high < 10 * large.time.step_s)
  end)
end)

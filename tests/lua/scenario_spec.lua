-- Scenarios: what they see, where their mistakes are reported, what the command line overrides.
local errors = require("ballpark.errors")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local files = dofile(here .. "/files.lua")
local json = require("ballpark.json")
local locate = require("ballpark.scenario.locate")
local overrides = require("ballpark.scenario.overrides")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")

local folder

-- Runs a text as DIR/s.lua; definitions are as for -D.
local function run(text, definitions, options)
  local path = files.write(folder, "s.lua", text)
  options = options or {}
  options.overrides = overrides.parse(definitions)
  return scenario.run(scenario.load(path), options)
end

-- The one-line error of such a run, with the folder left out, and the error itself.
local function refused(text, definitions)
  local line, e = errors.catch(run, text, definitions)
  assert.is_truthy(line, "was accepted")
  assert.is_true(errors.is(e), "not an error of people: " .. line)
  return (line:gsub(folder:gsub("%p", "%%%0") .. "/", "")), e
end

local TINY = [[
local m = model { layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008, vocab = 32000 }
local c = cluster { device = "H100", devices = 8 }
local job = { global_batch = 64, seq_len = 4096, tokens = billion(100) }
]]

describe("scenario", function()
  before_each(function() folder = files.folder() end)
  after_each(function() files.remove(folder) end)

  it("shows what it says", function()
    local r = run([[
      title "T"
      facts("F", { { "x", GiB(1), "B", "X" }, { name = "y", value = "text" } })
      rows { title = "R", columns = { "a", { name = "b", unit = "s" } }, { 1, 2 }, { 3, 4 } }
      note "n" assume "a" warn "w"
    ]])
    assert.equal("T", r.title)
    assert.equal(1073741824, r:scalars()[1].value)
    assert.equal("text", r:scalars()[2].value)
    assert.same({ { 1, 2 }, { 3, 4 } }, r:pick().rows)
    assert.same({ { "n" }, { "a" }, { "w" } }, { r.notes, r.assumed, r.warnings })
  end)

  it("estimates, and shows its last answer when it shows nothing", function()
    local r, state = run(TINY .. [[estimate { model = m, cluster = c, job = job, plan = { tp = 2, micro_batch = 2 } }]])
    assert.equal(1, #state.answers)
    local answer = state.answers[1]
    assert.equal("answer", r.blocks[1].name)
    assert.equal(4, answer.plan.dp)
    -- The parts of step and memory add up, and run and cost follow from the step.
    local sum = 0
    for name, value in pairs(answer.time) do
      if name:find("_s$") and name ~= "step_s" and name ~= "tokens_per_s" then sum = sum + value end
    end
    assert.near(answer.time.step_s, sum, 1e-9 * sum)
    assert.equal(math.ceil(100e9 / (64 * 4096)), answer.run.steps)
    assert.near(answer.run.steps * answer.time.step_s / answer.run.goodput_frac, answer.run.run_s, 1)
    assert.near(answer.run.run_s * 8 / 3600 * answer.run.usd_h, answer.run.cost_usd, 1e-6 * answer.run.cost_usd)
  end)

  it("says nothing of run and cost when no tokens are given", function()
    local r = run(TINY .. [[show(estimate { model = m, cluster = c, job = { global_batch = 64, seq_len = 4096 },
      plan = { tp = 2 } })]])
    for _, fact in ipairs(r:scalars()) do
      if fact.name == "run_s" or fact.name == "cost_usd" then assert.is_nil(fact.value) end
    end
    assert.not_matches("device%-hours", report.render(r, "table"))
  end)

  it("takes price and goodput from the scenario", function()
    local _, state = run(TINY .. [[estimate { model = m, cluster = c, job = job, plan = { tp = 2 },
      price = 2, goodput = 0.5 }]])
    local run_of = state.answers[1].run
    assert.equal(0.5, run_of.goodput_frac)
    assert.near(run_of.run_s * 8 / 3600 * 2, run_of.cost_usd, 1)
  end)

  it("says when failures leave nothing of the run, and keeps the rest of the answer", function()
    local r, state = run(TINY .. [[
      show(estimate { model = m, cluster = cluster { device = "H100", devices = 480000 }, plan = { tp = 2 },
        job = { global_batch = 240000, seq_len = 4096, tokens = trillion(1) } })]])
    assert.is_nil(state.answers[1].run.run_s)
    assert.is_true(state.answers[1].time.step_s > 0)
    assert.matches("Does not go +the run never ends; nothing is left", report.render(r, "table"))
    assert.is_true(r.infeasible)
    -- Losses that leave time, or no run to end: the same plan goes.
    for _, changed in ipairs({ "goodput = 0.5", "job = { global_batch = 240000, seq_len = 4096 }" }) do
      local other = run(TINY .. ([[
        local asked = { model = m, cluster = cluster { device = "H100", devices = 480000 }, plan = { tp = 2 },
          job = { global_batch = 240000, seq_len = 4096, tokens = trillion(1) } }
        for name, value in pairs { %s } do asked[name] = value end
        show(estimate(asked))]]):format(changed))
      assert.is_false(other.infeasible)
      assert.not_matches("Does not go", report.render(other, "table"))
    end
  end)

  it("shards as its class of software does unless told otherwise", function()
    local function zero(extra)
      local _, state = run(TINY .. "estimate { model = m, cluster = c, job = job, " .. extra .. " }")
      return state.answers[1].plan.zero, table.concat(state.answers[1].assumed)
    end
    assert.equal(1, (zero("plan = { tp = 2 }")))
    local stage, assumed = zero("plan = { tp = 2 }, profile = profile 'fsdp'")
    assert.equal(3, stage)
    assert.matches("ZeRO stage 3", assumed)
    stage, assumed = zero("plan = { tp = 2, zero = 2 }, profile = profile 'fsdp'")
    assert.equal(2, stage)
    assert.not_matches("ZeRO", assumed)
  end)

  it("searches, and its best plan is what an estimate of that plan says", function()
    local _, state = run(TINY .. [[
      local found = search { model = m, cluster = c, job = job, top = 3 }
      local p = found.best.plan
      estimate { model = m, cluster = c, job = job, plan = { tp = p.tp, pp = p.pp, vpp = p.vpp, cp = p.cp,
        zero = p.zero, recompute = p.recompute, micro_batch = p.micro_batch } }
    ]])
    local found, single = state.answers[1], state.answers[2]
    assert.equal(3, #found.plans)
    assert.equal(found.best.time.step_s, single.time.step_s)
    assert.equal(found.best.memory.total_bytes, single.memory.total_bytes)
    assert.is_true(found.plans[1].time.step_s <= found.plans[2].time.step_s)
  end)

  it("is infeasible when no answer that it shows fits", function()
    local big = TINY .. [[local big = { global_batch = 64, seq_len = 65536 }
      show(estimate { model = m, cluster = c, job = big, plan = { micro_batch = 8, recompute = "none" } })]]
    assert.is_true(run(big).infeasible)
    assert.is_falsy(run(big .. [[ show(estimate { model = m, cluster = c, job = job, plan = { tp = 4 } })]]).infeasible)
    local r = run(TINY .. [[show(search { model = m, cluster = cluster { device = "T4", devices = 1 }, job = job })]])
    assert.is_true(r.infeasible)
    assert.matches("no plan is feasible", r.title or r.blocks[1].title)
  end)

  it("shows a plan of a search on its own", function()
    local r = run(TINY .. "local found = search { model = m, cluster = c, job = job } show(found.plans[2])")
    local _, state = run(TINY .. "search { model = m, cluster = c, job = job }")
    for _, fact in ipairs(r:scalars()) do
      if fact.name == "step_s" then assert.equal(state.answers[1].plans[2].time.step_s, fact.value) end
    end
  end)

  it("explains a plan that is asked about", function()
    local asked = TINY .. [[show(search { model = m, cluster = c, job = job, why = { tp = 3 } })]]
    local text = report.render(run(asked), "table")
    assert.matches("Verdict +devices", text)
    local by_option = report.render(run(TINY .. "show(search { model = m, cluster = c, job = job })", nil,
      { search = { why = { tp = 8 } } }), "table")
    assert.matches("Verdict +feasible", by_option)
    assert.matches("Place +[%d,]+ of [%d,]+ feasible plans", by_option)
  end)

  it("calls kernels", function()
    local r = run([[
      local b = kernel.bubble { stages = 8, micro_batches = 32 }
      local found = false
      for name, value in pairs(b) do found = found or (value ~= nil) end
      facts("K", { { "found", found } })
    ]])
    assert.is_true(r:scalars()[1].value)
    assert.equal("s.lua:1: kernel.buble: unknown kernel, did you mean 'bubble'?",
      (refused("kernel.buble {}")))
  end)

  it("looks at a device of experts before it reckons with its rates", function()
    local function call(rate)
      return ([[kernel.moe { experts = 8, ffn = 14336, hidden = 4096, tokens = 64, topk = 2, weights = "fp8",
        device = { bf16_flop_s = 1e14, fp32_flop_s = %s, mem_bw_bytes_s = 1e12, memory_bytes = 8e10 } }]]):format(rate)
    end
    assert.matches("device%.fp32_flop_s: must be a number in FLOP/s", (refused(call("'x'"))))
    for _, rate in ipairs({ 0, 1 }) do -- not known, and so small that no kernel was timed with it
      assert.is_true(run("facts('K', { { 's', " .. call(rate) .. ".time_s } })"):scalars()[1].value > 0)
    end
  end)

  it("run experts by the fitted curve of a device of the catalog, unless they are given one", function()
    local r = run([[
      local function moe(more)
        more.device, more.tokens, more.experts, more.topk = device "H100", 4096, 128, 8
        more.hidden, more.ffn = 4096, 1536
        return kernel.moe(more)
      end
      local own, block, given = moe {}, moe { weights = "fp8_block" }, moe { curve = { t0_s = 1 } }
      facts("K", { { "own", own.curve_from }, { "block", block.curve_from }, { "s", own.time_s },
        { "given_s", given.time_s }, { "given", given.curve_from == nil } })
    ]]):scalars()
    local curves = require("ballpark.catalog.serving_curves").get(require("ballpark.catalog").device("H100"))
    assert.equal("H100-SXM-80GB moe16", r[1].value)
    assert.equal("H100-SXM-80GB moe8_block", r[2].value)
    assert.near(require("ballpark.core").moe({ device = require("ballpark.catalog").device("H100"), tokens = 4096,
      experts = 128, topk = 8, hidden = 4096, ffn = 1536, curve = curves.moe16 }).time_s, r[3].value, 1e-15)
    assert.is_true(r[4].value > 1)
    assert.is_true(r[5].value)
  end)

  it("makes grids", function()
    local r = run([[show(sweep { axes = { b = { 1, 2 }, a = { 10, 20 } },
      run = function(p) return { c = p.a * p.b } end })]])
    assert.same({ { 10, 1, 10 }, { 10, 2, 20 }, { 20, 1, 20 }, { 20, 2, 40 } }, r:pick().rows)
  end)

  it("checks what it expects", function()
    local r = run([[
      expect("equal", 1.0005, { equals = 1, rel = 0.001 })
      expect("off", 1.002, { equals = 1, rel = 0.001 })
      expect("exact", 3, { equals = 3 })
      expect("text", "a", { equals = "b" })
      expect("between", 5, { least = 4, most = 5 })
      expect("below", 3, { least = 4 })
      expect("above", 6, { most = 5 })
    ]])
    local outcome = {}
    for i, e in ipairs(r.expectations) do outcome[i] = e.ok end
    assert.same({ true, false, true, false, true, false, false }, outcome)
    assert.equal(4, r:failed())
    assert.matches("checks nothing", (refused([[expect("x", 1, {})]])))
    assert.matches("unknown check, did you mean 'equals'", (refused([[expect("x", 1, { equal = 1 })]])))
    assert.matches("needs a number to compare, got nil", (refused([[expect("x", nil, { least = 1 })]])))
    assert.matches("got nil", (refused([[local t = {} expect("x", t.field, { least = 1 })]])))
    local held = "local a = { memory = { total_bytes = 3, fits = true } }\n"
    for _, call in ipairs({ [[expect("x", a.memory.totl_bytes, { most = 1 })]],
      [[expect("x (a, b)", a.memory.totl_bytes, { equals = 1 })]], [[expect("y",
        a.memory.totl_bytes, { most = 1 })]] }) do
      assert.matches("^s.lua:%d: expect '.*': a.memory.totl_bytes: unknown field, did you mean 'total_bytes'",
        (refused(held .. call)))
    end
    -- What is like nothing that is there, or no plain field, is nothing to compare.
    assert.matches("needs a number to compare, got nil", (refused(held .. [[expect("x", a.q, { most = 1 })]])))
    assert.matches("needs a number to compare, got nil",
      (refused(held .. [[expect("x", a.memory["totl"], { most = 1 })]])))
  end)

  it("expects no nan, of what is there or is wanted", function()
    for field, call in pairs({ [""] = 'expect("x", 0/0, { least = 1 })', [".least"] = 'expect("x", 1, { least = 0/0 })',
      [".most"] = 'expect("x", 1, { most = 0/0 })', [".equals"] = 'expect("x", 1, { equals = 0/0 })',
      [".rel"] = 'expect("x", 1, { equals = 1, rel = 0/0 })' }) do
      assert.matches("expect 'x'" .. field:gsub("%.", "%%.") .. ": is not a number", (refused(call)))
    end
    -- JSON has no word for what has no end.
    assert.matches("expect 'x'.equals: must be finite, got inf", (refused([[expect("x", 1/0, { equals = 1/0 })]])))
    assert.matches("expect 'x': must be finite, got %-inf", (refused([[expect("x", -1/0, { most = 1 })]])))
  end)

  it("shows expected values in the unit of what was shown, or of what was said", function()
    local text = require("ballpark.report.text")
    local r = run([[
      facts("F", { { "run_s", 1754784.5, "s" }, { "two_s", 2, "s" }, { "kept_bytes", 51539607552, "B" } })
      expect("days", 1754784.5, { most = days(10) })
      expect("bytes", 51539607552, { most = GiB(3) })
      expect("small", 2, { most = 1 })
      expect("said", 0.25, { most = 0.1, unit = "frac" })
      expect("close", 1754784.5, { equals = 1754784.6 })
    ]])
    local said = {}
    for i, e in ipairs(r.expectations) do said[i] = text.expectation(e) end
    assert.same({ "days: 20.3 days, at most 10 days", "bytes: 48 GiB, at most 3 GiB",
      "small: 2, at most 1", "said: 25 %, at most 10 %", "close: 1754784.5, expected 1754784.6" }, said)
    assert.matches("unit: ", (refused([[expect("x", 1, { most = 1, unit = 3 })]])))
  end)

  it("reads models beside itself", function()
    files.write(folder, "config.json", json.encode({ model_type = "llama", num_hidden_layers = 2,
      hidden_size = 64, num_attention_heads = 4, intermediate_size = 128, vocab_size = 100 }))
    local _, state = run([[
      local c = cluster { device = "H100", devices = 1 }
      estimate { model = hf "config.json", cluster = c, job = { global_batch = 1, seq_len = 16 } }
    ]])
    assert.equal(2, state.answers[1].input.model.layers)
    local line, e = refused([[hf "nothing.json"]])
    assert.equal(3, e.code)
    assert.matches("^s%.lua:1: ", line)
  end)

  it("shows and emits answers only as they were given", function()
    local asked = TINY .. "local a = estimate { model = m, cluster = c, job = job, plan = { tp = 2 } }\n"
    for _, field in ipairs({ "step_s", "kind", "input", "plan", "time", "memory", "range", "assumed", "fits" }) do
      for _, value in ipairs({ "5", "'x'", "nil", "{}", "0 / 0", "{ 5 }" }) do
        if not (field == "step_s" and value == "nil") then
          local changed = ("%sa.%s = %s\n"):format(asked, field, value)
          assert.matches("changed since %(" .. field, refused(changed .. "show(a)"))
          assert.matches("s.lua:6: emit: takes an answer as it was given", refused(changed .. "emit(a, 'megatron')"))
          run(changed .. "facts('F', { { 'x', 1 } })")
        end
      end
    end
    assert.matches("changed since %(input.case, input.model%); show an answer before you change",
      refused(asked .. "m.layers = 'five' show(a)"))
    assert.matches("changed since %(time%)", refused(asked .. "a.time.step_s = 1 show(a)"))
    assert.matches("changed since %(own%)", refused(asked .. "a.own = 1 show(a)"))
    assert.matches("show: takes an answer as it was given",
      refused("local k = kernel.gemm { device = 'H100', dtype = 'bf16', m = 8, n = 8, k = 8 } k.time_s = 5 show(k)"))
    -- A report that is shown twice, and one asked before its model changes, are as they were.
    run(asked .. "show(a) show(a) m.layers = 16 show(estimate { model = m, cluster = c, job = job, plan = { tp = 2 } })")
    run(TINY .. "local s = search { model = m, cluster = c, job = job, space = { tp = 2 } } show(s) show(s)")
  end)
end)

describe("a mistake in a scenario", function()
  before_each(function() folder = files.folder() end)
  after_each(function() files.remove(folder) end)

  local cases = {
    { "in the field of a nested plan", TINY .. [[
estimate {
  model = m, cluster = c, job = job,
  plan = {
    pp = 1,
    tp = 3,
  },
}]], "^s%.lua:8: plan%.tp: " },
    { "in a field that nobody knows", "model {\n  layers = 3,\n  layer = 4,\n}",
      "^s%.lua:3: model%.layer: unknown field, did you mean 'layers'%?$" },
    { "in a field that is missing", "\nmodel { layers = 3 }", "^s%.lua:2: model%.hidden: is missing$" },
    { "in a variable that is passed on", TINY .. [[
local p = {
  tp = 5,
}
estimate { model = m, cluster = c, job = job, plan = p }]], "^s%.lua:5: plan%.tp: " },
    { "in a cluster", 'cluster {\n  device = "H101",\n  devices = 8 }',
      "^s%.lua:2: device.*H101.*did you mean 'H100'" },
    { "in a unit", "local x = 1\nlocal y = GiB('80')", "^s%.lua:2: GiB: takes a number, got string$" },
    { "in the name of a unit", "local y = GBs(80)", "^s%.lua:1: GBs: unknown name, did you mean 'GB'%?$" },
    { "in an input that nobody knows", TINY .. "\nestimate { model = m, cluster = c, jop = job }",
      "jop: unknown input, did you mean 'job'" },
    { "in the type of an input", TINY .. "estimate { model = m, cluster = c, job = 5 }",
      "^s%.lua:4: job: must be a table, got 5$" },
    { "in plain Lua", "local t\nlocal x = t.y", "^s%.lua:2: attempt to index a nil value %(local 't'%)$" },
    { "raised by itself", "\nerror('own words')", "^s%.lua:2: own words$" },
    { "in a value that is not a number", "facts('F', { { 'x', 0 / 0 } })",
      "^s%.lua:1: facts%.x: is %-?nan, not a number" },
    { "that is a table", "error({})", "^s%.lua:1: raised a table value$" },
    { "that plain Lua reports without a place", "table.sort({ 3, 1, 'x' })",
      "^s%.lua:1: attempt to compare" },
    { "in words that are none", "title {}", "^s%.lua:1: title: takes text, got table$" },
    { "in what is shown", "show { kind = 'estimate' }", "^s%.lua:1: show: takes what ask, batch_job, budget" },
    { "in a column", "rows { columns = { 5 } }", "^s%.lua:1: table%.table%.columns%[1%]: must be {name" },
    { "in a row", "rows { columns = { 'a' }, 5 }", "^s%.lua:1: table%.table%[1%]: must be a list of values" },
    { "in a cell too many", "rows { columns = { 'a' }, { 1 }, { 1, 2 } }", "^s%.lua:1: rows%[2%]: has 2 cells, of 1 column$" },
    { "in a cell of no column", "rows { columns = { 'step' }, { stepp = 1 } }", "^s%.lua:1: rows%[1%]%.stepp: unknown column, did you mean 'step'" },
    { "in a unit of a fact", "facts('F', { { 'x', 1, 5 } })", "^s%.lua:1: facts%.f%[1%]%.unit: must be text" },
    { "in a bound", "expect('x', 1, { least = 'a' })", "%.least: must be a number, got string$" },
    { "in a price", "price(5)", "^s%.lua:1: price: takes the name of a device, got number$" },
    { "in a provider", "price('H100', 3)", "^s%.lua:1: price: takes the name of a provider behind the device, got number$" },
    { "in a provider", "price('H100', { 'AWS' })", "takes the name of a provider behind the device, got table$" },
    { "in goodput", TINY .. "estimate { model = m, cluster = c, job = job, plan = { tp = 2 }, goodput = 'x' }",
      "goodput: must be a number or a table, got x" },
    { "inside a function", "local function f()\n  return model { layers = 0, hidden = 1, heads = 1 }\nend\nf()",
      "^s%.lua:2: model%.layers: must be" },
  }
  for _, case in ipairs(cases) do
    it(case[1] .. " is reported where it is", function()
      local line, e = refused(case[2])
      assert.matches(case[3], line)
      assert.equal(2, e.code)
      assert.not_matches("\n", line)
    end)
  end

  it("of syntax is one line", function()
    local line, e = refused("local x = = 3")
    assert.matches("^s%.lua:1: unexpected symbol near '='$", line)
    assert.equal(2, e.code)
  end)

  it("may come after a first line for the shell", function()
    assert.matches("^s%.lua:2: GiB", (refused("#!/usr/bin/env -S ballpark run\nGiB()")))
  end)

  it("of a missing file is an input/output error", function()
    local _, e = errors.catch(scenario.load, folder .. "/none.lua")
    assert.equal(3, e.code)
  end)

  it("in binary chunks is refused", function()
    local _, e = errors.catch(run, string.dump(function() end))
    assert.equal(2, e.code)
  end)
end)

describe("the order of a table", function()
  before_each(function() folder = files.folder() end)
  after_each(function() files.remove(folder) end)

  it("is numbers, names, and at most one key that has no place among them", function()
    local r = run([[local order = ""
      for _, value in pairs { b = 2, a = 1, 0, [{}] = 3, [true] = "t" } do order = order .. value end
      facts("K", { { "order", order } })]])
    assert.equal("012t3", r:scalars()[1].value)
  end)

  it("is refused where it would differ from run to run", function()
    for _, keys in ipairs({ "[{}] = 1, [{}] = 2", "[print] = 1, [{}] = 2", "[function() end] = 1, [show] = 2, a = 3, 4" }) do
      assert.matches("^s%.lua:1: pairs: goes through no two keys that are tables or functions",
        (refused(("for key in pairs { %s } do print(key) end"):format(keys))))
      assert.matches("^s%.lua:1: next: goes through no two keys", (refused(("local key = next { %s }"):format(keys))))
    end
  end)
end)

describe("what a scenario cannot reach", function()
  before_each(function() folder = files.folder() end)
  after_each(function() files.remove(folder) end)

  for _, name in ipairs({ "io", "os", "load", "loadfile", "dofile", "require", "package", "debug", "_G",
    "setmetatable", "getmetatable", "collectgarbage" }) do
    it(name, function()
      assert.matches("^s%.lua:1: " .. name .. ": unknown name", (refused("local x = " .. name)))
    end)
  end

  it("string.dump, and the program's own libraries", function()
    assert.matches("dump", (refused("string.dump(print)")))
    run("string.format = nil math.floor = nil")
    assert.is_function(string.format)
    assert.is_function(math.floor)
  end)
end)

describe("overrides", function()
  before_each(function() folder = files.folder() end)
  after_each(function() files.remove(folder) end)

  local SCENARIO = TINY .. [[
    local tp = param("tp", 2, "ranks")
    local word = param("word", "a,b")
    facts("P", { { "tp_given", tp }, { "word", word } })
    show(estimate { model = m, cluster = c, job = job, plan = { tp = tp } })
  ]]

  local function scalars(definitions)
    local map = {}
    for _, fact in ipairs(run(SCENARIO, definitions):scalars()) do map[fact.name] = fact.value end
    return map
  end

  it("reach parameters, inputs and whole groups", function()
    assert.equal(4, scalars({ "tp=4" }).tp)
    assert.equal(8, scalars({ "plan.tp=8" }).tp)
    assert.equal(128 * 4096, scalars({ "job.global_batch=128" }).step_tok)
    assert.equal(16, scalars({ "cluster.devices=16" }).devices)
    assert.equal(32, scalars({ "cluster.nodes=4" }).devices)
    assert.equal("x,y", scalars({ "word=x,y" }).word)
    local both = scalars({ "plan=tp=4,recompute=full" })
    assert.equal(4, both.tp)
    assert.equal("full", both.recompute)
    assert.equal(2 * 1073741824 * 48, scalars({ "device.memory_bytes=GiB(96)" }).capacity_bytes)
    assert.equal(16, scalars({ "model.layers=16" }).total_params < scalars({}).total_params and 16)
  end)

  it("win over each other in order", function()
    assert.equal(1, scalars({ "tp=4", "tp=1" }).tp)
  end)

  local function message(definitions) return (refused(SCENARIO, definitions)) end

  it("that nothing uses are named with the nearest", function()
    assert.matches("^%-D tq=4: nothing in s%.lua uses 'tq', did you mean 'tp'%?$", message({ "tq=4" }))
    assert.matches("^%-D modle%.layers=4: .*did you mean 'model%.layers'%?$", message({ "modle.layers=4" }))
  end)

  it("are blamed for their own mistakes", function()
    assert.matches("^%-D plan%.tp=3: plan%.tp: ", message({ "plan.tp=3" }))
    assert.matches("^%-D plan%.tpp=4: plan%.tpp: unknown field", message({ "plan.tpp=4" }))
    assert.matches("%-D tp=x: must be a number", message({ "tp=x" }))
  end)

  it("have to be key=value", function()
    assert.equal("-D tp: expected key=value", errors.catch(overrides.parse, { "tp" }))
    assert.equal("-D plan=tp=1,x: expected field=value, got 'x'", errors.catch(overrides.parse, { "plan=tp=1,x" }))
  end)

  it("read numbers, truth, units and lists", function()
    assert.same({ 8, 0.5, true, false, "abc", 1073741824 }, {
      overrides.value("8"), overrides.value("0.5"), overrides.value("true"), overrides.value("false"),
      overrides.value("abc"), overrides.value("GiB(1)").value })
    assert.same({ 1, 2, "x" }, overrides.value("1,2,x"))
    assert.equal("os.exit(1)", overrides.value("os.exit(1)"))
  end)
end)

describe("locate.line", function()
  local source = table.concat({
    "local a = { tp = 1 } -- tp = 9", -- 1
    "estimate {", -- 2
    "  note = 'plan = { tp = 5 }', --[[ tp = 7", -- 3
    "  ]] plan = {", -- 4
    "    inner = { tp = 2 },", -- 5
    "    tp = 3, [1] = [==[", -- 6
    "    pp = 4", -- 7
    "    ]==], pp = 5,", -- 8
    "  },", -- 9
    "}", -- 10
  }, "\n")

  it("looks past comments, text and inner tables", function()
    assert.equal(6, locate.line(source, 2, "plan.tp"))
    assert.equal(8, locate.line(source, 2, "plan.pp"))
    assert.equal(4, locate.line(source, 2, "plan"))
  end)

  it("falls back to the nearest thing it finds", function()
    assert.equal(4, locate.line(source, 2, "plan.zz"))
    assert.equal(2, locate.line(source, 2, "nothing.at.all"))
    assert.equal(2, locate.line(source, 2, nil))
    assert.equal(99, locate.line(source, 99, "plan.zz"))
  end)

  it("finds the only place where a field is written when the call is gone", function()
    assert.equal(6, locate.line(source, 99, "plan.tp"))
    assert.equal(99, locate.line(source .. "\nx { plan = { tp = 1 } }", 99, "plan.tp"))
  end)
end)

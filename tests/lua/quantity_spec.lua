-- Quantities: their algebra by hand, what becomes of them at an input, and numbers that cannot be meant.
local dimensions = require("ballpark.dimensions")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local overrides = require("ballpark.scenario.overrides")
local plain = require("ballpark.scenario.plain")
local quantity = require("ballpark.quantity")
local scenario = require("ballpark.scenario")
local uncertain = require("ballpark.uncertain")

local q = quantity.scope

local function refused(fn, ...) return (errors.catch(fn, ...)) end

describe("a dimension", function()
  it("is read from a unit, and one table for all its uses", function()
    local rate, factor = dimensions.of("B/s")
    assert.equal(rate, dimensions.over(dimensions.of("B"), dimensions.of("s")))
    assert.equal(1, factor)
    assert.equal(3600, 1 / select(2, dimensions.of("USD/h")))
    assert.equal(0.125, select(2, dimensions.of("bit")))
    assert.is_nil((dimensions.of("furlong")))
  end)

  it("cancels", function()
    assert.equal(dimensions.none, dimensions.over(dimensions.of("s"), dimensions.of("s")))
    assert.equal(dimensions.of("W"), dimensions.over(dimensions.of("J"), dimensions.of("s")))
    assert.equal(dimensions.of("FLOP/s/W"), dimensions.over(dimensions.of("FLOP"), dimensions.of("J")))
  end)

  it("has words and a unit", function()
    assert.equal("bytes per second", dimensions.words(dimensions.of("B/s")))
    assert.equal("watts", dimensions.words(dimensions.of("W")))
    assert.equal("a count per second", dimensions.words(dimensions.of("1/s")))
    assert.equal("a count", dimensions.words(dimensions.none))
    assert.equal("tok/s", dimensions.unit(dimensions.of("tok/s")))
    assert.equal("1/s", dimensions.unit(dimensions.of("1/s")))
  end)

  it("of things suits a count of them, and no other", function()
    local function fits(given, wanted) return dimensions.fits(dimensions.of(given), dimensions.of(wanted)) end
    assert.is_true(fits("req/s", "1/s"))
    assert.is_true(fits("device", ""))
    assert.is_true(fits("s", "device s"))
    assert.is_false(fits("device s", "s"))
    assert.is_false(fits("tok", ""))
    assert.is_false(fits("req", "tok"))
  end)

  it("of every field of every kernel is known", function()
    local core = require("ballpark.core")
    local function walk(schema)
      for _, field in ipairs(schema.fields) do
        if field.kind == "struct" then walk(field.schema) end
        if field.kind == "num" or field.kind == "int" then
          assert.is_not_nil(dimensions.of(field.unit), field.name .. " in '" .. field.unit .. "'")
        end
      end
    end
    for _, kernel in ipairs(core.kernels()) do
      walk(kernel.input)
      walk(kernel.output)
    end
  end)
end)

describe("a quantity", function()
  it("of bytes is whole, and does not wrap where no integer holds it", function()
    local whole = q.GiB(3) - q.GiB(5)
    assert.equal("integer", math.type(whole.value))
    for _, case in ipairs({ { q.PiB(5000) + q.PiB(5000), 10000 * 2.0 ^ 50 }, { q.PB(1) * 10000, 1e19 }, { q.PiB(8192), 2.0 ^ 63 },
      { q.GB(80) * 16384 * 1000000, 80e9 * 16384e6 }, { q.GiB(4) * q.GiB(4), 2.0 ^ 64 }, { q.PiB(-5000) - q.PiB(5000), -10000 * 2.0 ^ 50 } }) do
      assert.near(1, case[1].value / case[2], 1e-15)
    end
  end)

  it("computes in base units, whole bytes as whole numbers", function()
    assert.equal(2 * 1024 ^ 3, q.GiB(2).value)
    assert.equal("integer", math.type((q.GiB(2) + q.MiB(1)).value))
    assert.equal(40e9, (q.GB(80) / q.s(2)).value)
    assert.equal(6 * 3.6e6, (q.kW(3) * q.hours(2)).value)
    assert.equal(9, (q.s(3) ^ 2).value)
    assert.equal(-3, (-q.s(3)).value)
  end)

  it("becomes a number where its dimension cancels", function()
    assert.equal(40, q.GB(80) / q.GB(2))
    assert.equal(5, 5e9 / q.GB(1))
    assert.equal(1e6, q.million(1))
  end)

  it("takes a bare number in its own base unit", function()
    assert.equal(q.s(65), q.minutes(1) + 5)
    assert.is_true(q.GiB(1) > 1e9)
    assert.is_true(1e9 < q.GiB(1))
    assert.is_false(q.GB(1) > q.GiB(1))
  end)

  it("does not add or compare with another dimension", function()
    for _, compute in ipairs({ function(a, b) return a + b end, function(a, b) return a - b end,
      function(a, b) return a < b end }) do
      local ok, text = pcall(compute, q.GiB(2), q.s(1))
      assert.is_false(ok)
      assert.truthy(text:find("bytes (2 GiB) and seconds (1 s)", 1, true), text)
    end
  end)

  it("is scaled by the functions for counts, and by no other unit", function()
    assert.equal(q.USD(2e6), q.million(q.USD(2)))
    assert.equal("GiB: makes bytes of a number, got seconds", refused(q.GiB, q.s(1)))
  end)

  it("passes through the functions of a scenario's libraries", function()
    local m = quantity.math(math)
    assert.equal(q.s(2), m.ceil(q.s(1.2)))
    assert.equal(q.s(5), m.max(q.s(1.2), 5))
    assert.equal(3, m.ceil(2.1))
    assert.equal(q.s(3), m.sqrt(q.s(3) * q.s(3)))
    assert.equal(" 100000000000000000000 3", quantity.format("%22.2d %d", 1e20, 3))
    assert.has_error(function() quantity.format("%d", 1.5) end)
    assert.equal("2147483648 2 GiB 7%", quantity.format("%d %s %d%%", q.GiB(2), q.GiB(2), 7))
    assert.equal("number", quantity.type(q.s(1)))
    assert.equal("table", quantity.type({}))
  end)
end)

describe("where a quantity becomes an input", function()
  it("its number is in the unit of the field", function()
    assert.equal(3.9, plain.number("price", q.USD(7.8) / q.hours(2), "USD/h"))
    assert.equal(50e9, plain.inputs("cluster", { nic_bytes_s = q.Gbit_s(400) }).nic_bytes_s)
    assert.same({ forward_s = { 0.01, 0.02 } }, plain.inputs("", { forward_s = { q.ms(10), q.ms(20) } }))
  end)

  it("a wrong dimension is an error that names both", function()
    assert.equal("job.tokens: takes tokens, got bytes (2 GiB)",
      refused(plain.inputs, "job", { tokens = q.GiB(2) }))
    assert.equal("job.tokens: takes tokens, got seconds (30 days)",
      refused(plain.inputs, "job", { tokens = q.days(30) }))
    assert.equal("job.global_batch: takes a count, got tokens (4,000,000 tok)",
      refused(plain.inputs, "job", { global_batch = q.tokens(4e6) }))
    assert.equal("cluster.price: takes US dollars per hour, got US dollars (3 USD)",
      refused(plain.inputs, "cluster", { price = q.USD(3) }))
  end)

  it("is doubted, not refused, where a bare number went into it", function()
    local warned
    local out = plain.inputs("job", { tokens = 1e5 * q.days(10) }, function(text) warned = text end)
    assert.equal(8.64e10, out.tokens)
    assert.truthy(warned:find("job.tokens takes tokens", 1, true))
  end)

  it("leaves what has none as it is, the same table", function()
    local input = { job = { tokens = 5 }, run = function() end }
    assert.equal(input, plain.inputs("", input))
  end)

  it("are not what has lost its digits, and no tables without an end", function()
    assert.matches("job.tokens: must be 0 or at least 2.23e%-308", refused(plain.inputs, "job", { tokens = 5e-324 }))
    assert.matches("price: must be", refused(plain.inputs, "", { price = -1e-310 }))
    assert.same({ a = 0, b = 1e-300 }, plain.inputs("", { a = 0, b = 1e-300 }))
    local deep = {}
    for _ = 1, 1e5 do deep = { deep } end
    assert.equal("job: has tables in each other, more than 50 deep", refused(plain.inputs, "job", deep))
  end)

  it("are lists in which nothing is missing", function()
    assert.equal("space.tp[2]: is missing, and the list goes on to 3", refused(plain.inputs, "space", { tp = { 1, nil, 4 } }))
    assert.equal("space.tp[1]: is missing, and the list goes on to 2", refused(plain.inputs, "space", { tp = { [2] = 1 } }))
    assert.same({ tp = { 1, 2, name = 3 }, pp = {} }, plain.inputs("space", { tp = { 1, 2, name = 3 }, pp = {} }))
  end)

  it("that are uncertain are whole where the input counts", function()
    local env = uncertain.scope
    local x = env.range(40, 80)
    local function worth(whole) return plain.inputs("", { documents = x }, nil, { whole = whole }).documents end
    assert.near(56.57, worth(nil), 0.01)
    assert.equal(57, worth({ documents = true }))
  end)

  it("are whole where the input counts, however they are written", function()
    local out = plain.inputs("", { documents = 1e6, batch = 2.5, sla_s = 2.0, list = { documents = 3.0 } }, nil,
      { whole = { documents = true, batch = true } })
    assert.equal("integer", math.type(out.documents))
    assert.equal("integer", math.type(out.list.documents))
    assert.equal("float", math.type(out.sla_s))
    assert.equal(2.5, out.batch)
  end)

  it("knows the unit by the lists of fields, then by the name", function()
    assert.equal("B/s", fields.unit("nic_bytes_s"))
    assert.equal("tok", fields.unit("tokens"))
    assert.equal("s", fields.unit("start_s"))
    assert.is_nil(fields.unit("recall"))
  end)
end)

local function env_of(...)
  local state = scenario.state(nil, { overrides = overrides.parse({ ... }) })
  return environment.new(state), state
end

describe("a value of the command line", function()
  it("has units, rates and prices as people write them", function()
    for text, wanted in pairs({ ["1 month"] = env_of().months(1), ["2 weeks"] = env_of().weeks(2), ["30 days"] = env_of().days(30), ["90 sec"] = env_of().s(90),
      ["100/min"] = env_of().per_minute(100), ["5 per second"] = env_of().per_s(5), ["600 rpm"] = env_of().per_minute(600),
      ["$2.5/h"] = env_of().USD_h(2.5), ["2.5 USD per hour"] = env_of().USD_h(2.5), ["$2.5"] = 2.5, ["2.5 USD"] = 2.5 }) do
      assert.equal(wanted, overrides.value(text, "test"), text)
    end
    for _, text in ipairs({ "100/foo", "5 per cent", "$abc" }) do assert.equal(text, overrides.value(text, "test")) end
  end)
end)

describe("a scenario", function()
  it("hands kernels plain numbers", function()
    local env = env_of()
    local rule = env.kernel.ring_rule { bytes = env.GB(140), ranks = 128, bw_bytes_s = env.GB_s(50) }
    assert.near(5.556, rule.time_s, 0.001)
    assert.truthy(refused(env.kernel.ring_rule, { bytes = env.days(1), ranks = 8, bw_bytes_s = env.GB_s(50) })
      :find("takes bytes, got seconds", 1, true))
  end)

  it("has parameters with a unit", function()
    local env = env_of("send_s=ms(3)", "limit=7")
    assert.equal(env.ms(3), env.param("send_s", env.us(200)))
    assert.equal(env.s(7), env.param("limit", env.s(1)))
    env = env_of("send_s=GiB(3)")
    assert.equal("send_s: takes seconds, got bytes (3 GiB)", refused(env.param, "send_s", env.us(200)))
  end)

  it("expects quantities, of one dimension", function()
    local env, state = env_of()
    assert.is_true(env.expect("a", env.GB(3), { equals = env.MB(3000) }))
    assert.is_true(env.expect("b", 3e9, { most = env.GiB(3) }))
    assert.truthy(refused(env.expect, "c", env.GB(3), { most = env.days(1) }):find("takes bytes, got seconds", 1, true))
    assert.equal(0, state.result:failed())
  end)

  it("reports a quantity in its unit", function()
    local env, state = env_of()
    env.facts("t", { { "x", env.GB(80) / env.s(2) } })
    local fact = state.result:scalars()[1]
    assert.equal(40e9, fact.value)
    assert.equal("B/s", fact.unit)
  end)
end)

describe("a number that cannot be meant", function()
  local function asked(changes)
    local env, state = env_of(table.unpack(changes))
    local text = refused(env.estimate, { model = "llama-3.1-8b", cluster = { device = "H100", devices = 64 },
      job = { global_batch = 512, seq_len = 8192 }, plan = { micro_batch = 1 } })
    return text, table.concat(state.result.warnings, "\n")
  end

  it("is an error where only another unit explains it", function()
    assert.truthy(asked({ "cluster.nic_bytes_s=400" }):find("Gbit_s(400) is 50 GB/s", 1, true))
    assert.truthy(asked({ "cluster.nic_bytes_s=GB_s(400)" }):find("a NIC of 400 Gbit/s", 1, true))
  end)

  it("is a warning where it is strange", function()
    local _, sparse = asked({ "device.bf16_flop_s=TFLOP_s(1979)" })
    assert.truthy(sparse:find("twice the dense peak of H100-SXM-80GB", 1, true))
    local _, dear = asked({ "cluster.price=3900" })
    assert.truthy(dear:find("3,900 USD/h is far above", 1, true))
  end)

  it("is neither where a device is only somewhat different", function()
    local text, warnings = asked({ "device.bf16_flop_s=TFLOP_s(1500)", "cluster.price=12", "cluster.nic_bytes_s=Gbit_s(800)" })
    assert.is_nil(text)
    assert.equal("", warnings)
  end)

  it("is an error in the sum", function()
    local env = env_of()
    local text = refused(env.estimate, { model = "llama-3.1-8b", cluster = { device = "H100", devices = 64 },
      job = { global_batch = 512, seq_len = 8192, tokens = 1e18 }, plan = { micro_batch = 1 } })
    assert.truthy(text:find("the run would take", 1, true), text)
  end)
end)

describe("a scenario that mixes units", function()
  local function refused_text(source)
    return errors.catch(scenario.run, scenario.of_text("mixed.lua", source), {})
  end

  it("is told so in one line, as its own mistake", function()
    assert.equal("mixed.lua:1: cannot add bytes (2.79 GiB) and seconds (2 s)", refused_text("local x = GB(3) + s(2)"))
    assert.equal("mixed.lua:1: cannot compare bytes (2.79 GiB) and seconds (2 s)", refused_text("local x = GB(3) < s(2)"))
    for _, sum in ipairs({ "GB(3) // 0", "GB(3) % 0", "1 // GB(0)" }) do
      assert.equal("mixed.lua:1: attempt to divide by zero", refused_text("local x = " .. sum))
    end
    assert.equal("mixed.lua:1: attempt to compute with a string and a quantity", refused_text("local x = GB(3) * 'x'"))
  end)
end)

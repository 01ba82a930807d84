-- Uncertain inputs: distributions and expressions by hand, indices that are known, and what becomes of them in questions.
local core = require("ballpark.core")
local dimensions = require("ballpark.dimensions")
local draws = require("ballpark.uncertain.draws")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local node = require("ballpark.uncertain.node")
local overrides = require("ballpark.scenario.overrides")
local quantity = require("ballpark.quantity")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")
local spread = require("ballpark.uncertain.spread")
local uncertain = require("ballpark.uncertain")
local units = require("ballpark.units")

local u, q = uncertain.scope, quantity.scope
local m = uncertain.math(quantity.math(math))

local function refused(fn, ...) return (errors.catch(fn, ...)) end

local function driver(figure, name)
  for _, item in ipairs(figure.drivers) do
    if item.name == name then return item end
  end
end

local function named(inputs)
  for name, leaf in pairs(inputs) do leaf.name = name end
  return inputs
end

describe("a distribution", function()
  it("of a range has its ends at 10 and 90 of a hundred", function()
    local leaf = u.range(40, 80)
    assert.near(40, spread.quantile(leaf.spread, 0.1), 1e-12)
    assert.near(80, spread.quantile(leaf.spread, 0.9), 1e-12)
    assert.near(math.sqrt(40 * 80), spread.quantile(leaf.spread, 0.5), 1e-12)
    leaf = u.range(-2, 6)
    assert.near(2, spread.quantile(leaf.spread, 0.5), 1e-12)
    assert.near(-2, spread.quantile(leaf.spread, 0.1), 1e-12)
  end)

  it("of a lognormal is a factor to either side", function()
    local s = u.lognormal(10, 2).spread
    local one = core.spread_value(s, 0.8413447460685429)
    assert.near(20, one, 1e-9)
  end)

  it("has the dimension of what it was given", function()
    assert.equal(dimensions.of("s"), u.range(q.days(20), q.days(40)).dimension)
    assert.equal("2 GB/s to 5 GB/s", tostring(q.GB_s(u.range(2, 5))))
    assert.equal("range: takes numbers of one kind, got seconds and bytes", refused(u.range, q.days(1), q.GiB(2)))
  end)

  it("of a mixture has the quantiles of the whole", function()
    local s = u.mixture({ { 1, u.uniform(10, 11) }, { 3, u.uniform(0, 1) } }).spread
    assert.near(2 / 3, spread.quantile(s, 0.5), 0.01)
    assert.near(10.6, spread.quantile(s, 0.9), 0.01)
  end)

  it("that is used again and again is looked at once", function()
    local users, g = uncertain.scope.range(1e6, 2e6), uncertain.scope.range(0.02, 0.05)
    local n = users
    for _ = 1, 200 do n = n + n * g end
    local growth = math.exp((math.log(0.02) + math.log(0.05)) / 2)
    assert.near(1, node.value(n, {}) / (2 ^ 0.5 * 1e6 * (1 + growth) ^ 200), 1e-9)
    assert.is_true(node.is_expression(n))
    assert.matches("goes through more than 10000 steps", errors.catch(function()
      for _ = 1, 10001 do users = users + 1 end
    end))
  end)

  it("computes with numbers and its like, and nothing else", function()
    local scope, library = uncertain.scope, uncertain.math(quantity.math(math))
    local one, GiB, days = scope.range(1, 2), quantity.scope.GiB, quantity.scope.days
    for _, wrong in ipairs({ function() return scope.at_most(-1) end, function() return scope.less({}, one) end,
      function() return library.max(one, {}) end, function() return library.max(one, nil) end,
      function() return library.min(one, "x") end, function() return library.log(one, "x") end, function() return one + {} end }) do
      assert.matches("cannot compute with a %a+ and an uncertain number", errors.catch(wrong))
    end
    for _, wrong in ipairs({ function() return GiB(one) + days(2) end, function() return library.max(GiB(one), days(2)) end,
      function() return scope.choose(scope.less(one, 1.5), GiB(1), days(2)) end }) do
      assert.matches("bytes and seconds", errors.catch(wrong))
    end
    assert.near(math.log(10) / math.log(2 ^ 0.5), node.value(library.log(10, one), {}), 1e-12)
    assert.has_error(function() return library.max(GiB(1), days(2)) end)
    assert.equal(quantity.scope.GiB(2), library.max(GiB(1), GiB(2)))
  end)

  it("that makes no sense is refused", function()
    assert.equal("range: starts above its end: write range(40, 80)", refused(u.range, 80, 40))
    assert.equal("range: both ends are 4: write the number alone", refused(u.range, 4, 4))
    assert.equal("range: takes numbers, got string", refused(u.range, "a", 4))
    assert.equal("lognormal: the median must be above 0, got -3", refused(u.lognormal, -3, 2))
    assert.equal("lognormal: one deviation is a factor above 1, got 0.5", refused(u.lognormal, 3, 0.5))
    assert.equal("normal: the deviation must be above 0, got 0", refused(u.normal, 3, 0))
    assert.equal("triangular: the mode 9 is not between its ends", refused(u.triangular, 1, 9, 4))
    assert.equal("empirical: takes a list of at least two numbers", refused(u.empirical, { 4 }))
    assert.truthy(refused(u.mixture, { { 1, 5 } }):find("mixture[1]: takes what range", 1, true))
    assert.equal("correlated: the correlation is between -1 and 1, got 1.5",
      refused(u.correlated, u.range(1, 2), u.range(1, 2), 1.5))
  end)
end)

describe("an expression", function()
  it("is worth what its parts are", function()
    local x, y = u.uniform(0, 10), u.uniform(0, 10)
    local of = { [x] = 7, [y] = 2 }
    for _, case in ipairs({ { x + y, 9 }, { 1 - x, -6 }, { x * y, 14 }, { x / y, 3.5 }, { x // y, 3 }, { x % y, 1 },
      { x ^ 2, 49 }, { -x, -7 }, { m.ceil(x / y), 4 }, { m.max(x, y, 8), 8 }, { m.min(3, x, y), 2 },
      { m.log(y, 2), 1 }, { m.exp(y - 2), 1 }, { m.sqrt(x + y), 3 }, { u.less(x, y), 0 }, { u.at_most(y, 2), 1 },
      { u.choose(u.less(y, x), 5, x), 5 } }) do
      assert.near(case[2], node.value(case[1], of), 1e-12)
    end
  end)

  it("has the same value on the tape of the core", function()
    local inputs = named({ x = u.range(1, 9), y = u.range(2, 6) })
    local x, y = inputs.x, inputs.y
    local whole = m.max(m.ceil(x * y / 3), x % 2 + y ^ 1.5) - u.choose(u.less(x, y), m.exp(-x), m.sqrt(y)) + m.log(x)
      + m.abs(x - y) + x // 2 + m.min(x, 4)
    local values = core.draw_values({ inputs = { x.spread, y.spread }, samples = 501 })
    local by_hand = {}
    for i = 1, 501 do by_hand[i] = node.value(whole, { [x] = values[1][i], [y] = values[2][i] }) end
    table.sort(by_hand)
    local figure = draws.tape({ f = whole }, { samples = 501, leaves = { x, y } })[1]
    assert.near(by_hand[251], figure.median, 1e-12)
    assert.near(by_hand[51], figure.low, 1e-12)
  end)

  it("knows its dimension", function()
    local rate = q.GB_s(u.range(2, 5))
    assert.equal(dimensions.of("B"), (rate * q.s(3)).dimension)
    assert.equal(dimensions.of("B"), (q.s(3) * rate).dimension)
    assert.equal(dimensions.none, (rate / q.GB_s(1)).dimension)
    assert.is_false((rate * 2).sure)
    assert.is_false((u.range(1, 2) * q.s(1)).sure)
    assert.has_error(function() return rate + q.s(1) end)
  end)

  it("is not to be decided on", function()
    assert.truthy(refused(function() return u.range(1, 2) < 3 end):find("choose(less(a, b), x, y)", 1, true))
  end)
end)

describe("draws", function()
  it("add up normal numbers", function()
    local inputs = named({ a = u.normal(1, 3), b = u.normal(2, 4) })
    local figure = draws.tape({ sum = inputs.a + inputs.b }, { limits = { sum = { most = 3 + 5 * spread.SCORE } } })[1]
    assert.near(3, figure.median, 1e-3)
    assert.near(3 - 5 * spread.SCORE, figure.low, 3e-3)
    assert.near(5, figure.deviation, 2e-3)
    assert.near(0.1, figure.broken, 1e-3)
    assert.near(0.36, driver(figure, "a").first, 0.005)
    assert.near(0.64, driver(figure, "b").total, 0.005)
  end)

  it("hang together as they are told to", function()
    local inputs = named({ a = u.normal(0, 3), b = u.normal(0, 4) })
    u.correlated(inputs.a, inputs.b, -0.5)
    local figure = draws.tape({ sum = inputs.a + inputs.b }, {})[1]
    assert.near(math.sqrt(9 + 16 - 12), figure.deviation, 0.01)
    assert.is_nil(figure.drivers[1].total)
  end)

  it("find the indices of Ishigami's function", function()
    -- sin(x1) + 7 sin(x2)^2 + 0.1 x3^4 sin(x1): 0.3139, 0.4424, 0 alone; 0.5576, 0.4424, 0.2437 with others.
    local inputs = named({ x1 = u.uniform(-math.pi, math.pi), x2 = u.uniform(-math.pi, math.pi),
      x3 = u.uniform(-math.pi, math.pi) })
    local figures = draws.run({ leaves = { inputs.x1, inputs.x2, inputs.x3 }, samples = 2048, indices = "saltelli",
      evaluate = function(of)
        local x1, x2, x3 = of[inputs.x1] or 0, of[inputs.x2] or 0, of[inputs.x3] or 0
        return { y = { value = math.sin(x1) + 7 * math.sin(x2) ^ 2 + 0.1 * x3 ^ 4 * math.sin(x1) } }
      end })
    local known = { x1 = { 0.3139, 0.5576 }, x2 = { 0.4424, 0.4424 }, x3 = { 0, 0.2437 } }
    for name, indices in pairs(known) do
      assert.near(indices[1], driver(figures[1], name).first, 0.01, name)
      assert.near(indices[2], driver(figures[1], name).total, 0.01, name)
    end
  end)

  it("have a figure where it is, unless few do", function()
    local inputs = named({ a = u.uniform(0, 1) })
    local function run(share)
      return draws.run({ leaves = { inputs.a }, samples = 1024, indices = "saltelli", evaluate = function(of)
        local value = of[inputs.a] or 0.5
        return { there = value < share and { value = value } or nil, all = { value = value } }
      end })
    end
    local figures = run(0.8)
    assert.equal("there", figures[2].name)
    assert.near(0.8, figures[2].had_frac, 0.01)
    assert.near(0.4, figures[2].median, 0.01)
    assert.near(0.72, figures[2].high, 0.01)
    assert.near(1, driver(figures[2], "a").total, 0.06)
    assert.near(1 - 0.4, draws.broken(figures[2], { most = 0.4 }), 0.01)
    assert.is_nil(figures[1].had_frac)
    assert.is_nil(run(0.3)[2])
  end)

  it("find indices by a polynomial where draws are few", function()
    local inputs = named({ a = u.normal(1, 3), b = u.normal(2, 4) })
    local function run(samples, f)
      return draws.run({ leaves = { inputs.a, inputs.b }, samples = samples, indices = "fit",
        evaluate = function(of) return { y = { value = f(of[inputs.a] or 1, of[inputs.b] or 2) } } end })[1]
    end
    local figure = run(256, function(a, b) return a + b end)
    for _, kind in ipairs({ "first", "total" }) do
      assert.near(0.36, driver(figure, "a")[kind], 0.01)
      assert.near(0.64, driver(figure, "b")[kind], 0.01)
    end
    -- a b = 2 + 6 z + 4 w + 12 z w with normal scores z and w: of the variance 196 it is 36, 16 and 144 together.
    figure = run(64, function(a, b) return a * b end)
    assert.near(36 / 196, driver(figure, "a").first, 0.06)
    assert.near(16 / 196, driver(figure, "b").first, 0.06)
    assert.near(180 / 196, driver(figure, "a").total, 0.06)
    assert.near(160 / 196, driver(figure, "b").total, 0.06)
    assert.is_true(figure.explained_frac > 0.98)
    -- A wave of many periods is no parabola: nearly nothing is explained, and nothing is said of it.
    figure = run(64, function(a) return math.sin(40 * a) end)
    assert.is_true(figure.explained_frac < 0.3)
    u.correlated(inputs.a, inputs.b, 0.5)
    figure = run(64, function(a, b) return a + b end)
    assert.is_nil(figure.drivers[1].total)
    assert.is_true(driver(figure, "b").first > 0.64)
  end)

  it("have the same bits for any number of threads, and others for another seed", function()
    local x = named({ x = u.range(1, 9), y = u.beta(2, 5) })
    local function run(threads, seed)
      local figure = draws.tape({ f = m.ceil(x.x * 10) / x.y }, { threads = threads, seed = seed })[1]
      return ("%a %a %a %a"):format(figure.low, figure.median, figure.high, figure.drivers[1].total)
    end
    assert.equal(run(1, 1), run(7, 1))
    assert.not_equal(run(1, 1), run(1, 2))
  end)

  it("combine the error of the model with that of the inputs", function()
    local inputs = named({ a = u.range(1, 2) })
    local function run(factor)
      return draws.run({ leaves = { inputs.a }, samples = 256, indices = "saltelli", evaluate = function(of)
        local value = of[inputs.a] or math.sqrt(2)
        return { f = { value = value, low = value / factor, high = value * factor } }
      end })[1]
    end
    -- Both factors are of 80 %; in the logarithm they add as squares.
    local figure = run(1.5)
    assert.near(math.sqrt(math.log(2) ^ 2 + (2 * math.log(1.5)) ^ 2), math.log(figure.high / figure.low), 0.03)
    assert.near(math.log(2), math.log(figure.inputs.high / figure.inputs.low), 0.01)
    assert.near(2 * math.log(1.5), math.log(figure.model.high / figure.model.low), 1e-9)
    assert.equal("model", figure.larger)
    assert.equal("inputs", run(1.1).larger)
  end)

  it("put all of the model's error over each, however few they are", function()
    local inputs = named({ a = u.range(1.3, 3.7), b = u.range(1.9, 2.8), c = u.range(2.2, 2.7) })
    local list = { inputs.a, inputs.b, inputs.c }
    for seed = 1, 12 do
      local figure = draws.run({ leaves = list, samples = 64, seed = seed, indices = "fit", evaluate = function(of)
        local value = 1
        for _, leaf in ipairs(list) do value = value * node.value(leaf, of) end
        return { f = { value = value, low = value / 1.23, high = value * 1.23 } }
      end })[1]
      -- All four are lognormal, so that the squares of their widths add up.
      local squares = (2 * math.log(1.23)) ^ 2
      for _, ends in ipairs({ { 1.3, 3.7 }, { 1.9, 2.8 }, { 2.2, 2.7 } }) do
        squares = squares + math.log(ends[2] / ends[1]) ^ 2
      end
      assert.near(math.sqrt(squares), math.log(figure.high / figure.low), 0.05, seed)
    end
    -- Where the inputs hardly matter it is the model's own range.
    local figure = draws.run({ leaves = { named({ a = u.range(1, 1.000001) }).a }, samples = 64, indices = "fit",
      evaluate = function(of)
        local value = next(of) and select(2, next(of)) or 1
        return { f = { value = value, low = 0.8 * value, high = 1.7 * value } }
      end })[1]
    assert.near(0.8, figure.low, 1e-5)
    assert.near(1.7, figure.high, 1e-5)
  end)

  it("keep the side to which the error of the model reaches further", function()
    local inputs = named({ a = u.range(0.999, 1.001) })
    local figure = draws.run({ leaves = { inputs.a }, samples = 1024, indices = "saltelli", evaluate = function(of)
      local value = of[inputs.a] or 1
      return { f = { value = value, low = 0.95 * value, high = 1.5 * value } }
    end })[1]
    assert.near(0.95, figure.low, 0.005)
    assert.near(1.5, figure.high, 0.02)
    assert.near(0.95, figure.model.low, 2e-3)
    assert.near(1.5, figure.model.high, 2e-3)
  end)

  it("without a value are an error", function()
    local x = u.uniform(-1, 1)
    assert.truthy(refused(draws.tape, { f = m.log(x) }, {}):find("no finite number for some draws", 1, true))
    local a, b, c = u.range(1, 2), u.range(1, 2), u.range(1, 2)
    u.correlated(a, b, 0.9)
    u.correlated(b, c, 0.9)
    u.correlated(a, c, -0.9)
    assert.truthy(refused(draws.tape, { f = a + b + c }, {}):find("contradict each other", 1, true))
  end)
end)

local function env_of(...)
  local state = scenario.state(nil, { overrides = overrides.parse({ ... }) })
  return environment.new(state), state
end

describe("a kernel", function()
  it("of uncertain inputs answers with uncertain numbers, which go on into others", function()
    local env, state = env_of()
    local load = env.kernel.load { average_per_s = env.uniform(10, 20), peak_ratio = 4 }
    assert.is_true(uncertain.is(load.peak_per_s))
    assert.near(60, node.value(load.peak_per_s, {}), 1e-9)
    assert.near(0.75, env.chance(load.peak_per_s, { most = env.per_s(70) }), 0.01)
    local twice = load.peak_per_s * 2
    assert.near(0.5, env.chance(twice, { least = 120 }), 0.01)
    env.facts("t", { { "peak", load.peak_per_s } })
    local fact = state.result:scalars()[1]
    assert.near(60, fact.value, 0.5)
    assert.near(44, fact.range.low, 0.5)
    assert.equal("1/s", fact.unit)
    assert.truthy(refused(env.expect, "x", twice, { most = 5 }):find("holds with a chance only", 1, true))
  end)

  it("of plain ones answers with plain ones", function()
    local env = env_of()
    assert.equal(60, env.kernel.load({ average_per_s = 15, peak_ratio = 4 }).peak_per_s)
  end)

  it("in a function of ranges{} is called for every draw", function()
    local env = env_of()
    local answer = env.ranges { inputs = { rate = env.uniform(10, 20) }, samples = 64, function(x)
      return { peak = env.kernel.load({ average_per_s = x.rate, peak_ratio = 4 }).peak_per_s }
    end }
    assert.near(60, answer.ranges.peak.median, 1)
    assert.is_false(answer.traced)
  end)
end)

describe("ranges{}", function()
  local function gpus(env, inputs, more)
    local spec = { inputs = inputs, function(x) return { gpus = env.math.ceil(x.qps / 10) } end }
    for key, value in pairs(more or {}) do spec[key] = value end
    return env.ranges(spec)
  end

  it("traces a function", function()
    local env = env_of()
    local answer = gpus(env, { qps = env.uniform(0, 90) }, { limits = { gpus = { most = 8 } } })
    assert.is_true(answer.traced)
    assert.equal(131072, answer.samples)
    assert.equal(5, answer.ranges.gpus.median)
    assert.equal(1, answer.ranges.gpus.low)
    assert.near(1 / 9, answer.ranges.gpus.broken, 1e-3)
    assert.equal("qps", answer.ranges.gpus.drivers[1].name)
  end)

  it("calls one that decides, for every draw", function()
    local env = env_of()
    local answer = env.ranges { inputs = { qps = env.uniform(0, 100) }, samples = 512, run = function(x)
      return { gpus = x.qps > 80 and 2 or 1 }
    end, limits = { gpus = { most = 1 } } }
    assert.is_false(answer.traced)
    assert.equal(1024, answer.samples)
    assert.near(0.2, answer.ranges.gpus.broken, 0.01)
  end)

  it("calls one that asks, with numbers", function()
    local env = env_of()
    local answer = env.ranges { inputs = { load = env.uniform(2, 4) }, samples = 16, function(x)
      return env.latency { sla_s = 1, parts = { { name = "all", fixed_s = x.load / 10 } } }
    end }
    assert.near(0.3, answer.ranges.value_s.median, 0.01)
  end)

  it("says what is missing or wrong", function()
    local env = env_of()
    assert.truthy(refused(env.ranges, {}):find("needs inputs and run", 1, true))
    assert.truthy(refused(gpus, env, { qps = 5 }):find("has no uncertain number", 1, true))
    assert.truthy(refused(gpus, env, { qps = env.range(1, 2) }, { limits = { gpu = { most = 1 } } })
      :find("did you mean 'gpus'?", 1, true))
    assert.truthy(refused(gpus, env, { qps = env.range(1, 2) }, { sample = 5 }):find("did you mean 'samples'?", 1, true))
    assert.truthy(refused(function() return env.rnage(1, 2) end):find("did you mean 'range'?", 1, true))
  end)
end)

describe("a question", function()
  local function estimate(env, changes)
    local input = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 64, price = 2 },
      job = { global_batch = 512, seq_len = 8192, tokens = 1e12 }, plan = { micro_batch = 1, zero = 2 } }
    for group, fields in pairs(changes or {}) do
      for field, value in pairs(fields) do input[group][field] = value end
    end
    return env.estimate(input)
  end

  it("with an uncertain price has an uncertain cost, and the same time", function()
    local env = env_of()
    env.draws { samples = 32 }
    local answer = estimate(env, { cluster = { price = env.range(2, 4) } })
    local cost = answer.ranges.cost_usd
    assert.near(2, cost.inputs.high / cost.inputs.low, 0.1)
    assert.near(2, cost.drivers[1].high / cost.drivers[1].low, 1e-6)
    assert.equal("cluster.price", cost.drivers[1].name)
    assert.is_nil(answer.ranges.step_s)
    assert.near(math.sqrt(8), answer.run.usd_h, 1e-9)
  end)

  it("makes anew what was made before it", function()
    local env = env_of()
    env.draws { samples = 8 }
    local device = env.device("H100", { bf16_flop_s = env.TFLOP_s(env.range(700, 989)) })
    local cluster = env.cluster { device = device, devices = 64 }
    local answer = env.estimate { model = "llama-3.1-8b", cluster = cluster, plan = { micro_batch = 1, zero = 2 },
      job = { global_batch = 512, seq_len = 8192 } }
    local step = answer.ranges.step_s
    assert.is_true(step.drivers[1].low > 1.1 * step.drivers[1].high)
  end)

  it("with an uncertain memory has an uncertain chance to fit, in whole bytes", function()
    local env = env_of()
    env.draws { samples = 16 }
    local device = env.device("H100", { memory_bytes = env.GiB(env.range(40, 60)) })
    local answer = env.estimate { model = "llama-3.1-8b", cluster = env.cluster { device = device, devices = 64 },
      plan = { micro_batch = 1, zero = 2 }, job = { global_batch = 512, seq_len = 8192 } }
    assert.equal("integer", math.type(answer.memory.capacity_bytes))
    assert.near(math.sqrt(40 * 60), answer.input.cluster.device.memory_bytes / 2^30, 1e-6)
  end)

  it("takes ranges of the command line where it wants one number", function()
    local env = env_of("cluster.price=2..4", "job.tokens=trillion(1)..trillion(2)")
    env.draws { samples = 8 }
    local drivers = estimate(env).ranges.cost_usd.drivers
    assert.equal(2, #drivers)
    local parameters = env_of("nodes=2..4")
    assert.is_true(uncertain.is(parameters.param("nodes", 3)))
    assert.same({ 2, 3, 4 }, overrides.value("2..4"))
  end)

  it("takes ranges of what it counts", function()
    local env = env_of()
    local load = { concurrency = env.range(10, 31), input_tokens = 500, output_tokens = 100 }
    local cluster = { device = "H100", devices = 1 }
    for name, input in pairs({
      vector_search = { vectors = env.range(5e6, 2.1e7), dim = 128, index = "flat" },
      replica = { model = "llama-3.1-8b", cluster = cluster, load = load },
      serve = { model = "llama-3.1-8b", cluster = cluster, load = load },
    }) do
      assert.is_table(env[name](input).ranges, name)
    end
  end)

  it("checks the dimension", function()
    local env = env_of()
    assert.truthy(refused(estimate, env, { job = { tokens = env.range(env.days(1), env.days(2)) } })
      :find("job.tokens: takes tokens, got seconds", 1, true))
  end)

  it("has the ranges of the draws that can be done", function()
    local env, state = env_of()
    local function asked(gpus, rate)
      return env.serve_search { model = "llama-3.1-8b", devices = "H100", gpus = gpus, load = { rate_per_s = rate or env.range(4, 24),
        input_tokens = env.range(1000, 2000), output_tokens = 300 }, sla = { ttft_s = 1, tpot_s = 0.05 },
        space = { tp = 1, format = "fp8" } }
    end
    local few, many = asked(4), asked(16)
    assert.is_true(few.drawn.fits_share < 1 and few.drawn.fits_share > 0.9)
    for _, name in ipairs({ "cost_usd_h", "devices", "seen_ttft_s", "seen_tpot_s" }) do
      assert.equal(few.drawn.fits_share, few.drawn.ranges[name].had_frac, name)
      assert.is_nil(many.drawn.ranges[name].had_frac, name)
    end
    assert.is_true(few.drawn.ranges.devices.high <= many.drawn.ranges.devices.high)
    -- What cannot be done keeps no limit.
    assert.near(few.drawn.fits_share, env.chance(few, "cost_usd_h", { most = 1e6 }), 1e-12)
    -- An end of an input at which nothing can be done is no bar of a picture.
    local half = asked(4, env.range(10, 40))
    assert.is_true(half.drawn.fits_share > 0.5 and half.drawn.fits_share < 0.9, half.drawn.fits_share)
    -- What a fleet could carry that is none is no peak load.
    assert.equal(half.drawn.fits_share, half.drawn.ranges.rate_per_s.had_frac)
    env.show(half)
    for _, format in ipairs({ "html", "table", "markdown", "csv", "json" }) do
      assert.is_true(#report.render(state.result, format) > 0, format)
    end
  end)

  -- A run of known cost under a budget of range(a, b): the chance that it is paid for is that of the budget beyond it.
  it("that no figure depends on still decides whether it can be done", function()
    local env, state = env_of()
    local function asked(budget)
      return env.finetune { model = "llama-3.2-3b", cluster = { device = "A100", devices = 1, price = 3 }, examples = 5000,
        method = "lora", seq_len = 2048, budget_usd = budget }
    end
    local cost = asked().run.cost_usd
    for _, times in ipairs({ 0.9, 1.1 }) do
      local answer = asked(env.range(cost * times / 2, cost * times * 2))
      assert.is_nil(next(answer.drawn.ranges))
      -- ln of the budget: its middle is ln(times) above the cost, and its 10th and 90th percentiles ln 2 around that.
      local score = math.log(times) / (math.log(2) / 1.2815516)
      local chance = 0.5 * (1 + (score > 0 and 1 or -1) * math.sqrt(1 - math.exp(-2 * score ^ 2 / math.pi)))
      assert.near(chance, answer.drawn.fits_share, 0.02)
      env.show(answer)
      local text = report.render(state.result, "table")
      assert.truthy(text:find("No figure depends on the uncertain inputs, only whether it can be done", 1, true))
      assert.truthy(text:find(units.chance(answer.drawn.fits_share) .. " of the draws of the inputs", 1, true))
      assert.is_nil(text:find("see Ranges", 1, true))
      assert.truthy(report.render(state.result, "json"):find('"feasible_share":', 1, true))
    end
  end)

  it("of a search that no figure depends on says so in its head", function()
    local env, state = env_of()
    env.draws { samples = 16 }
    local answer = env.search { model = "llama-3.1-8b", cluster = { device = "H100", devices = 16 },
      job = { global_batch = 128, seq_len = 4096, tokens = 1e11 }, space = { tp = 1, pp = 1, zero = 3 },
      deadline_s = env.range(env.days(4), env.days(9)) }
    assert.is_true(answer.drawn.fits_share > 0.2 and answer.drawn.fits_share < 0.6, answer.drawn.fits_share)
    env.show(answer)
    local text = report.render(state.result, "table"):gsub("%s+", " ")
    assert.is_nil(text:find("see Ranges", 1, true))
    assert.truthy(text:find("; can be done in " .. units.chance(answer.drawn.fits_share), 1, true))
  end)

  it("that searches says how often each plan wins", function()
    local env = env_of()
    env.draws { samples = 8 }
    local answer = env.search { model = "llama-3.1-8b", job = { global_batch = 128, seq_len = 8192 },
      cluster = { device = "H100", devices = 16, nic_bytes_s = env.Gbit_s(env.range(50, 400)) } }
    local all = 0
    for _, winner in ipairs(answer.winners) do all = all + winner.share end
    assert.near(1, all, 1e-12)
    assert.equal(1, answer.drawn.fits_share)
  end)

  it("that goes up and down in steps has a range that holds what it answers", function()
    -- The fewest nodes that keep the wait: at the medians they do so just, in most draws there is more room.
    local env = env_of()
    local answer = env.platform { classes = { { name = "a", per_day = env.range(47.66, 112.9),
      duration = env.hours(env.range(6.327, 18.39)) } }, wait_target_s = 4041, simulation = { jobs = 3000 } }
    local range = answer.ranges.wait_s
    assert.is_true(range.low <= answer.seen.wait.mean_s and answer.seen.wait.mean_s <= range.high)
    assert.is_true(range.inputs.low <= answer.seen.wait.mean_s and answer.seen.wait.mean_s <= range.inputs.high)
  end)

  it("gives the chance of keeping a limit", function()
    local env, state = env_of()
    env.draws { samples = 32 }
    local answer = estimate(env, { cluster = { price = env.range(2, 4) } })
    local cost = answer.ranges.cost_usd
    assert.near(0.9, env.chance(answer, "cost_usd", { most = cost.high }), 0.02)
    assert.equal(1, env.chance(answer, "cost_usd", { least = env.USD(1) }))
    assert.truthy(refused(env.chance, answer, "cost_us", { most = 1 }):find("did you mean 'cost_usd'?", 1, true))
    assert.truthy(refused(env.chance, answer, "cost_usd", { most = env.days(1) }):find("takes US dollars", 1, true))
    env.show(answer)
    assert.equal(cost.high, state.result.ranges.cost_usd.high)
  end)

  it("leaves out draws that are refused, and refuses where all are", function()
    local env, state = env_of()
    env.draws { samples = 64 }
    -- A tenth is below 2 - 1.2816 * 1.5604 = 0.
    local answer = estimate(env, { cluster = { price = env.normal(2, 1.5604) } })
    assert.near(0.1, answer.drawn.refused.share, 0.02)
    assert.near(0.9, answer.drawn.fits_share, 0.02)
    assert.near(1 - answer.drawn.refused.share, answer.drawn.ranges.cost_usd.had_frac, 0.02)
    env.show(answer)
    local text = report.render(state.result, "table"):gsub("%s+", " ")
    assert.truthy(text:find("are refused, and so cannot be done, such as a draw with cluster.price = -", 1, true), text)
    local price = env.range(1, 4)
    local only_median = env.choose(env.less(env.math.abs(price - 2), 1e-9), 2, -1)
    text = refused(estimate, env, { cluster = { price = only_median } })
    assert.truthy(text:find("a draw with cluster.price = ", 1, true), text)
  end)

  -- A draw beyond what an input may be is at its end, where both ends of what was said may be: no draw of 0.8 to 0.95 is above 1.
  it("keeps draws inside of the limits of their inputs", function()
    local env = env_of()
    local seen = {}
    local function asked(share)
      return env.fit { model = "llama-3.1-8b", on = "H100", memory_frac = share }
    end
    local inside = asked(env.range(0.8, 0.95)).drawn
    assert.is_nil(inside.refused)
    assert.is_nil(inside.ranges.kv_tokens.had_frac)
    assert.equal(asked(1).rows[1].kv_tokens, math.max(table.unpack(inside.ranges.kv_tokens.values)))
    -- 0.8 to 1.25 is no share: its draws above 1 are refused, half of them.
    assert.near(0.5, asked(env.range(0.8, 1.2499)).drawn.refused.share, 0.02)
    for _, ends in ipairs({ { 0, 0.1 }, { 0.5, 0.9 } }) do
      seen[#seen + 1] = env.finetune { model = "llama-3.2-3b", cluster = { device = "A100", devices = 1 }, examples = 500, seq_len = 512,
        method = "lora", plan = { lora_dropout = env.range(ends[1], ends[2]) } }.drawn.refused or false
      seen[#seen + 1] = env.finetune { model = "llama-3.2-3b", cluster = { device = "A100", devices = 1 }, examples = 500, seq_len = 512,
        method = "lora", evaluation = env.range(100 * ends[1], 100 * ends[2]) }.drawn.refused or false
    end
    assert.same({ false, false, false, false }, seen)
    -- A prompt has the room of a context that is said elsewhere: draws beyond it are refused.
    local on = env.local_inference { model = "llama-3.1-8b", device = "RTX 4090", context_tok = 8192, prompt_tok = env.range(1000, 8000) }
    local score = math.log(8192 / math.sqrt(8e6)) / (math.log(8) / (2 * 1.2815516))
    assert.near(0.5 * (1 - math.sqrt(1 - math.exp(-2 * score ^ 2 / math.pi))), on.drawn.refused.share, 0.02)
  end)
end)

-- Ranges: the type and the law, those of steps and memory, what widens them, and what is extrapolated.
local fields = require("ballpark.fields")
local features = require("ballpark.range.features")
local extrapolated = require("ballpark.range.extrapolated")
local law = require("ballpark.range.law")
local learn = require("ballpark.range.learn")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")
local estimating = require("ballpark.questions.estimate.run")
local range = require("ballpark.range")
local ranges = require("ballpark.range.training")
local sources = require("ballpark.range.sources")
local catalog = require("ballpark.catalog")

local function about(changes)
  local device = catalog.device("H100")
  local it = { class = "megatron", known = true, open = {}, input = {
    model = { layers = 16, hidden = 2048, heads = 16, ffn_hidden = 8192, vocab = 51200 },
    device = device, network = catalog.cluster({ device = device, devices = 8 }).network,
    plan = { tp = 2 }, job = { global_batch = 32, seq_len = 2048 }, profile = profiles.get("megatron") } }
  for key, value in pairs(changes or {}) do
    if it.input[key] ~= nil then it.input[key] = value else it[key] = value end
  end
  return it
end

local function half(it) return (ranges.half(it)) end

local function reasons(it) return select(2, ranges.time(it)) end

-- Residuals of two kinds of run, one three times as far off; a fixed sequence in place of chance.
local function samples(families)
  local list, seed = {}, 1
  for family = 1, families do
    for _ = 1, 20 do
      seed = (seed * 48271) % 2147483647
      local u = seed / 2147483647
      local wide = seed % 2
      list[#list + 1] = { family = "f" .. family, residual = (u - 0.5) * (wide == 1 and 0.6 or 0.2),
        features = { wide } }
    end
  end
  return list
end

describe("a range", function()
  it("of a product is as many times as wide, that of a rate turned round", function()
    local time = range.new(2, 1, 8, { "left open: vpp" })
    assert.same({ value = 6, low = 3, high = 24, why = { "left open: vpp" } }, range.times(time, 3))
    assert.same({ value = 4, low = 1, high = 8, why = { "left open: vpp" } }, range.under(time, 8))
  end)

  it("holds its ends and what is between", function()
    local time = range.new(2, 1, 8)
    for value, inside in pairs({ [0.9] = false, [1] = true, [3] = true, [8] = true, [8.1] = false }) do
      assert.equal(inside, range.holds(time, value))
    end
  end)

  it("says which of its reasons are extrapolations", function()
    local time = range.new(1, 1, 1, { "left open: zero", range.beyond("no measured run on X") })
    assert.same({ "no measured run on X" }, range.extrapolated(time))
    assert.same({}, range.extrapolated(range.new(1, 1, 1)))
  end)

  it("has half^2 = law^2 + the squares of other widths, on each side, and says what they are", function()
    local around = law.factor({ 0.3, 0.6 }, { { 0.4, 0, why = "left open: zero" }, { 0, 0.8 } }, { "extrapolated: x" })
    assert.near(0.5, -math.log(around.low), 1e-12)
    assert.near(1, math.log(around.high), 1e-12)
    assert.equal(1, around.value)
    assert.same({ "extrapolated: x", "left open: zero" }, around.why)
  end)
end)

describe("the law of ranges", function()
  it("holds for four in five, and is wider where errors are", function()
    local fitted = learn.law(samples(30))
    local inside, count = 0, 0
    for _, sample in ipairs(samples(30)) do
      count = count + 1
      if math.abs(sample.residual) <= learn.half(fitted, sample.features) then inside = inside + 1 end
    end
    assert.is_true(inside / count >= 0.8 and inside / count < 0.9)
    local ratio = learn.half(fitted, { 1 }) / learn.half(fitted, { 0 })
    assert.is_true(ratio > 2 and ratio < 4)
  end)

  it("adds what the fit of the coefficients left open as an independent part", function()
    local fitted = { level = math.log(0.3), slopes = { 1 }, width = 2 }
    assert.near(0.6, learn.half(fitted, { 0 }), 1e-12)
    assert.near(0.6 * math.exp(0.5), learn.half(fitted, { 0.5 }, 0), 1e-12)
    -- The geometric mean of a normal |z| is exp(-(0.5772 + 0.6931) / 2) = 0.5298: 3-4-5.
    assert.near(1, learn.half(fitted, { 0 }, 0.4 / 0.5298), 1e-12)
    assert.near(2, learn.half(fitted, { 0 }, 1e6) / (1e6 * 0.5298), 1e-9)
  end)

  it("takes errors that coefficients explain for nothing of the features", function()
    local list = samples(30)
    for _, sample in ipairs(list) do
      sample.unlearned = sample.features[1] == 1 and 0.3 or 0
    end
    local fitted, plain = learn.law(list), learn.law(samples(30))
    assert.is_true(fitted.slopes[1] < 0.5 * plain.slopes[1])
    assert.is_true(learn.half(fitted, { 0 }, 0.3) > 2 * learn.half(fitted, { 0 }))
  end)

  it("is none for too few families", function()
    assert.is_nil(learn.law({}))
    assert.is_nil(learn.law(samples(3)))
  end)

  it("says how much wider other samples need it", function()
    local fitted, worse = learn.law(samples(30)), samples(30)
    for _, sample in ipairs(worse) do sample.residual = 2 * sample.residual end
    assert.is_true(math.abs(learn.widening(fitted, worse) - 2) < 1e-9)
    local as_good, power = learn.times(fitted, samples(30), learn.FAMILIES_AND_ROWS), learn.FAMILIES_AND_ROWS
    assert.near(2 * as_good, learn.times(fitted, worse, power), 1e-9)
  end)
end)

describe("what sources differ by", function()
  -- Ten residuals of a family around its median.
  local function family(name, cell, median)
    local list = {}
    for i = 1, 10 do
      list[i] = { family = name, cell = cell, residual = median + (i - 5.5) / 100, features = { 0 } }
    end
    return list
  end
  local function of(...)
    local list = {}
    for _, part in ipairs({ ... }) do table.move(part, 1, #part, #list + 1, list) end
    return list
  end

  it("is the square of their medians, held to that of all cells", function()
    local sums, effects = sources.learn(of(family("a", "one", 0.3), family("b", "one", 0.1), family("c", "two", -0.2)))
    -- Squares 0.09, 0.01 and 0.04: 0.14 / 3 of all, (0.1 + 3 * 0.14 / 3) / (2 + 3) of the first cell, for one more of it.
    assert.near(1.2816 * math.sqrt(0.048 * (1 + 1 / 2)), sources.half(sums, "one"), 1e-9)
    assert.near(1.2816 * math.sqrt(0.045 * (1 + 1 / 1)), sources.half(sums, "two"), 1e-9)
    -- A cell of nobody counts as half a source.
    assert.near(1.2816 * math.sqrt(0.14 / 3 * 3), sources.half(sums, "three"), 1e-9)
    -- Without its own family the second cell has nobody: 0.1 / 2 is left of all.
    assert.near(1.2816 * math.sqrt(0.05 * 3), sources.half(sums, "two", effects.two.c), 1e-9)
    assert.same({ 2, 1, 0 }, { sources.count(sums, "one"), sources.count(sums, "two"), sources.count(sums, "three") })
    assert.near(0.3, effects.one.a.effect, 1e-12)
  end)

  it("is nothing without cells, and less of few rows", function()
    assert.is_nil((sources.learn(samples(5))))
    assert.equal(0, sources.half(nil, "one"))
    local _, effects = sources.learn({ { family = "a", cell = "one", residual = 0.2 } })
    assert.same({ weight = 0.1, effect = 0.2 }, effects.one.a)
  end)

  it("widens the law, and makes it hold for sources that are off together", function()
    local list = {}
    for i = 1, 20 do table.move(family("f" .. i, "one", i % 2 == 0 and 0.5 or -0.5), 1, 10, #list + 1, list) end
    local fitted = learn.law(list)
    assert.is_true(learn.half(fitted, { 0 }, 0, "one") > 1.2816 * 0.5)
    assert.is_true(learn.half(fitted, { 0 }, 0, "nobody's") > learn.half(fitted, { 0 }, 0, "one"))
  end)

  it("is told where one source or none has published such runs", function()
    local seen = about()
    assert.is_nil(ranges.few_sources(seen))
    local alone = about({ device = catalog.device("MI355X") })
    assert.equal("one source alone has published runs of megatron on such devices (AMD, 4 bit)", ranges.few_sources(alone))
    local nobody = about({ device = catalog.device("L4") })
    assert.equal("no source has published runs of megatron on such devices (NVIDIA, 8 bit, PCIe)",
      ranges.few_sources(nobody))
    assert.equal(ranges.few_sources(nobody), ranges.time(nobody).why[#ranges.time(nobody).why])
  end)
end)

describe("a range of training", function()
  it("contains the estimate and is symmetric in the logarithm", function()
    local band, extrapolation = ranges.time(about())
    assert.is_true(band.low < 1 and band.high > 1)
    assert.is_true(math.abs(band.low * band.high - 1) < 1e-12)
    assert.are.same({}, extrapolation)
  end)

  it("never narrows for what is unknown", function()
    local base = half(about())
    assert.is_true(half(about({ known = false })) >= base)
    assert.is_true(half(about({ open = { "recompute", "vpp", "micro_batch" } })) >= base)
    local wide = ranges.time(about({ wide = { time = { 0, 0.3 }, memory = { 0, 0 } } }))
    assert.near(math.sqrt(base ^ 2 + 0.3 ^ 2), math.log(wide.high), 1e-12)
    assert.near(base, -math.log(wide.low), 1e-12)
    assert.is_true(half(about({ unlearned = 0.5 })) > base)
  end)

  it("is as much wider where the name of the software is in no class as published runs ask for", function()
    local unknown = require("ballpark.catalog.fitted.training_range").unknown
    assert.is_true(unknown.time > 1 and unknown.memory > 1)
    local function width(class) -- on a device of which no class has a source
      return half(about({ class = class, known = false, unlearned = 0, device = catalog.device("L4") }))
    end
    local borrowed = extrapolated.borrowed(about({ device = catalog.device("L4") }))
    assert.near(unknown.time, math.sqrt((width("generic") ^ 2 - borrowed ^ 2) / (width("internevo") ^ 2 - borrowed ^ 2)), 1e-9)
    local function memory(class) return math.log(ranges.memory(about({ class = class, known = false })).high) end
    assert.near(unknown.memory, memory("generic") / memory("internevo"), 1e-9)
  end)

  it("is wider outside of what was fitted, and says why", function()
    local device = catalog.device("H100")
    device.name = "Imaginary-1"
    local it = about({ device = device })
    assert.is_true(half(it) > half(about()))
    assert.are.same({ "no measured run on Imaginary-1",
      "kernels of Imaginary-1 not timed, but shaped after those of H100-SXM-80GB" }, reasons(it))
    assert.equal("extrapolated: no measured run on Imaginary-1", ranges.time(it).why[1])
    local many = about()
    many.input.network.devices = 10 ^ 6 // 1 | 0
    assert.is_truthy(extrapolated.reasons(many)[1]:find("^more devices"))
    assert.is_truthy(extrapolated.reasons(about({ job = { global_batch = 8, seq_len = 1 << 24 } }))[1]
      :find("^longer sequences"))
    assert.is_truthy(extrapolated.reasons(about({ plan = { precision = "int8" } }))[1]:find("in int8"))
  end)

  it("is wider where a device has few runs, or kernels of another and not many", function()
    local function on(name) return reasons(about({ device = catalog.device(name) })) end
    assert.are.same({ "no measured run on MI300X",
      "kernels of MI300X not timed, but shaped after those of H100-SXM-80GB" }, on("MI300X"))
    assert.are.same({ "1 measured run on TPU-v5p",
      "kernels of TPU-v5p not timed, but shaped after those of A100-80GB-SXM" }, on("TPU-v5p"))
    assert.are.same({ "5 measured runs on H200-SXM-141GB" }, on("H200"))
    assert.are.same({ "kernels of TPU-v6e not timed, but shaped after those of H100-SXM-80GB" },
      on("TPU-v6e"))
    for _, name in ipairs({ "A100-40GB-SXM", "GB300", "B200" }) do assert.are.same({}, on(name)) end
    local own = reasons(about({ device = { name = "mine", memory_bytes = 80e9, mem_bw_bytes_s = 3e12,
      bf16_flop_s = 1e15 } }))
    assert.are.equal("kernels of mine not timed, but shaped after an average device's", own[2])
    -- What its kernels reach is open beside all else, unless the fit has its class's matmuls by themselves.
    local function half_on(name, class)
      return half(about({ device = catalog.device(name), class = class, unlearned = 0 }))
    end
    assert.is_true(half_on("H200") > half_on("H100"))
    local shipped = require("ballpark.catalog.fitted.training_range")
    local least = math.sqrt(half_on("H200", "megatron") ^ 2 + shipped.borrowed ^ 2)
    assert.is_true(half_on("MI300X", "megatron") >= least - 1e-12)
    assert.equal(0, extrapolated.borrowed(about({ device = catalog.device("TPU-v5p"), class = "tpu" })))
  end)

  it("of a profile of some fields is that of one with the defaults written out", function()
    local partial, full = { gemm = 1.2 }, {}
    for _, field in ipairs(fields.input("train_step", "profile")) do full[field.name] = field.default end
    full.gemm, full.calibration = 1.2, nil
    -- With experts the wait for their tokens' counts is open, too, where layers are launched.
    local model = tables.with(about().input.model, { experts = 8, topk = 2 })
    local short = ranges.time(about({ model = model, profile = partial, class = "generic" }))
    assert.are.same(ranges.time(about({ model = model, profile = full, class = "generic" })), short)
  end)

  it("is that of the calibration on devices it was made on", function()
    local it = about()
    it.input.profile.calibration = { class = "megatron", half = 0.05, most_devices = 64,
      devices = { [it.input.device.name] = true } }
    assert.are.equal(0.05, half(it))
    assert.are.same({}, reasons(it))
    it.input.profile.calibration.most_devices = 4
    assert.are_not.equal(0.05, half(it))
  end)

  it("is widened beyond what the calibration saw, with the reason, and never narrower than inside", function()
    local it, plain = about(), half(about())
    local own = { class = "megatron", half = 0.05, most_devices = 4, precisions = { bf16 = true },
      longest_seq_len = 1 << 20, experts = false, devices = { ["A100-80GB-SXM"] = true, ["B200"] = true } }
    it.unlearned = ranges.unlearned({ it })[1]
    it.input.profile.calibration, it.input.model.experts, it.input.model.topk = own, 8, 2
    assert.are.same({ ("profile calibrated on A100-80GB-SXM, B200, at most 4 devices, models without experts, "
      .. "this is %s, %d, one with experts"):format(it.input.device.name, it.input.network.devices) },
      reasons(it))
    it.input.model.experts, it.input.model.topk = nil, nil
    own.devices[it.input.device.name], own.precisions, own.longest_seq_len = true, { int8 = true }, 7
    assert.are.same({ ("profile calibrated on at most 4 devices, int8, at most 7 tokens a sequence, "
      .. "this is %d, bf16, %d"):format(it.input.network.devices, it.input.job.seq_len) }, reasons(it))
    assert.near(plain * require("ballpark.catalog.fitted.training_range").widening, half(it), 1e-12)
    own.half = 3
    assert.are.equal(3, half(it))
    -- A kept profile is the built-in one: it knows what that knows.
    own.half, own.kept = nil, true
    assert.are.same({}, reasons(it))
  end)

  it("is not that of a calibration on other formats, shorter sequences or dense models", function()
    local it = about()
    local length, format = it.input.job.seq_len, it.input.plan.precision or "bf16"
    local function half_with(changes)
      local own = { class = "megatron", half = 0.05, most_devices = 1 << 20,
        devices = { [it.input.device.name] = true }, precisions = { [format] = true },
        longest_seq_len = length, experts = false }
      for key, value in pairs(changes) do own[key] = value end
      it.input.profile.calibration = own
      return half(it)
    end
    assert.are.equal(0.05, half_with({}))
    assert.are_not.equal(0.05, half_with({ precisions = { int8 = true } }))
    assert.are_not.equal(0.05, half_with({ longest_seq_len = length - 1 }))
    it.input.model.experts, it.input.model.topk = 8, 2
    assert.are_not.equal(0.05, half_with({}))
    assert.are.equal(0.05, half_with({ experts = true }))
  end)

  it("knows classes from names and calibrations", function()
    assert.are.same({ "fsdp", true }, { profiles.of_coefficients({ name = "fsdp" }) })
    assert.are.same({ "generic", false }, { profiles.of_coefficients({ name = "generic" }) })
    assert.are.same({ "generic", false }, { profiles.of_coefficients({ name = "mine" }) })
    assert.are.same({ "jax", true }, { profiles.of_coefficients({ name = "mine", calibration = { class = "jax" } }) })
  end)
end)

describe("tensor parallelism between domains", function()
  it("widens by what its traffic twice as long would be of the step, and says so", function()
    local it = about({ plan = { tp = 16 }, network = catalog.cluster({ device = catalog.device("H100"), devices = 16 }).network })
    local core = require("ballpark.core")
    local time = core.train_step(it.input).time
    assert.is_true(time.tp_s > 0)
    assert.near(math.log(1 + time.tp_s / time.step_s), extrapolated.crossing(it), 1e-12)
    assert.matches("no fitted run with tensor parallelism between domains", table.concat(reasons(it), "; "))
    assert.is_true(half(it) >= extrapolated.crossing(it))
    assert.equal(0, extrapolated.crossing(about()))
  end)
end)

describe("features", function()
  it("count what is declared", function()
    local it = about({ known = false, open = { "recompute", "vpp", "model" } })
    it.input.model = { experts = 8 }
    assert.are.same({ 1, 1, 0.5, 0, 0, 0 }, features.of(it))
  end)

  it("have a name each", function()
    local it = about()
    assert.are.equal(#features.list, #features.of(it))
  end)
end)

describe("an estimate", function()
  local function answer()
    return estimating.run({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = catalog.device("H100"), devices = 16 }),
      job = { global_batch = 64, seq_len = 4096, tokens = 10 ^ 12 }, plan = { tp = 2 }, price = 2 })
  end

  it("carries the range of everything that follows from its step", function()
    local a = answer()
    for _, name in ipairs({ "step_s", "tokens_per_s" }) do
      assert.equal(a.time[name], a.range[name].value)
      assert.is_true(a.range[name].low < a.time[name] and a.time[name] < a.range[name].high, name)
    end
    assert.is_true(a.range.run_s.low < a.run.run_s and a.run.run_s < a.range.run_s.high)
    assert.is_true(a.range.cost_usd.low < a.run.cost_usd and a.run.cost_usd < a.range.cost_usd.high)
    assert.is_true(a.range.total_bytes.low < a.memory.total_bytes and a.memory.total_bytes < a.range.total_bytes.high)
    local ratio = a.range.step_s.high / a.time.step_s
    assert.is_true(math.abs(a.range.run_s.high / a.run.run_s / ratio - 1) < 1e-9)
    assert.is_true(math.abs(a.time.tokens_per_s / a.range.tokens_per_s.low / ratio - 1) < 1e-9)
  end)

  it("widens for what is left open", function()
    local open = answer()
    local stated = estimating.run({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = catalog.device("H100"), devices = 16, nic_bytes_s = 50e9 }),
      software = "megatron",
      job = { global_batch = 64, seq_len = 4096 }, price = 2,
      plan = tables.with(open.plan) })
    assert.are.equal(open.time.step_s, stated.time.step_s)
    local function up(of) return math.log(of.range.step_s.high / of.time.step_s) end
    assert.is_true(up(open) / up(stated) > 1.5)
    assert.is_true(tables.contains(open.unstated, "recompute"))
    assert.is_true(tables.contains(open.unstated, "network"))
    assert.matches("^left open: .*recompute", open.range.step_s.why[1])
    assert.are.same({}, stated.unstated)
    assert.are.same({}, stated.range.step_s.why)
    assert.is_nil(stated.range.run_s)
  end)
end)


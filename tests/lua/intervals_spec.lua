-- Ranges of steps and memory: classes, what widens them, and what is extrapolated.
local fields = require("ballpark.fields")
local features = require("ballpark.range.features")
local intervals = require("ballpark.range.interval")
local learn = require("ballpark.range.learn")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")
local estimating = require("ballpark.questions.estimate.run")
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

describe("the law of intervals", function()
  it("holds for four in five, and is wider where errors are", function()
    local law = learn.law(samples(30))
    local inside, count = 0, 0
    for _, sample in ipairs(samples(30)) do
      count = count + 1
      if math.abs(sample.residual) <= learn.half(law, sample.features) then inside = inside + 1 end
    end
    assert.is_true(inside / count >= 0.8 and inside / count < 0.9)
    local ratio = learn.half(law, { 1 }) / learn.half(law, { 0 })
    assert.is_true(ratio > 2 and ratio < 4)
  end)

  it("adds what the fit of the coefficients left open as an independent part", function()
    local law = { level = math.log(0.3), slopes = { 1 }, width = 2 }
    assert.near(0.6, learn.half(law, { 0 }), 1e-12)
    assert.near(0.6 * math.exp(0.5), learn.half(law, { 0.5 }, 0), 1e-12)
    -- The geometric mean of a normal |z| is exp(-(0.5772 + 0.6931) / 2) = 0.5298: 3-4-5.
    assert.near(1, learn.half(law, { 0 }, 0.4 / 0.5298), 1e-12)
    assert.near(2, learn.half(law, { 0 }, 1e6) / (1e6 * 0.5298), 1e-9)
  end)

  it("takes errors that coefficients explain for nothing of the features", function()
    local list = samples(30)
    for _, sample in ipairs(list) do
      sample.unlearned = sample.features[1] == 1 and 0.3 or 0
    end
    local law, plain = learn.law(list), learn.law(samples(30))
    assert.is_true(law.slopes[1] < 0.5 * plain.slopes[1])
    assert.is_true(learn.half(law, { 0 }, 0.3) > 2 * learn.half(law, { 0 }))
  end)

  it("is none for too few families", function()
    assert.is_nil(learn.law({}))
    assert.is_nil(learn.law(samples(3)))
  end)

  it("says how much wider other samples need it", function()
    local law, worse = learn.law(samples(30)), samples(30)
    for _, sample in ipairs(worse) do sample.residual = 2 * sample.residual end
    assert.is_true(math.abs(learn.widening(law, worse) - 2) < 1e-9)
  end)
end)

describe("an interval", function()
  it("contains the estimate and is symmetric in the logarithm", function()
    local band = intervals.of(about())
    assert.is_true(band.low < 1 and band.high > 1)
    assert.is_true(math.abs(band.low * band.high - 1) < 1e-12)
    assert.are.same({}, band.extrapolated)
  end)

  it("never narrows for what is unknown", function()
    local base = intervals.of(about()).half
    assert.is_true(intervals.of(about({ known = false })).half >= base)
    assert.is_true(intervals.of(about({ open = { "recompute", "vpp", "micro_batch" } })).half >= base)
    local wide = intervals.of(about({ wide = { time = { 0, 0.3 }, memory = { 0, 0 } } }))
    assert.near(math.sqrt(base ^ 2 + 0.3 ^ 2), math.log(wide.high), 1e-12)
    assert.near(base, -math.log(wide.low), 1e-12)
    assert.is_true(intervals.of(about({ unlearned = 0.5 })).half > base)
  end)

  it("is wider outside of what was fitted, and says why", function()
    local device = catalog.device("H100")
    device.name = "Imaginary-1"
    local band = intervals.of(about({ device = device }))
    assert.is_true(band.half > intervals.of(about()).half)
    assert.are.same({ "no measured run on Imaginary-1",
      "kernels of Imaginary-1 not timed, but shaped after those of H100-SXM-80GB" }, band.extrapolated)
    local many = about()
    many.input.network.devices = 10 ^ 6 // 1 | 0
    assert.is_truthy(intervals.extrapolated(many)[1]:find("^more devices"))
    assert.is_truthy(intervals.extrapolated(about({ job = { global_batch = 8, seq_len = 1 << 24 } }))[1]
      :find("^longer sequences"))
    assert.is_truthy(intervals.extrapolated(about({ plan = { precision = "int8" } }))[1]:find("in int8"))
  end)

  it("is wider where a device has few runs, or kernels of another and not many", function()
    local function on(name) return intervals.of(about({ device = catalog.device(name) })) end
    assert.are.same({ "no measured run on MI300X",
      "kernels of MI300X not timed, but shaped after those of H100-SXM-80GB" }, on("MI300X").extrapolated)
    assert.are.same({ "5 measured runs on TPU-v5p",
      "kernels of TPU-v5p not timed, but shaped after those of A100-80GB-SXM" }, on("TPU-v5p").extrapolated)
    assert.are.same({ "2 measured runs on H200-SXM-141GB" }, on("H200").extrapolated)
    assert.are.same({ "kernels of TPU-v6e not timed, but shaped after those of H100-SXM-80GB" },
      on("TPU-v6e").extrapolated)
    for _, name in ipairs({ "A100-40GB-SXM", "GB300", "B200" }) do assert.are.same({}, on(name).extrapolated) end
    local own = intervals.of(about({ device = { name = "mine", memory_bytes = 80e9, mem_bw_bytes_s = 3e12,
      bf16_flop_s = 1e15 } }))
    assert.are.equal("kernels of mine not timed, but shaped after an average device's", own.extrapolated[2])
    assert.is_true(on("H200").half > on("H100").half)
    -- What its kernels reach is open beside all else, unless the fit has its class's matmuls by themselves.
    local function half(name, class)
      return intervals.of(about({ device = catalog.device(name), class = class, unlearned = 0 })).half
    end
    local shipped = require("ballpark.catalog.fitted.training_range")
    local least = math.sqrt(half("H200", "megatron") ^ 2 + shipped.borrowed ^ 2)
    assert.is_true(half("MI300X", "megatron") >= least - 1e-12)
    assert.is_true(half("TPU-v5p", "tpu") < least)
  end)

  it("of a profile of some fields is that of one with the defaults written out", function()
    local partial, full = { gemm = 1.2 }, {}
    for _, field in ipairs(fields.input("train_step", "profile")) do full[field.name] = field.default end
    full.gemm, full.calibration = 1.2, nil
    -- With experts the wait for their tokens' counts is open, too, where layers are launched.
    local model = tables.with(about().input.model, { experts = 8, topk = 2 })
    local short = intervals.of(about({ model = model, profile = partial, class = "generic" }))
    assert.are.same(intervals.of(about({ model = model, profile = full, class = "generic" })), short)
  end)

  it("is that of the calibration on devices it was made on", function()
    local it = about()
    it.input.profile.calibration = { class = "megatron", half = 0.05, most_devices = 64,
      devices = { [it.input.device.name] = true } }
    assert.are.equal(0.05, intervals.of(it).half)
    assert.are.same({}, intervals.of(it).extrapolated)
    it.input.profile.calibration.most_devices = 4
    assert.are_not.equal(0.05, intervals.of(it).half)
  end)

  it("is widened beyond what the calibration saw, with the reason, and never narrower than inside", function()
    local it, plain = about(), intervals.of(about())
    local own = { class = "megatron", half = 0.05, most_devices = 4, precisions = { bf16 = true },
      longest_seq_len = 1 << 20, experts = false, devices = { ["A100-80GB-SXM"] = true, ["B200"] = true } }
    it.unlearned = intervals.unlearned({ it })[1]
    it.input.profile.calibration, it.input.model.experts, it.input.model.topk = own, 8, 2
    assert.are.same({ ("profile calibrated on A100-80GB-SXM, B200, at most 4 devices, models without experts, "
      .. "this is %s, %d, one with experts"):format(it.input.device.name, it.input.network.devices) },
      intervals.of(it).extrapolated)
    it.input.model.experts, it.input.model.topk = nil, nil
    own.devices[it.input.device.name], own.precisions, own.longest_seq_len = true, { int8 = true }, 7
    local band = intervals.of(it)
    assert.are.same({ ("profile calibrated on at most 4 devices, int8, at most 7 tokens a sequence, "
      .. "this is %d, bf16, %d"):format(it.input.network.devices, it.input.job.seq_len) }, band.extrapolated)
    assert.near(plain.half * require("ballpark.catalog.fitted.training_range").widening, band.half, 1e-12)
    own.half = 3
    assert.are.equal(3, intervals.of(it).half)
    -- A kept profile is the built-in one: it knows what that knows.
    own.half, own.kept = nil, true
    assert.are.same({}, intervals.of(it).extrapolated)
  end)

  it("is not that of a calibration on other formats, shorter sequences or dense models", function()
    local it = about()
    local length, format = it.input.job.seq_len, it.input.plan.precision or "bf16"
    local function half(changes)
      local own = { class = "megatron", half = 0.05, most_devices = 1 << 20,
        devices = { [it.input.device.name] = true }, precisions = { [format] = true },
        longest_seq_len = length, experts = false }
      for key, value in pairs(changes) do own[key] = value end
      it.input.profile.calibration = own
      return intervals.of(it).half
    end
    assert.are.equal(0.05, half({}))
    assert.are_not.equal(0.05, half({ precisions = { int8 = true } }))
    assert.are_not.equal(0.05, half({ longest_seq_len = length - 1 }))
    it.input.model.experts, it.input.model.topk = 8, 2
    assert.are_not.equal(0.05, half({}))
    assert.are.equal(0.05, half({ experts = true }))
  end)

  it("knows classes from names and calibrations", function()
    assert.are.same({ "fsdp", true }, { intervals.class_of({ name = "fsdp" }) })
    assert.are.same({ "generic", false }, { intervals.class_of({ name = "generic" }) })
    assert.are.same({ "generic", false }, { intervals.class_of({ name = "mine" }) })
    assert.are.same({ "jax", true }, { intervals.class_of({ name = "mine", calibration = { class = "jax" } }) })
  end)
end)

describe("features", function()
  it("count what is declared", function()
    local it = about({ known = false, open = { "recompute", "vpp", "gpu" } })
    it.input.model = { experts = 8 }
    assert.are.same({ 1, 1, 0.5, 0, 0, 0, 0 }, features.of(it))
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
      assert.is_true(a.low[name] < a.time[name] and a.time[name] < a.high[name], name)
    end
    assert.is_true(a.low.run_s < a.run.run_s and a.run.run_s < a.high.run_s)
    assert.is_true(a.low.cost_usd < a.run.cost_usd and a.run.cost_usd < a.high.cost_usd)
    assert.is_true(a.low.total_bytes < a.memory.total_bytes and a.memory.total_bytes < a.high.total_bytes)
    local ratio = a.high.step_s / a.time.step_s
    assert.is_true(math.abs(a.high.run_s / a.run.run_s / ratio - 1) < 1e-9)
    assert.is_true(math.abs(a.time.tokens_per_s / a.low.tokens_per_s / ratio - 1) < 1e-9)
  end)

  it("widens for what is left open", function()
    local open = answer()
    local stated = estimating.run({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = catalog.device("H100"), devices = 16 }),
      profile = catalog.profile("megatron"),
      job = { global_batch = 64, seq_len = 4096 }, price = 2,
      plan = { tp = 2, zero = 1, recompute = "none", micro_batch = 1, precision = "bf16" } })
    assert.are.equal(open.time.step_s, stated.time.step_s)
    -- Full recomputation does most of it: a third of the FLOP more.
    local ratio = math.log(open.high.step_s / open.time.step_s) / math.log(stated.high.step_s / stated.time.step_s)
    assert.is_true(ratio > 1.5)
    assert.near(1, open.low.step_s / stated.low.step_s, 0.02)
    assert.is_true(tables.contains(open.unstated, "recompute"))
    assert.are.same({}, stated.unstated)
    assert.is_nil(stated.high.run_s)
  end)
end)


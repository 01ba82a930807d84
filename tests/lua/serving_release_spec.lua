-- Releases of engines, kernels of siblings, formats by their bytes, and what need not be simulated again.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local curves = require("ballpark.catalog.serving_curves")
local devices = require("ballpark.catalog.devices")
local engine_of = require("ballpark.resolve.serving.engine")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local fitted = require("ballpark.catalog.fitted.engine")
local fitted_releases = require("ballpark.catalog.fitted.engine_releases")
local open = require("ballpark.resolve.serving.open")
local ranges = require("ballpark.range.serving")
local releases = require("ballpark.catalog.engine_releases")
local resolve = require("ballpark.resolve.serving")
local simulate = require("ballpark.questions.serve.simulate")

describe("the release of an engine", function()
  it("is read from its version", function()
    assert.equal("1.2", releases.named("trtllm", "TensorRT-LLM 1.2.0rc6.post3"))
    assert.equal("0.19", releases.named("vllm", "vllm 0.19.0"))
    assert.equal("0.5.9", releases.named("sglang", "sglang 0.5.9"))
    assert.equal("0.5.6", releases.named("sglang", "0.5.6.post2"))
    assert.is_nil(releases.named("vllm", "nightly"))
    assert.is_nil(releases.named("vllm", nil))
    assert.equal("0.9", releases.named("vllm", "vllm 00.09"))
  end)

  it("is none where a number has more digits than an integer", function()
    assert.equal("9223372036854775807.0", releases.named("vllm", "vllm 9223372036854775807.0"))
    local digits <const> = "99999999999999999999"
    for _, text in ipairs({ "vllm " .. digits .. ".9", "vllm 0." .. digits, "vllm 0.9." .. digits, "9223372036854775808.0" }) do
      assert.is_nil(releases.named("vllm", text))
      assert.is_nil(releases.named("sglang", text))
      assert.is_nil((releases.is_before(text, "0.8", 2025)))
    end
  end)

  it("of an engine that people serve with and nobody measured is a generic one's", function()
    local function of(name) return engine_of.of(name, devices.get("A10G")) end
    for name, kind in pairs({ tgi = "generic", ["TGI 1.4"] = "generic_launching", lmdeploy = "generic", DeepSpeed = "generic",
      ["deepspeed-mii"] = "generic_launching", lightllm = "generic" }) do
      local engine, said = of(name)
      assert.equal(kind, engine.name)
      assert.matches("engine '" .. name:gsub("%p", "%%%0") .. "' is not modelled, a generic one stands for it", said)
    end
    local function refused(name, device) return select(2, errors.attempt(engine_of.of, name, devices.get(device))).message end
    assert.matches("did you mean 'vllm'", refused("vlm", "A10G"), 1, true)
    assert.matches("is no engine that is modelled", refused("foo", "A10G"), 1, true)
    assert.matches("until its last answer is over", refused("deepspeed", "Gaudi2"), 1, true)
  end)

  it("comes before another by its version, or by the year where it has none", function()
    for _, case in ipairs({ { "vllm 0.2.5", "0.2.6", 2024, true }, { "vllm 0.2.6", "0.2.6", 2024, false },
      { "vllm 0.10.1", "0.8", 2025, false }, { "v0.7.3", "0.8", 2025, true }, { "TGI 1.4 of 2025", "2.0", 2024, true },
      { "TGI 2023", "2.0", 2024, true }, { "TGI 2024", "2.0", 2024, false }, { "TGI", "2.0", 2024, nil },
      { "TGI 2023", "2.0", nil, nil }, { nil, "2.0", 2024, nil } }) do
      assert.equal(case[4], (releases.is_before(case[1], case[2], case[3])), case[1])
    end
    assert.equal("0.7", select(2, releases.is_before("vllm 0.7.3", "0.8", 2025)))
    assert.equal("of 2024", select(2, releases.is_before("vllm 2024", "0.8", 2025)))
  end)

  it("has settings that later ones changed", function()
    assert.equal("quantize", engines.get("trtllm").sum_fusion)
    assert.equal("quantize", engines.get("trtllm", "1.1.0rc2").sum_fusion)
    assert.equal("norm", engines.get("trtllm", "1.0.0rc3").sum_fusion)
    assert.equal("norm", engines.get("trtllm", "0.14").sum_fusion)
    assert.equal("none", engines.get("trtllm_v0").sum_fusion)
    assert.is_false(engines.get("trtllm", "1.0.0rc3").stages_ahead)
    assert.is_not_false(engines.get("trtllm", "1.1").stages_ahead)
  end)

  it("plans a step after the last one and answers at once in TensorRT-LLM's engine of C++", function()
    local cpp, python = engine_of.of({ name = "trtllm", version = "0.17" }), engine_of.of({ name = "trtllm", version = "0.20" })
    assert.is_false(cpp.overlap)
    assert.equal(0, cpp.plan_s + cpp.plan_sequence_s)
    assert.is_true(cpp.front_s < python.front_s)
    assert.is_true(python.overlap)
    assert.is_true(engine_of.of("trtllm").overlap)
  end)

  it("changes what it was fitted to change, from the last one known before it", function()
    local known = fitted_releases.vllm
    local before = known["0.17"]
    known["0.17"] = { moe = 0.5, eager_kernel_s = 2, points = 1 }
    local engine, base = engines.get("vllm", "0.17.1"), fitted.vllm
    known["0.17"] = before
    assert.near(0.5 * fitted.common.moe, engine.moe, 1e-12)
    assert.near(2 * base.eager_kernel_s, engine.eager_kernel_s, 1e-15)
    assert.equal(base.step_s, engine.step_s)
  end)

  it("is the mean of the last that have enough points together where nobody states it, or one later than any",
    function()
      local known = fitted_releases.vllm
      known["0.98"] = { moe = 0.25, eager_kernel_s = 1, points = 3 }
      local stated, later, unstated = engines.get("vllm", "0.98.0"), engines.get("vllm", "0.99.0"), engines.get("vllm")
      known["0.98"].points = 300
      local enough = engines.get("vllm")
      known["0.98"] = nil
      assert.near(0.25 * fitted.common.moe, stated.moe, 1e-12)
      local last = known["0.19"]
      local mean = math.exp((3 * math.log(0.25) + last.points * math.log(last.moe)) / (3 + last.points))
      assert.near(mean * fitted.common.moe, unstated.moe, 1e-12)
      assert.equal(unstated.moe, later.moe)
      assert.near(stated.moe, enough.moe, 1e-12)
    end)
end)

describe("experts in fp4 on a chip that was timed with fewer kernels than its sibling", function()
  it("have the sibling's curve, in shares of their own peak and bandwidth", function()
    local function moe4(name) return curves.get(catalog.device(name)).moe4 end
    assert.same(moe4("B200"), moe4("B300"))
    assert.same(moe4("GB200"), moe4("GB300"))
    assert.is_not.same(moe4("GB200"), moe4("B200"))
    local function moe8(name) return curves.get(catalog.device(name)).moe8 end
    assert.is_not.same(moe8("B200"), moe8("B300"))
  end)
end)

describe("a weight of 4 bits", function()
  it("is never slower than one of 8 for one sequence, on any device", function()
    local models = { catalog.model("llama-3.1-8b"), catalog.model("qwen3-30b-a3b"), catalog.model("gpt-oss-20b") }
    for _, name in ipairs(devices.names()) do
      local cluster = catalog.cluster({ device = name, devices = 1 })
      for _, model in ipairs(models) do
        local function step(format)
          return core.infer_step({ model = model, device = cluster.device, network = cluster.network,
            curves = (curves.get(cluster.device)), engine = engines.get("vllm"), plan = { weights = format },
            sequences = 1, context = 1000 }).time_s
        end
        local eight = math.min(step("fp8"), step("int8"), step("fp8_block"))
        for _, format in ipairs({ "int4", "nvfp4", "mxfp4" }) do
          -- Curves of formats are fitted apart: a small model whose matmuls are mostly empty time may differ by as much.
          assert(step(format) <= 1.005 * eight, ("%s of %s on %s"):format(format, model.name, name))
        end
        assert(step("int8") <= 1.001 * step("bf16"), "int8 on " .. name)
      end
    end
  end)
end)

describe("prompts of one length", function()
  it("come one per step until more answers end in a step", function()
    local function budget(clients, output)
      return engine_of.under(engines.get("vllm"), { concurrency = clients, input_tokens = 1000, output_tokens = output },
        "vllm").token_budget
    end
    assert.equal(1000 + 64, budget(64, 256))
    assert.equal(1000 + 256, budget(256, 256))
    assert.equal(4 * 1000 + 256, budget(256, 64))
    assert.equal(8192, budget(2048, 64))
  end)
end)

describe("lengths nobody states", function()
  it("may keep requests of one length in lock-step, with all that the budget holds in one step", function()
    local load = { concurrency = 32, requests = 320, input_tokens = 1000, output_tokens = 100 }
    local case = resolve.of({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = "H100", devices = 1 }), engine = "vllm", load = load })
    local changed = open.changed(case, case.input, { lock_step = true })
    assert.equal(1000 + 32, case.input.engine.token_budget)
    assert.equal(8192, changed.engine.token_budget)
    local apart, together = simulate.means(simulate.run(case, case.input)), simulate.means(simulate.run(case, changed))
    assert.is_true(together.ttft_s > apart.ttft_s and together.tpot_s < apart.tpot_s)
    case = resolve.of({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = "H100", devices = 1 }), engine = "sglang", load = load })
    assert.is_nil(open.changed(case, case.input, { lock_step = true }))
  end)
end)

describe("a change of a limit that nothing came near", function()
  local function widths(load, with_seen)
    local case = resolve.of({ model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 1 }),
      load = load })
    local runs = 0
    local function run(input)
      runs = runs + 1
      return simulate.means((simulate.run(case, input)))
    end
    local seen = simulate.run(case, case.input)
    local result = ranges.left_open(case, case.input, simulate.means(seen), run, with_seen and seen or nil)
    return result, runs
  end

  it("is not simulated, and the range is the same", function()
    for _, load in ipairs({ { concurrency = 8, requests = 40, input_tokens = 500, output_tokens = 50 },
      { concurrency = 300, requests = 600, input_tokens = 1500, output_tokens = 300 },
      { arrivals = "open", rate_per_s = 20, requests = 300, input_tokens = 700, output_tokens = 120 } }) do
      local all, runs = widths(load, false)
      local few, fewer = widths(load, true)
      assert.same(all, few)
      assert.is_true(fewer <= runs)
    end
    local _, runs = widths({ concurrency = 8, requests = 40, input_tokens = 500, output_tokens = 50 }, false)
    local _, fewer = widths({ concurrency = 8, requests = 40, input_tokens = 500, output_tokens = 50 }, true)
    assert.is_true(fewer <= runs - 4)
  end)

  it("was near where sequences fill the places", function()
    local load = { concurrency = 300, requests = 600, input_tokens = 1500, output_tokens = 300 }
    local case = resolve.of({ model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 1 }),
      engine = { name = "vllm", max_running = 64 }, load = load })
    assert.equal(64, simulate.run(case, case.input).peak_running)
    assert.equal(8, core.serve(resolve.of({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = "H100", devices = 1 }), load = { concurrency = 8, requests = 40, input_tokens = 50,
      output_tokens = 50 } }).input).peak_running)
  end)
end)

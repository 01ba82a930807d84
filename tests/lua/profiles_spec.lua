-- Coefficients of software in the catalog.
local about = require("ballpark.fields")
local coefficients = require("ballpark.catalog.coefficients")
local errors = require("ballpark.errors")
local attention_kernels = require("ballpark.catalog.attention_kernels")
local devices = require("ballpark.catalog.devices")
local profiles = require("ballpark.catalog.profiles")

describe("profiles", function()
  it("names nothing but fields of the core's profile, in their range", function()
    local fields = about.by_name(about.input("train_step", "profile"))
    assert.truthy(fields.gemm)
    for _, name in ipairs(profiles.names()) do
      for key, value in pairs(profiles.get(name)) do
        local field = fields[key]
        assert.truthy(field, name .. "." .. key)
        if type(value) == "number" then
          assert.is_true(value >= field.min and value <= (field.max or math.huge), name .. "." .. key)
        end
      end
    end
  end)

  it("leaves to the core what all classes have in common, of which the fit changes what was fitted", function()
    local common, profile = {}, { gemm = 2, common = { launch = 0.1 } }
    for _, field in ipairs(about.by_name(about.input("train_step", "profile")).common.schema.fields) do
      common["common." .. field.name] = field.default
    end
    for _, name in ipairs(profiles.names()) do assert.is_nil(profiles.get(name).common, name) end
    local fitted = 0
    for _, coefficient in ipairs(coefficients.published) do
      local name = coefficient[1]
      if name:find("^common%.") then
        fitted = fitted + 1
        assert.is_number(common[name], name)
      end
    end
    assert.equal(15, fitted)
    assert.same({ gemm = 2, common = { launch = 0.1, misaligned = 0.2 } },
      coefficients.with(profile, { "common.misaligned" }, 0.2))
    assert.same({ gemm = 3, common = { launch = 0.1 } }, coefficients.with(profile, { "gemm" }, 3))
  end)

  it("says of every class what it is and where it comes from", function()
    for _, name in ipairs(profiles.names()) do
      assert.is_true(#profiles.about(name) > 10)
      assert.is_true(#profiles.get(name).source > 5)
      assert.equal(name, profiles.get(name).name)
    end
  end)

  it("gives fresh tables", function()
    profiles.get("megatron").gemm = 99
    assert.not_equal(99, profiles.get("megatron").gemm)
  end)

  it("refuses unknown classes with the nearest name", function()
    assert.matches("did you mean 'megatron'", (errors.catch(profiles.get, "megatrn")))
  end)

  it("knows the classes of frameworks, whatever the spelling", function()
    local expected = {
      ["Megatron-LM"] = "megatron", ["megatron-core"] = "megatron", NeMo = "megatron",
      megascale = "megatron", ["Megatron-DeepSpeed"] = "deepspeed", DeepSpeed = "deepspeed",
      ["GPT-NeoX"] = "deepspeed", nanotron = "nanotron", MaxText = "jax", pax = "jax", levanter = "jax",
      neuronx = "neuron", ["NxD Training"] = "neuron", ["optimum-habana"] = "gaudi", mindspeed = "ascend",
      fsdp = "fsdp", torchtitan = "fsdp", ["llm-foundry"] = "fsdp", torchtune = "fsdp", ["llm.c"] = "native",
      ["OLMo-core"] = "fsdp", metaseq = "fsdp", ["Mesh TensorFlow"] = "jax", flax = "jax", Primus = "megatron",
    }
    for framework, class in pairs(expected) do
      local found, known = profiles.classify(framework)
      assert.equal(class, found, framework)
      assert.is_true(known)
    end
  end)

  it("tells XLA on TPUs from XLA elsewhere, and lets it follow in all it does not say", function()
    assert.equal("tpu", (profiles.classify("MaxText", "Google")))
    assert.equal("jax", (profiles.classify("MaxText", "NVIDIA")))
    assert.equal("tpu", (profiles.classify("fsdp", "Google"))) -- PyTorch runs there as an XLA program
    assert.equal(profiles.get("jax").exposed_fsdp, profiles.get("tpu").exposed_fsdp)
    assert.equal(profiles.traits("jax"), profiles.traits("tpu"))
    assert.not_equal(profiles.get("jax").gemm, profiles.get("tpu").gemm)
  end)

  it("takes anything else for generic and says that it did", function()
    local class, known = profiles.classify("colossal-ish")
    assert.equal("generic", class)
    assert.is_false(known)
    assert.equal("generic", (profiles.classify(nil)))
    assert.equal("generic", (profiles.classify("colossal-ish", "NVIDIA")))
  end)

  it("takes it for what is usual on devices that have software of their own", function()
    for vendor, class in pairs({ Google = "tpu", AWS = "neuron", Huawei = "ascend", Intel = "gaudi" }) do
      assert.same({ class, false }, { profiles.classify("colossal-ish", vendor) })
      assert.same({ class, false }, { profiles.classify(nil, vendor) })
    end
  end)

  it("knows what a misspelt name means, and leaves names of their own alone", function()
    for name, meant in pairs({ ["megatorn-lm"] = "megatron", ["Megatron_cor"] = false, deepsped = "deepspeed",
      maxtxt = "maxtext", fdsp = "fsdp", nanotrn = "nanotron", ["torch-titn"] = "torchtitan", MegatonLM = false,
      ["megaton lm"] = "megatron", mindsped = "mindspeed" }) do
      local known = select(2, profiles.classify(name))
      assert.equal(meant or nil, not known and profiles.misspelt(name) or nil, name)
    end
    for _, name in ipairs({ "colossalai", "nnscaler", "Galvatron", "paddle", "oneflow", "torch",
      "varuna", "unicron", "in-house", "hetu", "slapo", "redco", "internlm", "whale", "PaddleNLP", "bagua",
      "MyTrainer", "my trainer" }) do
      assert.same({ "generic", false }, { profiles.classify(name) }, name)
      assert.is_nil(profiles.misspelt(name), name)
    end
    assert.equal("deepspeed", (profiles.classify("Deep-Speed")))
    assert.equal("fsdp", (profiles.classify("lit-gpt")))
    assert.equal("generic", (profiles.classify("flex-lab"))) -- not xla
  end)

  it("slows attention of years before its kernels, more on devices those were not made for", function()
    local old, new = devices.get("A100-80GB-SXM"), devices.get("H100-SXM-80GB")
    local today = profiles.of_year("megatron", 2025, new).attention
    local then_old = profiles.of_year("megatron", 2022, old).attention
    local then_new = profiles.of_year("megatron", 2022, new).attention
    assert.is_true(today < then_old)
    assert.is_true(then_old < then_new)
    assert.equal(profiles.get("megatron").gemm, profiles.of_year("megatron", 2022, old).gemm)
  end)

  it("says the generation of attention kernels by class and year", function()
    local device = devices.get("H100-SXM-80GB")
    local function kernels(class, year) return profiles.of_year(class, year, device).attention_kernels or "today" end
    assert.same({ "first", "cudnn_2024", "today" }, { kernels("megatron", 2023), kernels("megatron", 2024),
      kernels("megatron", 2025) })
    assert.same({ "first", "second", "second", "today" }, { kernels("fsdp", 2023), kernels("fsdp", 2024),
      kernels("fsdp", 2025), kernels("fsdp", 2026) })
    assert.equal("today", kernels("jax", 2021))
  end)

  it("never has slower attention kernels in a later year", function()
    for _, name in ipairs({ "A100-80GB-SXM", "RTX-3090", "L40S", "H100-SXM-80GB", "B200-SXM-180GB" }) do
      for _, class in ipairs({ "megatron", "fsdp", "deepspeed" }) do
        local before = math.huge
        for year = 2022, 2027 do
          local profile = profiles.of_year(class, year, devices.get(name))
          assert.is_true(profile.attention <= before, ("%s on %s in %d"):format(class, name, year))
          before = profile.attention
        end
      end
    end
  end)

  it("knows what FlashAttention-2 does to a curve by the matmul units behind it", function()
    local function of(name) return attention_kernels.scope("second", devices.get(name)) or "as the curve" end
    assert.same({ "second_attention_ampere", "second_attention_hopper", "second_attention_hopper", "as the curve",
      "as the curve", "as the curve" }, { of("RTX-A6000"), of("H200-SXM-141GB"), of("GB200"), of("RTX-4090"),
      of("MI300X"), of("Gaudi3") })
    -- Slower than today's kernels on Hopper, faster than the serving kernels behind the curve of A100.
    local function factor(name) return profiles.of_year("fsdp", 2024, devices.get(name)).attention end
    local today = profiles.get("fsdp").attention
    assert.is_true(factor("H100-SXM-80GB") > 1.3 * today)
    assert.is_true(factor("A100-80GB-SXM") < today)
    assert.equal(today, factor("RTX-4090"))
  end)

  it("takes backward of today's kernels nearer to forward on Hopper than on Blackwell", function()
    local function backward(name)
      return profiles.of_year("megatron", 2026, devices.get(name)).attention_backward or 1
    end
    assert.is_true(backward("H100-SXM-80GB") < backward("B200-SXM-180GB"))
    assert.equal(1, backward("B200-SXM-180GB"))
  end)

  it("shares a network by its kind, and one that is not known as all", function()
    local device = devices.get("H100-SXM-80GB")
    local function share(fabric) return profiles.of_year("megatron", 2025, device, fabric).scaleout end
    assert.equal(profiles.get("megatron").scaleout, share(nil))
    assert.equal(share(nil), share("slingshot"))
    assert.is_true(share("infiniband") ~= share(nil))
    assert.is_true(share("omni-path") < share("infiniband"))
  end)

  it("sustains more for a watt in racks that liquid cools", function()
    local function per_watt(name) return profiles.of_year("megatron", 2025, devices.get(name)).sustained_flop_w end
    assert.equal(per_watt("GB200"), per_watt("GB300"))
    assert.equal(per_watt("H100-SXM-80GB"), per_watt("B200-SXM-180GB"))
    assert.is_true(per_watt("GB200") > per_watt("B200-SXM-180GB"))
  end)

  it("takes the host as long in all software that runs eagerly", function()
    local function host(class) return { profiles.get(class).host_layer_s, profiles.get(class).host_micro_s } end
    assert.same(host("deepspeed"), host("nanotron"))
    assert.same(host("deepspeed"), host("gaudi"))
    assert.is_true(host("megatron")[1] < host("deepspeed")[1])
  end)

  it("gathers parameter by parameter before 2022, where ZeRO-3 did", function()
    local device = { fp8_flop_s = 0 }
    assert.equal("by_parameter", profiles.of_year("deepspeed", 2021, device).layer_gather)
    assert.is_nil(profiles.of_year("deepspeed", 2022, device).layer_gather)
    assert.is_nil(profiles.of_year("fsdp", 2021, device).layer_gather)
  end)

  it("sends one copy of a token to each rank since a dispatcher did", function()
    local device = { fp8_flop_s = 2e15 }
    assert.equal("merged", profiles.of_year("megatron", 2025, device).expert_copies)
    assert.equal("each", profiles.of_year("megatron", 2024, device).expert_copies)
    assert.is_nil(profiles.get("fsdp").expert_copies)
  end)

  it("reduces gradients of FSDP in 16 bit, but in torchtitan", function()
    assert.equal("narrow", profiles.get("fsdp").shard_sums)
    assert.equal("as_kept", profiles.traits("fsdp", "torchtitan").fields.shard_sums)
    assert.is_nil((profiles.traits("fsdp", "llm-foundry").fields or {}).shard_sums)
    assert.is_nil(profiles.get("megatron").shard_sums)
  end)

  it("has ZeRO 1 in Megatron-DeepSpeed on devices of any vendor", function()
    assert.equal(1, profiles.traits("gaudi", "Megatron-DeepSpeed").zero)
    assert.equal(3, profiles.traits("gaudi", "DeepSpeed").zero)
  end)

  it("sends whole activations between stages in DeepSpeed of before 2023", function()
    local device = { fp8_flop_s = 0 }
    assert.equal("whole", profiles.of_year("deepspeed", 2022, device).sends)
    assert.equal("split", profiles.of_year("deepspeed", 2023, device).sends)
    assert.equal("split", profiles.of_year("megatron", 2021, device).sends)
  end)

  it("runs PyTorch of before 2023 one operation after the other", function()
    local device = { fp8_flop_s = 0 }
    assert.is_true(profiles.of_year("fsdp", 2022, device).eager_scores)
    assert.is_true(profiles.of_year("fsdp", 2022, device).elementwise_passes
      > profiles.of_year("fsdp", 2023, device).elementwise_passes)
    assert.is_nil(profiles.of_year("fsdp", 2023, device).eager_scores)
    assert.is_nil(profiles.of_year("megatron", 2022, device).eager_scores)
    assert.is_false(profiles.traits("fsdp", "metaseq").fields.eager_scores)
  end)

  it("launches nothing per layer where the step is one compiled program", function()
    assert.equal("compiled", profiles.get("jax").launches)
    assert.is_true(profiles.get("nanotron").host_layer_s > profiles.get("megatron").host_layer_s)
  end)
end)

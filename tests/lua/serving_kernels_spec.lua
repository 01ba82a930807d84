-- Which kernels engines run experts and prompts with, and how fast those were when they were timed alone.
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local engines = require("ballpark.catalog.engines")
local fitted = require("ballpark.catalog.fitted.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")

local function curves(name) return (serving_curves.get({ name = name })) end

describe("experts that are unpacked on their way", function()
  -- 8,192 tokens of four of 128 experts, 2,880 wide, on one H200: 6 x 8,192 x 4 x 2,880^2 FLOP took 4.30 ms evenly
  -- spread, 380 TFLOP/s; no plain ones take that little of a shape as large (650).
  it("multiply as they were timed, at a third of what Hopper has", function()
    for _, name in ipairs({ "H100-SXM-80GB", "H200-SXM-141GB" }) do
      local found = curves(name)
      assert.equal(fitted[name].moe16_packed.u, found.moe16_packed.u)
      assert.is_true(found.moe16_packed.u > 0.25 and found.moe16_packed.u < 0.5 * found.moe16.u, name)
    end
  end)

  it("lose less of a peak that is less of what unpacks them", function()
    -- H20 has 0.15 of the tensor arithmetic of H100 and 0.66 of the other.
    local h20, h100 = devices.get("H20"), devices.get("H100")
    local slow, fast = serving_curves.get(h20), serving_curves.get(h100)
    assert.equal(slow.moe16.u, slow.moe16_packed.u)
    assert.equal(fitted["H100-SXM-80GB"].moe16_packed.u, fast.moe16_packed.u)
    local half = tables.with(h100, { bf16_flop_s = h100.bf16_flop_s / 2 })
    assert.near(2 * fast.moe16_packed.u, serving_curves.get(half).moe16_packed.u, 1e-12)
  end)

  it("are alike to plain ones in how they crowd on a rank", function()
    for _, name in ipairs({ "H100-SXM-80GB", "H200-SXM-141GB", "B200-SXM-180GB" }) do
      assert.equal(fitted[name].moe16.skew, fitted[name].moe16_packed.skew, name)
    end
  end)

  it("multiply like plain ones where nobody timed them", function()
    local found = curves("A100-80GB-SXM")
    assert.equal(found.moe16.u, found.moe16_packed.u)
    assert.is_true(found.moe16_packed.w < found.moe16.w)
  end)
end)

describe("experts of scaled blocks", function()
  it("lose less of a peak that is less of what adds up their blocks", function()
    local h20, h100 = devices.get("H20"), devices.get("H100")
    local slow, fast = serving_curves.get(h20), serving_curves.get(h100)
    assert.equal(fitted["H100-SXM-80GB"].moe8_block.u, fast.moe8_block.u)
    assert.equal(slow.moe8.u, slow.moe8_block.u)
    local half = tables.with(h100, { bf16_flop_s = 0.75 * h100.bf16_flop_s })
    assert.near(fast.moe8_block.u / 0.75, serving_curves.get(half).moe8_block.u, 1e-12)
    assert.equal(fast.moe8_block.w, slow.moe8_block.w)
  end)
end)

describe("attention of prompts in 8 bit", function()
  it("is of chips that later FlashAttention has kernels for, whoever timed it elsewhere", function()
    for name, has in pairs({ ["H100-SXM-80GB"] = true, GB200 = true, L40S = false, ["A100-80GB-SXM"] = false }) do
      assert.equal(has, curves(name).prompts8, name)
    end
  end)

  -- 8 heads of 128, one prompt of 8,192 tokens: 332 us in 16 bit and 272 in 8 on H100 (ai-dynamo/aiconfigurator@095f58a51c).
  it("takes less than in 16 bit, by what was timed", function()
    local h100, h20 = devices.get("H100-SXM-80GB"), devices.get("H20")
    local function time_s(device, curve)
      return core.attention({ device = tables.with(device, { attention = curve }), heads = 8, kv_heads = 1, head_dim = 128,
        seq_q = 8192 }).time_s
    end
    local wide = time_s(h100, h100.attention)
    assert.near(272 / 332, time_s(h100, curves("H100-SXM-80GB").prompt8) / wide, 0.08)
    assert.is_true(time_s(h20, (serving_curves.get(h20)).prompt8) < time_s(h20, h20.attention))
  end)

  it("is what vLLM and TensorRT-LLM do with a cache in fp8", function()
    assert.is_true(engines.get("vllm").narrow_prompts)
    assert.is_true(engines.get("trtllm").narrow_prompts)
    assert.is_nil(engines.get("sglang").narrow_prompts)
  end)
end)

describe("engines", function()
  it("capture prompts in pieces since vLLM V1, the others not", function()
    assert.is_true(engines.get("vllm").graph_pieces)
    assert.is_false((engines.published("vllm 0.6.3", nil)).graph_pieces)
    assert.is_nil(engines.get("sglang").graph_pieces)
    assert.is_nil(engines.get("trtllm").graph_pieces)
  end)

  it("capture no graphs before vLLM 0.2.6, of December 2023", function()
    for text, tokens in pairs({ ["vllm 0.2"] = 0, ["vLLM 0.1.7"] = 0, ["vllm 0.2.5"] = 0, ["vllm 2023"] = 0, ["vllm 0.2.6"] = 256,
      ["vllm 0.2.7"] = 256, ["vllm 0.6.3"] = 256, ["vllm 2024"] = 256, vllm_v0 = 256 }) do
      assert.equal(tokens, (engines.published(text, nil)).graph_tokens, text)
    end
  end)

  it("fetch tokens of experts in their kernels or permute them", function()
    assert.equal("16_bit", engines.get("vllm").gathers)
    assert.equal("8_bit", engines.get("sglang").gathers)
    assert.is_nil(engines.get("trtllm").gathers)
  end)
end)

describe("experts dealt to more ranks than a host has", function()
  local catalog = require("ballpark.catalog")

  local function step(ranks, engine)
    local cluster = catalog.cluster({ device = "H100", devices = ranks })
    engine = tables.with(engines.get("sglang"), engine or {})
    return core.infer_step({ model = catalog.model("deepseek-v3"), device = cluster.device, network = cluster.network, engine = engine,
      curves = (serving_curves.get(cluster.device)), plan = { tp = 1, dp = ranks, ep = ranks, weights = "fp8", experts = "fp8" },
      prompts = 4 * ranks, prompt_tokens = 16384 * ranks })
  end

  local function skewed(ranks) return step(ranks).moe_s / step(ranks, { expert_skew = 0 }).moe_s end

  it("are balanced", function()
    assert.is_true(skewed(32) < skewed(8))
  end)

  it("compute under the traffic of the other half of the tokens", function()
    local one, four = step(8), step(32)
    assert.is_true(four.collective_s < 0.5 * one.collective_s)
  end)
end)

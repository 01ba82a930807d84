-- core.train_step as scripts see it: the answer's shape, and the words in which bad input is refused.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local function device()
  return {
    memory_bytes = 80000000000, mem_bw_bytes_s = 3e12, bf16_flop_s = 1e15, fp8_flop_s = 2e15, tdp_w = 700,
  }
end

local function llama()
  return {
    name = "Llama 70B", layers = 80, hidden = 8192, heads = 64, kv_heads = 8, ffn_hidden = 28672, vocab = 128256,
  }
end

local function input()
  return {
    model = llama(),
    device = device(),
    network = { devices = 64, scaleup = { bw_bytes_s = 450e9 }, scaleout = { bw_bytes_s = 50e9 } },
    plan = { tp = 8, pp = 4 },
    job = { global_batch = 64, seq_len = 4096 },
  }
end

-- The message of core.train_step after change(input) has spoilt a good input.
local function message(change)
  local given = input()
  change(given)
  local text, object = errors.catch(core.train_step, given)
  assert.is_not_nil(text, "was accepted")
  assert.is_true(errors.is(object), "not an error of ours: " .. tostring(text))
  assert.equal("input", object.kind)
  return text
end

local function set(path, value)
  return function(given)
    local parent, key = path:match("^(.*)%.([^.]+)$")
    local at = given
    for name in (parent or ""):gmatch("[^.]+") do at = at[name] end
    at[key or path] = value
  end
end

describe("the answer of train_step", function()
  it("holds plan, memory and time", function()
    local answer = core.train_step(input())
    assert.is_true(answer.fits)
    assert.equal(2, answer.plan.dp)
    assert.equal(2, answer.plan.shard)
    assert.equal("none", answer.plan.recompute)
    assert.equal(0, answer.memory.stage)
    assert.equal("compute", answer.time.bound)
    assert.equal(32, answer.time.micro_batches)
  end)

  it("gathers again, by PyTorch's policy, what goes into matmuls between tensor-parallel ranks", function()
    local function time(profile, link_bytes_s)
      local given = input()
      given.plan = { tp = 8, sequence_parallel = true, recompute = "selective", overlap_tp = false }
      given.profile = profile
      given.network.scaleup = { bw_bytes_s = link_bytes_s, alpha_s = 0, step_s = 0, ramp = 0 }
      return core.train_step(given).time
    end
    local function moved(name, profile) return time(profile, 45e9)[name] - time(profile, 450e9)[name] end
    -- Traffic of forward is half of all; half of it is gathers.
    local policy = { selective = "policy", whole_inputs = true }
    assert.near(moved("tp_s", policy) / 4, moved("recompute_s", policy), 1e-9)
    assert.near(0, moved("recompute_s", { selective = "attention" }), 1e-9)
  end)

  it("casts nothing for experts whose kernels cast what they write", function()
    local function matmul(casts, precision)
      local given = input()
      given.device.gemm8 = { q = 3 }
      given.model.experts, given.model.topk = 8, 2
      given.plan = { tp = 1, pp = 4, ep = 8, precision = precision }
      given.profile = { expert_casts = casts }
      return core.train_step(given).time.matmul_s
    end
    assert.is_true(matmul("fused", "fp8") < matmul("separate", "fp8"))
    assert.equal(matmul("separate", "bf16"), matmul("fused", "bf16"))
  end)

  it("keeps weight gradients of int8 in 16 bit", function()
    local given = input()
    given.device.int8_flop_s = 2 * given.device.bf16_flop_s
    local bf16 = core.train_step(given).time.step_s
    given.plan.precision = "fp8"
    local fp8 = core.train_step(given).time.step_s
    given.plan.precision = "int8"
    local int8 = core.train_step(given).time.step_s
    -- Two of three matmuls at twice the rate: 3 / (2 / 2 + 1) = 1.5 at the most.
    assert.is_true(int8 > fp8)
    assert.is_true(int8 > bf16 / 1.5 and int8 < bf16)
  end)

  it("pages moments under backward where that updates the weights", function()
    local given = input()
    given.model = { layers = 32, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, vocab = 128256 }
    given.device.memory_bytes = 24e9
    given.network = { devices = 1 }
    given.plan = { optimizer = "paged_adam_8bit", master_bytes = 0, grad_bytes = 2, recompute = "full" }
    given.job = { global_batch = 1, seq_len = 4096 }
    local after = core.train_step(given).time
    assert.is_true(after.offload_s > 0)
    given.plan.update_in_backward = true
    local during = core.train_step(given).time
    assert.is_true(during.offload_s < after.offload_s and during.step_s < after.step_s)
  end)

  it("attends inside documents as to so many sequences of their length, where attention is fused", function()
    local function attention_s(job, micro_batch, flash)
      local given = input()
      given.plan, given.job = { tp = 1, pp = 1, micro_batch = micro_batch, flash = flash }, job
      return core.train_step(given).time.attention_s
    end
    local documents = { global_batch = 64, seq_len = 8192, document_tok = 1024 }
    local short = { global_batch = 512, seq_len = 1024 }
    local whole = { global_batch = 64, seq_len = 8192 }
    assert.near(1, attention_s(documents, 1, true) / attention_s(short, 8, true), 1e-12)
    assert.is_true(attention_s(documents, 1, true) < attention_s(whole, 1, true) / 2)
    assert.equal(attention_s(whole, 1, false), attention_s(documents, 1, false))
    documents.document_tok = 9000
    assert.equal(attention_s(whole, 1, true), attention_s(documents, 1, true))
  end)

  it("has parts that add up", function()
    local answer = core.train_step(input())
    local m, t = answer.memory, answer.time
    assert.equal(m.total_bytes, m.weights_bytes + m.gradients_bytes + m.optimizer_bytes + m.activations_bytes
      + m.working_bytes + m.logits_bytes + m.overhead_bytes)
    local sum = t.matmul_s + t.attention_s + t.elementwise_s + t.recompute_s + t.host_s + t.tp_s + t.cp_s
      + t.ep_s + t.pp_s + t.bubble_s + t.dp_s + t.optimizer_s + t.offload_s + t.straggler_s
    assert.is_true(math.abs(sum / t.step_s - 1) < 1e-12)
  end)

  it("is the same every time, and leaves its input alone", function()
    local given = input()
    local first, second = core.train_step(given), core.train_step(given)
    assert.same(first, second)
    assert.same(input(), given)
  end)

  it("takes its own plan back", function()
    local given = input()
    local first = core.train_step(given)
    given.plan = first.plan
    assert.same(first, core.train_step(given))
  end)

  it("says that something does not fit instead of failing", function()
    local given = input()
    given.plan = { tp = 8 }
    given.device.memory_bytes = 20000000000
    local answer = core.train_step(given)
    assert.is_false(answer.fits)
    assert.equal("memory capacity", answer.time.bound)
    assert.is_true(answer.memory.total_bytes > answer.memory.capacity_bytes)
  end)
end)

describe("bad input of train_step", function()
  local cases = {
    -- unknown, missing, of the wrong type
    { "model.layer", 80, "model.layer: unknown field, did you mean 'layers'?" },
    { "plan.recompte", "full", "plan.recompte: unknown field, did you mean 'recompute'?" },
    { "modell", {}, "train_step.modell: unknown field, did you mean 'model'?" },
    { "device.gemm16", { uu = 1 }, "device.gemm16.uu: unknown field, did you mean 'u'?" },
    { "model", nil, "model: is missing" },
    { "model.layers", nil, "model.layers: is missing" },
    { "job.seq_len", nil, "job.seq_len: is missing" },
    { "network.devices", nil, "network.devices: is missing" },
    { "device.bf16_flop_s", nil, "device.bf16_flop_s: is missing" },
    { "model.layers", "80", "model.layers: must be a whole number, got the text '80'" },
    { "model.layers", 80.5, "model.layers: must be a whole number, got a fraction" },
    { "device.memory_bytes", true, "device.memory_bytes: must be a whole number in B, got boolean" },
    { "plan.flash", 1, "plan.flash: must be true or false, got number" },
    { "plan", 8, "plan: must be a table, got number" },
    { "plan.recompute", "ful", "plan.recompute: 'ful' is not one of full, none, selective, did you mean 'full'?" },
    { "plan.precision", "bf8", nil },
    -- out of range
    { "model.layers", 0, "model.layers: must be from 1 to 100000, got 0" },
    { "plan.zero", 4, "plan.zero: must be from 0 to 3, got 4" },
    { "plan.recompute_share", 1.5, "plan.recompute_share: must be from 0 to 1 frac, got 1.5" },
    { "plan.recompute_share", 0 / 0, nil },
    { "device.mem_bw_bytes_s", -1, nil },
    -- contradictions
    { "model.kv_heads", 7, "model.kv_heads: 7 does not divide 64 attention heads" },
    { "plan.tp", 3, "plan.tp: tp 3 * pp 4 * cp 1 does not divide 64 devices" },
    { "plan.dp", 3, "plan.dp: tp 8 * pp 4 * cp 1 * dp 3 = 96 devices, the cluster has 64" },
    { "plan.ep", 2, "plan.ep: expert parallelism, but the model has no experts" },
    { "plan.vpp", 30, "plan.vpp: pp 4 * vpp 30 = 120 chunks, more than 80 layers" },
    { "plan.micro_batch", 5, "plan.micro_batch: dp 2 * micro_batch 5 = 10 does not divide the global batch 64" },
    { "plan.precision", "nvfp4", "plan.precision: the device has no nvfp4 arithmetic" },
    { "plan.precision", "mxfp8", "plan.precision: the device has no mxfp8 arithmetic" },
    { "network.scaleout.bw_bytes_s", 0,
      "network.scaleout.bw_bytes_s: is 0, but 64 devices exceed one domain of 8" },
  }
  for index, case in ipairs(cases) do
    local path, value, expected = table.unpack(case, 1, 3)
    it(("%d: %s = %s"):format(index, path, tostring(value)), function()
      local text = message(set(path, value))
      if expected then
        assert.equal(expected, text)
      else
        assert.equal(path .. ": ", text:sub(1, #path + 2))
      end
    end)
  end

  it("names heads that do not divide", function()
    local text = message(function(given)
      given.network.devices = 96
      given.job.global_batch = 32
      given.plan = { tp = 3 }
    end)
    assert.equal("plan.tp: 3 does not divide 64 attention heads", text)
  end)

  it("refuses what is not a table", function()
    assert.equal("train_step: must be a table", errors.catch(core.train_step, 1))
    assert.equal("train_step: takes named fields, not a list (key 1)", errors.catch(core.train_step, { llama() }))
  end)
end)

describe("attention in fp32", function()
  -- The attention of long sequences, at a sixteenth of the 16-bit peak.
  local function long(precision, flash)
    local given = input()
    given.device.fp32_flop_s = given.device.bf16_flop_s / 16
    given.device.attention = { u = 0.6 }
    given.job.seq_len = 262144
    given.plan.precision, given.plan.flash = precision, flash
    return core.train_step(given).time
  end

  it("is at the fp32 peak, fused or not", function()
    for _, flash in ipairs({ true, false }) do
      local wide, narrow = long("fp32", flash), long("bf16", flash)
      assert.is_true(wide.hfu_frac < 1)
      assert.is_true(wide.attention_s > (flash and 14 or 2) * narrow.attention_s)
      assert.is_true(wide.attention_s < 16.5 * narrow.attention_s)
    end
  end)
end)

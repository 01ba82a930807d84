-- Measured memory of rows: its units and what of it is compared.
local columns = require("ballpark.measured.training_columns")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local memory_fit = require("ballpark.catalog.fitted.memory")
local models = require("ballpark.catalog.models")
local profiles = require("ballpark.catalog.profiles")
local shapes = require("ballpark.resolve.shapes")
local training_case = require("ballpark.validate.training_case")
local target = require("ballpark.validate.target")

local GiB <const> = 1 << 30

local row = {
  case_id = "a-1", year = "2024", model = "test", layers = "16", hidden = "2048", heads = "16", kv_heads = "16",
  ffn_hidden = "8192", vocab = "131072", seq_len = "2048", gpu = "H100-SXM-80GB", gpus = "16",
  gpus_per_node = "8", precision = "bf16", flash = "1", tp = "2", pp = "2", vpp = "1", dp = "4", cp = "1",
  zero = "1", sequence_parallel = "1", recompute = "none", micro_batch = "1", global_batch_seqs = "32",
  framework = "megatron-core",
}

local function resolve(changes)
  local cells = {}
  for key, value in pairs(row) do cells[key] = value end
  for key, value in pairs(changes) do cells[key] = value end
  return training_case.of(columns.row(cells), { estimate = core.train_step })
end

describe("memory of a row", function()
  it("has gradients in the format in which the class adds them up", function()
    assert.equal(2, resolve({ framework = "megatron-deepspeed", precision = "fp16" }).plan.grad_bytes)
    assert.equal(4, resolve({ framework = "megatron-deepspeed" }).plan.grad_bytes)
    assert.equal(4, resolve({ precision = "fp16" }).plan.grad_bytes)
    local function nemo(year, precision, zero)
      return resolve({ framework = "NeMo", year = year, precision = precision, zero = zero }).plan.grad_bytes
    end
    assert.same({ 2, 4, 2, 4, 2 }, { nemo("2024", "fp8", "1"), nemo("2024", "fp8", "3"), nemo("2024", "bf16", "1"),
      nemo("2022", "fp8", "1"), nemo("2025", "fp8", "3") })
    assert.equal(4, resolve({ framework = "megatron-core", year = "2024", precision = "fp8" }).plan.grad_bytes)
    -- Megatron-FSDP, and nothing else of that software.
    local function fsdp(year, zero) return resolve({ framework = "megatron-core", year = year, zero = zero }).plan.grad_bytes end
    assert.same({ 2, 4, 4 }, { fsdp("2025", "3"), fsdp("2024", "3"), fsdp("2025", "1") })
    local function released(version) return resolve({ year = "", software_version = version }).plan end
    assert.same({ 2, 4 }, { released("25.09").grad_bytes, released("0.9.0").grad_bytes })
    assert.same({ "fused" }, { released("25.09").cross_entropy, released("0.9.0").cross_entropy })
  end)

  it("is of InternEvo's update, with an fp32 gradient and copies of AdamW's until its kernel was fused", function()
    local function peak(year)
      -- A short step: nothing of its activations is as large as what the update copies.
      local case = resolve({ framework = "InternEvo", year = year, gpus = "1", tp = "1", pp = "1", dp = "1", seq_len = "128",
        global_batch_seqs = "1", recompute = "full" })
      return case.out.memory, case.plan.grad_bytes, shapes.params(case.model)
    end
    local before, grad_bytes, params = peak("2023")
    assert.equal(2, grad_bytes)
    -- Weights 2, master weight and moments 12, gradient 4, root and quotient 8.
    local of_states = before.total_bytes - before.overhead_bytes
    assert.near(26, of_states / params, 0.3)
    assert.is_true(peak("2024").total_bytes < before.total_bytes)
  end)

  it("has of NeMo's master weights what the 16-bit ones lack, until 2024", function()
    local function nemo(year, precision) return resolve({ framework = "NeMo", year = year, precision = precision }).plan end
    assert.same({ 2, 2, 4 }, { nemo("2024", "bf16").master_bytes, nemo("2023", "fp8").master_bytes,
      nemo("2025", "bf16").master_bytes or 4 })
  end)

  it("has on the host what notes or columns say", function()
    assert.equal(0.25, resolve({ layers = "8", notes = "activation/weight CPU offload 2 layers; x" }).plan.offload_activations)
    assert.equal(0.5, resolve({ layers = "8", offload_layers = "4" }).plan.offload_activations)
    local function offload(changes) return resolve(changes).plan.offload or "none" end
    assert.equal("optimizer_weights", offload({ notes = "LoRA; CPU offload; GiB" }))
    assert.equal("none", offload({ notes = "HFU 50 %; CPU offload False; GiB" }))
    assert.equal("optimizer", offload({ offload = "optimizer" }))
  end)

  it("has the optimizer in the words of its source", function()
    local plan = resolve({ optimizer_label = "8bit+paged+in_backward", global_batch_seqs = "4" }).plan
    assert.same({ "paged_adam_8bit", true }, { plan.optimizer, plan.update_in_backward })
    assert.equal("lion", resolve({ optimizer_label = "8bit", optimizer = "lion" }).plan.optimizer)
  end)

  it("has stages cut as the class cuts them", function()
    assert.equal("work", resolve({ framework = "nanotron" }).plan.split)
    assert.is_nil(resolve({ framework = "nanotron", pp = "1", dp = "8" }).plan.split)
    assert.is_nil(resolve({}).plan.split)
  end)

  it("has adapters where the name of the model says so, and recomputes nothing that fits", function()
    local case = resolve({ model = "Llama 1B (QLoRA finetune)", recompute = "" })
    assert.same({ 16, 4, "none" }, { case.plan.lora_rank, case.plan.base_bits, case.plan.recompute })
    assert.matches("adapters of rank 16 on 4%-bit weights", table.concat(case.assumed, " | "))
    assert.is_nil(resolve({ model = "Llama 1B (lora)" }).plan.base_bits)
    assert.is_nil(resolve({}).plan.lora_rank)
  end)

  it("has optimizer and adapters as columns say", function()
    local plan = resolve({ model = "Llama 1B (QLoRA finetune)", lora_rank = "64", base_bits = "8" }).plan
    assert.same({ 64, 8 }, { plan.lora_rank, plan.base_bits })
    assert.equal(0, resolve({ model = "Llama 1B (lora)", lora_rank = "0" }).plan.lora_rank)
    assert.equal("adam_8bit", resolve({ optimizer = "Adam_8bit" }).plan.optimizer)
    local function states(changes)
      local case = resolve(changes)
      return core.train_step({ model = case.model, device = case.device, network = case.network,
        plan = case.plan, job = case.job, profile = case.profile }).memory.optimizer_bytes
    end
    -- fp32 master and two moments (12 bytes) against a master and two moments of a byte.
    assert.near(2, states({}) / states({ optimizer = "adam_8bit" }), 0.05)
    -- Muon: one moment for matrices, Adam's two for the embedding.
    local muon = states({}) / states({ optimizer = "muon" })
    assert.is_true(muon > 1.1 and muon < 12 / 8)
  end)

  it("keeps what the stated schedule keeps in flight", function()
    -- Qi et al., Zero Bubble Pipeline Parallelism, arXiv:2401.10241, table 4: 6.2B on 8 A100, GB of 1F1B, ZB-1p
    -- and ZB-2p.
    local paper = { year = "2023", model = "GPT 6.2B", layers = "30", hidden = "4096", heads = "32", kv_heads = "32",
      ffn_hidden = "16384", vocab = "50304", seq_len = "1024", gpu = "A100-SXM-80GB", gpus = "8", tp = "1", pp = "8",
      vpp = "", flash = "", dp = "1", micro_batch = "3", global_batch_seqs = "72", sequence_parallel = "0",
      framework = "megatron-lm (zero bubble)" }
    for schedule, measured in pairs({ ["1F1B"] = 39, ["ZB-H1"] = 42, ["ZB-H2"] = 70 }) do
      paper.schedule = schedule
      local case = resolve(paper)
      local out = core.train_step({ model = case.model, device = case.device, network = case.network,
        plan = case.plan, job = case.job, profile = case.profile })
      assert.near(measured, target.memory(case.traits, out.memory), 0.06 * measured)
      assert.not_matches("schedule", table.concat(case.assumed, " | "))
    end
    paper.schedule = ""
    assert.matches("schedule zb_h1", table.concat(resolve(paper).assumed, " | "))
  end)

  it("has unfused attention in the class megatron before 2024", function()
    assert.is_false(resolve({ flash = "", year = "2023" }).plan.flash)
    assert.is_true(resolve({ flash = "", year = "2024" }).plan.flash)
    assert.is_true(resolve({ flash = "", year = "2023", framework = "torchtitan" }).plan.flash)
  end)

  it("is what was allocated in the class megatron, else the whole device", function()
    local memory = { total_bytes = 10 * GiB, overhead_bytes = 3 * GiB }
    assert.equal(7, target.memory({ traits = profiles.traits("megatron") }, memory))
    assert.equal(10, target.memory({ traits = profiles.traits("nanotron") }, memory))
  end)
end)

describe("memory coefficients of a class", function()
  it("are the fitted ones", function()
    for _, class in ipairs({ "megatron", "nanotron", "deepspeed", "internevo" }) do
      local profile = profiles.get(class)
      for field, value in pairs(memory_fit[class]) do
        local shipped = field == "memory_spread" and math.max(value, 0.085) or value
        assert.equal(shipped, profile[field], class .. "." .. field)
      end
    end
  end)

  it("are less certain where nobody measured", function()
    assert.equal(memory_fit.unseen.memory_spread, profiles.get("jax").memory_spread)
    assert.is_true(profiles.get("megatron").memory_spread < profiles.get("generic").memory_spread)
    assert.is_nil(profiles.get("nanotron").unseen)
  end)
end)

describe("fine-tuning", function()
  local function memory(plan)
    plan.dp = 1
    return core.train_step({ model = models.get("Llama-3.1-8B"), device = devices.get("H100-SXM-80GB"),
      network = { devices = 1 }, plan = plan, job = { global_batch = 1, seq_len = 2048 } }).memory
  end

  it("of all weights keeps what the optimizer needs, adapters next to nothing", function()
    local full, lora = memory({}), memory({ lora_rank = 16 })
    assert.is_true(full.total_bytes > 8e9 * 18)
    assert.is_true(lora.optimizer_bytes < full.optimizer_bytes / 100)
    assert.is_true(lora.total_bytes < full.total_bytes / 4)
    assert.is_true(memory({ lora_rank = 16, base_bits = 4 }).total_bytes < lora.total_bytes - 8e9)
  end)

  it("with states on the host or in 8 bit needs less", function()
    local full = memory({}).total_bytes
    local order = { { optimizer = "adam_bf16" }, { optimizer = "adam_8bit" },
      { optimizer = "adam_8bit", master_bytes = 0 }, { offload = "optimizer" }, { offload = "optimizer_weights" } }
    for _, plan in ipairs(order) do
      local total = memory(plan).total_bytes
      assert.is_true(total < full)
      full = total
    end
  end)
end)

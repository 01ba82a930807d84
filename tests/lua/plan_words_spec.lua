-- What people write in tables of training runs, and what is read of it. Words are those of frameworks' options, of
-- recipes and of cluster descriptions.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local cells = require("ballpark.measured.cells")
local described_model = require("ballpark.resolve.described_model")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local left_open = require("ballpark.resolve.training.left_open")
local network_words = require("ballpark.catalog.network_words")
local plan_words = require("ballpark.measured.plan_words")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")
local measured_row = dofile(here .. "/measured_row.lua")
local resolve, said = measured_row.resolve, measured_row.said

-- Every text of `read` as each of the pairs says.
local function reads(read, pairs_of)
  for text, value in pairs(pairs_of) do
    if value == "nothing" then value = nil end
    assert.equal(value, read(text), text)
  end
end

describe("words of a plan", function()
  it("name the format of matmuls and the scales of 8 bit", function()
    reads(plan_words.precision, { ["float8 tensorwise"] = "fp8", ["FP8-MX"] = "mxfp8", ["fp8_mx"] = "mxfp8",
      MXFP8 = "mxfp8", ["FP8-CS"] = "fp8", NVFP4 = "nvfp4", ["bf16-mixed"] = "bf16", mixed_bfloat16 = "bf16",
      amp_fp8 = "fp8", ["bf16 + fp32 gradient accumulation"] = "bf16", ["int8 (AQT)"] = "int8", posit = "nothing" })
    reads(plan_words.fp8_recipe, { ["float8 rowwise"] = "rowwise", ["fp8 (128x128 blocks)"] = "blockwise",
      ["FP8-CS"] = "current", ["FP8-DS"] = "delayed", ["fp8 (delayed scaling)"] = "delayed", fp8 = "nothing",
      mxfp8 = "nothing", ["bf16 (32x32 tiles)"] = "nothing" })
  end)

  it("say what is computed again", function()
    reads(plan_words.recompute, { ["selective (op)"] = "selective", ["per-op SAC"] = "selective", ["full AC"] = "full",
      ["activation checkpointing: full"] = "full", ["no AC"] = "none", ["gradient checkpointing"] = "full",
      ["w/o checkpointing"] = "none", uniform = "full", block = "full", minimal_flash = "selective",
      save_dot_except_mlpwi = "selective", qkv_proj_offloaded = "selective", rematerialization = "full", on = "full",
      disabled = "none", ["0"] = "none", sometimes = "nothing" })
    assert.equal("none", resolve({ recompute = "-" }).plan.recompute) -- says nothing, and all fits
    assert.is_true(resolve({ recompute = "core_attn+layernorm" }).plan.recompute_norms)
    assert.equal(1, resolve({ recompute = "full + CPU offload" }).plan.offload_activations)
  end)

  it("say how states are sharded", function()
    reads(plan_words.zero, { ["fully_shard"] = 3, FULL_SHARD = 3, ["FSDP SHARD_GRAD_OP"] = 2, _HYBRID_SHARD_ZERO2 = 2,
      ["ZeRO++"] = 3, MiCS = 3, zero3_offload = 3, ["distributed optimizer"] = 1, DDP = 0, ["dp_shard=8"] = 3,
      ["ZeRO stage 2"] = 2, ["2D mesh"] = "nothing" })
    reads(plan_words.shard, { ["FSDP2"] = "nothing", FSDPv2 = "nothing", ["FSDP x128, DP x2"] = "128",
      ["dp_replicate=8 dp_shard=4"] = "4", ["HSDP 4x32"] = "32", ["hsdp=8x4"] = "4", ["hybrid_shard 32, TP 4"] = "32",
      ici_fsdp_parallelism = "nothing", ["ici_fsdp_parallelism=64"] = "64", ["ZeRO-3 (partition group 16)"] = "16" })
    assert.equal(8, plan_words.replicas("dp_replicate=8"))
    assert.equal(32, plan_words.replicas("HSDP (32 replicas)"))
    -- Four ranks split the batch: two replicas of two shards; a node of eight holds them all.
    assert.equal(2, resolve({ zero = "", sharding_label = "HSDP (2 replicas)" }).plan.shard)
    assert.equal(3, resolve({ zero = "", sharding_label = "HYBRID_SHARD" }).plan.zero)
    assert.equal("optimizer_weights", resolve({ zero = "", sharding_label = "zero3_offload" }).plan.offload)
  end)

  it("say ranks that no column has", function()
    local found = plan_words.ranks("ici_fsdp_parallelism=64 ici_tensor_parallelism=8 dcn_data_parallelism=2")
    assert.same({ tp = 8 }, found)
    assert.same({ pp = 8, ep = 32 }, plan_words.ranks("FSDP2 dp_shard=32, EP=32, PP=8"))
    local case = resolve({ tp = "", dp = "", zero = "", sharding_label = "FSDP2, TP 4" })
    assert.same({ 4, 2, 2 }, { case.plan.tp, case.plan.pp, case.plan.dp })
    -- Ranks that do not divide the devices are somebody else's.
    assert.equal(1, resolve({ tp = "", dp = "", zero = "", sharding_label = "FSDP2, TP 7" }).plan.tp)
  end)

  it("name optimizers, schedules and settings of experts", function()
    reads(plan_words.optimizer, { adamw_torch = "adam", paged_adamw_8bit = "paged_adam_8bit",
      adamw_bnb_8bit = "adam_8bit", ["distributed fused adam"] = "adam", adam_bf16 = "adam_bf16", Muon = "muon",
      lamb = "adam", shampoo = "nothing" })
    assert.equal("paged_adam_8bit", resolve({ optimizer_label = "8bit+paged+in_backward" }).plan.optimizer)
    reads(plan_words.schedule, { Interleaved1F1B = false, DualPipe = "dualpipe", DualPipeV = "dualpipe_v",
      ZBVZeroBubble = "zbv", ["zb_1p"] = "zb_h1", ["1F1B"] = "1f1b", LoopedBFS = "breadth_first", other = "nothing" })
    reads(plan_words.stages, { ["4"] = 4, ["interleaved x5"] = 5, ["max (1 layer per chunk)"] = "max", interleaved = "some", none = 1,
      ["0"] = 1, ["4.5"] = "nothing" })
    assert.equal("vpp: '1,024' is not one of a whole number, interleaved, max, none", (errors.catch(resolve, { vpp = "1,024" })))
    reads(plan_words.dispatcher, { ["flex (DeepEP)"] = "deepep", ["all-to-all"] = "alltoall", HybridEP = "hybridep" })
    reads(plan_words.graphs, { ["full-iteration"] = "full_iteration", ["moe_router,attn"] = "transformer_engine",
      True = "on", off = "none" })
    reads(plan_words.tp_overlap, { ["async TP"] = true, tp_comm_overlap = true, none = false, maybe = "nothing" })
    reads(plan_words.routing, { force_balance = "balanced", forced = "balanced", natural = "natural" })
    assert.is_true(cells.value("compiled", "flag", "Enabled"))
    assert.is_false(cells.value("compiled", "flag", "off"))
    -- A recipe in the words for the precision counts where no column has one.
    assert.equal("mxfp8", resolve({ precision = "FP8-MX" }).plan.precision)
  end)
end)

describe("a row", function()
  it("with a batch that its ranks do not share has the nearest that they do", function()
    local case = resolve({ global_batch_seqs = "201" }) -- four ranks of one sequence
    assert.equal(200, case.job.global_batch)
    assert.matches("global batch 200, the nearest to 201 that 4 ranks share", said(case), 1, true)
    -- 33 is off by more than rounding.
    assert.equal(33, resolve({ global_batch_seqs = "33" }).job.global_batch)
  end)

  it("are the least that ranks divide, and of more than any network has none", function()
    local blank <const> = { gpus = "", tp = "", pp = "", dp = "", zero = "", global_batch_seqs = "", step_s = "", mfu_pct = "40" }
    -- Nodes of 8 and stages of 3 with 5 tensor-parallel ranks: 8 * 15. With 6 context-parallel ranks 90 = 2 * 9 * 5: 8 * 9 * 5.
    assert.equal(120, resolve(tables.with(blank, { tp = "5", pp = "3" })).devices)
    assert.equal(360, resolve(tables.with(blank, { tp = "5", pp = "3", cp = "6" })).devices)
    local most <const> = "9223372036854775807"
    for words, ranks in pairs({ ["plan.pp: must be from 1 to 65536, got 9.22337203685478e+18"] = { pp = most },
      ["plan.tp: must be from 1 to 65536, got 1000000000"] = { tp = "1000000000" },
      ["plan.pp: must be from 1 to 65536, got 4294967296"] = { pp = "4294967296", tp = "4294967296", dp = "1" },
      -- 1009 and 1013 * 1019 are prime to each other, and to nodes of 8: 8 * 1009 * 1013 * 1019 in all.
      ["network.devices: must be from 1 to 100000000, got 1041537223"] = { pp = "1009", ep = "1013", etp = "1019" },
      ["network.devices: must be from 1 to 100000000, got 4294967296"] = { pp = "65536", tp = "65536" },
      ["network.devices: must be from 1 to 100000000, got 2.81474976710656e+22"] = { pp = "65536", tp = "65536", cp = "65536", dp = "100000000" },
      ["plan.micro_batch: must be from 1 to 1000000, got 4.61168601842739e+18"] = { dp = "4", micro_batch = "4611686018427387904" },
      ["plan.shard: must be from 1 to 100000000, got 9.22337203685478e+18"] = { gpus = "64", zero = "3", dp_shard = most } }) do
      assert.equal(words, (errors.catch(resolve, tables.with(blank, ranks))))
    end
    -- Ranks of a label that no device is left for say nothing.
    assert.equal(1, resolve({ sharding_label = "ici_tensor_parallelism=4294967296, ici_pipeline_parallelism=4294967296", tp = "", pp = "", dp = "" }).plan.pp)
    -- 99999989 is a prime.
    assert.equal("dp_shard: groups of 99999 do not divide the 99999989 ranks of the batch, near it are 1 and 99999989",
      (errors.catch(resolve, tables.with(blank, { gpus = "99999989", zero = "3", dp_shard = "99999" }))))
  end)

  it("of a rate per device may leave their number open", function()
    local blank = { gpus = "", tp = "", pp = "", dp = "", zero = "3", framework = "torchtitan", global_batch_seqs = "",
      model = "Llama 3.1 70B", layers = "", hidden = "", heads = "", kv_heads = "", ffn_hidden = "", vocab = "",
      mfu_pct = "40" }
    local case = resolve(blank)
    -- 36 bytes for each of 70.6 billion parameters on devices of 80 GiB: 29.6, so four nodes of eight.
    assert.equal(32, case.devices)
    assert.matches("32 devices, enough for the model", said(case), 1, true)
    assert.is_true(tables.contains(case.open, "devices"))
    -- Their batch may be known, and ranks that fill some of them: three stages lie on a multiple of 24 devices.
    blank.global_batch_seqs, blank.pp = "1536", "3"
    assert.equal(48, resolve(blank).devices)
    blank.global_batch_seqs, blank.pp = "512", ""
    case = resolve(blank)
    assert.equal(32, case.devices)
    -- Of the estimate here a step takes as long on any number of them: so much more of their time for a token.
    local fewer, more = table.unpack((left_open.moves(case, case.out, "devices")))
    assert.near(0, fewer.step, 1e-9)
    assert.near(-math.log(4), fewer.token, 1e-9)
    assert.near(math.log(4), more.token, 1e-9)
    blank.step_s = "3" -- of how many devices a step is, has to be known
    assert.matches("gpus: not stated", (errors.catch(resolve, blank)))
    -- 512 sequences of 2048 tokens in 3 s are 349525 tokens a second, of 5461 on each of 64.
    blank.tokens_per_s_per_gpu = "5461"
    case = resolve(blank)
    assert.equal(64, case.devices)
    assert.is_false(tables.contains(case.open, "devices"))
    blank.tokens_per_s_per_gpu = "200000" -- 1.75 devices
    assert.matches("gpus: not stated", (errors.catch(resolve, blank)))
  end)

  it("of FSDP alone leaves no ranks open, and of Megatron does", function()
    local fsdp = { framework = "torchtitan", tp = "", pp = "", dp = "", zero = "3" }
    local function opens(case) return tables.contains(case.open, "ranks") end
    assert.is_false(opens(resolve(fsdp)))
    assert.matches("tp, pp 1, dp 16", said(resolve(fsdp)), 1, true)
    fsdp.framework, fsdp.zero = "megatron-core", "1"
    assert.is_true(opens(resolve(fsdp)))
  end)

  it("of Megatron with selective recomputation splits sequences, whatever its year", function()
    local changes = { year = "2022", sequence_parallel = "", recompute = "selective" }
    assert.is_true(resolve(changes).plan.sequence_parallel)
    changes.recompute = "full"
    assert.is_false(resolve(changes).plan.sequence_parallel)
  end)
end)

describe("a name", function()
  local function shape(name) return (described_model.of({ model = name, params_rounding_b = 0.5 }, 2048)) end

  it("of a model may say more than the model", function()
    assert.equal("Llama-3.1-405B", shape("Llama 3.1 405B long context").name)
    assert.equal("Llama-3-8B", shape("Llama 3 8B 128k").name)
    assert.equal("Llama-4-Scout-17B-16E", shape("Llama 4 Scout 17Bx16E").name)
    assert.equal("Qwen3-30B-A3B", shape("Qwen3 30B-A3B MoE").name)
  end)

  it("with another size is another model", function()
    -- GPT-3 without a size is the one of 175 billion; GPT-5 is closed, and this is not it.
    assert.is_true(shape("GPT 5B").hidden < 6000)
    assert.is_true(shape("GPT3 5B").hidden < 6000)
    assert.equal(12288, shape("GPT-175B").hidden)
    assert.is_nil(described_model.of({ model = "Gemma-4 4B", arch = "dense", params_rounding_b = 0.5 }, 2048).name)
  end)

  it("of software means its class on the devices of a vendor", function()
    assert.equal("fsdp", (profiles.classify("NeMo Automodel", "NVIDIA")))
    assert.equal("fsdp", (profiles.classify("alpaca-lora", "NVIDIA")))
    assert.equal("gaudi", (profiles.classify("DeepSpeed", "Intel")))
    assert.equal("ascend", (profiles.classify("Megatron-LM", "Huawei")))
    assert.equal("neuron", (profiles.classify("NeMo Megatron", "AWS")))
    assert.equal("deepspeed", (profiles.classify("DeepSpeed", "AMD")))
    assert.equal("megatron", (profiles.classify("slime", "NVIDIA")))
  end)

  it("of a device may be that of its card or machine", function()
    assert.equal("Gaudi3", devices.resolve("HL-325L"))
    assert.equal("H100-SXM-80GB", devices.resolve("ND H100 v5"))
    assert.equal("B200-SXM-180GB", devices.resolve("a4-highgpu-8g"))
  end)
end)

describe("a network", function()
  local function gbit(device, words)
    local found = network_words.between(words, devices.get(devices.resolve(device)), 8)
    return found.nic_bytes_s and found.nic_bytes_s * 8e-9
  end

  it("may have thousands with commas, and its links counted beside its rate", function()
    assert.equal(400, gbit("H100", "3,200 Gbps EFA"))
    assert.equal(400, gbit("H100", "Infiniband 400Gb/s (8 NICs/node), storage 2x200"))
    assert.equal(50, gbit("V100", "100 Gb/s InfiniBand, 4 per node"))
    assert.equal(100, gbit("A100", "200Gb/s Slingshot-11, 4 NICs"))
    assert.equal(200, gbit("A100", "8x200 Gbps HDR InfiniBand"))
  end)

  it("are of the rate of their generation where no rate is said, and of as many links as are counted", function()
    assert.equal(200, gbit("H100", "HDR InfiniBand"))
    assert.equal(100, gbit("A100", "IB EDR"))
    assert.equal(25, gbit("A100", "EDR InfiniBand, 2 HCAs per node"))
    assert.is_nil(gbit("A100", "InfiniBand NDR")) -- more than the device's adapter can do says nothing of it
  end)
end)

describe("what a row calls things", function()
  it("is read where its columns are blank", function()
    assert.equal("fp16", resolve({ precision = "", precision_label = "mixed precision (fp16)" }).plan.precision)
    assert.equal("mxfp8", resolve({ precision = "", precision_label = "FP8-MX" }).plan.precision)
    assert.equal("bf16", resolve({ precision = "bf16", precision_label = "FP8 rowwise" }).plan.precision)
  end)

  it("is a class of software by what it is built on", function()
    for name, class in pairs({ ["HF Trainer"] = "fsdp", ["Meta Lingua"] = "fsdp", swift = "fsdp", Pathways = "jax" }) do
      assert.equal(class, (profiles.classify(name, "NVIDIA")), name)
    end
  end)
end)

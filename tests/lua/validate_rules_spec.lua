-- What rows of measured training leave blank, rule by rule.
local catalog = require("ballpark.catalog")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local estimating = require("ballpark.questions.estimate.run")
local left_open = require("ballpark.resolve.training.left_open")
local models = require("ballpark.catalog.models")
local names = require("ballpark.resolve.model_names")
local network_words = require("ballpark.catalog.network_words")
local overrides = require("ballpark.scenario.overrides")
local scenario = require("ballpark.scenario")
local training = require("ballpark.resolve.training")
local shapes = require("ballpark.resolve.shapes")
local tables = require("ballpark.tables")
local target = require("ballpark.validate.target")

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local measured_row = dofile(here .. "/measured_row.lua")
local resolve, said = measured_row.resolve, measured_row.said

local GiB <const> = 1 << 30

describe("rules", function()
  it("assume nothing where everything is stated", function()
    local params = { params_b = "0.1531" }
    assert.matches("EFA between nodes.*400 Gbit/s between nodes per device", said(resolve(params)))
    params.interconnect_inter = "8x400 Gb/s IB"
    assert.equal("", said(resolve(params)))
  end)

  it("refuse a misspelt framework and take one that nobody knows for generic", function()
    assert.matches("^software: 'megatorn%-core' is not known, did you mean 'megatron'%?",
      (errors.catch(resolve, { framework = "megatorn-core" })))
    assert.matches("software 'colossalai' taken as generic", said(resolve({ framework = "colossalai" })), 1, true)
  end)

  it("all say what they do", function()
    for _, rule in ipairs(training.table()) do
      assert.is_true(#rule.fact > 0 and #rule.says > 5, rule.fact)
    end
  end)
end)

describe("what is said of the software", function()
  local function profile(changes) return resolve(changes).profile end

  it("gives the year by a release called after its month", function()
    local function year(version) return resolve({ year = "", software_version = version }).year end
    assert.same({ 2025, 2024, 2026, 2026 }, { year("25.09"), year("v24.11.1"), year("r0.8"), year("2.21.0") })
    assert.equal(2024, resolve({ software_version = "25.09" }).year)
  end)

  it("changes what stands for it in the coefficients", function()
    local whole = profile({ cuda_graph = "full_iteration", moe_dispatcher = "hybridep" })
    assert.same({ "compiled", "fused", 2 }, { whole.launches, whole.expert_casts, whole.moe_passes })
    assert.near(1e-5, profile({ cuda_graph = "local" }).host_layer_s, 1e-15)
    assert.equal("waited", profile({ framework = "nanotron" }).pipe_collectives)
    assert.equal("queued", profile({ framework = "nanotron", cuda_graph = "local" }).pipe_collectives)
    assert.equal(profile({}).host_layer_s, profile({ cuda_graph = "on" }).host_layer_s)
    assert.near(53.5 / 22.5, profile({ framework = "fsdp", compiled = "0" }).elementwise_passes, 1e-12)
    assert.equal(1, profile({ framework = "fsdp", compiled = "1" }).elementwise_passes)
    assert.is_true(profile({ framework = "fsdp", compiled = "0" }).eager_scores)
    assert.is_false(profile({ framework = "fsdp", compiled = "1", year = "2022" }).eager_scores)
    assert.equal("each", profile({ year = "2026", moe_dispatcher = "alltoall" }).expert_copies)
    assert.equal("all", profile({ moe_dispatcher = "allgather" }).expert_copies)
    assert.equal("merged", profile({ year = "2024", moe_dispatcher = "deepep" }).expert_copies)
    local hybrid, deep = profile({ moe_dispatcher = "hybridep" }), profile({ moe_dispatcher = "deepep" })
    assert.same({ "merged", "kept" }, { hybrid.expert_copies, hybrid.expert_counts })
    assert.is_true(hybrid.moe_passes < deep.moe_passes)
    assert.is_nil(deep.expert_counts)
    assert.same({ 1.15, 1 }, { profile({ moe_routing = "natural" }).imbalance,
      profile({ moe_routing = "balanced" }).imbalance })
    assert.matches("^software%.cuda_graph: 'ful_iteration' is not one of .* did you mean 'full_iteration'%?",
      (errors.catch(resolve, { cuda_graph = "ful_iteration" })))
  end)
end)

describe("a device with figures in its name", function()
  it("is that of the catalog with them", function()
    local case = resolve({ gpu = "H100-96GB-HBM2e-500W" })
    assert.same({ "H100-SXM-80GB", 96 * GiB, 500 }, { case.device.name, case.device.memory_bytes, case.device.tdp_w })
    assert.near(96 / 80 * 2.039e12, case.device.mem_bw_bytes_s, 1)
    assert.matches("'H100%-96GB%-HBM2e%-500W' is H100%-SXM%-80GB with the figures in that name", said(case))
    local plain = resolve({ gpu = "H100-90GB" }).device
    assert.same({ 90 * GiB, 700 }, { plain.memory_bytes, plain.tdp_w })
    assert.matches("^gpu: 'abacus%-90GB' is not in the catalog", (errors.catch(resolve, { gpu = "abacus-90GB" })))
  end)
end)

describe("a package of two dies", function()
  local blank = { gpu = "MI250", tp = "", pp = "", dp = "", cp = "", gpus = "16", step_s = "" }
  local function read(changes)
    local cells = {}
    for key, value in pairs(blank) do cells[key] = value end
    for key, value in pairs(changes) do cells[key] = value end
    local case = resolve(cells)
    return { case.devices, case.row.tflops_per_gpu, said(case):find("MI250 counts packages of two dies", 1, true) ~= nil }
  end

  it("is counted where ranks, hosts or rates say so, and else its dies are", function()
    local dies, of_packages = { 16, 90.0, false }, { 32, 45.0, true }
    assert.same(dies, read({ tflops_per_gpu = "90" }))
    assert.same(dies, read({ tflops_per_gpu = "90", gpus_per_node = "8" }))
    assert.same(of_packages, read({ tflops_per_gpu = "90", gpus_per_node = "4" }))
    assert.same(of_packages, read({ tflops_per_gpu = "90", tp = "2", dp = "16" }))
    assert.same({ 32, 75.0, true }, read({ tflops_per_gpu = "150" })) -- of 181 a die has at its peak
    assert.same({ 16, 150.0, false }, read({ tflops_per_gpu = "150", tp = "2", dp = "8" }))
    assert.same({ 16, 150.0, false }, read({ tflops_per_gpu = "150", gpu = "MI250-GCD" }))
  end)
end)

describe("layout", function()
  it("derives what is blank from the devices", function()
    assert.equal(4, resolve({ dp = "" }).plan.dp)
    assert.equal(2, resolve({ tp = "" }).plan.tp)
    assert.equal(2, resolve({ pp = "" }).plan.pp)
    assert.equal(16, resolve({ gpus = "" }).devices)
    local all = resolve({ tp = "", pp = "", dp = "", cp = "" }).plan
    assert.same({ 1, 1, 1, 16 }, { all.tp, all.pp, all.cp, all.dp })
  end)

  it("recognises dp that counts context-parallel ranks, or expert groups", function()
    assert.equal(2, resolve({ cp = "2" }).plan.dp)
    local case = resolve({ experts = "8", topk = "2", ep = "4", dp = "1" })
    assert.equal(4, case.plan.dp)
    assert.matches("expert%-parallel", said(case))
  end)

  it("shares sequences where there are fewer of them than ranks", function()
    local plan = resolve({ tp = "", pp = "", dp = "", global_batch_seqs = "4" }).plan
    assert.same({ 4, 4 }, { plan.tp, plan.dp })
  end)

  it("shares them inside a node and among heads that divide, and lets the fullest rank set the pace", function()
    local row = { tp = "", pp = "", dp = "", gpus = "24", global_batch_seqs = "50" }
    local case = resolve(row) -- the fullest of 24 ranks has 3, of 12 it has 5, of 6 it has 9: 44, 20 and 8 % more than its part
    assert.same({ 4, 6, 54 }, { case.plan.tp, case.plan.dp, case.job.global_batch })
    assert.matches("global batch 54, the fullest rank's share of 50 on all", said(case), 1, true)
    row.heads, row.kv_heads = "15", "15"
    assert.same({ 1, 24, 72 }, { resolve(row).plan.tp, resolve(row).plan.dp, resolve(row).job.global_batch })
  end)

  it("is cut by tensors up to a node, then by stages, in software that is made for it", function()
    local row = { tp = "", pp = "", dp = "", zero = "", recompute = "", gpus = "64", global_batch_seqs = "64",
      hidden = "12288", layers = "96", heads = "96", kv_heads = "96", ffn_hidden = "49152" }
    local function bytes(plan) return 1000 * GiB // (plan.tp * plan.pp) end
    local plan = resolve(row, bytes).plan
    assert.same({ 8, 2, 4, 1 }, { plan.tp, plan.pp, plan.dp, plan.zero })
    -- DeepSpeed shards states where it stands alone, and leaves the cutting to Megatron where the two run together.
    for _, framework in ipairs({ "megatron-deepspeed", "gpt-neox" }) do
      row.framework = framework
      local cut = resolve(row, bytes).plan
      assert.same({ 8, 2, 1 }, { cut.tp, cut.pp, cut.zero }, framework)
    end
    -- A stage that is stated and does not shard the weights leaves nothing but cutting.
    local stated = resolve(tables.with(row, { zero = "1" }), bytes).plan
    assert.same({ 8, 2, 1 }, { stated.tp, stated.pp, stated.zero })
    local sharded = resolve(tables.with(row, { zero = "3" }), bytes).plan
    assert.same({ 1, 1, 3 }, { sharded.tp, sharded.pp, sharded.zero })
    row.framework = "deepspeed"
    assert.same({ 1, 3 }, { resolve(row, bytes).plan.pp, resolve(row, bytes).plan.zero })
    row.framework = "torchtitan"
    assert.same({ 1, 3 }, { resolve(row, bytes).plan.pp, resolve(row, bytes).plan.zero })
    row.framework = "ournewtool"
    assert.same({ 1, 3 }, { resolve(row, bytes).plan.pp, resolve(row, bytes).plan.zero })
    -- What trains experts cuts layers, whatever it is called.
    local moe = tables.with(row, { experts = "8", topk = "2", ffn_hidden = "12288" })
    local dealt = resolve(moe, function(tried) return 500 * GiB // (tried.tp * tried.pp) end).plan
    assert.same({ 1, 8, 8, 1 }, { dealt.tp, dealt.pp, dealt.ep, dealt.zero })
    -- Three times as many stages where ranks do not go in two.
    local three = tables.with(row, { framework = "nemo", gpus = "48", global_batch_seqs = "48" })
    local third = resolve(three, function(tried) return 2000 * GiB // (tried.tp * tried.pp) end).plan
    assert.same({ 8, 6, 1 }, { third.tp, third.pp, third.dp })
    -- Half a terabyte a rank fits nowhere: weights are sharded, as ever.
    row.framework = "nemo"
    assert.equal(3, resolve(row, function() return 500 * GiB end).plan.zero)
  end)

  it("cuts tensors for speed where that gains a fifth, of a run that does not say how it was cut", function()
    local row = { tp = "", pp = "", dp = "", zero = "", micro_batch = "1" }
    local columns, training_case = require("ballpark.measured.training_columns"), require("ballpark.validate.training_case")
    local function tp_of(step)
      local cells = measured_row.cells(row)
      return training_case.of(columns.row(cells), { estimate = function(input)
        return { memory = { total_bytes = GiB, weights_bytes = 0, capacity_bytes = input.device.memory_bytes },
          time = { step_s = step(input.plan.tp) } }
      end }).plan.tp
    end
    assert.equal(4, tp_of(function(tp) return tp <= 4 and 1 / tp or 1 end))
    assert.equal(1, tp_of(function(tp) return 1 - tp / 100 end))
  end)

  it("shards as the software's name says", function()
    local row = { zero = "", tp = "1", pp = "1", dp = "16" }
    for name, zero in pairs({ ["DeepSpeed ZeRO-3"] = 3, ["deepspeed stage 2"] = 1, ["DeepSpeed ZeRO stage 2"] = 2,
      ["Megatron-FSDP"] = 3, ["DeepSpeed ZeRO++"] = 3, ["PyTorch DDP"] = 0, ["Megatron-LM"] = 1 }) do
      row.framework = name
      assert.equal(zero, resolve(row).plan.zero, name)
    end
    -- Nothing of FSDP's was there before 2022.
    for year, zero in pairs({ ["2020"] = 0, ["2022"] = 3 }) do
      assert.equal(zero, resolve({ zero = "", tp = "1", pp = "1", dp = "16", framework = "PyTorch", year = year }).plan.zero, year)
    end
  end)

  it("reads sharding from words", function()
    local function sharding(label, zero)
      local plan = resolve({ sharding_label = label, zero = zero or "", tp = "1", pp = "1", dp = "16" }).plan
      return { plan.zero, plan.shard }
    end
    assert.same({ 3, 8 }, sharding("FSDP x8 in node, DP x2 across nodes"))
    assert.same({ 3, 8 }, sharding("FSDP=8 x DP=2"))
    assert.same({ 0 }, sharding("FSDP=1, DP=16", "3"))
    assert.same({ 3 }, sharding("FSDP (MaxText)"))
    assert.same({ 2 }, sharding("ZeRO-2"))
    assert.same({ 1 }, sharding("1 (distributed optimizer)"))
    assert.same({ 0 }, sharding("DDP"))
    assert.same({ 3 }, sharding("FSDP2"))
    assert.same({ 3, 4 }, sharding("FSDP2 x4"))
    assert.same({ 3, 8 }, sharding("FSDP 8, DP 2"))
    assert.same({ 3, 8 }, sharding("FSDP8"))
    for _, label in ipairs({ "FSDP=0.5", "FSDP=1e9", "FSDP x1E+2, DP x2", "dp_shard=1e9", "FSDP8e1" }) do
      assert.equal(("sharding_label: '%s' is no number of ranks to shard over"):format(label),
        (errors.catch(resolve, { sharding_label = label, zero = "" })))
    end
    assert.equal("sharding_label: groups of 3 do not divide the 16 ranks of the batch, near it are 2 and 4",
      (errors.catch(resolve, { sharding_label = "FSDP=3", zero = "3", tp = "1", pp = "1", dp = "16" })))
    assert.equal("dp_shard: groups of 64 do not divide the 16 ranks of the batch, the nearest is 16",
      (errors.catch(resolve, { dp_shard = "64", zero = "3", tp = "1", pp = "1", dp = "16" })))
    assert.equal("dp_shard: '1e1' is no number of ranks to shard over",
      (errors.catch(resolve, { dp_shard = "1e1", zero = "3" })))
  end)

  it("shards over context-parallel ranks, too, where all that split the batch share", function()
    local function shard(label, cp) return resolve({ sharding_label = label, zero = "3", tp = "1", pp = "1", cp = cp,
      dp = tostring(16 // tonumber(cp)) }).plan end
    assert.is_nil(shard("FSDP2 x4", "4").shard)
    assert.same({ 3, 2 }, { shard("FSDP2 x1", "16").zero, shard("FSDP2 x2", "4").shard })
  end)

  it("shards over as many ranks as a column says", function()
    local function sharding(ranks, zero, label)
      local plan = resolve({ dp_shard = ranks, zero = zero, sharding_label = label, tp = "1", pp = "1", dp = "16" }).plan
      return { plan.zero, plan.shard }
    end
    assert.same({ 3, 8 }, sharding("8", "3"))
    assert.same({ 3, 8 }, sharding("8", "", "FSDP2 x4"))
    assert.same({ 3 }, sharding("all", "3", "FSDP2 x4"))
    assert.same({ 0 }, sharding("1", "3"))
    assert.equal("dp_shard: '0.5' is no number of ranks to shard over",
      (errors.catch(resolve, { dp_shard = "0.5", zero = "3" })))
  end)

  it("overlaps tensor-parallel traffic, repeats modules and multiplies as columns say", function()
    local function plan(changes) return resolve(changes).plan end
    assert.is_true(plan({}).overlap_tp)
    assert.is_false(plan({ tp_overlap = "none" }).overlap_tp)
    assert.is_true(plan({ tp_overlap = "async", framework = "fsdp" }).overlap_tp)
    -- An option of Megatron-LM, off unless somebody turns it on.
    assert.is_false(plan({ framework = "megatron-lm" }).overlap_tp)
    assert.is_true(plan({ framework = "megatron-lm", tp_overlap = "userbuffer" }).overlap_tp)
    assert.is_true(training.resolve(resolve({ framework = "megatron-lm" }).facts,
      { estimate = require("ballpark.core").train_step, varied = { micro_batch = true } }).plan.overlap_tp)
    assert.matches("^tp_overlap: 'some' is not one of async, none, userbuffer",
      (errors.catch(resolve, { tp_overlap = "some" })))
    local again = plan({ recompute = "selective", recompute_modules = "layernorm+mlp" })
    assert.same({ "none", true, true }, { again.recompute or "none", again.recompute_norms, again.recompute_mlp })
    assert.equal("full", plan({ recompute = "full", recompute_modules = "layernorm" }).recompute)
    assert.equal("mxfp8", plan({ gpu = "B200-SXM-180GB", precision = "fp8", fp8_recipe = "mxfp8" }).precision)
    assert.equal("fp8", plan({ precision = "", fp8_recipe = "delayed" }).precision)
    local function narrow(recipe) return resolve({ precision = "fp8", fp8_recipe = recipe }).profile.narrow_gemm or 1 end
    assert.same({ 1, 1, 1 }, { narrow("delayed"), narrow("current"), narrow("tensorwise") })
    assert.is_true(narrow("rowwise") > narrow("blockwise") and narrow("blockwise") > 1)
    assert.matches(("%.2f times as long rowwise and %.2f times blockwise"):format(narrow("rowwise"), narrow("blockwise")),
      require("ballpark.resolve.training.launch_settings").scales(), 1, true)
    local facts = resolve({ precision = "fp8", fp8_recipe = "rowwise" }).facts
    local searching = training.resolve(facts, { estimate = require("ballpark.core").train_step,
      varied = { precision = true } })
    assert.equal(narrow("rowwise"), searching.profile.narrow_gemm)
    assert.matches("^plan%.fp8_recipe: is of 8%-bit matmuls, and plan%.precision is bf16",
      (errors.catch(resolve, { fp8_recipe = "delayed" })))
    assert.matches("^plan%.fp8_recipe: 'delayd' is not one of .* did you mean 'delayed'%?",
      (errors.catch(resolve, { precision = "fp8", fp8_recipe = "delayd" })))
  end)

  it("shards by class where nothing is said, fully where states would not fit", function()
    local one = { zero = "", tp = "1", pp = "1", dp = "16" }
    assert.equal(1, resolve(one).plan.zero)
    one.framework = "fsdp"
    assert.equal(3, resolve(one).plan.zero)
  end)

  it("shards as far as states ask for, by the stages that the software has", function()
    local function of(framework, year, from)
      return resolve({ zero = "", tp = "1", pp = "1", dp = "16", framework = framework, year = year },
        function(plan) return plan.zero >= from and GiB or 100 * GiB end)
    end
    local function stage(...) return of(...).plan.zero end
    assert.same({ 1, 2, 3 }, { stage("deepspeed", "2024", 1), stage("deepspeed", "2024", 2), stage("deepspeed", "2024", 3) })
    assert.same({ 1, 3 }, { stage("megatron-lm", "2024", 1), stage("megatron-lm", "2024", 2) }) -- nobody runs 2
    assert.same({ 2, 3 }, { stage("torchtitan", "2021", 1), stage("torchtitan", "2021", 3) }) -- it has no 1
    assert.equal(1, stage("nanotron", "2024", 3)) -- nor anything beyond
    assert.matches("ZeRO stage 2, the states would not fit otherwise", said(of("deepspeed", "2024", 2)), 1, true)
    assert.matches("ZeRO stage 3, even so the states are not sure to fit", said(of("deepspeed", "2024", 4)), 1, true)
  end)

  it("counts the states that the plan has", function()
    -- 8 billion weights on two H200: 18 bytes of each are 145 GB; with moments of 8 bit and no masters 6 are 48.
    local function zero(plan)
      return estimating.run({ model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H200", devices = 2 }),
        software = "ms-swift", assume = true, job = { global_batch = 2, seq_len = 1024 },
        plan = tables.with({ tp = 1, pp = 1, micro_batch = 1, recompute = "full" }, plan) }).input.plan.zero
    end
    local wide = { optimizer = "adam", master_bytes = 4, grad_bytes = 4 }
    assert.same({ 1, 0 }, { zero(wide), zero({ optimizer = "adam_8bit", master_bytes = 0, grad_bytes = 2 }) })
  end)

  it("cuts experts over tensor-parallel ranks only where a rank holds one", function()
    local moe = { experts = "8", topk = "2", ep = "8", tp = "2", pp = "1", dp = "8" }
    assert.equal(2, resolve(moe).plan.etp)
    moe.ep = "4"
    assert.equal(1, resolve(moe).plan.etp)
    assert.equal(1, resolve({ ep = "4" }).plan.ep)
  end)

  it("cuts experts as stated, in a column or in notes", function()
    local moe = { experts = "8", topk = "2", ep = "8", tp = "2", pp = "1", dp = "8", etp = "1" }
    local case = resolve(moe)
    assert.equal(1, case.plan.etp)
    assert.is_nil(said(case):find("experts cut", 1, true))
    moe.etp, moe.notes = nil, "forced balance; ETP=1; ffn_hidden=per-expert FFN"
    assert.equal(1, resolve(moe).plan.etp)
    moe.ep, moe.notes = "4", "ETP=2"
    assert.equal(2, resolve(moe).plan.etp)
    moe.etp = "2"
    assert.equal(2, resolve(moe).plan.etp)
    moe.etp = "1"
    assert.equal("row: etp: the column says 1, notes say ETP=2", (errors.catch(resolve, moe)))
    moe.etp, moe.notes = nil, "ETP=abc"
    assert.equal("row: notes: ETP: 'abc' is not a whole number of at least 1", (errors.catch(resolve, moe)))
    moe.notes = "ETP=0"
    assert.matches("'0' is not a whole number", (errors.catch(resolve, moe)))
    assert.equal(1, resolve({ etp = "2" }).plan.etp) -- no experts
  end)
end)

describe("schedule", function()
  it("takes vpp as stated, with max for one layer per chunk", function()
    assert.equal(2, resolve({ vpp = "2" }).plan.vpp)
    assert.equal(4, resolve({ vpp = "max (1 layer per chunk)" }).plan.vpp)
  end)

  it("interleaves where unstated by class, year, depth and micro-batches", function()
    -- 8 layers in 2 stages, m micro-batches: 1 / (m vpp) is to be 5 % at most, vpp 1, 2 or 4.
    local function stages(changes)
      changes.vpp = ""
      return resolve(changes).plan.vpp
    end
    assert.equal(1, stages({ global_batch_seqs = "80" })) -- 20 micro-batches
    assert.equal(2, stages({ global_batch_seqs = "40" })) -- 10
    assert.equal(4, stages({ global_batch_seqs = "32" })) -- 8
    assert.equal(4, stages({ global_batch_seqs = "8" })) -- 2: as many as there are
    assert.equal(1, stages({ global_batch_seqs = "12" })) -- 3, no multiple of 2
    assert.equal(1, stages({ year = "2020" }))
    assert.equal(1, stages({ framework = "nanotron" }))
  end)

  it("interleaves what is called so as little as cuts a stage evenly, whoever says it", function()
    for _, column in ipairs({ "schedule", "schedule_label" }) do
      local case = resolve({ vpp = "", [column] = "Interleaved 1F1B", framework = "torchtitan", micro_batch = "1" })
      assert.same({ 2, "1f1b" }, { case.plan.vpp, case.plan.schedule })
      assert.matches("vpp 2", said(case))
      assert.equal(4, resolve({ vpp = "4", [column] = "interleaved" }).plan.vpp)
    end
    assert.equal(3, resolve({ vpp = "", schedule_label = "interleaved", layers = "18" }).plan.vpp)
    assert.equal("zb_h1", resolve({ vpp = "1", schedule_label = "zb_1p" }).plan.schedule)
    assert.equal("1f1b", resolve({ vpp = "1", schedule_label = "as usual" }).plan.schedule)
    assert.equal("gpipe", resolve({ vpp = "1", schedule = "gpipe", schedule_label = "interleaved" }).plan.schedule)
  end)

  it("has the micro-batches that torchtitan makes of a pipeline", function()
    local titan = { framework = "torchtitan", micro_batch = "", global_batch_seqs = "64" } -- dp 4, two stages
    assert.equal(8, resolve(titan).plan.micro_batch) -- of 16 sequences two micro-batches
    titan.year = "2025"
    assert.equal(1, resolve(titan).plan.micro_batch)
    assert.matches("micro_batch 1, as torchtitan makes them", said(resolve(titan)))
    titan.year, titan.global_batch_seqs = "2024", "12" -- three sequences are no multiple of two stages
    assert.equal(1, resolve(titan).plan.micro_batch)
  end)

  it("does not interleave what cannot be", function()
    assert.equal(2, resolve({ vpp = "2", global_batch_seqs = "12" }).plan.vpp) -- 3 micro-batches can
    assert.equal(1, resolve({ vpp = "4", pp = "1", dp = "8" }).plan.vpp)
  end)

  it("runs the schedule a framework is named after unless vpp says otherwise", function()
    assert.equal("zb_h1", resolve({ framework = "megatron-lm (zero bubble)", vpp = "" }).plan.schedule)
    assert.equal("1f1b", resolve({ framework = "megatron-lm (zero bubble)", vpp = "1" }).plan.schedule)
  end)
end)

describe("experts of a run without a layout", function()
  local blank = { experts = "8", topk = "2", tp = "", pp = "", dp = "", zero = "", micro_batch = "" }

  -- As if memory were full of experts, of which each rank has its part.
  local function plan_of(bytes) return resolve(blank, function(plan) return bytes // plan.ep end).plan end

  it("are dealt out before states are sharded further or tensors are cut", function()
    local plan = plan_of(70 * GiB)
    assert.same({ 8, 1, 1 }, { plan.ep, plan.zero, plan.tp }) -- fits; over the ranks of a node, as usual
    plan = plan_of(600 * GiB)
    assert.same({ 8, 1, 1 }, { plan.ep, plan.zero, plan.tp })
  end)

  it("leave the other cuts to do it where that is not enough", function()
    local plan = plan_of(6000 * GiB)
    assert.is_true(plan.tp > 1)
  end)

  it("whose states have room where they are dealt need no ZeRO 3", function()
    -- 46.7 billion parameters, 45.1 of them experts: 6 bytes each are 280 GB on one device, dealt to eight 43.
    local function zero(ep)
      return estimating.run({ model = catalog.model("Mixtral-8x7B"), cluster = catalog.cluster({ device = "H200", devices = 64 }),
        software = { name = "megatron-core" }, ran = true, assume = true, job = { global_batch = 64, seq_len = 2048 },
        plan = { tp = 1, pp = 1, cp = 1, ep = ep, micro_batch = 1 } }).input.plan.zero
    end
    assert.same({ 1, 3 }, { zero(8), zero(1) })
  end)

  it("stay whole under ZeRO 3 unless the step gains by it", function()
    local row = tables.with(blank, { zero = "3", tp = "1", pp = "1" })
    assert.equal(1, resolve(row).plan.ep)
    -- Dispatchers that need ranks to send to, in software that needs none.
    for dispatcher, ep in pairs({ alltoall = 1, deepep = 8, HybridEP = 8 }) do
      row.moe_dispatcher = dispatcher
      assert.equal(ep, resolve(row).plan.ep, dispatcher)
      assert.equal(2, resolve(tables.with(row, { ep = "2" })).plan.ep, dispatcher)
    end
  end)

  it("are dealt under ZeRO 3 by the step with the micro-batch that it comes to", function()
    local facts = { model = catalog.model("gpt-oss-20b"), cluster = catalog.cluster({ device = "Gaudi3", devices = 64 }),
      job = { global_batch = 256, seq_len = 8192 } }
    local answer = estimating.run(facts)
    local size = answer.input.plan.micro_batch
    assert.is_true(size > 1)
    for _, ep in ipairs({ 2, 8, 16 }) do
      local dealt = estimating.run(tables.with(facts, { plan = { ep = ep, micro_batch = size } }))
      assert.is_true(answer.time.step_s <= dealt.time.step_s, "ep " .. ep)
    end
  end)
end)

describe("expert traffic", function()
  local row = { year = "2025", experts = "8", topk = "2", ep = "4", tp = "1", dp = "8", vpp = "2" }

  local function overlaps(changes)
    local changed = {}
    for key, cell in pairs(row) do changed[key] = cell end
    for key, cell in pairs(changes) do changed[key] = cell end
    return resolve(changed).plan.overlap_ep
  end

  it("runs under compute in DualPipe, and elsewhere where that is said", function()
    assert.is_false(overlaps({}))
    assert.is_true(overlaps({ ep_overlap = "true" }))
    assert.is_true(overlaps({ stage = "+1f1b_ep_overlap" }))
    assert.is_false(overlaps({ ep_overlap = "false", stage = "+1f1b_ep_overlap" }))
    assert.is_true(overlaps({ vpp = "1", schedule = "dualpipe" }))
    assert.is_false(overlaps({ vpp = "1", schedule = "dualpipe", ep = "1" }))
  end)

  it("of DeepSeek goes to the groups that its router draws from", function()
    local model = resolve({ model = "DeepSeek-V3", layers = "", hidden = "", heads = "", ffn_hidden = "", vocab = "",
      experts = "256", ep = "4", tp = "1", dp = "8" }).model
    assert.same({ 8, 4 }, { model.route_groups, model.route_top })
    assert.is_nil(resolve(row).model.route_groups)
  end)
end)

describe("states of narrow formats", function()
  local function states(changes)
    local plan = resolve(changes).plan
    return { plan.grad_bytes or 4, plan.quantized_params or false }
  end

  it("are kept as recipes of the class and year keep them", function()
    assert.same({ 2, true }, states({ precision = "fp8", year = "2025" }))
    assert.same({ 4, false }, states({ precision = "bf16", year = "2025" }))
    assert.same({ 4, false }, states({ precision = "fp8", year = "2024" }))
    assert.same({ 4, false }, states({ precision = "fp8", year = "2025", framework = "fsdp" }))
    assert.same({ 2, false }, states({ precision = "fp16", framework = "deepspeed" }))
    assert.same({ 4, true }, states({ precision = "fp8", year = "2024", framework = "HAI-LLM" }))
    assert.same({ 4, false }, states({ precision = "bf16", year = "2024", framework = "HAI-LLM" }))
  end)
end)

describe("a network nobody states", function()
  it("has the rate of the public timings at most", function()
    local function rate(changes) return resolve(changes).network.scaleout.bw_bytes_s end
    assert.equal(50e9, rate({ gpu = "B300-SXM-288GB" }))
    assert.equal(25e9, rate({ gpu = "A100-80GB-SXM" }))
    assert.equal(100e9, rate({ gpu = "B300-SXM-288GB", interconnect_inter = "8x800 Gb/s IB" }))
  end)

  it("is open where nodes talk over one, in kind alone, too", function()
    local function is_open(changes)
      for _, name in ipairs(resolve(changes).open) do
        if name == "network" then return true end
      end
      return false
    end
    assert.is_true(is_open({}))
    assert.is_true(is_open({ interconnect_inter = "InfiniBand" }))
    assert.is_false(is_open({ interconnect_inter = "8x400 Gb/s IB" }))
    assert.is_false(is_open({ gpus = "8", gpus_per_node = "8", tp = "1", pp = "1", dp = "8" }))
  end)
end)

describe("recomputation", function()
  -- 8 layers in 2 stages: 4 layers; every layer that recomputes saves 10 GiB of 100.
  local function falling(plan)
    if plan.recompute == "full" then return math.floor((100 - 40 * (plan.recompute_share or 1)) * GiB) end
    return (plan.recompute == "selective" and 70 or 100) * GiB
  end

  it("stays as stated", function()
    assert.equal("full", resolve({ recompute = "full" }, falling).plan.recompute)
    assert.equal("none", resolve({ recompute = "none" }, falling).plan.recompute)
    assert.equal("selective", resolve({ recompute = "Selective (core_attn)" }, falling).plan.recompute)
    assert.equal("recompute: 'sometimes' is not one of full, none, selective",
      (errors.catch(resolve, { recompute = "sometimes" }, falling)))
    assert.matches("did you mean 'full'%?$", (errors.catch(resolve, { recompute = "ful" }, falling)))
    assert.equal("none", resolve({ recompute = "unknown" }).plan.recompute)
  end)

  it("is none where that fits", function()
    local plan = resolve({ recompute = "" }).plan
    assert.equal("none", plan.recompute)
    local function heavy(p) return p.recompute == "none" and 300 * GiB or GiB end
    assert.equal("full", resolve({ recompute = "" }, heavy).plan.recompute)
    assert.equal("none", resolve({ recompute = "", status = "OOM", step_s = "" }, heavy).plan.recompute)
  end)

  it("is none up to a fifth over, of a run of 2024 and later", function()
    local function mode(bytes, year) return resolve({ recompute = "", year = year }, function(plan)
      return plan.recompute == "none" and bytes or 40 * GiB
    end).plan.recompute end
    assert.same({ "none", "full", "full", "none" }, { mode(95 * GiB, "2024"), mode(97 * GiB, "2024"),
      mode(95 * GiB, "2023"), mode(83 * GiB, "2023") })
  end)

  it("is the smallest share of layers that fits", function()
    -- 105 % of 80 GiB is 84: two layers (80) suffice, one (90) does not.
    local plan = resolve({ recompute = "" }, falling).plan
    assert.same({ "full", 0.5 }, { plan.recompute, plan.recompute_share })
  end)

  it("is selective first where attention is not fused", function()
    assert.equal("selective", resolve({ recompute = "", flash = "0" }, falling).plan.recompute)
  end)

  it("is selective first where latent attention has heads to make again", function()
    local mla = { recompute = "", model = "DeepSeek-V3 671B", layers = "", hidden = "", heads = "", kv_heads = "",
      ffn_hidden = "", vocab = "", pp = "1", tp = "1", dp = "16", ep = "16" }
    assert.equal("selective", resolve(mla, falling).plan.recompute)
  end)

  it("is full, and says so, where nothing fits", function()
    local case = resolve({ recompute = "" }, function() return 200 * GiB end)
    assert.same({ "full", 1 }, { case.plan.recompute, case.plan.recompute_share })
    assert.matches("even that is not sure to fit", said(case))
  end)

  it("is by a policy where selective does not say which, and of layers where that would not fit", function()
    local fsdp = { framework = "fsdp", recompute = "selective", tp = "1", pp = "1", dp = "16", zero = "3" }
    local fitting = resolve(fsdp, function() return 70 * GiB end)
    assert.same({ "selective", true }, { fitting.plan.recompute, tables.contains(fitting.open, "recompute") })
    -- 105 % of 80 GiB is 84; of eight layers four leave 80.
    local layers = resolve(fsdp, function(plan)
      return plan.recompute == "selective" and 100 * GiB or math.floor((100 - 40 * plan.recompute_share) * GiB)
    end)
    assert.same({ "full", 0.5 }, { layers.plan.recompute, layers.plan.recompute_share })
    fsdp.framework = "torchtitan"
    assert.is_false(tables.contains(resolve(fsdp).open, "recompute"))
    assert.is_false(tables.contains(resolve({ recompute = "selective" }).open, "recompute"))
  end)

  it("comes after as little tensor parallelism as fits, where no layout is stated", function()
    local case = resolve({ tp = "", pp = "", dp = "", zero = "", recompute = "", framework = "optimum-habana" },
      function(plan) return 150 * GiB // plan.tp end)
    assert.same({ 2, 8 }, { case.plan.tp, case.plan.dp })
  end)
end)

describe("batch", function()
  it("follows from step time and throughput where both are given", function()
    local case = resolve({ global_batch_seqs = "", step_s = "2", tokens_per_s_per_gpu = "2048" })
    assert.equal(32, case.job.global_batch)
  end)

  it("is one micro-batch per rank, or eight per stage", function()
    assert.equal(16, resolve({ global_batch_seqs = "", tp = "1", pp = "1", dp = "16", framework = "torchtitan" }).job.global_batch)
    assert.equal(8 * 2 * 4, resolve({ global_batch_seqs = "" }).job.global_batch)
  end)

  it("is what pre-training has where software cuts models and the micro-batch is stated", function()
    local row = { global_batch_seqs = "", tp = "1", pp = "1", dp = "16", micro_batch = "1", seq_len = "4096", framework = "megatron-lm" }
    assert.equal(16 * 65536 // 4096, resolve(row).job.global_batch)
    row.micro_batch = "3"
    assert.equal(16 * 3 * 4, resolve(row).job.global_batch)
    row.micro_batch, row.framework = "1", "megatron-deepspeed"
    assert.equal(16 * 65536 // 4096, resolve(row).job.global_batch)
    row.framework = "deepspeed"
    assert.equal(16, resolve(row).job.global_batch)
    row.framework = "maxtext"
    assert.equal(16, resolve(row).job.global_batch)
  end)

  it("is doubled as long as that fits and is faster", function()
    local row = { micro_batch = "", tp = "1", pp = "1", dp = "4", gpus = "4" }
    assert.equal(8, resolve(row).plan.micro_batch) -- 32 sequences of 4 ranks
    local fits_four = function(plan) return plan.micro_batch * 20 * GiB - 4 * GiB end
    assert.equal(4, resolve(row, fits_four).plan.micro_batch)
    row.global_batch_seqs = "36" -- nine a rank
    assert.equal(9, resolve(row).plan.micro_batch)
    assert.equal(3, resolve(row, fits_four).plan.micro_batch)
    row.global_batch_seqs = "32"
    row.pp, row.gpus, row.vpp, row.layers = "4", "16", "2", "8"
    assert.equal(2, resolve(row).plan.micro_batch) -- micro-batches stay multiples of pp
  end)

  it("makes room for more by full recomputation where weights are gathered slowly", function()
    local row = { micro_batch = "", recompute = "", tp = "1", pp = "1", dp = "16", framework = "fsdp", zero = "3" }
    local function bytes(plan) return (plan.recompute == "full" and 10 or 60) * plan.micro_batch * GiB end
    local plan = resolve(row, bytes).plan -- a step takes 1 / micro-batch
    assert.same({ "full", 2 }, { plan.recompute, plan.micro_batch })
    row.zero = "1"
    assert.same({ "none", 1 }, { resolve(row, bytes).plan.recompute, resolve(row, bytes).plan.micro_batch })
    row.zero, row.recompute = "3", "none"
    assert.same({ "none", 1 }, { resolve(row, bytes).plan.recompute, resolve(row, bytes).plan.micro_batch })
  end)

  it("is taken whole by classes that do not accumulate", function()
    local row = { micro_batch = "", tp = "1", pp = "1", dp = "16" }
    assert.equal(2, resolve(row).plan.micro_batch)
    row.framework = "maxtext"
    assert.equal(2, resolve(row).plan.micro_batch)
  end)
end)

describe("format and year", function()
  it("default to what the device and the time suggest", function()
    assert.equal("bf16", resolve({ precision = "" }).plan.precision)
    assert.equal("fp8", resolve({ precision = "", gpu = "B200-SXM-180GB" }).plan.precision)
    assert.is_true(resolve({ flash = "" }).plan.flash)
    assert.is_false(resolve({ flash = "", year = "2022" }).plan.flash)
    assert.is_false(resolve({ sequence_parallel = "", year = "2022" }).plan.sequence_parallel)
    assert.is_true(resolve({ sequence_parallel = "" }).plan.sequence_parallel)
    assert.equal(2026, resolve({ year = "" }).year)
  end)

  it("understands what formats are called", function()
    local expected = { FP8 = "fp8", ["fp8 (current scaling)"] = "fp8", MXFP8 = "mxfp8", bfloat16 = "bf16",
      ["bf16-mixed"] = "bf16", float16 = "fp16", fp32 = "fp32", tf32 = "tf32", NVFP4 = "nvfp4", int8 = "int8" }
    for text, format in pairs(expected) do
      assert.equal(format, resolve({ precision = text }).plan.precision, text)
    end
  end)

  it("refuses what names no format, and takes 'n/a' for blank", function()
    assert.matches("^precision: 'bf17' is not one of bf16, .*, did you mean 'bf16'%?$",
      (errors.catch(resolve, { precision = "bf17" })))
    assert.matches("^precision: ", (errors.catch(resolve, { precision = "fp64" })))
    local case = resolve({ precision = "N/A" })
    assert.equal("bf16", case.plan.precision)
    assert.matches("precision bf16", said(case), 1, true)
  end)
end)

describe("device", function()
  it("is found by the labels people write", function()
    local expected = {
      ["H100-80GB-SXM"] = "H100-SXM-80GB", ["NVIDIA H100 80GB HBM3"] = "H100-SXM-80GB",
      ["NVIDIA A100-SXM4-80GB"] = "A100-80GB-SXM", ["AMD Instinct MI300X"] = "MI300X",
      ["TPU v6e (Trillium)"] = "TPU-v6e", ["b200"] = "B200-SXM-180GB", ["V100-32GB-SXM2"] = "V100-32GB-SXM",
    }
    for label, name in pairs(expected) do assert.equal(name, resolve({ gpu = label }).device.name, label) end
  end)

  it("is looked for by gpu_label where gpu is blank or unknown, and says so", function()
    local blank = resolve({ gpu = "", gpu_label = "H100-80GB-SXM" })
    assert.equal("H100-SXM-80GB", blank.device.name)
    assert.matches("gpu is blank; gpu_label 'H100%-80GB%-SXM' is H100%-SXM%-80GB", table.concat(blank.assumed, "; "))
    local unknown = resolve({ gpu = "MI3000X", gpu_label = "MI300X" })
    assert.equal("MI300X", unknown.device.name)
    assert.matches("gpu 'MI3000X' is not in the catalog, the nearest is MI300X; gpu_label 'MI300X' is MI300X",
      table.concat(unknown.assumed, "; "))
  end)
end)

describe("half a shape", function()
  local function shape(changes) return resolve(changes).model end

  -- GPT of 30 layers, width 2304 and 51,200 words: 12 L h^2 + V h = 2.03 billion.
  local base = { model = "own", params_b = "2.03", heads = "", kv_heads = "", ffn_hidden = "9216", vocab = "51200",
    global_batch_seqs = "32", pp = "1", dp = "8" }
  local function with(changes)
    local row = {}
    for key, value in pairs(base) do row[key] = value end
    for key, value in pairs(changes) do row[key] = value end
    return row
  end

  it("has as many layers as the parameters make, a multiple of the stages", function()
    assert.equal(30, shape(with({ layers = "", hidden = "2304" })).layers)
    local model = shape(with({ layers = "", hidden = "2304", pp = "4", dp = "2" }))
    assert.same({ 28, 2304, 9216 }, { model.layers, model.hidden, model.ffn_hidden })
    assert.matches("28 layers, what params_b leaves",
      said(resolve(with({ layers = "", hidden = "2304", pp = "4", dp = "2" }))))
  end)

  it("is as wide as the parameters make it", function()
    local model = shape(with({ layers = "30", hidden = "", ffn_hidden = "" }))
    assert.same({ 30, 2304 }, { model.layers, model.hidden })
    local heads = shape(with({ layers = "30", hidden = "", heads = "18", ffn_hidden = "" }))
    assert.same({ 18, 0, 2304 }, { heads.heads, heads.hidden % 18, heads.hidden })
  end)
end)

describe("8 bit", function()
  it("comes with fused attention where that was an option still", function()
    local row = { flash = "", year = "2023" }
    assert.is_false(resolve(row).plan.flash)
    row.precision = "fp8"
    assert.is_true(resolve(row).plan.flash)
    row.year = "2022"
    assert.is_false(resolve(row).plan.flash)
  end)

  it("that nobody states may as well have been 4 bit on devices and in years that have it", function()
    local function formats(gpu, year)
      local list, case = {}, resolve({ precision = "", gpu = gpu, year = year })
      for i, change in ipairs(left_open.alternatives(case, "precision")) do list[i] = change.values.precision end
      return list
    end
    assert.same({ "bf16", "fp8" }, formats("H100-SXM-80GB", "2025"))
    assert.same({ "bf16", "fp8", "nvfp4" }, formats("B200-SXM-180GB", "2025"))
    assert.same({ "bf16", "fp8" }, formats("B200-SXM-180GB", "2024"))
    assert.same({}, formats("A100-80GB-SXM", "2025"))
  end)
end)

describe("ranks that nobody states", function()
  it("may as well cut the model into as many other parts", function()
    local cuts, case = {}, resolve({ model = "llama-3.1-70b", framework = "nemo", year = "2025", gpu = "H100-SXM-80GB", gpus = "64",
      layers = "", hidden = "", heads = "", kv_heads = "", ffn_hidden = "", vocab = "", tp = "", pp = "", dp = "", global_batch_seqs = "512" },
      function(plan) return 1000 * GiB / (plan.tp * plan.pp) end)
    local parts = case.plan.tp * case.plan.pp
    for _, change in ipairs(left_open.alternatives(case, "ranks")) do
      if change.values.tp and change.values.pp then
        cuts[#cuts + 1] = change.values.tp
        assert.equal(parts, change.values.tp * change.values.pp)
      end
    end
    assert.is_true(parts > 1 and #cuts > 1)
    assert.is_false(tables.contains(cuts, case.plan.tp))
  end)
end)

describe("a run that failed", function()
  it("is not cut until it would have fitted", function()
    local row = { model = "llama-3.1-70b", layers = "", hidden = "", heads = "", kv_heads = "", ffn_hidden = "", vocab = "",
      tp = "", pp = "", dp = "", zero = "", global_batch_seqs = "512" }
    local function parts(status)
      row.status = status
      local plan = resolve(row, function(plan) return 1000 * GiB / (plan.tp * plan.pp) end).plan
      return plan.tp * plan.pp
    end
    assert.is_true(parts("") > 1)
    assert.equal(1, parts("oom"))
  end)
end)

describe("software without a name", function()
  it("fuses attention from the year on in which most did", function()
    local row = { flash = "", framework = "", source = "a paper", year = "2023" }
    assert.is_true(resolve(row).plan.flash)
    row.year = "2022"
    assert.is_false(resolve(row).plan.flash)
  end)
end)

describe("adapters of NeMo", function()
  it("are on queries, keys and values where nobody says which", function()
    assert.equal("qkv", resolve({ framework = "NeMo", lora_rank = "8" }).plan.lora_targets)
    assert.is_nil(resolve({ lora_rank = "8" }).plan.lora_targets)
  end)
end)

describe("a device", function()
  it("may be called by two of its names at once", function()
    assert.equal("Gaudi2", resolve({ gpu = "Intel Gaudi 2 HL-225B" }).device.name)
    assert.matches("is not in the catalog", (errors.catch(resolve, { gpu = "Gaudi 2 HL-325" })))
  end)
end)

describe("software that nobody measured", function()
  it("has what everybody had by its year", function()
    local now = resolve({ framework = "colossalai", year = "2024", sequence_parallel = "", vpp = "" }).plan
    local then_ = resolve({ framework = "colossalai", year = "2022", sequence_parallel = "", vpp = "" }).plan
    assert.same({ true, false }, { now.sequence_parallel, then_.sequence_parallel })
    local few = { framework = "colossalai", sequence_parallel = "", vpp = "", global_batch_seqs = "8" }
    assert.equal(4, resolve(few).plan.vpp)
    few.year = "2022"
    assert.equal(1, resolve(few).plan.vpp)
  end)
end)

describe("states and losses", function()
  it("are as the product has them unasked", function()
    local tune = resolve({ framework = "torchtune", tp = "1", pp = "1", dp = "16", zero = "3" }).plan
    assert.same({ 2, 0, "adam_bf16", "fused" }, { tune.grad_bytes, tune.master_bytes, tune.optimizer,
      tune.cross_entropy })
    local stated = resolve({ framework = "torchtune", optimizer = "adam", tp = "1", pp = "1", dp = "16" }).plan
    assert.equal("adam", stated.optimizer)
    local titan = resolve({ framework = "torchtitan", tp = "1", pp = "1", dp = "16", zero = "3" })
    assert.same({ 4, "policy" }, { titan.plan.grad_bytes, titan.profile.selective })
    local function logit_bytes(year, compiled)
      return resolve({ framework = "torchtitan", tp = "1", pp = "1", dp = "16", zero = "3", year = year,
        compiled = compiled }).profile.logit_bytes
    end
    assert.same({ 12, 12, 12, 4 }, { logit_bytes("2024", "0"), logit_bytes("2024", "1"), logit_bytes("2025", "0"),
      logit_bytes("2025", "1") })
    local open = resolve({ framework = "torchtitan", tp = "1", pp = "1", dp = "16", zero = "3", recompute = "" })
    assert.equal("selective", open.plan.recompute)
    assert.matches("selective recomputation, as torchtitan does unasked", said(open))
    assert.equal("policy", resolve({ framework = "fsdp", tp = "1", pp = "1", dp = "16" }).profile.selective)
    local maxtext = resolve({ framework = "maxtext", tp = "1", pp = "1", dp = "16", zero = "3", recompute = "" })
    assert.same({ "full", "projections" }, { maxtext.plan.recompute, maxtext.profile.selective })
    assert.is_nil(resolve({ framework = "megatron-core" }).plan.cross_entropy)
    assert.equal("fused", resolve({ framework = "nemo" }).plan.cross_entropy)
    assert.is_nil(resolve({ framework = "nemo", year = "2023" }).plan.cross_entropy)
  end)
end)

describe("a pipeline", function()
  it("shards no more than its software does with stages", function()
    local gaudi = { gpu = "Gaudi2", framework = "optimum-habana", zero = "" }
    assert.equal(1, resolve(gaudi).plan.zero)
    gaudi.tp, gaudi.pp, gaudi.vpp, gaudi.dp = "1", "1", "1", "16"
    assert.equal(3, resolve(gaudi).plan.zero)
  end)

  it("overlaps expert traffic between domains where Megatron interleaves", function()
    local row = { experts = "64", topk = "4", ep = "16", tp = "1", pp = "2", vpp = "2", dp = "32", gpus = "64",
      global_batch_seqs = "128", year = "2025" }
    assert.is_true(resolve(row).plan.overlap_ep)
    for _, change in ipairs({ { ep = "8" }, { vpp = "1" }, { year = "2024" }, { framework = "fsdp" } }) do
      assert.is_false(resolve(tables.with(row, change)).plan.overlap_ep, next(change))
    end
  end)
end)

describe("fewer sequences than ranks", function()
  it("are shared by context-parallel ranks where tensor-parallel ones are stated", function()
    local row = { tp = "2", pp = "1", vpp = "1", cp = "2", dp = "", gpus = "16", global_batch_seqs = "1" }
    local case = resolve(row)
    assert.same({ 1, 8 }, { case.plan.dp, case.plan.cp })
    assert.matches("cp 8 to share the batch", said(case))
    row.tp = ""
    assert.same({ 8, 2 }, { resolve(row).plan.tp, resolve(row).plan.cp })
  end)

  it("are what a measured rate counts where shares are uneven", function()
    local row = { tp = "1", pp = "", vpp = "", cp = "1", dp = "", gpus = "24", global_batch_seqs = "25", zero = "3",
      framework = "fsdp", sequence_parallel = "", tokens_per_s_per_gpu = "1000" }
    local case = resolve(row)
    assert.equal(48, case.job.global_batch)
    assert.near(25 * 2048 / 24000, target.time(case).measured_step_s, 1e-9)
  end)

  it("are shared by both kinds where tensor-parallel ranks are not enough", function()
    local row = { tp = "", pp = "1", vpp = "1", cp = "", dp = "", gpus = "32", global_batch_seqs = "1" }
    local case = resolve(row)
    assert.same({ 8, 4, 1 }, { case.plan.tp, case.plan.cp, case.plan.dp })
    assert.matches("tp 8, cp 4 to share the batch", said(case))
  end)

  it("are shared nearly evenly by a run that ran on three times as many ranks", function()
    local row = { tp = "", pp = "1", vpp = "1", cp = "1", dp = "", gpus = "96", global_batch_seqs = "32" }
    local case = resolve(row)
    -- tp 8 leaves 12 ranks of 3 sequences; with tp 4 the fullest of 24 had 2, half more than its part.
    assert.same({ 8, 12, 36 }, { case.plan.tp, case.plan.dp, case.job.global_batch })
    assert.equal(32, case.sequences)
  end)

  it("are cut over a whole domain of links where that is more than a node", function()
    local row = { tp = "", pp = "", vpp = "", cp = "1", dp = "", gpus = "96", gpu = "TPU-v4", gpus_per_node = "4", zero = "3",
      global_batch_seqs = "32", framework = "maxtext", sequence_parallel = "" }
    local case = resolve(row)
    assert.same({ 8, 12, 36 }, { case.plan.tp, case.plan.dp, case.job.global_batch })
  end)

  it("have shares of the ranks that are left once a model is cut to fit", function()
    local row = { tp = "", pp = "", vpp = "", cp = "1", dp = "", gpus = "768", global_batch_seqs = "256", zero = "",
      sequence_parallel = "", layers = "96", hidden = "12288", heads = "96", kv_heads = "96", ffn_hidden = "49152" }
    local function of_stages(plan) return (plan.pp < 4 and 100 or 10) * GiB end
    local case = resolve(row, of_stages)
    assert.same({ 8, 4, 24, 264 }, { case.plan.tp, case.plan.pp, case.plan.dp, case.job.global_batch })
    assert.matches("global batch 264, the fullest rank's share of 256 on all", said(case))
    -- Sequences of 2,050 tokens are not cut in four, so no context-parallel ranks share them.
    row.global_batch_seqs, row.seq_len = "264", "2050"
    case = resolve(row, of_stages)
    assert.same({ 8, 4, 24, 264 }, { case.plan.tp, case.plan.pp, case.plan.dp, case.job.global_batch })
    assert.is_nil(case.sequences)
    assert.is_nil(said(case):find("fullest", 1, true))
  end)

  it("are shared in heads alone where software shards weights, and keys go round elsewhere", function()
    local row = { tp = "", pp = "", vpp = "", cp = "", dp = "", gpus = "16", global_batch_seqs = "2",
      framework = "deepspeed", zero = "3", sequence_parallel = "" }
    local case = resolve(row)
    assert.same({ 1, 8, 2, "heads" }, { case.plan.tp, case.plan.cp, case.plan.dp, case.profile.context })
    assert.equal("ring", resolve({}).profile.context or "ring")
  end)

  it("are shared in a question, too, where the software can", function()
    local function cp(software, stated)
      local env = environment.new(scenario.state(nil, { overrides = overrides.parse() }))
      local input = { model = env.model("Llama-2-7B"), cluster = env.cluster({ device = "H100-SXM-80GB", devices = 128 }),
        software = software, assume = true, job = { global_batch = 8, seq_len = 131072 }, plan = { zero = 3, cp = stated } }
      return env.estimate(input).input.plan.cp
    end
    assert.same({ 2, 16 }, { cp("megatron"), cp("deepspeed") })
    assert.matches("does not divide the global batch 8", (errors.catch(cp, "fsdp")))
    assert.matches("does not divide the global batch 8", (errors.catch(cp, "megatron", 1)))
  end)

  it("have whole key/value heads on every rank that tensors are cut over", function()
    local row = { tp = "", pp = "1", vpp = "1", cp = "", dp = "", gpus = "16", global_batch_seqs = "4", hidden = "5120",
      heads = "40", kv_heads = "10", params_b = "" }
    local case = resolve(row)
    assert.same({ 2, 2, 4 }, { case.plan.tp, case.plan.cp, case.plan.dp })
  end)
end)

describe("experts of Transformers", function()
  local row = { tp = "1", pp = "1", vpp = "1", dp = "16", zero = "3", year = "2025", framework = "transformers + deepspeed" }
  local function host(changes)
    local profile = resolve(tables.with(row, changes)).profile
    return profile.host_layer_s, profile.host_gather_s
  end
  local experts = { experts = "128", topk = "8", ep = "1" }

  it("are launched, and fetched by ZeRO 3, one after the other", function()
    local layer, gather = host({})
    local of_experts, gathers = host(experts)
    assert.near(128 * 14 * 8e-6, of_experts - layer, 1e-9)
    assert.near((1 + 3 * 127 / 7) * gather, gathers, 1e-9)
    assert.matches("128 experts launched one after the other", said(resolve(tables.with(row, experts))))
    assert.equal(host(tables.with(experts, { framework = "ms-swift" })), of_experts)
  end)

  it("are one tensor from release 5 on, and in other software", function()
    assert.equal((host({ year = "2026" })), (host(tables.with(experts, { year = "2026" }))))
    for _, name in ipairs({ "megatron-swift", "ms-swift (megatron)", "torchtitan" }) do
      assert.equal((host({ framework = name })), (host(tables.with(experts, { framework = name }))), name)
    end
  end)
end)

describe("full recomputation", function()
  it("covers the layers of a stage that are said", function()
    local function share(changes) return resolve(tables.with({ recompute = "full" }, changes)).plan.recompute_share end
    assert.equal(2 / 4, share({ recompute_layers = "2" })) -- 8 layers on two stages
    assert.equal(3 / 4, share({ recompute = "full (block, 3 layers)" }))
    assert.equal(1 / 4, share({ notes = "recompute: block, 1 layers/stage; other" }))
    assert.equal(1, share({ recompute_layers = "9" }))
    assert.is_nil(share({ recompute_layers = "2", recompute = "none" }))
  end)
end)

describe("the format of a run on Blackwell", function()
  local function precision(framework)
    return resolve({ gpu = "B200", precision = "", framework = framework, year = "2025" }).plan.precision
  end

  it("is 8 bit where the software has recipes for it", function()
    assert.same({ "fp8", "fp8", "bf16", "bf16" },
      { precision("nemo"), precision("maxtext"), precision("fsdp"), precision("colossalai") })
  end)
end)

describe("micro-batches of a stated size", function()
  it("are shared by no more ranks than there are of them", function()
    local row = { tp = "", pp = "1", dp = "", gpus = "16", gpus_per_node = "8", global_batch_seqs = "32", framework = "torchtitan", zero = "3", cp = "1" }
    assert.equal(16, resolve(tables.with(row, { micro_batch = "2" })).plan.dp)
    local plan = resolve(tables.with(row, { micro_batch = "8" })).plan
    assert.same({ 4, 4 }, { plan.dp, plan.tp })
  end)
end)

describe("a batch that nobody states", function()
  local function plan(changes)
    return resolve(tables.with({ framework = "fsdp", tp = "1", pp = "1", vpp = "", dp = "16", zero = "3", micro_batch = "",
      global_batch_seqs = "", tokens_per_s_per_gpu = "1000" }, changes))
  end

  it("gives a rank enough to do, within a usual step", function()
    assert.equal(16 * 32, plan({}).job.global_batch) -- 65,536 tokens of 2,048
    assert.equal(256 * 8, plan({ dp = "256", gpus = "256" }).job.global_batch) -- 4 million tokens
    assert.equal(16 * 3, plan({ micro_batch = "3" }).job.global_batch)
  end)

  it("is smaller where a rank takes all of its share at a time", function()
    local case = plan({ framework = "maxtext" })
    assert.same({ 16 * 8, 8 }, { case.job.global_batch, case.plan.micro_batch }) -- 16,384 tokens of 2,048
    assert.equal(16 * 2, plan({ framework = "maxtext", micro_batch = "2" }).job.global_batch)
  end)
end)

describe("fewer watts", function()
  it("lower the clock of the same chip", function()
    local whole = resolve({ gpu = "H100-SXM-80GB" }).device
    local capped = resolve({ gpu = "H100-80GB-350W" }).device
    assert.near(0.5 ^ (1 / 3) * whole.fp8_flop_s, capped.fp8_flop_s, 1e-3 * whole.fp8_flop_s)
    assert.equal(350, capped.tdp_w)
    assert.equal(whole.bf16_flop_s, resolve({ gpu = "H100-80GB-800W" }).device.bf16_flop_s)
  end)
end)

describe("fused attention", function()
  it("came to JAX programs in 2024", function()
    local function flash(year) return resolve({ framework = "maxtext", flash = "", year = year }).plan.flash end
    assert.same({ false, true }, { flash("2023"), flash("2024") })
  end)
end)

describe("a size alone", function()
  it("has to be that of a model", function()
    for _, size in ipairs({ "1e-9", "1e9", "1e300" }) do
      local text = errors.catch(resolve, { model = "own", params_b = size, layers = "", hidden = "", heads = "",
        kv_heads = "", ffn_hidden = "", vocab = "" })
      assert.matches("params_b: ", text)
    end
  end)
end)

describe("network", function()
  local GBIT <const> = 1e9 / 8
  local function device_with(gbit) return { name = "any", nic_bytes_s = gbit * GBIT } end

  -- Fabric and rate per device in Gbit/s of words; nic: what the adapter of a device can do.
  local function check(expected, nic, node_size)
    for text, want in pairs(expected) do
      local got = network_words.between(text, device_with(nic), node_size)
      assert.equal(want[1], got.fabric, text)
      if want[2] then assert.near(want[2], got.nic_bytes_s / GBIT, 1e-9, text) else assert.is_nil(got.nic_bytes_s, text) end
    end
  end

  it("reads rates and kinds in words", function()
    check({
      ["8x200Gb/s InfiniBand"] = { "infiniband", 200 }, ["1600 Gbps RoCE"] = { "roce", 200 },
      ["4x Omni-Path links/node"] = { "omni-path", 50 }, ["800 Gbit/s per node (4x HDR)"] = { "infiniband", 100 },
      ["8x200 Gb/s"] = { nil, 200 }, ["8x200Gbps HDR InfiniBand"] = { "infiniband", 200 },
      ["RoCE RDMA"] = { "roce" }, ["EFA (trn1.32xlarge/trn1n)"] = { "efa" }, ["DCN between slices"] = { "dcn" },
      ["GCP A3 VM"] = { "tcpx" }, ["400 Gbps"] = { nil, 50 }, ["3.2 Tbps EFA"] = { "efa", 400 },
      ["8 x NDR400 InfiniBand"] = { "infiniband", 400 }, ["8x 50 GB/s InfiniBand"] = { "infiniband", 400 },
      ["4x Slingshot-11"] = { "slingshot", 100 }, [""] = {}, ["N/A"] = {},
      ["NDR InfiniBand"] = { "infiniband" }, ["2x100Gb/s Ethernet"] = { "ethernet", 25 },
      ["8 InfiniBand 200 Gb/s HCAs per node"] = { "infiniband", 200 }, ["200 Gb/s RDMA NIC per GPU"] = { "roce", 200 },
      ["InfiniBand RDMA"] = { "infiniband" },
      ["200 Gb/s per GPU InfiniBand"] = { "infiniband", 200 }, ["200 Gb/s"] = { nil, 200 },
    }, 200, 8)
  end)

  it("takes one rate for a device or for a node, whichever its adapters are nearer to", function()
    check({ ["400 Gb/s RoCE"] = { "roce", 400 }, ["3200 Gb/s RoCE"] = { "roce", 400 },
      ["400 Gb/s RoCE per node"] = { "roce", 50 }, ["800 Gb/s"] = { nil, 100 } }, 400, 8)
    local device = device_with(400)
    assert.equal("network: 400 Gbit/s read as of one device", network_words.between("400 Gb/s RoCE", device, 8).said)
    assert.is_nil(network_words.between("8x 400 Gb/s", device, 8).said)
  end)

  it("knows the networks of machines of clouds", function()
    check({ ["p4d.24xlarge"] = { "efa", 50 }, ["EFA, p5.48xlarge instances"] = { "efa", 400 },
      ["Azure ND96isr H100 v5"] = { "infiniband", 400 }, ["Standard_ND96amsr_A100_v4"] = { "infiniband", 200 },
      ["a3-megagpu-8g"] = { "tcpx", 200 }, ["25 Gbps Ethernet (p3.16xlarge)"] = { "ethernet", 3.125 },
      ["8x 200 Gb/s RoCE (BM.GPU4.8)"] = { "roce", 200 }, ["p4d.24xlarge with 8x 400 Gb/s EFA"] = { "efa", 400 } }, 400, 8)
  end)

  it("takes the network of the step's traffic of several", function()
    check({
      ["Storage+Management: 1x DPU 100Gb/s, Compute: 8x NIC IB NDR 400Gb/s"] = { "infiniband", 400 },
      ["Storage: 2x 400Gb/s, Compute: 8x BF3 ConnectX-7 400Gb/s, Management: 100Gb/s"] = { nil, 400 },
      ["Compute: 4x 400Gb/s RoCE, Storage: 8x 800Gb/s"] = { "roce", 200 },
      ["8x ConnectX-7 IB NDR 400Gb/s + 200Gb/s Ethernet NIC"] = { "infiniband", 400 },
      ["200Gb/s Ethernet NIC + 8x ConnectX-7 IB NDR 400Gb/s"] = { "infiniband", 400 },
      ["2x 400Gb/s for storage, 8x 200Gb/s InfiniBand"] = { "infiniband", 200 },
      ["Compute: 8x ConnectX-7 IB ND"] = { "infiniband", 400 }, ["8x ConnectX-8"] = { nil, 800 },
      ["8 x NIC 25Gb/50Gb/100Gb/200Gb Ethernet"] = { "ethernet", 200 },
      ["ROCE2; Data bandwidth for GPU-PCIe: 504 GB/s; PCIe-NIC: 500 GB/s"] = { "roce" },
      ["InfiniBand, Ethernet"] = { "infiniband" },
    }, 400, 8)
    check({ ["4x ConnectX-7 IB NDR 400Gb/s"] = { "infiniband", 400 } }, 400, 4)
  end)

  it("does not believe a rate far below what such nodes are sold with, of a system that is described", function()
    local found = network_words.between("100GbE InfiniBand", device_with(400), 8, true)
    assert.equal("infiniband", found.fabric)
    assert.is_nil(found.nic_bytes_s)
    assert.near(100, found.doubted_bytes_s / GBIT, 1e-9)
    assert.matches("100 Gbit/s per device, nodes of any are sold with 400: not believed", found.doubt)
    assert.near(100, network_words.between("100GbE InfiniBand", device_with(200), 8, true).nic_bytes_s / GBIT, 1e-9)
    assert.near(25, network_words.between("2x100GbE", device_with(400), 8, true).doubted_bytes_s / GBIT, 1e-9)
    assert.is_nil(network_words.between("1x 10GBASE-T", device_with(400), 8, true).fabric)
    local case = resolve({ interconnect_inter = "100GbE" })
    assert.equal("network", case.open[1])
    assert.equal(50e9, case.network.scaleout.bw_bytes_s)
    assert.matches("not believed", said(case))
    assert.same({ 25e9, 12.5e9 }, { left_open.alternatives(case, "network")[1].cluster.network.scaleout.bw_bytes_s,
      left_open.alternatives(case, "network")[2].cluster.network.scaleout.bw_bytes_s })
  end)

  it("believes who says it of this network: a bare rate is that of a node's one adapter", function()
    for words, gbit in pairs({ ["200 Gb/s per node"] = 25, ["2x 100GbE"] = 25, ["100G ethernet"] = 12.5, ["1x 10GBASE-T"] = 1.25 }) do
      local found = network_words.between(words, device_with(400), 8)
      assert.near(gbit, found.nic_bytes_s / GBIT, 1e-9, words)
      assert.matches("nodes of any are sold with 400", found.slow)
      assert.is_nil(found.doubt)
    end
    assert.is_nil(network_words.between("8x 200 Gb/s", device_with(400), 8).slow)
  end)

  it("reads the domain and PCIe", function()
    assert.equal(72, network_words.inside("NVLink5 (NVL72)").domain)
    assert.is_true(network_words.inside("PCIe 4.0").pcie)
    assert.is_nil(network_words.inside("NVLink over PCIe cards").pcie)
    assert.is_nil(network_words.inside("NVLink4 900 GB/s").domain)
  end)

  it("shares a node's links among its devices", function()
    assert.near(25e9, resolve({ interconnect_inter = "4x400Gb/s InfiniBand" }).network.scaleout.bw_bytes_s, 1)
    assert.equal(8, resolve().network.domain)
  end)

  it("takes a slice of a TPU pod for one domain", function()
    local network = resolve({ gpu = "TPU-v5e", gpus = "512", gpus_per_node = "", tp = "1", pp = "1", dp = "512",
      global_batch_seqs = "512", framework = "maxtext", interconnect_inter = "DCN between slices",
      sharding_label = "FSDP x256 within slice, DP x2 over DCN" }).network
    assert.equal(256, network.domain)
    assert.equal("dcn", network.fabric)
  end)

  it("replaces the link of a device that sits on PCIe", function()
    local up = resolve({ interconnect_intra = "PCIe" }).network.scaleup
    assert.equal(32e9, up.bw_bytes_s)
  end)
end)

describe("names of models", function()
  local function means(name, known)
    local list = {}
    for i, entry in ipairs(known) do list[i] = { name = entry, parsed = names.parse(entry) } end
    local found = names.candidates(name, list)
    return found[1] and found[1].name
  end

  it("compare without spelling, owner, release and use", function()
    local pairs_of = {
      { "Llama-3.1 405B", "Llama-3.1-405B" }, { "meta-llama/Llama-3.1-405B", "Llama-3.1-405B" },
      { "Llama-3.1 405B proxy (42 layers)", "Llama-3.1-405B" }, { "Mixtral 8x7B", "Mixtral-8x7B-v0.1" },
      { "GPT-3 175B", "gpt3-175b" }, { "DeepSeek-V3 671B", "DeepSeek-V3" }, { "Grok-1 314B", "grok-1" },
      { "Llama-4 Maverick 400B-A17B", "Llama-4-Maverick-17B-128E" }, { "Qwen3 235B-A22B", "Qwen3-235B-A22B" },
      { "GPT-OSS 120B", "gpt-oss-120b" }, { "Llama-2 70B", "Llama-2-70b-hf" },
      { "ViT-L/16", "vit-l-16" },
      { "DeepSeekV4 Flash", "DeepSeek-V4-Flash" }, { "Nemotron_3_Nano", "Nemotron-3-Nano-30B-A3B" },
    }
    for _, pair in ipairs(pairs_of) do assert.equal(pair[2], means(pair[1], { pair[2] }), pair[1]) end
  end)

  it("do not mix sizes or versions", function()
    assert.is_nil(means("Llama-3.1 8B", { "Llama-3.1-70B" }))
    assert.is_nil(means("Llama-3 70B", { "Llama-3.1-70B" }))
    assert.is_nil(means("GPT 22B", { "gpt3-175b" }))
    assert.equal("b-7b", means("b 7B", { "b-70b", "b-7b" }))
    assert.is_nil(means("", { "gpt2" }))
  end)
end)

describe("model", function()
  it("comes from the catalog by name, with the row's own numbers over it", function()
    local case = resolve({ model = "Llama-3.1 405B", layers = "", hidden = "", heads = "", kv_heads = "16",
      ffn_hidden = "", vocab = "" })
    assert.same({ 126, 16384, 128, 16, 53248 },
      { case.model.layers, case.model.hidden, case.model.heads, case.model.kv_heads, case.model.ffn_hidden })
    assert.matches("same name", said(case))
  end)

  it("is cut to the stated layers with its kinds of layer in proportion", function()
    local known = models.get("DeepSeek-V3")
    local model = resolve({ model = "DeepSeek-V3 (4 layers)", layers = "4", hidden = "7168", heads = "128",
      kv_heads = "", ffn_hidden = tostring(known.moe_ffn), vocab = "", experts = "256", topk = "8", tp = "1",
      pp = "1", dp = "16" }).model
    assert.same({ 4, 1, known.ffn_hidden, known.moe_ffn, known.kv_lora_rank },
      { model.layers, model.dense_layers, model.ffn_hidden, model.moe_ffn, model.kv_lora_rank })
  end)

  it("keeps the shares of attention, state space and feed-forward parts that are layers of their own", function()
    local model = resolve({ model = "Nemotron-H-8B", layers = "26", hidden = "4096", heads = "32", kv_heads = "",
      ffn_hidden = "", vocab = "", tp = "1", pp = "1", dp = "16" }).model -- of 52: 4, 24 and 24
    assert.same({ 26, 2, 12, 12 },
      { model.layers, model.attention_layers, model.mamba_layers, model.ffn_layers })
  end)

  it("says where a name is of no stack of equal layers", function()
    assert.matches("layers taken to be equal, though encoder and decoder", said(resolve({ model = "t5-11b" })), 1, true)
  end)

  it("is not the catalog's where the shape contradicts", function()
    local model = resolve({ model = "Llama-3.1 405B" }).model
    assert.equal(1024, model.hidden)
  end)

  it("is gated and tied as reproduces the parameters", function()
    -- 8 (4 1024^2 + 3 1024 4096) + 1 or 2 times 51200 1024, in billions: .1867, .2391.
    local base = { params_b = "0.1867" }
    local model = resolve(base).model
    assert.same({ true, true }, { model.gated_mlp, model.tied_embeddings })
    model = resolve({ params_b = "0.2391" }).model
    assert.same({ true, false }, { model.gated_mlp, model.tied_embeddings })
    -- two matrices: 8 12 1024^2 + tied = .1531
    model = resolve({ params_b = "0.1531" }).model
    assert.same({ false, true }, { model.gated_mlp, model.tied_embeddings })
  end)

  it("has experts in every other layer where the parameters say so", function()
    -- 8 layers of 4 1024^2 and of 16 experts of 3 1024 4096 are 1.64e9, with 4 of them dense .89e9; twice 51200 1024.
    local moe = { arch = "moe", experts = "16", topk = "2", ffn_hidden = "4096" }
    local function dense(params_b)
      moe.params_b = params_b
      return resolve(moe).model.dense_layers or 0
    end
    assert.equal(4, dense("0.994"))
    assert.equal(0, dense("1.75"))
    assert.matches("experts in every other layer", said((function() moe.params_b = "0.994" return resolve(moe) end)()), 1, true)
  end)

  it("without a count is two-matrix from 4 hidden on, gated below", function()
    assert.is_false(resolve().model.gated_mlp)
    assert.is_true(resolve({ ffn_hidden = "2816" }).model.gated_mlp)
  end)

  it("finds heads that divide, and the vocabulary that the count leaves", function()
    assert.equal(48, shapes.heads(6144, 4))
    assert.equal(120, shapes.heads(14400, 8))
    assert.equal(32, shapes.heads(2048, 1, 32))
    -- LLaMA-like, 32 layers of 4096: 6.4763e9 without embeddings, 7.40 leaves 2 x 112,760 rows.
    local case = resolve({ layers = "32", hidden = "4096", heads = "32", kv_heads = "32", ffn_hidden = "11008",
      vocab = "", params_b = "7.40" })
    assert.near(112760, case.model.vocab, 128)
    assert.equal(51200, resolve({ vocab = "", params_b = "" }).model.vocab)
  end)

  it("has usual proportions where only its size is known", function()
    local case = resolve({ model = "mystery", layers = "", hidden = "", heads = "", kv_heads = "",
      ffn_hidden = "", vocab = "", params_b = "7" })
    assert.near(7e9, shapes.params(case.model), 0.7e9)
    assert.near(128, case.model.hidden / case.model.layers, 5)
    assert.matches("usual proportions", said(case))
  end)

  it("makes of a size the shapes that are usual at it", function()
    local function shape(params_b)
      local model = shapes.from_params({ params_b = params_b }, 2048)
      return { model.layers, model.hidden, model.heads }
    end
    -- GPT-3's small one and its 175 B (arXiv:2005.14165, table 2.1), NeMo's 5 B.
    assert.same({ 12, 768, 12 }, shape(0.125))
    assert.same({ 24, 4096, 32 }, shape(5))
    assert.same({ 96, 12288, 96 }, shape(175))
    for params_b = 2, 1000, 37 do
      local layers, _, heads = table.unpack(shape(params_b))
      assert.equal(0, layers % 4)
      assert.equal(0, heads % 8)
    end
  end)

  it("knows the GPT of a Megatron paper by its size", function()
    local case = resolve({ model = "GPT 529.6B", layers = "", hidden = "", heads = "", kv_heads = "",
      ffn_hidden = "", vocab = "", params_b = "529.6" })
    assert.equal(105, case.model.layers)
    assert.equal(20480, case.model.hidden)
  end)
end)

-- Launch files read: what `emit` writes says the same plan again, and what others write is understood.
local case_of = require("ballpark.emit.serving.case")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local emit = require("ballpark.emit")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local estimating = require("ballpark.questions.estimate.run")
local from = require("ballpark.from")
local json = require("ballpark.json")
local launch = require("ballpark.emit.launch")
local read_case = require("ballpark.emit.read_case")
local resolve_serving = require("ballpark.resolve.serving")
local scenario = require("ballpark.from.scenario")
local tables = require("ballpark.tables")
local launch_plans = dofile(debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") .. "/launch_plans.lua")

local DENSE, MODELS = launch_plans.DENSE, launch_plans.MODELS

-- Stages cut by hand as well, which no writer of settings leaves out and every reader has to find.
local CUT = { first_layers = { 0, 0, 3 }, last_layers = { 0, 0, 3 }, offload_activations = { 0, 0.25, 1 } }

-- A plan that a launcher takes: virtual stages where there are stages.
local function random_plan()
  local plan = launch_plans.random(CUT)
  if plan.pp == 1 then plan.vpp = 1 end
  return plan
end


-- What selective recomputation does again of latent attention may be named as a module beside it.
local SAME_MODULE <const> = { recompute = true, recompute_up_proj = true }

local function check_plan(case, read, text)
  local model = case.model
  for _, field in ipairs(launch.plan_fields()) do
    local name = field.name
    local one, two = case.plan[name], read.plan[name]
    local alike = SAME_MODULE[name] and (model.kv_lora_rank or 0) > 0
    if case:means(name) and one ~= two and not alike then
      error(("%s = %s is read as %s\n%s"):format(name, tostring(one), tostring(two), text))
    end
  end
end

describe("what emit writes is read back:", function()
  local WHERE <const> = { "deepspeed", "maxtext", "megatron", "nemo", "slurm", "torchtitan@238fa99", "torchtitan" }
  for _, where in ipairs(WHERE) do
    it("plans by " .. where, function()
      math.randomseed(20261123)
      for _ = 1, 100 do
        local model = MODELS[math.random(#MODELS)]
        local answer = launch_plans.answer(random_plan(), model)
        local text = emit.text(answer, where)
        local case = emit.settings(answer, where).launch
        local read = from.read(where, text, { file = "file", shape = model })
        check_plan(case, read, text)
        assert.same({}, read.unread)
        assert.same({}, read.untaken, text)
        assert.equal(case.network.devices, read.devices)
        assert.equal(case.job.global_batch, read.job.global_batch)
        assert.equal(case.job.seq_len, read.job.seq_len)
        assert.equal("H100-SXM-80GB", read.device)
      end
    end)
  end
end)

describe("a setting that was changed since emit wrote it goes over the head:", function()
  -- Target, plan, what is changed, field and its value as it was and after.
  local CASES <const> = {
    { "maxtext", { recompute = "none" }, 'remat_policy: "?minimal"?', "remat_policy: full", "recompute", "none", "full" },
    { "maxtext", { optimizer = "adam_8bit" }, "$", "opt_type: sgd\n", "optimizer", "adam_8bit", "sgd" },
    { "maxtext", { recompute = "none" }, "max_target_length", "max_target_length", "recompute", "none", "none" },
  }
  for _, case in ipairs(CASES) do
    local where, plan, old, new, field, before, after = table.unpack(case)
    it(where .. " " .. field .. " " .. new, function()
      local answer = launch_plans.answer(tables.with(read_case.defaults(launch.plan_fields()), tables.with({ tp = 2, pp = 1, dp = 4, shard = 4, zero = 3 }, plan)), DENSE)
      local text = emit.text(answer, where)
      local function value(of) return from.read(where, of, { file = "file", shape = DENSE }).plan[field] end
      assert.equal(before, value(text))
      local changed, count = text:gsub(old, new, 1)
      assert.equal(1, count)
      assert.equal(after, value(changed))
    end)
  end
end)

describe("the model of the head is the catalog's as long as the file describes that one:", function()
  local FORMATS <const> = { "megatron", "slurm", "nemo", "maxtext" }
  local function text_of(where, name) return emit.text(launch_plans.answer({ tp = 2, dp = 4, shard = 4 }, catalog.model(name)), where) end

  for _, where in ipairs(FORMATS) do
    it("as " .. where .. " has it", function()
      for _, name in ipairs({ "Llama-3.1-8B", "gpt2", "Gemma-2-9b", "Mixtral-8x7B-v0.1", "DeepSeek-V3", "Qwen3-235B-A22B", "falcon-7b",
        "Llama-4-Scout-17B-16E" }) do
        assert.equal(name, from.read(where, text_of(where, name), { file = "file" }).catalog_model)
      end
    end)
  end

  -- Model, format, what is changed by hand, and what the scenario then says.
  local CASES <const> = {
    { "Llama-3.1-8B", "megatron", "ffn%-hidden%-size 14336", "ffn-hidden-size 28672", "ffn_hidden", 28672 },
    { "Llama-3.1-8B", "slurm", "num%-query%-groups 8", "num-query-groups 32", "kv_heads", 32 },
    { "Llama-3.1-8B", "megatron", "vocab%-size 128256", "vocab-size 512000", "vocab", 512000 },
    { "Llama-3.1-8B", "megatron", " +%-%-untie%-embeddings%-and%-output%-weights\n", "", "tied_embeddings", true },
    { "Llama-3.1-8B", "megatron", " +%-%-group%-query.-num%-query%-groups 8\n", "", "kv_heads", nil },
    { "Llama-3.1-8B", "maxtext", "base_mlp_dim: 14336", "base_mlp_dim: 28672", "ffn_hidden", 28672 },
    { "Llama-3.1-8B", "maxtext", "logits_via_embedding: false", "logits_via_embedding: true", "tied_embeddings", true },
    { "Llama-3.1-8B", "maxtext", "head_dim: 128", "head_dim: 64", "head_dim", 64 },
    { "Llama-3.1-8B", "nemo", "ffn_hidden_size = 14336", "ffn_hidden_size = 28672", "ffn_hidden", 28672 },
    { "Llama-3.1-8B", "nemo", "vocab_size = 128256", "vocab_size = 32000", "vocab", 32000 },
    { "Mixtral-8x7B-v0.1", "megatron", "topk 2", "topk 4", "topk", 4 },
    { "DeepSeek-V3", "megatron", "intermediate%-size 2048", "intermediate-size 4096", "shared_ffn", 4096 },
    { "DeepSeek-V3", "megatron", "kv%-lora%-rank 512", "kv-lora-rank 256", "kv_lora_rank", 256 },
    { "DeepSeek-V3", "nemo", "moe_ffn_hidden_size = 2048", "moe_ffn_hidden_size = 1024", "moe_ffn", 1024 },
  }
  for _, case in ipairs(CASES) do
    local name, where, old, new, field, value = table.unpack(case, 1, 6)
    it(("%s, %s %s %s"):format(name, where, field, tostring(value)), function()
      local changed, count = text_of(where, name):gsub(old, new, 1)
      assert.equal(1, count)
      local read = from.read(where, changed, { file = "file" })
      assert.is_nil(read.catalog_model)
      assert.equal("table", type(read.model))
      assert.equal(value, read.model[field])
      assert.matches("the file says", errors.catch(from.read, where, changed, { file = "file", model = name }))
    end)
  end
end)

describe("what emit writes of a replica is read back:", function()
  local cluster = catalog.cluster({ device = "H100", devices = 16 })

  local function answer_of_serve(engine, plan, settings)
    return { kind = "serving", fits = true, memory = { pool_bytes = 1 << 34 }, steady = { capacity_per_s = 3 },
      input = { model = catalog.model("deepseek-v3"), device = cluster.device, network = cluster.network, plan = plan,
        engine = tables.with(engines.get(engine), settings), load = { input_tokens = 1000, output_tokens = 200 } } }
  end

  local PLANS <const> = { tp = { 1, 2, 4 }, pp = { 1, 2 }, dp = { 1, 2 }, cp = { 1, 2 }, ep = { 1, 8 },
    weights = { "bf16", "fp8", "int4" }, experts = { "auto", "mxfp4" }, activations = { "auto", "fp8" },
    kv = { "bf16", "fp8", "int8" }, draft_tokens = { 0, 3 } }
  local SETTINGS <const> = { policy = { "mixed", "prefill_first" }, token_budget = { 2048, 8192 },
    max_running = { 256, 1024 }, chunked_prefill = { true, false }, prefix_cache = { true, false },
    reserve_output = { true, false }, memory_frac = { 0.8, 0.9 }, block_tokens = { 16, 64 }, recv_interval = { 1, 4 },
    stream_interval = { 1, 10 }, batch_wait = { 0, 8 }, graph_tokens = { 0, 256, 512 }, overlap = { true, false } }

  local function some(of)
    local set = {}
    for _, name in ipairs(tables.sorted_keys(of)) do set[name] = of[name][math.random(#of[name])] end
    return set
  end

  for _, target in ipairs(emit.serving_targets) do
    it(target, function()
      math.randomseed(20261124)
      for _ = 1, 100 do
        local plan, settings = some(PLANS), some(SETTINGS)
        local text = emit.text(answer_of_serve(target, plan, settings), target)
        local read = from.read(target, text, { file = "file" })
        for name, value in pairs(plan) do
          assert.equal(value, read.plan[name], name .. "\n" .. text)
        end
        for name, value in pairs(settings) do
          assert.equal(value, read.engine[name], name .. "\n" .. text)
        end
        assert.same({}, read.unread)
        assert.same({}, read.untaken, text)
        assert.equal("DeepSeek-V3", read.catalog_model)
        assert.equal(1536, read.max_model_len)
      end
    end)
  end
end)

local function one_of(list) return list[math.random(#list)] end

-- What the function answers; nil where it refuses what it is asked.
local function allowed(run, input)
  local ok, answer = pcall(run, input)
  if ok then return answer end
  if not errors.is(answer) then error(answer, 0) end
  return nil
end

-- The scenario that `from` writes, in text and back, as a table.
local function scenario_of(where, text)
  local read = from.read(where, text, { file = "file" })
  local asked
  local function question(input) asked = input end
  local environment = { show = function() end, estimate = question, replica = question, cluster = function(spec) return spec end }
  assert(load(scenario.text(read, "file"), "scenario", "t", environment))()
  return asked
end

-- Values that refuse most plans are drawn seldom.
local SELDOM <const> = { first_layers = { 0, 0, 0, 5 }, last_layers = { 0, 0, 0, 5 }, trained_layers = { 0, 0, 0, 2 },
  lora_rank = { 0, 0, 0, 16 }, lora_dropout = { 0, 0.05 }, offload_activations = { 0, 0.25, 1 } }

local CATALOG <const> = { "llama-3.1-8b", "mixtral-8x7b", "deepseek-v2-lite", "qwen3-30b-a3b" }

-- A plan of which a share of the fields is stated.
local function stated_plan(share)
  local plan = {}
  for _, field in ipairs(launch.plan_fields()) do
    local follows = field.name == "dp" or field.name == "shard"
    if math.random() < share and not follows then plan[field.name] = one_of(launch_plans.values(field, SELDOM)) end
  end
  return plan
end

describe("what emit writes is estimated as before, blanks of the plan filled or stated:", function()
  -- What a launch file does not say is said again: the network, and the software's year.
  local function facts(input, device)
    return { model = catalog.model(input.model), job = input.job, plan = input.plan, software = input.software,
      cluster = catalog.cluster(tables.with(input.cluster, { device = device, fabric = "infiniband" })) }
  end

  for _, where in ipairs({ "deepspeed", "maxtext", "megatron", "nemo", "slurm", "torchtitan@238fa99", "torchtitan" }) do
    it(where, function()
      math.randomseed(20261127)
      local target, compared = emit.target(where), 0
      for _ = 1, 25 do
        local device = one_of({ "H100", "MI300X", "A100", "B200" })
        local asked = { model = one_of(CATALOG), cluster = { devices = one_of({ 8, 16, 64 }) },
          software = target.software or target.title, job = { global_batch = 128, seq_len = 4096, tokens = 1e10 },
          plan = stated_plan(one_of({ 0, 0.1, 0.3 })) }
        local answer = allowed(estimating.run, facts(asked, device))
        if answer then
          compared, answer.fits = compared + 1, true
          local text = emit.text(answer, where)
          local again = estimating.run(facts(scenario_of(where, text), device))
          check_plan(emit.settings(answer, where).launch, again, text)
          assert.equal(answer.time.step_s, again.time.step_s, text)
          assert.equal(answer.memory.total_bytes, again.memory.total_bytes, text)
        end
      end
      assert.is_true(compared > 20, "compared only " .. compared)
    end)
  end
end)

describe("what emit writes of a replica is resolved as before, blanks filled or stated:", function()
  local PLAN <const> = { tp = { 1, 2, 8 }, pp = { 1, 2 }, dp = { 1, 8 }, ep = { 1, 2, 8 },
    weights = { "bf16", "fp8", "int4", "nvfp4" }, experts = { "auto", "bf16", "mxfp4" }, activations = { "auto", "fp8" },
    kv = { "auto", "bf16", "fp8", "int8" }, draft_tokens = { 0, 3 }, acceptance = { 0.6, 0.7 } }
  local ENGINE <const> = { token_budget = { 1024, 2048, 8192 }, max_running = { 256, 1024, 2048 },
    chunked_prefill = { true, false }, prefix_cache = { true, false }, reserve_output = { true, false },
    memory_frac = { 0.8, 0.85, 0.9 }, block_tokens = { 16, 64 }, recv_interval = { 1, 4 }, stream_interval = { 1, 10 },
    batch_wait = { 0, 8 }, graph_tokens = { 0, 256, 512 }, overlap = { true, false }, max_loras = { 0, 4 }, max_lora_rank = { 16, 32 } }
  local SERVED <const> = { "llama-3.1-8b", "gpt-oss-120b", "deepseek-v3", "qwen3-30b-a3b", "mixtral-8x7b" }
  local LOAD <const> = { arrivals = "closed", concurrency = 8, input_tokens = 1000, output_tokens = 200 }

  local function some(of, share)
    local set = {}
    for _, name in ipairs(tables.sorted_keys(of)) do
      if math.random() < share then set[name] = one_of(of[name]) end
    end
    return set
  end

  -- Of one meaning have one word: experts as the weights, and what a draft achieves where there is none.
  local function resolved(facts)
    local case = resolve_serving.of(facts)
    local groups, described = { plan = case.input.plan, engine = case.launched }, case_of.described()
    local said = {}
    for _, group in ipairs({ "plan", "engine" }) do
      local full = tables.with(read_case.defaults(described[group]), groups[group])
      for _, field in ipairs(described[group]) do said[field.name] = full[field.name] end
    end
    if said.experts == "auto" then said.experts = said.weights end
    if said.draft_tokens == 0 then said.acceptance = nil end
    return { said = said, case = case, memory = core.infer_memory({ model = facts.model, device = facts.cluster.device,
      network = facts.cluster.network, plan = groups.plan, engine = groups.engine }) }
  end

  for _, target in ipairs(emit.serving_targets) do
    it(target, function()
      math.randomseed(20261128)
      local compared = 0
      for _ = 1, 200 do
        local cluster = catalog.cluster({ device = one_of({ "H100", "A100", "L40S", "B200", "MI300X" }),
          devices = one_of({ 1, 8, 16 }) })
        local function facts(input)
          return { model = catalog.model(input.model), cluster = cluster, load = LOAD, plan = input.plan, engine = input.engine }
        end
        local before = allowed(resolved, facts({ model = one_of(SERVED), plan = some(PLAN, 0.25),
          engine = tables.with(some(ENGINE, one_of({ 0, 0.2, 0.6 })), { name = target }) }))
        if before then
          compared = compared + 1
          local text = emit.text({ kind = "replica", fits = true, memory = before.memory, input = before.case.input,
            launched = before.case.launched }, target)
          local after = resolved(facts(scenario_of(target, text)))
          assert.same(before.said, after.said, text)
          assert.same(before.memory, after.memory, text)
        end
      end
      assert.is_true(compared > 100, "compared only " .. compared)
    end)
  end
end)

describe("what a file states is stated in the scenario, though it is the default:", function()
  local function told(where, text, options)
    return scenario.input(from.read(where, text, tables.with({ file = "file", device = "H100", devices = 8 }, options))).plan
  end

  it("a loss that NeMo is told not to fuse", function()
    local recipe = "def apply(recipe):\n    recipe.data.seq_length = 4096\n    recipe.data.global_batch_size = 64\n"
      .. "    recipe.model.config.cross_entropy_loss_fusion = False\n"
    assert.equal("plain", told("nemo", recipe, { model = "llama-3.1-8b" }).cross_entropy)
  end)

  it("one rank for the experts, and nothing of them where there are none", function()
    local line = "torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py --expert-model-parallel-size 1 "
      .. "--global-batch-size 64 --seq-length 4096 --micro-batch-size 1 --bf16"
    assert.equal(1, told("megatron-args", line, { model = "mixtral-8x7b" }).ep)
    assert.is_nil(told("megatron-args", line, { model = "llama-3.1-8b" }).ep)
  end)

  it("and is contradicted by no option", function()
    local shape = "torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
      .. "--num-attention-heads 32 --global-batch-size 64 --seq-length 4096 --micro-batch-size 1 --bf16"
    local function said(where, text, options) return errors.catch(told, where, text, options) end
    assert.matches("%-%-model llama%-3.1%-70b with layers 80: the file says layers 32", said("megatron-args", shape, { model = "llama-3.1-70b" }))
    assert.matches("%-%-seq%-len 8192: the file says 4096", said("megatron-args", shape, { model = "llama-3.1-8b", seq_len = 8192 }))
    assert.matches("%-%-devices 16: the file says 8", said("megatron-args", shape, { model = "llama-3.1-8b", devices = 16 }))
    assert.equal(1, told("megatron-args", shape, { model = "llama-3.1-8b", seq_len = 4096 }).micro_batch)
    local sizes <const> = " --group-query-attention --num-query-groups 8 --ffn-hidden-size 14336 --vocab-size 128256 --swiglu "
      .. "--untie-embeddings-and-output-weights"
    assert.equal(1, told("megatron-args", shape .. sizes, { model = "llama-3.1-8b" }).micro_batch)
    for _, case in ipairs({ { "query%-groups 8", "query-groups 4", "kv_heads 4" }, { "14336", "11008", "ffn_hidden 11008" },
      { "128256", "32000", "vocab 32000" }, { " %-%-swiglu", "", "gated_mlp false" },
      { " %-%-untie[%l-]+", "", "tied_embeddings true" }, { "$", " --kv-channels 64", "head_dim 64" },
      { " %-%-group%-.*groups 8", "", "kv_heads 32" } }) do
      assert.matches("the file says " .. case[3], said("megatron-args", shape .. sizes:gsub(case[1], case[2]), { model = "llama-3.1-8b" }))
    end
    local serve = "vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2"
    assert.matches("the file says Llama%-3.1%-8B", said("vllm-args", serve, { model = "llama-3.1-70b" }))
    assert.matches("%-%-seq%-len is of training", said("vllm-args", serve, { seq_len = 4096 }))
    assert.equal(2, told("vllm-args", serve, { model = "llama-3.1-8b" }).tp)
  end)

  it("a KV cache of 16 bit; the checkpoint's own is nobody's word", function()
    local serve = "vllm serve deepseek-ai/DeepSeek-V3 --kv-cache-dtype "
    assert.equal("bf16", told("vllm-args", serve .. "bfloat16").kv)
    assert.equal("fp8", told("vllm-args", serve .. "fp8_e5m2").kv)
    local plan = told("vllm-args", serve .. "auto")
    assert.same({}, { plan.kv, plan.weights, plan.experts, plan.draft_tokens })
  end)

  it("a limit that is an engine's default on larger devices", function()
    local read = from.read("vllm-args", "vllm serve meta-llama/Llama-3.1-8B --max-num-batched-tokens 8192",
      { file = "file", device = "L40S" })
    assert.equal(8192, scenario.input(read).engine.token_budget)
    assert.is_nil(scenario.input(read).engine.max_running)
  end)

  it("but not what a client's code says", function()
    local config = [[{ "train_batch_size": 64, "train_micro_batch_size_per_gpu": 8, "zero_optimization": { "stage": 3 } }]]
    local plan = told("deepspeed", config, { model = "mixtral-8x7b", seq_len = 4096 })
    assert.is_nil(plan.ep)
    assert.is_nil(plan.cross_entropy)
    assert.equal(3, plan.zero)
  end)
end)

describe("what others write is read:", function()
  it("a script with variables, continued lines and flags of its own", function()
    local read = from.read("megatron-args", [[
#!/bin/bash
TP=4
PP=2
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-4}
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NNODES pretrain_gpt.py \
  --tensor-model-parallel-size ${TP} --pipeline-model-parallel-size=$PP \
  --num-layers-per-virtual-pipeline-stage 4 --sequence-parallel --use-distributed-optimizer \
  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --group-query-attention --num-query-groups 8 \
  --ffn-hidden-size 14336 --swiglu --normalization RMSNorm --position-embedding-type rope --vocab-size 128256 \
  --untie-embeddings-and-output-weights --seq-length 8192 --max-position-embeddings 8192 \
  --micro-batch-size 1 --global-batch-size 128 --train-iters 100 --bf16 --recompute-activations \
  --data-path /data/text "quoted words" --lr 3.0e-4 # a comment --tensor-model-parallel-size 8
]], { file = "train.sh" })
    assert.equal(4, read.plan.tp)
    assert.equal(2, read.plan.pp)
    assert.equal(4, read.plan.vpp) -- 32 layers / (2 * 4)
    assert.equal(32, read.devices)
    assert.equal(4, read.plan.dp)
    assert.equal(1, read.plan.zero)
    assert.equal("selective", read.plan.recompute)
    assert.equal("bf16", read.plan.precision)
    assert.equal(128, read.job.global_batch)
    assert.equal(8, read.model.kv_heads)
    assert.is_true(read.model.gated_mlp)
    assert.same({ "data-path", "lr" }, read.unread)
  end)

  it("options that a script keeps in a variable, on one line or several", function()
    local read = from.read("megatron-args", [[
TP=2
export PARALLEL="--tensor-model-parallel-size $TP --pipeline-model-parallel-size 2 \
  --sequence-parallel"
STATES='
  --use-distributed-optimizer
  --overlap-grad-reduce
'
STATES+=" --overlap-param-gather"
NOTE="it's nothing"
torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py $PARALLEL ${STATES} --micro-batch-size 1 \
  --global-batch-size 64 --seq-length 4096 --bf16 --lr-decay-style "cosine --not-an-option"
]], { file = "train.sh", shape = DENSE })
    assert.equal(2, read.plan.tp)
    assert.equal(2, read.plan.pp)
    assert.equal(8, read.plan.dp)
    assert.equal(1, read.plan.zero)
    assert.is_true(read.plan.sequence_parallel)
    assert.is_true(read.plan.overlap_dp)
    assert.same({ "lr-decay-style" }, read.unread)
  end)

  it("products that a script works out", function()
    local read = from.read("megatron-args", [[
TP=2
PP=4
NODES=$((TP * PP))
WORLD=$(( $NODES * 8 ))
torchrun --nnodes $NODES --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size $TP \
  --pipeline-model-parallel-size ${PP} --global-batch-size $((WORLD*2)) --micro-batch-size $((8 / 4)) --bf16 \
  --seq-length 4096 --train-iters $((TRAIN_TOKENS / 4096))
]], { file = "train.sh", shape = DENSE })
    assert.equal(64, read.devices)
    assert.equal(128, read.job.global_batch)
    assert.equal(2, read.plan.micro_batch)
    assert.equal("bf16", read.plan.precision)
    assert.is_nil(read.job.steps) -- of a variable that the script does not set
  end)

  it("the model that SGLang serves", function()
    local read = from.read("sglang-args", "python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B-Instruct --tp 4",
      { file = "serve.sh" })
    assert.equal("Llama-3.1-8B", read.catalog_model)
    assert.equal(4, read.plan.tp)
  end)

  it("what recomputes, behind the last setting of torchtitan's command line", function()
    local read = from.read("torchtitan", "torchrun -m torchtitan.train --parallelism.tensor_parallel_degree 2 "
      .. "--training.steps 10 activation_checkpoint:selective", { file = "train.sh", shape = DENSE, devices = 8, seq_len = 4096 })
    assert.equal("selective", read.plan.recompute)
    assert.equal(2, read.plan.tp)
    assert.equal(10, read.job.steps)
  end)

  it("NeMo's defaults where a recipe is silent", function()
    local function loss(line)
      return from.read("nemo", "def apply(recipe):\n    recipe.trainer.strategy.tensor_model_parallel_size = 2\n" .. line,
        { file = "recipe.py", shape = DENSE }).plan.cross_entropy
    end
    assert.equal("fused", loss(""))
    assert.equal("plain", loss("    recipe.model.config.cross_entropy_loss_fusion = False\n"))
  end)

  it("torchtitan's TOML, told by its sections", function()
    local read = from.read("torchtitan", [[
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
global_batch_size = 64
steps = 1000
[parallelism]
data_parallel_replicate_degree = 1
data_parallel_shard_degree = -1
tensor_parallel_degree = 2   # inside a node
[activation_checkpoint]
mode = "selective"
selective_ac_option = "2"
]], { file = "llama3_8b.toml", model = "llama-3.1-8b", devices = 64 })
    assert.equal("238fa99", read.version)
    assert.equal(2, read.plan.tp)
    assert.equal(32, read.plan.dp)
    assert.equal(3, read.plan.zero)
    assert.equal("full", read.plan.recompute)
    assert.equal(0.5, read.plan.recompute_share)
    assert.equal(64, read.job.global_batch)
    assert.equal("Llama-3.1-8B", read.catalog_model)
    assert.same({ {}, {} }, { read.unread, read.untaken })
  end)

  local function titan(text)
    return from.read("torchtitan", text, { file = "job.toml", model = "llama-3.1-8b", devices = 64 })
  end

  it("TOML with comments behind sections, quoted keys, and texts and lists of several lines", function()
    local read = titan([=[
title = "a # b" # c
[job]
description = """
[parallelism]
tensor_parallel_degree = 8
"""
note = '''
seq_len = 4'''
[parallelism] # how
"tensor_parallel_degree" = 2 # inside a node
data_parallel_shard_degree = -1
[training]
seq_len = 8_192
local_batch_size = 0x1
global_batch_size = 64
[validation]# now and then
seq_len = 2048
[model]
layers_with = [
  1, # the first
  2,
]
converters = { float8 = { rowwise = false } }
[activation_checkpoint]
mode = 'full'
]=])
    assert.same({ 2, 8192, 64, "full" }, { read.plan.tp, read.job.seq_len, read.job.global_batch, read.plan.recompute })
    assert.same({ "job.description", "job.note", "model.converters.float8.rowwise", "model.layers_with", "title", "validation.seq_len" }, read.unread)
  end)

  it("no TOML that is none", function()
    for text, why in pairs({ ["x ="] = "a value is missing", ["= 5"] = "a line is no KEY = VALUE", tensor_para = "no = behind 'tensor_para'",
      ["[training"] = "the name of a section does not end", ["]]"] = "a line is no KEY = VALUE", ['a = "x'] = "a text does not end",
      ["a = 1 2"] = "'2' behind a value", ["a = [1, 2"] = "a list does not end", ["a = tru"] = "'tru' is no value",
      ["a = 1\na = 2"] = "'training.a' is set twice", ["[training]"] = "section 'training' stands twice",
      ["a = {b = 1"] = "a table in braces does not end", ["a = '\\\\"] = "a text does not end", ['a = "\\q"'] = "in a text",
      ["a = " .. ("["):rep(40)] = "more than 32 lists" }) do
      local said = errors.catch(titan, "[training]\nseq_len = 8192\n" .. text)
      assert.matches("^job.toml:%d+: is not TOML: ", said)
      assert.truthy(said:find(why, 1, true), text .. "\n" .. said)
    end
  end)

  it("no setting of fewer ranks than one", function()
    local head = "[training]\nseq_len = 8192\nlocal_batch_size = 1\n[parallelism]\n"
    for line, name in pairs({ ["tensor_parallel_degree = 0"] = "tensor_parallel_degree", ["tensor_parallel_degree = -1"] = "tensor_parallel_degree",
      ["data_parallel_shard_degree = 0"] = "data_parallel_shard_degree" }) do
      assert.matches("^job%.toml: parallelism." .. name .. ": must be a whole number of at least 1", (errors.catch(titan, head .. line)))
    end
  end)

  it("steps of samples", function()
    local text = "python pretrain_gpt.py --num-layers 2 --global-batch-size 128 --seq-length 4096 --train-samples 1280"
    assert.equal(10, from.read("megatron-args", text, { file = "t.sh" }).job.steps)
    assert.equal("t.sh: steps: is read from the file as '0': must be a whole number of at least 1", errors.catch(from.read, "megatron-args",
      text:gsub("1280", "100"), { file = "t.sh" }))
  end)

  it("steps, of which there is one at least where the program has no word for none", function()
    local function read(where, text) return from.read(where, text, { file = "job", model = "llama-3.1-8b", devices = 8, seq_len = 4096 }) end
    local script = "python pretrain_gpt.py --global-batch-size 128 --seq-length 4096 --train-iters "
    assert.equal(7, read("megatron-args", script .. "7").job.steps)
    for _, wrong in ipairs({ "-1", "0" }) do
      assert.equal(("job: steps: is read from the file as '%s': must be a whole number of at least 1"):format(wrong),
        errors.catch(read, "megatron-args", script .. wrong))
    end
    assert.is_nil(read("maxtext", "per_device_batch_size: 1\nsteps: -1\n").job.steps)
    assert.matches("steps: ", errors.catch(read, "maxtext", "per_device_batch_size: 1\nsteps: -2\n"))
    assert.is_nil(read("nemo", "recipe.data.global_batch_size = 8\nrecipe.trainer.max_steps = -1\n").job.steps)
  end)

  it("counts of nodes and of their devices, or refused", function()
    local head = "# llama-3.1-8b on 128 x H100, for Megatron-LM\ntorchrun --nnodes %s --nproc-per-node %s pretrain_gpt.py "
      .. "--global-batch-size 128 --seq-length 4096"
    local function devices(nodes, each) return from.read("megatron-args", head:format(nodes, each), { file = "t.sh" }).devices end
    assert.equal(32, devices(4, 8))
    for _, open in ipairs({ "$NODES", "2:4", "auto" }) do assert.equal(128, devices(open, 8)) end
    assert.equal(128, devices(4, "gpu"))
    for _, wrong in ipairs({ "abc", "16k", "0", "-1", "1.5" }) do
      assert.equal(("t.sh: nnodes: must be a whole number of at least 1, got '%s'"):format(wrong), errors.catch(devices, wrong, 8))
      assert.equal(("t.sh: nproc-per-node: must be a whole number of at least 1, got '%s'"):format(wrong), errors.catch(devices, 4, wrong))
    end
    assert.matches("^t.sh: nnodes: must be a whole number", errors.catch(devices, "1e308", 8))
  end)

  it("YAML with quoted keys, lists of several lines and texts that are passed over", function()
    local function read(text) return from.read("maxtext", text, { file = "job.yml", model = "llama-3.1-8b", devices = 8 }) end
    local text = [=[
---
"ici_tensor_parallelism": 2
run_name: "a # b"   # c
logical_axis_rules: [
    ['activation_batch', ['data', 'fsdp']],
  ]
note: |
  ici_tensor_parallelism: 8
  max_target_length: 1024
max_target_length: 4096
per_device_batch_size: 2
mesh_axes:
  - data
  - fsdp
ici_fsdp_parallelism: 4
]=]
    local got = read(text)
    assert.same({ 2, 4, 4096, 16 }, { got.plan.tp, got.plan.dp, got.job.seq_len, got.job.global_batch })
    assert.same({ "logical_axis_rules", "mesh_axes", "run_name" }, got.unread)
    assert.matches("^job.yml:16: is not YAML that we read: 'ici_tens'$", (errors.catch(read, text .. "ici_tens\n")))
  end)

  it("in a time that grows with the file, and no more than some pages", function()
    for _, text in ipairs({ ("\n"):rep(60000), ("\n  "):rep(20000), ("x\n[ "):rep(15000), ("\t"):rep(60000) }) do
      assert.equal("training", from.read("torchtitan", text, { file = "file" }).kind)
    end
    for _, name in ipairs(from.names()) do
      assert.matches("^file has 65537 bytes, more than the 65536", (errors.catch(from.read, name, (" "):rep((64 << 10) + 1), { file = "file" })))
    end
  end)

  it("DeepSpeed's JSON", function()
    local read = from.read("deepspeed", [[{ "train_batch_size": 256, "train_micro_batch_size_per_gpu": 4,
      "gradient_accumulation_steps": 4, "fp16": { "enabled": true }, "gradient_clipping": 1.0,
      "zero_optimization": { "stage": 3, "offload_optimizer": { "device": "nvme", "nvme_path": "/mnt" },
      "overlap_comm": true } }]], { file = "ds.json", model = "llama-3.1-8b", seq_len = 4096 })
    assert.equal(16, read.plan.dp)
    assert.equal(16, read.devices)
    assert.equal(3, read.plan.zero)
    assert.equal("fp16", read.plan.precision)
    assert.equal("optimizer_nvme", read.plan.offload)
    assert.equal(4, read.plan.micro_batch)
    assert.same({ "gradient_clipping" }, read.unread)
    assert.matches("^ds.json: is not valid JSON", errors.catch(from.read, "deepspeed", "[", { file = "ds.json" }))
    assert.matches("^ds.json is not a JSON object", errors.catch(from.read, "deepspeed", "7", { file = "ds.json" }))
    assert.equal('ds.json: "train_batch_size" is said twice in one object', errors.catch(from.read, "deepspeed",
      '{ "train_batch_size": 64, "train_batch_size": 128 }', { file = "ds.json" }))
  end)

  it("a command line of vLLM, with short names", function()
    local read = from.read("vllm-args", "vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 4 --max-num-seqs=256 \\\n"
      .. "  --kv_cache_dtype fp8 --gpu-memory-utilization 0.95 --max-model-len 16384 --port 8000\n", { file = "serve.sh" })
    assert.equal("Llama-3.1-70B", read.catalog_model)
    assert.equal(4, read.plan.tp)
    assert.equal("fp8", read.plan.kv)
    assert.equal(256, read.engine.max_running)
    assert.equal(0.95, read.engine.memory_frac)
    assert.equal(16384, read.max_model_len)
    assert.same({ "port" }, read.unread)
  end)

  it("whose engine takes no long request, for shorter ones", function()
    local function load_of(options)
      local text = "vllm serve meta-llama/Llama-3.1-8B" .. options
      return scenario.input(from.read("vllm-args", text, { file = "serve.sh", device = "H100", devices = 1 })).load
    end
    assert.same({ input_tokens = 1024, output_tokens = 256 }, load_of(" --max-model-len 1280"))
    assert.same({ input_tokens = 820, output_tokens = 204 }, load_of(" --max-model-len 1024")) -- a fifth, as before
  end)

  it("with numbers in short, as vLLM takes them", function()
    local function read(options)
      return from.read("vllm-args", "vllm serve meta-llama/Llama-3.1-8B " .. options, { file = "serve.sh" })
    end
    assert.equal(32000, read("--max-model-len 32k").max_model_len)
    assert.equal(32768, read("--max-model-len=32K").max_model_len)
    assert.equal(25600, read("--max-model-len 25.6k").max_model_len)
    assert.equal(16384, read("--max-num-batched-tokens 16K").engine.token_budget)
    for _, wrong in ipairs({ "1.5K", "32kk", "..k", "k" }) do
      assert.matches("must be a whole number", errors.catch(read, "--max-model-len " .. wrong))
    end
    assert.matches("must be a whole number", errors.catch(read, "--max-num-seqs 1k")) -- which vLLM does not take
  end)

  it("whose checkpoint's name says the format of its weights, which the scenario keeps", function()
    local function input(name, options)
      local text = "vllm serve " .. name .. " -tp 4" .. (options or "")
      return scenario.input(from.read("vllm-args", text, { file = "serve.sh", device = "H100", devices = 4 }))
    end
    for _, name in ipairs({ "nvidia/Llama-3.3-70B-Instruct-FP8", "Qwen/Qwen2.5-32B-Instruct-AWQ", "unsloth/Llama-3.3-70B-Instruct-bnb-4bit",
      "RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w4a16" }) do
      assert.equal(name, input(name).model)
    end
    assert.equal("Llama-3.1-70B", input("meta-llama/Llama-3.1-70B-Instruct").model)
    assert.equal("fp8", input("meta-llama/Llama-3.1-70B-Instruct", " --quantization fp8").plan.weights)
  end)

  it("whose engine works out the longest request", function()
    for _, word in ipairs({ "-1", "auto" }) do
      local read = from.read("vllm-args", "vllm serve meta-llama/Llama-3.1-8B --max-model-len " .. word, { file = "serve.sh" })
      assert.is_nil(read.max_model_len)
    end
  end)

  it("of TensorRT-LLM, with its command said or not", function()
    for _, command in ipairs({ "trtllm-serve", "trtllm-serve serve" }) do
      local read = from.read("trtllm-args", command .. " meta-llama/Llama-3.1-8B-Instruct --tp_size 2", { file = "serve.sh" })
      assert.equal("Llama-3.1-8B", read.catalog_model)
      assert.equal(2, read.plan.tp)
    end
  end)

  it("and a model whose path has blanks", function()
    local read = from.read("vllm-args", "vllm serve '/mnt/my models/Llama-3.1-8B' -tp 2", { file = "serve.sh" })
    assert.equal("/mnt/my models/Llama-3.1-8B", read.model_name)
  end)

  it("that starts several programs is refused, unless they are alike", function()
    local function said(format, text) return errors.catch(from.read, format, text, { file = "run.sh" }) end
    assert.matches("run.sh starts several programs, which differ in model, tensor%-parallel%-size: leave one of them in it",
      said("vllm-args", "vllm serve meta-llama/Llama-3.1-8B -tp 2 \\\n --port 1 &\nvllm serve meta-llama/Llama-3.1-70B --tensor-parallel-size 4 &\n"))
    assert.matches("differ in tp%-size", said("sglang-args",
      "python -m sglang.launch_server --model-path m --tp 2 &\npython3 -m sglang.launch_server --model-path m --tp 4\n"))
    assert.matches("differ in model", said("trtllm-args", "trtllm-serve serve a --tp_size 2 &\ntrtllm-serve b --tp_size 2\n"))
    assert.matches("differ in seq%-length", said("megatron-args", "ARGS=\"--num-layers 8\"\n"
      .. "torchrun pretrain_gpt.py $ARGS --seq-length 4096\ntorchrun pretrain_gpt.py $ARGS --seq-length 32768\n"))
    local read = from.read("sglang-args", "python -m sglang.launch_server --model-path m --tp 16 --nnodes 2 --node-rank 0 &\n"
      .. "python -m sglang.launch_server --model-path m --tp 16 --nnodes 2 --node-rank 1\npython bench.py --port 9\n", { file = "run.sh" })
    assert.equal(16, read.plan.tp)
  end)

  it("and numbers that it leaves to variables are said to be open", function()
    local read = from.read("vllm-args", "vllm serve m --tensor-parallel-size $TP --max-num-seqs\n", { file = "serve.sh" })
    assert.same({ "max-num-seqs", "tensor-parallel-size" }, read.left_open)
    assert.same({}, from.read("vllm-args", "TP=4\nvllm serve m --tensor-parallel-size $TP\n", { file = "serve.sh" }).left_open)
  end)

  it("DeepSpeed's batch, where some of its parts are left to the client", function()
    local function read(batch, micro, steps, devices)
      local text = ('{ "train_batch_size": %s, "train_micro_batch_size_per_gpu": %s, "gradient_accumulation_steps": %s, "zero_optimization": { "stage": 2 } }')
        :format(batch, micro, steps)
      return from.read("deepspeed", text, { file = "ds.json", model = "llama-3.1-8b", devices = devices, seq_len = 4096 })
    end
    local auto <const> = '"auto"'
    -- batch, micro-batch, accumulation, devices; ranks, micro-batch of the scenario, batch
    for _, case in ipairs({ { 512, 4, 8, 16, 16, 4, 512 }, { 512, 4, 8, nil, 16, 4, 512 }, { 512, auto, auto, 16, 16, nil, 512 },
      { 512, 4, auto, 16, 16, 4, 512 }, { 512, auto, 8, 16, 16, 4, 512 }, { auto, 4, 8, 16, 16, 4, 512 } }) do
      local one = read(table.unpack(case, 1, 4))
      local plan = scenario.input(one).plan
      assert.equal(case[5], plan.dp)
      assert.equal(case[6], plan.micro_batch)
      assert.equal(case[7], one.job.global_batch)
      assert.equal(2, plan.zero)
      assert.is_nil(plan.shard) -- over all ranks
    end
    assert.is_nil(read(512, 4, auto, nil).devices)
    assert.is_nil(read(auto, auto, auto, 16).job.global_batch)
    assert.matches("global_batch", errors.catch(read, auto, 1000000000000000, 1000000000000000, 16))
  end)

  it("of torchtitan without a global batch, which is the local one of every rank", function()
    local function batch(lines, devices)
      local text = "[training]\nseq_len = 8192\n" .. lines .. "[parallelism]\ntensor_parallel_degree = 8\npipeline_parallel_degree = 2\n"
      return from.read("torchtitan", text, { file = "job.toml", model = "llama-3.1-70b", devices = devices }).job.global_batch
    end
    assert.equal(64, batch("local_batch_size = 4\n", 256)) -- 256 / 8 / 2 ranks of 4
    assert.equal(64, batch("local_batch_size = 4\nglobal_batch_size = -1\n", 256))
    assert.equal(512, batch("local_batch_size = 4\nglobal_batch_size = 512\n", 256))
    assert.equal(128, batch("", 256)) -- its own 8
    assert.is_nil(batch("local_batch_size = 4\nglobal_batch_size = -1\n", nil))
    assert.matches("global_batch", errors.catch(batch, "local_batch_size = 1000000000000000\n", 1 << 40))
    assert.matches("global_batch", errors.catch(batch, "local_batch_size = 0\n", 256))
  end)

  it("and what is lacking is said at once", function()
    local read = from.read("deepspeed", "{ \"train_micro_batch_size_per_gpu\": 4 }", { file = "ds.json" })
    local text, raised = errors.catch(scenario.check, read, "ds.json")
    assert.equal(2, raised.code)
    for _, option in ipairs({ "--model", "--device", "--devices", "--seq-len", "global batch" }) do
      assert.is_truthy(text:find(option, 1, true))
    end
    assert.matches("did you mean 'megatron%-args'", errors.catch(from.read, "megatron-arg", "", { file = "a" }))
  end)

  it("and a name with line ends stays in its comment", function()
    local file = "ds\nprint(1).json"
    local read = from.read("deepspeed", '{ "train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, "x\\nprint(2)": 1 }',
      { file = file, model = "llama-3.1-8b", device = "H100", devices = 64, seq_len = 4096 })
    read.left_open = { "A\rprint(3)" }
    local text = scenario.text(read, file)
    for line in text:gmatch("[^\r\n]+") do
      assert.is_true(not line:find("print", 1, true) or line:find("^%-%- ") ~= nil, line)
    end
    for n = 1, 3 do assert.matches("print(" .. n .. ")", text, 1, true) end
  end)
end)

-- A file of each format that says no more than what all need, with settings { name, value } besides.
local function flags(list)
  local words = {}
  for i, pair in ipairs(list) do
    local value = type(pair[2]) == "table" and table.concat(pair[2], " ") or pair[2]
    words[i] = "--" .. pair[1] .. (value == true and "" or " " .. tostring(value))
  end
  return table.concat(words, " ")
end

local function put(tree, path, value)
  local front, rest = path:match("^([^.]+)%.(.+)$")
  if not front then
    tree[path] = value
    return
  end
  tree[front] = tree[front] or {}
  put(tree[front], rest, value)
end

local function python(value) return type(value) == "string" and ("%q"):format(value) or value == true and "True" or tostring(value) end

local function lines(list, pattern, of)
  local made = {}
  for i, pair in ipairs(list) do made[i] = pattern:format(pair[1], of(pair[2])) end
  return table.concat(made)
end

local function toml(list)
  local sections, text = {}, ""
  for _, pair in ipairs(list) do
    local section, key = pair[1]:match("^(.*)%.([^.]+)$")
    sections[section] = (sections[section] or "") .. key .. " = " .. (type(pair[2]) == "string" and ("%q"):format(pair[2]) or tostring(pair[2])) .. "\n"
  end
  for _, section in ipairs(tables.sorted_keys(sections)) do text = text .. "[" .. section .. "]\n" .. sections[section] end
  return text
end

local FILES <const> = {
  ["megatron-args"] = function(list)
    return "torchrun --nnodes 4 --nproc_per_node 8 pretrain_gpt.py --global-batch-size 128 --seq-length 4096 --micro-batch-size 1 " .. flags(list)
  end,
  nemo = function(list)
    return "def apply(recipe):\n    recipe.data.seq_length = 4096\n    recipe.data.global_batch_size = 128\n    recipe.data.micro_batch_size = 1\n"
      .. "    recipe.trainer.num_nodes = 4\n    recipe.trainer.devices = 8\n" .. lines(list, "    recipe.%s = %s\n", python)
  end,
  torchtitan = function(list)
    return toml(table.move(list, 1, #list, 4, { { "training.seq_len", 4096 }, { "training.global_batch_size", 128 }, { "training.local_batch_size", 8 } }))
  end,
  deepspeed = function(list)
    local tree = { train_batch_size = 128, train_micro_batch_size_per_gpu = 1 }
    for _, pair in ipairs(list) do put(tree, pair[1], pair[2]) end
    return json.encode(tree)
  end,
  maxtext = function(list)
    return "max_target_length: 4096\nper_device_batch_size: 4\n" .. lines(list, "%s: %s\n", tostring)
  end,
  ["vllm-args"] = function(list) return "vllm serve meta-llama/Llama-3.1-70B-Instruct " .. flags(list) end,
  ["sglang-args"] = function(list) return "python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-70B-Instruct " .. flags(list) end,
  ["trtllm-args"] = function(list) return "trtllm-serve meta-llama/Llama-3.1-70B-Instruct " .. flags(list) end,
}

local function read_of(format, list)
  local is_served = format:find("vllm") or format:find("sglang") or format:find("trtllm")
  local text = type(list) == "string" and list or FILES[format](list)
  return from.read(format, text, { file = "file", device = "H100", devices = not is_served and format ~= "megatron-args" and format ~= "nemo" and 32 or nil,
    model = not is_served and "llama-3.1-8b" or nil, seq_len = format == "deepspeed" and 4096 or nil })
end

describe("which layers have experts is read", function()
  local SHAPE <const> = "torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py --num-layers 60 --hidden-size 4096 "
    .. "--num-attention-heads 32 --ffn-hidden-size 14336 --num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 2048 "
    .. "--seq-length 4096 --global-batch-size 128 --micro-batch-size 1 --bf16 --moe-layer-freq "
  local RECIPE <const> = "recipe.model.config.num_layers = 60\nrecipe.model.config.hidden_size = 4096\n"
    .. "recipe.model.config.num_attention_heads = 32\nrecipe.model.config.num_moe_experts = 8\n"
    .. "recipe.data.seq_length = 4096\nrecipe.data.global_batch_size = 128\nrecipe.model.config.moe_layer_freq = "

  local function of_flag(pattern) return from.read("megatron-args", SHAPE .. "'" .. pattern .. "'", { file = "file" }) end

  local function of_recipe(pattern) return from.read("nemo", RECIPE .. pattern .. "\n", { file = "file", devices = 64 }) end

  -- Dense layers of 60, by hand.
  local PATTERNS <const> = { ["([0]*1+[1]*1)*30"] = 30, ["([1]*3+[0]*1)*15"] = 15, ["[0,1]*30"] = 30, ["[0,0,1,1]*15"] = 30,
    ["([0]*2)+([1]*2)+([0]*2)+([1]*54)"] = 4, ["([0]*3+[1]*57)"] = 3, ["([0,1]*30)"] = 30, ["2 * 3 * ([0] + [1]*9)"] = 6,
    ["[ 0, 1, 0, ]*20"] = 40, ["[1]*(20*3)"] = 0, ["[0]*0+[1]*60"] = 0, ["1"] = 0, ["2"] = 30, ["7"] = 51, ["61"] = 59 }

  for pattern, dense in pairs(PATTERNS) do
    it(pattern, function()
      for _, reading in ipairs({ of_flag, of_recipe }) do
        local read = reading(pattern)
        assert.equal(dense, read.model.dense_layers)
        assert.same({}, read.untaken)
      end
    end)
  end

  it("from a list of NeMo, layer by layer", function()
    assert.equal(30, of_recipe("[" .. ("0, 1, "):rep(29) .. "0, 1]").model.dense_layers)
    assert.equal(15, of_recipe("[" .. ("1, 1, 1, 0, "):rep(14) .. "1, 1, 1, 0]").model.dense_layers)
  end)

  it("or named where it does not read", function()
    for _, pattern in ipairs({ "[0,2]*30", "[0]*3+", "[0]*3+57", "([0]*3+[1]*57", "[0]*[1]", "[,1]*60", "[1,,0]*30", "0", "-2", "2.5",
      "[[0]*60]", "range(60)", "[0]*3 [1]*57", ("("):rep(20000) .. "2" .. (")"):rep(20000) }) do
      local read = of_flag(pattern)
      assert.equal(0, read.model.dense_layers)
      assert.equal("moe-layer-freq " .. pattern, read.untaken[1])
    end
  end)

  it("and refused of another number of layers, however many", function()
    for pattern, got in pairs({ ["([0]*3+[1]*37)"] = "40", ["[0,1]*31"] = "62", ["[1]*1000000000"] = "1000000 or more",
      ["([0]*1000000000+[1])*99999999999999999999*1000000000"] = "1000000 or more", ["[]"] = "0" }) do
      for _, reading in ipairs({ of_flag, of_recipe }) do
        assert.equal("file: moe-layer-freq: must have one entry per layer, 60, got " .. got, errors.catch(reading, pattern))
      end
    end
  end)
end)

describe("a setting is read by its own meaning, whatever stands beside it:", function()
  local OPTIM <const>, PLUGINS <const>, DDP <const> = "optim.config.", "trainer.plugins.", "trainer.strategy.ddp."
  local ZERO <const> = "zero_optimization."
  local fsdp <const> = { "use-megatron-fsdp", true }
  local aware <const> = { "use-precision-aware-optimizer", true }
  local function strategy(name) return { { "use-distributed-optimizer", true }, fsdp, { "data-parallel-sharding-strategy", name } } end
  local function moments(first, second) return { { "use-distributed-optimizer", true }, aware, { "exp-avg-dtype", first }, { "exp-avg-sq-dtype", second } } end
  local function fp8(recipe, format) return { { "bf16", true }, { "fp8-format", format or "hybrid" }, recipe and { "fp8-recipe", recipe } or nil } end

  -- Format, settings, field of the plan, its value, and what the head says was not read.
  local CASES <const> = {
    { "megatron-args", fp8(), "precision", "fp8" }, { "megatron-args", fp8("delayed"), "precision", "fp8" },
    { "megatron-args", fp8("tensorwise", "e4m3"), "precision", "fp8" }, { "megatron-args", fp8("mxfp8", "e4m3"), "precision", "mxfp8" },
    { "megatron-args", fp8("mxfp8"), "precision", "mxfp8" },
    { "megatron-args", fp8("blockwise", "e4m3"), "precision", "fp8", { "fp8-recipe blockwise" } },
    { "megatron-args", { { "bf16", true }, { "fp8-format", "e3m4" } }, "precision", "bf16", { "fp8-format e3m4" } },
    { "megatron-args", { { "bf16", true }, { "fp8-recipe", "mxfp8" } }, "precision", "bf16", { "fp8-recipe mxfp8" } },
    { "megatron-args", { { "bf16", true }, { "fp4-format", "e2m1" } }, "precision", "nvfp4" },
    { "megatron-args", strategy("no_shard"), "zero", 0 }, { "megatron-args", strategy("optim"), "zero", 1 },
    { "megatron-args", strategy("optim_grads"), "zero", 2 }, { "megatron-args", strategy("optim_grads_params"), "zero", 3 },
    { "megatron-args", { { "use-distributed-optimizer", true }, fsdp }, "zero", 3 },
    { "megatron-args", { { "data-parallel-sharding-strategy", "optim_grads" } }, "zero", 0, { "data-parallel-sharding-strategy optim_grads" } },
    { "megatron-args", { { "optimizer", "sgd" } }, "optimizer", "momentum" }, { "megatron-args", { { "optimizer", "lion" } }, "optimizer", "lion" },
    { "megatron-args", { { "optimizer", "sgd" }, { "sgd-momentum", 0.0 } }, "optimizer", "sgd" },
    { "megatron-args", { { "optimizer", "soap" } }, "optimizer", "adam", { "optimizer soap" } },
    { "megatron-args", moments("bf16", "bf16"), "optimizer", "adam_bf16" }, { "megatron-args", moments("fp8", "fp8"), "optimizer", "adam_8bit" },
    { "megatron-args", moments("fp8", "bf16"), "optimizer", "adam",
      { "exp-avg-dtype fp8", "exp-avg-sq-dtype bf16", "use-precision-aware-optimizer" } },
    { "megatron-args", { { "optimizer-cpu-offload", true } }, "offload", "optimizer" },
    { "megatron-args", { { "optimizer-cpu-offload", true }, { "optimizer-offload-fraction", 1.0 } }, "offload", "optimizer" },
    { "megatron-args", { { "optimizer-cpu-offload", true }, { "optimizer-offload-fraction", 0.5 } }, "offload", "none",
      { "optimizer-cpu-offload" } },
    { "megatron-args", { { "attention-backend", "unfused" } }, "flash", false }, { "megatron-args", { { "attention-backend", "flash" } }, "flash", true },
    { "nemo", { { PLUGINS .. "precision", "bf16-mixed" }, { PLUGINS .. "fp8", "hybrid" } }, "precision", "fp8" },
    { "nemo", { { PLUGINS .. "precision", "bf16-mixed" }, { PLUGINS .. "fp8", "hybrid" }, { PLUGINS .. "fp8_recipe", "delayed" } }, "precision", "fp8" },
    { "nemo", { { PLUGINS .. "precision", "bf16" }, { PLUGINS .. "fp8", "hybrid" } }, "precision", "fp8" },
    { "nemo", { { PLUGINS .. "precision", "bf16" } }, "precision", "bf16" },
    { "nemo", { { PLUGINS .. "precision", "64" } }, "precision", "fp32", { PLUGINS .. "precision 64" } },
    { "nemo", { { OPTIM .. "optimizer", "sgd" } }, "optimizer", "momentum" },
    { "nemo", { { DDP .. "use_megatron_fsdp", true }, { DDP .. "data_parallel_sharding_strategy", "optim_grads_params" } }, "zero", 3 },
    { "nemo", { { OPTIM .. "optimizer_cpu_offload", true }, { OPTIM .. "optimizer_offload_fraction", 1.0 } }, "offload", "optimizer" },
    { "nemo", { { OPTIM .. "optimizer_cpu_offload", true } }, "offload", "none", { OPTIM .. "optimizer_cpu_offload" } }, -- a share of 0
    { "torchtitan", { { "parallelism.data_parallel_replicate_degree", 4 }, { "parallelism.data_parallel_shard_degree", -1 } }, "shard", 8 },
    { "torchtitan", { { "parallelism.pipeline_parallel_degree", 2 }, { "parallelism.pipeline_parallel_schedule", "Interleaved1F1B" } }, "vpp", 2 },
    { "torchtitan", { { "parallelism.pipeline_parallel_degree", 2 }, { "parallelism.pipeline_parallel_schedule", "InterleavedZeroBubble" } }, "schedule", "1f1b",
      { "parallelism.pipeline_parallel_schedule InterleavedZeroBubble" } },
    { "torchtitan", { { "optimizer.name", "SGD" } }, "optimizer", "sgd" },
    { "torchtitan", { { "optimizer.name", "Lamb" } }, "optimizer", "adam", { "optimizer.name Lamb" } },
    { "deepspeed", {}, "zero", 0 }, { "deepspeed", { { ZERO .. "stage", 0 } }, "zero", 0 }, { "deepspeed", {}, "precision", "fp32" },
    { "deepspeed", { { "bf16.enabled", "auto" } }, "precision", "bf16" },
    { "deepspeed", { { ZERO .. "stage", 3 }, { ZERO .. "offload_param.device", "cpu" } }, "offload", "none", { ZERO .. "offload_param.device cpu" } },
    { "deepspeed", { { "optimizer.type", "Adam8bit" } }, "optimizer", "adam_8bit" },
    { "deepspeed", { { "optimizer.type", "OneBitAdam" } }, "optimizer", "adam", { "optimizer.type OneBitAdam" } },
    { "maxtext", { { "quantization", "fp8_full" } }, "precision", "fp8" }, { "maxtext", { { "quantization", "nanoo_fp8" } }, "precision", "fp8" },
    { "maxtext", { { "quantization", "te_fp8_delayedscaling" } }, "precision", "fp8" }, { "maxtext", { { "quantization", "te_mxfp8" } }, "precision", "mxfp8" },
    { "maxtext", { { "quantization", "int4" } }, "precision", "bf16", { "quantization int4" } },
    { "maxtext", { { "remat_policy", "save_qkv_proj" } }, "recompute", "full", { "remat_policy save_qkv_proj" } },
    { "maxtext", { { "remat_policy", "minimal_offloaded" } }, "recompute", "full", { "remat_policy minimal_offloaded" } },
    { "maxtext", { { "remat_policy", "minimal" } }, "recompute", "selective" }, { "maxtext", {}, "recompute", "full" },
    { "maxtext", { { "opt_type", "adafactor" } }, "optimizer", "adafactor" }, { "maxtext", { { "opt_type", "adam_pax" } }, "optimizer", "adam" },
    { "maxtext", { { "ici_fsdp_parallelism", -1 }, { "ici_tensor_parallelism", 4 } }, "shard", 8 },
    { "vllm-args", { { "quantization", "ptpc_fp8" } }, "weights", "fp8" }, { "vllm-args", { { "quantization", "torchao" } }, "weights", "bf16", { "quantization torchao" } },
    { "vllm-args", { { "quantization", "fp9" } }, "weights", "bf16", { "quantization fp9" } },
    { "vllm-args", { { "kv-cache-dtype", "fp8_inc" } }, "kv", "fp8" }, { "vllm-args", { { "kv-cache-dtype", "turbo" } }, "kv", "bf16", { "kv-cache-dtype turbo" } },
    { "deepspeed", { { ZERO .. "stage", 3 }, { ZERO .. "zero_hpz_partition_size", 8 }, { ZERO .. "zero_quantized_weights", true } }, "zero", 3,
      { ZERO .. "zero_hpz_partition_size 8", ZERO .. "zero_quantized_weights" } },
    { "deepspeed", { { ZERO .. "stage", 3 }, { ZERO .. "offload_optimizer.device", "cpu" }, { ZERO .. "offload_optimizer.ratio", 0.4 } }, "offload", "optimizer",
      { ZERO .. "offload_optimizer.ratio 0.4" } },
    { "vllm-args", { { "compilation-config", [['{"cudagraph_mode":"NONE"}']] } }, "graph_tokens", 512, { 'compilation-config {"cudagraph_mode":"NONE"}' } },
    { "deepspeed", { { "sequence_parallel_size", 4 }, { "tensor_parallel.autotp_size", 2 } }, "tp", 1,
      { "sequence_parallel_size 4", "tensor_parallel.autotp_size 2" } },
    { "megatron-args", { { "use-distributed-optimizer", true }, aware, { "main-params-dtype", "fp16" } }, "optimizer", "adam",
      { "main-params-dtype fp16", "use-precision-aware-optimizer" } },
    { "vllm-args", { { "enforce-eager", true } }, "graph_tokens", 0 }, { "vllm-args", {}, "graph_tokens", 512 },
    { "sglang-args", { { "disable-cuda-graph", true } }, "graph_tokens", 0 }, { "sglang-args", { { "cuda-graph-max-bs-decode", 64 } }, "graph_tokens", 64 },
    { "vllm-args", { { "speculative-config", [['{"method": "eagle3", "num_speculative_tokens": 3}']] } }, "draft_tokens", 3 },
    { "vllm-args", { { "speculative-config.num_speculative_tokens", 5 } }, "draft_tokens", 5 },
    { "sglang-args", { { "speculative-algorithm", "EAGLE3" } }, "draft_tokens", 3 },
    { "sglang-args", { { "speculative-algorithm", "EAGLE" }, { "speculative-num-steps", 5 }, { "speculative-eagle-topk", 8 },
      { "speculative-num-draft-tokens", 64 } }, "draft_tokens", 63 },
    { "sglang-args", { { "speculative-algorithm", "EAGLE" }, { "speculative-num-steps", 5 }, { "speculative-eagle-topk", 1 } }, "draft_tokens", 5 },
    { "vllm-args", { { "cpu-offload-gb", 4 }, { "decode-context-parallel-size", 2 } }, "draft_tokens", 0,
      { "cpu-offload-gb 4", "decode-context-parallel-size 2" } },
    { "vllm-args", { { "num-gpu-blocks-override", 1000 }, { "block-size", 32 } }, "pool_tokens", 32000 },
    { "sglang-args", { { "max-total-tokens", 20000 } }, "pool_tokens", 20000 },
    { "sglang-args", { { "disable-overlap-schedule", true } }, "overlap", false }, { "vllm-args", { { "no-async-scheduling", true } }, "overlap", false },
    { "vllm-args", { { "dtype", "float32" } }, "weights", "bf16", { "dtype float32" } }, { "vllm-args", { { "dtype", "bfloat16" } }, "weights", "bf16" },
    { "sglang-args", { { "quantization", "modelopt_fp8" } }, "weights", "fp8" }, { "sglang-args", { { "quantization", "blockwise_int8" } }, "weights", "int8" },
    { "sglang-args", { { "quantization", "moe_wna16" } }, "weights", "bf16", { "quantization moe_wna16" } },
  }

  for _, case in ipairs(CASES) do
    local format, list, field, value, untaken = table.unpack(case)
    it(format .. " " .. flags(list), function()
      local read = read_of(format, list)
      local found
      for _, group in ipairs({ read.plan, read.engine or {}, { pool_tokens = read.pool_tokens } }) do
        if found == nil then found = group[field] end
      end
      assert.equal(value, found)
      assert.same(untaken or {}, read.untaken)
    end)
  end

  it("a file of further settings and a value of a variable are named", function()
    assert.same({ "config" }, read_of("vllm-args", { { "config", "cfg.yaml" } }).unread)
    assert.same({ "extra_llm_api_options" }, read_of("trtllm-args", { { "extra_llm_api_options", "cfg.yaml" } }).unread)
    assert.same({ "kv-cache-dtype" }, read_of("vllm-args", { { "kv-cache-dtype", "$KV" } }).left_open)
    local read = read_of("vllm-args", { { "quantization", "torchao" } })
    assert.matches("Not read, though it may matter: quantization torchao", scenario.text(read, "file"), 1, true)
  end)

  it("what the devices leave needs their number", function()
    local function said(devices)
      return errors.catch(from.read, "maxtext", "max_target_length: 4096\nper_device_batch_size: 1\nici_fsdp_parallelism: -1\nici_tensor_parallelism: 4\n",
        { file = "file", model = "llama-3.1-8b", devices = devices })
    end
    assert.matches("ici_fsdp_parallelism is %-1, what the devices leave: say how many", said(nil))
    assert.matches("30 devices are no multiple", said(30))
  end)
end)

describe("each subset of a group of settings is read or named:", function()
  -- Settings that say the same as one beside them.
  local IMPLIED <const> = tables.set({ "bf16", "use-distributed-optimizer", "use-precision-aware-optimizer", "use_distributed_optimizer",
    "trainer.plugins.precision", "accumulate-allreduce-grads-in-fp32", "delay-wgrad-compute", "optim.config.use_precision_aware_optimizer",
    "zero_optimization.overlap_comm", "use-megatron-fsdp", "trainer.strategy.ddp.use_megatron_fsdp" })
  local OPTIM <const>, PLUGINS <const>, DDP <const>, ZERO <const> = "optim.config.", "trainer.plugins.", "trainer.strategy.ddp.", "zero_optimization."
  local GROUPS <const> = {
    { "megatron-args", { { "bf16", true }, { "fp16", true }, { "fp8-format", "e4m3" }, { "fp8-recipe", "blockwise" }, { "fp4-format", "e2m1" }, { "fp8-param-gather", true } } },
    { "megatron-args", { { "bf16", true }, { "fp8-format", "hybrid" }, { "fp8-recipe", "mxfp8" }, { "grad-reduce-in-bf16", true }, { "accumulate-allreduce-grads-in-fp32", true } } },
    { "megatron-args", { { "use-distributed-optimizer", true }, { "use-megatron-fsdp", true }, { "data-parallel-sharding-strategy", "optim_grads" }, { "num-distributed-optimizer-instances", 2 } } },
    { "megatron-args", { { "optimizer", "sgd" }, { "sgd-momentum", 0.0 }, { "use-precision-aware-optimizer", true }, { "exp-avg-dtype", "bf16" },
      { "exp-avg-sq-dtype", "bf16" }, { "optimizer-cpu-offload", true }, { "optimizer-offload-fraction", 0.5 } } },
    { "megatron-args", { { "recompute-granularity", "full" }, { "recompute-method", "block" }, { "recompute-num-layers", 2 }, { "recompute-modules", "mlp" },
      { "recompute-activations", true } } },
    { "megatron-args", { { "pipeline-model-parallel-size", 4 }, { "num-virtual-stages-per-pipeline-rank", 2 }, { "overlap-moe-expert-parallel-comm", true },
      { "delay-wgrad-compute", true }, { "tp-comm-overlap", true }, { "sequence-parallel", true } } },
    { "nemo", { { PLUGINS .. "precision", "bf16-mixed" }, { PLUGINS .. "fp8", "hybrid" }, { PLUGINS .. "fp8_recipe", "mxfp8" }, { PLUGINS .. "fp4", "e2m1" } } },
    { "nemo", { { OPTIM .. "optimizer", "sgd" }, { OPTIM .. "sgd_momentum", 0.5 }, { OPTIM .. "use_precision_aware_optimizer", true },
      { OPTIM .. "exp_avg_dtype", "torch.bfloat16" }, { OPTIM .. "optimizer_cpu_offload", true }, { OPTIM .. "optimizer_offload_fraction", 1.0 } } },
    { "nemo", { { DDP .. "use_megatron_fsdp", true }, { DDP .. "data_parallel_sharding_strategy", "optim" }, { "model.config.cpu_offloading", true },
      { "model.config.cpu_offloading_num_layers", 4 } } },
    { "torchtitan", { { "parallelism.pipeline_parallel_degree", 2 }, { "parallelism.pipeline_parallel_schedule", "Interleaved1F1B" },
      { "parallelism.pipeline_parallel_layers_per_stage", 2 }, { "parallelism.data_parallel_replicate_degree", 2 }, { "parallelism.fsdp_reshard_after_forward", "never" } } },
    { "torchtitan", { { "optimizer.name", "SGD" }, { "activation_checkpoint.mode", "selective" }, { "activation_checkpoint.selective_ac_option", "3" },
      { "training.dtype", "bfloat16" }, { "training.enable_cpu_offload", true }, { "parallelism.enable_async_tensor_parallel", true } } },
    { "deepspeed", { { ZERO .. "stage", 3 }, { ZERO .. "offload_param.device", "cpu" }, { ZERO .. "offload_optimizer.device", "nvme" },
      { ZERO .. "mics_shard_size", 8 }, { ZERO .. "overlap_comm", true } } },
    { "deepspeed", { { "bf16.enabled", true }, { "fp16.enabled", true }, { "optimizer.type", "OneBitAdam" }, { "data_types.grad_accum_dtype", "fp16" },
      { "activation_checkpointing.partition_activations", true }, { "activation_checkpointing.cpu_checkpointing", true } } },
    { "maxtext", { { "quantization", "te_nvfp4" }, { "dtype", "float32" }, { "remat_policy", "save_out_proj" }, { "opt_type", "sgd" }, { "mu_dtype", "bfloat16" },
      { "weight_dtype", "bfloat16" } } },
    { "maxtext", { { "ici_fsdp_parallelism", 4 }, { "ici_data_parallelism", 8 }, { "parameter_memory_host_offload", true }, { "optimizer_memory_host_offload", true },
      { "shard_optimizer_over_data", true }, { "num_pipeline_repeats", 2 } } },
    { "vllm-args", { { "quantization", "rtn" }, { "kv-cache-dtype", "fp8_per_token_head" }, { "dtype", "float32" }, { "max-loras", 4 }, { "enable-lora", true } } },
    { "sglang-args", { { "quantization", "w4afp8" }, { "kv-cache-dtype", "mxfp8" }, { "dtype", "float" }, { "dp-size", 2 }, { "tp-size", 4 }, { "enable-dp-attention", true } } },
  }

  -- The text of the scenario; nil where the file is refused.
  local function text_of(format, list)
    local ok, text = pcall(function() return scenario.text(read_of(format, list), "file") end)
    if not ok and not errors.is(text) then error(text, 0) end
    return ok and text or nil
  end

  for n, group in ipairs(GROUPS) do
    local format, list = group[1], group[2]
    it(format .. " " .. n, function()
      for mask = 1, (1 << #list) - 1 do
        local some = {}
        for i, pair in ipairs(list) do
          if mask & 1 << i - 1 ~= 0 then some[#some + 1] = pair end
        end
        local whole = text_of(format, some)
        for i, pair in ipairs(some) do
          local without = table.move(some, 1, #some, 1, {})
          table.remove(without, i)
          assert.is_true(IMPLIED[pair[1]] or not whole or whole ~= text_of(format, without), pair[1] .. " of " .. flags(some))
        end
      end
    end)
  end
end)

describe("a launch file in JSON", function()
  it("is not called none where a Ctrl-C comes as it is read", function()
    local interrupted = dofile((debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/interrupted.lua")
    local decode = json.decode
    json.decode = interrupted.after(decode)
    local raised = interrupted.raised(from.read, "deepspeed", "{}", { file = "ds.json" })
    json.decode = decode
    assert.is_true(raised)
  end)
end)

describe("a launch file that says nothing", function()
  local OF_TRAINING <const> = "empty does not say all; add --model llama-3.1-8b, --devices 8, --seq-len 4096, "
    .. "the size of the global batch, in the file"
  for _, format in ipairs(from.names()) do
    it("is told what is missing: " .. format, function()
      local text = errors.catch(function()
        scenario.check(from.read(format, format == "deepspeed" and "{}" or "", { file = "empty", device = "H100" }), "empty")
      end)
      local name = format:gsub("%-args$", "")
      if tables.contains(emit.serving_targets, name) then
        assert.equal("empty does not say all; add --model llama-3.1-8b", text)
      else
        assert.equal(format == "maxtext" and OF_TRAINING:gsub(" %-%-devices 8,", "") or OF_TRAINING, text)
      end
    end)
  end
end)

-- Launch files read: what `emit` writes says the same plan again, and what others write is understood.
local catalog = require("ballpark.catalog")
local emit = require("ballpark.emit")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local from = require("ballpark.from")
local launch = require("ballpark.emit.launch")
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
      for _ = 1, 200 do
        local model = MODELS[math.random(#MODELS)]
        local answer = launch_plans.answer(random_plan(), model)
        local text = emit.text(answer, where)
        local case = emit.settings(answer, where).launch
        local read = from.read(where, text, { file = "file", shape = model })
        check_plan(case, read, text)
        assert.same({}, read.unread)
        assert.equal(case.network.devices, read.devices)
        assert.equal(case.job.global_batch, read.job.global_batch)
        assert.equal(case.job.seq_len, read.job.seq_len)
        assert.equal("H100-SXM-80GB", read.device)
      end
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
    stream_interval = { 1, 10 }, batch_wait = { 0, 8 }, graph_tokens = { 256, 512 } }

  local function some(of)
    local set = {}
    for _, name in ipairs(tables.sorted_keys(of)) do set[name] = of[name][math.random(#of[name])] end
    return set
  end

  for _, target in ipairs(emit.serving_targets) do
    it(target, function()
      math.randomseed(20261124)
      for _ = 1, 200 do
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
        assert.equal("DeepSeek-V3", read.catalog_model)
        assert.equal(1536, read.max_model_len)
      end
    end)
  end
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
    assert.same({ "model.flavor", "model.name" }, read.unread)
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
    assert.matches("is not a JSON object", errors.catch(from.read, "deepspeed", "[", { file = "ds.json" }))
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

  it("and what is lacking is said at once", function()
    local read = from.read("deepspeed", "{ \"train_micro_batch_size_per_gpu\": 4 }", { file = "ds.json" })
    local text, raised = errors.catch(scenario.check, read, "ds.json")
    assert.equal(2, raised.code)
    for _, option in ipairs({ "--model", "--device", "--devices", "--seq-len", "global batch" }) do
      assert.is_truthy(text:find(option, 1, true))
    end
    assert.matches("did you mean 'megatron%-args'", errors.catch(from.read, "megatron-arg", "", { file = "a" }))
  end)
end)

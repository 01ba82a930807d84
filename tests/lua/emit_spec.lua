-- Launch settings: read back from the text they say the plan again, and no field of a plan is dropped.
local catalog = require("ballpark.catalog")
local emit = require("ballpark.emit")
local errors = require("ballpark.errors")
local estimating = require("ballpark.questions.estimate.run")
local json = require("ballpark.json")
local known = require("ballpark.emit.known")
local launch = require("ballpark.emit.launch")
local tables = require("ballpark.tables")
local write = require("ballpark.emit.write")
local launch_plans = dofile(debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") .. "/launch_plans.lua")

local DENSE, MOE, LATENT, MODELS = launch_plans.DENSE, launch_plans.MOE, launch_plans.LATENT, launch_plans.MODELS

-- Readers of the targets' texts, written against the formats and not against the writers.
local function shell_flags(text)
  local set, body = {}, assert(text:match("ARGS=%((.-)\n%)"))
  for line in body:gmatch("[^\n]+") do
    local name, value = line:match("^%s*%-%-([%w_.-]+)%s*(.*)$")
    assert(name, "not a flag: " .. line)
    assert.is_nil(set[name])
    set[name] = value == "" and true or tonumber(value) or value
  end
  return set
end

local function literal(text)
  if text == "true" or text == "True" then return true end
  if text == "false" or text == "False" then return false end
  return tonumber(text) or text:match('^"(.*)"$') or text
end

local function key_values(text, pattern)
  local set, section = {}, ""
  for line in text:gmatch("[^\n]+") do
    section = line:match("^%[([%w_]+)%]$") or section
    local name, value = line:match(pattern)
    if name and not line:find("^#") then set[(section ~= "" and section .. "." or "") .. name] = literal(value) end
  end
  return set
end

local READ = {
  megatron = shell_flags,
  slurm = shell_flags,
  nemo = function(text) return key_values(text, "^    recipe%.([%w_%.]+) = (.*)$") end,
  ["torchtitan@238fa99"] = function(text) return key_values(text, "^([%w_]+) = (.*)$") end,
  torchtitan = shell_flags,
  maxtext = function(text) return key_values(text, "^([%w_]+): (.*)$") end,
  deepspeed = function(text) return json.decode(text) end,
}

local function read(changes, target, model)
  local text, missing = emit.text(launch_plans.answer(changes, model), target)
  return READ[target](text), missing, text
end

describe("launch settings", function()
  it("say a plan in Megatron-LM's names", function()
    local set, missing = read({ tp = 4, pp = 2, vpp = 4, dp = 2, cp = 2, zero = 1, recompute = "full",
      recompute_share = 0.5, micro_batch = 2, precision = "mxfp8", overlap_tp = true, offload = "optimizer" },
      "megatron")
    assert.same({}, missing)
    assert.equal(4, set["tensor-model-parallel-size"])
    assert.equal(2, set["pipeline-model-parallel-size"])
    assert.equal(4, set["num-virtual-stages-per-pipeline-rank"])
    assert.equal(2, set["context-parallel-size"])
    assert.is_true(set["sequence-parallel"])
    assert.is_true(set["use-distributed-optimizer"])
    assert.equal("full", set["recompute-granularity"])
    assert.equal("block", set["recompute-method"])
    assert.equal(1, set["recompute-num-layers"]) -- half of the 16 / (2 * 4) layers of a chunk
    assert.equal(2, set["micro-batch-size"])
    assert.equal(4096, set["global-batch-size"])
    assert.equal(4096, set["seq-length"])
    assert.equal("mxfp8", set["fp8-recipe"])
    assert.is_true(set["tp-comm-overlap"])
    assert.is_true(set["overlap-grad-reduce"])
    assert.is_true(set["optimizer-cpu-offload"])
    assert.equal(16, set["num-layers"])
    assert.equal(8, set["num-query-groups"])
  end)

  it("say experts and FSDP in Megatron-LM's names", function()
    local set = read({ tp = 2, ep = 4, etp = 1, dp = 8, zero = 3, overlap_ep = true, recompute = "selective",
      recompute_activation = true }, "megatron", MOE)
    assert.equal(4, set["expert-model-parallel-size"])
    assert.equal(1, set["expert-tensor-parallel-size"])
    assert.equal("optim_grads_params", set["data-parallel-sharding-strategy"])
    assert.is_true(set["overlap-moe-expert-parallel-comm"])
    assert.equal("core_attn moe_act", set["recompute-modules"])
    assert.equal("'([0]*1+[1]*15)'", set["moe-layer-freq"])
    assert.equal("mla_up_proj", read({ recompute = "selective" }, "megatron", LATENT)["recompute-modules"])
    assert.equal(64, set["num-experts"])
    assert.equal("layernorm mla_up_proj moe", read({ recompute_norms = true, recompute_up_proj = true,
      recompute_moe = true }, "megatron", LATENT)["recompute-modules"])
  end)

  it("say what is offloaded, and where to", function()
    local set = read({ dp = 8, offload_activations = 0.25 }, "megatron")
    assert.equal(4, set["cpu-offloading-num-layers"])
    set = read({ dp = 8, offload_activations = 0.25 }, "nemo")
    assert.equal(4, set["model.config.cpu_offloading_num_layers"])
    assert.is_true(set["model.config.cpu_offloading"])
    assert.is_nil((read({ dp = 8 }, "nemo"))["model.config.cpu_offloading"])
    local zero = tables.with({ dp = 8, zero = 3, recompute = "full", offload = "optimizer_weights_nvme",
      offload_activations = 1 })
    local config = read(zero, "deepspeed")
    assert.equal("nvme", config.zero_optimization.offload_optimizer.device)
    assert.is_true(config.zero_optimization.offload_optimizer.pipeline_read)
    assert.equal("nvme", config.zero_optimization.offload_param.device)
    assert.is_true(config.activation_checkpointing.cpu_checkpointing)
    zero.offload = "optimizer_nvme"
    assert.is_nil(read(zero, "deepspeed").zero_optimization.offload_param)
    zero.offload = "optimizer"
    assert.equal("cpu", read(zero, "deepspeed").zero_optimization.offload_optimizer.device)
  end)

  it("cut stages that layers do not fill", function()
    local uneven = { name = "odd", layers = 14, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 1000 }
    local set = read({ pp = 4, vpp = 2 }, "megatron", uneven) -- 14 + 2 = 16 slots for 8 chunks
    assert.is_true(set["account-for-embedding-in-pipeline-split"])
    assert.equal(2, set["num-virtual-stages-per-pipeline-rank"])
    set = read({ pp = 5 }, "megatron", uneven)
    assert.equal("'Ettt|ttt|ttt|ttt|ttL'", set["pipeline-model-parallel-layout"])
    assert.is_nil(set["num-virtual-stages-per-pipeline-rank"])
    -- A head as large as some layers: the ends have fewer, as in the estimate, not the first stages more.
    local headed = catalog.model("llama-3.1-8b")
    set = read({ pp = 6 }, "megatron", headed)
    assert.equal("'Ettttt|tttttt|tttttt|ttttt|ttttt|tttttL'", set["pipeline-model-parallel-layout"])
  end)

  it("say the groups of interleaving where micro-batches are no multiple of the stages", function()
    local function of(micro_batches, target)
      local answer, why = launch_plans.answer({ pp = 4, vpp = 2 }), ""
      answer.time.micro_batches = micro_batches
      for _, item in ipairs(emit.settings(answer, target).missing) do
        if item.field == "plan.vpp" then why = item.reason end
      end
      return READ[target]((emit.text(answer, target))), why
    end
    local flag = "microbatch-group-size-per-virtual-pipeline-stage"
    assert.equal(5, of(10, "megatron")[flag]) -- 5 + 5
    assert.equal(7, of(13, "megatron")[flag]) -- 7 + 6: 5 and 6 would leave 3 and 1
    assert.is_nil(of(12, "megatron")[flag])
    assert.equal(5, of(10, "nemo")["trainer.strategy.microbatch_group_size_per_vp_stage"])
    assert.matches("at least pp micro%-batches, and there are 3", select(2, of(3, "megatron")))
    assert.matches("14 do not make 3", select(2, of(14, "torchtitan")))
    assert.equal("", select(2, of(10, "torchtitan"))) -- two rounds of 5
    assert.equal("", select(2, of(3, "torchtitan")))
    assert.matches("multiples of the stages", select(2, of(10, "maxtext")))
  end)

  it("say how many layers the end stages have", function()
    local plan = { pp = 4, first_layers = 5, last_layers = 3 }
    local uneven = { name = "odd", layers = 16, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 1000 }
    local set = read(plan, "megatron", uneven)
    assert.equal(5, set["decoder-first-pipeline-num-layers"])
    assert.equal(3, set["decoder-last-pipeline-num-layers"])
    assert.is_nil(set["pipeline-model-parallel-layout"])
    assert.is_nil(set["account-for-embedding-in-pipeline-split"])
    assert.matches("5 layers on the first stage", (emit.text(launch_plans.answer(plan, uneven), "megatron")))
    assert.equal(5, read(plan, "nemo", uneven)["model.config.num_layers_in_first_pipeline_stage"])
    for _, target in ipairs({ "torchtitan", "maxtext", "deepspeed" }) do
      local _, missing = emit.text(launch_plans.answer(plan, uneven), target)
      assert.matches("plan.first_layers = 5", table.concat(missing, "\n"))
    end
  end)

  it("name the parts of a model that have no flag", function()
    local odd = { name = "odd", layers = 16, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 1000,
      sliding_window = 1024, norms_per_layer = 4, mamba_layers = 8, mamba_heads = 64, mamba_head_dim = 64,
      ssm_state = 128, ssm_groups = 1, conv_kernel = 4 }
    local _, missing = read({}, "megatron", odd)
    local said = table.concat(missing, "\n")
    for _, field in ipairs({ "sliding_window = 1024", "norms_per_layer = 4", "mamba_layers = 8" }) do
      assert.matches("model." .. field, said, 1, true)
    end
    local across = { name = "across", layers = 16, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 1000,
      cross_layers = 16, cross_tok = 512, encoder = { layers = 12 } }
    assert.matches("model.encoder.layers = 12: encoder%-decoders are trained by pretrain_t5.py",
      table.concat(select(2, read({}, "megatron", across)), "\n"))
    local predicting = { name = "mtp", layers = 5, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 1000,
      mtp_layers = 1 }
    local set = read({ pp = 2 }, "megatron", predicting)
    assert.equal("'Ettt|ttmL'", set["pipeline-model-parallel-layout"])
  end)

  it("ask Slurm for the nodes", function()
    local _, _, text = read({ tp = 8, pp = 2, dp = 4 }, "slurm")
    assert.matches("#SBATCH %-%-nodes=8\n", text)
    assert.matches("#SBATCH %-%-gpus%-per%-node=8\n", text)
    assert.matches("^#!/bin/bash\n#SBATCH", text)
    _, _, text = read({ tp = 2, dp = 2 }, "slurm")
    assert.matches("%-%-nodes=1\n", text)
    assert.matches("%-%-gpus%-per%-node=4\n", text)
  end)

  it("say a plan in the names of torchtitan's TOML files", function()
    local set = read({ tp = 2, pp = 2, vpp = 2, dp = 4, cp = 2, zero = 3, shard = 4, micro_batch = 2,
      recompute = "full", recompute_share = 0.5, overlap_tp = true }, "torchtitan@238fa99")
    assert.equal(2, set["parallelism.tensor_parallel_degree"])
    assert.equal(2, set["parallelism.pipeline_parallel_degree"])
    assert.equal("Interleaved1F1B", set["parallelism.pipeline_parallel_schedule"])
    assert.equal(2, set["parallelism.data_parallel_shard_degree"]) -- times cp 2 = 4 ranks that share
    assert.equal(2, set["parallelism.data_parallel_replicate_degree"])
    assert.equal(2, set["parallelism.context_parallel_degree"])
    assert.equal("selective", set["activation_checkpoint.mode"])
    assert.equal("2", set["activation_checkpoint.selective_ac_option"])
    assert.equal(1024, set["training.local_batch_size"]) -- 4096 / dp 4, in micro-batches of
    assert.equal(2, set["parallelism.pipeline_parallel_microbatch_size"])
    assert.is_true(set["parallelism.enable_async_tensor_parallel"])
    assert.equal(2, (read({ micro_batch = 2 }, "torchtitan@238fa99"))["training.local_batch_size"])
  end)

  it("say a plan in the names of torchtitan's command line", function()
    local set, _, text = read({ tp = 2, pp = 2, vpp = 2, dp = 4, cp = 2, zero = 3, shard = 4, micro_batch = 2,
      recompute = "full", overlap_tp = true, optimizer = "adam_bf16" }, "torchtitan")
    assert.equal(2, set["parallelism.tensor_parallel_degree"])
    assert.equal("Interleaved1F1B", set["parallelism.pipeline_parallel_schedule"])
    assert.equal(4096, set["training.max_context_length"])
    assert.equal(4096 * 4096, set["training.num_tokens_per_train_step"])
    assert.equal(2 * 4096, set["training.num_tokens_per_microbatch_per_dp_rank"])
    assert.equal(512, set["parallelism.num_pp_microbatches"]) -- 4096 / dp 4 / 2
    assert.is_true(set["compile.enable_async_tensor_parallel"])
    assert.equal("fused_opt_states_bf16", set["optimizer.implementation"])
    assert.matches("activation_checkpoint:full\n$", text)
    set = read({ sequence_parallel = false, tp = 2 }, "torchtitan")
    assert.is_true(set["parallelism.no-enable-sequence-parallel"])
    assert.is_nil(set["parallelism.num_pp_microbatches"])
  end)

  it("say a plan in NeMo's names", function()
    local set = read({ tp = 4, pp = 2, vpp = 4, dp = 2, zero = 1, lora_rank = 16, precision = "fp8" }, "nemo")
    assert.equal(4, set["trainer.strategy.tensor_model_parallel_size"])
    assert.equal(4, set["trainer.strategy.virtual_pipeline_model_parallel_size"])
    assert.is_true(set["trainer.strategy.ddp.use_distributed_optimizer"])
    assert.equal(2, set["trainer.num_nodes"])
    assert.equal("bf16-mixed", set["trainer.plugins.precision"])
    assert.equal(16, set["peft.dim"])
    assert.equal(4096, set["data.seq_length"])
    assert.is_false(set["model.config.share_embeddings_and_output_weights"])
    assert.is_false(set["model.config.cross_entropy_loss_fusion"]) -- NeMo fuses unless told
    assert.is_true((read({ cross_entropy = "fused" }, "nemo"))["model.config.cross_entropy_loss_fusion"])
  end)

  it("say a plan in DeepSpeed's names", function()
    local set, missing = read({ dp = 8, zero = 3, shard = 4, micro_batch = 4, offload = "optimizer_weights" },
      "deepspeed")
    assert.equal(3, set.zero_optimization.stage)
    assert.equal(4, set.zero_optimization.mics_shard_size)
    assert.equal("cpu", set.zero_optimization.offload_param.device)
    assert.equal(4, set.train_micro_batch_size_per_gpu)
    assert.equal(128, set.gradient_accumulation_steps)
    assert.equal(set.train_batch_size, set.train_micro_batch_size_per_gpu * set.gradient_accumulation_steps * 8)
    assert.is_true(set.bf16.enabled)
    assert.equal(2, #missing) -- model and length are the client's
    set, missing = read({ tp = 2, pp = 4, cp = 2 }, "deepspeed")
    local said = table.concat(missing, "\n")
    for _, field in ipairs({ "tp = 2", "pp = 4", "cp = 2", "sequence_parallel = true" }) do
      assert.matches("plan." .. field, said, 1, true)
      assert.matches("plan." .. field, table.concat(set._comment, "\n"), 1, true)
    end
  end)

  it("say a plan in MaxText's names, inside and across slices", function()
    local set = read({ tp = 4, cp = 2, dp = 16, zero = 3, shard = 8, micro_batch = 2 }, "maxtext")
    assert.equal(4, set.ici_tensor_sequence_parallelism)
    assert.equal(2, set.ici_context_parallelism)
    assert.equal(4, set.dcn_fsdp_parallelism) -- 8 ranks that share, 2 of them context ranks
    assert.equal(4, set.dcn_data_parallelism)
    local inside, across = 1, 1
    for name, value in pairs(set) do
      if name:find("^ici_") then inside = inside * value end
      if name:find("^dcn_") then across = across * value end
    end
    assert.equal(8, inside)
    assert.equal(16, across)
    -- What a step holds: per device, times devices, times accumulation.
    assert.equal(4096, set.per_device_batch_size * 128 * set.gradient_accumulation_steps)
  end)

  it("say so where the plan is estimated as of other software", function()
    local function said(profile, target)
      local answer = estimating.run({ model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", nodes = 1 }),
        job = { global_batch = 64, seq_len = 2048 }, plan = { zero = 3 }, profile = profile and catalog.profile(profile) })
      for _, item in ipairs(emit.settings(answer, target).missing) do
        if item.field == "software" then return item.value end
      end
    end
    assert.equal("megatron", said(nil, "deepspeed"))
    assert.equal("megatron", said(nil, "torchtitan"))
    assert.is_nil(said(nil, "nemo"))
    assert.is_nil(said("deepspeed", "deepspeed"))
  end)

  it("are the same when asked again", function()
    for _, target in ipairs(emit.targets) do
      assert.equal((emit.text(launch_plans.answer({ tp = 2 }), target)), (emit.text(launch_plans.answer({ tp = 2 }), target)))
    end
  end)

  it("name an unknown target, and refuse what does not fit", function()
    assert.matches("did you mean 'megatron'", errors.catch(emit.text, launch_plans.answer({}), "megatro"))
    local answer = launch_plans.answer({})
    answer.fits = false
    local text, raised = errors.catch(emit.text, answer, "megatron")
    assert.matches("does not fit", text)
    assert.equal(1, raised.code)
  end)
end)

local function written(answer, target)
  local made, parts = emit.settings(answer, target), {}
  for _, pair in ipairs(made.settings) do
    local value = type(pair[2]) == "table" and table.concat(pair[2], ",") or tostring(pair[2])
    parts[#parts + 1] = pair[1] .. "=" .. value
  end
  for _, item in ipairs(made.missing) do
    parts[#parts + 1] = item.field .. "=" .. tostring(item.value) .. " " .. item.reason
  end
  return table.concat(parts, "\n"), made.launch
end

-- dp follows from the devices, which the launcher is told.
local FOLLOWS = { dp = true }

-- What selective recomputation does again of latent attention may be named as a module beside it.
local function repeats_module(plan, value, model)
  local modes = { [plan.recompute] = true, [value] = true }
  return modes.none and modes.selective and plan.flash and plan.recompute_up_proj and (model.kv_lora_rank or 0) > 0
end

describe("no field of a plan is dropped", function()
  for _, target in ipairs(emit.targets) do
    it("by " .. target, function()
      math.randomseed(20260101)
      local compared = 0
      for _ = 1, 150 do
        local plan, model = launch_plans.random(), MODELS[math.random(#MODELS)]
        local field = launch.plan_fields()[math.random(#launch.plan_fields())]
        for _, value in ipairs(launch_plans.values(field)) do
          local other = {}
          for name, item in pairs(plan) do other[name] = item end
          other[field.name] = value
          local one, case = written(launch_plans.answer(plan, model), target)
          local two, case_two = written(launch_plans.answer(other, model), target)
          local differs = plan[field.name] ~= value and not FOLLOWS[field.name]
            and not (field.name == "recompute" and repeats_module(plan, value, model))
          if differs and case:means(field.name) and case_two:means(field.name) then
            compared = compared + 1
            assert.are_not.equal(one, two, field.name .. ": " .. tostring(plan[field.name]) .. " and "
              .. tostring(value) .. " are written alike:\n" .. one)
          end
        end
      end
      assert.is_true(compared > 100, "compared only " .. compared)
    end)
  end
end)

describe("settings are those that the program declares", function()
  for _, name in ipairs(emit.targets) do
    for _, version in ipairs(require("ballpark.emit." .. name).versions) do
      local where = name .. "@" .. version.name
      it("of " .. where, function()
        math.randomseed(20260102)
        local settings, seen = known.of(name, version.name), 0
        for _ = 1, 200 do
          local made = emit.settings(launch_plans.answer(launch_plans.random(), MODELS[math.random(#MODELS)]), where)
          for _, pair in ipairs(made.settings) do
            assert.is_nil(known.fault(settings, pair[1], pair[2]))
            seen = seen + 1
          end
        end
        assert.is_true(seen > 1000)
        assert.is_truthy(emit.text(launch_plans.answer({}), where):find(version.name .. " (" .. version.date .. ")", 1, true))
      end)
    end
  end

  it("and what is not is found", function()
    local old, new = known.of("torchtitan", "238fa99"), known.of("torchtitan", "b5bcd76")
    assert.is_nil(known.fault(old, "training.seq_len", 4096))
    assert.matches("not a setting", known.fault(new, "training.seq_len", 4096)) -- removed
    assert.matches("not a setting", known.fault(known.of("nemo", "8cfedd7"), "model.config.exp_avg_dtype", "bf16")) -- misplaced
    assert.matches("not a setting", known.fault(known.of("sglang", "c18919f"), "cuda-graph-max-bs", 512)) -- deprecated
    assert.matches("takes a int", known.fault(new, "training.steps", "many"))
    assert.matches("is not fast", known.fault(new, "activation_checkpoint", "fast"))
    for target, setting in pairs({ maxtext = "quantization", sglang = "quantization", vllm = "kv-cache-dtype" }) do
      local _, name = emit.target(target)
      local declared = known.of(name, emit.target(target).version.name)
      assert.matches("is not float7", known.fault(declared, setting, "float7"))
    end
    assert.matches("did you mean 'b5bcd76'", errors.catch(emit.text, launch_plans.answer({}), "torchtitan@b5bcd77"))
  end)

  it("and what is left unsaid is the program's default", function()
    local compared = 0
    for _, name in ipairs(emit.names()) do
      for _, version in ipairs((emit.target(name)).versions) do
        local target, declared = emit.target(name .. "@" .. version.name), known.of(name, version.name)
        for _, row in pairs(target.rows) do
          local default = row.name and row.usual ~= nil and declared[row.name].default
          if default and not row.name:find("^peft") then -- without adapters there is no peft
            assert.equal(default, row.usual, row.name)
            compared = compared + 1
          end
        end
      end
    end
    assert.is_true(compared >= 7, "compared only " .. compared)
  end)

  it("of sbatch, around Megatron-LM's", function()
    local declared, seen = known.of("sbatch", "284c3b9"), 0
    for name, value in emit.text(launch_plans.answer({}), "slurm"):gmatch("#SBATCH %-%-([%w-]+)=?(%S*)") do
      value = declared[name] and declared[name].kind == "int" and math.tointeger(value) or value
      assert.is_nil(known.fault(declared, name, value == "" or value))
      seen = seen + 1
    end
    assert.equal(5, seen)
    assert.matches("not a setting", known.fault(declared, "gpus-per-nodes", "8"))
  end)

  it("and none that is deprecated is named where one is missing", function()
    local hybrid = tables.with(DENSE, { mamba_layers = 4, mamba_heads = 64, mamba_head_dim = 64,
      ssm_state = 128, ssm_groups = 1, conv_kernel = 4 })
    local said = table.concat(select(2, read({}, "megatron", hybrid)), "\n")
    assert.matches("%-%-hybrid%-layer%-pattern", said)
  end)

  it("and Megatron-FSDP has its checkpoint format", function()
    assert.equal("fsdp_dtensor", read({ dp = 8, zero = 3 }, "megatron")["ckpt-format"])
    assert.is_nil(read({ dp = 8, zero = 1 }, "megatron")["ckpt-format"])
  end)
end)

describe("what neither time nor memory depend on", function()
  local function said(missing, field)
    for _, line in ipairs(missing) do
      if line:find(field, 1, true) then return line end
    end
  end

  it("is said of rotary positions", function()
    local flags = read({}, "megatron", tables.with(DENSE, { rope = { base = 500000.0, share = 0.5, scaling = "llama3",
      factor = 8 } }))
    assert.equal(500000, flags["rotary-base"])
    assert.equal(0.5, flags["rotary-percent"])
    assert.is_true(flags["use-rope-scaling"])
    assert.equal(8, flags["rope-scaling-factor"])
    local recipe = read({}, "nemo", tables.with(DENSE, { rope = { base = 500000, scaling = "llama3", factor = 8 } }))
    assert.equal(500000, recipe["model.config.rotary_base"])
    assert.equal(8, recipe["model.config.scale_factor"])
    assert.equal(500000, read({}, "maxtext").rope_max_timescale)
    local plain, missing = read({}, "megatron")
    assert.is_nil(plain["use-rope-scaling"])
    assert.is_nil(plain["rotary-percent"])
    assert.is_nil(said(missing, "rope"))
  end)

  it("is named where it is not known or has no setting", function()
    local nothing = tables.with(DENSE, {})
    nothing.rope = nil
    for _, target in ipairs({ "megatron", "nemo", "maxtext", "slurm" }) do
      local _, missing = read({}, target, nothing)
      assert.is_string(said(missing, "model.rope = not known"), target)
    end
    local _, missing = read({}, "megatron", tables.with(DENSE, { rope = { base = 10000, scaling = "yarn" } }))
    assert.is_string(said(missing, "model.rope.scaling = yarn"))
    _, missing = read({}, "megatron", tables.with(nothing, { learned_positions = 2048 }))
    assert.is_nil(said(missing, "rope"))
    local moe = tables.with(MOE, {})
    moe.router = nil
    _, missing = read({}, "megatron", moe)
    assert.is_string(said(missing, "model.router = not known"))
  end)

  it("is said of routers", function()
    local flags = read({}, "megatron", tables.with(MOE, { router = { score = "sigmoid", normalized = true, scale = 2.5,
      groups = 8, top_groups = 4, expert_bias = true } }))
    assert.equal("sigmoid", flags["moe-router-score-function"])
    assert.equal(8, flags["moe-router-num-groups"])
    assert.equal(4, flags["moe-router-group-topk"])
    assert.equal(2.5, flags["moe-router-topk-scaling-factor"])
    assert.is_true(flags["moe-router-enable-expert-bias"])
    assert.is_nil(flags["moe-router-pre-softmax"])
    flags = read({}, "megatron", tables.with(MOE, { route_groups = 4, route_top = 2 }))
    assert.same({ 4, 2 }, { flags["moe-router-num-groups"], flags["moe-router-group-topk"] })
    flags = read({}, "megatron", tables.with(MOE, { router = { score = "softmax", normalized = false } }))
    assert.is_true(flags["moe-router-pre-softmax"])
    assert.is_nil(read({}, "megatron", MOE)["moe-router-num-groups"])
  end)

  it("leaves fp8 to the client of DeepSpeed, in bf16 as it stands", function()
    for _, precision in ipairs({ "fp8", "mxfp8", "nvfp4" }) do
      local set, missing = read({ precision = precision }, "deepspeed")
      assert.is_true(set.bf16.enabled)
      assert.is_string(said(missing, "plan.precision = " .. precision .. ": runs in bf16"))
    end
  end)
end)

-- Names come from files of others: a folder with a config.json, a device of a catalog.
describe("a name with line ends", function()
  local NAMES <const> = { "a\ntouch b\n", "a\r\ntouch b", "a\u{2028}touch b" }

  it("stays in its comment", function()
    for _, name in ipairs(NAMES) do
      local answer = launch_plans.answer({ tp = 2, pp = 2 }, tables.with(DENSE, { name = name }))
      answer.input.cluster.device = tables.with(answer.input.cluster.device, { name = name })
      for _, target in ipairs(emit.targets) do
        local text = emit.text(answer, target)
        if target == "deepspeed" then
          assert.matches("touch b", json.decode(text, "ds.json")._comment[1], 1, true)
        else
          for line in (text .. "\n"):gmatch("([^\r\n]*)[\r\n]") do
            assert.is_true(not line:find("touch b", 1, true) or line:find("^#") ~= nil, target .. ": " .. line)
          end
        end
      end
    end
  end)

  it("is one word of TOML, YAML or Python", function()
    for _, say in ipairs({ write.toml, write.python }) do
      assert.equal('"a\\u000ab\\u007f\\"\\\\"', say("a\nb\127\"\\"))
    end
  end)
end)

-- Launch settings of serving engines: names by hand, and no field of plan or engine is dropped.
local case = require("ballpark.emit.serving.case")
local catalog = require("ballpark.catalog")
local emit = require("ballpark.emit")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local known = require("ballpark.emit.known")

local cluster = catalog.cluster({ device = "H100", devices = 16 })

local function with(base, changes)
  local copy = {}
  for key, value in pairs(base) do copy[key] = value end
  for key, value in pairs(changes or {}) do copy[key] = value end
  return copy
end

-- What serve answers, as far as launch settings look at it; the plan need not be a good one.
local function answer_of(engine, plan, settings, load)
  return { kind = "serving", fits = true, memory = { pool_bytes = 1 << 34 }, steady = { capacity_per_s = 3 },
    input = { model = catalog.model("deepseek-v3"), device = cluster.device, network = cluster.network, plan = plan,
      engine = with(engines.get(engine), settings), load = load or { input_tokens = 1000, output_tokens = 200 } } }
end

local function settings_of(answer, target)
  local made, set = emit.settings(answer, target), {}
  for _, pair in ipairs(made.settings) do
    assert.is_nil(set[pair[1]])
    set[pair[1]] = pair[2]
  end
  return set, made
end

local function missing_of(made)
  local set = {}
  for _, item in ipairs(made.missing) do set[item.field] = item.reason end
  return set
end

describe("launch settings of a serving engine", function()
  it("say a plan in vLLM's names", function()
    local set, made = settings_of(answer_of("vllm", { tp = 4, dp = 4, ep = 16, weights = "fp8", kv = "fp8" }), "vllm")
    assert.same({ ["tensor-parallel-size"] = 4, ["pipeline-parallel-size"] = 1, ["data-parallel-size"] = 4,
      ["enable-expert-parallel"] = true, quantization = "fp8", ["kv-cache-dtype"] = "fp8",
      ["max-num-seqs"] = 1024, ["max-num-batched-tokens"] = 8192, ["gpu-memory-utilization"] = 0.9,
      ["block-size"] = 16, ["max-model-len"] = 1536 }, set)
    assert.matches("join the nodes", missing_of(made)["cluster.nodes"])
  end)

  it("say a KV cache of 16 bit, which the engines' own word leaves to the checkpoint", function()
    for target, name in pairs({ vllm = "kv-cache-dtype", sglang = "kv-cache-dtype", trtllm = "yaml:kv_cache_config.dtype" }) do
      assert.equal("bfloat16", settings_of(answer_of(target, { tp = 8, kv = "bf16" }), target)[name])
    end
  end)

  it("name what the checkpoint and the draft say", function()
    local _, made = settings_of(answer_of("vllm", { tp = 8, weights = "bf16" }), "vllm")
    assert.matches("checkpoint", missing_of(made)["plan.weights"]) -- DeepSeek-V3 is published in fp8
    assert.is_nil(missing_of(made)["plan.acceptance"])
    _, made = settings_of(answer_of("vllm", { tp = 8, draft_tokens = 2, acceptance = 0.9 }), "vllm")
    assert.matches("measured", missing_of(made)["plan.acceptance"])
  end)

  it("count ranks and limits of attention groups as SGLang does", function()
    local set = settings_of(answer_of("sglang", { tp = 2, dp = 4, ep = 8 }, { recv_interval = 4 }), "sglang")
    assert.equal(8, set["tp-size"])
    assert.equal(4, set["dp-size"])
    assert.equal(8, set["ep-size"])
    assert.is_true(set["enable-dp-attention"])
    assert.equal(4 * 8192, set["chunked-prefill-size"])
    assert.equal(4 * 1024, set["max-running-requests"])
    assert.equal(4, set["scheduler-recv-interval"])
    assert.equal(0.85, set["mem-fraction-static"])
    assert.is_nil(set.nnodes)
    assert.equal(2, settings_of(answer_of("sglang", { tp = 16 }), "sglang").nnodes)
  end)

  it("part flags and YAML of TensorRT-LLM", function()
    local text = emit.text(answer_of("trtllm", { tp = 1, dp = 8, ep = 8, kv = "fp8" }), "trtllm")
    local flags, yaml = text:match("ARGS=%((.-)\n%)"), text:match("<<'YAML'\n(.-)\nYAML")
    for _, flag in ipairs({ "%-%-tp_size 8", "%-%-ep_size 8", "%-%-max_batch_size 2048", "%-%-max_seq_len 1536",
      "%-%-kv_cache_free_gpu_memory_fraction 0.9" }) do
      assert.matches(flag, flags)
    end
    assert.matches("enable_attention_dp: true", yaml)
    assert.matches("kv_cache_config:\n  dtype: \"fp8\"\n  tokens_per_block: 32\n", yaml)
    assert.matches("GUARANTEED_NO_EVICT", yaml)
    assert.is_nil(flags:find("yaml", 1, true))
  end)

  it("leave room over the longest request, as far as the model goes, unless the length is given", function()
    local function longest(answer) return settings_of(answer, "vllm")["max-model-len"] end
    -- 1.125 * 4000 in whole 256 is 4608; DeepSeek-V3 goes to 163840.
    assert.equal(4608, longest(answer_of("vllm", {}, {}, { input_tokens = 3000, output_tokens = 1000 })))
    assert.equal(163840, longest(answer_of("vllm", {}, {}, { input_tokens = 160000, output_tokens = 1000 })))
    local answer = answer_of("vllm", {})
    answer.max_model_len = 9000
    assert.equal(9000, longest(answer))
  end)

  it("are those an engine is started with, whatever one load makes of them", function()
    local serve = require("ballpark.questions.serve.run")
    local answer = serve.run({ model = catalog.model("llama-3.1-8b"), engine = { name = "vllm", token_budget = 4096 },
      cluster = catalog.cluster({ device = "H100", devices = 1 }),
      load = { concurrency = 64, input_tokens = 1024, output_tokens = 64, requests = 64 } })
    assert.equal(1024 + 64, answer.input.engine.token_budget)
    assert.equal(4096, settings_of(answer, "vllm")["max-num-batched-tokens"])
  end)

  it("say what a target cannot express", function()
    local function missing(engine, plan, target, settings, load)
      return missing_of(emit.settings(answer_of(engine, plan, settings, load), target))
    end
    assert.matches("checkpoint", missing("vllm", { weights = "int4" }, "vllm")["plan.weights"])
    assert.matches("groups of one rank", missing("trtllm", { tp = 2, dp = 2 }, "trtllm")["plan.dp"])
    assert.matches("all tensor", missing("vllm", { tp = 8, ep = 2 }, "vllm")["plan.ep"])
    assert.matches("speculative", missing("vllm", { draft_tokens = 3 }, "vllm")["plan.draft_tokens"])
    local other = missing("sglang", {}, "vllm")
    assert.matches("that engine", other.engine)
    assert.matches("of something else", other["engine.memory_frac"])
    assert.matches("no longest", missing("vllm", {}, "vllm", nil, { lengths = "lognormal" })["load.lengths"])
  end)

  it("belong to answers of serve that fit", function()
    local answer = answer_of("vllm", {})
    assert.matches("megatron launches training", errors.catch(emit.text, answer, "megatron"))
    assert.matches("vllm launches what serve answered", errors.catch(emit.text, { kind = "estimate" }, "vllm"))
    assert.matches("did you mean 'sglang'", errors.catch(emit.text, answer, "sglan"))
    answer.fits = false
    local text, raised = errors.catch(emit.text, answer, "vllm")
    assert.matches("does not fit", text)
    assert.equal(1, raised.code)
  end)
end)

-- What a shell says of a script it only reads.
local function reads(text)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local fine = os.execute("bash -n " .. path)
  os.remove(path)
  return fine
end

-- The lines of a script between a role and the next.
local function part_of(text, role) return text:match("\n" .. role .. "%)\n(.-)\n;;\n") end

local function split(engine, plan)
  local answer = answer_of(engine, with({ tp = 1 }, plan))
  answer.input.replicas, answer.input.prefill_pool = 2, { replicas = 3, plan = with({ tp = 4 }, plan) }
  answer.link = "50 GB/s, whole prompts"
  return answer
end

describe("launch settings of prefill and decode pools", function()
  local FLAGS <const> = {
    vllm = { prefill = { "%-%-tensor%-parallel%-size 4", '"kv_role":"kv_both"', "VLLM_NIXL_SIDE_CHANNEL_HOST" },
      decode = { "%-%-tensor%-parallel%-size 1", '"kv_connector":"NixlConnector"' },
      router = { "%-%-prefiller%-hosts", "%-%-decoder%-ports" } },
    sglang = { prefill = { "%-%-tp%-size 4", "%-%-disaggregation%-mode prefill" },
      decode = { "%-%-tp%-size 1\n", "%-%-disaggregation%-mode decode" },
      router = { "sglang_router.launch_router", "%-%-prefill", "%-%-decode" } },
    trtllm = { prefill = { "%-%-tp_size 4", "cache_transceiver_config:\n  backend: \"DEFAULT\"",
      "disable_overlap_scheduler: true" }, decode = { "%-%-tp_size 1", "max_tokens_in_buffer: 1536" },
      router = { "trtllm%-serve disaggregated", "context_servers", "generation_servers" } },
  }

  for _, target in ipairs(emit.serving_targets) do
    it("start both, and what is in front, by " .. target, function()
      local text, missing = emit.text(split(target), target)
      assert.is_true(reads(text))
      for role, patterns in pairs(FLAGS[target]) do
        for _, pattern in ipairs(patterns) do assert.matches(pattern, part_of(text, role)) end
      end
      local said = table.concat(missing, "\n")
      for _, pattern in ipairs({ "prefill: replicas = 3", "decode: replicas = 2", "connector: .*2025", "router: ",
        "plan.tp = 4 of prefill, 1 of decode", "link = 50 GB/s, whole prompts: " }) do
        assert.matches(pattern, said)
      end
      if target == "trtllm" then assert.is_nil(part_of(text, "decode"):find("overlap_scheduler", 1, true)) end
    end)
  end

  it("say once what holds for both, and with its role what does not", function()
    local answer = split("vllm", { weights = "int4" })
    answer.input.prefill_pool.plan.draft_tokens = 2
    local missing = missing_of(emit.settings(answer, "vllm"))
    assert.matches("checkpoint", missing["plan.weights"])
    assert.is_nil(missing["decode: plan.weights"])
    assert.matches("speculative", missing["prefill: plan.draft_tokens"])
  end)
end)

describe("launch settings of pools by length", function()
  local search = require("ballpark.questions.serve_search.run")

  it("start each pool with the longest of its requests", function()
    local answer = search.run({ model = catalog.model("llama-3.1-8b"), gpus = 32,
      devices = { { device = "H100", price = "OCI" }, { device = "L40S", price = "Crusoe" } }, engine = "vllm",
      load = { rate_per_s = 20, buckets = { { share = 0.9, input_tokens = 300, output_tokens = 150 },
        { share = 0.1, input_tokens = 9000, output_tokens = 300 } } },
      sla = { ttft_s = 0.6, tpot_s = 0.05, percentile = 90 }, space = { tp = 1, pp = 1, format = "fp8" } })
    local text, missing = emit.text(answer, "vllm")
    assert.is_true(reads(text))
    assert.equal(2, #answer.pools)
    assert.matches("max%-model%-len 10496", text)
    assert.matches("max%-model%-len 512", text)
    assert.matches("length of a request", table.concat(missing, "\n"))
  end)
end)

-- Two values of every field that differ.
local VALUES = { tp = { 2, 4 }, pp = { 1, 2 }, dp = { 1, 2 }, ep = { 1, 8 }, weights = { "bf16", "fp8", "int4" },
  experts = { "auto", "mxfp4" }, activations = { "auto", "fp8" }, kv = { "bf16", "fp8", "int8" }, draft_tokens = { 0, 3 },
  policy = { "mixed", "prefill_first" }, token_budget = { 2048, 8192 }, max_running = { 256, 1024 },
  chunked_prefill = { true, false }, reserve_output = { true, false }, memory_frac = { 0.8, 0.9 },
  overlap = { true, false }, block_tokens = { 16, 64 }, recv_interval = { 1, 4 }, stream_interval = { 1, 10 }, batch_wait = { 0, 8 },
  graph_tokens = { 256, 512 }, cp = { 1, 2 }, max_loras = { 0, 2, 4 }, max_lora_rank = { 16, 64 }, prefix_cache = { true, false } }

for _, target in ipairs(emit.serving_targets) do
  it("settings of " .. target .. " are those that the engine declares", function()
    local version = require("ballpark.emit.serving." .. target).versions[1].name
    local settings = known.of(target, version)
    local function check(answer)
      local made = emit.settings(answer, target)
      for _, part in ipairs(made.parts or { made }) do
        for _, pair in ipairs(part.settings) do assert.is_nil(known.fault(settings, pair[1], pair[2])) end
      end
    end
    for _, field in ipairs(case.fields()) do
      for _, value in ipairs(VALUES[field.name] or {}) do
        local change = { [field.name] = value }
        check(answer_of(target, field.group == "plan" and change or {}, field.group == "engine" and change or {}))
      end
    end
    check(split(target))
  end)
end

-- Of the draft, not of the engine.
local MEASURED = { acceptance = true }

for _, target in ipairs(emit.serving_targets) do
  describe("no field is dropped by " .. target, function()
    for _, field in ipairs(case.fields()) do
      if not MEASURED[field.name] then
        it("for " .. field.name, function()
          local written = {}
          for _, value in ipairs(assert(VALUES[field.name], "no values for " .. field.name)) do
            local change = { [field.name] = value }
            local answer = answer_of(target, field.group == "plan" and change or {},
              field.group == "engine" and change or {})
            local text = emit.text(answer, target)
            assert.is_nil(written[text], field.name .. " = " .. tostring(value) .. " is written as another value")
            written[text] = true
          end
        end)
      end
    end
  end)
end

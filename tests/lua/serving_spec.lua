-- Serving: the catalog's engines and curves, the reading of tables and logs, and what cases become.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local requests = require("ballpark.validate.requests")
local resolve = require("ballpark.resolve.serving")
local scenario = require("ballpark.scenario")
local serving = require("ballpark.validate.serving")
local serving_case = require("ballpark.validate.serving_case")
local serving_curves = require("ballpark.catalog.serving_curves")
local serving_formats = require("ballpark.resolve.serving.formats")
local serving_range = require("ballpark.range.serving")
local units = require("ballpark.resolve.serving.units")

local HEADER <const> = "case_id,engine,model,gpu,precision,gemm_quant,moe_quant,input_len,output_len,concurrency,tp,"
  .. "step_token_budget,max_running,other_settings,protocol,ttft_ms,tpot_ms\n"

local function rows_of(...)
  return serving.read(HEADER .. table.concat({ ... }, "\n") .. "\n", "points.csv")
end

local ROW <const> = "a,vllm,meta-llama/Llama-3.1-8B,H100,fp8,,,1024,128,8,1,4096,64,,InferenceX,50,8"

describe("an engine", function()
  it("has settings and fitted coefficients that the core accepts", function()
    for _, name in ipairs(engines.names()) do
      local cluster = catalog.cluster({ device = "H100", devices = 1 })
      local step = core.infer_step({ model = catalog.model("llama-3.1-8b"), device = cluster.device,
        network = cluster.network, curves = serving_curves.get(cluster.device), engine = engines.get(name),
        plan = {}, sequences = 8, context = 1000 })
      -- 16 GB of weights at 3.35 TB/s take 4.8 ms; an engine adds some milliseconds, and may be slower than curves.
      -- One that captures no graphs waits for the host, which launches a dozen kernels or more in each of 32 layers.
      local slowdown, most = engines.get(name).slowdown or 1, engines.get(name).graph_tokens == 0 and 30e-3 or 15e-3
      assert.is_true(step.time_s > 4.8e-3 * slowdown and step.time_s < most * slowdown, name)
    end
  end)

  it("that nobody fitted says so and has a wider range, and a row of another is answered by a generic one", function()
    local fitted = {}
    for _, name in ipairs(engines.fitted()) do
      fitted[name] = true
      assert.is_nil(select(2, resolve.engine(name)))
    end
    for _, name in ipairs(engines.names()) do
      if not fitted[name] then assert.matches("extrapolated", select(2, resolve.engine({ name = name }))) end
    end
    local function row(engine, version)
      local rows = rows_of((ROW:gsub("vllm", engine, 1)))
      rows[1].engine_version = version
      return serving.run(rows, {}).rows[3]
    end
    local new, old, other = row("vllm", "0.10.1"), row("vllm", "0.6.3"), row("lmdeploy")
    assert.is_true(old.predicted > new.predicted)
    assert.is_true(other.range.high / other.range.low > 2 * old.range.high / old.range.low)
    assert.matches("did you mean 'sglang'", row("sglan").reason)
  end)

  it("is known by its usual names, and others are refused with the nearest", function()
    assert.equal("trtllm", engines.get("TensorRT-LLM").name)
    assert.matches("did you mean 'vllm'", errors.catch(engines.get, "vlm"))
  end)
end)

describe("curves of serving", function()
  it("are there for every device, its own or borrowed", function()
    for _, name in ipairs(catalog.list("devices")) do
      local curves, origin = serving_curves.get(catalog.device(name))
      assert.is_true(curves.decode_stream > 0 and curves.moe16.u > 0 and curves.moe4.u > 0, name)
      assert.is_string(origin)
    end
    assert.equal("H200-SXM-141GB", select(2, serving_curves.get(catalog.device("H200"))))
  end)
end)

describe("formats of a served checkpoint", function()
  local dense, moe = { layers = 1 }, { layers = 1, experts = 8 }

  it("follow from what it is called", function()
    local function of(text, model)
      local plan = serving_formats.weights({ checkpoint = text }, model)
      return { plan.weights, plan.experts or "none" }
    end
    assert.same({ "fp8", "none" }, of("fp8", dense))
    assert.same({ "fp8", "fp8" }, of("fp8", moe)) -- made of 16-bit weights
    assert.same({ "fp8_block", "fp8_block" }, of("fp8", { layers = 1, experts = 8, quantization = "fp8" }))
    assert.same({ "fp8_block", "fp8_block" }, of("fp8, experts fp8_block", moe))
    assert.same({ "bf16", "nvfp4" }, of("nvfp4", moe))
    assert.same({ "nvfp4", "none" }, of("nvfp4", dense))
    assert.same({ "bf16", "mxfp4" }, of("fp4", { experts = 8, quantization = "mxfp4" }))
  end)

  it("are said where they are blank, and refused where unknown", function()
    assert.matches("16%-bit weights", select(2, serving_formats.weights({}, dense)))
    local function as_published(quantization, experts)
      return serving_formats.published({ quantization = quantization, experts = experts })
    end
    assert.is_nil(as_published(nil, 8))
    assert.is_nil(as_published("bfloat16", 8))
    assert.same({ weights = "int8" }, as_published("bitsandbytes, 8 bit"))
    assert.same({ weights = "int8" }, as_published("gptq, 8 bit"))
    assert.same({ weights = "int4", experts = "int4" }, as_published("awq, 4 bit", 8))
    assert.same({ weights = "bf16", experts = "int4" }, as_published("bf16, experts int4", 8))
    assert.same({ weights = "fp8" }, as_published("fp8, e4m3"))
    assert.same({ weights = "int4" }, as_published("awq, 4 bit"))
    assert.same({ weights = "fp8_block", experts = "fp8_block" }, as_published("fp8", 8))
    assert.same({ weights = "fp8_block", experts = "nvfp4" }, as_published("fp8, experts fp4", 8))
    assert.same({ weights = "bf16", experts = "mxfp4" }, as_published("mxfp4", 8))
    assert.matches("plan.checkpoint: 'fp9'", errors.catch(serving_formats.weights, { checkpoint = "fp9" }, dense))
    assert.matches("leave out weights", errors.catch(serving_formats.weights, { checkpoint = "fp8", weights = "fp8" },
      dense))
  end)

  it("has formats in the words of publishers and engines", function()
    local experts = catalog.model("qwen3-30b-a3b")
    for _, model in ipairs({ dense, experts }) do
      for _, word in ipairs({ "awq", "gptq", "w4a16", "Int4_WO", "fp16", "mxfp8" }) do
        assert.same(serving_formats.weights({ checkpoint = word }, model), (serving_formats.weights({ weights = word }, model)))
      end
    end
    assert.same({ weights = "fp8", kv = "fp8", experts = "int4" }, (serving_formats.weights(
      { weights = "fp8", kv = "fp8_e5m2", experts = "w4a16" }, experts)))
    assert.equal("bf16", serving_formats.weights({ weights = "bf16", kv = "half" }, dense).kv)
    assert.equal("auto", serving_formats.weights({ weights = "bf16", kv = "auto" }, dense).kv)
    assert.equal("fp9", serving_formats.weights({ weights = "fp9" }, dense).weights)
    assert.matches("leave out weights", errors.catch(serving_formats.weights, { checkpoint = "fp8", weights = "awq" },
      dense))
  end)

  it("has the KV cache that its config states", function()
    local function kv(plan, engine, quantization, experts)
      return (serving_formats.kv(plan, engine, { quantization = quantization, experts = experts }))
    end
    for _, engine in ipairs({ "vllm", "sglang", "trtllm" }) do
      assert.equal("fp8", kv({ weights = "nvfp4" }, engine))
      assert.equal("fp8", kv({ weights = "bf16", experts = "nvfp4" }, engine, "fp8", 8))
      assert.equal("fp8", kv({ weights = "fp8" }, engine, "fp8, kv fp8"))
      assert.equal("bf16", kv({ weights = "fp8_block", experts = "fp8_block" }, engine, "fp8", 8))
      assert.equal("bf16", kv({ weights = "bf16", experts = "mxfp4" }, engine, "mxfp4", 8))
      assert.equal("bf16", kv({ weights = "bf16", experts = "auto" }, engine, "fp8, kv fp8"))
    end
    -- Others than the authors make them with ModelOpt for TensorRT-LLM only.
    assert.equal("fp8", kv({ weights = "fp8" }, "trtllm"))
    assert.equal("bf16", kv({ weights = "fp8" }, "vllm"))
  end)
end)

describe("a row of serving points", function()
  it("becomes an input with its own settings", function()
    local case = serving_case.of(rows_of(ROW)[1], {})
    assert.equal(4096, case.input.engine.token_budget)
    assert.equal(64, case.input.engine.max_running)
    assert.equal("fp8", case.input.plan.weights)
    assert.equal(8, case.input.load.concurrency)
    assert.equal(80, case.input.load.requests)
    assert.equal("uniform", case.input.load.lengths)
    assert.equal(0.9, case.input.engine.memory_frac)
  end)

  it("takes attention groups and their wait from its settings", function()
    local settings = "enable_attention_dp=True; attention_dp_config.timeout_iters=60"
    local row = ROW:gsub(",8,1,4096,64,,", ",8,8,4096,64," .. settings .. ",")
    local case = serving_case.of(rows_of(row)[1], {})
    assert.equal(1, case.input.plan.tp)
    assert.equal(8, case.input.plan.dp)
    assert.equal(60, case.input.engine.batch_wait)
  end)

  it("of one length has a prompt per step and a light client, unless prompts go first", function()
    local plain = engines.get("vllm")
    local case = serving_case.of(rows_of((ROW:gsub("InferenceX", "closed loop")))[1], {})
    assert.equal("fixed", case.input.load.lengths)
    assert.equal(1024 + 8, case.input.engine.token_budget)
    assert.near(0.4 * plain.front_s, case.input.engine.front_s, 1e-12)
    assert.equal(0.4, case.shares.front_s)
    case = serving_case.of(rows_of((ROW:gsub("InferenceX", "closed loop"):gsub("vllm", "sglang")))[1], {})
    assert.equal(4096, case.input.engine.token_budget)
  end)

  it("plans ahead as its settings or its version say", function()
    local function case(version, settings)
      local row = rows_of((ROW:gsub(",4096,64,,", ',4096,64,"' .. settings .. '",')))[1]
      row.engine_version = version
      return serving_case.of(row, {}).input.engine
    end
    assert.is_false(case("0.12.0", "").overlap)
    assert.is_true(case("0.14.1", "").overlap)
    assert.is_true(case(nil, "").overlap)
    assert.is_true(case("0.11.2", "async-scheduling=True").overlap)
    assert.is_false(case("0.19.0", "async-scheduling=False").overlap)
    assert.is_nil(case(nil, "").graph_prompts)
    assert.is_true(case(nil, "torch_compile_config.enable_piecewise_cuda_graph=True").graph_prompts)
    assert.is_true(case(nil, "").graph_pieces)
    assert.is_false(case(nil, '""cudagraph_mode"": ""FULL_DECODE_ONLY""').graph_pieces)
    assert.is_nil(case(nil, '""cudagraph_mode"": ""FULL_DECODE_ONLY""').graph_whole)
    assert.is_false(case(nil, '""cudagraph_mode"":""PIECEWISE""').graph_whole)
    assert.is_nil(case(nil, "").sum_fusion)
    assert.equal("quantize", case(nil, "compilation_config.pass_config.fuse_allreduce_rms=true").sum_fusion)
    assert.equal("norm", case(nil, "enable-flashinfer-allreduce-fusion=true").sum_fusion)
    assert.equal("16_bit", case(nil, "").gathers)
    assert.equal("8_bit", case(nil, "moe_config.backend=TRITON").gathers)
  end)

  it("is predicted, all three times of it", function()
    local answer = serving.run(rows_of(ROW), {})
    assert.equal(3, #answer.rows)
    for _, row in ipairs(answer.rows) do
      assert.equal("ok", row.status)
      assert.is_true(row.predicted > row.measured / 3 and row.predicted < 3 * row.measured, row.metric)
    end
    -- Answers of 128 tokens at most are of nine tenths of it in the mean.
    assert.near(50 + 8 * (0.9 * 128 - 1), answer.rows[3].measured, 1e-9)
    assert.equal("e2e_ms", answer.rows[3].metric)
  end)

  it("that cannot be answered says why", function()
    local bad = ROW:gsub("meta%-llama/Llama%-3.1%-8B", "nobody/nothing")
    local negative = ROW:gsub(",1024,", ",-5,")
    local answer = serving.run(rows_of(bad, (negative:gsub("^a", "b"))), {})
    assert.equal("uncovered", answer.rows[1].status)
    assert.matches("nothing", answer.rows[1].reason)
    assert.matches("input_len: '%-5' is not a whole number", answer.rows[4].reason)
    assert.equal(0, answer.metrics.tpot_ms.covered)
    assert.equal(2, answer.metrics.tpot_ms.rows)
  end)

  it("needs the columns that say what ran", function()
    local header = "model,gpu,input_len,output_len,ttft_ms\n"
    assert.matches("columns missing: .*engine", errors.catch(serving.read, header, "x"))
  end)

  it("more requests in flight take longer each", function()
    local last = 0
    for _, clients in ipairs({ 1, 8, 64, 256 }) do
      local row = ROW:gsub(",8,1,4096,64,", "," .. clients .. ",1,4096,512,")
      local case = serving_case.of(rows_of(row)[1], {})
      local times = serving.predict(case)
      assert.is_true(times.tpot_ms > last)
      last = times.tpot_ms
    end
  end)
end)

describe("a disaggregated system", function()
  local text = "disaggregated; prefill 2x tp4 ep4 dp-attn False; decode 1x tp8 ep8 dp-attn True; DECODE_MTP_SIZE=3"

  local function case_of(settings, tp)
    local row = rows_of((ROW:gsub("vllm,meta%-llama/Llama%-3.1%-8B,H100", "trtllm,deepseek-ai/DeepSeek-V3,GB200")
      :gsub(",8,1,4096,64,,", (",8,%d,4096,64,%s,"):format(tp, settings))))[1]
    return serving_case.of(row, {})
  end

  it("is read from its settings", function()
    local input = case_of(text, 16).input
    assert.same({ 1, 1, 8, 8, 3 }, { input.replicas, input.plan.tp, input.plan.dp, input.plan.ep, input.plan.draft_tokens })
    local pool = input.prefill_pool
    assert.same({ 2, 4, 4, 0 }, { pool.replicas, pool.plan.tp, pool.plan.ep, pool.plan.draft_tokens })
    assert.equal(input.plan.weights, pool.plan.weights)
  end)

  it("is one replica unless it says so or is wide", function()
    assert.is_nil(case_of("", 8).input.prefill_pool)
    local wide = case_of("", 36)
    local pool = wide.input.prefill_pool
    assert.same({ 6, 4, 1, 8 }, { pool.replicas, pool.plan.dp, wide.input.replicas, wide.input.plan.tp })
  end)
end)

describe("a log of requests", function()
  local head = "request,arrival_s,input_tokens,output_tokens,queue_s,ttft_s,e2e_s\n"
  local meta = { model = "meta-llama/Llama-3.1-8B", device = "NVIDIA GeForce RTX 4090", engine = "vllm 0.19.0",
    kv_tokens = 40000 }

  it("is replayed, arrivals and lengths as they were", function()
    local log = requests.read(head .. "0,0,100,10,0,0.05,0.3\n1,5,100,10,0,0.05,0.3\n", "log.csv")
    local answer = requests.run(log, meta)
    assert.equal(9, #answer.rows)
    for _, row in ipairs(answer.rows) do assert.is_true(row.predicted > 0) end
    -- Two requests that never meet see the same.
    assert.near(1, answer.rows[3].predicted / answer.rows[1].predicted, 1e-3)
  end)

  it("with a request out of order, below zero or incomplete is refused with its line", function()
    local function complaint(line)
      return errors.catch(requests.read, head .. "0,1,100,10,0,0.05,0.3\n" .. line, "log.csv")
    end
    assert.matches("log.csv:3: arrival_s is before", complaint("1,0.5,100,10,0,0.05,0.3\n"))
    assert.matches("log.csv:3: input_tokens must be at least 1", complaint("1,2,-1,10,0,0.05,0.3\n"))
    assert.matches("log.csv:3: ttft_s is missing", complaint("1,2,5,10,0,,0.3\n"))
    assert.matches("log.csv:3: output_tokens: 'x' is not a number", complaint("1,2,5,x,0,1,0.3\n"))
    assert.equal("log.csv: e2e_s of the request number 2 is below its ttft_s", complaint("1,2,5,5,0,1,0.3\n"))
  end)

  it("needs to know what served it", function()
    local log = requests.read(head .. "0,0,100,10,0,0.05,0.3\n", "log.csv")
    local function complaint(said) return errors.catch(requests.run, log, said) end
    assert.matches("meta.device: ", complaint({ model = "llama-3.1-8b" }))
    assert.matches("meta.device: ", complaint({ model = "llama-3.1-8b", device = 5 }))
    assert.matches("meta.max_num_seqs: ",
      complaint({ model = "llama-3.1-8b", device = "H100", max_num_seqs = 1.5 }))
    assert.matches("meta.tensor_parallel: ",
      complaint({ model = "llama-3.1-8b", device = "H100", tensor_parallel = 3.5 }))
  end)
end)

describe("core.serve", function()
  it("refuses a trace that is not one", function()
    local cluster = catalog.cluster({ device = "H100", devices = 1 })
    local function input(trace)
      return { model = catalog.model("llama-3.1-8b"), device = cluster.device, network = cluster.network,
        curves = serving_curves.get(cluster.device), engine = engines.get("vllm"), plan = {}, load = {},
        trace = trace }
    end
    local request = { arrival_s = 1, input_tokens = 10, output_tokens = 5 }
    assert.matches("trace%[2%].arrival_s", errors.catch(core.serve, input({ request,
      { arrival_s = 0, input_tokens = 10, output_tokens = 5 } })))
    assert.matches("trace%[1%].input_tokens", errors.catch(core.serve, input({ { arrival_s = 0, output_tokens = 5 } })))
    assert.matches("trace: ", errors.catch(core.serve, input({})))
    assert.equal(1, core.serve(input({ request })).requests)
  end)
end)

describe("devices from before Ampere", function()
  it("serve in fp16 what others serve in bf16", function()
    local cluster = catalog.cluster({ device = "V100-32GB-SXM", devices = 1 })
    local function step(device)
      return core.infer_step({ model = catalog.model("llama-2-7b"), device = device, network = cluster.network,
        curves = require("ballpark.catalog.serving_curves").get(cluster.device), sequences = 4, context = 100 })
    end
    local modern = catalog.device("V100-32GB-SXM")
    modern.has_bf16 = true
    assert.is_true(step(cluster.device).time_s > 0)
    assert.same(step(modern), step(cluster.device))
  end)
end)

describe("the answer of a serving validation", function()
  it("has the promised form", function()
    local result = require("ballpark.validate.serving_result")
    local document = result.document(serving.run(rows_of(ROW), { group = "engine" }))
    assert.equal(3, #document.rows)
    assert.equal(1, document.metrics.tpot_ms.covered)
    assert.equal("vllm", document.groups[1].group)
    assert.equal("ttft_ms", document.rows[1].metric)
    for _, row in ipairs(document.rows) do
      assert.is_true(row.range.predicted.low < row.predicted and row.predicted < row.range.predicted.high)
      assert.is_string(row.assumed[1])
    end
  end)
end)

describe("serve", function()
  local function served(changes)
    local input = { model = catalog.model("llama-3.1-70b"), cluster = catalog.cluster({ device = "H100", devices = 4 }),
      engine = "vllm", plan = { tp = 4, weights = "fp8" }, load = { concurrency = 8, requests = 80 } }
    for key, value in pairs(changes) do input[key] = value end
    return require("ballpark.questions.serve.run").run(input)
  end

  it("answers with memory, closed forms and what requests saw", function()
    local answer = served({})
    assert.is_true(answer.fits)
    assert.equal(80, answer.seen.requests)
    assert.near(1, answer.steady.tpot_s / answer.seen.tpot.mean_s, 0.1)
  end)

  -- Whole answers that were measured are long; the first token is all of one, and most of another.
  it("has a range of the whole answer that its first token is inside of", function()
    for _, tokens in ipairs({ 1, 2, 20, 400 }) do
      local range = served({ load = { concurrency = 1, requests = 40, input_tokens = 60000, output_tokens = tokens } }).range
      assert.is_true(range.e2e_s.high >= range.ttft_s.high and range.e2e_s.low >= range.ttft_s.low)
      if tokens == 1 then
        assert.near(range.ttft_s.low, range.e2e_s.low, 1e-9)
        assert.near(range.ttft_s.high, range.e2e_s.high, 1e-9)
      end
    end
  end)

  it("names a load that is too much, and a model that does not fit", function()
    local busy = served({ load = { arrivals = "open", rate_per_s = 1000 } })
    assert.is_false(busy.steady.stable)
    assert.is_nil(busy.seen)
    local big = served({ cluster = catalog.cluster({ device = "H100", devices = 1 }), plan = {} })
    assert.is_false(big.fits)
    assert.is_true(big.memory.pool_bytes < 0)
  end)

  it("serves on devices from before Ampere", function()
    local answer = served({ cluster = catalog.cluster({ device = "V100", devices = 4 }),
      model = catalog.model("llama-3.1-8b"), plan = { tp = 4 } })
    assert.is_true(answer.seen.tpot.mean_s > 0.001 and answer.seen.tpot.mean_s < 0.1)
  end)

  -- What the words of a report stand for: sizes are in the text, the value is for other programs.
  local function shown(changes)
    local r = require("ballpark.result").new()
    require("ballpark.questions.serve.show").answer(r, served(changes))
    local facts = {}
    for _, fact in ipairs(r:scalars()) do facts[fact.name] = fact end
    return facts, r
  end

  it("says of a request that finds no room beside the weights what it takes", function()
    local load = { concurrency = 1, input_tokens = 2000000 }
    local facts = shown({ load = load })
    assert.is_true(facts.pool_bytes.value > 0 and facts.sequence_bytes.value > facts.pool_bytes.value)
    facts = shown({ cluster = catalog.cluster({ device = "H100", devices = 1 }), plan = {} })
    assert.equal(0, facts.pool_bytes.value)
    assert.is_true(facts.missing_bytes.value > 0 and facts.missing_bytes.value < facts.weights_bytes.value)
  end)

  it("says where the range is of other devices than this one", function()
    local inside = shown({}).extrapolated
    assert.equal("", inside.value)
    assert.is_nil(inside.text:find("extrapolated", 1, true))
    local beyond = shown({ cluster = catalog.cluster({ device = "MI300X", devices = 4 }) }).extrapolated
    assert.equal("neither decode attention nor vllm itself measured on MI300X", beyond.value)
    assert.matches("extrapolated: {extrapolated}$", beyond.text)
  end)

  it("names the load by one word beside the sentence", function()
    assert.equal("closed", shown({}).load.value)
    assert.equal("open", shown({ load = { arrivals = "open", rate_per_s = 1, requests = 80 } }).load.value)
  end)

  it("warns of requests longer than the model was made for", function()
    local _, r = shown({ load = { concurrency = 1, requests = 10, input_tokens = 131000, output_tokens = 73 } })
    assert.equal(1, #r.warnings)
    _, r = shown({ load = { concurrency = 1, requests = 10, input_tokens = 131000, output_tokens = 72 } })
    assert.same({}, r.warnings)
  end)

  it("refuses a model that only reads", function()
    local message = "model: bert%-base%-uncased writes no tokens %(encoder%)"
    assert.matches(message, errors.catch(served, { model = catalog.model("bert-base-uncased") }))
    assert.matches(message, errors.catch(
      require("ballpark.questions.serve_search.run").run, { gpus = 8, devices = { "H100" },
      model = catalog.model("bert-base-uncased"), load = { rate_per_s = 1 }, sla = { ttft_s = 1 } }))
  end)

  it("refuses words it does not know", function()
    assert.matches("serve.enginee: .*'engine'", errors.catch(served, { enginee = "vllm" }))
    assert.matches("cluster: ", errors.catch(served, { cluster = "H100" }))
  end)
end)

describe("serve", function()
  it("refuses a width that does not divide the heads, as training does", function()
    local cluster = catalog.cluster({ device = "H100", devices = 4 })
    local input = { model = catalog.model("llama-3.1-70b"), cluster = cluster, plan = { tp = 3 } }
    assert.equal("plan.tp: 3 does not divide 64 attention heads",
      errors.catch(require("ballpark.questions.serve.run").run, input))
  end)
end)

describe("what a row leaves open", function()
  local header = "case_id,engine,model,gpu,precision,input_len,output_len,concurrency,tp,step_token_budget,"
    .. "max_running,mem_fraction,cuda_graph_max_bs,chunked_prefill,kv_cache_dtype,speculative,mtp_candidate,"
    .. "protocol,ttft_ms,tpot_ms\n"
  local full = "a,%s,%s,H100,fp8,8192,512,32,%d,8192,64,0.9,512,on,fp8,none,no,InferenceX,900,20"

  local function read(engine, model, tp, from, to)
    local text = full:format(engine, model, tp)
    local changed, count = text:gsub(from or "^", to or "", 1)
    assert.equal(1, count)
    return serving.read(header .. changed .. "\n", "points.csv")
  end

  local function width(rows, metric)
    for _, row in ipairs(serving.run(rows, {}).rows) do
      if row.metric == metric then return row.range.high / row.range.low, row end
    end
  end

  it("is none of a row that says all, and each blank cell that an engine has", function()
    local function open(...)
      local list = {}
      for i, item in ipairs(serving_case.of(read(...)[1], {}).open) do list[i] = item.field end
      return list
    end
    local llama = "meta-llama/Llama-3.1-8B"
    assert.same({}, open("vllm", llama, 1))
    assert.same({ "engine.token_budget" }, open("vllm", llama, 1, ",8192,64", ",,64"))
    assert.same({ "engine.recv_interval" }, open("sglang", llama, 1))
    assert.same({ "plan.kv" }, open("vllm", llama, 1, ",on,fp8", ",on,auto"))
    assert.same({ "load.lengths" }, open("vllm", llama, 1, "InferenceX", ""))
    -- Only models with a module for it may have drafted.
    assert.same({}, open("vllm", llama, 1, "none,no", ",possible"))
    assert.same({ "plan.draft_tokens" }, open("vllm", "deepseek-ai/DeepSeek-V3", 8, "none,no", "none,possible"))
    assert.same({ "plan.draft_tokens" }, open("vllm", "deepseek-ai/DeepSeek-V3", 8, "none,no", ","))
    assert.same({}, open("vllm", "deepseek-ai/DeepSeek-V3", 8, "none,no", ",no"))
  end)

  it("is no setting that is told and not understood", function()
    local function refused(from, to) return (errors.catch(serving_case.of, read("vllm", "meta-llama/Llama-3.1-8B", 1, from, to)[1], {})) end
    assert.matches("max_running: '1k' is neither a number nor 'auto'", refused(",8192,64", ",8192,1k"))
    assert.matches("mem_fraction: '90 %%' is neither a number nor 'auto'", refused(",0.9,", ",90 %%,"))
    assert.equal("max_running", serving_case.of(read("vllm", "meta-llama/Llama-3.1-8B", 1, ",8192,64", ",8192,unknown")[1], {}).open[1].field:match("%.(.*)"))
  end)

  it("is how many drafts are taken, where there are any and nobody says it", function()
    local function tpot(plan)
      local _, state = scenario.run({ path = "drafts.lua", source = ([[
        answer = serve { model = model "Llama-3.1-8B", cluster = cluster { device = "H100", devices = 1 }, engine = "sglang",
          plan = { %s }, load = { arrivals = "closed", concurrency = 1, requests = 2, input_tokens = 100, output_tokens = 64 } }]])
        :format(plan) }, {})
      return state.answers[1].range.tpot_s, table.concat(state.answers[1].assumed, " ")
    end
    local unsaid, words = tpot("draft_tokens = 4")
    assert.matches("plan.acceptance", words, 1, true)
    for _, share in ipairs({ 0.5, 0.85 }) do
      local said, own = tpot("draft_tokens = 4, acceptance = " .. share)
      assert.is_true(unsaid.low < said.value and said.value < unsaid.high, share)
      assert.is_nil(own:find("plan.acceptance", 1, true))
    end
    assert.is_nil(select(2, tpot("")):find("plan.acceptance", 1, true))
  end)

  it("is the network, where ranks of a replica are on two nodes and nobody states it", function()
    local function tpot(said)
      local _, state = scenario.run({ path = "two nodes.lua", source = ([[
        answer = serve { model = model "Llama-3.1-405B", cluster = cluster { device = "H100-SXM-80GB", devices = 16, fabric = %s },
          engine = "vllm", plan = { tp = 16, weights = "fp8" },
          load = { arrivals = "closed", concurrency = 1, requests = 2, input_tokens = 1000, output_tokens = 64 } }]]):format(
        said and ("%q"):format(said)) }, {})
      return state.answers[1].range.tpot_s, state.answers[1]
    end
    local unsaid, answer = tpot(nil)
    local said = tpot("infiniband")
    assert.matches("left open, which widens the range: cluster.fabric", table.concat(answer.assumed, " "), 1, true)
    assert.is_true(unsaid.low < said.value and said.value < said.high and said.high < unsaid.value)
    assert.is_nil(table.concat(select(2, tpot("efa")).assumed, " "):find("cluster.fabric", 1, true))
  end)

  it("widens the range by what it may do to the time, and leaves the estimate", function()
    local llama = "meta-llama/Llama-3.1-8B"
    local known, all = width(read("vllm", llama, 1), "ttft_ms")
    local open, less = width(read("vllm", llama, 1, ",8192,64", ",,64"), "ttft_ms")
    assert.near(all.predicted, less.predicted, 1e-9)
    assert.is_true(open > 1.002 * known)
    -- As many steps draft as do not: the time per token may be much less, and hardly more.
    local _, sure = width(read("trtllm", "deepseek-ai/DeepSeek-V3", 8), "tpot_ms")
    local _, unsure = width(read("trtllm", "deepseek-ai/DeepSeek-V3", 8, "none,no", "none,possible"), "tpot_ms")
    assert.is_true(unsure.range.low < 0.95 * sure.range.low)
    assert.near(sure.range.high, unsure.range.high, 0.05 * sure.range.high)
  end)

  it("is taken off again where the base of the ranges is made", function()
    assert.near(0, serving_range.beyond(1.2, 0, 0.5), 1e-12)
    assert.near(math.log(2), serving_range.beyond(2, 0.5, 0), 1e-12)
    assert.near(-math.sqrt(math.log(2) ^ 2 - 0.25), serving_range.beyond(0.5, 0.5, 0), 1e-12)
  end)
end)

describe("a range", function()
  it("is wider on a device whose kernels nobody measured, and for engines nobody did", function()
    local own, other = catalog.device("H100"), catalog.device("RTX 4090")
    assert.equal(0, serving_range.of_device(own, "vllm"))
    assert.near(0.2, serving_range.of_device(other, "vllm"), 1e-12)
    local foreign = catalog.device("MI300X")
    local half, why = serving_range.of_device(foreign, "vllm")
    assert.near(math.sqrt(0.2 ^ 2 + 0.3 ^ 2), half, 1e-12)
    assert.matches("neither decode attention nor vllm itself measured on MI300X", tostring(why))
    assert.near(0.2, serving_range.of_device(foreign, "vllm_v0_rocm"), 1e-12) -- whose own range is of such devices
    local plain = serving_range.of("vllm", {}, "tpot_ms")
    local wide = serving_range.of("vllm", {}, "tpot_ms", { 0.2, 0, why = "left open: max_running" })
    assert.is_true(plain.low < 1 and plain.high > 1)
    assert.near(math.sqrt(math.log(plain.low) ^ 2 + 0.2 ^ 2), -math.log(wide.low), 1e-12)
    assert.near(plain.high, wide.high, 1e-12)
    assert.same({ "left open: max_running" }, wide.why)
    -- Of a full engine it is what published tables say, to both sides.
    local full = serving_range.of("vllm", {}, "full_ms")
    assert.is_true(full.low < 0.9 and full.high > 1.1 and full.high < serving_range.of("vllm", {}, "ttft_ms").high)
    local unknown = serving_range.of("nobody's", {}, "tpot_ms")
    assert.is_true(unknown.low <= plain.low and unknown.high >= plain.high)
    assert.equal(1, #unknown.why)
  end)
end)

describe("a format that a device does not multiply", function()
  local a100, h100, b200 = catalog.device("A100"), catalog.device("H100"), catalog.device("B200")

  it("refuses formats for which a device has neither units nor kernels", function()
    local function refused(device, format)
      return errors.catch(units.check, { weights = format }, catalog.device(device), "vllm")
    end
    for _, row in ipairs({ { "V100-32GB", "fp8" }, { "V100-32GB", "mxfp4" }, { "T4", "mxfp4" }, { "MI210", "fp8" } }) do
      assert.matches("neither units nor kernels", refused(row[1], row[2]))
    end
    for _, row in ipairs({ { "T4", "fp8" }, { "A100", "fp8" }, { "V100-32GB", "int4" }, { "MI300X", "fp8" } }) do
      assert.is_nil(refused(row[1], row[2]))
    end
    -- Experts alone are dequantised on CDNA3, in Triton's kernels.
    local function experts(device) return errors.catch(units.check, { weights = "bf16", experts = "mxfp4" }, catalog.device(device), "vllm") end
    assert.is_nil(experts("MI300X"))
    assert.matches("neither units nor kernels", experts("MI210"))
    assert.matches("neither units nor kernels", refused("MI300X", "mxfp4"))
  end)

  it("is only stored in it, and said to be", function()
    assert.matches("Weights in fp8 are weight%-only: dequantised to 16 bit, for A100", units.said({ weights = "fp8" },
      a100))
    assert.matches("Experts in nvfp4 are weight%-only", units.said({ weights = "fp8", experts = "nvfp4" }, h100))
    assert.is_nil(units.said({ weights = "fp8" }, h100))
    assert.is_nil(units.said({ weights = "bf16", experts = "nvfp4" }, b200))
    assert.is_nil(units.said({ weights = "int4" }, a100))
  end)

  it("is refused by engines that need such units", function()
    local function refusal(plan, device, engine) return errors.catch(units.check, plan, device, engine) end
    assert.matches("plan.weights: trtllm runs fp8 only on devices that multiply it, and A100",
      refusal({ weights = "fp8" }, a100, "trtllm"))
    assert.matches("plan.experts: ", refusal({ weights = "bf16", experts = "nvfp4" }, h100, "sglang"))
    assert.is_nil(refusal({ weights = "fp8" }, a100, "vllm"))
    assert.is_nil(refusal({ weights = "nvfp4" }, b200, "trtllm"))
    assert.is_nil(refusal({ weights = "mxfp4" }, h100, "trtllm"))
  end)

  it("is refused on devices of a vendor for which nobody has kernels", function()
    local function refusal(device, format)
      return errors.catch(units.check, { weights = format }, catalog.device(device), "vllm", "plan")
    end
    assert.matches("plan.weights: nvfp4 is a format of NVIDIA's devices.* MI355X, which multiplies mxfp4",
      refusal("MI355X", "nvfp4"))
    assert.matches("no engine runs it on MI300X$", refusal("MI300X", "nvfp4"))
    assert.is_nil(refusal("MI355X", "mxfp4"))
    assert.is_nil(errors.catch(units.check, { weights = "nvfp4" }, { fp4_flop_s = 1 }, "vllm"))
    assert.equal("mxfp4", units.four_bits(catalog.device("MI355X")))
    assert.equal("nvfp4", units.four_bits(b200))
    assert.is_nil(units.four_bits(h100))
  end)

  it("takes the time of 16 bit arithmetic on the bytes of its own", function()
    local function time(weights, tokens)
      local cluster = catalog.cluster({ device = "A100", devices = 1 })
      return core.infer_step({ model = catalog.model("llama-3.1-8b"), device = cluster.device,
        network = cluster.network, curves = serving_curves.get(cluster.device), engine = engines.get("vllm"),
        plan = { weights = weights }, prompts = 1, prompt_tokens = tokens }).matmul_s
    end
    assert.near(1, time("fp8", 16384) / time("bf16", 16384), 0.02)
    assert.is_true(time("fp8", 1) < 0.65 * time("bf16", 1))
  end)
end)

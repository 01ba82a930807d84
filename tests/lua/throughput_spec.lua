-- Published throughput: what is read, what is answered, and against what a full engine can do.
local catalog = require("ballpark.catalog")
local csv = require("ballpark.csv")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local local_inference = require("ballpark.validate.local_inference")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")
local throughput = require("ballpark.validate.throughput")

local HEADER <const> = "id,model,gpu,gpus,tp,engine,precision_weights,batch_or_concurrency,input_len,output_len,"
  .. "metric_kind,value,notes\n"
-- Made up, of about the right size.
local ROW <const> = "trt-001,llama-3.1-70b,H200,2,2,TensorRT-LLM 1.0,fp8,max(offline),1024,2048,tokens_per_s,6000,"

local function run(...)
  return throughput.run((throughput.read(HEADER .. table.concat({ ... }, "\n") .. "\n", "t.csv")), {})
end

local function changed(from, to) return (ROW:gsub(from, to, 1)) end

describe("published throughput", function()
  it("is answered for a full engine", function()
    local row = run(ROW).rows[1]
    assert.equal("ok", row.status)
    assert.equal("trt", row.family)
    assert.is_true(row.predicted > 3000 and row.predicted < 12000)
    assert.near(row.predicted / 6000 - 1, row.error, 1e-12)
    assert.matches("sequences per replica, as many as there is room for", table.concat(row.assumed, "; "))
  end)

  it("counts per device, replicas, and small batches as such", function()
    local whole = run(ROW).rows[1].predicted
    assert.near(whole / 2, run(changed("tokens_per_s,", "tokens_per_s_per_gpu,")).rows[1].predicted, 1e-9)
    assert.near(2 * whole, run(changed("H200,2,2", "H200,4,2")).rows[1].predicted, 1e-9)
    assert.is_true(run(changed("max%(offline%)", "8")).rows[1].predicted < 0.3 * whole)
  end)

  it("has two ranks on each package of two dies, and one on a die", function()
    local label = "H200,2,2,TensorRT%-LLM 1.0,fp8"
    local package = run(changed(label, "MI250,2,2,vLLM,bf16")).rows[1]
    local dies = run(changed(label, "MI250X-GCD,4,4,vLLM,bf16")).rows[1]
    assert.matches("MI250 counts packages: two ranks on each", table.concat(package.assumed, "; "))
    assert.is_nil(table.concat(dies.assumed, "; "):find("packages", 1, true))
    assert.near(package.predicted, dies.predicted, 0.05 * dies.predicted)
  end)

  it("takes the best width where none is stated", function()
    local row = run(changed("H200,2,2", "H200,8,")).rows[1]
    assert.matches("tp %d, the width that gives most", table.concat(row.assumed, "; "))
    assert.is_true(row.predicted >= 4 * run(ROW).rows[1].predicted * (1 - 1e-9))
  end)

  it("tries attention groups too where the layout of experts is blank, of engines that have them", function()
    local row = ROW:gsub("llama%-3.1%-70b", "deepseek-v3"):gsub("H200,2,2", "H200,8,")
    local found = run(row).rows[1]
    assert.matches("8 attention groups of one rank, experts dealt to all, the width that gives most", table.concat(found.assumed, "; "))
    assert.equal(found.predicted, run(row .. "attention DP").rows[1].predicted)
    assert.is_true(found.predicted > run((row:gsub("H200,8,", "H200,8,8"))).rows[1].predicted)
    assert.matches("tp 8, the width that gives most", table.concat(run((row:gsub("LLM 1.0", "LLM 0.12"))).rows[1].assumed, "; "))
  end)

  it("of prompts is that of a full engine, too, and near that of a batch that fills its steps", function()
    local prompts = changed("2048,tokens_per_s", "0,tokens_per_s") .. "prefill"
    local full, batch = run(prompts).rows[1], run((prompts:gsub("max%(offline%)", "64"))).rows[1]
    assert.equal("ok", full.status)
    assert.near(1, full.predicted / batch.predicted, 0.1)
  end)

  it("is of steps that hold the prompts of engines that do not cut them", function()
    local long = changed("1024,2048", "30000,300")
    local whole = run(long).rows[1].predicted
    assert.is_true(whole > 0.9 * run((long:gsub("TensorRT%-LLM 1.0", "vLLM 1.0"))).rows[1].predicted)
  end)

  it("of attention groups that wait for each other is that of prompts that come together", function()
    local row = changed("1024,2048", "30000,300"):gsub("llama%-3.1%-70b", "qwen3-235b-a22b"):gsub("H200,2,2", "H200,8,8") .. "attention DP"
    local function of(release, behind) return run((row:gsub("LLM 1.0", "LLM " .. release)) .. (behind or "")).rows[1].predicted end
    assert.is_true(of("1.1") > 1.2 * of("1.0"))
    assert.near(1, of("1.0") / of("0.20"), 0.1)
  end)

  it("passes over what is no throughput of a full engine", function()
    for _, case in ipairs({
      { changed("TensorRT%-LLM 1.0", "vllmm 0.9"), "did you mean 'vllm'" },
      { ROW .. "online serving; offered_qps=8", "a given rate of requests" },
      { ROW .. "static batching", "the batch is static" },
      { changed("1024,2048", ",2048") .. "MLPerf;dataset=Mystery", "prompts of 'Mystery' are not known" },
      { changed("1024,2048", ",2048"), "input_len: is blank" },
      { changed("1024,2048", "1024,1"), "prompts only" },
      { changed(",6000,", ",many,"), "'many' is not a number above 0" },
      { changed(",6000,", ",1e-308,"), "'1e%-308' is not a number from 1e%-75 to 1e%+75" },
      { changed("H200,2,2", "H200,2,1e30"), "tp: '1e30' is too large for a whole number" },
      { changed("llama%-3.1%-70b", "nobody"), "nobody" },
    }) do
      local row = run(case[1]).rows[1]
      assert.equal("uncovered", row.status)
      assert.matches(case[2], row.reason)
    end
    local rows, others = throughput.read(HEADER .. changed("2048,tokens_per_s", "0,latency_ms") .. "\n", "t.csv")
    assert.same({ 0, 1 }, { #rows, others })
  end)

  local function of_engine(name, from, to)
    local row = run((changed("TensorRT%-LLM 1.0", name):gsub(from or "$", to or ""))).rows[1]
    return row, table.concat(row.assumed, "; ")
  end

  it("of vLLM is that of its generation, by version or year; without either the old one", function()
    local new, said = of_engine("vLLM 0.14.1")
    assert.is_nil(said:find("extrapolated", 1, true))
    assert.equal(new.predicted, of_engine("vLLM 1.0").predicted)
    assert.equal(new.predicted, of_engine("vLLM (CI 2025)").predicted)
    for name, words in pairs({ ["vLLM 0.6.1"] = "vLLM 0.6 is the engine before 0.8",
      ["vLLM (CI 2024)"] = "vLLM of 2024", ["vLLM"] = "vLLM of 2024", ["vllm_v0"] = "the engine before 0.8" }) do
      local old, more = of_engine(name)
      assert.matches("extrapolated: .*" .. words, more)
      assert.is_true(old.predicted < new.predicted)
      assert.is_true(old.range.low < old.predicted and old.predicted < old.range.high)
    end
    local ported, more = of_engine("vLLM 0.6.1", "H200", "MI300X")
    assert.matches("matmuls of 16 bit on AMD 1.8 times as slow", more)
    assert.is_true(ported.range.high / ported.range.low > 1.5)
    -- In fp8 they are not: beside 16 bit, half the bytes of weights and nearly twice the pace.
    local wide = of_engine("vLLM 0.6.1", "H200,2,2,vLLM 0.6.1,fp8", "MI300X,2,2,vLLM 0.6.1,bf16")
    assert.is_true(ported.predicted > 1.6 * wide.predicted)
  end)

  it("of TensorRT-LLM without a version, or before 0.14, reads the keys of a head in one block of threads", function()
    local new, said = of_engine("TensorRT-LLM 0.17")
    assert.is_nil(said:find("extrapolated", 1, true))
    for name, words in pairs({ ["TensorRT-LLM"] = "TensorRT-LLM of 2024", ["TensorRT-LLM 0.13.0"] = "TensorRT-LLM 0.13" }) do
      local old, more = of_engine(name, "max%(offline%),1024,2048", "1,8000,100")
      assert.matches("extrapolated: " .. words .. " is one before 0.14", more, 1, true)
      assert.is_true(old.predicted < 0.95 * of_engine("TensorRT-LLM 0.17", "max%(offline%),1024,2048", "1,8000,100").predicted)
      assert.is_true(old.range.low < old.predicted and old.predicted < old.range.high)
    end
    assert.equal("ok", new.status)
  end)

  it("of TensorRT-LLM before 0.8 has no kernels for the eight heads that share keys", function()
    local function at(name) return of_engine(name, "max%(offline%),1024,2048", "64,4096,512").predicted end
    assert.is_true(at("TensorRT-LLM 0.7.1") < 0.95 * at("TensorRT-LLM 0.8"))
    assert.equal(at("TensorRT-LLM 0.5"), at("TensorRT-LLM 2023"))
    assert.equal(at("TensorRT-LLM 0.13"), at("TensorRT-LLM"))
  end)

  it("of engines nobody knows is that of a generic one, in a wide range", function()
    for _, name in ipairs({ "llama.cpp (May 2024)", "TensorRT 10.2", "TGI 2.0", "DeepSpeed" }) do
      local row, said = of_engine(name)
      assert.equal("ok", row.status)
      assert.matches("extrapolated: engine '" .. name:gsub("%p", "%%%0") .. "' is not modelled", said)
      assert.is_true(row.range.high / row.range.low > 2.5)
    end
  end)

  it("of engines that capture no graphs is slower, by what their releases say", function()
    local function at(name) return of_engine(name, "max%(offline%),1024,2048", "4,128,128") end
    local plain = at("Engine 3").predicted
    for name, launches in pairs({ ["DeepSpeed-MII"] = true, ["TGI 1.4"] = true, ["TGI 2023"] = true, ["TGI 2.0"] = false, TGI = false,
      ["LightLLM 2023"] = true, ["LightLLM 1.0"] = false, ["Punica 2023"] = true }) do
      local row, said = at(name)
      assert.equal(launches, said:find("which launches every kernel", 1, true) ~= nil, name)
      if launches then assert.is_true(row.predicted < 0.9 * plain, name) else assert.near(plain, row.predicted, 1e-9) end
    end
  end)

  it("of engines compiled for NeuronCores is slower than of others nobody knows", function()
    local row, said = of_engine("Transformers NeuronX 2.18.0", "H200,2,2,Transformers NeuronX 2.18.0,fp8", "Trainium1,8,16,Transformers NeuronX 2.18.0,bf16")
    assert.matches("extrapolated: engine 'Transformers NeuronX 2.18.0' is not modelled", said, 1, true)
    local like = engines.get("generic")
    local kind = engines.get("generic_neuron")
    assert.near(1.5, kind.slowdown / like.slowdown, 1e-12)
    assert.equal("ok", row.status)
    local low, high = table.unpack(engines.beyond("generic_neuron"))
    assert.near(high / low, row.range.high / row.range.low, 0.3 * high / low)
  end)

  it("of one sequence of an engine for such is what local inference says of it", function()
    local head = "lcpp-1,Llama-3-8B,RTX 4090,1,1,%s,q4_k_m,1,%s,tokens_per_s,100,"
    local function row(engine, lengths, notes) return run(head:format(engine, lengths) .. notes).rows[1] end
    local function alone(values)
      local answer = local_inference.run({ tables.with({ case_id = "lcpp-1", family = "lcpp", line = 2, model = "Llama-3-8B",
        device = "RTX 4090", devices = 1, quant = "q4_k_m", engine = "llama.cpp", year = 2024 }, values) })
      return answer.rows[1]
    end
    local read = row("llama.cpp (May 2024)", "1024,0", "prompt processing")
    local wrote = row("llama.cpp (May 2024)", "0,1024", "text generation from empty prompt")
    assert.equal(alone({ prompt_tokens = 1024, pp_tokens_per_s = 100 }).predicted, read.predicted)
    local same = alone({ gen_tokens = 1024, tg_tokens_per_s = 100 })
    assert.equal(same.predicted, wrote.predicted)
    assert.same({ same.range.low, same.range.high, same.inside }, { wrote.range.low, wrote.range.high, wrote.inside })
    assert.near(wrote.predicted / 100 - 1, wrote.error, 1e-12)
    assert.same({ "tokens_per_s", "lcpp" }, { wrote.metric, wrote.family })
    -- At batch 1 every token reads 4.9 GB of weights at 1.008 TB/s at the most.
    assert.is_true(wrote.predicted < 1008 / 4.58 and wrote.predicted > 0.4 * 1008 / 4.92)
    assert.is_nil(table.concat(wrote.assumed, "; "):find("generic", 1, true))
    -- Several sequences take every step together; another library of nearly that name is a generic engine.
    local neuron = row("Transformers NeuronX 2.18.0", "128,128", "")
    local several = run((head:format("llama.cpp (May 2024)", "0,1024"):gsub(",1,0,1024", ",4,0,1024"))).rows[1]
    assert.is_true(several.predicted > 2 * wrote.predicted and several.predicted < 4 * wrote.predicted)
    assert.equal(alone({ gen_tokens = 1024, tg_tokens_per_s = 100, batch = 4 }).predicted, several.predicted)
    assert.matches("a generic one stands for it", table.concat(neuron.assumed, "; "))
    assert.is_nil(table.concat(neuron.assumed, "; "):find("ballpark local", 1, true))
  end)

  it("takes lengths of a stated batch that nobody states as short, and ranks beyond the devices as parts", function()
    local plain = changed("max%(offline%),1024,2048", "4,,") .. "batch 4 decode"
    local row = run(plain).rows[1]
    assert.matches("input_len 128, as no length was stated; output_len 128", table.concat(row.assumed, "; "))
    assert.equal(run((plain:gsub("4,,", "4,128,128", 1))).rows[1].predicted, row.predicted)
    assert.equal("ok", run((plain:gsub("4,,", "4,0,128", 1))).rows[1].status)
    local cores = run(changed("H200,2,2", "H200,2,4")).rows[1]
    assert.matches("tp 4 on 2 devices: ranks are parts", table.concat(cores.assumed, "; "))
    assert.equal(run(ROW).rows[1].predicted, cores.predicted)
  end)

  it("of prompts alone is their tokens over the time of a batch of them", function()
    local prompts = changed("max%(offline%),1024,2048", "1,512,0") .. "prompt processing"
    local row = run(prompts).rows[1]
    -- 512 tokens are bound by arithmetic: less than 2 x 70e9 FLOP each at twice 1979 TFLOP/s, and more than a tenth.
    assert.is_true(row.predicted < 2 * 1979e12 / 1.4e11 and row.predicted > 0.1 * 2 * 1979e12 / 1.4e11)
    assert.matches("say prompts, and output_len", run((prompts:gsub("512,0", "512,64"))).rows[1].reason)
  end)

  it("takes a batch that did run to have had room", function()
    local row = run((changed("H200,2,2", "H100,1,1"):gsub("max%(offline%)", "8"):gsub("fp8", "bf16"))).rows[1]
    assert.matches("the batch taken to have room", table.concat(row.assumed, "; "))
  end)

  it("of MLPerf has the engine, formats and lengths of its submissions", function()
    local mlperf = 'm-1,llama-2-70b,%s,8,%s,"TensorRT 10.2, CUDA 12",%s,,%s,294,tokens_per_s,24000,'
      .. "MLPerf v4.1 closed;scenario=Offline;dataset=OpenOrca"
    local row = run(mlperf:format("H100", "2", "", "")).rows[1]
    assert.equal("ok", row.status)
    assert.near(run(mlperf:format("H100", "2", "fp8", "295")).rows[1].predicted, row.predicted, 1e-9)
    for _, said in ipairs({ "weights in fp8, as submissions to MLPerf", "prompts of 295 tokens, as OpenOrca has",
      "TensorRT%-LLM, as submissions with TensorRT" }) do
      assert.matches(said, table.concat(row.assumed, "; "))
    end
    assert.matches("weights in nvfp4", table.concat(run(mlperf:format("B200", "2", "", "")).rows[1].assumed, "; "))
    assert.matches("16%-bit weights", table.concat(run(mlperf:format("A100", "8", "", "")).rows[1].assumed, "; "))
    local server = run((mlperf:format("H100", "2", "", ""):gsub("Offline", "Server"))).rows[1]
    assert.matches("a rate that meets an SLO", server.reason)
    -- An engine that is named runs as a branch of its own has it, whatever the release and the round.
    local function named(engine) return run((mlperf:format("MI300X", "8", "", ""):gsub('"TensorRT 10.2, CUDA 12"', engine))).rows[1] end
    assert.matches("as a submission's branch has them", table.concat(named("vLLM").assumed, "; "), 1, true)
    assert.equal(named("vLLM").predicted, named("vLLM 0.4.3").predicted)
    local plain = run((mlperf:format("MI300X", "8", "fp8", "295"):gsub('"TensorRT 10.2, CUDA 12"', "vLLM 0.4.3"):gsub("MLPerf v4.1 closed;scenario=Offline;", ""))).rows[1]
    assert.is_true(named("vLLM").predicted > 1.5 * plain.predicted)
  end)

  it("of experts has attention in groups and experts on all ranks where notes say so", function()
    local head = "id,model,gpu,gpus,tp,ep,engine,precision_weights,batch_or_concurrency,input_len,output_len,"
      .. "metric_kind,value,notes\n"
    local function ask(text) return throughput.run((throughput.read(head .. text .. "\n", "t.csv"))).rows[1] end
    local tensor = ask("t-1,deepseek-v3,H200,8,8,,TensorRT-LLM 1.0,fp8,max,1000,1000,tokens_per_s,20000,")
    local grouped = ask("t-1,deepseek-v3,H200,8,8,,TensorRT-LLM 1.0,fp8,max,1000,1000,tokens_per_s,20000,"
      .. "MoE: attention DP enabled")
    -- Latent keys and values stand on every tensor-parallel rank, and once in groups: room for many more.
    assert.is_true(grouped.predicted > 1.5 * tensor.predicted)
    assert.matches("attention in groups of one rank, as the notes say, experts dealt to all",
      table.concat(grouped.assumed, "; "))
    local dealt = ask("t-1,deepseek-v3,H200,8,,8,TensorRT-LLM 1.0,fp8,max,1000,1000,tokens_per_s,20000,"
      .. "attention DP + EP over 8 GPUs")
    assert.near(grouped.predicted, dealt.predicted, 1e-9)
    -- Experts on more ranks than tp are what attention groups of tp ranks have.
    local beyond = ask("t-1,deepseek-v3,H200,8,1,8,TensorRT-LLM 1.0,fp8,max,1000,1000,tokens_per_s,20000,")
    assert.near(grouped.predicted, beyond.predicted, 1e-9)
    assert.matches("attention in groups of one rank, as ep beyond tp says", table.concat(beyond.assumed, "; "))
    local pairs_of = ask("t-1,deepseek-v3,H200,16,2,16,TensorRT-LLM 1.0,fp8,max,1000,1000,tokens_per_s,20000,")
    assert.matches("attention in groups of tp ranks, as ep beyond tp says", table.concat(pairs_of.assumed, "; "))
    assert.equal("ok", pairs_of.status)
    local dense = ask("t-1,llama-3.1-70b,H200,8,8,,TensorRT-LLM 1.0,fp8,max,1000,1000,tokens_per_s,20000,attention DP")
    assert.is_nil(table.concat(dense.assumed, "; "):find("attention in groups", 1, true))
  end)

  it("of a static batch is its tokens over the time from the first prompt to the last token", function()
    local batch = changed("tokens_per_s,6000", "latency_ms,10000"):gsub("max%(offline%)", "32") .. "static batch"
    local row = run(batch).rows[1]
    assert.near(32 * 2048 / 10, row.measured, 1e-9)
    local steady = run((changed("max%(offline%)", "32"))).rows[1].predicted
    assert.is_true(math.abs(row.predicted / steady - 1) < 0.15)
    local one = run((batch:gsub(",32,", ",1,", 1))).rows[1]
    assert.is_true(one.predicted < row.predicted and row.predicted < 32 * one.predicted)
    for _, other in ipairs({ batch .. ";stat=p99", (batch:gsub(",2048,", ",1,")) }) do
      assert.same({ 0, 1 }, { (function()
        local rows, others = throughput.read(HEADER .. other .. "\n", "t.csv")
        return #rows, others
      end)() })
    end
  end)

  it("of an engine of static batches waits for the longest of answers that end by themselves", function()
    local head = "t-1,%s,A100-40GB,1,1,%s,fp16,%d,%s,tokens_per_s,1000,%s"
    local function ask(model, engine, batch, lengths, notes) return run(head:format(model, engine, batch, lengths, notes)).rows[1] end
    for _, engine in ipairs({ "FasterTransformer", "HuggingFace" }) do
      local one, many = ask("t5-base", engine, 1, ",", "translation"), ask("t5-base", engine, 32, ",", "translation")
      assert.is_nil(table.concat(one.assumed, "; "):find("the longest", 1, true))
      assert.matches("the longest of 32 answers is waited for, 2.5 times as long as the mean one of translation", table.concat(many.assumed, "; "), 1, true)
      assert.is_true(many.range.low < many.predicted and many.predicted < many.range.high)
      -- Steps of a small model take the host's time, however many sequences they have.
      local alike = ask("t5-base", engine, 32, "30,30", "")
      assert.near(alike.predicted / (1 + 0.5 * 3.0585), many.predicted, 0.15 * many.predicted)
    end
    assert.matches("prompts of 30 tokens go to the encoder", table.concat(ask("t5-base", "FasterTransformer", 8, ",", "translation").assumed, "; "))
    assert.is_nil(table.concat(ask("t5-base", "vLLM", 8, ",", "translation").assumed, "; "):find("the longest", 1, true))
    -- Launches from C++ are a fifth of those from Python.
    local fast, slow = ask("gpt3-350m", "FasterTransformer", 1, "128,32", ""), ask("gpt3-350m", "Megatron-LM", 1, "128,32", "")
    assert.is_true(fast.predicted > 2 * slow.predicted)
    assert.matches("is extrapolated: Megatron", table.concat(slow.assumed, "; "))
    -- One graph a token leaves the host next to nothing.
    assert.is_true(ask("gpt3-350m", "gpt-fast", 1, "128,32", "").predicted > 1.3 * ask("gpt3-350m", "Engine 3", 1, "128,32", "").predicted)
  end)

  it("on Gaudi is Optimum Habana's, whose host has nothing to do for a sequence", function()
    local function ask(engine, batch) return run(("t-1,llama-2-7b,Gaudi2,1,1,%s,bf16,%d,128,128,tokens_per_s,1000,static batch"):format(engine, batch)).rows[1] end
    local one, many = ask("Deepspeed", 1), ask("Deepspeed", 64)
    assert.equal(many.predicted, ask("optimum-habana", 64).predicted)
    assert.matches("Optimum Habana", table.concat(many.assumed, "; "))
    assert.is_true(many.predicted > 1.2 * ask("Engine 3", 64).predicted)
    assert.is_true(one.predicted < many.predicted and many.range.low < many.predicted)
    assert.is_nil(table.concat(run("t-1,llama-2-7b,A100-40GB,1,1,Deepspeed,bf16,8,128,128,tokens_per_s,1000,static batch").rows[1].assumed, "; "):find("Habana", 1, true))
  end)

  it("of vLLM is that of the year its notes say where it says none itself", function()
    local row = changed("TensorRT%-LLM 1.0", "vLLM"):gsub("max%(offline%)", "1")
    assert.equal(run((row:gsub("vLLM", "vLLM 2023", 1))).rows[1].predicted, run(row .. "batch 1;Nov 2023").rows[1].predicted)
    assert.equal(run(row).rows[1].predicted, run(row .. "line 2023").rows[1].predicted)
    assert.equal(run((row:gsub("vLLM", "vLLM 1.0", 1))).rows[1].predicted, run((row:gsub("vLLM", "vLLM 1.0", 1)) .. "Nov 2023").rows[1].predicted)
  end)

  it("needs its columns", function()
    assert.matches("columns missing: gpu", errors.catch(throughput.read, "model,engine\n", "t.csv"))
    assert.matches("tokens_per_s, or metric_kind", errors.catch(throughput.read,
      "model,gpu,engine,input_len,output_len\n", "t.csv"))
  end)
end)

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."

describe("validate throughput", function()
  it("answers every row of the shipped table, dense models of each source within a quarter in the median", function()
    local path = here .. "/../validate/throughput.csv"
    local rows = throughput.read(csv.read(path), path)
    local answer = throughput.run(rows)
    for _, row in ipairs(answer.rows) do assert.equal("ok", row.status, row.case_id .. ": " .. tostring(row.reason)) end
    assert.is_true(answer.metrics.tokens_per_s.median_ape < 0.25)
    local names, parts = statistics.split(answer.rows, function(row) return row.family end)
    for _, name in ipairs(names) do
      local dense = {}
      for _, row in ipairs(parts[name]) do
        dense[#dense + 1] = (catalog.model(row.row.model).experts or 0) == 0 and row or nil
      end
      assert.is_true(#dense < 3 or statistics.of(dense).median_ape < 0.25, name)
    end
  end)
end)

-- Published results as questions: what rows say, what they leave open, and what is refused.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local inference = require("ballpark.validate.inference")
local inference_case = require("ballpark.validate.inference_case")

local HEADER <const> = "id,model,gpu,gpus,precision_weights,engine,batch_or_concurrency,input_len,"
  .. "metric_kind,value,notes\n"

local function rows_of(...) return inference.read(HEADER .. table.concat({ ... }, "\n") .. "\n", "published.csv") end

local function case_of(text) return inference_case.of(rows_of(text)[1]) end

local function refusal(text) return (errors.catch(case_of, text)) end

describe("a published row", function()
  it("says model, device, format, runtime and padding", function()
    local case = case_of("ft-1,bert-base-uncased,A100,1,int8-v2,FasterTransformer,8,384,latency_ms,2,padding removed")
    assert.same({ "encoder", "fastertransformer", "int8", 8, 384, 192, "removed" }, { case.kind, case.runtime,
      case.input.dtype, case.input.batch, case.input.tokens, case.input.mean_tokens, case.input.padding })
    local served = case_of("x-1,resnet50,A40,1,fp16,Triton ORT-TensorRT dynamic batching,64,,images_per_s,3500,")
    assert.same({ "convnet", "tensorrt", "triton_concurrent", true },
      { served.kind, served.runtime, served.server, served.rate })
    assert.equal("compiled", case_of("x-2,bert-base-uncased,T4,1,fp16,Triton PyTorch,1,384,latency_ms,20,").runtime)
    local neuron = case_of("n-1,vit-b-16-224,Inferentia2,1,fp32/matmult-bf16,PyTorch 2.5,2,,latency_ms,4,")
    assert.same({ "neuron", "bf16", 4 }, { neuron.runtime, neuron.input.dtype, neuron.input.batch }) -- two cores
  end)

  it("of MLPerf follows its rules", function()
    local function row(bench, scenario, model, metric)
      return ("m-1,%s,H100-SXM-80GB,8,,TensorRT 10.2,,,%s,1000,scenario=%s;bench=%s;dataset=SQuAD"):format(model,
        metric, scenario, bench)
    end
    local bert = case_of(row("bert-99.9", "Offline", "bert-large-uncased", "seqs_per_s"))
    assert.same({ "fp8", 384, "removed" }, { bert.input.dtype, bert.input.tokens, bert.input.padding })
    assert.equal("int8", case_of(row("dlrm-v2-99", "Offline", "dlrm-dcnv2-mlperf", "requests_per_s")).input.dtype)
    assert.equal("fp16", case_of(row("dlrm-v2-99.9", "Offline", "dlrm-dcnv2-mlperf", "requests_per_s")).input.dtype)
    local offline = case_of(row("resnet50", "Offline", "resnet50", "images_per_s"))
    local server = case_of(row("resnet50", "Server", "resnet50", "images_per_s"))
    assert.is_true(server.predict() < offline.predict() and server.predict() > 0.5 * offline.predict())
    assert.matches("nobody wrote down", refusal(row("resnet50", "Server", "resnet50", "latency_ms")))
  end)

  it("of an index says what is searched", function()
    local case = case_of('f-1,"faiss-OPQ20_80,IVF262144,PQ20 Deep1B",Titan X,4,,GPU,10000,,latency_ms,238,'
      .. "N=1e9 d=96;nprobe=64;R@1=0.4841;2 replicas x 2 shards")
    assert.same({ "ivf_pq", 262144, 20, 64, 2, 2, 96 }, { case.input.index, case.input.lists, case.input.code_bytes,
      case.input.probes, case.input.replicas, case.input.shards, case.input.dim })
    assert.is_true(math.abs(case.predict_recall() - 0.4841) < 0.1)
    local filtered = case_of("f-2,faiss-Polysemous-54,CPU,1,,CPU,1,,latency_ms,3.4,N=1e6 d=128 SIFT1M;R@1=0.4478")
    assert.same({ "pq", 16, 54 }, { filtered.input.index, filtered.input.code_bytes, filtered.input.hamming })
    assert.equal("hnsw", case_of("f-3,faiss-HNSW32,CPU,1,,CPU,1,,latency_ms,1,N=1e6 d=128;ef=64").input.index)
    assert.matches("N and d", refusal("f-4,faiss-IVF10,CPU,1,,CPU,1,,latency_ms,1,"))
  end)

  it("that cannot be answered says why", function()
    for text, pattern in pairs({
      ["a-1,albert,A100,1,fp16,TensorRT,1,128,latency_ms,1,"] = "model: 'albert'",
      ["a-1,resnet50,A1000,1,fp16,TensorRT,1,,latency_ms,1,"] = "gpu: 'A1000'",
      ["a-1,resnet50,A100,1,fp16,Mystery,1,,latency_ms,1,"] = "engine: 'Mystery'",
      ["a-1,resnet50,A100,1,int3,TensorRT,1,,latency_ms,1,"] = "precision_weights: 'int3'",
      ["a-1,resnet50,A100,1,fp16,TensorRT,some,,latency_ms,1,"] = "batch_or_concurrency: 'some'",
      ["a-1,resnet50,A100,1,fp16,TensorRT,1,,latency_ms,0,"] = "value: '0'",
      ["a-1,bert-base-uncased,A100,1,fp16,TensorRT,1,,latency_ms,1,"] = "input_len: blank",
      ["a-1,faiss-magic,CPU,1,,CPU,1,,latency_ms,1,N=1 d=1"] = "not an index",
    }) do
      assert.matches(pattern, refusal(text), 1, true)
    end
  end)

  it("that is out of range is one that is not covered, and the others are", function()
    local answer = inference.run(rows_of("a-1,resnet50,A100,1,fp16,TensorRT,1e18,,latency_ms,1,",
      "a-2,faiss-HNSW32,64,1,,CPU,1,,latency_ms,1,N=1e6 d=128;ef=64",
      "a-3,resnet50,A100,1,fp16,TensorRT,64,,latency_ms,1,"))
    assert.same({ "uncovered", "uncovered", "ok" }, { answer.rows[1].status, answer.rows[2].status, answer.rows[3].status })
    assert.matches("^batch: must be from 1", answer.rows[1].reason)
  end)
end)

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."

describe("validate inference", function()
  it("answers every row of the shipped table, in the median within a quarter", function()
    local path = here .. "/../validate/inference.csv"
    local answer = inference.run((inference.read(csv.read(path), path)))
    for _, row in ipairs(answer.rows) do assert.equal("ok", row.status, row.case_id .. ": " .. tostring(row.reason)) end
    for _, metric in ipairs({ "encoder", "vision", "convnet", "recommendation", "search", "recall" }) do
      assert.is_true(answer.metrics[metric].rows > 5, metric)
      assert.is_true(answer.metrics[metric].median_ape < 0.25, metric)
    end
  end)

  it("leaves language models out and counts them", function()
    local rows, ignored, others = inference.read("id,model,gpu,metric_kind,value,colour\n"
      .. "a-1,Llama-3.1-8B,H100,latency_ms,5,red\nb-1,x,H100,tokens_per_s,5,red\n"
      .. "c-1,resnet50,H100,images_per_s,5,red\n",
      "t.csv")
    assert.same({ 1, { "colour" }, 2 }, { #rows, ignored, others })
    assert.matches("columns missing: gpu, value", errors.catch(inference.read, "model,metric_kind\n", "t.csv"))
  end)

  it("turns rates round: twice the rate is half of the time", function()
    local answer = inference.run(rows_of("a-1,resnet50,A100,1,fp16,TensorRT,64,,images_per_s,1,",
      "a-2,resnet50,A100,1,fp16,TensorRT,64,,latency_ms,1,", "b-1,nothing,A100,1,fp16,TensorRT,64,,latency_ms,1,"))
    local rate, latency, unknown = answer.rows[1], answer.rows[2], answer.rows[3]
    assert.is_true(math.abs(rate.error + 1 - 1 / rate.predicted) < 1e-12)
    assert.is_true(math.abs(latency.error + 1 - latency.predicted) < 1e-12)
    assert.is_true(rate.range.low < rate.predicted and rate.predicted < rate.range.high)
    assert.same({ "uncovered", "unknown" }, { unknown.status, unknown.metric })
    assert.equal(2, answer.metrics.convnet.covered)
    assert.equal(1, answer.metrics.unknown.rows)
  end)
end)

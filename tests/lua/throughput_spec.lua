-- Published throughput: what is read, what is answered, and against what a full engine can do.
local errors = require("ballpark.errors")
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

  it("takes the best width where none is stated", function()
    local row = run(changed("H200,2,2", "H200,8,")).rows[1]
    assert.matches("tp %d, the width that gives most", table.concat(row.assumed, "; "))
    assert.is_true(row.predicted >= 4 * run(ROW).rows[1].predicted * (1 - 1e-9))
  end)

  it("passes over what is no throughput of a full engine", function()
    for _, case in ipairs({
      { changed("TensorRT%-LLM 1.0", "llama.cpp"), "is not modelled" },
      { ROW .. "online serving; offered_qps=8", "a given rate of requests" },
      { ROW .. "static batching", "batches that wait" },
      { changed("1024,2048", ",2048"), "input_len: is blank" },
      { changed("1024,2048", "1024,1"), "prompts only" },
      { changed(",6000,", ",many,"), "'many' is not a number above 0" },
      { changed("llama%-3.1%-70b", "nobody"), "nobody" },
    }) do
      local row = run(case[1]).rows[1]
      assert.equal("uncovered", row.status)
      assert.matches(case[2], row.reason)
    end
    local rows, others = throughput.read(HEADER .. changed("tokens_per_s", "latency_ms") .. "\n", "t.csv")
    assert.same({ 0, 1 }, { #rows, others })
  end)

  it("needs its columns", function()
    assert.matches("columns missing: gpu", errors.catch(throughput.read, "model,engine\n", "t.csv"))
    assert.matches("tokens_per_s, or metric_kind", errors.catch(throughput.read,
      "model,gpu,engine,input_len,output_len\n", "t.csv"))
  end)
end)

-- Layout of measured serving that a row leaves blank.
local serving = require("ballpark.validate.serving")

local HEADER <const> = "case_id,engine,model,gpu,precision,input_len,output_len,concurrency,width_gpus,attention_dp,"
  .. "step_token_budget,max_running,protocol,ttft_ms,tpot_ms\n"
local ROW <const> = "a,vllm,meta-llama/Llama-3.1-8B,H100,fp8,1024,128,8,%s,%s,4096,64,InferenceX,50,8\n"

describe("tensor-parallel ranks nobody states", function()
  it("are what the devices of a replica leave, and one otherwise", function()
    local function tp(width, dp)
      local case = serving.cases(serving.read(HEADER .. ROW:format(width, dp), "points.csv"))[1]
      return case.input.plan.tp, table.concat(case.assumed, "; ")
    end
    local ranks, said = tp("8", "2")
    assert.equal(4, ranks)
    assert.matches("tp 4, what width_gpus leaves", said, 1, true)
    ranks, said = tp("", "")
    assert.equal(1, ranks)
    assert.matches("tp 1", said, 1, true)
  end)
end)

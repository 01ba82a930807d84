-- Layout of measured serving that a row leaves blank.
local catalog = require("ballpark.catalog")
local resolve = require("ballpark.resolve.serving")
local serving = require("ballpark.validate.serving")

local HEADER <const> = "case_id,engine,model,gpu,precision,input_len,output_len,concurrency,width_gpus,attention_dp,"
  .. "step_token_budget,max_running,protocol,ttft_ms,tpot_ms\n"
local ROW <const> = "a,vllm,meta-llama/Llama-3.1-8B,H100,fp8,1024,128,8,%s,%s,4096,64,InferenceX,50,8\n"

local function assumed_of(line, of)
  local answer = serving.run(serving.read((of or HEADER) .. line, "points.csv"))
  return table.concat(answer.rows[1].assumed, "; "), answer.rows[1]
end

local function count(text, part) return select(2, text:gsub(part, "")) end

describe("a row that by our count does not fit", function()
  local TOO_LARGE <const> = "a,vllm,meta-llama/Llama-3.1-70B,H100,bf16,1024,128,8,1,,,,,50,8\n"

  it("says so once, however many plausible settings its range tries", function()
    local said, row = assumed_of(TOO_LARGE)
    assert.equal("ok", row.status)
    assert.equal(1, count(said, "by our count it does not fit"))
    assert.equal(0, count(assumed_of(ROW:format("", "")), "by our count it does not fit"))
  end)

  it("is the same case after it was predicted", function()
    local case = serving.cases(serving.read(HEADER .. TOO_LARGE, "points.csv"))[1]
    local before = #case.assumed
    local _, said = serving.predict(case)
    assert.matches("by our count it does not fit", said)
    assert.equal(before, #case.assumed)
  end)
end)

describe("attention groups that no column counts", function()
  local HEAD <const> = "case_id,engine,model,gpu,precision,input_len,output_len,concurrency,batch_per_dp,tp,attention_dp,"
    .. "moe_tp,moe_ep,columns_repaired,max_running,protocol,ttft_ms,tpot_ms\n"

  local function case_of(line)
    return serving.cases(serving.read(HEAD .. "a,vllm,Qwen/Qwen3-30B-A3B,H200,fp8,1024,128," .. line, "points.csv"))[1]
  end

  it("are as many as the ranks of experts need", function()
    local case = case_of("9,9,2,1,4,1,,256,closed loop,50,8\n")
    assert.same({ 2, 2, 18 }, { case.input.plan.tp, case.input.plan.dp, case.input.load.concurrency })
    case = case_of("9,9,2,1,1,1,,256,closed loop,50,8\n")
    assert.same({ 2, 1, 9 }, { case.input.plan.tp, case.input.plan.dp, case.input.load.concurrency })
    case = case_of("16,8,2,2,1,4,,256,closed loop,50,8\n")
    assert.same({ 2, 2, 16 }, { case.input.plan.tp, case.input.plan.dp, case.input.load.concurrency })
  end)

  it("are the ranks where more run than one scheduler takes", function()
    local case = case_of("512,256,2,1,1,2,attention_dp repeated tp,256,closed loop,50,8\n")
    assert.same({ 1, 2, 512 }, { case.input.plan.tp, case.input.plan.dp, case.input.load.concurrency })
    case = case_of("512,256,2,1,1,2,attention_dp repeated tp,512,closed loop,50,8\n")
    assert.same({ 2, 1, 512 }, { case.input.plan.tp, case.input.plan.dp, case.input.load.concurrency })
  end)
end)

describe("a row of what does not run", function()
  it("is refused where no ranks can share the heads, and noted where attention groups may", function()
    local header = HEADER:gsub("width_gpus", "tp")
    local _, row = assumed_of("a,vllm,meta-llama/Llama-3.1-70B,H100,fp8,1024,128,8,3,,4096,64,,50,8\n", header)
    assert.equal("uncovered", row.status)
    assert.equal("plan.tp: 3 does not divide 64 attention heads", row.reason)
    local said
    said, row = assumed_of("a,vllm,meta-llama/Llama-3.1-70B,H100,fp8,1024,128,8,12,,4096,64,,50,8\n")
    assert.equal("ok", row.status)
    assert.equal(1, count(said, "tp 4, what the devices leave"))
    said, row = assumed_of("a,vllm,deepseek-r1,H200,fp8,1024,128,8,12,,4096,64,,50,8\n", header)
    assert.equal("ok", row.status)
    assert.equal(1, count(said, "tp 12 does not divide 128 attention heads: in attention groups nobody states"))
  end)

  it("says that its requests are longer than the model was made for", function()
    local function said(input) return (assumed_of((ROW:format("", ""):gsub(",1024,", "," .. input .. ",")))) end
    assert.matches("150128 tokens in the mean, more than the 131072 Llama%-3.1%-8B was made for", said(150000))
    assert.equal(0, count(said(131072 - 128), "made for"))
  end)
end)

describe("tensor-parallel ranks nobody states", function()
  it("are what the devices of a replica leave, and one otherwise", function()
    local function tp(width, dp)
      local case = serving.cases(serving.read(HEADER .. ROW:format(width, dp), "points.csv"))[1]
      return case.input.plan.tp, table.concat(case.assumed, "; ")
    end
    local ranks, said = tp("8", "2")
    assert.equal(4, ranks)
    assert.matches("tp 4, what the devices leave", said, 1, true)
    ranks, said = tp("", "")
    assert.equal(1, ranks)
    assert.not_matches("tp", said, 1, true)
  end)

  it("stay within a domain of fast links, with stages between domains", function()
    local function plan(device, devices, model)
      return resolve.of({ model = catalog.model(model or "llama-3.1-405b"), cluster = catalog.cluster({ device = device, devices = devices }),
        engine = "vllm", stated = true }).input.plan
    end
    assert.same({ 8, 2 }, { plan("H100", 16).tp, plan("H100", 16).pp })
    assert.same({ 16, 1 }, { plan("GB200", 16).tp, plan("GB200", 16).pp })
    assert.same({ 8, 4 }, { plan("H100", 32, "falcon-180b").tp, plan("H100", 32, "falcon-180b").pp }) -- of 232 heads
    assert.same({ 2, 3 }, { plan("H100", 6, "llama-3.1-70b").tp, plan("H100", 6, "llama-3.1-70b").pp })
    assert.same({ 8, 2 }, { plan("H100", 16, "deepseek-v3").tp, plan("H100", 16, "deepseek-v3").pp })
  end)

  it("leave experts whole where their blocks would be cut, and else give each rank attention of its own", function()
    local function plan(model, devices, given)
      local full, said = resolve.plan(given or {}, catalog.model(model), "sglang", devices)
      return { full.tp, full.dp, full.ep }, table.concat(said, "; ")
    end
    local blocks = { weights = "fp8_block", experts = "fp8_block" }
    -- 1536 columns of an expert over 8 are 192, over 4 they are three blocks of 128.
    local cut, said = plan("qwen3-235b-a22b", 8, blocks)
    assert.same({ 8, 1, 8 }, cut)
    assert.matches("tp 8, what the devices leave, experts dealt to all: so many ranks would cut", said, 1, true)
    assert.same({ 4, 1 }, (plan("qwen3-235b-a22b", 4, blocks)))
    -- 18432 columns of the MLP of DeepSeek-V3 over 32 are 576, four and a half blocks.
    cut, said = plan("deepseek-v3", 32)
    assert.same({ 1, 32, 32 }, cut)
    assert.matches("32 attention groups, experts dealt to all", said, 1, true)
    assert.same({ 8, 4 }, (plan("deepseek-v3", 32, { dp = 4 })))
  end)
end)

describe("tokens of a step nobody states", function()
  local function budget(engine, load) return (resolve.engine(engine, catalog.device("H200"), 0, load)).token_budget end

  it("hold a prompt that is not cut, and the answers beside it", function()
    local load = { arrivals = "open", input_tokens = 30000, output_tokens = 100 }
    assert.equal(30000 + 2048, budget("trtllm", load))
    assert.equal(30000, budget("vllm 0.6.3", load)) -- prompts in steps of their own
    assert.equal(8192, budget("vllm", load))
    assert.equal(8192, budget({ name = "trtllm", token_budget = 8192 }, load))
    assert.equal(8192, budget({ name = "trtllm", token_budget = "auto" }, load))
    assert.equal(8192, budget("trtllm", { arrivals = "open", input_tokens = 1000, output_tokens = 100 }))
  end)
end)

-- One door: a row of the shipped table and the scenario it is printed as say the same to the last bit.
local csv = require("ballpark.csv")
local both = require("ballpark.cli.doors")
local doors = require("ballpark.cli.serving_doors")
local errors = require("ballpark.errors")
local scenario = require("ballpark.scenario")
local serving = require("ballpark.validate.serving")

local folder = (debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/../validate/"

local HEADER <const> = "case_id,engine,model,gpu,precision,input_len,output_len,concurrency,tp,width_gpus,"
  .. "mtp_candidate,kv_cache_dtype,max_running,protocol,other_settings,ttft_ms,tpot_ms\n"

local function rows_of(...) return serving.read(HEADER .. table.concat({ ... }, "\n") .. "\n", "points.csv") end

-- Scenario of a row, and what it answers.
local function answered(row)
  local text = both.scenario(doors, { row }, row.case_id, "points.csv", {})
  local _, state = scenario.run({ path = "row.lua", source = text }, {})
  return text, state.answers[1]
end

describe("the two doors of serving", function()
  it("say the same of every shipped row", function()
    local path = folder .. "serving.csv"
    local rows, said = serving.read(csv.read(path), path), {}
    assert.equal(36, #rows)
    assert.equal(0, both.all(doors, rows, path, {}, function(case_id, sentence)
      said[#said + 1] = case_id .. ": " .. sentence
    end), table.concat(said, "\n"))
  end)

  it("say the same where blanks are filled, memory is short, or pools are told or guessed", function()
    local rows = rows_of(
      "blank,vllm,meta-llama/Llama-3.1-8B,H100,,1000,100,8,,2,,,,,,50,8",
      "short,vllm,meta-llama/Llama-3.1-70B,H100,bf16,1024,128,8,1,,,,,closed loop,,50,8",
      "draft_tokens,sglang,deepseek-ai/DeepSeek-V3,H200,fp8,1024,128,8,8,,possible,auto,auto (KV pool),InferenceX,,50,8",
      "told,trtllm,deepseek-ai/DeepSeek-R1,GB200,fp4,1024,1024,64,16,,no,fp8,64,InferenceX,"
        .. "disaggregated; prefill 2x tp4 ep4 dp-attn True; decode 1x tp8 ep8 dp-attn True,50,8",
      "guessed,trtllm,deepseek-ai/DeepSeek-R1,GB200,fp4,1024,1024,64,36,,no,fp8,64,InferenceX,,50,8",
      "refused,vllm,meta-llama/Llama-3.1-70B,H100,fp8,1024,128,8,3,,,,,,,50,8")
    assert.equal(6, #rows)
    for _, row in ipairs(rows) do
      assert.same({}, doors.differences(row, "points.csv", {}))
      local known = serving.explained(row, {})
      assert.equal(row.case_id ~= "refused", known ~= nil, row.case_id)
    end
  end)

  it("differ where a scenario says something else", function()
    local row = rows_of("a,vllm,meta-llama/Llama-3.1-8B,H100,fp8,1000,100,8,1,,,,64,InferenceX,,50,8")[1]
    local text, answer = answered(row)
    assert.equal(serving.explained(row, {}).means.ttft_s, answer.seen.ttft.mean_s)
    local changed, count = text:gsub("inferencex", "", 1)
    assert.equal(1, count)
    changed = changed:gsub('protocol = ""', 'lengths = "fixed"')
    local _, state = scenario.run({ path = "row.lua", source = changed }, {})
    assert.not_equal(answer.seen.ttft.mean_s, state.answers[1].seen.ttft.mean_s)
  end)

  it("are asked for by the name of a row", function()
    local rows = rows_of("abcdef,vllm,meta-llama/Llama-3.1-8B,H100,fp8,1000,100,8,1,,,,64,InferenceX,,50,8")
    assert.matches("did you mean 'abcdef'", errors.catch(both.scenario, doors, rows, "abcdeg", "points.csv", {}))
  end)
end)

describe("a scenario of measured serving", function()
  it("leaves blank what the row does, and says what that widens", function()
    local text, answer = answered(rows_of("a,sglang,meta-llama/Llama-3.1-8B,H100,fp8,1000,100,8,1,,,,,,,50,8")[1])
    for _, name in ipairs({ "token_budget", "memory_frac", "kv =", "lengths", "draft_tokens" }) do
      assert.is_nil(text:find(name, 1, true), name)
    end
    local fields = {}
    for i, item in ipairs(answer.open) do fields[i] = item.field end
    assert.same({ "engine.chunked_prefill", "engine.graph_tokens", "engine.max_running", "engine.memory_frac",
      "engine.recv_interval", "engine.token_budget", "load.lengths", "plan.kv" }, fields)
    local full = rows_of("a,sglang,meta-llama/Llama-3.1-8B,H100,fp8,1000,100,8,1,,,fp8,64,InferenceX,,50,8")[1]
    local _, told = answered(full)
    assert.is_true(answer.range.ttft_s.high / answer.range.ttft_s.low > told.range.ttft_s.high / told.range.ttft_s.low)
    assert.matches("left open: engine.chunked_prefill", answer.range.ttft_s.why[1])
  end)
end)

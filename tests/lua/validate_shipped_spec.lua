-- The small tables of serving that newcomers are given to try.
local catalog = require("ballpark.catalog")
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local json = require("ballpark.json")
local memory = require("ballpark.validate.memory")
local memory_doors = require("ballpark.cli.memory_doors")
local requests = require("ballpark.validate.requests")
local serving = require("ballpark.validate.serving")

local folder = (debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/../validate/"

describe("the shipped points of a serving benchmark", function()
  local path = folder .. "serving.csv"
  local rows = serving.read(csv.read(path), path)

  it("are of three engines and several devices, say their licence, and their models are in the catalog", function()
    local engines, devices = {}, {}
    for _, texts in ipairs(rows) do
      engines[texts.engine], devices[texts.gpu] = true, true
      assert.is_truthy(catalog.model(texts.model))
    end
    assert.is_true(engines.vllm and engines.sglang and engines.trtllm)
    assert.is_true(devices["H100-SXM-80GB"] and devices["H200-SXM-141GB"] and devices["B200-SXM-180GB"])
    local _, licensed = csv.read(path):gsub("Apache%-2%.0", "")
    assert.equal(#rows, licensed)
  end)

  it("are all answered, within a tenth of the time to the last token in the median", function()
    local answer = serving.run(rows, {})
    for _, row in ipairs(answer.rows) do assert.equal("ok", row.status, row.case_id .. ": " .. tostring(row.reason)) end
    assert.is_true(answer.metrics.e2e_ms.median_ape < 0.1)
  end)
end)

describe("the shipped log of requests", function()
  it("is replayed, its percentiles within a quarter", function()
    local path = folder .. "requests.csv"
    local meta = json.decode(files.read(folder .. "requests.json"))
    assert.matches("MIT", meta.source)
    local answer = requests.run(requests.read(csv.read(path), path), meta, {})
    assert.equal(9, #answer.rows)
    for _, row in ipairs(answer.rows) do
      assert.is_true(math.abs(row.error) < 0.25, row.case_id .. " " .. row.metric)
    end
  end)
end)

describe("the shipped starts of serving engines", function()
  local path = folder .. "memory.csv"
  local rows = memory.read(csv.read(path), path)
  local answer = memory.run(rows, {})

  it("are all answered: weights within a twentieth, the cache within a tenth in the median, and who starts", function()
    for _, row in ipairs(answer.rows) do assert.equal("ok", row.status, row.case_id .. ": " .. tostring(row.reason)) end
    assert.is_true(answer.metrics.weights_gib.median_ape < 0.05)
    assert.is_true(answer.metrics.kv_tokens.median_ape < 0.1)
    assert.equal(0, answer.metrics.fits.mape)
    local refused = 0
    for _, row in ipairs(rows) do refused = refused + (row.fits and 0 or 1) end
    assert.equal(1, refused)
  end)

  it("say the same as scenarios", function()
    for _, row in ipairs(rows) do assert.same({}, memory_doors.differences(row, path, {})) end
  end)
end)

describe("a table of engines' memory", function()
  local function results(line)
    local head = "case_id,engine,device,device_mem_gib,gpus,model,dtype_or_quant,max_model_len,kv_tokens,fits\n"
    return memory.run((memory.read(head .. line .. "\n", "t.csv")), {}).rows
  end

  it("refuses a cache that no such device holds", function()
    -- 4,000,000 tokens x 131,072 bytes are 488 GiB.
    local rows_of = results("a,vllm,H100,,1,llama-3.1-8b,bf16,,4000000,1")
    assert.equal("uncovered", rows_of[1].status)
    assert.matches("take 488%.3 GiB of a device", rows_of[1].reason)
    assert.equal("ok", rows_of[2].status)
  end)

  it("needs no device where its memory is stated, and the checkpoint's format where none is", function()
    local known = results("a,vllm,H100,79.1,1,llama-3.1-8b,bf16,,400000,1")[1]
    local blank = results("a,vllm,,79.1,1,llama-3.1-8b,fp16/bf16,,400000,1")[1]
    assert.equal(known.predicted, blank.predicted)
    assert.matches("device: is blank", results("a,vllm,,,1,llama-3.1-8b,bf16,,400000,1")[1].reason)
    assert.matches("model: is blank", results("a,vllm,H100,,1,,bf16,,400000,1")[1].reason)
  end)

  it("counts a start that was wrongly foreseen as wrong", function()
    -- 131,072 bytes a token: 90,000 tokens are 11 GiB, and 24 GiB less 15 of weights are not that much.
    local fits = results("a,vllm,RTX-4090,,1,llama-3.1-8b,bf16,90000,,1")[1]
    assert.same({ 1, 0, 1 }, { fits.measured, fits.predicted, fits.error })
    assert.equal(0, results("a,vllm,RTX-4090,,1,llama-3.1-8b,bf16,90000,,0")[1].error)
  end)
end)

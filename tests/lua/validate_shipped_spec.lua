-- The small tables of serving that newcomers are given to try.
local catalog = require("ballpark.catalog")
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local json = require("ballpark.json")
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

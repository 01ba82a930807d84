-- The range of what a KV cache holds: a share of the device, whatever the cache has of it.
local catalog = require("ballpark.catalog")
local kv_cache = require("ballpark.range.kv_cache")
local memory = require("ballpark.validate.memory")
local replica = require("ballpark.questions.replica.run")

describe("the range of a KV cache", function()
  it("is a share of the device, by hand", function()
    local r = kv_cache.tokens(1000, 40e9, 80e9)
    assert.near(1000 * (1 - 0.06 * 2), r.low, 1e-9)
    assert.near(1000 * (1 + 0.05 * 2), r.high, 1e-9)
    assert.equal(1000, r.value)
    assert.equal(0, kv_cache.tokens(1000, 4e9, 80e9).low) -- a twentieth is less than what is not known
    assert.is_nil(kv_cache.tokens(0, 0, 80e9))
    assert.is_nil(kv_cache.tokens(math.huge, 1, 80e9))
  end)

  it("is not of what an engine has printed", function()
    local input = { model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 1 }),
      engine = "vllm", curve = false }
    local answer = replica.run(input)
    assert.is_true(answer.cache.range.low < answer.cache.tokens and answer.cache.tokens < answer.cache.range.high)
    input.pool_tokens = 400000
    assert.is_nil(replica.run(input).cache.range)
  end)

  it("says of measured rows whether they are inside", function()
    local rows = memory.read("case_id,engine,device,device_mem_gib,gpus,model,dtype_or_quant,max_model_len,kv_tokens,fits\n"
      .. "a,vllm,H100,80,1,llama-3.1-8b,bf16,8192,440000,1\nb,vllm,H100,80,1,llama-3.1-8b,bf16,8192,200000,1\n", "table")
    local inside = {}
    for _, row in ipairs(memory.run(rows).rows) do
      if row.metric == "kv_tokens" then inside[row.case_id] = row.inside end
    end
    assert.same({ a = true, b = false }, inside)
  end)
end)

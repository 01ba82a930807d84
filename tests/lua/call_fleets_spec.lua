-- Fleets for loads of single calls: their batches are those that the memory holds, by the question without a load.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local drawn = dofile(here .. "/drawn.lua")
local catalog = require("ballpark.catalog")
local contradiction = require("ballpark.questions.inference.contradiction")
local diffusion = require("ballpark.questions.diffusion.run")
local encode = require("ballpark.questions.encode.run")
local fleet = require("ballpark.questions.inference.fleet")
local rerank = require("ballpark.questions.rerank.run")
local tables = require("ballpark.tables")

local one_of, between = drawn.one_of, drawn.between

-- Whether the call of so many requests fits, asked without a load.
local ALONE <const> = {
  encode = function(input, batch) return encode.run(tables.with(input, { batch = batch })).fits end,
  diffusion = function(input, batch) return diffusion.run(tables.with(input, { batch = batch })).fits end,
  rerank = function(input, queries)
    local documents = queries * input.documents
    return rerank.run(tables.with(input, { documents = documents, batch = math.min(documents, input.batch) })).fits
  end,
}
local RUN <const> = { encode = encode.run, diffusion = diffusion.run, rerank = rerank.run }

local function drawn_case(seed)
  local unit = drawn.stream(seed)
  local kind = one_of(unit, { "encode", "diffusion", "rerank" })
  local input = { device = catalog.device(one_of(unit, { "L4", "T4", "A10G", "L40S", "RTX-4090" })) }
  if kind == "encode" then
    input.model, input.tokens = one_of(unit, { "bge-m3", "ModernBERT-large", "Qwen3-Embedding-8B" }), one_of(unit, { 512, 2048, 8192 })
  elseif kind == "diffusion" then
    input.model = one_of(unit, { "sdxl", "sd-1.5", "sd3-medium", "flux.1-dev" })
  else
    input.model, input.documents = one_of(unit, { "bge-reranker-v2-m3", "Qwen3-Reranker-4B" }), one_of(unit, { 20, 100 })
    input.document_tokens, input.batch = 1024, one_of(unit, { 20, 4096 })
  end
  local load = { rate_per_s = between(unit, 0.1, kind == "encode" and 1e4 or 30), sla_s = unit() < 0.5 and between(unit, 1, 60) or nil }
  return kind, input, load
end

describe("fleets of calls", function()
  it("choose among the batches that are held", function()
    -- A batch of b takes 1 + b / 10 s and 2 + b GiB. Of 8.5 GiB, the largest that is tried and fits is 4: 1.4 s for 4, at 70 % 2 a
    -- second; 10 replicas for 20 a second.
    local function sized(load, gib)
      return fleet.size(tables.with({ rate_per_s = 20 }, load), function(batch) return 1 + batch / 10, 2 + batch <= gib end)
    end
    assert.equal(4, sized({}, 8.5).max_batch)
    assert.equal(10, sized({}, 8.5).needed)
    assert.equal(6, sized({ max_batch = 6 }, 8.5).max_batch) -- a stated one is what it is
    assert.is_nil(sized({ max_batch = 7 }, 8.5))
    assert.is_nil(sized({}, 2.5))
    local before = math.huge
    for gib = 3, 300, 3 do
      local needed = sized({}, gib).needed
      assert.is_true(needed <= before, gib)
      before = needed
    end
  end)

  it("say of a stated batch that it does not fit, and which does", function()
    local function answered(max_batch, gib)
      local answer = { fits = true, out = { fits = gib >= 3 } }
      fleet.add(answer, { rate_per_s = 1, max_batch = max_batch }, function(batch) return 1, 2 + batch <= gib end)
      return answer
    end
    local wide = answered(64, 8.5)
    assert.is_false(wide.fits)
    assert.is_false(wide.fleet)
    assert.equal(6, wide.too_wide.most)
    assert.matches("batches of 64, as the load has them: 6 at most", contradiction.sentence(wide), 1, true)
    assert.equal("memory", contradiction.reason(wide))
    assert.is_true(answered(6, 8.5).fits)
    assert.is_nil(answered(6, 8.5).too_wide)
    assert.equal("the memory of the device does not hold it", contradiction.sentence(answered(64, 2)))
  end)

  it("have batches that fit by the question without a load, and are no dearer with more memory", function()
    local sized = 0
    for seed = 1, 60 do
      local kind, input, load = drawn_case(seed)
      local answer = RUN[kind](tables.with(input, { load = load }))
      if answer.fleet then
        sized = sized + 1
        assert.is_true(ALONE[kind](input, answer.fleet.max_batch), ("%s %d: %d"):format(kind, seed, answer.fleet.max_batch))
        local larger = tables.with(input.device, { memory_bytes = 3 * input.device.memory_bytes })
        local more = RUN[kind](tables.with(input, { load = load, device = larger }))
        assert.is_true(more.fleet.needed <= answer.fleet.needed, kind .. seed)
      end
    end
    assert.is_true(sized > 20)
  end)

  it("do not hold images in batches that a device does not", function()
    local function of(load) return diffusion.run({ model = "sdxl", device = "RTX 4090", load = tables.with({ rate_per_s = 5 }, load) }) end
    assert.is_false(of({ max_batch = 64 }).fits)
    assert.equal("memory", contradiction.reason(of({ max_batch = 64 })))
    assert.is_true(of({ max_batch = 8 }).fits)
    assert.is_true(of({}).fleet.max_batch <= 8)
  end)

  it("are none where so many requests need more replicas than anybody has", function()
    local answer = encode.run({ model = "bge-m3", device = "T4", tokens = 512, load = { rate_per_s = 1e15 } })
    assert.is_false(answer.fleet)
    assert.equal("no number of replicas answers so many a second", contradiction.sentence(answer))
  end)
end)

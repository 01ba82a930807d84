-- Fleets with a pool for prefill and one for decode along chains of limits and rates: what is asked less costs no more.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local catalog = require("ballpark.catalog")
local drawn = dofile(here .. "/drawn.lua")
local search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")

local SPACE <const> = { ep = 1, attention_dp = 1, format = "bf16", max_running = 256, token_budget = 8192, pp = 1, tp = { 1, 2, 4 },
  pattern = "disaggregated" }

local function cost_of(input)
  local answer = search.run(input)
  return answer.fits and answer.winner.cost_usd_h or math.huge, answer
end

local function assert_falls(input, steps, change, text)
  local before = math.huge
  for _, step in ipairs(steps) do
    local cost = cost_of(change(input, step))
    assert.is_true(cost <= before * (1 + 1e-9), ("%s %g: %g after %g USD/h"):format(text, step, cost, before))
    before = cost
  end
end

local function with_sla(name)
  return function(input, value) return tables.with(input, { sla = tables.with(input.sla, { [name] = value }) }) end
end

local function with_rate(input, rate) return tables.with(input, { load = tables.with(input.load, { rate_per_s = rate }) }) end

describe("a fleet of two pools", function()
  -- At the tighter limit prefill had grown for the first token and was enough for the time of a token as well; at the
  -- looser one only decode grew.
  it("is never dearer for a looser limit on the first token", function()
    assert_falls({ model = catalog.model("qwen3-30b-a3b"), devices = { { device = "A100-80GB", price = 1 } }, engine = "sglang", gpus = 256,
      load = { burstiness = 2, input_tokens = 547, lengths = "lognormal", output_tokens = 10, rate_per_s = 8.9112754439071 },
      sla = { percentile = 99, tpot_s = 0.02618868297539 }, space = SPACE }, { 0.458, 0.513, 0.6 }, with_sla("ttft_s"), "TTFT")
    assert_falls({ model = catalog.model("qwen3-30b-a3b"), devices = { { device = "L40S", price = 3.94 } }, engine = "trtllm", gpus = 256,
      load = { burstiness = 2, input_tokens = 521, lengths = "lognormal", output_tokens = 15, rate_per_s = 51.11 },
      sla = { percentile = 99, tpot_s = 0.023584 },
      space = tables.with(SPACE, { tp = { 1, 2, 4, 8 }, pattern = { "aggregated", "disaggregated" } }) },
      { 0.52, 0.55, 0.7 }, with_sla("ttft_s"), "TTFT")
  end)

  it("is never dearer for looser limits or a lower rate, as drawn", function()
    local asked = 0
    for seed = 1, 6 do
      local unit = drawn.stream(seed)
      local input = { model = catalog.model(drawn.one_of(unit, { "qwen3-30b-a3b", "llama-3.1-8b" })), engine = "vllm", gpus = 128,
        devices = { { device = drawn.one_of(unit, { "L40S", "H100" }), price = 1 } }, space = SPACE,
        load = { burstiness = drawn.one_of(unit, { 1, 2 }), lengths = "lognormal", rate_per_s = drawn.between(unit, 5, 20),
          input_tokens = math.floor(drawn.between(unit, 200, 2000)), output_tokens = math.floor(drawn.between(unit, 10, 60)) },
        sla = { percentile = drawn.one_of(unit, { 90, 95 }), ttft_s = drawn.between(unit, 0.3, 0.6), tpot_s = drawn.between(unit, 0.02, 0.05) } }
      local function stepped(value) return { value, 1.15 * value, 1.4 * value } end
      local text = ("draw %d,"):format(seed)
      assert_falls(input, stepped(input.sla.ttft_s), with_sla("ttft_s"), text .. " TTFT")
      assert_falls(input, stepped(input.sla.tpot_s), with_sla("tpot_s"), text .. " TPOT")
      local rate = input.load.rate_per_s
      assert_falls(input, { rate, rate / 1.15, rate / 1.4 }, with_rate, text .. " rate")
      local whole = tables.with(input, { sla = { percentile = input.sla.percentile } })
      assert_falls(whole, stepped(input.sla.ttft_s + input.sla.tpot_s * input.load.output_tokens), with_sla("e2e_s"), text .. " E2E")
      if cost_of(input) < math.huge then asked = asked + 1 end
    end
    assert.is_true(asked >= 4)
  end)

  -- 0.284 s of 2,600 requests, 0.26 s of four times as many, at a limit of 0.2805 s.
  it("that misses a limit by little is asked with more requests", function()
    local runs = {}
    local function run(requests)
      runs[#runs + 1] = requests
      local at_s = requests == 1000 and 1.04 or 0.97
      return { ttft = { at_s = at_s }, tpot = { at_s = 0 }, e2e = { at_s = 0 } }
    end
    local confirm = require("ballpark.questions.serve_search.confirm")
    local broken = confirm.tried(run, { percentile = 99, limits = { ttft_s = 1 } }, 1000)
    assert.same({}, broken)
    assert.same({ 1000, 4000 }, runs)
    runs = {}
    broken = confirm.tried(run, { percentile = 99, limits = { ttft_s = 0.98 } }, 1000)
    assert.near(1.04 / 0.98, broken.ttft_s, 1e-12)
    assert.same({ 1000 }, runs)
  end)
end)

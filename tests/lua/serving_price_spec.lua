-- What a service answers and costs: a load that is carried is answered at its rate, so that better hardware of the same price
-- never makes its tokens dearer. Over drawn cases.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local catalog = require("ballpark.catalog")
local drawn = dofile(here .. "/drawn.lua")
local errors = require("ballpark.errors")
local serving = require("ballpark.questions.serve.run")
local tables = require("ballpark.tables")

local between, one_of = drawn.between, drawn.one_of

local MODELS <const> = { "llama-3.1-8b", "qwen3-32b", "mistral-small-24b", "gpt-oss-20b", "gpt-oss-120b", "qwen3-30b-a3b" }
local DEVICES <const> = { "H100", "H200", "A100-80GB", "GB200", "B200", "L40S" }
local ENGINES <const> = { "vllm", "sglang", "trtllm" }
local LENGTHS <const> = { "fixed", "uniform", "lognormal", "exponential" }
local BETTER <const> = { "mem_bw_bytes_s", "bf16_flop_s", "memory_bytes" }

-- Requests of a run: some, so that chance is large.
local REQUESTS <const>, DRAWS <const> = 400, 200

local function case_of(index)
  local unit = drawn.stream(index)
  return { model = one_of(unit, MODELS), device = one_of(unit, DEVICES), engine = one_of(unit, ENGINES),
    better = one_of(unit, BETTER), load = { arrivals = "open", requests = REQUESTS, lengths = one_of(unit, LENGTHS),
      rate_per_s = between(unit, 0.2, 8), input_tokens = between(unit, 16, 3000) // 1, output_tokens = between(unit, 20, 1200) // 1 } }
end

local function served(case, times)
  local cluster = catalog.cluster({ device = case.device, devices = 1 })
  cluster.device = tables.with(cluster.device, { [case.better] = times * cluster.device[case.better] })
  return errors.try(serving.run, { model = catalog.model(case.model), cluster = cluster, engine = case.engine, load = case.load })
end

local function answered_of(changes)
  local answer = serving.run(tables.with({ model = catalog.model("llama-3.1-8b"), engine = "vllm",
    cluster = catalog.cluster({ device = "H100", devices = 1 }) }, changes))
  return answer.answered, answer.seen, answer
end

describe("what a service answers", function()
  it("is the rate of an open load that it carries, of sessions too", function()
    for _, load in ipairs({ { lengths = "lognormal" }, { lengths = "uniform", spread = 0.5 }, { turns = 4, think_s = 5 } }) do
      local of_load = tables.with({ arrivals = "open", rate_per_s = 1, input_tokens = 100, output_tokens = 1000, requests = 800 }, load)
      local answered, _, answer = answered_of({ load = of_load })
      assert.equal(1, answered.requests_per_s)
      assert.near(load.spread and 750 or 1000, answered.output_tok_s, 1e-9)
      assert.near(answer.price_usd_h / 3600 / answered.output_tok_s * 1e6, answer.bill.usd_per_mtok, 1e-9)
    end
  end)

  it("is what was seen of clients, of a trace, of a day, and where requests are lost", function()
    local trace = {}
    for i = 1, 50 do trace[i] = { arrival_s = i / 2, input_tokens = 100, output_tokens = 50 } end
    local open = { arrivals = "open", rate_per_s = 4, input_tokens = 100, output_tokens = 200, requests = 2000 }
    for _, changes in ipairs({ { load = { concurrency = 8 } }, { trace = trace },
      { load = { arrivals = "diurnal", rate_per_s = 4, period_s = 300 } },
      { load = open, replicas = 2, failures = { mtbf_s = 60, repair_s = 30, lose = true } } }) do
      local answered, seen = answered_of(changes)
      assert.near(seen.requests_per_s, answered.requests_per_s, 1e-9)
      assert.near(seen.output_tok_s, answered.output_tok_s, 1e-9)
    end
  end)

  it("is the same of a trace wherever it begins in its log, and so is what it costs", function()
    local function bill_of(begins_s, changes)
      local trace = {}
      for i = 0, 2 do trace[i + 1] = { arrival_s = begins_s + i / 2, input_tokens = 500, output_tokens = 50 } end
      local answered, seen, answer = answered_of(tables.with({ trace = trace }, changes))
      return { answered = answered, seen = seen, bill = answer.bill }
    end
    for _, changes in ipairs({ {}, { load = { speed = 4 } }, { autoscale = { target = 1, max = 3 } },
      { failures = { mtbf_s = 1, repair_s = 1 } }, { prefill_pool = { replicas = 1, link_bytes_s = 1e9 } } }) do
      local at_once = bill_of(0, changes)
      assert.is_true(at_once.bill.usd_per_request > 0)
      assert.same(at_once, bill_of(3600, changes))
    end
  end)

  it("is what replicas do where they do not keep up, and never more than arrives", function()
    local pools = { replicas = 1, prefill_pool = { replicas = 1, link_bytes_s = 1e9 },
      load = { arrivals = "open", rate_per_s = 60, input_tokens = 3000, output_tokens = 100, requests = 2000 } }
    local answered, seen, answer = answered_of(pools)
    assert.is_false(answer.keeps_up)
    assert.is_true(answered.requests_per_s < 60)
    assert.near(seen.requests_per_s, answered.requests_per_s, 1e-9)
  end)
end)

describe("a drawn load that is carried", function()
  it("is never dearer by the token on hardware that is better at the same price", function()
    local seen, index = 0, 0
    while seen < DRAWS do
      index = index + 1
      local case = case_of(index)
      local before = served(case, 1)
      local price = before and before.keeps_up and before.bill.usd_per_mtok
      local after = price and served(case, 2)
      if after then
        seen = seen + 1
        assert.is_true(after.bill.usd_per_mtok <= price * (1 + 1e-9), ("case %d: %g to %g USD"):format(index, price,
          after.bill.usd_per_mtok))
      end
    end
  end)
end)

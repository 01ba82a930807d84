-- Logs of requests: what describes their run, whose clock their times are of, engines of one's own.
local calibrate = require("ballpark.calibrate.serving")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local problem = require("ballpark.calibrate.serving.problem")
local requests = require("ballpark.validate.requests")
local requests_meta = require("ballpark.measured.requests_meta")
local resolve = require("ballpark.resolve.serving")
local tables = require("ballpark.tables")

local META = { model = "llama-3.1-8b", device = "H100", dtype = "bfloat16", max_num_seqs = 16 }

-- Requests at even intervals, without times or with those that an engine gave them.
local function log_of(count, gap_s, answers)
  local lines = { "arrival_s,input_tokens,output_tokens," .. (answers and "queue_s," or "") .. "ttft_s,e2e_s\n" }
  for i = 1, count do
    local a = answers and answers[i] or { ttft_s = 0.1, e2e_s = 1 }
    lines[#lines + 1] = ("%.6f,%d,%d,%s%.9f,%.9f\n"):format(gap_s * i, 300 + 37 * (i % 11), 20 + i % 13,
      answers and "0," or "", a.ttft_s, a.e2e_s)
  end
  return requests.read(table.concat(lines), "log")
end

describe("the description of a log of requests", function()
  local function refused(changes, wanted)
    assert.matches(wanted, errors.catch(requests_meta.facts, tables.with(META, changes)))
  end

  it("has known keys with values of their kind", function()
    refused({ max_num_seq = 4 }, "meta.max_num_seq: unknown key, did you mean 'max_num_seqs'")
    refused({ tensor_paralel = json.null }, "unknown key, did you mean 'tensor_parallel'")
    refused({ max_num_seqs = 2.5 }, "meta.max_num_seqs: must be a whole number of at least 1")
    refused({ dtype = 16 }, "meta.dtype: must be a string")
    refused({ kv_tokens = -1 }, "meta.kv_tokens: must be above 0")
    refused({ clock = "wall" }, "meta.clock: 'wall' is not one of client, engine")
    refused({ model = json.null }, "meta.model: is missing")
    refused({ tensor_parallel = 3 }, "meta.tensor_parallel: 3 does not divide 32 attention heads")
    assert.matches("must be a JSON object", errors.catch(requests_meta.facts, "text"))
  end)

  local function case_of(meta)
    return resolve.of(tables.with((requests_meta.facts(meta)), { trace = log_of(5, 1) }))
  end

  it("becomes engine and plan", function()
    local case = case_of(tables.with(META, { engine = "vllm 0.19.0", tensor_parallel = 2,
      max_num_batched_tokens = 2048, enforce_eager = true, async_scheduling = false, kv_cache_dtype = "fp8",
      kv_tokens = 5000, device_total_memory_bytes = 70e9, note = "any", block_size = json.null }))
    local input, assumed = case.input, case.assumed
    assert.equal(2, input.plan.tp)
    assert.equal("fp8", input.plan.kv)
    assert.same({ 16, 2048, 0, false, 5000, 70000000000 }, { input.engine.max_running, input.engine.token_budget,
      input.engine.graph_tokens, input.engine.overlap, input.pool_tokens, input.device.memory_bytes })
    assert.matches("engine defaults: memory_frac 0.9", table.concat(assumed, "; "))
    assert.not_matches("max_running", table.concat(assumed, "; "))
  end)

  it("has weights as published under any dtype, unless it says that they are quantised", function()
    local function weights(changes)
      local plan = case_of(tables.with(META, changes)).input.plan
      return (plan.weights or "bf16") .. " " .. (plan.experts or "auto")
    end
    assert.equal("bf16 auto", weights({}))
    assert.equal("bf16 mxfp4", weights({ model = "gpt-oss-20b" }))
    assert.equal("fp8 auto", weights({ quantization = "fp8" }))
    assert.equal("fp8 auto", weights({ dtype = "fp8" }))
  end)

  it("deals experts where the run did", function()
    local meta = { model = "mixtral-8x7b", device = "H100", tensor_parallel = 4, expert_parallel = true }
    assert.equal(4, requests_meta.facts(meta).plan.ep)
    meta.expert_parallel = false
    assert.is_nil(requests_meta.facts(meta).plan.ep)
  end)
end)

describe("the clock of a log", function()
  it("is the engine's where the log says how long it queued", function()
    local _, said, clock = requests.input(log_of(5, 1), META)
    assert.equal("client", clock)
    assert.matches("when the client sent", table.concat(said, "; "))
    _, said, clock = requests.input(log_of(5, 1, {}), META)
    assert.equal("engine", clock)
    assert.matches("when the engine queued", table.concat(said, "; "))
    _, said, clock = requests.input(log_of(5, 1, {}), tables.with(META, { clock = "client" }))
    assert.equal("client", clock)
    assert.not_matches("times from", table.concat(said, "; "))
  end)

  it("starts after the front end, between two steps", function()
    -- Far apart every request meets an idle engine: what is left out is the front end alone.
    local log = log_of(5, 100)
    local input = requests.input(log, META)
    input.engine.lag_steps = 0
    local client, engine = requests.answers(input, "client"), requests.answers(input, "engine")
    for i, request in ipairs(log) do
      local front = input.engine.front_s + input.engine.front_token_s * request.input_tokens
      assert.near(front, client[i].ttft_s - engine[i].ttft_s, 1e-9)
      assert.near(front, client[i].e2e_s - engine[i].e2e_s, 1e-9)
    end
    -- While others decode, a request also waits for the next step: less than the longest of them.
    log = log_of(60, 0.05)
    input = requests.input(log, META)
    client, engine = requests.answers(input, "client"), requests.answers(input, "engine")
    local waited = 0
    for i in ipairs(log) do
      local rest = client[i].ttft_s - engine[i].ttft_s - input.engine.front_s
      assert.is_true(rest >= 0 and rest < 0.1)
      waited = math.max(waited, rest)
    end
    assert.is_true(waited > 0.004)
  end)
end)

describe("an engine of one's own", function()
  -- What a device a tenth slower than its curves would log.
  local log = log_of(200, 0.04)
  local input = requests.input(log, META)
  local slower = tables.with(input.engine, { slowdown = 1.1 })
  local measured = log_of(200, 0.04, requests.answers(tables.with(input, { engine = slower }), "engine"))

  it("is found from the first requests and scored on the others", function()
    local answer = calibrate.run(problem.log(measured, "log", META, { count = 120 }))
    local before = requests.run(measured, META, { first = 121 }).metrics
    local after = requests.run(measured, META, { first = 121, engine = answer.engine }).metrics
    assert.is_true(before.e2e_ms.mape > 0.05)
    -- A first token also waits for the rest of a step, which is much longer above what graphs hold: a slowdown hardly off
    -- shifts which step that is.
    assert.is_true(after.ttft_ms.mape < 0.7 * before.ttft_ms.mape)
    for metric, most in pairs({ tpot_ms = 0.2, e2e_ms = 0.2 }) do
      assert.is_true(after[metric].mape < most * before[metric].mape, metric)
    end
    local same = requests.run(measured, META, { engine = { name = "vllm", slowdown = 1.1 } }).metrics
    assert.near(0, same.e2e_ms.mape, 1e-6)
  end)

  it("is of the run's engine", function()
    assert.matches("meta.engine: ",
      errors.catch(requests.run, measured, META, { engine = { name = "sglang" } }))
  end)
end)

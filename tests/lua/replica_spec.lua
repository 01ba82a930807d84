-- One replica before anybody asks it: what fits, what its engine says, and how fast it is at any number of clients.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local replica = require("ballpark.questions.replica.run")
local report = require("ballpark.report")
local result = require("ballpark.result")
local serve = require("ballpark.questions.serve.run")
local show = require("ballpark.questions.replica.show")
local tables = require("ballpark.tables")

local function input(changes, device)
  return tables.with({ model = catalog.model("llama-3.1-8b"), engine = "vllm",
    cluster = catalog.cluster({ device = device or "H100", devices = 1 }) }, changes)
end

local function text_of(answer)
  local r = result.new({})
  show.answer(r, answer)
  return report.render(r, "table", { width = 1000 })
end

describe("a replica without a load", function()
  it("says what its cache holds, and simulates nothing where no curve is asked for", function()
    local answer = replica.run(input({ curve = false, max_model_len = 8192 }))
    assert.is_true(answer.fits)
    assert.is_nil(answer.curve)
    -- 32 layers x 2 x 8 heads x 128 x 2 bytes of a token, in whole blocks of 16.
    assert.near(answer.memory.pool_bytes / 131072 // 16 * 16, answer.cache.tokens, 1e-6)
    assert.near(answer.cache.tokens / 8192, answer.cache.max_concurrency, 1e-9)
    assert.is_nil(table.concat(answer.assumed, " "):find("lengths"))
  end)

  it("keeps as much behind windows and in chunks as its engine does", function()
    local function tokens(name, engine)
      return replica.run(input({ model = catalog.model(name), engine = engine, plan = { tp = 8, weights = "fp8" }, curve = false,
        cluster = catalog.cluster({ device = "H100", devices = 8 }), max_model_len = 131072 })).cache.tokens
    end
    local scout = tokens("llama-4-scout", "vllm")
    -- Of eight H100 that vLLM may use 0.9 of, 13 GiB each are weights: 48 layers hold every token, 24,576 bytes on each.
    assert.near(2.4e6, scout, 0.2e6)
    assert.equal(scout, tokens("llama-4-scout", { name = "vllm", window_kept = 0 }))
    -- 12 layers and 36 that hold 8,192 tokens of 131,072.
    assert.near(48 / 14.25, tokens("llama-4-scout", { name = "vllm", chunk_kept = 0 }) / scout, 0.01)
    local oss = tokens("gpt-oss-120b", "vllm")
    assert.near(2, oss / tokens("gpt-oss-120b", { name = "vllm", version = "0.8.5" }), 0.1)
    assert.near(2, oss / tokens("gpt-oss-120b", { name = "vllm", window_kept = 1 }), 0.1)
    assert.near(1.8, tokens("gpt-oss-120b", { name = "sglang", window_kept = 0 }) / tokens("gpt-oss-120b", "sglang"), 0.05)
  end)

  it("is no slower alone than beside others where lengths differ", function()
    for _, lengths in ipairs({ "lognormal", "exponential", "uniform" }) do
      local curve = replica.run(input({ load = { input_tokens = 1000, output_tokens = 300, lengths = lengths } })).curve
      for i = 2, 5 do assert.is_true(curve[i].e2e_s >= 0.99 * curve[i - 1].e2e_s, lengths .. curve[i].clients) end
    end
  end)

  it("is as fast as serve says of each number of clients, up to as many as run", function()
    local load = { input_tokens = 3000, output_tokens = 20 }
    local answer = replica.run(input({ load = load }, "L4"))
    local clients = {}
    for i, point in ipairs(answer.curve) do clients[i] = point.clients end
    assert.equal(answer.cache.sequences, clients[#clients])
    assert.same({ 1, 2, 4, 8 }, table.move(clients, 1, 4, 1, {}))
    local same = serve.run(input({ load = tables.with(load, { concurrency = 4, arrivals = "closed" }) }, "L4"))
    assert.equal(same.seen.ttft.mean_s, answer.curve[3].ttft_s)
    -- The first token of one client is there in hundredths of the time of the longest answer.
    assert.matches("clients +TTFT, ms +TPOT, ms +E2E, s", text_of(replica.run(input({}))))
    assert.equal(same.seen.output_tok_s, answer.curve[3].output_tok_s)
    for i = 2, #answer.curve do
      assert.is_true(answer.curve[i].tpot_s >= answer.curve[i - 1].tpot_s)
    end
  end)

  it("draws the power of its boards while steps run", function()
    local last = replica.run(input({ load = { input_tokens = 500, output_tokens = 100 } })).curve
    last = last[#last]
    assert.is_true(last.power_w > 0.9 * 700 and last.power_w <= 700)
  end)

  it("says how many clients keep an SLO, none of whom sees more than it", function()
    local load = { input_tokens = 1000, output_tokens = 50 }
    local function within(sla) return replica.run(input({ load = load, sla = sla })).within end
    local function seen(clients)
      return serve.run(input({ percentile = 90, load = tables.with(load, { concurrency = clients, arrivals = "closed" }) })).seen
    end
    local sla = { ttft_s = 0.2, tpot_s = 0.015 }
    local most = within(sla).clients
    assert.is_true(seen(most).ttft.at_s <= 0.2 and seen(most).tpot.at_s <= 0.015)
    local more = seen(most + math.max(1, most // 8))
    assert.is_true(more.ttft.at_s > 0.2 or more.tpot.at_s > 0.015)
    assert.is_true(within({ ttft_s = 0.4, tpot_s = 0.03 }).clients >= most)
    assert.is_true(within({ ttft_s = 0.2, tpot_s = 0.015, percentile = 99 }).clients <= most)
    assert.is_nil(within({ ttft_s = 1e-4 }))
    assert.matches("not even one client", text_of(replica.run(input({ load = load, sla = { ttft_s = 1e-4 } }))))
    assert.is_false(pcall(within, {}))
  end)

  it("reserves for the step that its engine may run", function()
    local function workspace(settings, more)
      return replica.run(input(tables.with({ engine = settings, curve = false }, more))).memory.activations_bytes
    end
    -- Sampling for 1024 sequences of 128,256 words at 16 bytes is more than 8192 tokens' pass.
    assert.equal(1024 * 128256 * 16 + 8192 * 8192, workspace("vllm"))
    -- Before 0.8 prompts run whole: 110,592 bytes a token, 20,000 tokens; 39 bytes and 256 sequences are less.
    assert.equal(20000 * 110592, workspace({ name = "vllm", year = 2024 }, { max_model_len = 20000 }))
  end)

  it("starts vLLM with fewer tokens and sequences on small devices and A100", function()
    local function settings(device)
      local engine = replica.run(input({ curve = false }, device)).input.engine
      return { engine.profile_tokens, engine.max_running }
    end
    assert.same({ 8192, 1024 }, settings("H100"))
    assert.same({ 2048, 256 }, settings("A100"))
    assert.same({ 2048, 256 }, settings("L4"))
  end)

  it("does not fit where a request of the length that is asked for finds no room", function()
    local answer = replica.run(input({ max_model_len = 100000 }, "L4"))
    assert.is_false(answer.fits)
    assert.is_nil(answer.curve)
    assert.matches("the engine does not start", text_of(answer))
    answer = replica.run(input({ curve = false }, "L4"))
    assert.is_true(answer.fits)
    assert.matches("starts with a max_model_len of", text_of(answer))
    for _, name in ipairs({ "sglang", "trtllm" }) do
      local one = replica.run(input({ max_model_len = 100000, engine = { name = name } }, "L4"))
      assert.is_false(one.fits)
      assert.matches("starts, and takes no request that long", text_of(one))
    end
    assert.is_false(replica.run(input({ model = catalog.model("llama-3.1-70b") })).fits)
  end)

  it("takes no arrivals", function()
    assert.matches("load.*rate_per_s", (errors.catch(replica.run, input({ load = { rate_per_s = 3 } }))))
  end)

  it("looks at the clients that are asked about", function()
    local answer = replica.run(input({ load = { concurrency = 3 } }))
    assert.equal(3, answer.asked_row.clients)
    local rows = {}
    for _, row in ipairs(answer.curve) do rows[row.clients] = row end
    assert.is_true(rows[2].output_tok_s < rows[3].output_tok_s and rows[3].output_tok_s < rows[4].output_tok_s)
    assert.is_true(answer.asked_range.tpot_s.low < rows[3].tpot_s and rows[3].tpot_s < answer.asked_range.tpot_s.high)
    assert.matches("3 clients +[%d.]+ tok/s of output", text_of(answer))
  end)

  it("says what more front ends would bring", function()
    local function on(devices)
      return replica.run({ model = catalog.model("qwen3-32b"), cluster = catalog.cluster({ device = "H100", devices = devices }),
        plan = { tp = 4, dp = devices // 4 }, load = { input_tokens = 1000, output_tokens = 300 } })
    end
    local few, many, half = on(8), on(64), on(32)
    assert.is_nil(few.halved_per_s)
    assert.is_true(many.halved_per_s > 1.05 * many.capacity_per_s)
    assert.near(2 * half.capacity_per_s, many.halved_per_s, 0.02 * many.halved_per_s)
  end)
end)

-- Loads of a service: what contradicts itself, traces from CSV, means for closed forms, fleets under load.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local load = require("ballpark.questions.serve.load")
local serving = require("ballpark.questions.serve.run")
local tables = require("ballpark.tables")
local trace = require("ballpark.questions.serve.trace")

local function served(changes)
  local input = { model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 1 }),
    engine = "vllm", load = { arrivals = "open", rate_per_s = 8, lengths = "lognormal", input_tokens = 800,
      output_tokens = 200, requests = 4000 } }
  for key, value in pairs(changes) do input[key] = value end
  return serving.run(input)
end

describe("a load", function()
  local function complaint(given, of, samples) return errors.catch(load.check, given, of, samples) end

  it("is refused where a field would be ignored", function()
    assert.matches("^load%.concurrency: ",
      complaint({ arrivals = "open", concurrency = 8 }))
    assert.equal("load.rate_per_s: is for diurnal and open arrivals, and these are closed; give arrivals = 'open'",
      complaint({ rate_per_s = 8 }))
    assert.matches("period_s: ", complaint({ arrivals = "open", period_s = 8 }))
    assert.matches("give one", complaint({ arrivals = "diurnal", rates = { 1 }, peak_over_mean = 3 }))
    assert.matches("load.think_s: ", complaint({ arrivals = "open", think_s = 3 }))
    assert.is_nil(complaint({ arrivals = "open", think_s = 3, turns = 2 }))
    assert.is_nil(complaint({ concurrency = 8, think_s = 3 }))
    assert.equal("load.requests: must be two at least for each of 8 clients that think, got 15",
      complaint({ concurrency = 8, think_s = 3, requests = 15 }))
    assert.is_nil(complaint({ concurrency = 8, think_s = 3, requests = 16 }))
  end)

  it("is refused with a drain that its arrivals do not have", function()
    assert.matches("^load%.drains: is for closed arrivals", complaint({ arrivals = "open", drains = true }))
    assert.is_nil(complaint({ concurrency = 8, drains = true }))
  end)

  -- Little's law: ten clients, each in 60 s of thinking and the seconds of an answer; and as many that never think. What 17
  -- times as many requests bring is the same.
  it("of clients is answered as fast as they ask", function()
    local function rates(of) return served({ load = of }) end
    local slow = rates({ concurrency = 10, think_s = 60, input_tokens = 500, output_tokens = 100 })
    assert.is_true(math.abs(slow.answered.requests_per_s * (60 + slow.seen.e2e.mean_s) / 10 - 1) < 0.02)
    local few = { concurrency = 170, lengths = "exponential", input_tokens = 40, output_tokens = 578 }
    local long = tables.with(few, { requests = 30000 })
    local tok_s = rates(long).answered.output_tok_s
    assert.is_true(math.abs(rates(few).answered.output_tok_s / tok_s - 1) < 0.03)
    -- A benchmark's rates are over all of its run: the protocol's, too.
    assert.is_true(rates(tables.with(few, { drains = true })).answered.output_tok_s < 0.85 * tok_s)
    local one = { concurrency = 20, protocol = "inferencex" }
    local seen = rates(one).seen
    assert.near(200 / seen.duration_s, seen.requests_per_s, 1e-9)
    assert.is_true(rates(tables.with(one, { drains = false })).seen.duration_s < seen.duration_s)
  end)

  -- What ten times as many sessions bring is the same, and what the drain takes is no part of the rate.
  it("of clients in sessions is counted while all of them have something to ask", function()
    local sessions = { concurrency = 16, turns = 5, think_s = 2, input_tokens = 300, output_tokens = 150 }
    local function answered(changes) return served({ load = tables.with(sessions, changes) }).answered.requests_per_s end
    local long = answered({ requests = 16 * 5 * 100 })
    assert.is_true(math.abs(answered({}) / long - 1) < 0.03)
    assert.is_true(answered({ requests = 16 * 5 * 4, drains = true }) < 0.93 * long)
    assert.is_true(math.abs(answered({ requests = 16 * 5 * 4 }) / long - 1) < 0.03)
  end)

  it("is refused with a spread that its lengths cannot have", function()
    assert.equal("load.spread: of lognormal lengths is the deviation of their logarithm, at most 2.14, got 2.5",
      complaint({ lengths = "lognormal", spread = 2.5 }))
    assert.matches("at most 1, got 2", complaint({ lengths = "uniform", spread = 2 }))
    assert.is_nil(complaint({ lengths = "lognormal", spread = 2.14 }))
    assert.is_true(load.length_cv({ lengths = "lognormal", spread = 2.14 }, "output_tokens") <= 10) -- the core's limit
  end)

  it("is refused for fields that the simulation would not read, also where it would not come to one", function()
    assert.matches("^load.lengths: ", complaint({ lengths = "gaussian" }))
    assert.equal("load.spread: must be from 0 to 10, got -1", complaint({ spread = -1 }))
    assert.matches("^load.requests: ", complaint({ requests = 10 ^ 12 // 1 }))
    assert.matches("^load.turns: ", complaint({ turns = 1.5 }))
    assert.matches("^load.arrivals: .*'open'", complaint({ arrivals = "opne", rate_per_s = 1 }))
    assert.matches("^samples: ", complaint({ lengths = "empirical" }))
    -- Far beyond what a replica does, and more than it holds.
    for _, plenty in ipairs({ { rate_per_s = 1e6 }, { rate_per_s = 1, input_tokens = 1e8 } }) do
      local given = tables.with({ arrivals = "open" }, plenty)
      local function refusal(changes) return errors.catch(served, tables.with({ load = given }, changes)) end
      assert.is_nil(refusal({}))
      assert.matches("^load.output_tokens: must be from 1",
        refusal({ load = tables.with(given, { output_tokens = 0 }) }))
      assert.equal("replicas: must be from 1 to 100000, got 0", refusal({ replicas = 0 }))
      assert.matches("^replicas: ", refusal({ replicas = 1.5 }))
      assert.matches("^routing: ", refusal({ routing = "nearest" }))
      assert.matches("^failures.mtbf_s: ", refusal({ failures = { mtbf_s = -1 } }))
      assert.matches("^percentile: ", refusal({ percentile = 100 }))
    end
  end)

  it("is refused with more prefix blocks than a prompt has", function()
    local function request(tokens, blocks)
      return { { arrival_s = 0, input_tokens = 9, output_tokens = 1 },
        { arrival_s = 1, input_tokens = tokens, output_tokens = 1, blocks = blocks } }
    end
    assert.equal("trace: request 2: prefix_blocks are 3 of 512 tokens (load.block_tokens), its prompt has 1024",
      complaint({}, request(1024, { 1, 2, 3 })))
    assert.is_nil(complaint({}, request(1025, { 1, 2, 3 }))) -- the last one is cut
    assert.matches("2 of 1025 tokens", complaint({ block_tokens = 1025 }, request(1025, { 1, 2 })))
  end)

  it("says nothing that a trace or samples say", function()
    local list = { { arrival_s = 0, input_tokens = 1, output_tokens = 1 } }
    assert.matches("^load%.rate_per_s: ", complaint({ rate_per_s = 1 }, list))
    assert.matches("samples: ", complaint({}, nil, list))
    assert.matches("load.input_tokens: ",
      complaint({ lengths = "empirical", input_tokens = 5 }, nil, list))
    assert.is_nil(complaint({ seed = 2, speed = 2 }, list))
    assert.matches("^load%.speed: ", complaint({ speed = 2 }))
    assert.equal("load.speed: must be above 0, got -1", complaint({ speed = -1 }, list))
  end)

  it("is refused where nothing would arrive, or a length would exceed the longest", function()
    assert.equal("load.rate_per_s: must be above 0, got 0", complaint({ arrivals = "open", rate_per_s = 0 }))
    assert.matches("must be above 0, got %-8", complaint({ arrivals = "diurnal", rate_per_s = -8 }))
    assert.matches("load.spread: of uniform lengths .* at most 1, got 2",
      complaint({ lengths = "uniform", spread = 2 }))
    assert.is_nil(complaint({ lengths = "uniform", spread = 1 }))
    assert.is_nil(complaint({ lengths = "lognormal", spread = 2 }))
  end)

  it("has means: sessions with half of their history, uniform lengths in the middle, a trace as it is", function()
    local means = load.means({ arrivals = "open", rate_per_s = 2, turns = 5, input_tokens = 100, output_tokens = 50 })
    assert.equal(100 + 2 * 150, means.input_tokens)
    assert.equal(100, means.new_tokens)
    assert.equal(90, load.means({ lengths = "uniform", spread = 0.8, input_tokens = 100 }).input_tokens)
    assert.near(math.sqrt(math.exp(0.25) - 1), load.means({ lengths = "lognormal", spread = 0.5 }).length_cv, 1e-12)
    -- U(0.5, 1): deviation 0.5 / sqrt(12), mean 0.75.
    -- Whole numbers from 512 to 1024, 768 in the mean; 9, 10 and 11.
    assert.near(math.sqrt((513 ^ 2 - 1) / 12) / 768, load.length_cv({ lengths = "uniform", spread = 0.5 }, "input_tokens"), 1e-12)
    assert.near(math.sqrt(2 / 3) / 10, load.length_cv({ lengths = "uniform", spread = 9 / 11, output_tokens = 11 },
      "output_tokens"), 1e-12)
    assert.equal(0, load.length_cv({}, "input_tokens"))
    -- Answers of 1 and 5: deviation 2, mean 3.
    local cv = load.means({}, { { arrival_s = 1, input_tokens = 10, output_tokens = 1 },
      { arrival_s = 3, input_tokens = 30, output_tokens = 5 } }).length_cv
    assert.near(2 / 3, cv, 1e-12)
    assert.same({ input_tokens = 20, output_tokens = 3, new_tokens = 20, rate_per_s = 0.5, length_cv = cv,
      input_cv = 0.5, one_token_frac = 0.5 },
      load.means({}, { { arrival_s = 1, input_tokens = 10, output_tokens = 1 },
        { arrival_s = 3, input_tokens = 30, output_tokens = 5 } }))
    assert.equal(1.5, load.means({ speed = 3 }, { { arrival_s = 1, input_tokens = 10, output_tokens = 1 },
      { arrival_s = 3, input_tokens = 30, output_tokens = 5 } }).rate_per_s)
  end)

  it("has answers that end with their first token", function()
    assert.near(1 - math.exp(-0.5), load.one_token({ lengths = "exponential" }, 3), 1e-12)
    -- ln 1.5 lies 1 deviation of 0.5 below the logarithm's mean.
    assert.near(0.15866, load.one_token({ lengths = "lognormal", spread = 0.5 }, 1.5 * math.exp(0.5 + 0.125)), 1e-5)
    -- Whole numbers: of 1 to 4 one in four, of 2 to 8 none; from 1.26 to 8 what floor(1.26 + 7.74 u) leaves below 2.
    local function uniform(longest, spread) return load.one_token({ lengths = "uniform", output_tokens = longest, spread = spread }, 0) end
    assert.near(0.25, uniform(4, 0.25), 1e-12)
    assert.equal(0, uniform(8, 0.25))
    assert.near(0.74 / 7.74, uniform(8, 0.1575), 1e-12)
    assert.equal(1, uniform(1, 0.8))
    assert.equal(0, load.one_token({}, 2))
    assert.equal(1, load.one_token({}, 1))
  end)

  it("says which lengths nobody gave", function()
    assert.equal("input and output of 1024 tokens, no length was given", load.assumed({}))
    assert.equal("output of 1024 tokens in the mean, no length was given",
      load.assumed({ input_tokens = 5, lengths = "lognormal" }))
    assert.equal("input of 1024 tokens at most, no length was given",
      load.assumed({ output_tokens = 5, lengths = "uniform" }))
    assert.is_nil(load.assumed({ input_tokens = 5, output_tokens = 5 }))
    assert.is_nil(load.assumed({}, { { arrival_s = 1, input_tokens = 10, output_tokens = 1 } }))
  end)

  it("that is open is simulated for fifty times as long as a request takes, ends not counted", function()
    local filled, said = load.filled({ arrivals = "open", rate_per_s = 10 }, { rate_per_s = 10 }, 20)
    assert.equal(10000, filled.requests)
    assert.equal(0.1, filled.trim_frac)
    assert.matches("10000 requests simulated; the first and the last 10 %%", said)
    local own = load.filled(
      { arrivals = "open", rate_per_s = 10, requests = 7, trim_frac = 0 }, { rate_per_s = 10 }, 20)
    assert.equal(7, own.requests)
    assert.equal(0, own.trim_frac)
    local closed = { concurrency = 8 }
    assert.equal(closed, load.filled(closed, { concurrency = 8 }, 20))
  end)
end)

describe("a trace", function()
  local head = "arrival_s,input_tokens,output_tokens,prefix_blocks\n"

  it("has arrivals, lengths and blocks", function()
    assert.same({ { arrival_s = 0.5, input_tokens = 1200, output_tokens = 7, blocks = { 3, 4 } },
      { arrival_s = 2, input_tokens = 5, output_tokens = 1 } },
      trace.read(head .. "0.5,1200,7,3 4\n2,5,1,\n", "t.csv"))
  end)

  it("is refused with the line of what is odd", function()
    local function complaint(line) return errors.catch(trace.read, head .. "1,10,5,\n" .. line, "t.csv") end
    assert.equal("t.csv:3: arrival_s is before the request above", complaint("0.5,10,5,\n"))
    assert.matches("t.csv:3: arrival_s must be at least 0, got %-1", complaint("-1,10,5,\n"))
    assert.matches("t.csv:3: input_tokens is missing", complaint("2,,5,\n"))
    assert.matches("t.csv:3: output_tokens: 'many' is not a number", complaint("2,10,many,\n"))
    assert.matches("t.csv:3: input_tokens: '0x10' is not a number", complaint("2,0x10,5,\n"))
    assert.matches("t.csv:3: prefix_blocks: '0x3' is not a whole number", complaint("2,10,5,1 0x3\n"))
    assert.equal("t.csv:3: output_tokens must be a whole number, got 1.5", complaint("2,10,1.5,\n"))
    assert.matches("t.csv:3: prefix_blocks: 'x' is not a whole number", complaint("2,10,5,1 x\n"))
    assert.matches("t.csv:2: arrival_s must be at most 1000000000, got 1700000000: [^\n]*1970",
      errors.catch(trace.read, head .. "1700000000,10,5,\n", "t.csv"))
    assert.matches("t.csv:3: output_tokens must be at most 1000000000, got 2e9", complaint("2,10,2e9,\n"))
    assert.equal("t.csv:1: has no column input_tokens (did you mean 'input_token'?)",
      errors.catch(trace.read, "arrival_s,input_token,output_tokens\n1,10,5\n", "t.csv"))
    assert.matches("has no requests", errors.catch(trace.read, head, "t.csv"))
  end)
end)

describe("a service of several replicas", function()
  it("serves twice the load with twice the replicas as one does the half", function()
    local one, two = served({}), served({ replicas = 2,
      load = { arrivals = "open", rate_per_s = 16, lengths = "lognormal", input_tokens = 800, output_tokens = 200,
        requests = 8000 } })
    assert.near(one.seen.tpot.mean_s, two.seen.tpot.mean_s, 0.05 * one.seen.tpot.mean_s)
    assert.equal(one.steady.ttft_s, two.steady.ttft_s)
    assert.near(2 * one.bill.usd_h, two.bill.usd_h, 1e-9)
    assert.is_true(one.keeps_up and two.keeps_up)
  end)

  it("is billed for the time its replicas are paid", function()
    local answer = served({ replicas = 4 })
    assert.near(4, answer.bill.replicas, 1e-9)
    assert.near(4 * answer.price_usd_h, answer.bill.usd_h, 1e-9)
    assert.near(answer.bill.usd_h * 730, answer.bill.usd_month, 1e-6)
    assert.near(answer.bill.usd_h / 3600 / 8, answer.bill.usd_per_request, 1e-12)
    -- Between idle and board power.
    local tdp = answer.input.device.tdp_w
    assert.is_true(answer.bill.power_w > 4 * 0.15 * tdp and answer.bill.power_w < 4 * tdp)
    assert.near(answer.bill.power_w / 8, answer.bill.request_j, 1e-9)
  end)

  it("costs less when it is scaled with the day, and starts replicas for it", function()
    local day = { arrivals = "diurnal", rate_per_s = 20, peak_over_mean = 2.5, period_s = 3600, lengths = "lognormal",
      input_tokens = 800, output_tokens = 200 }
    local fixed = served({ load = day, replicas = 4 })
    local scaled = served({ load = day, replicas = 4, start_s = 30,
      autoscale = { target = 40, down_delay_s = 120, max = 6 } })
    assert.equal(72000, fixed.seen.requests)
    assert.is_true(scaled.bill.usd_h < 0.8 * fixed.bill.usd_h)
    assert.is_true(scaled.seen.starts > 0 and scaled.seen.peak_replicas <= 6)
    assert.is_true(scaled.seen.ttft.p99_s >= fixed.seen.ttft.p99_s)
  end)

  it("says of a part of a day what an hour costs, and not what a request does", function()
    local day = { arrivals = "diurnal", rate_per_s = 20, period_s = 600, input_tokens = 800, output_tokens = 200 }
    local whole = served({ load = day, replicas = 3 })
    day.requests = 3000
    local part = served({ load = day, replicas = 3 })
    assert.near(whole.bill.usd_h, part.bill.usd_h, 1e-9)
    assert.is_true(whole.bill.usd_per_request > 0 and whole.bill.request_j > 0)
    assert.same({}, { part.bill.usd_per_request, part.bill.usd_per_mtok, part.bill.request_j })
    day.requests = 12000
    assert.near(whole.bill.usd_per_request, served({ load = day, replicas = 3 }).bill.usd_per_request, 1e-9)
  end)

  it("starts replicas as long as their weights take to load, unless told", function()
    local answer = served({ replicas = 2, autoscale = { target = 20 } })
    local weights = answer.memory.weights_bytes
    assert.near(weights / 1.5e9 + 45, answer.input.start_s, 1e-6)
    assert.equal(7, served({ replicas = 2, start_s = 7, autoscale = { target = 20 } }).input.start_s)
    assert.is_nil(served({}).input.start_s)
  end)

  it("is scaled to a share of the capacity as to that many arrivals", function()
    local day = { arrivals = "diurnal", rate_per_s = 20, period_s = 600, input_tokens = 800, output_tokens = 200 }
    local function scaled(autoscale) return served({ load = day, replicas = 3, autoscale = autoscale }) end
    local share = scaled({ utilization_frac = 0.5 })
    local rate = scaled({ metric = "rate", target = 0.5 * share.steady.capacity_per_s })
    assert.same(rate.seen, share.seen)
    assert.equal("rate", share.input.autoscale.metric)
    assert.matches("autoscale.utilization_frac: ",
      errors.catch(scaled, { utilization_frac = 0.5, target = 3 }))
    assert.matches("must be above 0 and at most 1, got 70", errors.catch(scaled, { utilization_frac = 70 }))
  end)

  it("is warned of a rate that is only reached by answers of one length that start together", function()
    local function warned(engine, rate_per_s, lengths)
      local answer = served({ model = catalog.model("gpt-oss-20b"), cluster = catalog.cluster({ device = "H200", devices = 4 }),
        plan = { tp = 4 }, engine = { name = engine, max_running = 128 }, load = { arrivals = "open", rate_per_s = rate_per_s,
          lengths = lengths, input_tokens = 68, output_tokens = 114, requests = 1000 } })
      local result = require("ballpark.result").new({})
      require("ballpark.questions.serve.show").answer(result, answer)
      return table.concat(result.warnings, "; "):find("start together", 1, true) ~= nil, answer
    end
    local said, answer = warned("sglang", 80, "fixed")
    assert.is_true(said)
    assert.is_true(answer.out_of_step_per_s < 80 and answer.steady.capacity_per_s > 80)
    assert.is_false((warned("sglang", 30, "fixed")))
    assert.is_false((warned("sglang", 30, "uniform")))
    assert.is_false((warned("vllm", 80, "fixed"))) -- prompts in pieces beside decode
  end)

  it("is told where prompts by themselves hold answers up, as simulated", function()
    local function asked(policy, rate_per_s)
      local answer = served({ model = catalog.model("gpt-oss-20b"), cluster = catalog.cluster({ device = "H200", devices = 4 }),
        plan = { tp = 4 }, engine = { name = "sglang", max_running = 128, policy = policy }, load = { arrivals = "open",
          rate_per_s = rate_per_s, lengths = "fixed", input_tokens = 68, output_tokens = 114, requests = 4000 } })
      local result = require("ballpark.result").new({})
      require("ballpark.questions.serve.show").answer(result, answer)
      return table.concat(result.notes, "; "):find("stop those that decode", 1, true) ~= nil, answer
    end
    local said, busy = asked("prefill_first", 45)
    local alone, idle = asked("prefill_first", 2)
    assert.is_true(said)
    assert.is_false(alone)
    assert.is_false((asked("mixed", 45)))
    -- More than with nearly all that it can do.
    local _, full = asked("prefill_first", 0.9 * busy.steady.capacity_per_s)
    assert.is_true(busy.seen.tpot.mean_s > 1.25 * full.seen.tpot.mean_s and busy.seen.tpot.mean_s > 2 * idle.seen.tpot.mean_s)
  end)

  it("is warned of a peak that its replicas cannot carry, although they carry the mean", function()
    local function warnings(peak)
      local answer = served({ load = { arrivals = "diurnal", rate_per_s = 20, peak_over_mean = peak, period_s = 600,
        input_tokens = 800, output_tokens = 200 } })
      local result = require("ballpark.result").new({})
      require("ballpark.questions.serve.show").answer(result, answer)
      return #result.warnings, answer.means.peak_per_s
    end
    assert.same({ 1, 60 }, { warnings(3) })
    assert.equal(0, (warnings(1.1)))
  end)

  it("is served from the checkpoint as published, unless a format is given", function()
    local function oss(plan) return served({ model = catalog.model("gpt-oss-120b"), plan = plan }) end
    local published = oss()
    assert.is_true(published.fits) -- on one H100; in 16 bit it would be 234 GB
    assert.near(65.2e9, published.memory.weights_bytes, 1e9) -- 114.7e9 of experts at 17/32 B, 2.2e9 at 2 B
    assert.same({ "bf16", "mxfp4" }, { published.input.plan.weights, published.input.plan.experts })
    assert.is_false(oss({ weights = "bf16" }).fits)
  end)

  it("can do more where prompts begin in the cache, as the simulation does", function()
    local function closed(prefix_tokens)
      return served({ load = { arrivals = "closed", concurrency = 400, requests = 4000, input_tokens = 4000,
        output_tokens = 200, prefix_tokens = prefix_tokens } })
    end
    local fresh, cached = closed(0), closed(3500)
    assert.is_true(cached.steady.capacity_per_s > 1.5 * fresh.steady.capacity_per_s)
    assert.near(1, cached.steady.capacity_per_s / cached.seen.requests_per_s, 0.1)
  end)

  it("holds what prompts begin with once, in whole blocks", function()
    local function closed(changes)
      return served({ engine = { name = "vllm", reserve_output = true }, pool_tokens = 50000, load = tables.with({
        arrivals = "closed", concurrency = 400, requests = 4000, input_tokens = 4000, output_tokens = 208 }, changes) })
    end
    local shared, own = closed({ prefix_tokens = 3500 }), closed({ prefix_tokens = 3500, shared_tokens = 0 })
    -- 218 blocks of 16 tokens are 3,488; beside them each holds 512 of its prompt and 208 of its answer.
    assert.equal((50000 - 3488) // (512 + 208), shared.steady.places)
    assert.equal(50000 // (4000 + 208), own.steady.places)
    assert.equal(shared.steady.places, shared.seen.peak_running)
    assert.equal(own.steady.places, own.seen.peak_running)
    assert.same({ 64, 11 }, { shared.cache.sequences, own.cache.sequences })
    -- Turns of a session hold what they said, each for itself.
    assert.equal(0, closed({ prefix_tokens = 3500, turns = 2 }).steady.places - closed({ prefix_tokens = 3500, turns = 2,
      shared_tokens = 0 }).steady.places)
    assert.equal(closed({ turns = 2 }).cache.sequences, closed({ prefix_tokens = 3500, turns = 2, shared_tokens = 3500 }).cache.sequences)
    -- No more is shared than a prompt has: its answer is its own.
    local beyond, whole = closed({ prefix_tokens = 6000 }), closed({ prefix_tokens = 4000 })
    assert.equal(whole.cache.sequences, beyond.cache.sequences)
    assert.equal(whole.seen.peak_running, beyond.seen.peak_running)
    assert.equal(whole.steady.places, beyond.steady.places)
    assert.equal("load.shared_tokens: is 10 of 5 tokens that are in the cache (load.prefix_tokens)",
      errors.catch(closed, { prefix_tokens = 5, shared_tokens = 10 }))
  end)

  it("holds what looks back on a window for each sequence, whatever prompts share", function()
    -- Behind 3,000 shared tokens 1,096 of a prompt fill the windows of local layers, of 1,024 tokens, by themselves.
    for _, model in ipairs({ "gemma-3-27b", "gpt-oss-120b", "llama-3.1-8b" }) do
      local answer = served({ model = catalog.model(model), engine = { name = "vllm", reserve_output = true }, load = {
        arrivals = "closed", concurrency = 2000, requests = 4000, input_tokens = 4096, output_tokens = 496, prefix_tokens = 3008 } })
      local most = math.min(answer.cache.sequences, answer.input.engine.max_running)
      assert.near(most, answer.steady.places, 0.02 * most + 1, model)
      assert.near(most, answer.seen.peak_running, 0.02 * most + 1, model)
    end
  end)

  it("does as much with what prompts share as the simulation does, also where memory is taken on demand", function()
    for _, lengths in ipairs({ "fixed", "exponential" }) do
      local answer = served({ pool_tokens = 60000, load = { arrivals = "closed", concurrency = 400, requests = 6000,
        lengths = lengths, input_tokens = 5000, output_tokens = 400, prefix_tokens = 4000 } })
      assert.near(1, answer.steady.capacity_per_s / answer.seen.requests_per_s, 0.1, lengths)
    end
  end)

  it("runs prompts that are not cut beside others by what is computed of them", function()
    -- Of 1,000 tokens 900 are in the cache: a step of 1,000 has room for ten such prompts, and for one that is not cached.
    local answer = served({ engine = { name = "trtllm", chunked_prefill = false, token_budget = 1000 },
      load = { arrivals = "closed", concurrency = 60, requests = 1200, input_tokens = 1000, output_tokens = 1,
        prefix_tokens = 900 } })
    assert.is_true(answer.seen.requests / answer.seen.steps > 3)
  end)

  it("has sessions hold their history, which is read though not computed again", function()
    local function capacity(turns, input_tokens)
      return served({ load = { arrivals = "open", rate_per_s = 1, turns = turns, input_tokens = input_tokens,
        output_tokens = 200, requests = 500 } }).steady.capacity_per_s
    end
    local later = capacity(5, 500) -- 1,900 tokens in the mean, 500 of them new
    assert.is_true(later < capacity(1, 500))
    assert.is_true(later > capacity(1, 1900))
  end)

  it("names a load that all of them together cannot carry", function()
    local answer = served({ replicas = 3, load = { arrivals = "open", rate_per_s = 500 } })
    assert.is_false(answer.steady.stable)
    assert.is_nil(answer.seen)
  end)

  it("names a trace that comes faster than it can be served, which has an end and is simulated", function()
    local function warned(gap_s, count)
      local list = {}
      for i = 1, count do list[i] = { arrival_s = gap_s * i, input_tokens = 2000, output_tokens = 300 } end
      local answer = served({ load = {}, trace = list })
      local result = require("ballpark.result").new({})
      require("ballpark.questions.serve.show").answer(result, answer)
      return answer, result.warnings
    end
    local fast, said = warned(0.01, 400)
    assert.is_false(fast.steady.stable)
    assert.equal(1, #said)
    assert.near(100, fast.means.rate_per_s, 0.5)
    local calm = warned(1, 50)
    assert.is_true(calm.steady.stable)
    local lone
    lone, said = warned(1, 1)
    assert.is_true(lone.steady.stable)
    assert.same({}, said)
  end)

  it("says that it does not keep up where only the simulation can know", function()
    local pool = { replicas = 1 }
    local load_of = { arrivals = "open", rate_per_s = 60, input_tokens = 4000, output_tokens = 20, requests = 3000 }
    assert.is_false(served({ prefill_pool = pool, load = load_of }).keeps_up)
    load_of.rate_per_s = 2
    local calm = served({ prefill_pool = pool, load = load_of })
    assert.is_true(calm.keeps_up)
    assert.is_nil(calm.steady)
    local apart = served({ prefill_pool = pool, load = load_of, engine = "sglang" })
    require("ballpark.questions.serve.show").answer(require("ballpark.result").new({}), apart)
    assert.equal("prefill_first", apart.input.engine.policy)
    load_of.requests = 300
    local narrow = served({ prefill_pool = { replicas = 1, link_bytes_s = 1e8 }, load = load_of })
    local result = require("ballpark.result").new({})
    require("ballpark.questions.serve.show").answer(result, narrow)
    assert.equal(1, #result.warnings)
    local facts = {}
    for _, fact in ipairs(result.blocks[1].items) do facts[fact.name] = fact end
    assert.equal("the link between the pools", facts.bound.value)
    assert.equal("0.1 GB/s, whole prompts", facts.link.value)
    assert.near(2, calm.bill.devices, 1e-9)
  end)

  it("has a range around its means", function()
    local answer = served({})
    for _, metric in ipairs({ "ttft", "tpot", "e2e" }) do
      local range = answer.range[metric .. "_s"]
      assert.equal(answer.seen[metric].mean_s, range.value)
      assert.is_true(range.low < range.value and range.value < range.high)
    end
  end)

  it("says what would do where nothing runs", function()
    local function warned(changes)
      local result = require("ballpark.result").new({})
      require("ballpark.questions.serve.show").answer(result, served(changes))
      return table.concat(result.warnings, "\n")
    end
    local large = catalog.model("llama-3.1-70b")
    local said = warned({ model = large })
    local tp, format = said:match("it fits with plan.tp = (%d+) on %d+ devices, or with plan.weights = '(%w+)'")
    local function on(devices)
      return served({ model = large, plan = { tp = devices },
        cluster = catalog.cluster({ device = "H100", devices = devices }) }).fits
    end
    assert.is_true(on(math.tointeger(tonumber(tp))))
    assert.is_false(on(math.tointeger(tonumber(tp)) // 2))
    assert.is_true(served({ model = large, plan = { weights = format } }).fits)
    local function long(tokens)
      return { cluster = catalog.cluster({ device = "L4", devices = 1 }),
        load = { input_tokens = tokens, output_tokens = 1, requests = 10 } }
    end
    local most = math.tointeger(tonumber(warned(long(200000)):match("requests of (%d+) tokens at most")))
    assert.is_true(served(long(most - 20)).seen.requests == 10) -- in whole blocks of 16
    assert.is_false(served(long(most + 100)).fits)
    local rate = { load = { arrivals = "open", rate_per_s = 100, input_tokens = 800, output_tokens = 200 } }
    local planned, least = warned(rate):match("replicas = (%d+) carry it at 70 %% of what they can do, (%d+) just so")
    rate.replicas = tonumber(least) - 1
    assert.is_false(served(rate).steady.stable)
    rate.replicas = tonumber(least)
    assert.is_true(served(rate).steady.stable)
    assert.is_true(tonumber(planned) > tonumber(least))
  end)

  -- 2 of 8 H100 that only prefill, each with a NIC of 50 GB/s: 100 GB/s, and 4,000 tokens of 128 KiB take 10.5 ms of one.
  it("moves KV caches over what the devices of prefill can send, unless somebody says otherwise", function()
    local load_of = { arrivals = "open", rate_per_s = 5, input_tokens = 4000, output_tokens = 20, requests = 300 }
    local pool = served({ prefill_pool = { replicas = 2 }, load = load_of }).input.prefill_pool
    assert.equal(1e11, pool.link_bytes_s)
    assert.near(4000 * 131072 / 5e10, pool.link_latency_s, 1e-6)
    -- Nodes of an NVL72 rack are joined by NVLink.
    local rack = served({ prefill_pool = { replicas = 2 }, load = load_of, cluster = catalog.cluster({ device = "GB200", devices = 1 }) })
    assert.equal(1.8e12, rack.input.prefill_pool.link_bytes_s)
    -- Layer by layer they leave while the prompt is computed.
    assert.equal(0, served({ prefill_pool = { replicas = 2, layer_wise = true }, load = load_of }).input.prefill_pool.link_latency_s)
    local said = served({ prefill_pool = { replicas = 2, link_bytes_s = 1e9 }, load = load_of }).input.prefill_pool
    assert.same({ 1e9, nil }, { said.link_bytes_s, said.link_latency_s })
  end)

  it("refuses a pool for prompts of nobody knows how many", function()
    assert.matches("^prefill_pool%.replicas: ",
      errors.catch(served, { prefill_pool = { link_bytes_s = 1e9 } }))
    assert.is_nil(errors.catch(served, { prefill_pool = { replicas = 0 } }))
  end)

  it("refuses a plan of its prompt pool that does not divide the heads", function()
    assert.equal("prefill_pool.plan.tp: 3 does not divide 32 attention heads",
      errors.catch(served, { prefill_pool = { replicas = 1, plan = { tp = 3 } } }))
  end)
end)

describe("a percentile that is asked for", function()
  local show = require("ballpark.questions.serve.seen_show")

  local function rows_of(answer)
    local names = {}
    for i, row in ipairs(show.table(answer).rows) do names[i] = row[1] end
    return table.concat(names, " ")
  end

  it("stands between its neighbours, in the numbers and in the table", function()
    local answer = served({ percentile = 95 })
    for _, time in ipairs({ "ttft", "tpot", "e2e", "queue" }) do
      local seen = answer.seen[time]
      assert.is_true(seen.p90_s <= seen.at_s and seen.at_s <= seen.p99_s, time)
    end
    assert.equal("mean P50 P90 P95 P99", rows_of(answer))
    assert.equal("mean P50 P90 P99 P99.9", rows_of(served({ percentile = 99.9 })))
    assert.equal("mean P25 P50 P90 P99", rows_of(served({ percentile = 25 })))
    assert.equal("mean P50 P90 P99", rows_of(served({ percentile = 99 })))
  end)

  it("is the 90th where none is, and within what the simulation can tell", function()
    local seen = served({}).seen
    assert.equal(seen.ttft.p90_s, seen.ttft.at_s)
    assert.matches("percentile", errors.catch(served, { percentile = 100 }))
  end)
end)

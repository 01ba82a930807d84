-- The search over serving fleets: against all fleets one by one, limits, and what it says when nothing holds.
local catalog = require("ballpark.catalog")
local candidates = require("ballpark.questions.serve_search.candidates")
local core = require("ballpark.core")
local emit = require("ballpark.emit")
local errors = require("ballpark.errors")
local fleets = require("ballpark.questions.serve_search.fleets")
local question = require("ballpark.questions.serve_search.question")
local refusal = require("ballpark.questions.serve.refusal")
local resolve = require("ballpark.resolve.serving")
local result = require("ballpark.result")
local search = require("ballpark.questions.serve_search.run")
local serve_run = require("ballpark.questions.serve.run")
local show = require("ballpark.questions.serve_search.show")
local tables = require("ballpark.tables")

local function ask(changes)
  local input = { model = catalog.model("llama-3.1-70b"), devices = { "H100", "L40S" }, gpus = 16, engine = "vllm",
    load = { rate_per_s = 4, input_tokens = 1500, output_tokens = 300 }, sla = { ttft_s = 1, tpot_s = 0.05 },
    space = { tp = { 1, 2, 4, 8 }, pp = 1, format = { "bf16", "fp8" } } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return input
end

-- USD per hour of the cheapest fleet whose means meet the SLO, by looking at every one.
local function by_hand(input, utilization)
  local best, load = math.huge, tables.with(input.load, { arrivals = "poisson" })
  for _, device in ipairs(input.devices) do
    for _, tp in ipairs(input.space.tp) do
      for _, format in ipairs(input.space.format) do
        for replicas = 2, input.gpus // tp do
          local cluster = catalog.cluster({ device = device, devices = tp })
          local setup = { model = input.model, device = cluster.device, network = cluster.network,
            curves = require("ballpark.catalog.serving_curves").get(cluster.device),
            engine = resolve.engine("vllm", cluster.device, 0, load), plan = { tp = tp, weights = format },
            rate_per_s = input.load.rate_per_s / (replicas - 1), input_tokens = 1500, output_tokens = 300 }
          local ok, seen = pcall(core.infer_load, setup)
          if ok and seen.stable and setup.rate_per_s <= utilization * seen.capacity_per_s
            and seen.ttft_s <= input.sla.ttft_s and seen.tpot_s <= input.sla.tpot_s then
            best = math.min(best, replicas * tp * cluster.usd_h)
          end
        end
      end
    end
  end
  return best
end

describe("serve_search", function()
  it("orders the fleets as looking at each of them does", function()
    for _, limits in ipairs({ { ttft_s = 1, tpot_s = 0.05 }, { ttft_s = 0.4, tpot_s = 0.02 } }) do
      local input = ask({ sla = limits })
      input.space.pattern = "aggregated"
      assert.near(by_hand(input, 0.7), search.run(input).fleets[1].cost_usd_h, 1e-9)
    end
  end)

  it("looks at a checkpoint of 4 bits as it is published, which nobody widens", function()
    local space = require("ballpark.questions.serve_search.space")
    local published = space.of({}, catalog.model("gpt-oss-120b"), 8).format
    assert.equal(1, #published)
    assert.equal("mxfp4", published[1].experts)
    assert.same({ "bf16", "fp8" }, space.of({}, catalog.model("llama-3.1-70b"), 8).format)
  end)

  it("lists the fleets that are faster for more money", function()
    local answer = search.run(ask())
    local front = answer.front
    assert.is_true(#front > 1)
    local function beats(a, b)
      return a ~= b and a.cost_usd_h <= b.cost_usd_h and a.steady.ttft_s <= b.steady.ttft_s
        and a.steady.tpot_s <= b.steady.tpot_s
    end
    for i, one in ipairs(front) do
      assert.is_true(i == 1 or one.cost_usd_h >= front[i - 1].cost_usd_h)
      for _, other in ipairs(front) do assert.is_false(beats(other, one)) end
    end
    for _, one in ipairs(answer.fleets) do
      local kept = tables.contains(front, one) or one.failed ~= nil
      for _, other in ipairs(front) do kept = kept or beats(other, one) end
      assert.is_true(kept)
    end
  end)

  it("has no table twice where all of them are faster for more money", function()
    local answer = search.run(ask())
    local function tables_of(list)
      local r, names = result.new({ command = "serve" }), {}
      show.answer(r, tables.with(answer, { fleets = list }))
      for _, block in ipairs(r.blocks) do names[block.name] = true end
      return names
    end
    assert.is_true(tables_of(answer.fleets).front)
    assert.is_nil(tables_of(answer.front).front)
  end)

  it("takes the mean of lengths that are given by the longest", function()
    local fleet = search.run(ask({ load = { rate_per_s = 4, input_tokens = 1500, output_tokens = 300,
      lengths = "uniform", spread = 0.5 } })).fleets[1]
    local input = fleet.groups[1].candidate.input
    assert.equal(1125, input.input_tokens)
    assert.equal(225, input.output_tokens)
  end)

  it("lists the winner, also where replicas were added to a fleet that failed", function()
    local answer = search.run(ask({ gpus = 32, devices = { "H100" }, load = { rate_per_s = 8 },
      sla = { ttft_s = 0.16, percentile = 99 }, space = { tp = 4, pp = 1, format = "fp8" } }))
    local last, there, failed = 0, false, 0
    for _, fleet in ipairs(answer.fleets) do
      assert.is_true(fleet.cost_usd_h >= last)
      last, there, failed = fleet.cost_usd_h, there or fleet == answer.winner, failed + (fleet.failed and 1 or 0)
    end
    assert.is_true(there)
    assert.is_true(failed > 0)
  end)

  it("searches the published format of a checkpoint, too", function()
    local answer = search.run(ask({ model = catalog.model("gpt-oss-120b"), devices = { "H100" }, gpus = 2,
      load = { rate_per_s = 2 }, sla = { ttft_s = 1 }, space = { tp = 1, pp = 1 } }))
    assert.equal("mxfp4", answer.winner.candidate.plan.experts)
    assert.equal(2, answer.winner.devices) -- nothing else fits one of them
  end)

  it("refuses so few replicas that the spares leave none", function()
    local function complaint(changes) return errors.catch(search.run, ask(changes)) end
    assert.equal("space.replicas: 1 with the spares leaves none to serve: give 2 or more, or spares = 0",
      complaint({ space = { tp = 4, replicas = 1 } }))
    assert.is_nil(complaint({ space = { tp = 4, replicas = 1 }, spares = 0 }))
    assert.is_nil(complaint({ space = { tp = 4, replicas = { 1, 2 } } }))
  end)

  it("refuses a greatest length that requests are longer than, as a replica does", function()
    assert.equal(1800, question.new(ask({ max_model_len = 1800 })).max_model_len)
    assert.matches("^max_model_len: is 1799, and a request has 1800 tokens: the engine refuses it$",
      errors.catch(question.new, ask({ max_model_len = 1799 })))
    local mixed = { rate_per_s = 4, buckets = { { share = 0.9, input_tokens = 100, output_tokens = 100 },
      { share = 0.1, input_tokens = 9000, output_tokens = 1000 } } }
    assert.matches("a request has 10000 tokens", errors.catch(question.new, ask({ max_model_len = 4096, load = mixed })))
    assert.matches("whole number of tokens, got 0", errors.catch(question.new, ask({ max_model_len = 0 })))
  end)

  it("refuses loads that no simulation reads before it looks for a fleet", function()
    local function complaint(load)
      return errors.catch(search.run, ask({ load = tables.with({ rate_per_s = 20 }, load) }))
    end
    assert.matches("^load.output_tokens: ", complaint({ output_tokens = 0 }))
    assert.matches("^load.lengths: ", complaint({ lengths = "gaussian" }))
    assert.matches("^load.arrivals: ", complaint({ arrivals = "opne" }))
    assert.matches("^load.spread: ", complaint({ lengths = "uniform", spread = -1 }))
    assert.matches("^load.spread: ", complaint({ lengths = "uniform", spread = 2 }))
    assert.is_nil(complaint({ peak_over_mean = 25 })) -- of a rate, not of a day's curve
  end)

  it("refuses a day's rates where a single service does, with the same words", function()
    local function both(changes)
      local load = tables.with({ rate_per_s = 12, input_tokens = 1000, output_tokens = 200 }, changes)
      local alone = errors.catch(serve_run.run, { model = catalog.model("llama-3.1-8b"), engine = "vllm",
        cluster = catalog.cluster({ device = "H100", devices = 1 }), load = load })
      local fleet = errors.catch(question.new, ask({ load = load }))
      return alone, fleet
    end
    local rates = { 1, 1, 1, 6, 6, 1 }
    local alone, fleet = both({ arrivals = "open", rates = rates })
    assert.equal("load.rates: is for diurnal arrivals, and these are open", fleet)
    assert.equal(alone, fleet)
    alone, fleet = both({ arrivals = "diurnal", rates = rates, peak_over_mean = 5 })
    assert.equal("load.peak_over_mean: and rates both say how the rate changes: give one", fleet)
    assert.equal(alone, fleet)
    -- A fleet takes a rate without arrivals.
    assert.matches("^load.rates: is for diurnal arrivals, and these are open; give arrivals = 'diurnal'$",
      (errors.catch(question.new, ask({ load = { rate_per_s = 12, rates = rates } }))))
    -- 12 per s in the mean of six slots whose weights have the mean 16 / 6 and the peak 6.
    local sized = question.new(ask({ load = { arrivals = "diurnal", rate_per_s = 12, rates = rates } }))
    assert.near(27, sized.load.rate_per_s, 1e-9)
  end)

  it("answers with a fleet that meets the SLO in the simulation", function()
    local answer = search.run(ask())
    local fleet = answer.winner
    assert.is_true(fleet.seen.ttft.p90_s <= 1 and fleet.seen.tpot.p90_s <= 0.05)
    assert.equal(1, fleet.replicas - fleet.up)
    assert.equal(fleet.devices, fleet.replicas * fleet.candidate.ranks)
    assert.is_true(4 / fleet.up <= 0.7 * fleet.steady.capacity_per_s)
    local twice = search.run(ask()).winner
    assert.equal(fleet.seen.ttft.p90_s, twice.seen.ttft.p90_s)
  end)

  it("costs no less for a tighter SLO, a higher rate or more spares", function()
    local function cost(changes) return search.run(ask(changes)).winner.cost_usd_h end
    local usual = cost()
    assert.is_true(cost({ sla = { ttft_s = 0.3, tpot_s = 0.02 } }) >= usual)
    assert.is_true(cost({ load = { rate_per_s = 8, input_tokens = 1500, output_tokens = 300 } }) >= usual)
    assert.is_true(cost({ spares = 0 }) < usual)
    assert.is_true(cost({ sla = { ttft_s = 1, tpot_s = 0.05, percentile = 99 } }) >= usual)
  end)

  it("meets an SLO at any percentile, dearer the higher it is", function()
    local last, slower = 0, 0
    for _, percentile in ipairs({ 25, 50, 95, 99.9 }) do
      local winner = search.run(ask({ sla = { ttft_s = 0.6, tpot_s = 0.05, percentile = percentile } })).winner
      assert.is_true(winner.cost_usd_h >= last and winner.seen.ttft.at_s <= 0.6)
      last = winner.cost_usd_h
      if percentile == 25 then assert.is_true(winner.seen.ttft.at_s < winner.seen.ttft.p50_s) end
      if percentile == 95 then
        assert.is_true(winner.seen.ttft.p90_s <= winner.seen.ttft.at_s)
        assert.is_true(winner.seen.ttft.at_s <= winner.seen.ttft.p99_s)
      end
      slower = winner.seen.requests
    end
    assert.equal(4 * 20000, slower) -- twenty of them beyond P99.9, and what holds again with four times as many
  end)

  it("simulates so many requests that what is in flight is a tenth of them, and says what has not settled", function()
    local winner = search.run(ask({ devices = { "H100" }, gpus = 128, load = { rate_per_s = 60, output_tokens = 1500 },
      sla = { tpot_s = 0.1 }, space = { tp = 4, pp = 1, format = "fp8" } })).winner
    assert.is_true(winner.seen.requests >= 10 * 60 * winner.steady.e2e_s)
    assert.same({}, winner.unsettled)
    assert.near(60, winner.seen.requests_per_s, 2)
    local few = search.run(ask({ load = { rate_per_s = 4, requests = 500 } })).winner
    assert.equal(500, few.seen.requests)
    local r = require("ballpark.result").new({})
    local fleet_assumed = require("ballpark.questions.serve.fleet_assumed")
    fleet_assumed.say_unsettled(r, { percentile = 95 }, { ttft_s = 0.2, e2e_s = -0.15 })
    local said = " over more simulated requests: it has not settled"
    assert.same({ "P95 of TTFT is 20 % higher" .. said, "P95 of E2E is 15 % lower" .. said },
      r.notes)
  end)

  it("says how much it looked at, and when that is not enough to say that nothing holds", function()
    local whole = search.run(ask()).searched
    assert.is_true(whole.complete)
    assert.equal(whole.size, whole.looked_at)
    local few = search.run(ask({ load = { rate_per_s = 4, requests = 100 },
      sla = { ttft_s = 1, percentile = 99 } })).searched
    assert.is_false(few.complete)
    assert.matches("P99 of the 100 requests of the load rests on 1 of them: 2000 would do", few.why)
    local answer = { kind = "serving_search", ask = { gpus = 8, sla = { limits = {} } }, breaks = { "ttft_s" },
      reachable = {}, searched = whole }
    assert.matches("^no fleet of 8 devices meets", refusal.of(answer))
    answer.searched = few
    assert.matches("^no fleet of 8 devices that meets the SLO was found before", refusal.of(answer))
  end)

  -- Between nodes of one rack keys and values go over NVLink, between pods over the links of the pod: both are no NIC.
  it("finds two pools on devices whose nodes fast links join", function()
    for _, device in ipairs({ "GB200", "TPU-v5e" }) do
      local winner = search.run(ask({ model = catalog.model("llama-3.1-8b"), devices = { device }, gpus = 64,
        load = { rate_per_s = 4, input_tokens = 1000, output_tokens = 100 }, sla = { ttft_s = 2, tpot_s = 0.1, percentile = 90 },
        space = { pattern = "disaggregated" } })).winner
      assert.equal(2, #winner.groups, device)
    end
  end)

  it("leaves dear pairs of replicas out, and says so unless each costs more than the winner", function()
    local input = ask({ devices = { "H100" }, gpus = 64, space = { tp = { 1, 2, 4, 8 }, pp = { 1, 2, 4 },
      format = "fp8", pattern = "disaggregated" } })
    local found = candidates.all(question.new(input))
    local list, left_out = fleets.all(found)
    assert.is_true(left_out.pairs > 0 and left_out.paired == 36)
    local answer = search.run(input)
    assert.equal(left_out.least_usd_h >= answer.winner.cost_usd_h, answer.searched.complete)
    assert.equal(found.tried + left_out.paired + left_out.pairs, answer.searched.size)
    assert.is_true(list[1].cost_usd_h <= left_out.least_usd_h)
  end)

  it("takes the replicas, places and formats it is allowed", function()
    local space = { tp = 4, pp = 1, format = { weights = "fp8", kv = "fp8" }, replicas = 3, max_running = 32 }
    local fleet = search.run(ask({ space = space })).winner
    assert.equal(3, fleet.replicas)
    assert.equal(32, fleet.candidate.engine.max_running)
    assert.equal("fp8", fleet.candidate.plan.kv)
    assert.is_true(fleet.steady.places <= 32)
  end)

  it("searches attention groups and expert ranks of a model with experts", function()
    local answer = search.run(ask({ model = catalog.model("deepseek-v3"), devices = "H200", gpus = 32,
      space = { tp = { 1, 8 }, attention_dp = { 1, 8 }, ep = { 1, 8 }, pp = 1, format = "fp8_block" } }))
    assert.is_true(answer.fits)
    for _, fleet in ipairs(answer.fleets) do
      local plan = fleet.candidate.plan
      assert.is_true(plan.ep <= plan.tp * plan.dp)
    end
  end)

  it("builds no fleet of replicas that hardly start", function()
    -- 67.7 GiB of weights in 8 bit on one H100 leave a few thousand tokens.
    local input = ask({ devices = "H100", gpus = 64, space = { tp = { 1, 2 }, pp = 1, format = "fp8", pattern = "aggregated" } })
    assert.equal(2, search.run(input).winner.groups[1].candidate.ranks)
  end)

  it("leaves out replicas that do not hold the longest request, and goes on beyond a limit that nobody set", function()
    local load = { rate_per_s = 200, input_tokens = 1000, output_tokens = 300, lengths = "lognormal" }
    local drawn = search.run(ask({ devices = "H100", load = load, gpus = 256, space = {}, sla = { ttft_s = 1, tpot_s = 0.05 } }))
    assert.is_true(drawn.fits)
    load.spread, load.rate_per_s = 1, 240
    local open = ask({ devices = "H200", load = load, space = {}, sla = { ttft_s = 2, tpot_s = 0.08 } })
    open.gpus = nil
    local wide = search.run(open)
    assert.is_true(wide.fits)
    assert.is_true(wide.winner.devices > 64)
    -- One kind of replica whose cache is too short for what is drawn: refused in a line.
    local short = search.run(ask({ devices = "L4", gpus = 8, model = catalog.model("llama-3.1-8b"),
      space = { tp = 1, pp = 1, format = "bf16", pattern = "aggregated" }, sla = { e2e_s = 1e6 },
      load = { rate_per_s = 0.01, input_tokens = 9000, output_tokens = 1000, lengths = "lognormal", spread = 2 } }))
    assert.same({ "memory" }, short.breaks)
    assert.equal("longest", short.rejected[1].reason)
  end)

  it("says which part breaks an SLO, and the best that can be had", function()
    local slow = search.run(ask({ sla = { ttft_s = 1e-3, tpot_s = 0.05 } }))
    assert.is_false(slow.fits)
    assert.same({ "ttft_s" }, slow.breaks)
    assert.is_true(slow.reachable.ttft_s > 1e-3 and slow.reachable.ttft_s < 1)
    local again = search.run(ask({ sla = { ttft_s = 1.5 * slow.reachable.ttft_s, percentile = 50 } }))
    assert.is_true(again.fits)
    local busy = search.run(ask({ load = { rate_per_s = 1e4, input_tokens = 1500, output_tokens = 300 } }))
    assert.equal("rate", busy.breaks[1])
    assert.is_true(busy.reachable_per_s < 1e4)
    local big = search.run(ask({ model = catalog.model("deepseek-v3"), gpus = 2 }))
    assert.same({ "memory" }, big.breaks)
    assert.is_true(big.missing.memory.pool_bytes < 0)
    assert.is_true(big.missing:missing_bytes() > -big.missing.memory.pool_bytes)
    -- 300,000 tokens of 2 * 80 * 8 * 128 bf16 values take 91.6 GiB: the weights find room, one request does not.
    local long = search.run(ask({ devices = "H100", space = { tp = 2, pp = 1, format = "fp8", kv = "bf16" },
      load = { rate_per_s = 0.01, input_tokens = 299000, output_tokens = 1000 } }))
    assert.same({ "memory" }, long.breaks)
    local memory = long.missing.memory
    assert.is_true(memory.pool_bytes > 0)
    -- What surely fits leaves 1.2816 standard deviations of 3 %.
    local kept = memory.usable_bytes * (1 - 1 / (1 + 0.03 * 1.2816))
    assert.near(300000 * 2 * 80 * 8 * 128 * 2 / 2 - memory.pool_bytes + kept, long.missing:missing_bytes(), 1)
    assert.equal(long.missing:missing_bytes(), long.rejected[1].example.value)
    assert.same({ "gpus" }, search.run(ask({ gpus = 4, devices = "H100", space = { tp = 4 } })).breaks)
  end)

  it("finds in a wider space what is as cheap as in a narrower one, however many fleets fail before", function()
    -- Without draft tokens 33 fleets are simulated until one of 168 USD/h holds; with them 60 until a cheaper one does.
    local wide = search.run(ask({ devices = { { device = "H200", price = 3 } }, gpus = 64, space = { draft_tokens = { 0, 3 } },
      load = { rate_per_s = 10, input_tokens = 8000, output_tokens = 1000 }, sla = { ttft_s = 1, tpot_s = 0.03, percentile = 99 } }))
    assert.is_true(wide.fits)
    assert.is_true(wide.winner.cost_usd_h <= 168)
  end)

  it("leaps to a fleet many times that of the means, and back to the least that holds", function()
    -- P99 of the first token is nearly that of a lone prompt: it takes replicas that are mostly idle.
    local answer = search.run({ model = catalog.model("llama-3.1-70b"), devices = { "H200" }, engine = "sglang",
      load = { rate_per_s = 30, input_tokens = 528, output_tokens = 32 }, sla = { ttft_s = 0.092, percentile = 99 } })
    assert.is_true(answer.fits)
    assert.is_true(answer.winner.seen.ttft.at_s <= 0.092)
    local first, fewest = answer.winner.groups[1], math.huge
    for _, this in ipairs(answer.fleets) do
      local group = this.groups[1]
      if group.candidate == first.candidate then fewest = math.min(fewest, group.up) end
    end
    assert.is_true(first.up > 2 * fewest)
    for _, less in ipairs(answer.smaller) do
      if less.group == 1 then assert.is_true(less.part == "ttft_s" and less.ratio > 1) end
    end
  end)

  it("takes no kind of replica over a size of another that it leapt over", function()
    local function cost(space)
      local answer = search.run({ model = catalog.model("llama-3.1-8b"), devices = { { device = "L40S", price = 2 } }, gpus = 64, engine = "vllm",
        load = { rate_per_s = 2, input_tokens = 3171, output_tokens = 72 }, sla = { ttft_s = 0.2179, percentile = 95 }, space = space })
      return answer.winner.cost_usd_h
    end
    local one = cost({ format = "fp8", pattern = "aggregated", tp = 1, pp = 1 })
    assert.near(18, one, 1e-9)
    assert.is_true(cost({ format = "fp8", pattern = "aggregated" }) <= one)
  end)

  it("gives no kind of replica up for bursts that more of them mend", function()
    local answer = search.run({ model = catalog.model("llama-3.1-8b"), devices = { { device = "H100", price = 2 } }, gpus = 64, engine = "vllm",
      load = { rate_per_s = 4, input_tokens = 3000, output_tokens = 100, burstiness = 3 }, sla = { ttft_s = 0.15, percentile = 95 },
      space = { format = "fp8", pattern = "aggregated", tp = 1, pp = 1 } })
    assert.is_true(answer.fits and answer.trials > 1)
  end)

  it("launches the winner", function()
    local text, missing = emit.text(search.run(ask()), "vllm")
    assert.matches("exec vllm serve", text)
    assert.matches("replicas = %d", table.concat(missing, "\n"))
    assert.matches("no fleet of 16 devices meets the SLO; what breaks it is TTFT %(SLO 0.001 s, ",
      errors.catch(emit.text, search.run(ask({ sla = { ttft_s = 1e-3 } })), "vllm"))
  end)

  it("refuses what it does not understand", function()
    local function said(changes) return errors.catch(search.run, ask(changes)) end
    assert.matches("serve_search.gpu: .*'gpus'", said({ gpu = 8 }))
    assert.matches("sla.ttft: .*'ttft_s'", said({ sla = { ttft = 1 } }))
    assert.matches("sla: ", said({ sla = {} }))
    assert.matches("sla.percentile: must be from 1 to 99.9, got 99.95",
      said({ sla = { ttft_s = 1, percentile = 99.95 } }))
    assert.matches("load.rate_per_s: ", said({ load = {} }))
    assert.matches("load: ", said({ load = { arrivals = "closed" } }))
    assert.matches("space.tp%[1%]: ", said({ space = { tp = { 0 } } }))
    assert.matches("is not one of", said({ space = { tp = 8, format = "fp9" } }))
    assert.matches("gpus: ", said({ gpus = 0 }))
    local own = catalog.device("H100")
    own.name = nil
    assert.matches("devices%[1%]: ", said({ devices = { own } }))
    assert.is_true(search.run(ask({ devices = { { device = own, price = 2 } } })).fits)
  end)
end)

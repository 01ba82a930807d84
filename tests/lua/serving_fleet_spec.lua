-- Fleets of a search: redundancy, terms, two pools, what binds, ranges, the bill, and the tally of the rest.
local bill = require("ballpark.questions.serve.bill")
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local result = require("ballpark.result")
local search = require("ballpark.questions.serve_search.run")
local show = require("ballpark.questions.serve_search.show")
local tables = require("ballpark.tables")
local supply = require("ballpark.questions.serve.supply")

local function ask(changes)
  local input = { model = catalog.model("llama-3.1-70b"), devices = "H100", gpus = 32, engine = "vllm",
    load = { rate_per_s = 6, input_tokens = 1500, output_tokens = 300 }, sla = { ttft_s = 1, tpot_s = 0.05 },
    space = { tp = { 2, 4, 8 }, pp = 1, format = "fp8", pattern = "aggregated" } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return input
end

describe("redundancy", function()
  it("keeps the peak when the fullest zone and the spares are lost, and is the least that does", function()
    local function left(replicas, zones, spares) return replicas - (replicas + zones - 1) // zones - spares end
    for zones = 2, 4 do
      for spares = 0, 1 do
        local winner = search.run(ask({ zones = zones, spares = spares })).winner
        assert.is_true(left(winner.replicas, zones, spares) >= winner.up)
        assert.is_true(left(winner.replicas - 1, zones, spares) < winner.up)
      end
    end
  end)

  it("counts the replicas of a roll-out among the devices, and not in the bill", function()
    local plain, surged = search.run(ask()).winner, search.run(ask({ surge_frac = 0.5 })).winner
    assert.equal(plain.cost_usd_h, surged.cost_usd_h)
    assert.equal(plain.devices + math.ceil(plain.replicas / 2) * plain.candidate.ranks, surged:most_devices())
    local narrow = search.run(ask({ gpus = plain.devices, surge_frac = 1 }))
    assert.is_true(not narrow.fits or narrow.winner:most_devices() <= plain.devices)
  end)

  it("has more spot replicas than the load needs, as core.replicas has them", function()
    local winner = search.run(ask({ terms = "spot", spares = 0 })).winner
    assert.equal("spot", winner.candidate.pool.term)
    assert.equal(math.ceil(winner.up / 0.8), winner.replicas)
  end)

  it("takes the cheaper of two terms, and a price of one's own as that of its term", function()
    local both = search.run(ask({ terms = { "on_demand", "reserved" } }))
    assert.equal("reserved", both.winner.candidate.pool.term)
    local demand = search.run(ask()).winner
    assert.near(0.65, both.winner.cost_usd_h / demand.cost_usd_h, 1e-12)
    local own = search.run(ask({ devices = { { device = "H100", price = 2, term = "reserved" } } })).winner
    assert.equal(2, own.candidate.pool.usd_h)
  end)

  it("takes a stated price of several terms as that on demand, else as that of the first", function()
    local function priced(terms)
      local of = {}
      for _, pool in ipairs(supply.pools({ { device = "H100", price = 2 } }, terms, 8)) do of[pool.term] = pool end
      return of
    end
    local of = priced({ "spot", "on_demand", "reserved" })
    assert.equal(2, of.on_demand.usd_h)
    assert.is_nil(of.on_demand.assumed)
    assert.near(0.8, of.spot.usd_h, 1e-12)
    assert.near(1.3, of.reserved.usd_h, 1e-12)
    assert.equal("the price on demand, 65 % of it as reserved (committed for a year)", of.reserved.assumed)
    of = priced({ "reserved", "spot" })
    assert.equal(2, of.reserved.usd_h)
    assert.near(2 * 0.4 / 0.65, of.spot.usd_h, 1e-12)
    for _, term in ipairs({ "reserved", "spot", "on_demand" }) do assert.equal(2, priced(term)[term].usd_h) end
  end)

  it("sizes for the peak and charges the mean", function()
    local load = { rate_per_s = 2, peak_over_mean = 3, input_tokens = 1500, output_tokens = 300 }
    local peaked, flat = search.run(ask({ load = load })), search.run(ask())
    assert.equal(flat.winner.cost_usd_h, peaked.winner.cost_usd_h)
    local a = bill.of(peaked.winner, peaked.ask.load, peaked.ask.mean_per_s)
    local b = bill.of(flat.winner, flat.ask.load, flat.ask.mean_per_s)
    assert.near(3, a.usd_per_request / b.usd_per_request, 1e-12)
  end)
end)

describe("the bill", function()
  it("is that of hours, requests and tokens by hand", function()
    local answer = search.run(ask())
    local costs = bill.of(answer.winner, answer.ask.load, 6)
    assert.near(costs.cost_usd_h * 730, costs.cost_usd_month, 1e-9)
    assert.near(costs.cost_usd_h / 21600, costs.usd_per_request, 1e-15)
    assert.near(costs.usd_per_request / 300 * 1e6, costs.usd_per_million, 1e-9)
    assert.near(costs.usd_per_request / 1800 * 1e6, costs.usd_per_million_all, 1e-9)
    assert.near(answer.winner.devices * catalog.device("H100").tdp_w, costs.power_w, 1e-9)
    assert.near(costs.power_w / 6, costs.request_j, 1e-9)
  end)
end)

describe("two pools", function()
  local tight = { load = { rate_per_s = 20, input_tokens = 3000, output_tokens = 200 }, gpus = 64,
    sla = { ttft_s = 1, tpot_s = 0.03 } }

  local function of(pattern)
    local input = ask(tight)
    input.space.pattern = pattern
    return search.run(input)
  end

  it("meet an SLO in the simulation, prompts apart from answers", function()
    local winner = of("disaggregated").winner
    assert.same({ "prefill", "decode" }, { winner.groups[1].role, winner.groups[2].role })
    assert.is_true(winner.seen.ttft.p90_s <= 1 and winner.seen.tpot.p90_s <= 0.03)
    assert.equal(winner.devices, winner.groups[1].devices + winner.groups[2].devices)
    -- Closed forms give each replica an even share; behind a router prompts wait less.
    assert.near(1, winner.steady.tpot_s / winner.seen.tpot.mean_s, 0.15)
    local ratio = winner.steady.ttft_s / winner.seen.ttft.mean_s
    assert.is_true(ratio > 0.9 and ratio < 1.6)
  end)

  it("are taken where they are cheaper, and only there", function()
    local one, two, both = of("aggregated"), of("disaggregated"), of({ "aggregated", "disaggregated" })
    assert.equal(math.min(one.winner.cost_usd_h, two.winner.cost_usd_h), both.winner.cost_usd_h)
  end)

  it("send every key and value once", function()
    local prompts = of("disaggregated").winner.groups[1]
    local fleet = require("ballpark.questions.serve.fleet")
    -- Llama-3.1-70B: 80 layers, 8 KV heads of 128, 2 tensors of 2 bytes, over tp ranks.
    local bytes = 3000 * 2 * 80 * 8 * 128 * 2 / prompts.candidate.plan.tp
    assert.near(1, fleet.link(prompts, 3).link_latency_s / (bytes / prompts.candidate.pool.between_nodes_bytes_s), 0.01)
  end)
end)

describe("a fleet of two pools of which the whole is too slow", function()
  it("grows where that helps, so that planning with more of the capacity costs no more", function()
    local function cost(utilization)
      return search.run({ model = catalog.model("qwen2.5-7b"), devices = { "A100-80GB" }, engine = "vllm",
        load = { rate_per_s = 4.123, input_tokens = 4800, output_tokens = 739 }, terms = "spot",
        sla = { ttft_s = 1, tpot_s = 0.034, e2e_s = 3.1656 }, space = { pattern = "disaggregated" },
        utilization_frac = utilization }).winner.cost_usd_h
    end
    assert.is_true(cost(0.8) <= cost(0.6))
  end)
end)

describe("two pools under a limit of the whole", function()
  it("are the cheapest mix, so that planning with more of the capacity costs no more", function()
    local function winner(model, device, rate, input, output, sla, utilization)
      return search.run({ model = catalog.model(model), devices = { device }, engine = "vllm", gpus = 2048,
        load = { rate_per_s = rate, input_tokens = input, output_tokens = output }, sla = sla,
        space = { pattern = "disaggregated" }, utilization_frac = utilization }).winner
    end
    for _, case in ipairs({ { "llama-3.1-70b", "L40S", 10.503, 543, 98, { ttft_s = 1.573, e2e_s = 2.7076 } },
      { "llama-3.1-70b", "A100-80GB", 8.435, 1005, 48, { ttft_s = 0.947, e2e_s = 1.3797 } } }) do
      case[7] = 0.8
      local loose = winner(table.unpack(case))
      case[7] = 0.6
      local strict = winner(table.unpack(case))
      assert.is_true(loose.cost_usd_h <= strict.cost_usd_h, case[2])
    end
  end)
end)

describe("a fleet of many replicas", function()
  it("is simulated by a part of it, which sees what the whole sees", function()
    local confirm = require("ballpark.questions.serve_search.confirm")
    local core = require("ballpark.core")
    for _, pattern in ipairs({ "aggregated", "disaggregated" }) do
      local answer = search.run(ask({ model = catalog.model("llama-3.1-8b"), devices = "L4", gpus = 6000,
        load = { rate_per_s = 3000, input_tokens = 600, output_tokens = 200 }, sla = { ttft_s = 2, tpot_s = 0.1 },
        space = { tp = 1, pp = 1, format = "fp8", pattern = pattern } }))
      local winner = answer.winner
      local share = confirm.share(winner)
      assert.is_true(share < 1 and winner.seen.peak_replicas <= 257)
      local whole = core.serve(tables.with(confirm.setup(winner), { percentile = 90, load = tables.with(winner.candidate.ask.load,
        { rate_per_s = 3000, requests = 300000, trim_frac = confirm.TRIM_FRAC }) }))
      assert.near(whole.tpot.at_s, winner.seen.tpot.at_s, 0.05 * whole.tpot.at_s, pattern)
      assert.near(whole.ttft.at_s, winner.seen.ttft.at_s, 0.1 * whole.ttft.at_s, pattern)
      local report = result.new({})
      show.answer(report, answer)
      assert.matches("simulated by a part", table.concat(report.assumed, " "))
    end
    assert.equal(1, confirm.share(search.run(ask()).winner))
  end)

  -- Two of 19 replicas for prompts let requests queue up as 19 do not: what 892 devices serve took 956.
  it("is simulated by enough replicas of its smaller pool", function()
    local confirm = require("ballpark.questions.serve_search.confirm")
    local function share(...)
      local groups = {}
      for i, up in ipairs({ ... }) do groups[i] = { up = up } end
      return confirm.share({ groups = groups })
    end
    assert.equal(1, share(64))
    assert.equal(64 / 640, share(640))
    assert.equal(16 / 134, share(791, 134))
    assert.equal(8 / 19, share(19, 523))
    assert.equal(2 / 3, share(3, 300))
    local winner = search.run({ model = catalog.model("qwen3-30b-a3b"), devices = { "A100" }, engine = "vllm",
      load = { rate_per_s = 600, input_tokens = 4000, output_tokens = 900 }, sla = { ttft_s = 0.25, tpot_s = 0.06, percentile = 99 } }).winner
    assert.equal(892, winner.devices) -- as where all replicas are simulated
  end)
end)

describe("what is said beside the winner", function()
  it("is the cheapest fleet of each device and term, or that there is none", function()
    local answer = search.run(ask({ devices = { "H100", "T4", "A100" }, terms = { "on_demand", "spot" } }))
    local report = result.new({ command = "serve" })
    show.answer(report, answer)
    local block, cheapest = report:pick("pools"), math.huge
    assert.equal(6, #block.rows)
    for _, values in ipairs(block.rows) do
      local row = {}
      for i, column in ipairs(block.columns) do row[column.name] = values[i] end
      assert.equal(row.device ~= "T4", row.fits)
      if row.fits then
        local alone = search.run(ask({ devices = row.device, terms = row.term }))
        assert.equal(alone.fleets[1].cost_usd_h, row.cost_usd_h)
        cheapest = math.min(cheapest, row.cost_usd_h)
      end
    end
    assert.equal(answer.fleets[1].cost_usd_h, cheapest)
  end)

  it("marks the cheapest fleet of a device where simulation failed it, and the chosen one", function()
    local answer = search.run(ask({ devices = { "H100", "A100" }, load = { rate_per_s = 8 },
      sla = { e2e_s = 31, percentile = 99 }, space = { tp = 4, pp = 1, format = "fp8", pattern = "aggregated" } }))
    local report = result.new({})
    show.answer(report, answer)
    local block, at = report:pick("pools"), {}
    for i, column in ipairs(block.columns) do at[column.name] = i end
    assert.is_true(answer.fleets[1].failed ~= nil and answer.fleets[1] ~= answer.winner)
    assert.equal(answer.fleets[1].cost_usd_h, block.rows[1][at.cost_usd_h])
    assert.equal("failed", block.rows[1][at.simulated])
    assert.is_nil(block.rows[2][at.simulated]) -- dearer than the winner: never simulated
    report = result.new({})
    show.answer(report, search.run(ask({ devices = { "H100", "A100" } })))
    assert.equal("chosen", report:pick("pools").rows[1][at.simulated])
  end)

  it("is what a calibrated engine was measured on, of all devices it was compared on", function()
    local engine = { name = "vllm", source = "calibrated on 6 points of llama-3.1-70b on H100",
      fitted_model = "Llama-3.1-70B", fitted_device = "H100-SXM-80GB" }
    local function assumed(changes)
      local report = result.new({})
      show.answer(report, search.run(ask(tables.with({ engine = engine }, changes))))
      return table.concat(report.assumed, " ")
    end
    local said = "engine vllm as calibrated on 6 points of llama%-3.1%-70b on H100"
    assert.matches(said .. "%.", assumed({}))
    local others = said .. "; extrapolated to Llama%-3.1%-70B on A100%-80GB%-SXM, T4%."
    assert.matches(others, assumed({ devices = { "H100", "T4", "A100" } }))
    assert.matches(others, assumed({ devices = { "H100", "T4", "A100" }, sla = { ttft_s = 1e-3 } }))
  end)

  it("is what one replica fewer breaks", function()
    local answer = search.run(ask())
    local tight = answer.smaller[1]
    assert.is_true(tight.ratio > 1)
    assert.equal(answer.winner.replicas - 1, tight.replicas)
    assert.is_true(({ rate = true, ttft_s = true, tpot_s = true })[tight.part])
  end)

  it("is what fewer replicas break, of zones and of numbers given twice", function()
    for _, rate in ipairs({ 2, 6, 10, 14 }) do
      for _, replicas in ipairs({ false, { 4, 4, 9, 9, 15, 15 } }) do
        local answer = search.run(ask({ zones = 3, terms = "spot", load = { rate_per_s = rate, input_tokens = 1500,
          output_tokens = 300 }, space = { tp = 2, pp = 1, format = "fp8", pattern = "aggregated",
          replicas = replicas or nil } }))
        local tight = answer.smaller and answer.smaller[1]
        assert.is_true(not tight or tight.replicas < answer.winner.replicas)
        if tight and not replicas then assert.equal(answer.winner.replicas - 1, tight.replicas) end
      end
    end
  end)

  it("is the nearest published throughput, of the same order", function()
    local near = search.run(ask({ space = { tp = 2, pp = 1, format = "fp8", pattern = "aggregated" },
      load = { rate_per_s = 3, input_tokens = 1000, output_tokens = 1000 } })).comparable
    assert.matches("Llama%-3.1%-70B fp8 on 2 x H100", near.text)
    assert.near(4390.53 / 2 * 2, near.tok_s_device, 1e-9) -- as many tokens in as out
    assert.is_true(near.ratio > 1 / 3 and near.ratio < 3)
    -- Nothing is near a model a hundred times smaller.
    assert.is_nil(search.run(ask({ model = catalog.model("qwen2.5-0.5b") })).comparable)
  end)

  it("sets experts beside experts, and weights beside weights of as many bits", function()
    local function near(changes)
      return search.run(ask(tables.with({ space = { pp = 1, pattern = "aggregated" },
        load = { rate_per_s = 3, input_tokens = 1000, output_tokens = 1000 }, sla = { tpot_s = 0.1 } }, changes)))
        .comparable
    end
    assert.matches("^Mixtral%-8x7B", near({ model = catalog.model("mixtral-8x7b"),
      space = { tp = 2, pp = 1, format = "fp8", pattern = "aggregated" } }).text)
    -- As many active parameters as Mixtral, but dense, and six times the keys and values of an 8B model.
    assert.is_nil(near({ model = catalog.model("Llama-2-13b-hf") }))
    local wide = near({ devices = "A100", space = { tp = 4, pp = 1, format = "bf16", pattern = "aggregated" } })
    assert.matches("bf16 on 4 x A100", wide.text)
  end)

  it("is a range that has the answer in it", function()
    local answer = search.run(ask())
    local range = answer.range
    assert.equal(answer.winner.cost_usd_h, range.cost_usd_h.value)
    assert.equal(answer.winner.seen.ttft.at_s, range.ttft_s.value)
    for _, name in ipairs({ "cost_usd_h", "replicas" }) do
      assert.is_true(range[name].low <= range[name].value and range[name].value <= range[name].high)
    end
    assert.is_true(range.ttft_s.low < range.ttft_s.value and range.ttft_s.value < range.ttft_s.high)
    local short = search.run(ask({ load = { rate_per_s = 5, input_tokens = 4000, output_tokens = 1 }, sla = { ttft_s = 3 } })).range
    assert.near(short.ttft_s.low, short.e2e_s.low, 1e-9)
    assert.near(short.ttft_s.high, short.e2e_s.high, 1e-9)
  end)

  it("counts every kind of replica once, in the tally or among those that meet the SLO", function()
    local answer = search.run(ask({ devices = { "H100", "L40S", "T4" }, gpus = 16,
      space = { tp = { 1, 2, 3, 16 }, pp = { 1, 2 }, format = { "bf16", "fp8" }, pattern = "aggregated" } }))
    local plans, reasons = 0, {}
    for _, row in ipairs(answer.rejected) do
      reasons[row.reason] = row
      if row.reason ~= "simulation" then plans = plans + row.count end
    end
    assert.equal(answer.tried, plans + #answer.fleets)
    assert.matches("3 does not divide 64 attention heads", reasons.structure.example.text)
    assert.is_true(reasons.memory.distance > 0)
    for _, row in ipairs(answer.rejected) do
      if row.reason == "rate" or row.reason:find("_s$") then assert.is_true(row.distance > 1) end
    end
  end)

  it("takes devices from before Ampere as candidates", function()
    local answer = search.run(ask({ model = catalog.model("llama-3.1-8b"), devices = { "V100" },
      space = { tp = 4, pp = 1, format = "bf16", pattern = "aggregated" } }))
    assert.equal(1, answer.tried)
    for _, row in ipairs(answer.rejected) do assert.are_not.equal("structure", row.reason) end
  end)

  it("says that weights in fewer bits than published have to be evaluated", function()
    local function assumed(format)
      local r = result.new({})
      show.answer(r, search.run(ask({ space = { tp = 8, pp = 1, format = format, pattern = "aggregated" } })))
      return table.concat(r.assumed, " ")
    end
    assert.matches("Weights in fp8, published in bf16", assumed("fp8"))
    assert.is_nil(assumed("bf16"):find("published in", 1, true))
  end)

  it("becomes blocks of a report, whatever the outcome", function()
    for _, changes in ipairs({ {}, { sla = { e2e_s = 10 } }, { sla = { ttft_s = 1e-3 } }, { gpus = 2 },
      { space = { pattern = "disaggregated", tp = 2, pp = 1 } } }) do
      local r = result.new({})
      show.answer(r, search.run(ask(changes)))
      assert.is_true(#r.blocks >= 2)
      assert.is_true(#r.assumed >= 3)
    end
  end)
end)

describe("a question that is wrong", function()
  it("is refused at its field", function()
    local function said(changes) return errors.catch(search.run, ask(changes)) end
    assert.matches("zones: ", said({ zones = 0 }))
    assert.matches("surge_frac: ", said({ surge_frac = 2 }))
    assert.matches("^terms: .*'spot'", said({ terms = "sport" }))
    assert.matches("load.peak_over_mean: ", said({ load = { rate_per_s = 1, peak_over_mean = 0.5 } }))
    assert.matches("space.pattern%[1%]: ", said({ space = { pattern = "split" } }))
    assert.matches("space.patern: .*'pattern'", said({ space = { patern = "x" } }))
    -- A misspelt format is nobody's plan, even beside one that is right.
    assert.matches("'fp9' is not one of", said({ space = { tp = 8, format = { "fp8", "fp9" } } }))
  end)
end)

describe("a report of a fleet", function()
  local fleet_facts = require("ballpark.questions.serve.fleet_facts")

  local function facts_of(changes)
    local r = result.new()
    show.answer(r, search.run(ask(changes)))
    local values = {}
    for _, fact in ipairs(r:scalars()) do values[fact.name] = fact.value end
    return values, r
  end

  it("says the capacity, the year, and what whole nodes would cost", function()
    local values, r = facts_of({ space = { tp = 2, pp = 1, format = "fp8", pattern = "aggregated" } })
    assert.near(6 / values.capacity_per_s, values.utilization_frac, 1e-12)
    assert.near(12 * values.cost_usd_month, values.cost_usd_year, 1e-6)
    assert.equal(math.ceil(values.devices / 8) * 8, values.whole_devices)
    assert.near(values.cost_usd_h / values.devices * values.whole_devices, values.whole_usd_h, 1e-9)
    for line in (require("ballpark.report").render(r, "table") .. "\n"):gmatch("(.-)\n") do
      assert.is_true(utf8.len(line) <= 100, line)
    end
  end)

  it("counts nodes that groups of one pool share once, and single cards singly", function()
    local board, card = { device = { domain = 8, node_size = 8 }, usd_h = 2 }, { device = { domain = 1, node_size = 8 },
      usd_h = 1 }
    local function whole(groups)
      local list, fact = fleet_facts.list("x", "x")
      fleet_facts.add_devices(fact, groups, 1, 1, 64)
      local values = {}
      for _, item in ipairs(list) do values[item.name] = item.value end
      return { values.whole_devices, values.whole_usd_h }
    end
    local function group(pool, devices) return { devices = devices, candidate = { pool = pool } } end
    assert.same({ 16, 32 }, whole({ group(board, 6), group(board, 6) }))
    assert.same({ 11, 19 }, whole({ group(board, 6), group(card, 3) }))
  end)
end)

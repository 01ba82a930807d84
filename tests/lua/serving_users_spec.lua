-- Fleets for users in place of a rate, and for as many devices as it takes.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")

local function ask(load, changes)
  return tables.with({ model = catalog.model("llama-3.1-8b"), devices = { "H100" }, engine = "vllm",
    load = tables.with({ input_tokens = 1000, output_tokens = 200 }, load), sla = { ttft_s = 1, tpot_s = 0.03 },
    space = { tp = { 1, 2 }, pp = 1, format = "bf16", pattern = "aggregated" } }, changes)
end

describe("a fleet for users", function()
  it("is that of the rate at which they come", function()
    local answer = search.run(ask({ users = 100, think_s = 30 }))
    local who = answer.clients
    assert.is_true(who.settled)
    assert.near(100, who.rate_per_s * (30 + answer.winner.seen.e2e.mean_s), 3)
    local same = search.run(ask({ rate_per_s = who.rate_per_s }))
    assert.equal(same.winner.cost_usd_h, answer.winner.cost_usd_h)
    assert.equal(same.winner.seen.ttft.at_s, answer.winner.seen.ttft.at_s)
  end)

  -- The first guess knew no prompts: searches began with fast answers, and ended at fleets larger than need be.
  it("is never dearer for fewer users, where prompts take most of an answer", function()
    for _, case in ipairs({ { "llama-3.1-70b", "L40S", 5, 8000, 100, { ttft_s = 10 }, { 22, 23, 24, 38, 39 } },
      { "mixtral-8x22b-v0.1", "A10G", 1.13, 1378, 11, { e2e_s = 20 }, { 28, 34, 35, 38, 42 } } }) do
      local name, device, think_s, input_tokens, output_tokens, sla, users = table.unpack(case)
      local before = 0
      for _, count in ipairs(users) do
        local answer = search.run({ model = catalog.model(name), devices = { device }, engine = "vllm", sla = sla,
          load = { users = count, think_s = think_s, input_tokens = input_tokens, output_tokens = output_tokens } })
        assert.is_true(answer.fits and answer.winner.cost_usd_h >= before, ("%d users of %s"):format(count, name))
        before = answer.winner.cost_usd_h
      end
    end
  end)

  it("who do not think is one of clients in flight", function()
    local answer = search.run(ask({ concurrency = 400 }))
    assert.is_true(answer.clients.settled)
    -- Little: as many are under way as come in the time of an answer.
    assert.near(400, answer.clients.rate_per_s * answer.winner.seen.e2e.mean_s, 12)
    assert.equal(0, answer.clients.think_s)
    assert.is_true(answer.winner.cost_usd_h > search.run(ask({ users = 400, think_s = 60 })).winner.cost_usd_h)
  end)

  it("is never cheaper for a stricter SLO", function()
    local last
    for _, sla in ipairs({ { ttft_s = 1, tpot_s = 0.05 }, { ttft_s = 1, tpot_s = 0.1 }, { ttft_s = 1 } }) do
      local answer = search.run({ model = catalog.model("llama-3.1-70b"), devices = { "H100" }, engine = "vllm",
        load = { users = 100, think_s = 10, input_tokens = 1000, output_tokens = 300 }, sla = sla,
        space = { tp = { 1, 2 }, pp = 1, format = "fp8", pattern = "aggregated" } })
      assert.is_true(not last or answer.winner.cost_usd_h <= last)
      last = answer.winner.cost_usd_h
    end
  end)

  it("is not asked for in two ways", function()
    local function complaint(load) return (errors.catch(search.run, ask(load))) end
    assert.matches("load.rate_per_s: .*give users or a rate", complaint({ users = 10, rate_per_s = 1 }))
    assert.matches("load.users: .*give one", complaint({ users = 10, concurrency = 10 }))
    assert.matches("load.users: must be a number of at least 1", complaint({ users = 0 }))
    assert.matches("load.think_s: must be a number of at least 0", complaint({ users = 5, think_s = -1 }))
  end)
end)

describe("a fleet without a limit on devices", function()
  it("has as many as it takes, of 64 or of more", function()
    local few = search.run(ask({ rate_per_s = 20 }))
    assert.is_true(few.ask.gpus_open)
    assert.equal(64, few.ask.gpus)
    assert.equal(search.run(ask({ rate_per_s = 20 }, { gpus = 64 })).winner.cost_usd_h, few.winner.cost_usd_h)
    local many = search.run(ask({ rate_per_s = 2000 }, { space = { tp = 1, pp = 1, format = "bf16",
      pattern = "aggregated" } }))
    assert.equal(512, many.ask.gpus)
    assert.is_true(many.fits and many.winner.devices > 64)
  end)

  it("is not sought among ever more of them for an SLO that they cannot help", function()
    local answer = search.run(ask({ rate_per_s = 5 }, { sla = { ttft_s = 1e-3 } }))
    assert.is_false(answer.fits)
    assert.equal(64, answer.ask.gpus)
    assert.equal("ttft_s", answer.breaks[1])
  end)

  it("blames what no number of them meets, not the first limit", function()
    local answer = search.run(ask({ rate_per_s = 2000 }, { sla = { ttft_s = 1e-3 } }))
    assert.is_false(answer.fits)
    assert.is_true(answer.ask.gpus > 64)
    assert.same({ "ttft_s" }, answer.breaks)
    assert.is_nil(answer.enough)
    -- With a limit that was given the rate is out of reach too.
    answer = search.run(ask({ rate_per_s = 2000 }, { gpus = 64, sla = { ttft_s = 1e-3 } }))
    assert.same({ "ttft_s", "rate" }, answer.breaks)
    assert.is_true(answer.searched.complete)
  end)

  it("goes beyond its own limits to what would do", function()
    local answer = search.run(ask({ rate_per_s = 100000 }, { space = { tp = 1, pp = 1, format = "bf16", pattern = "aggregated" } }))
    assert.is_true(answer.fits and answer.winner.devices > 4096)
  end)

  it("says that it stopped where it does, and what breaks the SLO at any number", function()
    local answer = search.run(ask({ rate_per_s = 1e9 }, { sla = { ttft_s = 1e-3 } }))
    assert.same({ "ttft_s", "rate" }, answer.breaks)
    assert.is_false(answer.searched.complete)
    assert.matches("was found before the search stopped; what breaks it is TTFT", answer.refused)
  end)
end)

describe("a list of devices", function()
  local clients = require("ballpark.questions.serve_search.clients")
  local open_size = require("ballpark.questions.serve_search.open_size")

  -- Replicas of a slow device that is cheap, and of a fast one; the fast one answers in a tenth of the time.
  local KINDS <const> = { slow = { e2e_s = 20, each = 2, usd = 1 }, fast = { e2e_s = 2, each = 5, usd = 2 } }

  -- What a search over them answers: the cheapest at that rate.
  local function searched(input)
    local answer = { fits = true, assumed = {}, ask = { pools = input.devices } }
    for _, given in ipairs(input.devices) do
      local name = type(given) == "table" and given.device.name or given
      local kind = KINDS[name]
      local cost = kind.usd * math.ceil(input.load.rate_per_s / kind.each)
      if not answer.winner or cost < answer.winner.cost_usd_h then
        answer.winner = { name = name, cost_usd_h = cost, seen = { e2e = { mean_s = kind.e2e_s } } }
      end
    end
    return answer
  end

  local function of_users(devices)
    return clients.settled({ devices = devices, load = { users = 100, think_s = 1, input_tokens = 100, output_tokens = 10 } }, searched)
  end

  it("is no dearer for users than each of its devices, of which a fast one has them come more often", function()
    assert.equal(3, of_users({ "slow" }).winner.cost_usd_h) -- 100 / 21 a second
    assert.equal(2 * 7, of_users({ "fast" }).winner.cost_usd_h) -- 100 / 3 a second
    local both = of_users({ "fast", "slow" })
    assert.equal("slow", both.winner.name)
    assert.matches("of fast, slow the cheapest", table.concat(both.assumed), 1, true)
    local priced = of_users({ { device = { name = "fast" }, price = 2 }, { device = { name = "slow" }, price = 1 } })
    assert.equal(both.winner.cost_usd_h, priced.winner.cost_usd_h)
    assert.matches("of fast, slow the cheapest", table.concat(priced.assumed), 1, true)
  end)

  it("goes on where a cheaper device needs more than those that were enough", function()
    local function run(input)
      return { fits = true, ask = { gpus = input.gpus, pools = { "slow", "fast" } }, searched = { complete = true },
        winner = { cost_usd_h = input.gpus < 100 and 200 or 101 } }
    end
    local found = open_size.found({}, run)
    assert.equal(101, found.winner.cost_usd_h)
    assert.equal(512, found.ask.gpus)
  end)
end)

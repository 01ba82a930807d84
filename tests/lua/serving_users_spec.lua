-- Fleets for users in place of a rate, and for as many devices as it takes.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")

local function ask(load, changes)
  return tables.with({ model = catalog.model("llama-3.1-8b"), devices = { "H100" }, engine = "vllm",
    load = load.buckets and load or tables.with({ input_tokens = 1000, output_tokens = 200 }, load), sla = { ttft_s = 1, tpot_s = 0.03 },
    space = { tp = { 1, 2 }, pp = 1, format = "bf16", pattern = "aggregated" } }, changes)
end

describe("a fleet for users", function()
  it("is simulated as they ask, one after another", function()
    local answer = search.run(ask({ users = 100, think_s = 30 }))
    local who, seen = answer.clients, answer.winner.seen
    assert.near(100, who.rate_per_s * (30 + seen.e2e.mean_s), 1e-9)
    assert.near(who.rate_per_s, seen.requests_per_s, 0.05 * who.rate_per_s)
    local candidate = answer.winner.candidate
    local by_hand = core.serve(tables.with(candidate:setup(), { replicas = answer.winner.up, percentile = 90,
      load = { arrivals = "closed", concurrency = 100, think_s = 30, ramp_s = answer.winner.steady.e2e_s, input_tokens = 1000,
        output_tokens = 200, trim_frac = 0.1,
        requests = seen.requests } }))
    assert.equal(by_hand.ttft.at_s, seen.ttft.at_s)
  end)

  -- A replica that answers with a token computes prompt after prompt: the one of a user who has just been answered comes behind
  -- those of all the others.
  it("keeps an SLO for a share of those who would break it", function()
    local users = 300
    for _, frac in ipairs({ 0.5, 0.25 }) do
      local answer = search.run(ask({ users = users, input_tokens = 4000, output_tokens = 1 }, { sla = { ttft_s = 2 }, utilization_frac = frac,
        spares = 0, space = { tp = 1, pp = 1, format = "bf16", pattern = "aggregated" } }))
      local each_s = 1 / answer.winner.groups[1].steady.capacity_per_s
      assert.near(users / frac * each_s / 2, answer.winner.replicas, 1)
    end
  end)

  -- Users who all begin at once stay in step for many rounds, and the first tens of them break any SLO.
  it("is of users who do not keep step", function()
    local function rent(requests)
      return search.run({ model = catalog.model("llama-3.1-70b"), devices = { "H100" }, engine = "vllm", spares = 0, sla = { ttft_s = 1 },
        load = { users = 400, input_tokens = 500, output_tokens = 300, lengths = "lognormal", spread = 0.6, requests = requests },
        space = { tp = 4, pp = 1, format = "bf16", pattern = "aggregated" } }).winner.cost_usd_h
    end
    assert.equal(rent(16000), rent())
  end)

  it("is small for those who think for long, whatever they ask", function()
    local function devices(load, pattern)
      return search.run({ model = catalog.model("llama-3.1-8b"), devices = { "L4" }, engine = "vllm", spares = 0, sla = { ttft_s = 0.4 },
        load = load, space = { tp = 1, pp = 1, format = "bf16", pattern = pattern } }).winner.devices
    end
    -- 3.3 requests a second, of 120 prompts a second that an L4 computes.
    assert.equal(1, devices({ users = 2000, think_s = 600, input_tokens = 100, output_tokens = 1 }, "aggregated"))
    assert.equal(2, devices({ users = 200, think_s = 600, input_tokens = 100, output_tokens = 50 }, "disaggregated"))
  end)

  it("says for how many there is room, and what would do", function()
    local function asked(users, load, sla)
      return search.run({ model = catalog.model("llama-3.1-8b"), devices = { "L40S" }, engine = "vllm", gpus = 2, sla = sla,
        load = tables.with({ users = users, input_tokens = 1500 }, load), space = { tp = 1, pp = 1, format = "bf16", pattern = "aggregated" } })
    end
    local rooms = {}
    for i, users in ipairs({ 300, 1000, 3000 }) do
      local answer = asked(users, { output_tokens = 1500, think_s = 300 }, { ttft_s = 1000 })
      assert.equal("room", answer.breaks[1])
      rooms[i] = answer.rejected[1].example.value
    end
    assert.equal(rooms[1], rooms[2])
    assert.equal(rooms[1], rooms[3])
    assert.is_true(asked(math.floor(rooms[1]), { output_tokens = 1500, think_s = 300 }, { ttft_s = 1000 }).fits)
    -- Too few of them break the SLO long before there is no room.
    local answer = asked(100, { output_tokens = 300, think_s = 10 }, { ttft_s = 1, tpot_s = 0.05 })
    assert.equal("tpot_s", answer.breaks[1])
    assert.is_true(answer.reachable.tpot_s > 0.05)
    assert.is_true(asked(100, { output_tokens = 300, think_s = 10 }, { ttft_s = 1, tpot_s = 0.05 }).enough.devices > 2)
  end)

  it("is no dearer on a faster device of the same price", function()
    local input = { model = catalog.model("llama-3.1-8b"), engine = "vllm", sla = { ttft_s = 1, tpot_s = 0.05 },
      load = { users = 200, input_tokens = 1000, output_tokens = 20 } }
    local slow = catalog.device("H100")
    local fast = tables.with(slow, { mem_bw_bytes_s = 3 * slow.mem_bw_bytes_s })
    local function rent(device) return search.run(tables.with(input, { devices = { { device = device, price = 1 } } })).winner.cost_usd_h end
    assert.is_true(rent(fast) <= rent(slow))
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
    -- Little: as many are under way as come in the time of an answer.
    assert.near(400, answer.winner.seen.requests_per_s * answer.winner.seen.e2e.mean_s, 12)
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

  it("is of one pool where devices have no links to others", function()
    local card = tables.with(catalog.device("RTX-4090"), { nic_bytes_s = 0 })
    local answer = search.run(ask({ users = 50, think_s = 10 }, { devices = { { device = card, price = 1 } },
      space = { tp = 1, pp = 1, format = "fp8" } }))
    assert.equal("aggregated", answer.winner.pattern)
  end)

  it("is of pools by length where they ask for several", function()
    local answer = search.run(ask({ users = 300, think_s = 5, buckets = {
      { share = 0.7, input_tokens = 300, output_tokens = 150 }, { share = 0.3, input_tokens = 4000, output_tokens = 400 } } }))
    local who = answer.clients
    assert.is_true(answer.fits and who.settled)
    local sum = 0
    for _, pool in ipairs(answer.pools) do sum = sum + pool.share * pool.seen.e2e.mean_s end
    assert.near(300, who.rate_per_s * (5 + sum), 6)
  end)

  -- The first rate at which answers and fleet agreed was taken, and several do.
  it("of several lengths costs no more with a looser SLO", function()
    local last = math.huge
    for _, ttft_s in ipairs({ 0.6, 0.63, 0.66, 0.7, 0.9 }) do
      local answer = search.run({ model = catalog.model("qwen3-32b"), engine = "vllm", devices = { { device = "A100-80GB", price = 3.26 } },
        load = { users = 748, think_s = 0.73, buckets = { { share = 0.46, input_tokens = 651, output_tokens = 31 },
          { share = 0.54, input_tokens = 1119, output_tokens = 55 } } }, sla = { ttft_s = ttft_s } })
      assert.is_true(answer.fits and answer.cost_usd_h <= last, tostring(ttft_s))
      last = answer.cost_usd_h
    end
  end)

  it("of lengths that are all alike costs what one length does", function()
    local load = { users = 300, think_s = 5 }
    local same = { { share = 0.4, input_tokens = 1000, output_tokens = 200 }, { share = 0.6, input_tokens = 1000, output_tokens = 200 } }
    local whole = search.run(ask({ users = 300, think_s = 5, buckets = same }, { space = { pattern = "aggregated" } }))
    local plain = search.run(ask(load, { space = { pattern = "aggregated" } }))
    assert.near(1, whole.cost_usd_h / plain.winner.cost_usd_h, 0.02)
  end)

  it("is not asked for in two ways", function()
    local function complaint(load) return (errors.catch(search.run, ask(load))) end
    assert.matches("load.rate_per_s: .*give users or a rate", complaint({ users = 10, rate_per_s = 1 }))
    assert.matches("load.users: .*give one", complaint({ users = 10, concurrency = 10 }))
    assert.matches("load.users: must be a number of at least 1", complaint({ users = 0 }))
    assert.matches("load.users: are 1000000 at most", complaint({ users = 1e9 }))
    assert.matches("load.think_s: must be a number of at least 0", complaint({ users = 5, think_s = -1 }))
  end)
end)

describe("users whose requests differ in length", function()
  local clients = require("ballpark.questions.serve_search.clients")

  -- 2,000 who do not think and wait 6 s, and half a second less at a tenth of their rate: 333 a second come to what serves that
  -- many. Rates were halved ten times.
  it("come to pools at a rate that few searches find", function()
    local searches = 0
    local function run(one)
      if one.users then return { fits = false } end
      searches = searches + 1
      return { fits = true, cost_usd_h = one.mean_per_s, e2e_s = 6 + 0.5 * math.log(one.mean_per_s / 333, 10) }
    end
    local found = clients.of_lengths({ users = { count = 2000, think_s = 0 },
      load = { buckets = { { share = 1, input_tokens = 4000, output_tokens = 400 } } } }, run)
    assert.is_true(found.fits and found.clients.settled)
    assert.near(333, found.clients.rate_per_s, 0.02 * 333)
    assert.is_true(searches <= 6, searches)
  end)

  it("come to the least rate that is enough where faster fleets bring more of them", function()
    local function run(one)
      if one.users then return { fits = false } end
      local rate = one.mean_per_s
      return { fits = true, cost_usd_h = rate, e2e_s = rate < 100 and 12 or rate < 250 and 9 or 5 }
    end
    local found = clients.of_lengths({ users = { count = 2000, think_s = 0 },
      load = { buckets = { { share = 1, input_tokens = 4000, output_tokens = 400 } } } }, run)
    assert.is_true(found.clients.settled)
    assert.near(2000 / 9, found.clients.rate_per_s, 0.02 * 2000 / 9)
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
  local open_size = require("ballpark.questions.serve_search.open_size")

  it("is no dearer for users than each of its devices", function()
    local function rent(devices)
      return search.run(ask({ users = 300, think_s = 1 }, { devices = devices })).winner.cost_usd_h
    end
    assert.equal(math.min(rent({ "H100" }), rent({ "A10G" })), rent({ "H100", "A10G" }))
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

-- Batches in front of a replica against a simulation that serves every request.
local core = require("ballpark.core")
local fleet = require("ballpark.questions.inference.fleet")

local function near(actual, expected, rel, what)
  assert.is_true(math.abs(actual - expected) <= rel * math.abs(expected),
    ("%s: %s is not near %s"):format(what, actual, expected))
end

local function random_of(seed)
  return function()
    seed = (6364136223846793005 * seed + 1442695040888963407)
    return ((seed >> 11) + 0.5) / (1 << 53)
  end
end

-- Replicas at one queue, Poisson arrivals: a batch starts when its first request has waited for the window or it is
-- full, and a replica is free.
local function simulate(input, requests)
  local random = random_of(12345)
  local at, arrivals, replicas, free = 0, {}, input.replicas or 1, {}
  for i = 1, requests do
    at = at - math.log(random()) / input.rate_per_s
    arrivals[i] = at
  end
  for i = 1, replicas do free[i] = 0 end
  local slope = input.max_batch > 1 and (input.full_s - input.one_s) / (input.max_batch - 1) or 0
  local i, times, batches, busy_s, ended = 1, {}, 0, 0, 0
  while i <= requests do
    local first = 1
    for k = 2, replicas do first = free[k] < free[first] and k or first end
    local start = math.max(free[first], arrivals[i] + input.window_s)
    local full = arrivals[i + input.max_batch - 1]
    if full and full < start then start = math.max(free[first], full) end
    local last = i
    while last < requests and last - i + 1 < input.max_batch and arrivals[last + 1] <= start do last = last + 1 end
    local service = input.one_s + slope * (last - i)
    free[first], busy_s = start + service, busy_s + service
    ended = math.max(ended, start + service)
    for j = i, last do times[#times + 1] = start + service - arrivals[j] end
    i, batches = last + 1, batches + 1
  end
  table.sort(times)
  local sum = 0
  for _, t in ipairs(times) do sum = sum + t end
  return { mean_s = sum / requests, p50_s = times[requests // 2], p99_s = times[math.ceil(0.99 * requests)],
    mean_batch = requests / batches, busy_frac = busy_s / ended / replicas }
end

-- Means and medians within `mean`, 99th percentiles within `tail`: requests in long queues wait together.
local function compare(input, requests, mean, tail)
  local closed, seen = core.batching(input), simulate(input, requests)
  local what = ("rate %.4g, window %.4g, batch %d, full %.4g"):format(input.rate_per_s, input.window_s,
    input.max_batch, input.full_s)
  near(closed.mean_batch, seen.mean_batch, mean, what .. ": mean batch")
  near(closed.mean_s, seen.mean_s, mean, what .. ": mean")
  near(closed.p50_s, seen.p50_s, mean, what .. ": median")
  near(closed.p99_s, seen.p99_s, tail, what .. ": P99")
  near(closed.utilization_frac, seen.busy_frac, 0.03, what .. ": share of the time busy")
end

describe("batching", function()
  it("meets a simulation at small batches, where requests queue behind full ones", function()
    for _, case in ipairs({
      { 0.2, 0, 1, 2.9, 2.9 }, -- a diffusion model at 58 % busy
      { 7.5, 0, 1, 0.092, 0.092 }, { 7.5, 0.1, 1, 0.092, 0.092 },
      { 1000, 0, 2, 0.8e-3, 1.1e-3 }, { 1000, 0.1, 2, 0.8e-3, 1.1e-3 }, { 700, 0.1, 2, 0.8e-3, 1.1e-3 },
      { 100, 0.02, 8, 0.01, 0.04 }, { 140, 0, 8, 0.01, 0.04 }, { 140, 0.2, 8, 0.01, 0.04 },
      { 20, 0.1, 32, 0.01, 0.1 },
    }) do
      compare({ rate_per_s = case[1], window_s = case[2], max_batch = case[3], one_s = case[4], full_s = case[5] },
        60000, 0.03, 0.06)
    end
  end)

  it("meets a simulation wherever batches, loads and windows are", function()
    local random = random_of(18)
    for i = 1, 24 do
      local batch = math.floor(2 ^ (8 * random()) + 0.5)
      local full = 1 + (batch - 1) * random() ^ 2
      local window = i % 3 * 1.5 * random() * full
      compare({ rate_per_s = (0.05 + 0.8 * random()) * batch / full, window_s = window, max_batch = batch, one_s = 1,
        full_s = full }, 40000, 0.05, 0.1)
    end
  end)

  it("waits in a window for nobody where a batch of one is full, and no longer than a fast one says", function()
    local function ask(window_s)
      return core.batching({ rate_per_s = 7, window_s = window_s, max_batch = 1, one_s = 0.092, full_s = 0.092 })
    end
    for _, window in ipairs({ 0.05, 0.1, 10 }) do assert.same(ask(0).p99_s, ask(window).p99_s) end
  end)

  it("is busy all the time only where something always waits", function()
    for _, rate in ipairs({ 50, 500, 1000, 1500, 3000 }) do
      compare({ rate_per_s = rate, window_s = 0, max_batch = 16, one_s = 1e-3, full_s = 2e-3 }, 20000, 0.03, 0.05)
    end
  end)
end)

describe("one queue for several replicas", function()
  it("meets a simulation of single calls", function()
    for _, case in ipairs({ { 2, 1 }, { 2, 1.6 }, { 5, 3 }, { 20, 10 }, { 20, 18 }, { 100, 40 }, { 100, 90 } }) do
      compare({ rate_per_s = case[2], window_s = 0, max_batch = 1, one_s = 1, full_s = 1, replicas = case[1] }, 60000, 0.04, 0.08)
    end
  end)

  it("meets a simulation of batches that a window collects", function()
    for _, case in ipairs({ { 2, 2, 4, 0.5 }, { 5, 10, 8, 0.5 }, { 5, 4, 8, 1.5 }, { 20, 10, 8, 0.2 }, { 20, 200, 32, 0.2 } }) do
      compare({ rate_per_s = case[2], window_s = case[4], max_batch = case[3], one_s = 1, full_s = 2, replicas = case[1] },
        40000, 0.03, 0.05)
    end
  end)

  it("is within a fifth where batches build up only behind busy replicas", function()
    for _, case in ipairs({ { 2, 2, 4 }, { 2, 3, 4 }, { 2, 1, 8 }, { 5, 10, 8 }, { 5, 4, 8 }, { 20, 10, 8 }, { 20, 60, 8 } }) do
      local input = { rate_per_s = case[2], window_s = 0, max_batch = case[3], one_s = 1, full_s = 2, replicas = case[1] }
      local closed, seen = core.batching(input), simulate(input, 40000)
      near(closed.mean_s, seen.mean_s, 0.15, "mean")
      near(closed.p99_s, seen.p99_s, 0.22, "P99")
    end
  end)

  it("makes nobody wait longer with one replica more", function()
    local random = random_of(7)
    for _ = 1, 12 do
      local batch = math.floor(2 ^ (5 * random()) + 0.5)
      local full = 1 + (batch - 1) * random() ^ 2
      local rate, window, before = 3 * random() * batch / full, random() < 0.5 and 0 or random(), math.huge
      for replicas = math.ceil(rate * full / batch) + 1, 24 do
        local p99_s = core.batching({ rate_per_s = rate, window_s = window, max_batch = batch, one_s = 1, full_s = full,
          replicas = replicas }).p99_s
        assert.is_true(p99_s <= before * 1.005, ("%d replicas: %s after %s"):format(replicas, p99_s, before))
        before = p99_s
      end
    end
  end)

  it("needs a few replicas where an SLO is just above the time of one call", function()
    local sized = fleet.size({ rate_per_s = 3, max_batch = 1, sla_s = 1.01 }, function() return 1, true end)
    assert.is_true(sized.needed >= 8 and sized.needed <= 10, tostring(sized.needed))
  end)
end)

-- 99th percentile of M/D/1 with a service of one second: waits are share exp(-decay t) far out.
local function single_p99(rate)
  local decay = 2 * math.log(1 / rate)
  for _ = 1, 60 do decay = decay - (rate * (math.exp(decay) - 1) - decay) / (rate * math.exp(decay) - 1) end
  local share = (1 - rate) / (rate * math.exp(decay) - 1)
  return 1 + math.log(share / 0.01) / decay
end

describe("a fleet of single calls", function()
  it("has the replicas whose queue keeps the SLO, and not one more", function()
    local before = 0
    local function p99_of(rate, replicas)
      local out = core.batching({ rate_per_s = rate, max_batch = 1, one_s = 1, full_s = 1, replicas = replicas })
      return out.stable and out.p99_s or math.huge
    end
    for rate = 1, 40 do
      local sized = fleet.size({ rate_per_s = rate, max_batch = 1, sla_s = 1.3, utilization_frac = 1 }, function() return 1, true end)
      assert.is_true(p99_of(rate, sized.needed) <= 1.3)
      assert.is_true(p99_of(rate, sized.needed - 1) > 1.3)
      assert.is_true(sized.needed >= before)
      before = sized.needed
    end
  end)

  it("waits with one replica as M/D/1, and never longer in one queue than in one for each", function()
    for rate = 0.5, 0.95, 0.05 do
      near(fleet.size({ rate_per_s = rate, max_batch = 1, utilization_frac = 1 }, function() return 1, true end).batching.p99_s,
        single_p99(rate), 0.002, "P99")
      for replicas = 2, 9 do
        local shared = core.batching({ rate_per_s = rate * replicas, max_batch = 1, one_s = 1, full_s = 1, replicas = replicas })
        assert.is_true(shared.p99_s <= single_p99(rate))
      end
    end
  end)
end)

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

-- One replica, Poisson arrivals, a batch starts when its first request has waited for the window or it is full,
-- and the replica is free.
local function simulate(input, requests)
  local random = random_of(12345)
  local at, arrivals = 0, {}
  for i = 1, requests do
    at = at - math.log(random()) / input.rate_per_s
    arrivals[i] = at
  end
  local slope = input.max_batch > 1 and (input.full_s - input.one_s) / (input.max_batch - 1) or 0
  local free, i, times, batches, busy_s = 0, 1, {}, 0, 0
  while i <= requests do
    local start = math.max(free, arrivals[i] + input.window_s)
    local full = arrivals[i + input.max_batch - 1]
    if full and full < start then start = math.max(free, full) end
    local last = i
    while last < requests and last - i + 1 < input.max_batch and arrivals[last + 1] <= start do last = last + 1 end
    local service = input.one_s + slope * (last - i)
    free, busy_s = start + service, busy_s + service
    for j = i, last do times[#times + 1] = free - arrivals[j] end
    i, batches = last + 1, batches + 1
  end
  table.sort(times)
  local sum = 0
  for _, t in ipairs(times) do sum = sum + t end
  return { mean_s = sum / requests, p50_s = times[requests // 2], p99_s = times[math.ceil(0.99 * requests)],
    mean_batch = requests / batches, busy_frac = busy_s / free }
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

-- 99th percentile of M/D/1 with a service of one second: waits are share exp(-decay t) far out.
local function single_p99(rate)
  local decay = 2 * math.log(1 / rate)
  for _ = 1, 60 do decay = decay - (rate * (math.exp(decay) - 1) - decay) / (rate * math.exp(decay) - 1) end
  local share = (1 - rate) / (rate * math.exp(decay) - 1)
  return 1 + math.log(share / 0.01) / decay
end

describe("a fleet of single calls", function()
  it("has the replicas whose queues keep the SLO, and not one more", function()
    local before = 0
    for rate = 1, 40 do
      local sized = fleet.size({ rate_per_s = rate, max_batch = 1, sla_s = 4.4 }, function() return 1 end)
      assert.is_true(single_p99(rate / sized.needed) <= 4.4)
      local fewer = rate / (sized.needed - 1)
      assert.is_true(fewer >= 1 or single_p99(fewer) > 4.4)
      near(sized.batching.p99_s, single_p99(rate / sized.needed), 0.002, "P99")
      assert.is_true(sized.needed >= before)
      before = sized.needed
    end
  end)
end)

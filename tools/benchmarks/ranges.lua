-- Uncertain inputs: a fleet of 14 uncertain numbers, with ceil and max, for a million draws, and a search under draws.
--   ranges_1e6_s          traced and worked out by the core, quantiles included, one thread
--   ranges_lua_1e6_s      baseline: the same function called for a thousandth of these draws, times 1000
--   ranges_search_plans   plans of the space that is searched
--   ranges_search_64_s    that search under 64 draws of two inputs and their tornado, wall clock
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local draws = require("ballpark.uncertain.draws")
local environment = require("ballpark.scenario.environment")
local scenario = require("ballpark.scenario")
local uncertain = require("ballpark.uncertain")

local u = uncertain.scope
local m = uncertain.math(math)

local inputs = {
  users = u.range(1e6, 3e6), share = u.beta(4, 16), per_day = u.range(5, 20), peak = u.triangular(2, 3, 6),
  input = u.range(500, 3000), output = u.range(100, 500), params = u.uniform(60e9, 80e9), prefill = u.range(0.3, 0.5),
  bandwidth = u.range(0.5, 0.7), batch = u.uniform(16, 64), target = u.uniform(0.5, 0.75), spares = u.range(1, 3),
  price = u.lognormal(2.9, 1.3), growth = u.normal(0.05, 0.02),
}

local function fleet(x)
  local peak_per_s = x.users * x.share * x.per_day / 86400 * x.peak
  local request_s = 2 * x.params * x.input / (989e12 * x.prefill)
    + x.output * 2 * x.params / (3.35e12 * x.bandwidth) / x.batch
  local replicas = m.max(m.ceil(peak_per_s * request_s / x.target) + m.ceil(x.spares), 2)
  local year = replicas * (1 + x.growth) ^ 12
  return { replicas = replicas, cost_usd_year = m.ceil(year) * 8 * x.price * 8760 }
end

local SAMPLES <const> = 1000000

local traced = fleet(inputs)
local best = math.huge
for _ = 1, 3 do
  local started = os.clock()
  draws.tape({ cost_usd_year = traced.cost_usd_year }, { samples = SAMPLES, threads = 1, base = 0 })
  best = math.min(best, os.clock() - started)
end
print(("ranges_1e6_s: %.3f s"):format(best))

local names, spreads = {}, {}
for name, leaf in pairs(inputs) do names[#names + 1], spreads[#spreads + 1] = name, leaf.spread end
local FEW <const> = SAMPLES // 1000
local values, started = core.draw_values({ inputs = spreads, samples = FEW }), os.clock()
local costs = {}
for i = 1, FEW do
  local x = {}
  for k, name in ipairs(names) do x[name] = values[k][i] end
  costs[i] = fleet(x).cost_usd_year
end
table.sort(costs)
print(("ranges_lua_1e6_s: %.2f s"):format((os.clock() - started) * 1000))

-- Seconds by the clock of the machine, which has no better one here than that of its uptime.
local function now()
  local file = io.open("/proc/uptime")
  local seconds = file and tonumber(file:read("a"):match("^[%d.]+")) or os.time()
  if file then file:close() end
  return seconds
end

local state = scenario.state(nil, {})
local env = environment.new(state)
local began = now()
local answer = env.search {
  model = "llama-3.1-70b",
  cluster = { device = "H100", devices = 128, fabric = "infiniband", price = u.range(2, 4),
    nic_bytes_s = env.Gbit_s(u.range(100, 400)) },
  job = { global_batch = 1024, seq_len = 8192, tokens = 15e12 },
  space = { sequence_parallel = "free" },
}
local spent = now() - began
print(("ranges_search_plans: %.0f plans"):format(answer.found.searched.size))
print(("ranges_search_64_s: %.1f s"):format(spent))

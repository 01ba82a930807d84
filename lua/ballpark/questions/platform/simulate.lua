-- A platform's jobs through the simulation: under every policy, over several months, and on how many nodes waits do not grow
-- or keep what is aimed at.
local capacity = require("ballpark.questions.platform.capacity")
local core = require("ballpark.core")
local draws = require("ballpark.uncertain.draws")
local halves = require("ballpark.halves")
local policies = require("ballpark.questions.platform.policies")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local simulate = {}

-- Jobs of a run, of which the first tenth only fills the platform.
local JOBS <const>, SKIP_FRAC <const> = 100000, 0.1
-- Months of a run at least that show how much they differ, and jobs of each at most.
local MONTHS <const>, MONTH_JOBS <const>, MONTH_S <const> = 20, 20000, units.months(1)

-- Nodes that jobs are put on and that go away in a run, at most: where gangs take thousands of nodes, or start often, or
-- nodes fail far more often than jobs come, it has fewer jobs.
local PLACINGS <const>, LEAST_JOBS <const> = 1e8, 100
-- What the time of a node that fails and is repaired is, in those of a job that is put on one.
local OUTAGE_PLACINGS <const> = 8
-- Time that a run spans, at most, where jobs are rare: three thousand years.
local SPAN_S <const> = 1e11

-- Jobs of one run of several, at most `most`, which may be fewer than are worth one.
local function jobs_at_most(case, nodes, most, runs)
  local mtbf_s = case.fields.node_mtbf_s or 0
  local outages_per_s = mtbf_s > 0 and nodes / mtbf_s or 0
  local jobs, placings = 0, 0
  for _, class in ipairs(case.classes) do
    jobs = jobs + class.rate_per_s
    placings = placings + class.rate_per_s * math.ceil((class.devices or 1) / case.fields.node_size)
      * capacity.starts(class, case.fields)
  end
  return math.floor(math.min(most, PLACINGS / runs * jobs / math.max(placings, OUTAGE_PLACINGS * outages_per_s),
    math.max(LEAST_JOBS, SPAN_S * jobs)))
end

local function jobs_of(case, nodes) return math.max(LEAST_JOBS, jobs_at_most(case, nodes, JOBS, 1)) end

-- Jobs of a month; of no gang each of their devices is one. Where so many months are more than one run may have, they are
-- the parts of that run.
local function month_of(case, nodes)
  local rate_per_s = 0
  for _, class in ipairs(case.classes) do
    rate_per_s = rate_per_s + class.rate_per_s * (class.gang == false and class.devices or 1)
  end
  local most = jobs_at_most(case, nodes, MONTH_JOBS, MONTHS)
  if most < LEAST_JOBS then return math.floor((1 - SKIP_FRAC) * jobs_of(case, nodes)) // MONTHS, rate_per_s end
  return math.max(LEAST_JOBS, math.min(most, math.floor(rate_per_s * MONTH_S))), rate_per_s
end

local DAY_S <const> = 86400

-- The same jobs as they come without bursts; nil where they do.
local function without_bursts(case)
  local calm, any = {}, false
  for i, class in ipairs(case.classes) do
    calm[i], any = tables.with(class, { burst = 1 }), any or (class.burst or 1) > 1
  end
  return any and tables.with(case, { classes = calm }) or nil
end

-- A run of so many days has a night in its second half.
local LEAST_SPAN_S <const> = 3 * DAY_S

-- Where jobs come as fast as they go, what waits wanders as far as the deviation of what comes; where they go faster the
-- platform is idle at times. A queue that is longer all through the second half of a run grows without end. In a run that
-- is over before the rush of a day is, the same load is looked at without bursts.
local function grows(case, policy, changes, out)
  if out.waiting_device_s <= out.noise_device_s then return false end
  local calm = out.span_s < LEAST_SPAN_S and without_bursts(case)
  return not calm or simulate.run(calm, policy, changes).grows
end

--- One run. `case`: fields (of the simulation), classes, trace; `changes` go over its fields. What comes out says how many
--- jobs it had, the share of them that no mean counts, and of drawn jobs whether their queue grows without end.
function simulate.run(case, policy, changes)
  local fields = tables.with(tables.with(case.fields, policies.fields("policy", policy)), changes or {})
  if not case.trace then
    local nodes = case.fields.nodes or fields.nodes
    fields = tables.with({ jobs = jobs_of(case, nodes), skip_frac = SKIP_FRAC, stretch = month_of(case, nodes) }, fields)
  end
  local out = core.platform(fields, case.classes, case.trace, case.trace ~= nil)
  out.policy, out.jobs, out.skip_frac = policy, fields.jobs, fields.skip_frac
  out.grows = not case.trace and grows(case, policy, changes, out)
  return out
end

--- A run of each policy, in their order.
function simulate.policies(case, names)
  local rows = {}
  for i, name in ipairs(names) do rows[i] = simulate.run(case, name) end
  return rows
end

-- Fewer days than that do not show how days differ.
local LEAST_DAYS <const> = 3

-- Places of the jobs of each day of a trace that is whole: from the first submission on.
local function days_of(trace)
  local days, last = {}, trace.submit_s[#trace.submit_s]
  for day = 1, math.floor(last / DAY_S) + 1 do days[day] = {} end
  for i, at in ipairs(trace.submit_s) do table.insert(days[math.floor(at / DAY_S) + 1], i) end
  return days
end

-- As many days as `count`, each one of the trace's, drawn with a linear congruential generator (Park and Miller, 1988).
local function days_again(trace, days, count, seed)
  local made, state = { submit_s = {}, run_s = {}, devices = {}, class = {} }, seed
  for day = 1, count do
    state = state * 48271 % 2147483647
    local from = state % #days + 1
    for _, i in ipairs(days[from]) do
      made.submit_s[#made.submit_s + 1] = trace.submit_s[i] + (day - from) * DAY_S
      for _, field in ipairs({ "run_s", "devices", "class" }) do table.insert(made[field], trace[field][i]) end
    end
  end
  return made.submit_s[1] and made
end

-- Days of a log drawn again and again: { mean, at, span_s }; nil where it has too few.
local function months_of_log(case, policy)
  local days, means, at = days_of(case.trace), {}, {}
  if #days < LEAST_DAYS then return nil end
  local count = math.max(LEAST_DAYS, math.min(#days, MONTH_JOBS * #days // #case.trace.submit_s))
  for seed = 1, MONTHS do
    local again = days_again(case.trace, days, count, 1000 + seed)
    local out = again and simulate.run({ fields = case.fields, classes = case.classes, trace = again }, policy)
    means[#means + 1], at[#at + 1] = out and out.wait.mean_s, out and out.wait.at_s
  end
  return means[2] and { mean = draws.ends(means), at = draws.ends(at), span_s = count * DAY_S }
end

--- Where the mean wait of a month lies four times in five: { mean: ends, span_s }; of a log by drawing its days again, nil
--- where it has too few. Months of drawn jobs are stretches of one run, each of which finds what the one before it has left.
---@param seen table the run under the policy
function simulate.months(case, policy, seen)
  if case.trace then return months_of_log(case, policy) end
  local jobs, rate_per_s = month_of(case, case.fields.nodes)
  if #seen.stretches < MONTHS then
    seen = simulate.run(case, policy, { jobs = math.ceil(MONTHS * jobs / (1 - seen.skip_frac)) + 1 })
  end
  return { mean = draws.ends(seen.stretches), span_s = jobs / rate_per_s }
end

-- The fewest nodes from `least` on that are enough; nil where a thousand times as many are not.
local function fewest(least, is_enough)
  local few, enough = least - 1, math.max(1, least)
  while not is_enough(enough) do
    few, enough = enough, 2 * enough
    if enough > 1000 * math.max(1, least) or enough > 1e6 then return nil end
  end
  return halves.smallest(few, enough, is_enough)
end

--- The fewest nodes that carry the load: what the classes by themselves take, or more where the queue grows on so many; nil
--- where none do.
---@param least integer|nil fewer are not looked at
function simulate.carrying(case, policy, least)
  local nodes = capacity.nodes(case.classes, case.fields, 1 - 1e-6)
  return nodes and fewest(math.max(nodes, least or 1), function(count)
    return not simulate.run(case, policy, { nodes = count }).grows
  end)
end

--- The fewest nodes under which the wait at the percentile keeps the target: { nodes, devices, wait_s, tried = rows };
--- nil where a thousand times the load's do not.
---@param least integer nodes below which nothing works
function simulate.nodes_for(case, policy, target_s, least)
  local tried = {}
  local nodes = fewest(least, function(count)
    local out = simulate.run(case, policy, { nodes = count })
    tried[#tried + 1] = { nodes = count, devices = count * case.fields.node_size, wait_s = out.wait.at_s,
      utilization_frac = out.utilization_frac, met = out.wait.at_s <= target_s and not out.grows }
    return tried[#tried].met
  end)
  table.sort(tried, function(a, b) return a.nodes < b.nodes end)
  for _, row in ipairs(tried) do
    if row.nodes == nodes then
      return { nodes = nodes, devices = row.devices, wait_s = row.wait_s, utilization_frac = row.utilization_frac,
        tried = tried }
    end
  end
end

return simulate

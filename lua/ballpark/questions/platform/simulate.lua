-- A platform's jobs through the simulation: under every policy, over several months, and for a wait that is aimed at.
local core = require("ballpark.core")
local draws = require("ballpark.uncertain.draws")
local policies = require("ballpark.questions.platform.policies")
local tables = require("ballpark.tables")

local simulate = {}

-- Jobs of a run, of which the first tenth only fills the platform.
local JOBS <const>, SKIP_FRAC <const> = 100000, 0.1
-- Runs of a month each that show how much months differ, and jobs of each at most.
local MONTHS <const>, MONTH_JOBS <const>, MONTH_S <const> = 20, 20000, 730 * 3600

--- One run. `case`: fields (of the simulation), classes, trace; `changes` go over its fields.
function simulate.run(case, policy, changes)
  local fields = tables.with(tables.with(case.fields, policies.fields("policy", policy)), changes or {})
  if not case.trace then fields = tables.with({ jobs = JOBS, skip_frac = SKIP_FRAC }, fields) end
  local out = core.platform(fields, case.classes, case.trace, case.trace ~= nil)
  out.policy = policy
  return out
end

--- A run of each policy, in their order.
function simulate.policies(case, names)
  local rows = {}
  for i, name in ipairs(names) do rows[i] = simulate.run(case, name) end
  return rows
end

--- Where the mean wait of a month lies four times in five: { low, high }; a trace is one month and has none.
function simulate.months(case, policy, rate_per_s)
  if case.trace then return nil end
  local jobs = math.max(100, math.min(MONTH_JOBS, math.floor(rate_per_s * MONTH_S / (1 - SKIP_FRAC))))
  local means, at = {}, {}
  for seed = 1, MONTHS do
    local out = simulate.run(case, policy, { jobs = jobs, seed = 1000 + seed, match_load = false })
    means[seed], at[seed] = out.wait.mean_s, out.wait.at_s
  end
  return { mean = draws.ends(means), at = draws.ends(at), span_s = jobs * (1 - SKIP_FRAC) / rate_per_s }
end

-- The fewest for which `is_enough` holds, between one that is too few and one that is enough.
local function fewest(few, enough, is_enough)
  while enough - few > 1 do
    local middle = (few + enough) // 2
    if is_enough(middle) then enough = middle else few = middle end
  end
  return enough
end

--- The fewest nodes under which the wait at the percentile keeps the target: { nodes, devices, wait_s, tried = rows };
--- nil where a thousand times the load's do not.
---@param least integer nodes below which nothing works
function simulate.nodes_for(case, policy, target_s, least)
  local tried = {}
  local function is_enough(nodes)
    local out = simulate.run(case, policy, { nodes = nodes })
    tried[#tried + 1] = { nodes = nodes, devices = nodes * case.fields.node_size, wait_s = out.wait.at_s,
      utilization_frac = out.utilization_frac, met = out.wait.at_s <= target_s }
    return tried[#tried].met
  end
  local few, enough = least - 1, math.max(1, least)
  while not is_enough(enough) do
    few, enough = enough, 2 * enough
    if enough > 1000 * math.max(1, least) or enough > 1e6 then return nil end
  end
  local nodes = fewest(few, enough, is_enough)
  table.sort(tried, function(a, b) return a.nodes < b.nodes end)
  for _, row in ipairs(tried) do
    if row.nodes == nodes then
      return { nodes = nodes, devices = row.devices, wait_s = row.wait_s, utilization_frac = row.utilization_frac,
        tried = tried }
    end
  end
end

return simulate

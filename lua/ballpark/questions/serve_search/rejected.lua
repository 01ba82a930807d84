-- Why plans are not in the fleet: a tally by reason with what came nearest, and what one replica fewer breaks.
local confirm = require("ballpark.questions.serve_search.confirm")
local fleet = require("ballpark.questions.serve.fleet")
local tables = require("ballpark.tables")

local rejected = {}

-- In the order a plan meets them.
local REASONS <const> = { "structure", "memory", "gpus", "rate", "e2e_s", "ttft_s", "tpot_s", "simulation" }

local function row_of(rows, reason)
  rows[reason] = rows[reason] or { reason = reason, plans = 0 }
  rows[reason].plans = rows[reason].plans + 1
  return rows[reason]
end

-- Keeps what comes nearest: the least distance.
local function near(row, distance, what)
  if not row.distance or distance < row.distance then row.distance, row.nearest = distance, what end
end

local function worst_part(broken)
  local part
  for _, name in ipairs(tables.sorted_keys(broken)) do
    if not part or broken[name] > broken[part] then part = name end
  end
  return part
end

local function count_slow(rows, candidate)
  local largest = candidate.sizes[#candidate.sizes]
  if not largest then
    near(row_of(rows, "gpus"), candidate.ranks, { candidate = candidate })
    return
  end
  local broken = candidate:broken(largest.up)
  local part = broken.rate and "rate" or worst_part(broken)
  if not part then return end
  local value = part == "rate" and candidate.ask.load.rate_per_s / broken.rate or candidate:steady(largest.up)[part]
  near(row_of(rows, part), broken[part], { candidate = candidate, replicas = largest.replicas, value = value })
end

--- Reasons with the plans each of them cost and the nearest miss: { reason, plans, distance, nearest = { candidate
--- or plan and pool, replicas, value, text } }, in the order plans meet them.
function rejected.tally(found, outcome)
  local rows, list = {}, {}
  for _, refused in ipairs(found.refused) do
    near(row_of(rows, "structure"), 0, { plan = refused.plan, pool = refused.pool, text = refused.error.message })
  end
  for _, candidate in ipairs(found.unfit) do
    local missing = candidate:missing_bytes()
    near(row_of(rows, "memory"), missing, { candidate = candidate, value = missing })
  end
  for _, kinds in ipairs(found.aggregated[1] and { found.aggregated } or { found.prompts, found.answers }) do
    for _, candidate in ipairs(kinds) do count_slow(rows, candidate) end
  end
  for _, failed in ipairs(outcome.failed) do
    local part = worst_part(failed.failed)
    near(row_of(rows, "simulation"), failed.failed[part], { candidate = failed.candidate, replicas = failed.replicas,
      part = part, value = failed.failed[part] * found.ask.sla.limits[part] })
  end
  for _, reason in ipairs(REASONS) do list[#list + 1] = rows[reason] end
  return list
end

-- Index of the next smaller number of replicas of a group, or nil: what a search was given may name a number twice.
local function index_below(group)
  local sizes = group.candidate.sizes
  for index = group.index - 1, 1, -1 do
    if sizes[index].replicas < group.replicas then return index end
  end
  return nil
end

-- The fleet with that many replicas in group i.
local function with_index(this, i, index)
  local parts = {}
  for j, group in ipairs(this.groups) do parts[j] = { group.candidate, i == j and index or group.index } end
  return fleet.new(parts)
end

-- Replicas of the next smaller fleet; between the two, redundancy leaves as few up as in the smaller one.
local function fewer(winner, smaller, i)
  return smaller.candidate.ask.space.replicas and smaller.groups[i].replicas or winner.groups[i].replicas - 1
end

-- The worst part that a fleet breaks: in the mean, or else where the simulation says so.
local function breaks(this, i, replicas)
  local group = this.groups[i]
  local broken = group.candidate:broken(group.up)
  if not next(broken) then broken = confirm.broken(confirm.simulated(this), this.candidate.ask.sla) end
  local part = broken.rate and "rate" or worst_part(broken)
  return part and { group = i, part = part, ratio = broken[part], replicas = replicas }
end

--- What binds the number of replicas of each group: { group, part, ratio = value over limit, replicas } of the fleet
--- with fewer; a group of the least size has none.
function rejected.smaller(winner)
  local list = {}
  for i, group in ipairs(winner.groups) do
    local index = index_below(group)
    local smaller = index and with_index(winner, i, index)
    if smaller then list[#list + 1] = breaks(smaller, i, fewer(winner, smaller, i)) end
  end
  return list
end

return rejected

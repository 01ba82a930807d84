-- Why plans are not in the fleet: a tally by reason with what came nearest, and what one replica fewer breaks.
local confirm = require("ballpark.questions.serve_search.confirm")
local fleet = require("ballpark.questions.serve.fleet")
local promise = require("ballpark.questions.serve.promise")
local tables = require("ballpark.tables")
local tally = require("ballpark.search.tally")

local rejected = {}

-- In the order a plan meets them.
local REASONS <const> = { "structure", "memory", "gpus", "rate", "room", "e2e_s", "ttft_s", "tpot_s", "longest", "simulation" }

local function worst_part(broken)
  local part
  for _, name in ipairs(tables.sorted_keys(broken)) do
    if not part or broken[name] > broken[part] then part = name end
  end
  return part
end

-- What a fleet is planned for before what its requests see.
local function load_or_worst(broken) return broken.rate and "rate" or broken.room and "room" or worst_part(broken) end

local function count_slow(counts, candidate)
  local largest = candidate.sizes[#candidate.sizes]
  if not largest then return counts:add("gpus", { candidate = candidate }, candidate.ranks) end
  local broken = candidate:broken(largest.up)
  local part, ask = load_or_worst(broken), candidate.ask
  if not part then return end
  local value = part == "rate" and ask.load.rate_per_s / broken.rate or part == "room" and candidate:room(largest.up)
    or broken[part] * ask.sla.limits[part]
  counts:add(part, { candidate = candidate, replicas = largest.replicas, value = value }, broken[part])
end

--- Reasons with the kinds of replicas that each of them cost and the nearest miss: { reason, count, distance, example =
--- { candidate or plan and pool, replicas, value, text } }, in the order plans meet them.
function rejected.tally(found, outcome)
  local counts = tally.new()
  for _, refused in ipairs(found.refused) do
    counts:add("structure", { plan = refused.plan, pool = refused.pool, text = refused.error.message })
  end
  for _, candidate in ipairs(found.unfit) do
    local missing = candidate:missing_bytes()
    counts:add("memory", { candidate = candidate, value = missing }, missing)
  end
  for _, kinds in ipairs(found.aggregated[1] and { found.aggregated } or { found.prefill, found.decode }) do
    for _, candidate in ipairs(kinds) do count_slow(counts, candidate) end
  end
  for _, short in ipairs(outcome.short) do
    counts:add("longest", { candidate = short.candidate, replicas = short.replicas }, 1)
  end
  for _, failed in ipairs(outcome.failed) do
    local part = worst_part(failed.failed)
    counts:add("simulation", { candidate = failed.candidate, replicas = failed.replicas, part = part,
      value = failed.failed[part] * found.ask.sla.limits[part] }, failed.failed[part])
  end
  return counts:in_order(REASONS)
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
  if not next(broken) then broken = promise.broken(confirm.simulated(this), this.candidate.ask.sla) end
  local part = load_or_worst(broken)
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

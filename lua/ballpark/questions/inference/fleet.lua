-- Replicas for a load that is batched in one queue in front of all: the fewest whose 99th percentile meets the SLO.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local halves = require("ballpark.halves")
local tables = require("ballpark.tables")

local fleet = {}

local LARGEST_BATCH <const> = 256 -- tried where the load names none (assumption: latency gains end there)
local MOST_REPLICAS <const> = 1 << 24

--- Share of a replica's capacity that is planned with, where a load does not say (assumption).
fleet.UTILIZATION = 0.7

-- Shorter times than a clock of a processor takes no SLO and no window means.
local SHORTEST_S <const> = 1e-9

local allowed = { "rate_per_s", "window_s", "max_batch", "sla_s", "utilization_frac", "spares" }

--- Checks a load: { rate_per_s, window_s, max_batch, sla_s, utilization_frac, spares }.
function fleet.check(load)
  if type(load) ~= "table" then errors.input("load", "must be a table, got " .. type(load)) end
  errors.only("load", load, allowed)
  for _, key in ipairs(tables.sorted_keys(load)) do
    if type(load[key]) ~= "number" or load[key] < 0 then errors.input("load." .. key, "must be a number from 0") end
  end
  for _, key in ipairs({ "window_s", "sla_s" }) do
    if load[key] and load[key] > 0 and load[key] < SHORTEST_S then
      errors.input("load." .. key, ("must be 0 or at least %g s, got %s"):format(SHORTEST_S, load[key]))
    end
  end
  local spares = load.spares or 0
  if not math.tointeger(spares) or spares > MOST_REPLICAS then
    errors.input("load.spares", ("must be a whole number up to %d, got %s"):format(MOST_REPLICAS, spares))
  end
  if not load.rate_per_s or load.rate_per_s <= 0 then errors.input("load.rate_per_s", "must be a number above 0") end
  local utilization = load.utilization_frac
  if utilization and (utilization <= 0 or utilization > 1) then
    errors.input("load.utilization_frac", "must be above 0 and at most 1")
  end
end

local function keeps(load, times, replicas)
  local out = core.batching({ rate_per_s = load.rate_per_s, replicas = replicas, window_s = load.window_s or 0,
    max_batch = times.max_batch, one_s = times.one_s, full_s = times.full_s })
  return out.stable and (not load.sla_s or out.p99_s <= load.sla_s), out
end

-- Fewest replicas from `least` on, by doubling and halving; nil where even many do not help.
local function fewest(load, times, least)
  local low, high = least - 1, least
  while not keeps(load, times, high) do
    low, high = high, 2 * high
    if high > MOST_REPLICAS then return nil end
  end
  return halves.smallest(low, high, function(replicas) return keeps(load, times, replicas) end)
end

local function of_batch(load, max_batch, time_of)
  local times = { max_batch = max_batch, one_s = time_of(1), full_s = time_of(max_batch) }
  times.full_s = math.max(times.full_s, times.one_s)
  local capacity = max_batch / times.full_s * (load.utilization_frac or fleet.UTILIZATION)
  local needed = fewest(load, times, math.ceil(load.rate_per_s / capacity))
  if not needed then return nil end
  local _, out = keeps(load, times, needed)
  return { needed = needed, replicas = needed + (load.spares or 0), max_batch = max_batch, batching = out }
end

--- The fleet with the fewest replicas, at the smallest batch among equals; nil where no batch meets the SLO.
---@param load table of fleet.check
---@param time_of fun(batch: integer): number seconds of a batch on one replica
function fleet.size(load, time_of)
  if load.max_batch then return of_batch(load, math.tointeger(load.max_batch) or errors.input("load.max_batch",
    "must be a whole number"), time_of) end
  local best
  local batch = 1
  while batch <= LARGEST_BATCH do
    local found = of_batch(load, batch, time_of)
    if found and (not best or found.needed < best.needed) then best = found end
    batch = 2 * batch
  end
  return best
end

-- Largest rate of one replica at one batch that keeps `sla_s` at the 99th percentile, by halving.
local function rate_of_batch(max_batch, time_of, sla_s)
  local full = time_of(max_batch)
  local times = { max_batch = max_batch, one_s = math.min(time_of(1), full), full_s = full }
  local low, high = 0, max_batch / full
  for _ = 1, 40 do
    local middle = (low + high) / 2
    if keeps({ rate_per_s = middle, sla_s = sla_s }, times, 1) then low = middle else high = middle end
  end
  return low
end

--- Requests per second that one replica serves within sla_s, at the best of the batches up to `most`.
function fleet.best_rate(time_of, sla_s, most)
  local best, batch = 0, 1
  while batch <= most do
    best = math.max(best, rate_of_batch(batch, time_of, sla_s))
    batch = 2 * batch
  end
  return best
end

return fleet

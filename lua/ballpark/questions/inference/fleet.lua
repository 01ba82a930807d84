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
  if high > MOST_REPLICAS then return nil end
  while not keeps(load, times, high) do
    low, high = high, 2 * high
    if high > MOST_REPLICAS then return nil end
  end
  return halves.smallest(low, high, function(replicas) return keeps(load, times, replicas) end)
end

-- nil where no number of replicas meets the SLO.
local function of_batch(load, max_batch, one_s, full_s)
  local times = { max_batch = max_batch, one_s = one_s, full_s = math.max(one_s, full_s) }
  local capacity = max_batch / times.full_s * (load.utilization_frac or fleet.UTILIZATION)
  local needed = fewest(load, times, math.ceil(load.rate_per_s / capacity))
  if not needed then return nil end
  local _, out = keeps(load, times, needed)
  return { needed = needed, replicas = needed + (load.spares or 0), max_batch = max_batch, batching = out }
end

--- The fleet with the fewest replicas, at the smallest batch among equals, of batches that the memory holds; nil where none
--- of them meets the SLO. The batch of a load is stated where it has max_batch.
---@param load table of fleet.check
---@param call fun(batch: integer): number, boolean seconds of a batch on one replica, and whether its memory holds it
function fleet.size(load, call)
  local best
  local one_s = call(1)
  local batch = load.max_batch and (math.tointeger(load.max_batch) or errors.input("load.max_batch", "must be a whole number")) or 1
  repeat
    local full_s, held = call(batch)
    if not held then break end -- nor would a larger one be
    local found = of_batch(load, batch, one_s, full_s)
    if found and (not best or found.needed < best.needed) then best = found end
    batch = 2 * batch
  until load.max_batch or batch > LARGEST_BATCH
  return best
end

-- A stated batch that the memory does not hold, and the largest that it does: { batch, most }; nil where it holds it.
local function too_wide(load, call)
  local function holds(batch) return (select(2, call(batch))) end
  local stated = load.max_batch and math.tointeger(load.max_batch)
  if not stated or holds(stated) then return nil end
  return { batch = stated, most = halves.largest(0, stated, holds) }
end

--- Adds the fleet of a load to an answer that has `fits`: load, fleet (false where none meets the SLO with batches that the
--- memory holds), too_wide ({ batch, most } of a stated batch that it does not hold).
---@param answer table
---@param load table
---@param call fun(batch: integer): number, boolean as fleet.size
function fleet.add(answer, load, call)
  fleet.check(load)
  answer.load = tables.with({ spares = 0 }, load)
  answer.fleet = fleet.size(answer.load, call) or false
  answer.too_wide = too_wide(answer.load, call)
  answer.fits = answer.fits and answer.fleet ~= false
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

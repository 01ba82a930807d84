-- A run that nobody has run yet, whose ranks nobody states: rules cut a model as little as makes it fit, and the more memory
-- there is, the less they cut. What they fill in for less memory may be faster, and is then what is planned.
local resolve = require("ballpark.resolve.training")
local tables = require("ballpark.tables")

local planned = {}

-- Memories for which a run is filled in besides, so many between one and its double: the same ones for every device, so that
-- what a smaller one would do is known to a larger one.
local PER_DOUBLE <const> = 4

-- Chance of fitting from which the faster of two fills is taken, as a search asks.
local SURE <const> = 0.9

-- How many times the memory a fill needs from which no less memory is tried: rules that cut a model are off by less.
local HOPELESS <const> = 2

-- The largest of them below so many bytes.
local function next_smaller(bytes)
  return 2 ^ ((math.ceil(PER_DOUBLE * math.log(bytes, 2)) - 1) / PER_DOUBLE)
end

local function with_memory(cluster, bytes)
  return tables.with(cluster, { device = tables.with(cluster.device, { memory_bytes = math.floor(bytes) }) })
end

local function estimated(case, how) return how.estimate(resolve.input(case)) end

-- The run as filled in for less memory, on the devices that it has. With other facts it is filled in for as much.
local function filled(facts, bytes, how)
  local case = resolve.resolve(tables.with(facts, { cluster = with_memory(facts.cluster, bytes) }), how)
  case.facts, case.device = facts, facts.cluster.device
  case.filled_again = function(others) return filled(others, bytes, how) end
  return case
end

-- Says of a fill for less memory why it was taken.
local function say(case, bytes, why)
  case.assumed[#case.assumed + 1] = ("filled in as for %.3g GiB, which %s"):format(bytes / 2 ^ 30, why)
end

local function is_open(case)
  local stated = case.stated
  return case.devices > 1 and not (case.facts.ran ~= nil or stated.dp or stated.tp and stated.pp)
end

--- As resolve.resolve; of a run that is planned and whose ranks are open the fastest of what surely fits.
---@param facts table
---@param how {estimate: function}
---@return table case
function planned.resolve(facts, how)
  local best = resolve.resolve(facts, how)
  if not is_open(best) then return best end
  local out = estimated(best, how)
  local chance, step = math.min(SURE, out.memory.fit_probability), out.time.step_s
  local bytes = facts.cluster.device.memory_bytes
  repeat
    bytes = next_smaller(bytes)
    local case = filled(facts, bytes, how)
    local other = estimated(case, how)
    if other.memory.fit_probability >= SURE and (chance < SURE or other.time.step_s < step) then
      say(case, bytes, chance < SURE and "surely fits" or "is faster")
      best, chance, step = case, SURE, other.time.step_s
    end
  until other.memory.total_bytes > HOPELESS * bytes
  return best
end

return planned

-- How many replicas a fleet has so that enough of them carry the peak: zones, spares and spot losses over them.
local core = require("ballpark.core")
local halves = require("ballpark.halves")

local sizes = {}

--- The size of a fleet of which `up` replicas carry the peak.
function sizes.with(ask, pool, up)
  local fleet = ask.fleet
  local out = core.replicas({ peak_per_s = up, capacity_per_s = 1, utilization_frac = 1, zones = fleet.zones,
    spares = fleet.spares, surge_frac = fleet.surge_frac, loss_frac = pool.loss_frac })
  return { up = up, replicas = math.tointeger(out.replicas), most = math.tointeger(out.surge_replicas) }
end

-- Sizes by the replicas that are up, of at most so many in a roll-out. There may be thousands, of which a search looks at a
-- few: each is worked out where it is read.
local function up_to(ask, pool, most)
  local count = halves.largest(0, most + 1, function(up) return sizes.with(ask, pool, up).most <= most end)
  return setmetatable({}, { __len = function() return count end, __index = function(list, up)
    if math.type(up) ~= "integer" or up < 1 or up > count then return nil end
    local size = sizes.with(ask, pool, up)
    list[up] = size
    return size
  end })
end

-- With so many replicas in all: as many up as the redundancy leaves.
local function with_all(list, all, surge_frac)
  local best
  for _, size in ipairs(list) do
    if size.replicas <= all then best = size end
  end
  return best and { up = best.up, replicas = all, most = all + math.ceil(surge_frac * all) }
end

local function fixed(ask, list)
  local counts, out = table.move(ask.space.replicas, 1, #ask.space.replicas, 1, {}), {}
  table.sort(counts)
  for _, all in ipairs(counts) do out[#out + 1] = with_all(list, all, ask.fleet.surge_frac) end
  return out
end

--- Sizes of a fleet of replicas of `ranks` devices, smallest first, shared by all candidates of the pool: { up = replicas
--- that carry the peak, replicas = all of them, most = with those of a roll-out }.
function sizes.of(ask, pool, ranks)
  pool.sizes = pool.sizes or {}
  if pool.sizes[ranks] then return pool.sizes[ranks] end
  local list
  local most = ask.gpus // ranks
  if ask.space.replicas then
    list = {}
    for _, size in ipairs(fixed(ask, up_to(ask, pool, ask.gpus))) do
      if size.most <= most then list[#list + 1] = size end
    end
  else
    list = up_to(ask, pool, most)
  end
  pool.sizes[ranks] = list
  return list
end

return sizes

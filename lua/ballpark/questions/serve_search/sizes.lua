-- How many replicas a fleet has so that enough of them carry the peak: zones, spares and spot losses over them.
local core = require("ballpark.core")

local sizes = {}

--- The size of a fleet of which `up` replicas carry the peak.
function sizes.with(ask, pool, up)
  local fleet = ask.fleet
  local out = core.replicas({ peak_per_s = up, capacity_per_s = 1, utilization_frac = 1, zones = fleet.zones,
    spares = fleet.spares, surge_frac = fleet.surge_frac, loss_frac = pool.loss_frac })
  return { up = up, replicas = math.tointeger(out.replicas), most = math.tointeger(out.surge_replicas) }
end

-- Sizes by the replicas that are up, as long as one device each would do.
local function all_of(ask, pool)
  local list = {}
  for up = 1, ask.gpus do
    local size = sizes.with(ask, pool, up)
    if size.most > ask.gpus then break end
    list[up] = size
  end
  return list
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

--- Sizes of a fleet of replicas of `ranks` devices, smallest first: { up = replicas that carry the peak,
--- replicas = all of them, most = with those of a roll-out }.
function sizes.of(ask, pool, ranks)
  if not pool.sizes then
    local list = all_of(ask, pool)
    pool.sizes = ask.space.replicas and fixed(ask, list) or list
  end
  local out = {}
  for _, size in ipairs(pool.sizes) do
    if size.most * ranks <= ask.gpus then out[#out + 1] = size end
  end
  return out
end

return sizes

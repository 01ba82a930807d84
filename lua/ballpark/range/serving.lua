-- The 80 % range around a predicted time: what published points were over what was predicted for them, wider
-- by what is not known of the case.
local engines = require("ballpark.catalog.engines")
local ranges = require("ballpark.catalog.fitted.serving_range")
local serving_curves = require("ballpark.catalog.serving_curves")
local widths = require("ballpark.range.log_widths")

local range = {}

-- Half a range more, in e-folds, where a device's kernel speeds are those of another one (assumption: a fifth).
local BORROWED <const> = 0.2

-- Measured over predicted times of all engines together: the widest ends.
local function widest(metric)
  local low, high = 1, 1
  for _, engine in pairs(ranges) do low, high = math.min(low, engine[metric][1]), math.max(high, engine[metric][2]) end
  return low, high
end

--- Log width that comes from the device.
function range.of_device(device)
  local _, origin = serving_curves.get(device)
  return origin == device.name and 0 or BORROWED
end

-- Of engines that were not fitted what published tables show of whole requests; first tokens nobody compared.
local function base(engine, metric)
  if ranges[engine] then return ranges[engine][metric][1], ranges[engine][metric][2] end
  local low, high = widest(metric)
  local beyond = engines.beyond(engine)
  if not beyond then return low, high end
  if metric ~= "ttft_ms" then return beyond[1], beyond[2] end
  return math.exp(-widths.together(math.log(low), math.log(beyond[1]))),
    math.exp(widths.together(math.log(high), math.log(beyond[2])))
end

--- Low and high as factors of a predicted time (`metric`: ttft_ms, tpot_ms, e2e_ms) of an engine; one that nobody
--- measured has the widest. `down`, `up`: further log widths to either side.
function range.of(engine, metric, down, up)
  local low, high = base(engine, metric)
  return math.exp(-widths.together(math.log(low), down or 0)), math.exp(widths.together(math.log(high), up or 0))
end

--- What is left of a measured over predicted ratio, in e-folds, once its own further widths are taken off; the base
--- that `of` widens is made of these.
function range.beyond(ratio, down, up) return widths.beyond(math.log(ratio), down, up) end

return range

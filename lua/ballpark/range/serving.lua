-- The range of a predicted time of serving: what published points were over what was predicted for them, wider
-- by what is not known of the case.
local engines = require("ballpark.catalog.engines")
local fitted = require("ballpark.catalog.fitted.serving_range")
local law = require("ballpark.range.law")
local log_widths = require("ballpark.range.log_widths")
local range = require("ballpark.range")
local serving_curves = require("ballpark.catalog.serving_curves")

local serving = {}

-- Half a range more, in e-folds, where a device's kernel speeds are those of another one (assumption: a fifth).
local BORROWED <const> = 0.2

-- Factors { low, high } as log widths { down, up }.
local function widths_of(factors) return { -math.log(factors[1]), math.log(factors[2]) } end

-- Measured over predicted times of all engines together: the widest ends.
local function widest(metric)
  local low, high = 1, 1
  for _, engine in pairs(fitted) do low, high = math.min(low, engine[metric][1]), math.max(high, engine[metric][2]) end
  return widths_of({ low, high })
end

--- Log width that comes from the device, with its reason.
---@param device table
---@return number
---@return string|nil
function serving.of_device(device)
  local _, origin = serving_curves.get(device)
  if origin == device.name then return 0, nil end
  return BORROWED, range.beyond("decode attention not measured on " .. (device.name or "this device"))
end

-- The law of an engine, and what else is open of it. Of engines that were not fitted there is what published tables
-- show of whole requests; first tokens nobody compared.
local function base(engine, metric)
  if fitted[engine] then return widths_of(fitted[engine][metric]) end
  local beyond, why = engines.beyond(engine), range.beyond("engine " .. tostring(engine) .. " is not one of the fit")
  if not beyond then return widest(metric), nil, why end
  if metric ~= "ttft_ms" then return widths_of(beyond), nil, why end
  return widest(metric), widths_of(beyond), why
end

--- The range of a time (`metric`: ttft_ms, tpot_ms, e2e_ms) of an engine as factors on it; one that nobody measured
--- has the widest. `width`: further log widths { down, up } of the case, with its `why`.
---@param engine string
---@param metric string
---@param width {[1]: number, [2]: number, why: string|nil}|nil
---@return ballpark.range
function serving.of(engine, metric, width)
  local own, beyond, why = base(engine, metric)
  local others = { beyond }
  others[#others + 1] = width
  return law.factor(own, others, { why })
end

--- What is left of a measured over predicted ratio, in e-folds, once its own further widths are taken off; the law
--- that `of` widens is made of these.
function serving.beyond(ratio, down, up) return log_widths.beyond(math.log(ratio), down, up) end

return serving

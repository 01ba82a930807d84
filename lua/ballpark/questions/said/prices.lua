-- Prices of a device-hour that nobody asks.
local catalog = require("ballpark.catalog.prices")
local units = require("ballpark.units")

local prices = {}

-- So much below the cheapest price that is known, or above the dearest, is none: assumptions.
local LEAST_OF_CHEAPEST <const>, MOST_OF_DEAREST <const> = 1 / 3, 10

--- What a stated price contradicts: { code, text }; nil where it is possible, or none is known.
---@param device string name of the catalog
---@param usd_h number
function prices.unlike(device, usd_h)
  local known = catalog.all(device)
  local cheapest, dearest = known[1], known[#known]
  if not cheapest then return nil end
  if usd_h < LEAST_OF_CHEAPEST * cheapest.usd_h then
    return { code = "below_price", text = ("%s, and the cheapest that is known of %s is %s (%s)"):format(
      units.format(usd_h, "USD/h"), device, units.format(cheapest.usd_h, "USD/h"), cheapest.provider) }
  end
  if usd_h > MOST_OF_DEAREST * dearest.usd_h then
    return { code = "above_price", text = ("%s, and the dearest that is known of %s is %s (%s)"):format(
      units.format(usd_h, "USD/h"), device, units.format(dearest.usd_h, "USD/h"), dearest.provider) }
  end
end

return prices

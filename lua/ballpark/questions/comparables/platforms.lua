-- The published platform that one's own stands beside: the share of its devices that jobs hold.
local rows = require("ballpark.catalog.published_platforms")

local platforms = {}

--- { text, source, date, low, high (shares that were published), ratio = own share over the middle of them }.
---@param used_frac number share of the devices that jobs hold
function platforms.nearest(used_frac)
  local row = rows[1]
  return { text = row.name, source = row.source, date = row.date, low = row.low, high = row.high,
    ratio = used_frac / math.sqrt(row.low * row.high) }
end

return platforms

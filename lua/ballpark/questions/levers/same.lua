-- Changes that cost what the fleet costs: counts are whole, so that less of the same count is busy, or nothing moves.
local units = require("ballpark.units")

local same = {}

local function percent(frac) return units.format(frac, "frac") end

--- "; still 5 of them, 58 % busy (66 % as it is)" for { count, busy_frac (as it is), own_busy_frac }; nothing for nil.
---@param found table|nil
function same.words(found)
  if not found then return "" end
  local text = ("; still %d of them"):format(found.count)
  if not (found.busy_frac and found.own_busy_frac) then return text end
  if math.abs(found.own_busy_frac - found.busy_frac) < 5e-4 then return text .. (", %s busy as it is"):format(percent(found.busy_frac)) end
  return text .. (", %s busy (%s as it is)"):format(percent(found.own_busy_frac), percent(found.busy_frac))
end

return same

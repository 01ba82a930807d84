-- Whole items dealt among devices, each of which calls back to back: an item is on one device, and so is a call of several.
local halves = require("ballpark.halves")

local dealt = {}

-- More than are in the world.
local MOST_DEVICES <const> = 1 << 40

-- Seconds of so many on one device: full calls, and one of those that are left over.
local function alone(items, batch, call_s)
  local left = math.tointeger(items % batch)
  local full = items // batch
  return (full > 0 and full * call_s(batch) or 0) + (left > 0 and call_s(left) or 0)
end

--- Seconds of all devices together, and until the one with the most items is done: { device_s, time_s }.
---@param items number
---@param devices integer
---@param batch integer items of a call at most
---@param call_s fun(batch: integer): number
function dealt.among(items, devices, batch, call_s)
  items = math.ceil(items)
  local each, more = items // devices, items % devices -- so many devices have one more
  local least_s = alone(each, batch, call_s)
  local most_s = more > 0 and alone(each + 1, batch, call_s) or least_s
  return { device_s = more * most_s + (devices - more) * least_s, time_s = most_s }
end

--- The fewest devices that are done within a time; nil where an item alone takes longer.
---@param items number
---@param batch integer
---@param call_s fun(batch: integer): number
---@param within_s number
---@return integer|nil
function dealt.fewest(items, batch, call_s, within_s)
  local function done(devices) return dealt.among(items, devices, batch, call_s).time_s <= within_s end
  local most = math.ceil(math.max(1, math.min(items, MOST_DEVICES)))
  if not done(most) then return nil end
  return halves.smallest(0, most, done)
end

return dealt

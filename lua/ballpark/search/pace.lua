-- Something that is to be done now and then, without taking more of the time than it is worth.
local pace = {}

local Pace = {}
Pace.__index = Pace

-- Seconds between two times, and most of all time that may go into it.
local EVERY_S <const> = 1
local SHARE <const> = 0.05

--- A pace at which the first time is a second away.
function pace.new()
  return setmetatable({ due_at = os.time() + EVERY_S }, Pace)
end

--- Whether it is time again.
function Pace:is_due() return os.time() >= self.due_at end

--- Does it: fn(...).
function Pace:go(fn, ...)
  local began = os.clock()
  fn(...)
  self.due_at = os.time() + math.max(EVERY_S, (os.clock() - began) // SHARE)
end

return pace

-- A job that is done now and then, such as saving a checkpoint, without taking more of the time than it is worth.
local periodic = {}

local Periodic = {}
Periodic.__index = Periodic

-- Seconds between two times, and most of all time that may go into it. Choices of ours.
local EVERY_S <const> = 1
local SHARE <const> = 0.05

--- A job that is due for the first time in a second.
function periodic.new()
  return setmetatable({ due_at = os.time() + EVERY_S }, Periodic)
end

--- Whether it is time again.
function Periodic:is_due() return os.time() >= self.due_at end

--- Does it: fn(...).
function Periodic:run(fn, ...)
  local began = os.clock()
  fn(...)
  self.due_at = os.time() + math.max(EVERY_S, (os.clock() - began) // SHARE)
end

return periodic

-- One line on a terminal that says how far a long run is, how fast, and how long it will take.
local term = require("ballpark.term")
local units = require("ballpark.units")

local progress = {}

-- The progress that is shown now: what begins inside of it is a part of its points, and silent.
local shown

local Progress = {}
Progress.__index = Progress

--- Progress over `total` points; silent unless standard error is a terminal, and inside of another one. `stream` and
--- `now` are for tests; false is none. Close it with <close>.
---@param total integer
---@param stream file*|false|nil
---@param now (fun(): number)|nil seconds
---@param what string|nil what the points are called
function progress.new(total, stream, now, what)
  if stream == nil and term.is_terminal(io.stderr) then stream = io.stderr end
  now = now or os.time
  local self = setmetatable({ total = total, stream = not shown and stream, now = now, began = now(), said = now(), done = 0,
    skipped = 0, what = what or "points" }, Progress)
  if self.stream then shown = self end
  return self
end

-- "123 of 1,000 points, 41 per s, 21 s left"
local function line(self, seconds)
  local left = self.total - self.done - self.skipped
  local rate = self.done / seconds
  return units.number(self.done + self.skipped, 0) .. " of " .. units.number(self.total, 0) .. " " .. self.what .. ", "
    .. units.number(rate, rate < 10 and 1 or 0) .. " per s, " .. units.format(left / rate, "s") .. " left"
end

--- A point is done, or was there already; says so once a second.
function Progress:step(skipped)
  if skipped then self.skipped = self.skipped + 1 else self.done = self.done + 1 end
  self:say()
end

--- So many points are done.
function Progress:reach(done)
  self.done = done
  self:say()
end

function Progress:say()
  if not self.stream then return end
  local time = self.now()
  if time - self.said < 1 or self.done == 0 then return end
  self.said, self.shown = time, true
  self.stream:write("\r\27[K", line(self, time - self.began))
  self.stream:flush()
end

--- Takes the line away.
function Progress:finish()
  if shown == self then shown = nil end
  if not self.shown then return end
  self.stream:write("\r\27[K")
  self.stream:flush()
  self.shown = false
end

Progress.__close = Progress.finish

return progress

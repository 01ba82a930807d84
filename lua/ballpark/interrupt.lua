-- Ctrl-C and time limits, as what they raise: one value of the core, which no text looks like.
local core = require("ballpark.core")

local interrupt = {}

--- Whether `e` is one.
function interrupt.is(e) return rawequal(e, core.interruption) end

--- Raises `e` again where it is one: for who catches what else fails.
function interrupt.pass_on(e)
  if interrupt.is(e) then error(e, 0) end
end

--- What fn(...) returns; an interruption that comes meanwhile is raised as it ends, and what it returns is lost then.
---@type fun(fn: function, ...: any): any
interrupt.held = core.held

--- Limits the time of a command that runs others, line after line; their own limits do not move it.
---@param seconds string|nil as the option has it, nil for no limit
function interrupt.limit_all(seconds)
  if seconds then core.time_limit(tonumber(seconds), true) end
end

--- Takes back the limit of the line that has ended, and ends all where their limit is over.
function interrupt.end_line()
  if core.time_limit(0) then error(core.interruption, 0) end
end

--- Whether `e` is one, which goes no farther: it ends what the caller was about. Where nobody asks, the process ends soon.
function interrupt.ends_here(e)
  if not interrupt.is(e) then return false end
  core.interruption_heard()
  return true
end

return interrupt

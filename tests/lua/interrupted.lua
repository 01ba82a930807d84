-- A Ctrl-C at a certain place, for specs of what it must not break.
local core = require("ballpark.core")

local interrupted = {}

--- A function that does what fn does, with a Ctrl-C as it returns.
function interrupted.after(fn)
  local function come(...)
    core.time_limit(1e-6)
    core.wait(0.01)
    return ...
  end
  return function(...) return come(fn(...)) end
end

-- Longer than a slow machine takes to hear of it.
local GRACE_S <const> = 20

--- Whether fn(...) raises an interruption, and no more than that.
function interrupted.raised(fn, ...)
  local grace = core.interruption_grace(GRACE_S)
  local ok, e = pcall(fn, ...)
  core.interruption_heard()
  core.interruption_grace(grace)
  return not ok and rawequal(e, core.interruption)
end

return interrupted

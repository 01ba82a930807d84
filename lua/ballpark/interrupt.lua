-- Ctrl-C and time limits, as what they raise: one value of the core, which no text looks like.
local core = require("ballpark.core")

local interrupt = {}

--- Whether `e` is one.
function interrupt.is(e) return rawequal(e, core.interruption) end

--- Whether `e` is one, which goes no farther: it ends what the caller was about. Where nobody asks, the process ends soon.
function interrupt.ends_here(e)
  if not interrupt.is(e) then return false end
  core.interruption_heard()
  return true
end

return interrupt

-- Time of one call, and the line that says it.
local timing = {}

local REPEATS = 7

--- Nanoseconds of processor time per call: the best of several rounds, so that what else the
--- machine does counts least.
function timing.ns(calls, call)
  local best = math.huge
  for _ = 1, REPEATS do
    local started = os.clock()
    for _ = 1, calls do call() end
    best = math.min(best, os.clock() - started)
  end
  return best / calls * 1e9
end

--- Prints one figure.
function timing.print(name, value, unit) print(("%s: %.0f %s"):format(name, value, unit)) end

return timing

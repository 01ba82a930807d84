-- Runs the specs with busted, inside the program, so that they can require "ballpark.core":
--
--   build/ballpark lua tests/lua/run.lua [SPEC.lua or option of busted]...
--
-- The last line sums up: `N passed, N failed`.
local here = arg[0]:match("^(.*)/[^/]*$") or "."

local given = table.move(arg, 1, #arg, 1, {})
local named = false
for _, word in ipairs(given) do
  named = named or word:sub(1, 1) ~= "-"
end
-- .busted names another interpreter for people who call busted itself; here we already are in ours.
arg = { [0] = arg[0], "--ignore-lua", "--output=" .. here .. "/output.lua", table.unpack(given) }
if not named then
  arg[#arg + 1] = "--pattern=_spec%.lua$"
  arg[#arg + 1] = here
end

-- Specs leave much behind that is dropped at once: a fifth less time than with the incremental collector.
collectgarbage("generational")
require("busted.runner")({ standalone = false })

-- Pairs of drawn questions of which the second has no less, whole answers of them:
--
--   tools/check-deep questions [COUNT [FIRST [KIND]]]
--
-- COUNT pairs of each kind, 100 unless said. Prints how many of each kind fall, and those that fall most. Exit code 1 where any
-- does.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local monotone = dofile(here .. "/../lua/monotone_questions.lua")

local count, first, only = tonumber(arg[1]) or 100, tonumber(arg[2]) or 1, arg[3]
local SHOWN <const> = 3

io.stdout:setvbuf("line")
local passed, failed = 0, 0
for _, kind in ipairs(monotone.kinds) do
  if not only or kind == only then
    local asked, fallen = 0, {}
    for index = first, first + count - 1 do
      local pair = monotone.pair(index, kind)
      asked = asked + (pair and 1 or 0)
      if pair and pair.falls > monotone.ROUNDING then
        pair.index = index
        fallen[#fallen + 1] = pair
      end
    end
    table.sort(fallen, function(a, b) return a.falls > b.falls end)
    print(("%-40s %5d pairs, %4d fall, by at most %.4f %%"):format(kind, asked, #fallen, fallen[1] and 100 * fallen[1].falls or 0))
    for i = 1, math.min(SHOWN, #fallen) do
      local pair = fallen[i]
      print(("  %.4f %% pair %d: %s (%.9g to %.9g)"):format(100 * pair.falls, pair.index, pair.text, pair.before, pair.after))
    end
    passed, failed = passed + asked - #fallen, failed + #fallen
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)

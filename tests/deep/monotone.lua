-- Pairs of cases of which physics says that the second has no less, many of them:
--
--   tools/check-deep monotone [COUNT [FIRST [SHOWN]]]
--
-- Prints how many of each kind fall, and those that fall most. Exit code 1 where any does.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local monotone = dofile(here .. "/../lua/monotone_pairs.lua")

local count, first, shown = tonumber(arg[1]) or 100000, tonumber(arg[2]) or 1, tonumber(arg[3]) or 20
local of_kind, fallen, asked, index = {}, {}, 0, first
while asked < count do
  local pair = monotone.pair(index)
  if pair then
    asked = asked + 1
    local kind = of_kind[pair.kind] or { count = 0, falls = 0, worst = 0 }
    of_kind[pair.kind] = kind
    kind.count = kind.count + 1
    if pair.falls > monotone.ROUNDING then
      kind.falls, kind.worst = kind.falls + 1, math.max(kind.worst, pair.falls)
      pair.index = index
      fallen[#fallen + 1] = pair
    end
  end
  index = index + 1
end
for _, name in ipairs(monotone.kinds) do
  local kind = of_kind[name] or { count = 0, falls = 0, worst = 0 }
  print(("%-32s %6d pairs, %5d fall, by at most %.4f %%"):format(name, kind.count, kind.falls, 100 * kind.worst))
end
table.sort(fallen, function(a, b) return a.falls > b.falls end)
for i = 1, math.min(shown, #fallen) do
  local pair = fallen[i]
  print(("%.4f %% pair %d, %s: %s (%.6g to %.6g)"):format(100 * pair.falls, pair.index, pair.kind, pair.text, pair.before,
    pair.after))
end
-- Chains of ever better devices, one for each so many pairs.
local PAIRS_OF_CHAIN <const> = 50
local chains, broken = 0, 0
for _, name in ipairs({ "memory", "bandwidth", "peak", "links" }) do
  for chain = first, first + count // PAIRS_OF_CHAIN - 1 do
    local falls, text = monotone.chain(chain, name)
    chains = chains + 1
    if falls > monotone.ROUNDING then
      broken = broken + 1
      if broken <= shown then print(("%.4f %% %s"):format(100 * falls, text)) end
    end
  end
end
print(("%-32s %6d chains, %4d fall"):format("capacity of ever better devices", chains, broken))
print(("%d passed, %d failed"):format(asked - #fallen + chains - broken, #fallen + broken))
os.exit(#fallen + broken == 0)

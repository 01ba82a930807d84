-- Capacity in closed form against simulated replicas, on many drawn cases:
--
--   tools/check-deep capacity [COUNT [FIRST [SHOWN]]]
--
-- Prints the share of the cases within 10 and 25 %, and those that are farthest off. Exit code 1 where fewer than 97 %
-- are within 10 % or fewer than 99.8 % within 25 %.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local cases = dofile(here .. "/../lua/capacity_cases.lua")

local count, first, shown = tonumber(arg[1]) or 5000, tonumber(arg[2]) or 1, tonumber(arg[3]) or 20
local list, refused, index = {}, 0, first
while #list < count do
  local drawn = cases.drawn(index)
  local m = cases.measured(drawn)
  if m then
    list[#list + 1] = { index = index, drawn = drawn, ratio = m.capacity_per_s / m.simulated_per_s, measured = m }
  else
    refused = refused + 1
  end
  index = index + 1
end
table.sort(list, function(a, b) return math.abs(math.log(a.ratio)) > math.abs(math.log(b.ratio)) end)

local function within(share)
  local n = 0
  for _, item in ipairs(list) do n = n + (math.abs(item.ratio - 1) <= share and 1 or 0) end
  return 100 * n / #list
end

for i = 1, math.min(shown, #list) do
  local d, m = list[i].drawn, list[i].measured
  print(("%5.2f  case %d: %s on %s, %s, tp %d dp %d, %s arrivals, %s %d in %d out: %.3g of %.3g /s"):format(
    list[i].ratio, list[i].index, d.model, d.device, d.engine.name, d.plan.tp, d.plan.dp or 1, d.arrivals,
    d.load.lengths, d.load.input_tokens, d.load.output_tokens, m.capacity_per_s, m.simulated_per_s))
end
print(("%d cases, %d that no engine runs or that have no room: %.1f %% within 10 %%, %.2f %% within 25 %%"):format(
  #list, refused, within(0.1), within(0.25)))
os.exit(within(0.1) >= 97 and within(0.25) >= 99.8)

-- Times that requests see under load in closed form against simulated ones, on many drawn cases:
--
--   tools/check-deep loads [COUNT [FIRST [SHOWN]]]
--
-- Prints for each share of the capacity how many are within 25 %, and those whose first token is farthest off. Exit code
-- 1 where fewer are within 25 % than the kernel says.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local cases = dofile(here .. "/../lua/capacity_cases.lua")

local count, first, shown = tonumber(arg[1]) or 1000, tonumber(arg[2]) or 1, tonumber(arg[3]) or 20
local SHARES <const> = { 0.3, 0.6, 0.85 }
local NEAR <const> = 1.25
local LEAST <const> = { ttft = { 90, 85, 65 }, tpot = { 90, 83, 75 }, e2e = { 93, 86, 75 } }
local list, index = {}, first
while index < first + count do
  local drawn = cases.drawn(index)
  for i, share in ipairs(SHARES) do
    local steady, seen = cases.under_load(drawn, share)
    if steady then
      local ratios = {}
      for name in pairs(LEAST) do
        local mean = seen[name].mean_s
        ratios[name] = mean > 0 and steady[name .. "_s"] / mean or 1
      end
      list[#list + 1] = { index = index, share = i, drawn = drawn, ratios = ratios }
    end
  end
  index = index + 1
end

local function off(ratio) return math.max(ratio, 1 / ratio) end

local ok = true
for name, least in pairs(LEAST) do
  for i, share in ipairs(SHARES) do
    local errors, near = {}, 0
    for _, item in ipairs(list) do
      if item.share == i then
        errors[#errors + 1] = off(item.ratios[name])
        near = near + (off(item.ratios[name]) <= NEAR and 1 or 0)
      end
    end
    table.sort(errors)
    local within = 100 * near / #errors
    ok = ok and within >= least[i]
    print(("%s at %2.0f %% of the capacity, %d cases: %.1f %% within 25 %%, half within %.1f %%, at most %.1f times"):format(
      name, 100 * share, #errors, within, 100 * (errors[#errors // 2 + 1] - 1), errors[#errors]))
  end
end
table.sort(list, function(a, b) return off(a.ratios.ttft) > off(b.ratios.ttft) end)
for i = 1, math.min(shown, #list) do
  local d, r = list[i].drawn, list[i].ratios
  print(("%5.2f  case %d at %g: %s on %s, %s, tp %d dp %d, %s %d in %d out; tpot %.2f, e2e %.2f"):format(r.ttft,
    list[i].index, SHARES[list[i].share], d.model, d.device, d.engine.name, d.plan.tp, d.plan.dp or 1, d.load.lengths,
    d.load.input_tokens, d.load.output_tokens, r.tpot, r.e2e))
end
os.exit(ok)

-- Pictures of a platform of jobs: waits by policy and class, the wait by the number of devices; parts of a latency
-- budget; a claimed MFU among published ones.
local columns = require("ballpark.report.pictures.columns")
local units = require("ballpark.units")

local platform = {}

local WAITS <const> = { { "mean_s", "mean" }, { "p50_s", "P50" }, { "p90_s", "P90" }, { "p99_s", "P99" } }

-- Bars of times side by side, those of `kinds` by the column `name`, without kinds that are all zero; nil
-- where every one is.
local function times(block, name, kinds, title)
  local names, all, found = columns.values(block, name), {}, {}
  if not names then return nil end
  for _, kind in ipairs(kinds) do
    local values = columns.values(block, kind[1])
    if not values then return nil end
    found[#found + 1] = values
    for _, value in ipairs(values) do all[#all + 1] = value or 0 end
  end
  if not all[1] or math.max(table.unpack(all)) <= 0 then return nil end
  local scaled, label = columns.scale(all, "s")
  local series = {}
  for i, kind in ipairs(kinds) do
    local drawn, most = {}, 0
    for row, value in ipairs(found[i]) do drawn[row], most = scaled(value or 0), math.max(most, value or 0) end
    if most > 0 then series[#series + 1] = { name = kind[2], values = drawn } end
  end
  local first, most = found[1], 1
  for i, value in ipairs(first) do
    if (value or 0) > (first[most] or 0) then most = i end
  end
  return { kind = "bars", title = block.title, flat = true, categories = names, series = series,
    y = columns.axis(title, label), about = ("Bars of %d; the longest in the mean is %s with %s."):format(#names, names[most],
      units.format(first[most] or 0, "s")) }
end

--- Waits under each policy.
function platform.policies(block) return times(block, "policy", WAITS, "wait") end

--- Waits of each class of jobs.
function platform.classes(block) return times(block, "class", WAITS, "wait") end

--- The wait by the number of devices that were tried.
function platform.sizes(block)
  local devices, waits = columns.values(block, "devices"), columns.values(block, "wait_s")
  if not devices or not waits or not columns.at(block, "met") then return nil end
  local scaled, label = columns.scale(waits, "s")
  local points = {}
  for i, wait in ipairs(waits) do
    if wait then points[#points + 1] = { devices[i], scaled(wait) } end
  end
  if #points < 2 then return nil end
  table.sort(points, function(a, b) return a[1] < b[1] end)
  local last = points[#points]
  return { kind = "lines", title = block.title, series = { { name = "wait", points = points } }, x = { title = "devices" },
    y = columns.axis("wait", label), about = ("From %g %s with %d devices to %g %s with %d."):format(points[1][2], label,
      points[1][1], last[2], label, last[1]) }
end

--- The parts of a latency budget, in the mean and at the percentile asked for.
function platform.parts(block)
  if not columns.at(block, "percentile_s") then return nil end
  local at = block.columns[columns.at(block, "percentile_s")]
  local picture = times(block, "part", { { "mean_s", "mean" }, { "percentile_s", at.title } }, "time")
  if picture then picture.title = "Latency by part" end
  return picture
end

--- MFU of published runs, with the claim among them.
function platform.published(block)
  local runs, shares = columns.values(block, "run"), columns.values(block, "mfu_frac")
  if not runs or not shares or #shares < 2 then return nil end
  local others, claimed, own = {}, {}, nil
  for i, run in ipairs(runs) do
    local percent = columns.brief(100 * shares[i])
    local is_own = run == "this claim"
    others[i], claimed[i] = is_own and 0 or percent, is_own and percent or 0
    own = is_own and percent or own
  end
  return { kind = "bars", title = "The claim among published runs", flat = true, stacked = true, categories = runs,
    series = { { name = "published", values = others }, { name = "this claim", values = claimed } }, y = { title = "MFU, %" },
    about = own and ("The claim's MFU is %g %%, beside %d published runs."):format(own, #runs - 1)
      or ("MFU of %d published runs."):format(#runs) }
end

return platform

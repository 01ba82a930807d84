-- Pictures of ranges: each figure's, and what an answer hangs on.
local columns = require("ballpark.report.pictures.columns")

local ranges = {}

local function texts(block, names)
  local list = {}
  for i, name in ipairs(names) do list[i] = columns.values(block, name) end
  return list
end

--- Every input turned from its 10th to its 90th percentile, of those that leave an answer at both.
function ranges.tornado(block)
  local name, from, to, low, high, unit, median = table.unpack(texts(block, { "input", "from", "to", "low", "high", "unit",
    "median" }))
  local all, there, rows = {}, {}, {}
  for i = 1, #name do
    if low[i] and high[i] then there[#there + 1], all[#all + 1], all[#all + 2] = i, low[i], high[i] end
  end
  local scaled, label = columns.scale(all, unit[1] or "")
  for k, i in ipairs(there) do
    local least, most = math.min(low[i], high[i]), math.max(low[i], high[i])
    rows[k] = { name[i], scaled(least), scaled(most), false, ("%s to %s"):format(from[i], to[i]) }
  end
  if not rows[1] then return nil end
  return { kind = "intervals", title = "What it hangs on", rows = rows, x = columns.axis("", label),
    middle = scaled(median[1]), middle_name = "all at their medians",
    about = ("Bars of %d inputs, the largest first: %s moves the answer from %g to %g %s."):format(#rows, rows[1][1], rows[1][2],
      rows[1][3], label) }
end

return ranges

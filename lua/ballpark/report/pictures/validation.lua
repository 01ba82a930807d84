-- Pictures of validations: what is predicted against what was measured, by family.
local columns = require("ballpark.report.pictures.columns")

local validation = {}

-- Points of one chart, and families that it tells apart.
local POINTS <const>, FAMILIES <const> = 700, 23

-- What people call a figure, with its unit; others are called by their name.
local WORDS <const> = { step_s = "step, s", tokens_per_s_per_gpu = "tok/s of a device", peak_mem = "peak memory, GiB",
  ttft_ms = "TTFT, ms", tpot_ms = "TPOT, ms", e2e_ms = "E2E, ms", generation = "generation, tok/s", prompt = "prompt, tok/s",
  tokens_per_s = "tok/s", weights_gib = "weights, GiB", kv_tokens = "tokens of the KV cache" }

-- Families with the most rows first; those beyond the last place share one.
local function places_of(list)
  local counts, names, place = {}, {}, {}
  for _, row in ipairs(list) do
    local family = row.family or "all"
    if not counts[family] then names[#names + 1] = family end
    counts[family] = (counts[family] or 0) + 1
  end
  table.sort(names, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  for i, name in ipairs(names) do place[name] = #names <= FAMILIES and i or math.min(i, FAMILIES) end
  return place, names
end

local function picture_of(metric, list, all)
  local place, names = places_of(list)
  local series, inside, known = {}, 0, 0
  for _, row in ipairs(list) do
    local i = place[row.family or "all"]
    series[i] = series[i] or { name = i == FAMILIES and #names > FAMILIES and "other families" or row.family or "all", points = {} }
    local low, high = columns.brief(row.low), columns.brief(row.high)
    table.insert(series[i].points, { columns.brief(row.measured), columns.brief(row.predicted), row.case_id or "",
      low or false, high or false })
    if low and high then
      known = known + 1
      inside = inside + (row.measured >= row.low and row.measured <= row.high and 1 or 0)
    end
  end
  local words = WORDS[metric] or metric
  return { kind = "points", title = words .. ": predicted against measured", series = series, diagonal = true, small = true,
    x = { title = "measured, " .. words, log = true }, y = { title = "predicted, " .. words, log = true },
    about = ("%d%s rows of %d famil%s around the line where both are the same%s."):format(#list,
      #list < all and " of " .. all or "", #names, #names == 1 and "y" or "ies",
      known > 0 and ("; %d of %d ranges hold the measured value"):format(inside, known) or "") }
end

-- Rows that have both numbers, by metric, in the order of the table.
local function by_metric(block)
  local at, lists, metrics = {}, {}, {}
  for i, column in ipairs(block.columns) do at[column.name] = i end
  for _, row in ipairs(block.rows) do
    local function value(name) return row[at[name] or 0] end
    local metric = value("metric") or "value"
    if (value("measured") or 0) > 0 and (value("predicted") or 0) > 0 then
      if not lists[metric] then lists[metric], metrics[#metrics + 1] = {}, metric end
      table.insert(lists[metric], { case_id = value("case_id"), family = value("family"), measured = value("measured"),
        predicted = value("predicted"), low = value("predicted_low"), high = value("predicted_high") })
    end
  end
  return metrics, lists
end

-- So many of a list, evenly.
local function thinned(list, most)
  if #list <= most then return list end
  local kept = {}
  for i = 1, most do kept[i] = list[math.floor((i - 1) * #list / most) + 1] end
  return kept
end

--- One chart for each figure that was measured.
function validation.measured(block)
  local made, metrics, lists = {}, by_metric(block)
  for _, metric in ipairs(metrics) do
    made[#made + 1] = picture_of(metric, thinned(lists[metric], POINTS // #metrics), #lists[metric])
  end
  return table.unpack(made)
end

return validation

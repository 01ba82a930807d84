-- Pictures of a result for a terminal: bars, sparklines, points, maps of letters and blocks (see report/pictures.lua).
local blanks = require("ballpark.blanks")
local pictures = require("ballpark.report.pictures")
local term = require("ballpark.term")
local text = require("ballpark.report.text")

local WIDTH <const> = 100
-- Letters of a label at most, and rows of a chart of points.
local LABEL <const>, HIGH <const> = 34, 14

local EIGHTHS <const> = { "▏", "▎", "▍", "▌", "▋", "▊", "▉" }
local SPARKS <const> = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }
local SHADES <const> = { "█", "▓", "▒", "░", "▞", "▚", "▤", "▥" }

local function number(value) return type(value) == "number" and ("%.4g"):format(value) or "–" end

local function cut(label)
  if text.width(label) <= LABEL then return label end
  return label:sub(1, utf8.offset(label, LABEL) - 1) .. "…"
end

local function widest(labels)
  local most = 0
  for i, label in ipairs(labels) do
    labels[i] = cut(label)
    most = math.max(most, text.width(labels[i]))
  end
  return most
end

-- A bar of that many cells, to an eighth.
local function bar(cells)
  local whole = math.floor(cells)
  return ("█"):rep(whole) .. (EIGHTHS[math.floor((cells - whole) * 8)] or "")
end

local draw = {}

local function whole_bars(out, p, labels, room, most)
  local before = widest(labels)
  for i, label in ipairs(labels) do
    for _, series in ipairs(p.series) do
      local value = series.values[i]
      out[#out + 1] = text.pad(label, before) .. "  " .. (value and bar(value / most * room) .. " " or "") .. number(value)
    end
  end
end

local function stacked_bars(out, p, labels, room, most)
  local before, legend = widest(labels), {}
  for k, series in ipairs(p.series) do legend[k] = SHADES[(k - 1) % #SHADES + 1] .. " " .. series.name end
  for _, line in ipairs(text.wrap(table.concat(legend, "  "), WIDTH - 4)) do out[#out + 1] = line end
  for i, label in ipairs(labels) do
    local cells, sum, drawn = {}, 0, 0
    for k, series in ipairs(p.series) do
      sum = sum + (series.values[i] or 0)
      local upto = math.floor(sum / most * room + 0.5)
      cells[k], drawn = SHADES[(k - 1) % #SHADES + 1]:rep(upto - drawn), upto
    end
    local rest = p.limit and math.floor(p.limit.value / most * room + 0.5) - drawn - 1 or -1
    out[#out + 1] = text.pad(label, before) .. "  " .. table.concat(cells) .. (rest >= 0 and (" "):rep(rest) .. "|" or "")
      .. " " .. number(sum)
  end
end

function draw.bars(out, p)
  local most = p.limit and p.limit.value or 0
  for i = 1, #p.categories do
    local sum = 0
    for _, series in ipairs(p.series) do
      sum = p.stacked and sum + (series.values[i] or 0) or math.max(sum, series.values[i] or 0)
    end
    most = math.max(most, sum)
  end
  if most <= 0 then return end
  local labels = table.move(p.categories, 1, #p.categories, 1, {})
  local draw_bars = p.stacked and stacked_bars or whole_bars
  draw_bars(out, p, labels, WIDTH - LABEL - 16, most)
  out[#out + 1] = (p.y.title or "") .. (p.limit and "; | is the " .. p.limit.name .. ", " .. number(p.limit.value) or "")
end

-- Values of a curve at so many even places (of a logarithm: `log`), by the last point before each.
local function sampled(points, count, log)
  local first, last, list, at = points[1][1], points[#points][1], {}, 1
  for i = 1, count do
    local share = (i - 1) / math.max(1, count - 1)
    local x = log and first * (last / first) ^ share or first + (last - first) * share
    while points[at + 1] and points[at + 1][1] <= x + 1e-12 * math.abs(x) do at = at + 1 end
    list[i] = points[at][2]
  end
  return list
end

function draw.lines(out, p)
  local least, most, names = math.huge, -math.huge, {}
  for i, series in ipairs(p.series) do
    names[i] = series.name
    for _, point in ipairs(series.points) do least, most = math.min(least, point[2]), math.max(most, point[2]) end
  end
  local before = widest(names)
  for i, series in ipairs(p.series) do
    local cells, low, high = {}, math.huge, -math.huge
    for k, value in ipairs(sampled(series.points, math.min(60, math.max(8, #series.points)), p.x.log)) do
      local share = most > least and (value - least) / (most - least) or 0
      cells[k] = SPARKS[1 + math.floor(share * (#SPARKS - 1) + 0.5)]
      low, high = math.min(low, value), math.max(high, value)
    end
    out[#out + 1] = text.pad(names[i], before) .. "  " .. table.concat(cells) .. "  " .. number(low) .. " to " .. number(high)
  end
  local points = p.series[1].points
  local limits = ""
  for _, limit in ipairs(p.limits or {}) do limits = limits .. "; " .. limit.name .. " " .. number(limit.value) end
  out[#out + 1] = ("%s, over %s from %s to %s%s"):format(p.y.title, p.x.title, number(points[1][1]),
    number(points[#points][1]), limits)
end

local MARKS <const> = { "●", "○", "■", "□", "▲", "△", "◆", "◇" }

-- Place of a value between two ends, from 0 to 1.
local function share_of(value, least, most, log)
  if most <= least then return 0.5 end
  if log then return math.log(value / least) / math.log(most / least) end
  return (value - least) / (most - least)
end

local function ends_of(p, at)
  local least, most = math.huge, -math.huge
  for _, series in ipairs(p.series) do
    for _, point in ipairs(series.points) do least, most = math.min(least, point[at]), math.max(most, point[at]) end
  end
  return least, most
end

function draw.points(out, p)
  local x_least, x_most = ends_of(p, 1)
  local y_least, y_most = ends_of(p, 2)
  local wide, rows, legend = 64, {}, {}
  for i = 1, HIGH do
    rows[i] = {}
    for k = 1, wide do rows[i][k] = " " end
  end
  for s = #p.series, 1, -1 do
    local series = p.series[s]
    local mark = series.faint and "·" or MARKS[(s - 1) % #MARKS + 1]
    legend[s] = mark .. " " .. series.name
    for _, point in ipairs(series.points) do
      local x = 1 + math.floor(share_of(point[1], x_least, x_most, p.x.log) * (wide - 1) + 0.5)
      local y = HIGH - math.floor(share_of(point[2], y_least, y_most, p.y.log) * (HIGH - 1) + 0.5)
      rows[y][x] = mark
    end
  end
  local before = math.max(#number(y_least), #number(y_most))
  for i, row in ipairs(rows) do
    local label = i == 1 and number(y_most) or i == HIGH and number(y_least) or ""
    out[#out + 1] = blanks.cut_end(text.pad(label, before, true) .. " |" .. table.concat(row))
  end
  local right = number(x_most)
  out[#out + 1] = (" "):rep(before + 2) .. text.pad(number(x_least), wide - #right) .. right
  out[#out + 1] = ("across: %s; up: %s; %s"):format(p.x.title, p.y.title, table.concat(legend, ", "))
end

function draw.heat(out, p)
  local grid, least, most, wide = {}, math.huge, -math.huge, 0
  for _, cell in ipairs(p.cells) do
    if cell[3] then least, most = math.min(least, cell[3]), math.max(most, cell[3]) end
  end
  for _, cell in ipairs(p.cells) do
    local shade = cell[3] and SPARKS[1 + math.floor(share_of(cell[3], least, most) * (#SPARKS - 1) + 0.5)] .. " " or ""
    local words = shade .. (cell[3] and number(cell[3]) or cut(cell[4] or "–"))
    grid[cell[2] + 1] = grid[cell[2] + 1] or {}
    grid[cell[2] + 1][cell[1] + 1] = words
    wide = math.max(wide, text.width(words))
  end
  local labels = table.move(p.rows, 1, #p.rows, 1, {})
  local before = math.max(widest(labels), text.width(p.y.title or ""))
  local header = {}
  for k, name in ipairs(p.columns) do
    wide = math.max(wide, text.width(name))
    header[k] = name
  end
  for k, name in ipairs(header) do header[k] = text.pad(name, wide) end
  out[#out + 1] = text.pad(p.y.title or "", before) .. "  " .. table.concat(header, "  ") .. "  " .. (p.x.title or "")
  for i, label in ipairs(labels) do
    local cells = {}
    for k = 1, #p.columns do cells[k] = text.pad(grid[i] and grid[i][k] or "", wide) end
    out[#out + 1] = text.pad(label, before) .. "  " .. table.concat(cells, "  ")
  end
end

-- Letters of kinds; odd chunks in small ones, dots where nothing runs.
function draw.spans(out, p)
  local labels, first, last, wide = table.move(p.rows, 1, #p.rows, 1, {}), math.huge, -math.huge, 78
  local before, rows = widest(labels), {}
  for _, span in ipairs(p.spans) do first, last = math.min(first, span[2]), math.max(last, span[3]) end
  for i = 1, #p.rows do
    rows[i] = {}
    for k = 1, wide do rows[i][k] = "." end
  end
  for _, span in ipairs(p.spans) do
    local from = math.floor((span[2] - first) / (last - first) * wide + 0.5) + 1
    local upto = math.max(from, math.floor((span[3] - first) / (last - first) * wide + 0.5))
    local letter = span[4]:sub(1, 1)
    for k = from, math.min(upto, wide) do rows[span[1] + 1][k] = span[4]:sub(2) == "1" and letter:lower() or letter end
  end
  for i, label in ipairs(labels) do out[#out + 1] = text.pad(label, before) .. "  " .. table.concat(rows[i]) end
  local kinds = {}
  for i, kind in ipairs(p.kinds) do kinds[i] = kind[1] .. " " .. kind[2] end
  out[#out + 1] = ("%s from %s to %s; %s"):format(p.x.title, number(first), number(last), table.concat(kinds, ", "))
end

function draw.intervals(out, p)
  local least, most, labels, wide = p.middle or math.huge, p.middle or -math.huge, {}, 48
  for i, row in ipairs(p.rows) do
    labels[i], least, most = row[1], math.min(least, row[2]), math.max(most, row[3])
  end
  local before = widest(labels)
  local function place(value) return 1 + math.floor(share_of(value, least, most) * (wide - 1) + 0.5) end
  for i, row in ipairs(p.rows) do
    local cells = {}
    for k = 1, wide do cells[k] = k >= place(row[2]) and k <= place(row[3]) and "━" or " " end
    if row[4] then cells[place(row[4])] = "┿" end
    if p.middle then cells[place(p.middle)] = "|" end
    out[#out + 1] = text.pad(labels[i], before) .. "  " .. table.concat(cells) .. "  " .. number(row[2]) .. " to " .. number(row[3])
  end
  out[#out + 1] = (p.x.title or "") .. (p.middle and "; | is " .. (p.middle_name and p.middle_name .. ", " or "")
    .. number(p.middle) or "")
end

--- All pictures of a result, below each other; nothing where there are none.
---@param r table see ballpark.result
---@param options {color: boolean|nil}
---@return string
return function(r, options)
  local style, out, found = term.style(options.color), {}, pictures.of(r)
  for _, block in ipairs(r.blocks) do
    for _, picture in ipairs(found[block.name] or {}) do
      local lines = {}
      draw[picture.kind](lines, picture)
      out[#out + 1] = "\n" .. style.bold(picture.title) .. "\n"
      for _, line in ipairs(lines) do out[#out + 1] = "  " .. blanks.cut_end(line) .. "\n" end
    end
  end
  return table.concat(out)
end

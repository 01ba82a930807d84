-- Pictures of sweeps: lines or bars over one axis, a heat map over more.
local columns = require("ballpark.report.pictures.columns")
local units = require("ballpark.units")

local sweep = {}

-- Figures that people ask about first; others where none of these is there.
local MAIN <const> = { "step_s", "total_bytes", "cost_usd", "ttft_s", "tpot_s", "usd_h", "run_s", "tokens_per_s" }
-- Pictures of one sweep.
local MOST <const> = 4

-- Whether rows differ in it: what is the same everywhere is no picture.
local function varies(values)
  local first
  for _, value in ipairs(values) do
    if type(value) == "number" then
      if first and value ~= first then return true end
      first = first or value
    end
  end
  return false
end

-- Columns to draw: all that were asked for where these are few, else the main ones.
local function figures_of(block)
  local list, main = {}, {}
  for i, column in ipairs(block.columns) do
    local values = columns.values(block, column.name)
    if not column.axis and not column.hide and type(values[1] or 0) == "number" and varies(values) then
      list[#list + 1] = i
      for rank, name in ipairs(MAIN) do
        if name == column.name then main[#main + 1] = { rank, i } end
      end
    end
  end
  if #list <= MOST or not main[1] then return { table.unpack(list, 1, math.min(#list, MOST)) } end
  table.sort(main, function(a, b) return a[1] < b[1] end)
  local chosen = {}
  for k = 1, math.min(2, #main) do chosen[k] = main[k][2] end
  return chosen
end

local function axes_of(block)
  local list = {}
  for i, column in ipairs(block.columns) do
    if column.axis then list[#list + 1] = i end
  end
  return list
end

local function text_of(value) return math.type(value) == "float" and ("%.6g"):format(value) or tostring(value) end

-- Why a row has no value that counts; nil where it has one.
local function obstacle(block, row)
  local status, reason = columns.at(block, "status"), columns.at(block, "reason")
  if not status or row[status] == "ok" or row[status] == "failed" then return nil end
  return row[reason] or row[status]
end

local function over_one(block, axis, figure)
  local scaled, label = columns.scale(columns.values(block, block.columns[figure].name), block.columns[figure].unit)
  local name, numeric, points, categories, drawn = block.columns[figure].title, true, {}, {}, {}
  for _, row in ipairs(block.rows) do
    local value = not obstacle(block, row) and row[figure]
    numeric = numeric and type(row[axis]) == "number"
    categories[#categories + 1], drawn[#drawn + 1] = text_of(row[axis]), value and scaled(value) or false
    if value then points[#points + 1] = { row[axis], scaled(value) } end
  end
  local about = ("%s by %s at %d points."):format(name, block.columns[axis].title, #points)
  if not numeric or #points < 3 then
    return { kind = "bars", title = name, flat = true, categories = categories, series = { { name = name, values = drawn } },
      y = columns.axis(name, label), about = about }
  end
  table.sort(points, function(a, b) return a[1] < b[1] end)
  return { kind = "lines", title = name, series = { { name = name, points = points } },
    x = { title = block.columns[axis].title }, y = columns.axis(name, label), about = about }
end

-- A row of a heat map by all axes but the last.
local function row_key(block, axes, row)
  local words = {}
  for k = 1, #axes - 1 do
    words[k] = #axes == 2 and text_of(row[axes[k]]) or block.columns[axes[k]].title .. " " .. text_of(row[axes[k]])
  end
  return table.concat(words, ", ")
end

local function over_more(block, axes, figure)
  local column, last = block.columns[figure], axes[#axes]
  local scaled, label = columns.scale(columns.values(block, column.name), column.unit)
  local names, rows, at_name, at_row, cells, out, best = {}, {}, {}, {}, {}, 0, nil
  for _, row in ipairs(block.rows) do
    local x, y = text_of(row[last]), row_key(block, axes, row)
    if not at_name[x] then names[#names + 1], at_name[x] = x, #names end
    if not at_row[y] then rows[#rows + 1], at_row[y] = y, #rows end
    local why = obstacle(block, row)
    local value = not why and row[figure]
    if not value then out = out + 1 end
    if value and (not best or value < best) then best = value end
    cells[#cells + 1] = { at_name[x], at_row[y], value and scaled(value) or false, why or nil }
  end
  local title = {}
  for k = 1, #axes - 1 do title[k] = block.columns[axes[k]].title end
  return { kind = "heat", title = columns.axis(column.title, label).title, columns = names, rows = rows, cells = cells,
    unit = label, x = { title = block.columns[last].title }, y = { title = #axes == 2 and title[1] or "" },
    about = ("A heat map of %s by %s and %s; %d of %d cells have no value%s."):format(column.title, table.concat(title, ", "),
      block.columns[last].title, out, #cells, best and ", the least is " .. units.format(best, column.unit) or "") }
end

--- The figures of a sweep over its axes.
function sweep.sweep(block)
  local axes, made = axes_of(block), {}
  for _, figure in ipairs(axes[1] and #block.rows > 1 and figures_of(block) or {}) do
    made[#made + 1] = #axes == 1 and over_one(block, axes[1], figure) or over_more(block, axes, figure)
  end
  return table.unpack(made)
end

--- The best plan of every pair of tensor and pipeline parallel degrees of a search, and why others are out.
function sweep.tp_pp(block) return sweep.sweep(block) end

return sweep

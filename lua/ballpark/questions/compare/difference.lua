-- The difference of two estimates cut into the parts of time and memory. The parts add up to the whole:
-- the last bits that rounding leaves go to the largest part.
local training_show = require("ballpark.questions.estimate.show")

local difference = {}

local function size(row) return math.abs(row.difference) end

-- Rows of the parts that either has, the largest difference first, and the whole at the end.
local function rows_of(parts, a, b, total_name, total_title)
  local rows, sum = {}, 0
  for i, part in ipairs(parts) do
    local row = { part = part[2], a = a[part[1]], b = b[part[1]], place = i }
    row.difference = row.b - row.a
    sum = sum + row.difference
    if row.a ~= 0 or row.b ~= 0 then rows[#rows + 1] = row end
  end
  table.sort(rows, function(left, right)
    if size(left) ~= size(right) then return size(left) > size(right) end
    return left.place < right.place
  end)
  local whole = { part = total_title, a = a[total_name], b = b[total_name] }
  whole.difference = whole.b - whole.a
  if rows[1] then rows[1].difference = rows[1].difference + (whole.difference - sum) end
  for _, row in ipairs(rows) do
    row.share_frac = whole.difference ~= 0 and row.difference / whole.difference or nil
    row.place = nil
  end
  rows[#rows + 1] = whole
  return rows
end

--- Time of a step: rows { part, a, b, difference, share_frac }, the last is the step itself.
function difference.time(a, b)
  return rows_of(training_show.time_parts, a.time, b.time, "step_s", "step")
end

--- Memory of the fullest stage, likewise.
function difference.memory(a, b)
  return rows_of(training_show.memory_parts, a.memory, b.memory, "total_bytes", "all")
end

-- Parts of a difference have more digits than their ranges leave an estimate: both err alike.
local function add(r, name, title, unit, rows)
  r:table({ name = name, title = title, columns = {
    { name = "part", title = "" }, { name = "a", unit = unit, title = "A", scale = "part", exact = true },
    { name = "b", unit = unit, title = "B", scale = "part", exact = true },
    { name = "difference", unit = unit, title = "B - A", scale = "part", exact = true },
    { name = "share_frac", unit = "frac", title = "of it", hide = true },
  }, rows = rows })
end

--- Both as tables of a result.
function difference.show(r, a, b)
  add(r, "time_difference", "Time of a step, by part", "s", difference.time(a, b))
  add(r, "memory_difference", "Memory per device, by part", "B", difference.memory(a, b))
end

return difference

-- JSON Lines: one object per row of one table, base units.
local json = require("ballpark.json")
local rows = require("ballpark.report.rows")

local jsonl = {}

-- Columns in the order of the keys of an object, each with the text in front of its value; made once for
-- the many lines that have the same columns.
local plans = setmetatable({}, { __mode = "k" })

local function plan_of(columns)
  if plans[columns] then return plans[columns] end
  local plan = {}
  for i, column in ipairs(columns) do plan[i] = { at = i, name = column.name } end
  table.sort(plan, function(a, b) return a.name < b.name end)
  for i, item in ipairs(plan) do item.before = (i == 1 and "{" or ",") .. json.encode(item.name) .. ":" end
  plans[columns] = plan
  return plan
end

local function value_text(value)
  if value == nil then return "null" end
  if type(value) == "number" then return json.number(value) end
  return json.encode(value)
end

--- One row as a line; columns without a value are null.
function jsonl.line(columns, row)
  local parts = {}
  for i, item in ipairs(plan_of(columns)) do
    parts[2 * i - 1], parts[2 * i] = item.before, value_text(row[item.at])
  end
  if #parts == 0 then return "{}\n" end
  parts[#parts + 1] = "}\n"
  return table.concat(parts)
end

local function render(_, r, options)
  local lines = {}
  if r.body_rows then
    for i, row in ipairs(r.body_rows) do lines[i] = json.encode(row) .. "\n" end
    return table.concat(lines)
  end
  local columns, list = rows.of(r, options)
  for i, row in ipairs(list) do lines[i] = jsonl.line(columns, row) end
  return table.concat(lines)
end

return setmetatable(jsonl, { __call = render })

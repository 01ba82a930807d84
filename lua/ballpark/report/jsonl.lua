-- JSON Lines: one object per row of one table, base units.
local json = require("ballpark.json")
local rows = require("ballpark.report.rows")

local jsonl = {}

--- One row as a line; columns without a value are null.
function jsonl.line(columns, row)
  local object = json.object({})
  for i, column in ipairs(columns) do
    object[column.name] = row[i] == nil and json.null or row[i]
  end
  return json.encode(object) .. "\n"
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

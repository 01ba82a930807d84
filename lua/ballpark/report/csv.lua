-- CSV (RFC 4180 with line feeds): one table, base units, full digits, an empty cell for no value.
local json = require("ballpark.json")
local rows = require("ballpark.report.rows")

local csv = {}

--- One value as a CSV cell.
function csv.cell(value)
  if value == nil then return "" end
  local text = type(value) == "number" and json.number(value) or tostring(value)
  if text:find('[",\r\n]') or text:find("^%s") or text:find("%s$") then
    return '"' .. text:gsub('"', '""') .. '"'
  end
  return text
end

--- One line with its line feed; `n` cells, of which any may be nil.
function csv.line(cells, n)
  local texts = {}
  for i = 1, n do texts[i] = csv.cell(cells[i]) end
  return table.concat(texts, ",") .. "\n"
end

local function render(_, r, options)
  local columns, list = rows.of(r, options)
  local names = {}
  for i, column in ipairs(columns) do names[i] = column.name end
  local lines = { #columns > 0 and csv.line(names, #columns) or nil }
  for _, row in ipairs(list) do lines[#lines + 1] = csv.line(row, #columns) end
  return table.concat(lines)
end

return setmetatable(csv, { __call = render })

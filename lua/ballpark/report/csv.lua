-- CSV (RFC 4180 with line feeds): one table, base units, full digits, an empty cell for no value.
local json = require("ballpark.json")
local printable = require("ballpark.printable")
local rows = require("ballpark.report.rows")

local csv = {}

--- One value as a CSV cell.
function csv.cell(value)
  if value == nil then return "" end
  if type(value) == "number" then return json.number(value) end
  local text = printable.text(tostring(value))
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

-- Equal numbers of these are not written alike: 0 and -0.0, integers and floats that are written with an
-- exponent.
local EXPONENT_FROM <const> = 1e15

local function written_alike(value)
  return math.type(value) == nil or (value ~= 0 and value < EXPONENT_FROM and value > -EXPONENT_FROM)
end

--- A function like csv.line for the rows of one table: what did not change from one row to the next is
-- not put into words again.
function csv.liner()
  local before, texts = {}, {}
  return function(cells, n)
    for i = 1, n do
      local value = cells[i]
      if value == nil or value ~= before[i] then
        texts[i] = csv.cell(value)
        before[i] = value ~= nil and written_alike(value) and value or nil
      end
    end
    return table.concat(texts, ",", 1, n) .. "\n"
  end
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

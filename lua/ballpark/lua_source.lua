-- Plain values as Lua source: what files of coefficients are written as.
local tables = require("ballpark.tables")

local lua_source = {}

local write_value

local function write_table(value, digits, indent)
  local lines, inner = { "{" }, indent .. "  "
  for _, item in ipairs(value) do lines[#lines + 1] = inner .. write_value(item, digits, inner) .. "," end
  for _, key in ipairs(#value == 0 and tables.sorted_keys(value) or {}) do
    local name = key:find("^[%a_][%w_]*$") and key or ("[%q]"):format(key)
    lines[#lines + 1] = inner .. name .. " = " .. write_value(value[key], digits, inner) .. ","
  end
  lines[#lines + 1] = indent .. "}"
  return table.concat(lines, "\n")
end

function write_value(value, digits, indent)
  if type(value) == "table" then return write_table(value, digits, indent) end
  if type(value) == "string" then return ("%q"):format(value) end
  if math.type(value) == "float" then return ("%%.%dg"):format(digits):format(value) end
  return tostring(value)
end

--- Lua source of a table of lists and of tables with text keys, floats in so many digits.
---@param value table
---@param digits integer
---@return string
function lua_source.of(value, digits) return write_table(value, digits, "") end

return lua_source

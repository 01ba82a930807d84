-- Reading a config.json. Python writes Infinity and NaN, which JSON does not know: they become text,
-- so that a size that is not a number is refused where it is used and a harmless one is not.
local errors = require("ballpark.errors")
local plain = require("ballpark.json")

local json = {}

--- Stands for a null that is written down: unlike a missing key it asks for no default.
json.null = setmetatable({}, { __tostring = function() return "null" end })

-- The text with bare NaN, Infinity and -Infinity put in quotes.
local function quoted_specials(text)
  local pieces, at = {}, 1
  while at <= #text do
    local first = text:find('["/]', at) or #text + 1
    local between = text:sub(at, first - 1):gsub("NaN", '"NaN"'):gsub("%-?Infinity", '"%0"')
    pieces[#pieces + 1] = between
    if first > #text then break end
    at = plain.behind_opaque(text, first)
    pieces[#pieces + 1] = text:sub(first, at - 1)
  end
  return table.concat(pieces)
end

--- The object a JSON text holds; errors name `where`.
function json.decode(text, where)
  local value = plain.parse(quoted_specials(text), where, json.null)
  if type(value) ~= "table" or value == json.null or #value > 0 then errors.input(where, "must hold one JSON object") end
  return value
end

return json

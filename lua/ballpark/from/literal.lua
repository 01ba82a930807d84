-- A value that a launch file writes out: a text, a number, a truth or a flat list.
local blanks = require("ballpark.blanks")

local literal = {}

--- A word without quotes as the value that it means.
function literal.of_word(text)
  if text == "true" or text == "True" then return true end
  if text == "false" or text == "False" then return false end
  if text:find("^[+-]?%d+$") then return math.tointeger(tonumber(text)) or text end
  return text:find("^[+-]?%d*%.?%d+[eE]?[+-]?%d*$") and tonumber(text) or text
end

--- A value of YAML or Python; what stands behind a # is a comment.
function literal.read(text)
  text = blanks.cut_end(text:sub(1, (text:find("%s#") or 0) - 1))
  local inner = text:match("^%b[]$")
  if inner then
    inner = inner:sub(2, -2)
    local list = {}
    for i, item in ipairs(blanks.between_commas(inner)) do list[i] = literal.read(item) end
    return list
  end
  return text:match('^"(.*)"$') or text:match("^'(.*)'$") or literal.of_word((text:gsub("(%d)_(%d)", "%1%2")))
end

return literal

-- Texts without the blanks around them, in a time that grows as the text does: patterns that look for blanks at the end
-- begin anew at each blank.
local blanks = {}

--- The text without blanks at its end.
---@param text string
---@return string
function blanks.cut_end(text) return text:match("^.*%S") or "" end

--- The text without blanks at its beginning and its end.
---@param text string
---@return string
function blanks.cut(text)
  local first = text:find("%S")
  return first and text:match("^.*%S", first) or ""
end

--- What stands between the commas of a text, each without the blanks around it.
---@param text string
---@return string[]
function blanks.between_commas(text)
  local list = {}
  for item in text:gmatch("[^,]+") do list[#list + 1] = blanks.cut(item) end
  return list
end

--- The text without the byte order mark that some editors write in front.
---@param text string
---@return string
function blanks.without_mark(text) return text:sub(1, 3) == "\xEF\xBB\xBF" and text:sub(4) or text end

return blanks

-- Titles of facts and figures inside a line.
local titles = {}

--- A title as it is written inside a line: "Price" small, "SLO of an answer", "CPU" and "ZeRO" as they are.
---@param title string
---@return string
function titles.within_line(title)
  local word = title:match("^%S*")
  return word:find("^%u[^%u]*$") and title:gsub("^%u", string.lower) or title
end

return titles

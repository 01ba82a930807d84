-- Models that are known by name and not estimated: why, and what is near.
local unpriced = {}

--- What is said of a name; nil where the list has nothing that it begins with.
---@param plain string the name as its catalog compares names
---@param list table[] rows { what names begin with, why, what is near, or nil }
---@param is_whole boolean|nil whether the whole name has to be what others begin with
---@return string|nil
function unpriced.words(plain, list, is_whole)
  for _, row in ipairs(list) do
    if plain == row[1] or not is_whole and plain:find(row[1], 1, true) == 1 then
      return ("is not estimated: %s%s"):format(row[2], row[3] and "; " .. row[3] or "")
    end
  end
end

return unpriced

-- What stands in the notes of a published table as key=value.
local notes = {}

--- Pairs of key=value, wherever they stand; of a key that is there twice, the first.
---@param text string|nil
---@return table<string, string>
function notes.pairs(text)
  local said = {}
  for key, value in (text or ""):gmatch("([%w@_]+)=([^;%s]+)") do said[key] = said[key] or value end
  return said
end

return notes

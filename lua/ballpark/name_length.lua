-- How long a name may be. Who reads one tries its beginnings, its ends and its words in other orders, which takes the square
-- of its length and more: what is longer is no name, whatever it says.
local errors = require("ballpark.errors")

local name_length = {}

-- Bytes; longer than any name of a model, a device or software, with its owner and its format.
name_length.MOST = 256

--- Whether a text is too long for a name.
---@param text string
---@return boolean
function name_length.is_over(text) return #text > name_length.MOST end

--- The text, refused where it is too long for a name.
---@param path string where it stands
---@param text string
---@return string
function name_length.check(path, text)
  if name_length.is_over(text) then
    errors.input(path, ("a name has at most %d bytes, got %d: '%s…'"):format(name_length.MOST, #text, text:sub(1, 24)))
  end
  return text
end

return name_length

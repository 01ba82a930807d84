-- Pure functions of a word whose values are kept: names are looked up again and again while a prompt or a table is read.
local name_length = require("ballpark.name_length")

-- Words that are kept; beyond, all are forgotten, so that a long table of names takes no memory.
local MOST_WORDS <const> = 4096

--- A function with the values of `of`, which depends on its word alone and gives one value; nil of what is too long for a
--- name.
---@param of fun(word: string): any
---@return fun(word: string): any
return function(of)
  local values, count = {}, 0
  return function(word)
    if name_length.is_over(word) then return nil end
    local value = values[word]
    if value == nil then
      if count == MOST_WORDS then values, count = {}, 0 end
      value, count = of(word) or false, count + 1
      values[word] = value
    end
    return value or nil
  end
end

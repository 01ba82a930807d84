-- Where a condition over whole numbers turns, by halves: it holds up to a number and not beyond, or from a number on.
local halves = {}

--- The largest number from `low` on, below `beyond`, that holds. That `low` does and `beyond` does not is taken as known.
---@param low integer
---@param beyond integer
---@param holds fun(value: integer): boolean
---@param grain integer|nil stop within this part of it, one in so many
---@return integer
function halves.largest(low, beyond, holds, grain)
  while beyond - low > (grain and math.max(1, low // grain) or 1) do
    local middle = (low + beyond) // 2
    if holds(middle) then low = middle else beyond = middle end
  end
  return low
end

--- The smallest number above `below`, up to `high`, that holds. That `high` does and `below` does not is taken as known.
---@param below integer
---@param high integer
---@param holds fun(value: integer): boolean
---@return integer
function halves.smallest(below, high, holds)
  return halves.largest(below, high, function(value) return not holds(value) end) + 1
end

return halves

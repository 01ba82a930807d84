-- Numbers of a fixed sequence, the same on every machine, for cases that are drawn at random.
local drawn = {}

--- A function that returns a number of [0, 1) each call.
---@param seed integer
---@return fun(): number
function drawn.stream(seed)
  local state = seed * 2654435761 % 2147483647 + 1
  local function unit()
    state = state * 48271 % 2147483647
    return (state - 1) / 2147483646
  end
  for _ = 1, 3 do unit() end
  return unit
end

--- Between two positive numbers, evenly in their logarithm.
function drawn.between(unit, low, high) return low * (high / low) ^ unit() end

--- One of a list.
function drawn.one_of(unit, list) return list[1 + math.min(#list - 1, math.floor(unit() * #list))] end

return drawn

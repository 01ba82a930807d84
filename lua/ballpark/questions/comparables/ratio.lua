-- How far an answer may be from what was published of something like it.
local ratio = {}

--- A ratio beyond which one of the two is taken to be wrong, an order of magnitude; and from which on it is worth a note.
ratio.SUSPECT, ratio.NOTABLE = 10, 3

--- "suspect", "notable" or "usual".
---@param value number own over published
function ratio.verdict(value)
  local off = math.max(value, 1 / value)
  return off > ratio.SUSPECT and "suspect" or off > ratio.NOTABLE and "notable" or "usual"
end

--- "1.4 times", "a 12th of": own over published in words that stand before what was published.
---@param value number
function ratio.words(value)
  if value >= 1 then return ("%.2g times"):format(value) end
  return ("1/%.2g of"):format(1 / value)
end

--- How far two positive sizes are from each other: the logarithm of their ratio.
function ratio.apart(a, b) return math.abs(math.log(a / b)) end

return ratio

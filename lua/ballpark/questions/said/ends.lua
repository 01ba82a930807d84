-- Ends of facts that were said as ranges, where facts are reckoned from each other.
local ends = {}

--- Ends of a product from those of its two factors; nil where neither has any.
---@param value number
---@param own { low: number, high: number }|nil its ends
---@param times number
---@param of { low: number, high: number }|nil those of `times`
---@return { low: number, high: number }|nil
function ends.times(value, own, times, of)
  if not (own or of) then return nil end
  own, of = own or { low = value, high = value }, of or { low = times, high = times }
  return { low = own.low * of.low, high = own.high * of.high }
end

return ends

-- What two whole numbers divide by, and what divides by both.
local divisors = {}

--- The greatest common divisor of two whole numbers from 0.
---@param a integer
---@param b integer
---@return integer
function divisors.greatest(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

--- The least common multiple of two whole numbers from 1.
---@param a integer
---@param b integer
---@return integer
function divisors.least_multiple(a, b) return a // divisors.greatest(a, b) * b end

return divisors

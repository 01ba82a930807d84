-- How likely memory holds what needs so many bytes, where the bytes are an estimate.
local fits = {}

-- Buffers, alignment and what else runs move the need of inference by three hundredths, one standard deviation
-- (assumption).
local SPREAD <const> = 0.03

-- Standard deviations that nine in ten are within, on one side.
local NINE_IN_TEN <const> = 1.2816

--- The chance that is asked of what is called the largest or longest that fits, as a search asks of a plan.
fits.SURE = 0.9

-- The normal distribution function, by the logistic one that is within 0.01 of it (Bowling et al., 2009).
local function normal(z) return 1 / (1 + math.exp(-0.07056 * z ^ 3 - 1.5976 * z)) end

-- Standard deviations that the usable bytes are above the need: below it only the bytes that are not known can be fewer,
-- with as many of them for a standard deviation, so that there is no chance where what is known is more than there is.
local function deviations(need, usable, known)
  if usable >= need or known <= 0 then return (usable - need) / (SPREAD * need) end
  if usable <= known then return -math.huge end
  local rest = need - known
  return math.log((usable - known) / rest) * rest / (SPREAD * need)
end

--- The chance that so many bytes of inference, estimated, fit into usable ones.
---@param need number
---@param usable number
---@param known number|nil bytes of the need that are counted, not estimated: weights and cache
function fits.chance(need, usable, known)
  local z = deviations(need, usable, known or 0)
  return z == -math.huge and 0 or normal(z)
end

--- Bytes that surely fit into usable ones: with a chance of nine in ten.
---@param usable number
function fits.room(usable) return usable / (1 + NINE_IN_TEN * SPREAD) end

return fits

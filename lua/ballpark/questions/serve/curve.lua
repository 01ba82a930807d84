-- How a rate goes through a day: weights by minute with mean 1, the quietest first.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local curve = {}

--- Minutes of a day.
curve.minutes = 1440

-- Highest over mean that the simulation's curve takes.
local MOST <const> = 20
-- What services of one region see, when nothing is said: assumption, as the simulation has it.
local PEAK_OVER_MEAN <const> = 2

local function normalised(weights)
  local sum, most = 0, 0
  for _, weight in ipairs(weights) do sum, most = sum + weight, math.max(most, weight) end
  for i, weight in ipairs(weights) do weights[i] = weight / sum * #weights end
  return weights, most / sum * #weights
end

local function of_slots(rates)
  if type(rates) ~= "table" or #rates == 0 or #rates > curve.minutes then
    errors.input("load.rates", "must be a list of 1 to " .. curve.minutes .. " numbers")
  end
  local weights, sum = {}, 0
  for i, rate in ipairs(rates) do
    if type(rate) ~= "number" or not (rate >= 0) or rate == math.huge then
      errors.input(("load.rates[%d]"):format(i), "must be a number of at least 0, got " .. tostring(rate))
    end
    sum = sum + rate
  end
  if not (sum > 0) then errors.input("load.rates", "are all 0") end
  for i = 1, curve.minutes do weights[i] = rates[(i - 1) * #rates // curve.minutes + 1] end
  return normalised(weights)
end

--- Weights by minute, and their highest: from rates of equal slots of a day, or by the highest over the mean.
function curve.weights(rates, peak_over_mean)
  if rates ~= nil then return of_slots(rates) end
  local peak = peak_over_mean or PEAK_OVER_MEAN
  if peak > MOST then errors.input("load.peak_over_mean", "must be at most " .. MOST .. ", got " .. tostring(peak)) end
  return core.serving_day(peak), peak
end

return curve

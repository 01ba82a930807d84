-- The built-in profile where a calibration changes nothing: why, and what its errors on these runs say of its
-- range.
local core = require("ballpark.core")
local law = require("ballpark.range.law")
local training = require("ballpark.range.training")

local kept = {}

--- Why the built-in profile stays, or nil.
---@param fitted table of ballpark.calibrate.own
---@param contradicting boolean whether too many runs contradict each other
function kept.reason(fitted, contradicting)
  if fitted.kept and not fitted.fit then return fitted.kept end
  if contradicting then return "runs of the same settings contradict each other" end
  return fitted.kept
end

-- Half width that holds four in five of the runs; all of them where they are too few for that.
local function half_of(residuals)
  local scores, weights, most = {}, {}, 0
  for _, r in ipairs(residuals) do
    if r then
      scores[#scores + 1], weights[#weights + 1] = math.abs(r), 1
      most = math.max(most, math.abs(r))
    end
  end
  return math.min(most, core.conformal_width(scores, weights, #scores, law.COVERAGE))
end

local function usual_half(cases)
  local widest = 0
  for _, case in ipairs(cases) do
    widest = math.max(widest, (training.half({ input = case.input, class = case.class, known = case.known,
      open = case.open })))
  end
  return widest
end

--- The half width that ranges need to hold these runs, where the built-in profile's do not; else nil.
---@param cases table[]
---@param residuals number[] ln(estimated / measured) by the built-in profile
function kept.least_half(cases, residuals)
  local half = half_of(residuals)
  return half > usual_half(cases) and half or nil
end

return kept

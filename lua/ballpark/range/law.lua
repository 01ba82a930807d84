-- The law of all ranges, of training and of serving. A range holds four true values in five. Its half width, in
-- ln(true value / estimate), is
--   half^2 = law^2 + other^2 + ...
-- `law` is what measured runs were off by that no fit had seen; each other cause is independent of it and of the
-- rest: settings that are left open, kernel curves of another device.
local log_widths = require("ballpark.range.log_widths")
local range = require("ballpark.range")

local law = {}

--- Share of true values inside of a range.
law.COVERAGE = 0.8

--- Half of such a range of a normal distribution, in standard deviations.
law.HALF_80 = 1.2816

--- The range of a factor on an estimate. Widths are { down, up } in e-folds; `why` of a cause says what it is.
---@param base number[] of the law
---@param others {[1]: number, [2]: number, why: string|nil}[] further causes, each independent
---@param why string[]|nil what made the law itself wider
---@return ballpark.range
function law.factor(base, others, why)
  local down, up, reasons = base[1], base[2], table.move(why or {}, 1, #(why or {}), 1, {})
  for _, other in ipairs(others) do
    down, up = log_widths.together(down, other[1]), log_widths.together(up, other[2])
    reasons[#reasons + 1] = other.why
  end
  return range.new(1, math.exp(-down), math.exp(up), reasons)
end

return law

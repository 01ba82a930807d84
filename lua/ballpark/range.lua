-- A range: a value, the ends between which four true values in five lie, and what makes it as wide as it is.
-- Every figure of an answer that has a range has it in this shape: answer.range.step_s = { value, low, high, why }.
local range = {}

---@class ballpark.range
---@field value number
---@field low number
---@field high number
---@field why string[] what widened it: extrapolated, left open, a calibration

---@param value number
---@param low number
---@param high number
---@param why string[]|nil
---@return ballpark.range
function range.new(value, low, high, why) return { value = value, low = low, high = high, why = why or {} } end

--- The range of `x` times what `r` is the range of: of a cost that goes with a time.
---@param r ballpark.range
---@param x number above 0
---@return ballpark.range
function range.times(r, x) return range.new(x * r.value, x * r.low, x * r.high, r.why) end

--- The range of `x` over what `r` is the range of: of a rate, lowest where the time is highest.
---@param r ballpark.range
---@param x number above 0
---@return ballpark.range
function range.under(r, x) return range.new(x / r.value, x / r.high, x / r.low, r.why) end

--- The range of a value that goes with what `r` is the range of; nil where that has none, or reaches to nothing.
---@param r ballpark.range|nil
---@param value number|nil
---@return ballpark.range|nil
function range.along(r, value) return r and value and r.low > 0 and range.times(r, value / r.value) or nil end

--- The range of a value that goes down as what `r` is the range of goes up; nil as before.
---@param r ballpark.range|nil
---@param value number|nil
---@return ballpark.range|nil
function range.against(r, value) return r and value and r.low > 0 and range.under(r, value * r.value) or nil end

--- Whether a measured value is inside.
---@param r ballpark.range
---@param measured number
function range.holds(r, measured) return measured >= r.low and measured <= r.high end

local EXTRAPOLATED <const> = "extrapolated: "

--- What widens a range because the estimate goes beyond what was measured, as an entry of `why`.
function range.beyond(reason) return EXTRAPOLATED .. reason end

--- The reasons of such entries.
---@param r ballpark.range
---@return string[]
function range.extrapolated(r)
  local reasons = {}
  for _, text in ipairs(r.why) do
    if text:sub(1, #EXTRAPOLATED) == EXTRAPOLATED then reasons[#reasons + 1] = text:sub(#EXTRAPOLATED + 1) end
  end
  return reasons
end

return range

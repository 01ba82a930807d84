-- Log widths (e-folds) of ranges from independent causes.
local log_widths = {}

--- Independent log widths together.
function log_widths.together(a, b) return math.sqrt(a * a + b * b) end

--- What is left of ln(ratio) once the case's own widths `down` and `up` are taken off; the range that goes
--- around them is made of these.
---@param off number ln of measured over predicted
---@param down number
---@param up number
---@return number
function log_widths.beyond(off, down, up)
  local own = off > 0 and up or down
  local rest = math.sqrt(math.max(0, off * off - own * own))
  return off > 0 and rest or -rest
end

return log_widths

-- Log widths (e-folds) of ranges from independent causes.
local log_widths = {}

--- Independent log widths together.
function log_widths.together(a, b) return math.sqrt(a * a + b * b) end

--- Widens a pair { down, up } so that it reaches a move of ln(ratio).
function log_widths.reach(width, move)
  width[1], width[2] = math.max(width[1], -move), math.max(width[2], move)
end

--- Widens pairs by those of an independent cause, both { name = { down, up } }.
function log_widths.join(all, own)
  for name, width in pairs(own) do
    for side = 1, 2 do all[name][side] = log_widths.together(all[name][side], width[side]) end
  end
end

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

-- Log widths (e-folds) of ranges from independent causes.
local log_widths = {}

--- Independent log widths together.
function log_widths.together(a, b) return math.sqrt(a * a + b * b) end

--- No width yet of the named figures: { name = { down, up } }.
---@param names string[]
---@return table<string, number[]>
function log_widths.none(names)
  local all = {}
  for _, name in ipairs(names) do all[name] = { 0, 0 } end
  return all
end

local function reach(width, move)
  width[1], width[2] = math.max(width[1], -move), math.max(width[2], move)
end

--- Widens all figures by one more independent cause: by the furthest down and up that any of `values` moves each.
---@param all table<string, number[]> { name = { down, up } }, changed in place
---@param values any[] what the cause may be
---@param moved fun(value: any): table<string, number>|nil ln(ratio) by name; nil for a value that does not count
---@return table<string, number[]> widths of this cause alone
function log_widths.widen(all, values, moved)
  local own = {}
  for name in pairs(all) do own[name] = { 0, 0 } end
  for _, value in ipairs(values) do
    for name, move in pairs(moved(value) or {}) do reach(own[name], move) end
  end
  for name, width in pairs(all) do
    for side = 1, 2 do width[side] = log_widths.together(width[side], own[name][side]) end
  end
  return own
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

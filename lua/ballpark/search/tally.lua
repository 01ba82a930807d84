-- Why things of a space were rejected: how many for each reason, and of each reason the one that came nearest.
local tally = {}

local Tally = {}
Tally.__index = Tally

--- A tally of nothing.
function tally.new() return setmetatable({ lines = {}, by_reason = {} }, Tally) end

--- Counts `count` more that were rejected for a reason; `example` takes the place of another one that was farther
--- from being kept. Examples without a distance stay while there is no nearer one.
---@param reason string
---@param example any
---@param distance number|nil
---@param count integer|nil 1
function Tally:add(reason, example, distance, count)
  local line = self.by_reason[reason]
  if not line then
    line = { reason = reason, count = 0, example = example, distance = distance }
    self.by_reason[reason], self.lines[#self.lines + 1] = line, line
  elseif distance and (not line.distance or distance < line.distance) then
    line.example, line.distance = example, distance
  end
  line.count = line.count + (count or 1)
end

--- Lines { reason, count, example, distance } in the order of `reasons`.
function Tally:in_order(reasons)
  local list = {}
  for _, reason in ipairs(reasons) do list[#list + 1] = self.by_reason[reason] end
  return list
end

--- The same, the most frequent reason first.
function Tally:by_count()
  local list = table.move(self.lines, 1, #self.lines, 1, {})
  table.sort(list, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.reason < b.reason
  end)
  return list
end

return tally

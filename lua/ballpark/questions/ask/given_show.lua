-- The facts that were given, as a block of a result: what --follow goes on from.
local tables = require("ballpark.tables")

local given_show = {}

--- Adds them to a result, hidden in what people read.
---@param r ballpark.result
---@param given table<string, any>
---@param spans table<string, {low: number, high: number}> ends of those that are ranges
function given_show.add(r, given, spans)
  local list = { name = "given", title = "Given" }
  for _, name in ipairs(tables.sorted_keys(given)) do
    local ends = spans[name]
    list[#list + 1] = { name = name, value = given[name], hide = true, range = ends and { low = ends.low, high = ends.high, why = {} } or nil }
  end
  local block = r:facts(list)
  block.hide = true
end

return given_show

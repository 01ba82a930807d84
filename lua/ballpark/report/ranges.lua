-- Ranges as JSON carries them: {"step_s": {"low": 59.1, "high": 72.2, "why": []}}, beside the values of these names.
local document = require("ballpark.report.document")
local json = require("ballpark.json")

local ranges = {}

--- The object of ranges by name.
---@param by_name table<string, {low: number, high: number, why: string[]}>
function ranges.object(by_name)
  local object = json.object({})
  for name, range in pairs(by_name) do
    object[name] = document.part("range", { low = range.low, high = range.high,
      why = json.array(table.move(range.why, 1, #range.why, 1, {})) })
  end
  return object
end

return ranges

-- Pictures of serving: latency, concurrency, levers, the day.
local columns = require("ballpark.report.pictures.columns")
local units = require("ballpark.units")

local serving = {}

--- Mean and percentiles of what requests see.
function serving.seen(block)
  local what = columns.values(block, "what")
  local made = {}
  for _, time in ipairs({ { "ttft", "TTFT" }, { "tpot", "TPOT" }, { "e2e", "E2E" } }) do
    local values = columns.values(block, time[1])
    if values and values[1] then
      local scaled, label = columns.scale(values, "s")
      local drawn = {}
      for i, value in ipairs(values) do drawn[i] = scaled(value) or false end
      made[#made + 1] = { kind = "bars", title = time[2], flat = true, categories = what,
        series = { { name = time[2], values = drawn } }, y = columns.axis(time[2], label),
        about = ("%s: %s in the mean, %s at %s."):format(time[2], units.format(values[1], "s"),
          units.format(values[#values], "s"), what[#what]) }
    end
  end
  return table.unpack(made)
end

return serving

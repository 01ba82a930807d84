-- What fleets cost, in a report.
local units = require("ballpark.units")

local show = {}

--- Adds an answer of cost{} to a result.
function show.answer(r, answer)
  local list = { name = "cost", title = "Cost of all fleets" }
  local function fact(name, value, title) list[#list + 1] = { name = name, value = value, unit = "USD", title = title } end
  if not answer.fits then
    list[1] = { name = "contradiction_1", title = "Does not go", value = "the first month costs more than the budget" }
  end
  fact("usd_month", answer.usd_month, "The first month")
  fact("usd_year", answer.usd_year, "The first year")
  fact("usd_horizon", answer.usd_horizon, "Over " .. units.format(answer.horizon_s, "s"))
  fact("usd_last_month", answer.usd_last_month, "Its last month")
  if answer.budget_usd_month then fact("budget_usd_month", answer.budget_usd_month, "Budget a month") end
  list[#list + 1] = { name = "fits", value = answer.fits, hide = true }
  r:facts(list)
  local rows = {}
  for i, row in ipairs(answer.fleets) do
    rows[i] = { row.name, row.usd_h, row.usd_month, row.growth, row.usd_horizon, row.share }
  end
  r:table({ name = "fleets", title = "By fleet", rows = rows, columns = { { name = "fleet", title = "" },
    { name = "usd_h", title = "", unit = "USD/h" }, { name = "usd_month", title = "a month", unit = "USD" },
    { name = "growth_month_frac", title = "growth", unit = "frac" }, { name = "usd_horizon", title = "horizon", unit = "USD" },
    { name = "share", title = "share", unit = "frac" } } })
  r:assume("A month has 730 hours. Growth is compound by the month, in the mean; money of later months is not discounted.")
end

return show

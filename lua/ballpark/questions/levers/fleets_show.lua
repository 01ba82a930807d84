-- Levers of a fleet of any kind in a report.
local same = require("ballpark.questions.levers.same")
local units = require("ballpark.units")

local show = {}

--- Says of levers that do not apply why.
function show.pointless(r, answer)
  for _, lever in ipairs(answer.pointless) do r:note(("%s: does not apply, %s"):format(lever.title, lever.why)) end
end

--- Adds an answer of levers.fleets to a result.
function show.answer(r, answer)
  local base = answer.cost
  local rows = { { "as it is", "base", answer.cost_usd_h, base.usd_month, base.usd_horizon, nil, answer.of.fits, "" } }
  for _, row in ipairs(answer.rows) do
    if row.fits then
      rows[#rows + 1] = { row.title .. (row.which and (" (" .. row.which .. ")") or ""), row.name, row.cost_usd_h, row.usd_month,
        row.usd_horizon, row.saves_frac, true, row.costs .. same.words(row.same) }
    else
      r:note(row.title .. ": " .. (row.refused or "does not meet what was asked"))
    end
  end
  show.pointless(r, answer)
  r:table({ name = "levers", rows = rows, title = "Levers, each asked again", columns = { { name = "lever", title = "" },
    { name = "name", hide = true }, { name = "cost_usd_h", title = "", unit = "USD/h" },
    { name = "usd_month", title = "a month", unit = "USD" },
    { name = "usd_horizon", title = units.format(base.horizon_s, "s"), unit = "USD" },
    { name = "saves_frac", title = "saves", unit = "frac" }, { name = "fits", hide = true }, { name = "costs", title = "it costs" } } })
  r:assume("Levers are pulled one at a time; what two save together is not the sum. Half of the calls repeat where a cache is "
    .. "tried; terms are shares of the price (assumptions).")
end

return show

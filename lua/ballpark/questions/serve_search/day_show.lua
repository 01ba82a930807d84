-- A fleet through a day, for the report: what it costs to have it all the time, and to scale it.
local units = require("ballpark.units")

local day_show = {}

local DAY_S <const> = 86400

local HOW <const> = { static = "fixed", scaled = "scaled with load", static_reserved = "fixed, committed",
  scaled_over_reserved = "scaled, %d committed" }

local function day_table(answer)
  local rows, static = {}, answer.day.rows[1].cost_usd_day
  for i, row in ipairs(answer.day.rows) do
    local seen = row.seen
    rows[i] = { HOW[row.how]:format(row.reserved or 0), row.how, row.cost_usd_day,
      row.cost_usd_day / DAY_S * units.months(1), 1 - row.cost_usd_day / static, row.least, row.most, row.mean,
      row.late_frac, seen and seen.ttft.at_s, seen and seen.tpot.at_s }
  end
  return { name = "day", rows = rows,
    title = ("Replicas through a day; TTFT and TPOT at P%g, with the spares down")
      :format(answer.ask.sla.percentile),
    columns = { { name = "way", title = "" }, { name = "how", hide = true },
    { name = "cost_usd_day", hide = true, unit = "USD" }, { name = "cost_usd_month", title = "a month", unit = "USD" },
    { name = "saves_frac", title = "saves", unit = "frac" }, { name = "least" }, { name = "most" }, { name = "mean" },
    { name = "late_frac", title = "short", unit = "frac" }, { name = "ttft_s", title = "TTFT", unit = "s" },
    { name = "tpot_s", title = "TPOT", unit = "s" } } }
end

-- Minutes from one row of the table of the day to the next.
local EVERY <const> = 10

-- The rate and the replicas through the day: too long to read, what a picture shows.
local function minutes_table(answer)
  local day, rows = answer.day, {}
  for i = 1, #day.weights, EVERY do
    rows[#rows + 1] = { i - 1, day.weights[i] / day.peak_over_mean * day.peak_per_s, day.rows[1].most, day.scaled[i] }
  end
  return { name = "minutes", title = "Load and replicas through the day", hide = true, rows = rows, columns = {
    { name = "minute" }, { name = "rate_per_s", title = "rate", unit = "1/s" }, { name = "fixed" },
    { name = "scaled", title = "scaled with load" } } }
end

--- Adds the day of an answer of serving.search to a result.
function day_show.add(result, answer)
  local day = answer.day
  result:table(day_table(answer))
  if result.illustrated then result:table(minutes_table(answer)) end
  result:note("short: share of the day with fewer replicas than the rate takes, until those that were ordered serve; "
    .. "committed: reserved for a year")
  if day.simulated then
    result:note("TTFT and TPOT are over all requests of the day, most of which come below the peak that the SLO "
      .. "is for")
  end
  result:assume(("A replica serves %.0f s after its order (see cold_start, unless start_s is given); a "
    .. "look every minute, the next one at 85 %% of the confirmed rate, one fewer "
    .. "after five minutes."):format(day.start_s))
  if not day.simulated then
    result:note("the day was not simulated: " .. day.why_not .. "; its shares are those of the curve")
  end
end

return day_show

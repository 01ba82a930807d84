-- Pictures of serving: latency by percentile and by load, the SLO, fleets against each other, levers, the day.
local columns = require("ballpark.report.pictures.columns")
local units = require("ballpark.units")

local serving = {}

local TIMES <const> = { { "ttft", "TTFT" }, { "tpot", "TPOT" }, { "e2e", "E2E" } }

-- The limit of a part of the SLO, of the table of it.
local function limit_of(around, part, scaled)
  local slo = around.tables.slo
  for _, row in ipairs(slo and slo.rows or {}) do
    if row[columns.at(slo, "part")] == part then return { name = "SLO", value = scaled(row[columns.at(slo, "limit")]) } end
  end
end

--- Mean and percentiles of what requests see.
function serving.seen(block, around)
  local what, made = columns.values(block, "what"), {}
  for _, time in ipairs(TIMES) do
    local values = columns.values(block, time[1])
    if values and values[1] then
      local scaled, label = columns.scale(values, "s")
      local drawn = {}
      for i, value in ipairs(values) do drawn[i] = scaled(value) end
      made[#made + 1] = { kind = "bars", title = time[2], flat = true, categories = what,
        series = { { name = time[2], values = drawn } }, y = columns.axis(time[2], label), limit = limit_of(around, time[2], scaled),
        about = ("%s: %s in the mean, %s at %s."):format(time[2], units.format(values[1], "s"),
          units.format(values[#values], "s"), what[#what]) }
    end
  end
  return table.unpack(made)
end

-- Times that grow by more than this are drawn by factors.
local FACTOR <const> = 20

-- One time over the number of clients.
local function over_clients(block, around, column, title)
  local clients, values = columns.values(block, "clients"), columns.values(block, column)
  if not values or #values < 2 then return nil end
  local scaled, label = columns.scale(values, "s")
  local points = {}
  for i, value in ipairs(values) do
    if value then points[#points + 1] = { clients[i], scaled(value) } end
  end
  local y = columns.axis(title, label)
  y.log = values[1] and values[1] > 0 and values[#values] and values[#values] > FACTOR * values[1]
  return { kind = "lines", title = title .. " by requests at a time", series = { { name = title, points = points } },
    limits = { limit_of(around, title, scaled) }, x = { title = "requests at a time", log = true },
    y = y, about = ("%s from %s with %g request at a time to %s with %g."):format(title,
      units.format(values[1], "s"), clients[1], units.format(values[#values], "s"), clients[#clients]) }
end

--- TTFT and TPOT of a replica by how many requests are in flight, simulated.
function serving.curve(block, around)
  local first, second = over_clients(block, around, "ttft_s", "TTFT"), over_clients(block, around, "tpot_s", "TPOT")
  if not first or not second then return first or second end
  return first, second
end

--- The same by closed forms.
serving.concurrency = serving.curve

--- What is seen as a share of what the SLO allows, with its range.
function serving.slo(block)
  local rows = {}
  local at = { part = columns.at(block, "part"), limit = columns.at(block, "limit"), seen = columns.at(block, "seen"),
    low = columns.at(block, "seen_low"), high = columns.at(block, "seen_high") }
  for _, row in ipairs(block.rows) do
    local limit, seen = row[at.limit], row[at.seen]
    if limit and seen then
      local function share(value) return columns.brief(100 * (value or seen) / limit) end
      rows[#rows + 1] = { row[at.part], share(row[at.low]), share(row[at.high]), share(seen),
        ("%s of %s"):format(units.format(seen, "s"), units.format(limit, "s")) }
    end
  end
  if not rows[1] then return nil end
  return { kind = "intervals", title = "Of what the SLO allows", rows = rows, x = { title = "share of the limit, %", zero = true },
    middle = 100, middle_name = "SLO", about = ("%s is %s, %g %% of the limit."):format(rows[1][1], rows[1][5], rows[1][4]) }
end

-- Fleets of a table by cost and a time that are not in `seen` yet, and the one that was chosen.
local function fleet_points(block, time, cost_of, time_of, seen)
  local points, chosen = {}, {}
  local cost, value, fleet = columns.at(block, "cost"), columns.at(block, time), columns.at(block, "fleet")
  local outcome = columns.at(block, "simulated")
  for _, row in ipairs(block.rows) do
    local key = ("%s %.17g %.17g"):format(row[fleet], row[cost] or 0, row[value] or 0)
    if row[cost] and row[value] and not seen[key] then
      seen[key] = true
      local is_chosen = outcome and row[outcome] == "chosen"
      table.insert(is_chosen and chosen or points, { cost_of(row[cost]), time_of(row[value]), row[fleet] })
    end
  end
  return points, chosen
end

local function fleets_picture(block, front, time, cost, value)
  local seen, best, chosen, series = {}, {}, {}, {}
  if front then best, chosen = fleet_points(front, time[1], cost[1], value[1], seen) end
  local others, also_chosen = fleet_points(block, time[1], cost[1], value[1], seen)
  if not chosen[1] then chosen = also_chosen end
  if chosen[1] then series[1] = { name = "chosen", points = chosen, chosen = true } end
  if best[1] then series[#series + 1] = { name = "no other is as good in cost, TTFT and TPOT", points = best } end
  if others[1] then series[#series + 1] = { name = best[1] and "other fleets" or "fleets", points = others, faint = best[1] ~= nil } end
  return { kind = "points", title = ("Fleets by cost and %s"):format(time[2]), series = series,
    x = columns.axis("cost", cost[2]), y = columns.axis(time[2] .. ", mean", value[2]),
    about = ("%d fleets by cost and %s%s."):format(#chosen + #best + #others, time[2], chosen[1] and "; chosen is " .. chosen[1][3] or "") }
end

--- Fleets by what they cost and how fast they are.
function serving.fleets(block, around)
  local front = around.tables.front
  if not columns.at(block, "tpot") or #block.rows + (front and #front.rows or 0) < 3 then return nil end
  local made = {}
  for _, time in ipairs({ TIMES[1], TIMES[2] }) do
    local costs, values = columns.values(block, "cost"), columns.values(block, time[1])
    if front then
      for _, value in ipairs(columns.values(front, "cost")) do costs[#costs + 1] = value end
      for _, value in ipairs(columns.values(front, time[1])) do values[#values + 1] = value end
    end
    made[#made + 1] = fleets_picture(block, front, time, { columns.scale(costs, "USD/h") }, { columns.scale(values, "s") })
  end
  return table.unpack(made)
end

local COSTS <const> = { { "cost_usd_h", "USD/h" }, { "cost_usd_month", "USD" }, { "cost_usd", "USD" } }

-- What it costs without a change, of a row that says how much its change saves.
local function unchanged(values, saves)
  for i, value in ipairs(values) do
    if value and saves and saves[i] and saves[i] < 1 then return value / (1 - saves[i]) end
  end
end

-- Bars of what each row costs, named by the column `name`, beside what it costs as it is where rows say what they save.
local function cost_bars(block, name, title)
  for _, cost in ipairs(COSTS) do
    local values, names = columns.values(block, cost[1]) or {}, columns.values(block, name)
    local now, known, drawn = unchanged(values, columns.values(block, "saves_frac")), {}, {}
    for i, value in ipairs(values) do
      if value and names[i] ~= "as it is" then known[#known + 1], drawn[#drawn + 1] = names[i], value end
    end
    if drawn[1] then
      local scaled, label = columns.scale({ now, table.unpack(drawn) }, cost[2])
      local least = 1
      for i, value in ipairs(drawn) do
        if value < drawn[least] then least = i end
      end
      local about = ("Bars of %d costs; the least is %s of %s%s."):format(#drawn, units.format(drawn[least], cost[2]), known[least],
        now and ", beside " .. units.format(now, cost[2]) .. " as it is" or "")
      for i, value in ipairs(drawn) do drawn[i] = scaled(value) end
      return { kind = "bars", title = title, flat = true, categories = known, series = { { name = "cost", values = drawn } },
        limit = now and { name = "as it is", value = scaled(now) } or nil,
        y = columns.axis(cost[1] == "cost_usd_month" and "cost of a month" or "cost", label), about = about }
    end
  end
end

--- Cost with each lever pulled.
function serving.levers(block) return cost_bars(block, "lever", "Cost with each lever") end

--- Cost of each way through a day.
function serving.day(block) return cost_bars(block, "way", "Cost of each way to have the fleet") end

--- Rate and replicas by the minute of a day.
function serving.minutes(block)
  local minute, rate = columns.values(block, "minute"), columns.values(block, "rate_per_s")
  local fixed, scaled_to = columns.values(block, "fixed"), columns.values(block, "scaled")
  local of_rate, label = columns.scale(rate, "1/s")
  local load, static, follows, most = {}, {}, {}, 0
  for i, at in ipairs(minute) do
    local hour = columns.brief(at / 60)
    load[i], static[i], follows[i] = { hour, of_rate(rate[i]) }, { hour, fixed[i] }, { hour, columns.brief(scaled_to[i]) }
    most = math.max(most, rate[i])
  end
  return { kind = "lines", title = "Load over the day", x = { title = "hours, from the quietest" }, y = columns.axis("requests", label),
    series = { { name = "requests", points = load } }, about = ("The rate over a day, at most %s."):format(units.format(most, "1/s")) },
    { kind = "lines", title = "Replicas over the day", x = { title = "hours, from the quietest" }, y = { title = "replicas" },
      series = { { name = "fixed", points = static, steps = true }, { name = "scaled with load", points = follows, steps = true } },
      about = ("%g replicas all day, or from %g to %g with the load."):format(fixed[1], math.min(table.unpack(scaled_to)),
        math.max(table.unpack(scaled_to))) }
end

-- Fleets of a batch job: money against time.
local function batch_points(block, around)
  local usd, time = columns.values(block, "usd"), columns.values(block, "time_s")
  if not usd or not time or #usd < 2 then return nil end
  local deadline = around.facts.deadline_s
  local cost_of, cost_label = columns.scale(usd, "USD")
  local time_of, time_label = columns.scale(time, "s")
  local points, fleet = {}, columns.values(block, "fleet")
  for i = 1, #usd do
    if usd[i] and time[i] then
      points[#points + 1] = { time_of(time[i]), cost_of(usd[i]), fleet and fleet[i] or ("%g devices"):format(block.rows[i][3]) }
    end
  end
  local x, y = columns.axis("time", time_label), columns.axis("cost", cost_label)
  x.zero, y.zero = true, true
  return { kind = "points", title = "Cost and time", x = x, y = y,
    series = { { name = "fleets", points = points } }, about = ("%d fleets by time and cost%s."):format(#points,
      deadline and type(deadline.value) == "number" and ", to be done in " .. units.format(deadline.value, "s") or "") }
end

serving.choices, serving.sizes = batch_points, batch_points

return serving

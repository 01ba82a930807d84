-- Pictures of serving: latency by percentile and by load, the SLO, fleets against each other, levers, the day.
local columns = require("ballpark.report.pictures.columns")
local units = require("ballpark.units")

local serving = {}

local TIMES <const> = { { "ttft", "TTFT" }, { "tpot", "TPOT" }, { "e2e", "E2E" } }

--- Mean and percentiles of what requests see.
function serving.seen(block)
  local what, made = columns.values(block, "what"), {}
  for _, time in ipairs(TIMES) do
    local values = columns.values(block, time[1])
    if values and values[1] then
      local scaled, label = columns.scale(values, "s")
      local drawn = {}
      for i, value in ipairs(values) do drawn[i] = scaled(value) end
      made[#made + 1] = { kind = "bars", title = time[2], flat = true, categories = what,
        series = { { name = time[2], values = drawn } }, y = columns.axis(time[2], label),
        about = ("%s: %s in the mean, %s at %s."):format(time[2], units.format(values[1], "s"),
          units.format(values[#values], "s"), what[#what]) }
    end
  end
  return table.unpack(made)
end

-- The limit of a part of the SLO, of the table of it.
local function limits_of(around, part, scaled)
  local slo = around.tables.slo
  for _, row in ipairs(slo and slo.rows or {}) do
    if row[columns.at(slo, "part")] == part then
      return { { name = "SLO", value = scaled(row[columns.at(slo, "limit")]) } }
    end
  end
end

-- One time over the number of clients.
local function over_clients(block, around, column, title)
  local clients, values = columns.values(block, "clients"), columns.values(block, column)
  if not values or #values < 2 then return nil end
  local scaled, label = columns.scale(values, "s")
  local points = {}
  for i, value in ipairs(values) do
    if value then points[#points + 1] = { clients[i], scaled(value) } end
  end
  return { kind = "lines", title = title .. " by requests at a time", series = { { name = title, points = points } },
    limits = limits_of(around, title, scaled), x = { title = "requests at a time", log = true },
    y = columns.axis(title, label), about = ("%s from %s with %g request at a time to %s with %g."):format(title,
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
  return { kind = "intervals", title = "Of what the SLO allows", rows = rows, x = { title = "share of the limit, %" },
    middle = 100, middle_name = "SLO", about = ("%s is %s, %g %% of the limit."):format(rows[1][1], rows[1][5], rows[1][4]) }
end

-- Fleets by cost and a time, those of both tables once.
local function fleet_points(block, other, time, cost_of, time_of, seen)
  local points = {}
  local function add(one)
    local cost, value, fleet = columns.at(one, "cost"), columns.at(one, time), columns.at(one, "fleet")
    for _, row in ipairs(one.rows) do
      local key = ("%s %.17g %.17g"):format(row[fleet], row[cost] or 0, row[value] or 0)
      if row[cost] and row[value] and not seen[key] then
        seen[key] = true
        points[#points + 1] = { cost_of(row[cost]), time_of(row[value]), row[fleet] }
      end
    end
  end
  add(block)
  if other then add(other) end
  return points
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
    local cost_of, cost_label = columns.scale(costs, "USD/h")
    local time_of, time_label = columns.scale(values, "s")
    local seen = {}
    local best = front and fleet_points(front, nil, time[1], cost_of, time_of, seen) or {}
    local others = fleet_points(block, nil, time[1], cost_of, time_of, seen)
    made[#made + 1] = { kind = "points", title = ("Fleets by cost and %s"):format(time[2]),
      x = columns.axis("cost", cost_label), y = columns.axis(time[2] .. ", mean", time_label),
      series = { { name = best[1] and "no other is as cheap and as fast" or "fleets", points = best[1] and best or others },
        best[1] and others[1] and { name = "other fleets", points = others, faint = true } or nil },
      about = ("%d fleets by cost and %s; %d that no other beats."):format(#best + #others, time[2], #best) }
  end
  return table.unpack(made)
end

local COSTS <const> = { { "cost_usd_h", "USD/h" }, { "cost_usd_month", "USD" }, { "cost_usd", "USD" } }

-- Bars of what each row costs, named by the column `name`.
local function cost_bars(block, name, title)
  for _, cost in ipairs(COSTS) do
    local values, names = columns.values(block, cost[1]), columns.values(block, name)
    local known, drawn = {}, {}
    for i, value in ipairs(values or {}) do
      if value then known[#known + 1], drawn[#drawn + 1] = names[i], value end
    end
    if drawn[1] then
      local scaled, label = columns.scale(drawn, cost[2])
      local least = 1
      for i, value in ipairs(drawn) do
        if value < drawn[least] then least = i end
      end
      local about = ("Bars of %d costs; the least is %s of %s."):format(#drawn, units.format(drawn[least], cost[2]), known[least])
      for i, value in ipairs(drawn) do drawn[i] = scaled(value) end
      return { kind = "bars", title = title, flat = true, categories = known, series = { { name = "cost", values = drawn } },
        y = columns.axis(cost[1] == "cost_usd_month" and "a month" or "cost", label), about = about }
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
  return { kind = "points", title = "Cost and time", x = columns.axis("time", time_label), y = columns.axis("cost", cost_label),
    series = { { name = "fleets", points = points } }, about = ("%d fleets by time and cost%s."):format(#points,
      deadline and type(deadline.value) == "number" and ", to be done in " .. units.format(deadline.value, "s") or "") }
end

serving.choices, serving.sizes = batch_points, batch_points

return serving

-- A fleet through a day: as many replicas as the peak takes all the time, or as many as each minute takes.
local core = require("ballpark.core")
local confirm = require("ballpark.questions.serve_search.confirm")
local curve = require("ballpark.questions.serve.curve")
local fleet = require("ballpark.questions.serve.fleet")
local price_terms = require("ballpark.catalog.price_terms")
local sizes = require("ballpark.questions.serve_search.sizes")
local tables = require("ballpark.tables")

local day = {}

local DAY_S <const>, MINUTE_S <const> = 86400, 60

-- Share of its confirmed rate at which a replica counts as full, so that the next one is ordered while there is
-- room: assumption.
local FULL_FRAC <const> = 0.85
-- A new look every minute, and a replica goes when it was not wanted for five (the Kubernetes autoscaler's usual
-- wait, documentation 2025).
local INTERVAL_S <const>, DOWN_DELAY_S <const> = 60, 300
-- Requests of a day that is still simulated; some seconds.
local MOST_REQUESTS <const> = 2e6

-- Seconds until a replica serves.
local function start_of(candidate)
  if candidate.ask.start_s then return candidate.ask.start_s end
  return core.cold_start({ weights_bytes = candidate.memory.weights_bytes * candidate.ranks }).start_s
end

-- Largest of the values from `first` to `last` minutes back, the day coming again.
local function largest(values, at, first, last)
  local most = 0
  for back = first, last do most = math.max(most, values[(at - back - 1) % #values + 1]) end
  return most
end

-- By minute what a scaled group wants, pays and has, and the share of requests that come while it has too few.
local function scaled_group(group, peak_per_s, weights, highest)
  local candidate = group.candidate
  local each, start_s = peak_per_s / group.up, start_of(candidate)
  local wanted, lag = {}, math.ceil((start_s + INTERVAL_S) / MINUTE_S)
  local out = { start_s = start_s, paid = {}, least = math.huge, most = 0, late_frac = 0, each_per_s = each }
  for i, weight in ipairs(weights) do
    wanted[i] = math.min(group.up, math.max(1, math.ceil(weight / highest * peak_per_s / (FULL_FRAC * each))))
  end
  for i, weight in ipairs(weights) do
    local paid = largest(wanted, i, 0, lag + DOWN_DELAY_S // MINUTE_S)
    local serving = largest(wanted, i, lag, lag + DOWN_DELAY_S // MINUTE_S)
    out.paid[i] = sizes.with(candidate.ask, candidate.pool, paid).replicas
    out.least, out.most = math.min(out.least, out.paid[i]), math.max(out.most, out.paid[i])
    if serving * each < weight / highest * peak_per_s * (1 - 1e-9) then
      out.late_frac = out.late_frac + weight / #weights
    end
  end
  return out
end

-- Each further replica is worth committing to when it would be paid for more of the day than the commitment costs.
local function committed(paid, frac)
  local minutes, cost, base, most = {}, 0, 0, 0
  for _, count in ipairs(paid) do
    minutes[count] = (minutes[count] or 0) + 1
    most = math.max(most, count)
  end
  local over = 0
  for number = most, 1, -1 do
    over = over + (minutes[number] or 0)
    local used = over / #paid
    if used > frac then base = math.max(base, number) end
    cost = cost + math.min(used, frac)
  end
  return cost, base
end

local function mean_of(values)
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return sum / #values
end

-- One row per way to have a fleet: { how, cost_usd_day, least, most, mean, late_frac, seen }.
local function row(how, cost_usd_h, least, most, mean, more)
  return tables.with(more, { how = how, cost_usd_day = 24 * cost_usd_h, least = least, most = most, mean = mean })
end

-- Ways to pay by other terms, where what was asked for is paid on demand.
local function by_terms(rows, winner, scaled)
  local reserved, cost, base = price_terms.get("reserved", "terms"), 0, 0
  for i, group in ipairs(winner.groups) do
    if group.candidate.pool.term ~= "on_demand" then return end
    local replicas, more = committed(scaled[i].paid, reserved.frac)
    cost, base = cost + replicas * group.candidate.ranks * group.candidate.pool.usd_h, base + more
  end
  rows[#rows + 1] = row("static_reserved", winner.cost_usd_h * reserved.frac, winner.replicas, winner.replicas,
    winner.replicas)
  rows[#rows + 1] = row("scaled_over_reserved", cost, rows[2].least, rows[2].most, rows[2].mean, { reserved = base })
end

-- The day, drawn and simulated with the spares down.
local function simulated(winner, changes)
  local ask = winner.candidate.ask
  return core.serve(tables.with(confirm.setup(winner), tables.with({ load = ask.day.load,
    percentile = ask.sla.percentile }, changes)))
end

-- Why no day is simulated; nil where one is.
local function obstacle(winner, load)
  if winner.groups[2] then return "the fleet has two pools" end
  if load.requests then return "load.requests asks for less than a day" end
  local requests = load.rate_per_s * DAY_S
  return requests > MOST_REQUESTS and ("it has %.2g million requests, and %.2g million are simulated at most")
    :format(requests / 1e6, MOST_REQUESTS / 1e6) or nil
end

-- Says why not where it does not.
local function simulate(rows, winner, scaled)
  local load, group = winner.candidate.ask.day.load, winner.groups[1]
  local why_not = obstacle(winner, load)
  if why_not then return why_not end
  rows[1].seen = simulated(winner, {})
  local at_night = math.max(1, scaled[1].least - group.replicas + group.up)
  rows[2].seen = simulated(winner, { start_s = scaled[1].start_s, replicas = at_night,
    autoscale = { metric = "rate", target = FULL_FRAC * scaled[1].each_per_s, min = 1, max = group.up,
      interval_s = INTERVAL_S, down_delay_s = DOWN_DELAY_S } })
end

-- Replicas of all groups by minute.
local function paid_of(scaled)
  local paid = {}
  for _, group in ipairs(scaled) do
    for i, count in ipairs(group.paid) do paid[i] = (paid[i] or 0) + count end
  end
  return paid
end

--- A winner of serving.search through the day of its load: { rows = ways to have it, each { how, cost_usd_day, least,
--- most, mean (replicas), late_frac, seen, reserved }, scaled (replicas by minute), weights (of the rate by minute, with
--- peak_over_mean and peak_per_s), start_s, simulated, why_not }.
function day.of(winner)
  local ask, scaled = winner.candidate.ask, {}
  for i, group in ipairs(winner.groups) do
    scaled[i] = scaled_group(group, ask.load.rate_per_s, ask.day.weights, ask.peak_over_mean)
  end
  local cost, late, mean = 0, 0, 0
  for i, group in ipairs(winner.groups) do
    local replicas = mean_of(scaled[i].paid)
    mean, late = mean + replicas, math.max(late, scaled[i].late_frac)
    cost = cost + replicas * group.candidate.ranks * group.candidate.pool.usd_h
  end
  local rows = { row("static", winner.cost_usd_h, winner.replicas, winner.replicas, winner.replicas, { late_frac = 0 }),
    row("scaled", cost, fleet.sum(scaled, "least"), fleet.sum(scaled, "most"), mean, { late_frac = late }) }
  local why_not = simulate(rows, winner, scaled)
  by_terms(rows, winner, scaled)
  return { rows = rows, scaled = paid_of(scaled), weights = ask.day.weights, peak_over_mean = ask.peak_over_mean,
    peak_per_s = ask.load.rate_per_s, start_s = scaled[1].start_s, simulated = not why_not, why_not = why_not,
    minutes = curve.minutes }
end

return day

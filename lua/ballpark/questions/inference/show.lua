-- What reports of encode{}, recommend{} and vector_search{} have in common.
local contradiction = require("ballpark.questions.inference.contradiction")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local show = {}

--- An empty list of facts, and a function that adds one.
function show.facts_list(name, title)
  local list = { name = name, title = title }
  return list, function(field, value, unit, words, range, sentence)
    list[#list + 1] = { name = field, value = value, unit = unit, title = words, range = range, text = sentence }
  end
end

--- Columns of a table from { name, title, unit } each.
function show.columns(...)
  local list = {}
  for i, item in ipairs({ ... }) do list[i] = { name = item[1], title = item[2], unit = item[3] } end
  return list
end

--- What a call is spent on: `parts` are { field of the answer, its name } each.
function show.parts_table(answer, parts)
  local rows = {}
  for _, part in ipairs(parts) do
    local value = answer.out[part[1]]
    if value and value > 0 then rows[#rows + 1] = { part[2], value, value / answer.out.time_s } end
  end
  return { name = "time", title = "Time of a call", rows = rows,
    columns = show.columns({ "part", "" }, { "seconds", "Time", "s" }, { "share", "Share", "frac" }) }
end

--- A table of parts { name, value } with the share of each: of time in seconds, or of memory in bytes.
function show.share_table(name, title, rows, unit)
  local sum, list = tables.total(rows, 2), {}
  for i, row in ipairs(rows) do list[i] = { row[1], row[2], row[2] / sum } end
  return { name = name, title = title, rows = list, columns = show.columns({ "part", "" },
    { unit == "s" and "seconds" or "bytes", title, unit }, { "share", "Share", "frac" }) }
end

-- Replicas that wait for no window work all the time from here on, long before their batches are full.
local ALWAYS <const> = 0.995

--- The replicas of a load.
function show.fleet_facts(result, answer)
  local load, fleet = answer.load, answer.fleet
  if not fleet then return end
  local list, fact = show.facts_list("fleet", "Fleet for the load")
  fact("replicas_needed", fleet.needed, "", "Replicas that meet the SLO")
  fact("replicas", fleet.replicas, "", "With spares")
  fact("max_batch", fleet.max_batch, "", "Largest batch")
  fact("mean_batch", fleet.batching.mean_batch, "", "Mean batch")
  fact("mean_s", fleet.batching.mean_s, "s", "Mean time of a request")
  fact("p99_s", fleet.batching.p99_s, "s", "P99 of a request")
  local used = load.rate_per_s / fleet.batching.capacity_per_s
  fact("capacity_frac", used, "frac", "Load over what full batches can do")
  fact("utilization_frac", fleet.batching.utilization_frac, "frac", "Share of the time a batch is under way")
  if answer.price_usd_h then
    local usd_h = fleet.replicas * answer.price_usd_h * (answer.input.devices or 1)
    fact("cost_usd_h", usd_h, "USD/h", "All replicas")
    fact("cost_usd_month", usd_h * units.months(1) / 3600, "USD", "A month")
    if answer.price_assumed then result:assume("Price: " .. answer.price_assumed .. ".") end
  end
  result:facts(list)
  if fleet.batching.utilization_frac > ALWAYS and used < ALWAYS then
    result:note("A replica that waits for no window takes what has come as its next batch and is hardly ever idle; "
      .. "what it has left are larger batches.")
  end
  if not load.utilization_frac then result:assume("Replicas planned at 70 % of what they can do in full batches.") end
  result:assume("Requests come at random and wait in one queue for all replicas; times of requests are those of calls and of waiting "
    .. "for a batch, without network and preprocessing.")
end

--- Time, rate and memory of a call.
function show.call_facts(fact, answer, what)
  local out = answer.out
  fact("time_s", out.time_s, "s", "Time of a call", answer.range.time_s)
  fact("per_s", out.per_s, "1/s", what .. " per second", answer.range.per_s)
  fact("bound", out.bound, "", "Bound by")
  fact("memory_bytes", out.memory_bytes, "B", "Memory")
  fact("fits", contradiction.is_held(answer), "", "Fits")
end

--- What was assumed.
function show.said(result, answer)
  for _, text in ipairs(answer.assumed) do result:assume(text:sub(1, 1):upper() .. text:sub(2) .. ".") end
end

-- Four of five published measurements lie within the ranges of all but graph indexes.
show.MEASURED_RANGES = "Ranges: four of five published measurements of this kind lie within."

return show

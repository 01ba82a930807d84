-- How an answer about serving fleets becomes blocks of a result.
local show = {}

-- A month has 730 hours: 8760 / 12.
local HOURS <const> = 730
-- Rows of the table of fleets.
local ROWS <const> = 10

local PARTS <const> = { ttft_s = "the first token", tpot_s = "the time per token", e2e_s = "the last token",
  rate = "the rate at that utilisation", memory = "the memory", gpus = "the number of devices, spares included" }

local function words(candidate)
  local plan, parts = candidate.plan, {}
  for _, name in ipairs({ "tp", "pp", "dp", "ep" }) do
    if plan[name] > 1 then parts[#parts + 1] = name .. "=" .. plan[name] end
  end
  for _, name in ipairs({ "weights", "kv" }) do
    if plan[name] then parts[#parts + 1] = name .. "=" .. plan[name] end
  end
  return table.concat(parts, ",")
end

local function name_of(candidate) return candidate.pool.device.name or "device" end

local function winner_facts(answer)
  local list = { name = "fleet", title = ("Cheapest fleet: %s, %s"):format(answer.ask.model.name or "model",
    answer.engine.name) }
  local function fact(name, value, unit, title)
    list[#list + 1] = { name = name, value = value, unit = unit, title = title }
  end
  local fleet, load = answer.winner, answer.ask.load
  fact("device", name_of(fleet.candidate), "", "Device")
  fact("plan", words(fleet.candidate), "", "Plan of a replica")
  fact("max_running", fleet.candidate.engine.max_running, "", "Sequences that may run, per attention group")
  fact("replicas", fleet.replicas, "", "Replicas, spares included")
  fact("devices", fleet.devices, "", "Devices")
  fact("utilization_frac", load.rate_per_s / fleet.up / fleet.steady.capacity_per_s, "frac",
    "Load over capacity, spares down")
  fact("cost_usd_h", fleet.cost_usd_h, "USD/h", "Cost")
  fact("cost_usd_month", fleet.cost_usd_h * HOURS, "USD", "Cost of a month")
  fact("usd_per_million", fleet.cost_usd_h / 3600 / load.rate_per_s / (load.output_tokens or 1024) * 1e6, "USD",
    "Cost of a million tokens of answers")
  return list
end

local function promise_table(answer)
  local fleet, percentile, rows = answer.winner, answer.ask.sla.percentile, {}
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do
    local limit = answer.ask.sla.limits[name]
    if limit then
      local seen = fleet.seen[name:sub(1, -3)]
      rows[#rows + 1] = { PARTS[name], limit, seen[("p%d_s"):format(percentile)], fleet.steady[name] }
    end
  end
  return { name = "promise", title = ("Promise at P%d, simulated with the spares down"):format(percentile), rows = rows,
    columns = { { name = "part", title = "" }, { name = "limit", title = "Limit", unit = "s" },
      { name = "seen", title = "Simulated", unit = "s" }, { name = "mean", title = "Mean, closed form", unit = "s" } } }
end

local function fleets_table(answer)
  local rows = {}
  for i = 1, math.min(ROWS, #answer.fleets) do
    local fleet = answer.fleets[i]
    rows[i] = { name_of(fleet.candidate), words(fleet.candidate), fleet.candidate.engine.max_running, fleet.replicas,
      fleet.devices, fleet.cost_usd_h, fleet.steady.ttft_s, fleet.steady.tpot_s }
  end
  return { name = "fleets", title = "Fleets that hold the promise in the mean, cheapest first", rows = rows,
    columns = { { name = "device" }, { name = "plan" }, { name = "max_running", title = "running" },
      { name = "replicas" }, { name = "devices" }, { name = "cost", unit = "USD/h" },
      { name = "ttft", title = "first token", unit = "s" }, { name = "tpot", title = "per token", unit = "s" } } }
end

local function refusal(result, answer)
  local named = {}
  for i, part in ipairs(answer.breaks) do named[i] = PARTS[part] end
  result:warn("no fleet of " .. answer.ask.gpus .. " devices holds the promise; what breaks it is "
    .. table.concat(named, ", then "))
  local list = { name = "reachable", title = "Best that can be reached, in the mean" }
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do
    if answer.reachable[name] then
      list[#list + 1] = { name = name, value = answer.reachable[name], unit = "s", title = PARTS[name] }
    end
  end
  list[#list + 1] = { name = "rate_per_s", value = answer.reachable_per_s, unit = "1/s", title = PARTS.rate }
  if answer.missing then
    list[#list + 1] = { name = "missing_bytes", value = -answer.missing.memory.pool_bytes, unit = "B",
      title = "Missing on each device of " .. words(answer.missing) .. " on " .. name_of(answer.missing) }
  end
  if answer.nearest then
    list[#list + 1] = { name = "nearest", title = "Nearest to the promise",
      value = answer.nearest.replicas .. " x " .. name_of(answer.nearest.candidate) .. " "
        .. words(answer.nearest.candidate) }
  end
  result:facts(list)
  if answer.gave_up then
    result:note(answer.trials .. " fleets were simulated and failed; dearer ones were not tried")
  end
end

--- Adds an answer of serving.search to a result.
function show.answer(result, answer)
  if answer.fits then
    result:facts(winner_facts(answer))
    result:table(promise_table(answer))
  else
    refusal(result, answer)
  end
  if #answer.fleets > 0 then result:table(fleets_table(answer)) end
  result:note(("%d points, %d of them fit into memory, %d cannot be cut so; %d simulated"):format(answer.tried,
    answer.fitting, answer.refused, answer.trials))
  result:assume(("%d spare; the others at %.0f %% of their capacity at most; each gets an even share as Poisson "
    .. "arrivals."):format(answer.ask.spares, 100 * answer.ask.utilization_frac))
  result:assume("Plans that break the promise in the mean by closed forms are not simulated.")
  for _, text in ipairs(answer.assumed) do result:assume(text .. ".") end
  for _, pool in ipairs(answer.ask.pools) do
    if pool.assumed then result:assume((pool.device.name or "device") .. ": " .. pool.assumed .. ".") end
  end
end

return show

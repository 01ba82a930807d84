-- How an answer about serving fleets becomes blocks of a result.
local confirm = require("ballpark.questions.serve_search.confirm")
local day_show = require("ballpark.questions.serve_search.day_show")
local fleet_assumed = require("ballpark.questions.serve.fleet_assumed")
local mix_show = require("ballpark.questions.serve_search.mix_show")
local searched = require("ballpark.search.searched")
local winner_show = require("ballpark.questions.serve_search.winner_show")
local units = require("ballpark.units")
local words = require("ballpark.questions.serve.words")

local show = {}

-- Rows of the table of fleets.
local ROWS <const> = 10

-- What the simulation said of a fleet, where it was simulated.
local function simulated(answer, fleet)
  return fleet == answer.winner and "chosen" or fleet.failed and "failed" or nil
end

local function fleets_table(answer, list, name, title)
  local rows = {}
  for i = 1, math.min(ROWS, #list) do
    local fleet = list[i]
    rows[i] = { fleet.cost_usd_h, fleet.devices, fleet.replicas, fleet.candidate.engine.max_running,
      fleet.steady.ttft_s, fleet.steady.tpot_s, simulated(answer, fleet),
      words.fleet(fleet) }
  end
  return { name = name, rows = rows, title = title .. "; sequences of a replica at most",
    columns = { { name = "cost", title = "", unit = "USD/h" }, { name = "devices" }, { name = "replicas", hide = true },
      { name = "max_running", title = "sequences" }, { name = "ttft", title = "TTFT", unit = "s" },
      { name = "tpot", title = "TPOT", unit = "s" }, { name = "simulated", title = "" }, { name = "fleet" } } }
end

-- Whether tables of two lists of fleets have the same rows.
local function look_alike(a, b)
  for i = 1, ROWS do
    if a[i] ~= b[i] then return false end
  end
  return true
end

-- The cheapest fleet of each kind of devices and terms, where several were asked about.
local function pools_table(answer)
  local best, rows = {}, {}
  for _, fleet in ipairs(answer.fleets) do
    local pool = fleet.candidate.pool
    best[pool] = best[pool] or fleet
  end
  for i, pool in ipairs(answer.ask.pools) do
    local fleet = best[pool]
    rows[i] = { device = pool.device.name or "device", term = pool.term, pool = words.pool(pool),
      fleet = fleet and words.fleet(fleet) or "none meets the SLO in the mean", fits = fleet ~= nil }
    if fleet then
      rows[i].cost_usd_h, rows[i].devices, rows[i].replicas = fleet.cost_usd_h, fleet.devices, fleet.replicas
      rows[i].ttft_s, rows[i].tpot_s = fleet.steady.ttft_s, fleet.steady.tpot_s
      rows[i].simulated = simulated(answer, fleet)
    end
  end
  return { name = "pools", title = "The cheapest fleet of each device, in the mean", rows = rows,
    columns = { { name = "device", hide = true }, { name = "term", hide = true }, { name = "pool", title = "" },
      { name = "cost_usd_h", title = "", unit = "USD/h" }, { name = "devices" }, { name = "replicas", hide = true },
      { name = "ttft_s", title = "TTFT", unit = "s" }, { name = "tpot_s", title = "TPOT", unit = "s" },
      { name = "fits", hide = true }, { name = "simulated", title = "" }, { name = "fleet" } } }
end

local REASONS <const> = { structure = "structure", memory = "memory", gpus = "devices", rate = "rate", room = "users",
  ttft_s = "TTFT", tpot_s = "TPOT", e2e_s = "E2E", longest = "longest request", simulation = "simulation" }

-- The column that holds the value of what was missed.
local COLUMN <const> = { rate = "value_per_s", room = "value_users", memory = "missing_bytes" }

local function named(nearest)
  local candidate = nearest.candidate
  local name = words.pool(candidate and candidate.pool or nearest.pool) .. " "
    .. words.plan(candidate and candidate.plan or nearest.plan)
  return nearest.replicas and nearest.replicas .. " x " .. name or name
end

-- What the report fills the values of the row into.
local SENTENCES <const> = { memory = "{missing_bytes} missing on each device",
  longest = "its KV cache does not hold the longest request that was drawn",
  gpus = "too few devices for it and its spares", rate = "{value_per_s} at the planned utilisation",
  room = "room for {value_users} users at the planned utilisation" }

local function sentence(row, nearest)
  return named(nearest) .. ": " .. (nearest.text and nearest.text:gsub("^plan%.[%w_]+: ", "")
    or SENTENCES[row.reason] or "{value_s}, and the SLO is {limit_s}")
end

local function rejected_table(answer)
  local rows = {}
  for i, row in ipairs(answer.rejected) do
    local nearest = row.example
    rows[i] = { reason = REASONS[row.reason], plans = row.count, example = named(nearest),
      limit_s = answer.ask.sla.limits[nearest.part or row.reason], nearest = sentence(row, nearest) }
    rows[i][COLUMN[row.reason] or "value_s"] = nearest.value
  end
  return { name = "rejected", title = "Rejected", rows = rows, columns = { { name = "reason", title = "for" },
    { name = "plans", tally = true }, { name = "missing_bytes", hide = true, unit = "B" },
    { name = "value_per_s", hide = true, unit = "1/s" }, { name = "value_users", hide = true }, { name = "value_s", hide = true, unit = "s" },
    { name = "limit_s", hide = true, unit = "s" }, { name = "example", hide = true },
    { name = "nearest", title = "nearest miss, or an example", human = true } } }
end

local function reachable_facts(answer)
  local list = { name = "reachable", title = "Best that can be reached, in the mean" }
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do
    if answer.reachable[name] then
      list[#list + 1] = { name = name, value = answer.reachable[name], unit = "s", title = words.parts[name] }
    end
  end
  if not answer.ask.users then
    list[#list + 1] = { name = "reachable_per_s", value = answer.reachable_per_s, unit = "1/s", title = words.parts.rate }
  end
  if answer.missing then
    list[#list + 1] = { name = "missing_bytes", value = answer.missing:missing_bytes(), unit = "B",
      title = "Missing on each device of " .. words.plan(answer.missing.plan) .. " on "
        .. words.pool(answer.missing.pool) }
  end
  if answer.nearest then
    list[#list + 1] = { name = "nearest", title = "Nearest to the SLO", value = words.fleet(answer.nearest) }
  end
  if answer.enough then
    list[#list + 1] = { name = "enough_fleet", value = words.fleet(answer.enough), hide = true }
    list[#list + 1] = { name = "enough_usd_h", value = answer.enough.cost_usd_h, unit = "USD/h", hide = true }
    list[#list + 1] = { name = "enough_devices", value = answer.enough:most_devices(), title = "Devices that would do",
      text = "{enough_devices} or more: {enough_fleet}, {enough_usd_h}" }
  end
  return list
end

local function refused(result, answer)
  result:facts({ name = "contradiction", { name = "contradiction", title = "Does not go", value = answer.refused } })
  result:facts(reachable_facts(answer))
end

local function assume(result, answer)
  local ask = answer.ask
  fleet_assumed.say(result, ask, answer.winner and answer.winner.groups or {})
  result:assume("Plans that break the SLO in the mean by closed forms are not simulated"
    .. (ask.sla.percentile < 50 and ": of an SLO for fewer than half of the requests that is stricter." or "."))
  local share = answer.winner and confirm.share(answer.winner) or 1
  if share < 1 then
    result:assume(("Large fleets are simulated by a part of %d replicas or fewer, behind a router of its own: here %.3g %% of "
      .. "the load."):format(confirm.MOST, 100 * share))
  end
  if answer.winner and answer.winner.groups[2] then
    result:assume("The KV cache of a prompt is sent to the decode replica when it is done, over links between "
      .. "nodes that the prefill replicas share.")
  end
  for _, text in ipairs(answer.assumed) do result:assume(text .. ".") end
  fleet_assumed.say_users(result, answer)
  fleet_assumed.say_prices(result, ask.pools)
end

--- Adds an answer of serving.search to a result.
function show.answer(result, answer)
  if answer.kind == "serving_mix" then return mix_show.answer(result, answer) end
  searched.before(result, answer.searched, "kinds of replicas and pairs of them")
  fleet_assumed.warn_of_context(result, answer.ask)
  if answer.fits then winner_show.add(result, answer) else refused(result, answer) end
  if answer.day then day_show.add(result, answer) end
  if #answer.fleets > 0 then
    result:table(fleets_table(answer, answer.fleets, "fleets", "Fleets that meet the SLO in the mean, cheapest first"))
  end
  if #answer.front > 1 and look_alike(answer.front, answer.fleets) then
    result:note("Of these fleets none is as cheap and as fast as another (Pareto front of cost, TTFT and TPOT).")
  elseif #answer.front > 1 then
    result:table(fleets_table(answer, answer.front, "front", "Faster for more money: no other fleet is as cheap and as "
      .. "fast (Pareto front of cost, TTFT and TPOT)"))
  end
  if #answer.fleets > 0 and #answer.ask.pools > 1 then result:table(pools_table(answer)) end
  if #answer.rejected > 0 then result:table(rejected_table(answer)) end
  searched.after(result, answer.searched, "kinds of replicas and pairs of them")
  result:note(("%s kinds of replicas, %s of them fit into memory; %s fleets meet the SLO in the mean; simulated: "
    .. "%d"):format(units.tally(answer.tried), units.tally(answer.fitting), units.tally(#answer.fleets), answer.trials))
  assume(result, answer)
end

return show

-- Pools of different replicas for requests of different length, in a report.
local bill = require("ballpark.questions.serve.bill")
local fleet_assumed = require("ballpark.questions.serve.fleet_assumed")
local fleet_facts = require("ballpark.questions.serve.fleet_facts")
local searched = require("ballpark.search.searched")
local tables = require("ballpark.tables")
local words = require("ballpark.questions.serve.words")

local mix_show = {}

local function lengths_of(answer, pool)
  local list = {}
  for i, b in ipairs(pool.buckets) do
    local bucket = answer.ask.load.buckets[b]
    list[i] = ("%g/%g"):format(bucket.input_tokens, bucket.output_tokens)
  end
  return table.concat(list, ", ")
end

local function pools_table(answer)
  local rows = {}
  for i, pool in ipairs(answer.pools) do
    rows[i] = { lengths_of(answer, pool), pool.share, pool.replicas, pool.replicas - pool.up, pool.devices,
      pool.cost_usd_h, pool.seen.ttft.at_s, pool.seen.tpot.at_s, pool.seen.e2e.at_s,
      words.pool(pool.candidate.pool) .. " " .. words.plan(pool.candidate.plan) }
  end
  return { name = "pools", title = ("Pools; TTFT and TPOT at P%g, simulated with the spares down")
    :format(answer.ask.sla.percentile), rows = rows, columns = { { name = "lengths", title = "tokens in/out" },
    { name = "share", unit = "frac" }, { name = "replicas" },
    { name = "spares", hide = true }, { name = "devices", hide = true },
    { name = "cost_usd_h", title = "", unit = "USD/h" },
    { name = "ttft_s", title = "TTFT", unit = "s" }, { name = "tpot_s", title = "TPOT", unit = "s" },
    { name = "e2e_s", title = "E2E", unit = "s", hide = true }, { name = "replica", title = "of" } } }
end

local function slo_text(sla)
  local list = {}
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do
    if sla.limits[name] then list[#list + 1] = ("%s {limit_%s}"):format(words.parts[name], name) end
  end
  return table.concat(list, ", ") .. (", for P%g"):format(sla.percentile)
end

local function add_slo(fact, sla)
  for _, name in ipairs(tables.sorted_keys(sla.limits)) do fact("limit_" .. name, sla.limits[name], "s") end
  fact("percentile", sla.percentile, "", "SLO", { text = slo_text(sla) })
end

local function most_devices(pools)
  local total = 0
  for _, pool in ipairs(pools) do total = total + pool.most * pool.candidate.ranks end
  return total
end

local function facts(answer)
  local ask = answer.ask
  local costs = bill.of({ cost_usd_h = answer.cost_usd_h, groups = answer.pools }, ask.load, ask.mean_per_s)
  local list, fact = fleet_facts.list("mix", ("%s, %s: pools by length"):format(ask.model.name or "model",
    answer.pools[1].candidate.engine.name or "engine"))
  fleet_facts.add_load(fact, ask)
  add_slo(fact, ask.sla)
  fleet_facts.add_devices(fact, answer.pools, answer.devices, most_devices(answer.pools),
    not ask.gpus_open and ask.gpus or nil)
  fleet_facts.add_bill(fact, costs)
  fact("planned_usd_h", answer.planned_usd_h, "USD/h")
  fact("alone_usd_h", answer.alone_usd_h, "USD/h", answer.alone_usd_h and "One kind of replica" or nil,
    { text = "{alone_usd_h} at best for all lengths, {planned_usd_h} for these pools, by closed forms" })
  fact("gap_frac", answer.gap_frac, "frac", answer.gap_frac > 0 and "Above the bound by at most" or nil)
  return list
end

-- Users ask of one pool as of another: with one they are simulated as they are.
local function deals_text(answer)
  if answer.ask.users then return "All lengths go to one pool; pools by length at the rate at which users come cost no less." end
  return (answer.gap_frac == 0 and "Least cost by closed forms" or "Lowest cost found by closed forms")
    .. (" of all deals to %d kinds of replicas, the cheapest for a length or for all; a pool that fails the simulation "
    .. "costs what it takes to hold."):format(answer.options)
end

--- Adds an answer of serving.mix to a result.
function mix_show.answer(result, answer)
  searched.before(result, answer.searched, "kinds of replicas")
  fleet_assumed.warn_of_context(result, answer.ask)
  if answer.pools[1] then
    result:facts(facts(answer))
    result:table(pools_table(answer))
  end
  for i, pool in ipairs(answer.pools) do
    fleet_assumed.say_unsettled(result, answer.ask.sla, pool.unsettled or {}, "pool " .. i)
  end
  if not answer.fits then result:warn(answer.refused) end
  searched.after(result, answer.searched, "kinds of replicas")
  if tables.contains(answer.ask.space.pattern, "disaggregated") then
    result:assume("Each replica computes prompts and answers: pools for prefill apart from decode are not looked at with lengths "
      .. "in buckets.")
  end
  result:assume("A router knows the length of a request, its answer included, and sends each length to one pool.")
  result:assume(deals_text(answer))
  fleet_assumed.say(result, answer.ask, answer.pools, " in each pool")
  fleet_assumed.say_users(result, answer)
  fleet_assumed.say_prices(result, answer.ask.pools)
end

return mix_show

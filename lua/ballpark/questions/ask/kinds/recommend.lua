-- Recommendations: candidates from an index, ranked by a model with embedding tables, within a latency.
local calls = require("ballpark.questions.comparables.calls")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local latency = require("ballpark.questions.latency.run")
local page = require("ballpark.questions.ask.page")
local proposals = require("ballpark.questions.ask.proposals")
local product = require("ballpark.uncertain.product")
local rank = require("ballpark.questions.recommend.run")
local recommenders = require("ballpark.catalog.recommenders")
local same = require("ballpark.questions.levers.same")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vector_search = require("ballpark.questions.vector_search.run")

local n = page.n

local MONTH_H <const> = units.MONTH_H

local recommend = {
  name = "recommend", title = "Recommendations", priced = true,
  words = "Recommend items to users: fleet of rankers, latency, cost",
  facts = {
    proposals.monthly_users, proposals.requests_per_user_month,
    { "users", "How many users a day?", unit = "", title = "Users a day", propose = function(f)
      if f.rate_per_s or f.requests_per_user_month then return nil end
      if f.monthly_users then return proposals.daily_users(f) end
      return 1e7, "a site of the second rank (assumption)", 1e6, 1e8
    end },
    { "requests_per_user_day", "Requests of a user a day?", unit = "", title = "Requests a user" },
    { "active_frac", "Share of them active at one time?", unit = "frac", title = "Active at one time", propose = function(f)
      if f.users and not f.requests_per_user_day then return 0.05, "one in twenty (assumption)", 0.02, 0.1 end
    end },
    { "interval_s", "Seconds between two requests of an active user?", unit = "s", title = "Between requests",
      propose = function(f)
        if f.users and not f.requests_per_user_day then return 30, "a page every half a minute (assumption)", 15, 60 end
      end },
    { "rate_per_s", "Requests per second in the mean?", unit = "1/s", title = "Mean rate", ask = 1, propose = function(f)
      if f.requests_per_user_month then
        local mean, why = proposals.monthly_rate(f)
        local ends = product.range(mean, { f:term("monthly_users"), f:term("requests_per_user_month") }) or {}
        return mean, why, ends.low, ends.high, true
      end
      if not f.users then return nil end
      if f.requests_per_user_day then
        local mean = core.load({ users = f.users, active_frac = 1, interval_s = 86400 / f.requests_per_user_day, peak_ratio = 1 }).average_per_s
        local ends = product.range(mean, { f:term("users"), f:term("requests_per_user_day") }) or {}
        return mean, ("%s users x %s a day / 86,400 s"):format(n(f.users), n(f.requests_per_user_day)), ends.low, ends.high, true
      end
      local active = core.load({ users = f.users, active_frac = f.active_frac, interval_s = f.interval_s,
        peak_ratio = 1 }).average_per_s
      local ends = product.range(active, { f:term("users"), f:term("active_frac"), f:term("interval_s", -1) }) or {}
      return active, ("%s users x %s / %s, at a time when they are active"):format(n(f.users), n(f.active_frac, "frac"),
        n(f.interval_s, "s")), ends.low, ends.high, true
    end },
    tables.with(proposals.peak, { propose = function(f)
      if f:entry("active_frac") and not f:is_given("rate_per_s") then return 1, "those who are active at one time are the peak", nil, nil, true end
      return proposals.peak.propose(f)
    end }), proposals.peak_rate,
    { "slo_s", "SLO, seconds?", unit = "s", title = "SLO", ask = 2,
      propose = proposals.constant(0.2, "a page that feels immediate") },
    { "percentile", "For how many in a hundred?", unit = "", title = "Percentile", propose = proposals.constant(99,
      "usual") },
    { "model", "Which ranking model (ballpark catalog recommenders)?", type = "string", title = "Ranker", ask = 3,
      propose = proposals.constant("dlrm-dcnv2", "the model of MLPerf, 270 candidates a request") },
    { "candidates", "How many candidates are ranked for a request?", unit = "", type = "integer", title = "Candidates" },
    { "vectors", "How many items are there?", unit = "", title = "Items",
      propose = proposals.constant(1e7, "a large catalogue", 1e6, 1e8) },
    { "dim", "Values of an item's vector?", unit = "", type = "integer", title = "Dimensions",
      propose = proposals.constant(128, "two-tower retrieval") },
    proposals.part("network_s", "Network both ways, seconds?", "Network", 0.01, "inside one region and its edge", 0.005, 0.02),
    proposals.part("features_s", "Fetching features, seconds?", "Features", 0.015, "a feature store", 0.005, 0.03),
    proposals.part("post_s", "Rules and rendering, seconds?", "Rules after it", 0.005, "business rules", 0.002, 0.01),
    proposals.utilization, proposals.spares,
    proposals.device("H100"),
    { "devices_per_replica", "Devices of a replica?", unit = "", type = "integer", title = "Devices a replica" },
    proposals.price,
    proposals.server_price,
    proposals.budget_month,
  },
  missing = function(f)
    local list = {}
    for _, item in ipairs({ { "rate_per_s", "traffic" }, { "slo_s", "the SLO" }, { "model", "the model" } }) do
      if not f:is_given(item[1]) and not (item[1] == "rate_per_s" and (f:is_given("users") or f:is_given("monthly_users"))) then list[#list + 1] = item[2] end
    end
    return list
  end,
}

-- Requests of a batch that is full.
local FULL_BATCH <const> = 256

-- Share of the SLO that ranking may take, the rest is for what is before and behind it.
local RANKING_FRAC <const> = 0.5

local function cluster_of(f, devices) return catalog.cluster({ device = catalog.device(f.device), devices = devices }) end

-- The ranker, over so many candidates of a request as are said.
local function model_of(f)
  local known = recommenders.get(f.model)
  return f.candidates and tables.with(known, { items = f.candidates }) or known
end

local function ranked(f, devices, changes)
  local input = { model = model_of(f), cluster = cluster_of(f, devices), price_usd_h = f.usd_h,
    load = { rate_per_s = f.peak_per_s, sla_s = RANKING_FRAC * f.slo_s, utilization_frac = f.utilization_frac,
      spares = f.spares } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return rank.run(input)
end

local function searched(f)
  return vector_search.run({ vectors = math.ceil(f.vectors), dim = f.dim, index = "hnsw", ef = 256, rate_per_s = f.peak_per_s,
    utilization_frac = f.utilization_frac })
end

local function month_of(f, ranker, devices, servers)
  return (ranker.fleet.replicas * devices * f.usd_h + servers * f.server_usd_h) * MONTH_H
end

-- Parts of a request beside the models.
local PARTS <const> = { "network_s", "features_s", "post_s" }

local function budget_of(f, ranker, search, own)
  local function part(name, value) return { name = name, median_s = value, p99_s = 3 * value } end
  return latency.run({ sla_s = f.slo_s, percentile = f.percentile, parts = { part("network", own.network_s),
    part("features", own.features_s),
    { name = "retrieval", median_s = search.out.time_s, p99_s = search.range.time_s.high },
    { name = "ranking", median_s = ranker.fleet.batching.p50_s, p99_s = ranker.fleet.batching.p99_s },
    part("rules after it", own.post_s) } })
end

local function levers(p, f, base, devices, servers, month)
  local function busy_of(of, ranker)
    return of.peak_per_s / ranker.fleet.batching.capacity_per_s * ranker.fleet.needed / ranker.fleet.replicas
  end
  local function pull(title, costs, changed, changes, count)
    local ok, ranker = errors.attempt(ranked, changed, count or devices, changes)
    if not ok or not ranker.fleet then return end
    local cost = month_of(changed, ranker, count or devices, servers)
    table.insert(p.levers, { title = title, cost_usd_month = cost, saves_frac = 1 - cost / month,
      costs = costs .. (cost == month and same.words({ count = ranker.fleet.replicas, busy_frac = busy_of(f, base),
        own_busy_frac = busy_of(changed, ranker) }) or ("; %.0f replicas"):format(ranker.fleet.replicas)),
      busy_frac = busy_of(changed, ranker) })
  end
  local function with(changes) return setmetatable(changes, { __index = f }) end
  for _, name in ipairs({ "L40S", "A100", "H200" }) do
    local usd_h = catalog.cluster({ device = catalog.device(name), devices = 1 }).usd_h
    local need = usd_h and rank.run({ model = model_of(f), cluster = cluster_of(with({ device = name }), 1) }).out.devices_needed
    if usd_h and catalog.device(name).name ~= catalog.device(f.device).name then
      pull(("another device (%.0f x %s a replica)"):format(need, catalog.device(name).name), "moving",
        with({ device = name, usd_h = usd_h }), nil, math.tointeger(need))
    end
  end
  pull("rows of tables in 8 bit", "accuracy: evaluate it", f, { row_value_bytes = 1 })
  pull("half of the requests from a cache", "stale recommendations", with({ peak_per_s = f.peak_per_s / 2 }))
  pull("an SLO looser by half", "users wait longer", with({ slo_s = 1.5 * f.slo_s }))
  pull("planned at 85 %", "bursts wait longer", with({ utilization_frac = 0.85 }))
end

--- The five steps.
function recommend.steps(p, f)
  for _, name in ipairs({ "monthly_users", "requests_per_user_month", "users", "requests_per_user_day", "active_frac", "interval_s", "rate_per_s", "peak_ratio", "peak_per_s", "slo_s", "percentile", "model", "candidates", "vectors",
    "device", "usd_h" }) do
    p:fact(f, name, { brief = name == "peak_per_s" or nil })
  end
  local device = catalog.device(f.device)
  local alone = rank.run({ model = model_of(f), cluster = cluster_of(f, 1) })
  local devices = f.devices_per_replica or math.tointeger(alone.out.devices_needed)
  local ranker, search = ranked(f, devices), searched(f)
  p:add("size", "table_bytes", "Embedding tables", ranker.out.table_bytes, "B", ("rows x values in 16 bit of %s"):format(
    ranker.input.model.name or f.model), { basis = "estimated" })
  p:add("size", "devices_per_replica", "Devices a replica", devices, "", ("%s each"):format(n(device.memory_bytes, "B")))
  p:add("size", "index_bytes", "Index of items", search.out.memory_bytes, "B", ("%s of %.0f values, graph in memory"):format(
    n(f.vectors), f.dim), { basis = "estimated", terms = { f:term("vectors") } })
  p:add("compute", "request_flop", "Ranking a request", ranker.out.flop, "FLOP", ("%.0f candidates through the dense layers"):format(
    ranker.input.model.items or 1), { basis = "estimated" })
  p:add("compute", "gather_bytes", "Rows looked up", ranker.out.gather_bytes, "B", "of a request, what bounds small models")
  if not ranker.fleet then
    p:contradict("slo", ("a request alone takes %s to rank, and half of the SLO is %s"):format(n(ranker.out.time_s, "s"),
      n(RANKING_FRAC * f.slo_s, "s")))
    p.headline = "no number of replicas keeps the SLO"
    return
  end
  local capacity = ranker.fleet.batching.capacity_per_s / ranker.fleet.needed
  p:add("compute", "per_s", "Requests of a replica", capacity, "1/s", ("batches of %s at most"):format(
    units.count(ranker.fleet.max_batch, "request")), { basis = "estimated", low = capacity * ranker.range.per_s.low / ranker.out.per_s,
      high = capacity * ranker.range.per_s.high / ranker.out.per_s })
  local terms = { f:term("peak_per_s"), p:term("per_s", -1) }
  p:add("fleet", "replicas", "Rankers", ranker.fleet.replicas, "", ("%s / (%s x %s), %.0f spare; %s each"):format(
    n(f.peak_per_s, "1/s"), n(capacity, "1/s"), n(f.utilization_frac, "frac"), f.spares, units.count(devices, "device")), { basis = "estimated",
    terms = terms, counted = page.counted(ranker.fleet.replicas, f.peak_per_s / capacity / f.utilization_frac), brief = true })
  local shards = math.max(1, math.ceil(search.out.shards_needed))
  local servers = (search.load.replicas + f.spares) * shards
  p:add("fleet", "servers", "Search servers", servers, "", ("%s a server with all threads busy, %.0f spare"):format(
    n(search.out.busy_per_s, "1/s"), f.spares), { basis = "estimated", terms = { f:term("peak_per_s") },
    counted = page.counted(servers, f.peak_per_s / search.out.busy_per_s / f.utilization_frac, shards) })
  local budget = proposals.with_parts(p, f, PARTS, function(own) return budget_of(f, ranker, search, own) end)
  p:add("sanity", "latency_s", ("P%g of a request"):format(f.percentile), budget.value_s, "s",
    ("network, features, retrieval, ranking, rules as distributions; the SLO is %s; most to gain: %s"):format(
      n(f.slo_s, "s"), budget.dominant), { basis = "estimated", brief = true })
  if not budget.fits then
    p:contradict("slo", ("P%g is %s, and the SLO is %s"):format(f.percentile, n(budget.value_s, "s"), n(f.slo_s, "s")))
  end
  local month = month_of(f, ranker, devices, servers)
  local ranking = ranker.fleet.replicas * devices * f.usd_h * MONTH_H
  p:add("sanity", "cost_usd_month", "Cost a month", month, "USD", ("(%.0f x %.0f x %s + %.0f x %s) x %.0f h"):format(
    ranker.fleet.replicas, devices, n(f.usd_h, "USD/h"), servers, n(f.server_usd_h, "USD/h"), MONTH_H),
    { basis = "estimated", brief = true, terms = { page.share(month, ranking, p:term("replicas")), page.share(month, month - ranking, p:term("servers")),
      page.share(month, ranking, f:term("usd_h")), page.share(month, month - ranking, f:term("server_usd_h")) } })
  p:keep_budget(month, f.budget_usd_month, "it costs %s a month")
  -- Published rates are of full batches, whatever batches the load makes.
  local full = rank.run({ model = model_of(f), cluster = cluster_of(f, devices), requests = FULL_BATCH })
  p.comparable = calls.nearest_recommender({ model = ranker.input.model, device = device,
    per_s_device = FULL_BATCH / full.out.time_s / devices })
  p.what = "the lookups per bandwidth in full batches"
  levers(p, f, ranker, devices, servers, month)
  p.headline = ("%.0f rankers of %.0f x %s, %.0f search servers; P%g %s; %s a month"):format(ranker.fleet.replicas, devices,
    device.name, servers, f.percentile, n(budget.value_s, "s"), p:said("cost_usd_month"))
  p.main = "cost_usd_month"
end

return recommend

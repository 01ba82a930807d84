-- Storage of embeddings: bytes with copies and an index, growth over a horizon, servers and money.
local core = require("ballpark.core")
local host_prices = require("ballpark.catalog.host_prices")
local measured = require("ballpark.questions.comparables.measured")
local page = require("ballpark.questions.ask.page")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local n = page.n

local MONTH_S <const> = units.months(1)

local function price(name, title)
  return { name, title .. ", USD per GB and month?", unit = "USD", title = title, propose = function()
    local known = host_prices[name]
    return known.value, known.source, known.low, known.high
  end }
end

local storage = {
  name = "storage", title = "Storage of embeddings", words = "Keep embeddings: bytes, servers, growth, cost",
  facts = {
    { "users", "How many users or items?", unit = "", title = "Entities", ask = 1, also = { "items" }, propose = function(f)
      if not f.vectors then return 1e8, "a large service", 1e7, 1e9 end
    end },
    { "vectors", "How many vectors, where that is another number?", unit = "", title = "Vectors" },
    { "dim", "Values of a vector?", unit = "", type = "integer", title = "Dimensions", ask = 2,
      propose = proposals.constant(128, "usual for users and items", 64, 256) },
    proposals.value_format, proposals.value_bytes, proposals.links,
    { "replicas", "How many copies?", unit = "", type = "integer", title = "Copies", ask = 3,
      propose = proposals.constant(3, "one a zone") },
    { "index", "Which index: flat, ivf, ivf_pq or hnsw?", type = "string", title = "Index",
      propose = proposals.constant("hnsw", "a graph in memory, the usual index of a real-time search") },
    { "growth_month_frac", "Growth a month?", unit = "frac", above_one = true, title = "Growth a month", ask = 4,
      propose = proposals.constant(0.02, "a service that grows by a quarter a year", 0.005, 0.05) },
    { "horizon_s", "Over what time?", unit = "s", title = "Horizon", also = { "time_s" },
      propose = proposals.constant(units.years(1), "what hardware is planned for") },
    { "server_bytes", "Memory of a server?", unit = "B", title = "Server memory", stored = true,
      propose = proposals.constant(512e9, "a server of one socket") },
    price("memory_usd_gb_month", "Memory"),
    price("object_usd_gb_month", "Object storage"),
    proposals.budget_month,
  },
}

--- Vectors of a model that is named are as wide as it makes them.
function storage.given(given)
  local dim = not given.dim and proposals.vector_dim(given.model)
  if not dim then return given end
  local made = tables.with(given, { dim = dim })
  made.model = nil
  return made
end

-- Entities after months of growth that is compound.
local function grown(entities, f, months) return entities * (1 + f.growth_month_frac) ^ months end

local function store(f, entities, index, bytes)
  return core.embedding_store({ entities = entities, dim = f.dim, bytes_per_value = bytes or f.bytes_per_value,
    index = index or f.index, replication = f.replicas, links = f.links, code_bytes = (index or f.index) == "ivf_pq" and f.dim // 4 or nil,
    device_bytes = f.server_bytes })
end

-- Servers are rented as large as what they hold.
local function memory_month(f, kept, copies)
  return kept.memory_bytes * (copies or f.replicas) / 1e9 * f.memory_usd_gb_month
end

--- The five steps.
function storage.steps(p, f)
  local entities = f.vectors or f.users
  for _, name in ipairs({ "users", "vectors", "dim", "bytes_per_value", "links", "replicas", "index", "growth_month_frac",
    "horizon_s" }) do
    p:fact(f, name)
  end
  local base = { f:term(f.vectors and "vectors" or "users"), f:term("dim") }
  local now, months = store(f, entities), f.horizon_s / MONTH_S
  p:add("size", "raw_bytes", "Once", now.raw_bytes, "B", ("%s x %.0f x %g bytes"):format(n(entities), f.dim,
    f.bytes_per_value), { stored = true, terms = base })
  p:add("size", "index_bytes", "Index adds", now.index_bytes, "B", ("%s: %s over the vectors"):format(f.index,
    n(now.overhead_frac, "frac")), { stored = true, terms = base })
  p:add("size", "memory_bytes", "A copy in memory", now.memory_bytes, "B", "vectors and index", { stored = true,
    terms = base })
  p:add("size", "total_bytes", "All copies", now.total_bytes, "B", ("%.0f copies, vectors and index"):format(f.replicas),
    { stored = true, terms = base, brief = true })
  p:add("compute", "growth_month_bytes", "Written a month", now.raw_bytes * f.replicas * f.growth_month_frac, "B",
    ("%s new entities a month, all copies"):format(n(entities * f.growth_month_frac)), { stored = true,
      terms = { base[1], base[2], f:term("growth_month_frac") } })
  p:add("fleet", "servers", "Servers now", now.shards * f.replicas, "", ("%d shards of %s x %d copies, %s at most in one")
    :format(now.shards, n(now.memory_bytes / now.shards, "stored"), f.replicas, n(f.server_bytes, "stored")), { terms = base,
    counted = page.counted(now.shards * f.replicas, now.memory_bytes / f.server_bytes, f.replicas), brief = true })
  local later = store(f, grown(entities, f, months))
  p:add("fleet", "later_entities", "Entities then", grown(entities, f, months), "", ("x %.4g^%.3g: compound over %s"):format(
    1 + f.growth_month_frac, months, n(f.horizon_s, "s")))
  p:add("fleet", "later_bytes", "All copies then", later.total_bytes, "B", "the same with as many", { stored = true,
    brief = true, terms = { base[1], base[2], { name = "growth", value = 1,
      low = f:entry("growth_month_frac").low and (1 + f:entry("growth_month_frac").low) ^ months
        / (1 + f.growth_month_frac) ^ months,
      high = f:entry("growth_month_frac").high and (1 + f:entry("growth_month_frac").high) ^ months
        / (1 + f.growth_month_frac) ^ months } } })
  p:add("fleet", "later_servers", "Servers then", later.shards * f.replicas, "", ("%.0f shards"):format(later.shards))
  local month = memory_month(f, now)
  p:add("sanity", "cost_usd_month", "Cost a month now", month, "USD", ("%.0f servers x %s x %s a GB: %s"):format(
    now.shards * f.replicas, n(now.memory_bytes / now.shards, "stored"), n(f.memory_usd_gb_month, "USD"),
    f:entry("memory_usd_gb_month").why),
    { brief = true, terms = { base[1], base[2], f:term("memory_usd_gb_month") } })
  p:add("sanity", "later_usd_month", "Cost a month then", memory_month(f, later), "USD", "the same price")
  p:add("sanity", "object_usd_month", "As objects", now.raw_bytes / 1e9 * f.object_usd_gb_month, "USD",
    "one copy that is not searched; " .. f:entry("object_usd_gb_month").why)
  p:keep_budget(month, f.budget_usd_month, "it costs %s a month")
  local function pull(title, costs, kept, copies)
    local cost = memory_month(f, kept, copies)
    table.insert(p.levers, { title = title, cost_usd_month = cost, saves_frac = 1 - cost / month, costs = costs })
  end
  pull("product codes in memory", "recall; vectors are ranked again from disk", store(f, entities, "ivf_pq"))
  pull("values in 16 bit", "hardly any recall", store(f, entities, nil, f.bytes_per_value / 2))
  pull("values in 8 bit", "some recall: measure it", store(f, entities, nil, 1))
  if f.replicas > 1 then pull("a copy less", "a zone that fails takes longer to replace", now, f.replicas - 1) end
  pull("an inverted file instead of a graph", "more vectors compared a query", store(f, entities, "ivf"))
  local each = f.replicas > 1 and n(now.total_bytes / f.replicas, "stored") .. " a copy, " or ""
  p.headline = each .. ("%s in %.0f copies, %.0f servers; %s a month, %s in %s"):format(n(now.total_bytes, "stored"), f.replicas,
    now.shards * f.replicas, p:said("cost_usd_month"), n(later.total_bytes, "stored"), n(f.horizon_s, "s"))
  p.main = "cost_usd_month"
  p.comparable, p.what = measured.nearest_store(f.index, now.memory_bytes), "what was measured is estimated for the memory"
end

return storage

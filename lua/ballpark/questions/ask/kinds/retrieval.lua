-- Retrieval: an encoder of queries, a search among vectors, and their latency together.
local calls = require("ballpark.questions.comparables.calls")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local encoders = require("ballpark.questions.ask.kinds.encode")
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.ask.facts")
local latency = require("ballpark.questions.latency.run")
local llm = require("ballpark.questions.ask.kinds.llm")
local measured = require("ballpark.questions.comparables.measured")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")
local same = require("ballpark.questions.levers.same")
local units = require("ballpark.units")
local vector_search = require("ballpark.questions.vector_search.run")

local n = page.n

local MONTH_H <const> = units.MONTH_H

-- A query of a two-tower model like CLIP goes through the tower of texts.
local TEXT_TOWER <const> = { ["clip-vit-l-14"] = "clip-vit-l-14-text", ["clip-vit-b-16"] = "clip-vit-b-text",
  ["clip-vit-b-32"] = "clip-vit-b-text", ["openclip-vit-h-14"] = "openclip-vit-h-14-text" }
local TOWER_TOKENS <const> = 77

-- The encoder where there is none: queries come as vectors.
local NONE <const> = "none"

-- Who encodes texts, and tokens of a query.
local TEXT_ENCODER <const>, QUERY_TOKENS <const> = "bge-large-en-v1.5", 32

local retrieval = {
  name = "retrieval", title = "Retrieval", priced = true, words = "Find the nearest of many vectors to a query: fleet, latency, cost",
  facts = {
    { "of_text", "Are texts searched?", type = "boolean", title = "Texts" },
    { "model", "Which encoder (name of the catalog; none where queries come as vectors)?", type = "string", title = "Encoder", ask = 5,
      propose = function(f)
        if f.of_text == "yes" then return TEXT_ENCODER, "a usual encoder of texts" end
        return "clip-vit-l-14-text", "CLIP-like towers are usual for retrieval"
      end },
    { "rate_per_s", "Queries per second in the mean?", unit = "1/s", title = "Mean rate", ask = 1,
      propose = proposals.constant(300, "a mid-sized service", 60, 1500) }, proposals.peak, proposals.peak_rate,
    { "vectors", "How many items?", unit = "", title = "Items", ask = 2, also = { "items" },
      propose = proposals.constant(1e8, "a large catalogue", 1e7, 1e9) },
    { "dim", "Values of a vector?", unit = "", type = "integer", title = "Dimensions",
      propose = function(f)
        local dim = f.model == TEXT_ENCODER and 1024 or proposals.vector_dim(f.model)
        if dim then return dim, "what it writes" end
        return 768, "the projection of CLIP ViT-L"
      end },
    proposals.value_format, proposals.value_bytes, proposals.links,
    { "ef", "Candidates that a query keeps (hnsw)?", unit = "", type = "integer", title = "Candidates of a query" },
    { "slo_s", "SLO, seconds?", unit = "s", title = "SLO", ask = 3, propose = proposals.constant(0.1, "real time") },
    { "percentile", "For how many in a hundred?", unit = "", title = "Percentile",
      propose = proposals.constant(99, "real time") },
    { "memory", "Is the memory asked?", type = "string", title = "Memory" },
    { "index", "Which index: hnsw or ivf_pq?", type = "string", title = "Index" },
    { "recall", "Share of nearest vectors to find?", unit = "frac", title = "Recall", propose = function(f)
      if not f.ef then return 0.9, "what services of this kind plan with" end
    end },
    proposals.part("network_s", "Network both ways, seconds?", "Network", 0.005, "inside one region", 0.002, 0.01),
    proposals.part("features_s", "Fetching what is shown, seconds?", "Item lookup", 0.01, "a key-value store", 0.005, 0.02),
    proposals.utilization, proposals.spares,
    { "device", "Which device encodes?", type = "string", title = "Device", propose = function(f)
      if f.model ~= NONE then return "L4", "small encoders in real time" end
    end },
    tables.with(proposals.price, { propose = function(f)
      if f.device then return proposals.price.propose(f) end
    end }),
    proposals.server_price,
    proposals.budget_month,
  },
}

-- Words of a search among vectors, and those of what is turned into vectors first.
local OF_VECTORS <const> = { "vector search", "vector db", "vector database", "nearest neighbo", "%f[%w]ann%f[%W]", "hnsw", "ivf" }
local ENCODED <const> = { "semantic", "text", "image", "clip", "document", "%f[%w]rag%f[%W]", "encod", "embed", "product", "photo", "bert",
  "bge", "passage", "chunk" }

local OF_TEXT <const> = { "document", "%f[%w]docs%f[%W]", "%f[%w]rag%f[%W]", "passage", "chunk", "semantic", "articles", "texts" }

-- Words by which memory is asked.
local MEMORY <const> = { "how much ram", "how much memory", "ram do", "memory do", "ram need", "memory need", "ram for", "memory for", "how many [gt]i?b%f[%A]" }

-- The text towers of CLIP are causal decoders that write nothing.
local function is_text_tower(name)
  for _, tower in pairs(TEXT_TOWER) do
    if tower == name then return true end
  end
  return false
end

local function writes_text(name)
  return not is_text_tower(name) and proposals.is_model(name) and (catalog.model(name).arch or "decoder") == "decoder"
end

--- A tower of images asked about as one of queries is that of texts. Who speaks of vectors alone has them already.
function retrieval.given(given, _, text)
  if mentions.any(text, MEMORY) then given = tables.with(given, { memory = "asked" }) end
  local tower = TEXT_TOWER[given.model or ""]
  if tower then return tables.with(given, { model = tower }) end
  if not given.model and mentions.any(text, OF_VECTORS) and not mentions.any(text, ENCODED) then
    return tables.with(given, { model = NONE })
  end
  if mentions.any(text, OF_TEXT) and (not given.model or writes_text(given.model)) then return tables.with(given, { of_text = "yes" }) end
  return given
end

-- Facts of a service that writes text: who says one asks for answers out of what is found, and not for what is found alone.
local WRITES <const> = { "params", "active_params", "output_tokens", "tpot_s", "ttft_s", "users", "monthly_users", "concurrency" }
retrieval.part_facts = WRITES

-- Passages in a prompt (assumption: 3 to 10 are usual).
local PASSAGES <const> = 5

--- "RAG over 10 million documents with a 70B model": the service that writes, and the retrieval that it asks, at its rate.
function retrieval.parts(given, spans)
  local decoder = given.model and writes_text(given.model)
  local writes = decoder
  for _, name in ipairs(WRITES) do writes = writes or given[name] ~= nil end
  if not writes then return nil end
  local own, service, is_own = {}, { passages = PASSAGES }, {}
  for _, row in ipairs(retrieval.facts) do is_own[row[1]] = true end
  for name, value in pairs(given) do
    local shared = name == "device" or name == "slo_s" or name == "budget_usd_month" or name == "rate_per_s" or name == "usd_h"
    if is_own[name] and not shared and not (name == "model" and decoder) then own[name] = value else service[name] = value end
  end
  local known = facts.of(llm, service, spans)
  local spans_of = {}
  for _, name in ipairs({ "rate_per_s", "peak_ratio" }) do
    local entry = known:entry(name)
    own[name], spans_of[name] = entry.value, { why = "that of the service", low = entry.low or entry.value, high = entry.high or entry.value }
  end
  return { { kind = "retrieval", facts = own, spans = spans_of }, { kind = "llm", facts = service } }
end

-- The index with the fewest servers for the rate, of those that find the recall in memory; the graph in memory and the
-- inverted file of codes whose vectors are ranked again from disk are what is usual.
local function index_of(f)
  local best
  -- Who says links or candidates has a graph.
  local usual = (f.links or f.ef) and { "hnsw" } or { "hnsw", "ivf_pq" }
  for _, index in ipairs(f.index and { f.index } or usual) do
    local is_graph = index == "hnsw"
    local one = { vectors = math.ceil(f.vectors), dim = f.dim, bytes_per_value = f.bytes_per_value, index = index, links = is_graph and f.links or nil,
      code_bytes = not is_graph and math.max(16, f.dim // 8) or nil, ef = is_graph and f.ef or nil, recall = not (is_graph and f.ef) and f.recall or nil }
    local single = vector_search.run(one)
    local shards = math.max(1, math.ceil(single.out.shards_needed))
    local ok, found = errors.attempt(vector_search.run, tables.with(one, { shards = shards, rate_per_s = f.peak_per_s,
      utilization_frac = f.utilization_frac }))
    if ok and found.fits then
      local servers = (found.load.replicas + f.spares) * shards
      if not best or servers < best.servers then
        best = { answer = found, shards = shards, index = index, replicas = found.load.replicas + f.spares,
          servers = servers }
      end
    end
  end
  return best
end

-- Parts of a query beside the encoder and the search.
local PARTS <const> = { "network_s", "features_s" }

local function budget_of(f, encoded, search, own)
  local function part(name, value_s) return { name = name, median_s = value_s, p99_s = 3 * value_s } end
  local answer = encoded.answer
  local parts = { part("network", own.network_s), { name = "search", median_s = search.answer.out.time_s,
    p99_s = search.answer.range.time_s.high }, part("item lookup", own.features_s) }
  if answer then
    table.insert(parts, 2, { name = "encoder", median_s = answer.out.time_s, p99_s = math.max(encoded.wait_s, answer.out.time_s) })
  end
  return latency.run({ sla_s = f.slo_s, percentile = f.percentile, parts = parts })
end

local function size(p, f, encoded, search)
  local store = core.embedding_store({ entities = f.vectors, dim = f.dim, bytes_per_value = f.bytes_per_value, index = "flat" })
  p:add("size", "raw_bytes", "Vectors", store.raw_bytes, "B", ("%s x %.0f x %g bytes"):format(n(f.vectors), f.dim, f.bytes_per_value),
    { stored = true, terms = { f:term("vectors") } })
  p:add("size", "index_bytes", "Index in memory", search.answer.out.memory_bytes * search.shards, "B",
    ("%s over %s of %s"):format(search.index, units.count(search.shards, "shard"), n(search.answer.out.memory_bytes, "B")),
    { basis = "estimated", stored = true })
  if encoded.answer then p:add("size", "encoder_bytes", "Encoder", encoded.answer.out.weights_bytes, "B", "weights in 16 bit") end
end

local function query_tokens(f) return is_text_tower(f.model) and TOWER_TOKENS or QUERY_TOKENS end

-- Devices that turn queries into vectors; none where queries come as vectors.
local function encoders_of(f)
  if f.model == NONE then return { replicas = 0 } end
  return encoders.fleet_of(setmetatable({ rate_per_s = f.peak_per_s, peak_ratio = 1, seq_len = query_tokens(f) }, { __index = f }), f.device)
end

local function month_of(f, encoded, search)
  return ((encoded.replicas > 0 and encoded.replicas * f.usd_h or 0) + search.servers * f.server_usd_h) * MONTH_H
end

-- What is published beside the search and beside the encoder.
local function comparables(p, f, encoded, search, device)
  local near = measured.nearest_search(vector_search.run, { index = search.index, vectors = f.vectors, dim = f.dim })
  if encoded.answer then
    p.comparable = calls.nearest({ spread = encoded.answer.subject.spread, item_flop = encoded.answer.out.item_flop,
      device = device, per_s_device = encoded.per_s })
    p.what = "the share of the peak"
    if near then
      p:add("sanity", "search_comparable_ratio", "Search beside", near.ratio, "", ("times what was measured is estimated for the "
        .. "time of %s: %s (%s)"):format(near.text, near.formatted, near.date), { basis = "published", source = near.source })
    end
  else
    p.comparable, p.what = near, "what was measured is estimated for the time"
  end
end

--- The five steps.
function retrieval.steps(p, f)
  for _, name in ipairs({ "rate_per_s", "peak_ratio", "peak_per_s", "vectors", "dim", "bytes_per_value", "links", "ef", "slo_s", "percentile", "recall", "model", "device" }) do
    p:fact(f, name)
  end
  local search = index_of(f)
  if not search then
    p:contradict("recall", ("no index finds %s of the nearest"):format(n(f.recall, "frac")))
    p.headline = "no index finds that many"
    return
  end
  local encoded = encoders_of(f)
  if not encoded.replicas then
    if not encoded.answer.fits then return encoders.contradict_memory(p, encoded.answer.input.device) end
    p:contradict("slo", "the encoder alone takes longer than the SLO")
    p.headline = "the encoder alone takes longer than the SLO"
    return
  end
  size(p, f, encoded, search)
  local device = encoded.answer and catalog.device(f.device)
  if encoded.answer then
    local around = encoded.answer.range.per_s
    p:add("compute", "item_flop", "A query encoded", encoded.answer.out.item_flop, "FLOP", ("2 N L: %.0f tokens"):format(
      query_tokens(f)))
    p:add("compute", "per_s", "Queries of a device", encoded.per_s, "1/s", ("%s, best batch, bound by %s"):format(device.name,
      encoded.answer.out.bound), { basis = "estimated", low = encoded.per_s * around.low / encoded.answer.out.per_s,
        high = encoded.per_s * around.high / encoded.answer.out.per_s })
  end
  p:add("compute", "scanned", "Vectors compared", search.answer.out.scanned, "", ("a query, per shard, for a recall of %s"):format(
    n(search.answer.out.recall, "frac")), { basis = "estimated" })
  p:add("compute", "busy_per_s", "Queries of a server", search.answer.out.busy_per_s, "1/s",
    ("all threads busy, bound by %s"):format(search.answer.out.bound), { basis = "estimated",
      low = search.answer.out.busy_per_s * search.answer.out.time_s / search.answer.range.time_s.high,
      high = search.answer.out.busy_per_s * search.answer.out.time_s / search.answer.range.time_s.low })
  if encoded.answer then
    p:add("fleet", "encoders", "Encoder devices", encoded.replicas, "", ("%s at %s of capacity within the SLO, %.0f spare"):format(
      n(f.peak_per_s, "1/s"), n(f.utilization_frac, "frac"), f.spares), { terms = { f:term("peak_per_s"), p:term("per_s", -1) },
      counted = page.counted(encoded.replicas, encoded.needed), brief = true })
  end
  p:add("fleet", "servers", "Search servers", search.servers, "", ("%s x %.0f replicas, %.0f spare"):format(units.count(search.shards, "shard"),
    search.replicas, f.spares), { terms = { f:term("peak_per_s"), p:term("busy_per_s", -1) },
    counted = page.counted(search.servers, f.peak_per_s / search.answer.out.busy_per_s / f.utilization_frac, search.shards), brief = true })
  local budget = proposals.with_parts(p, f, PARTS, function(own) return budget_of(f, encoded, search, own) end)
  p:add("sanity", "latency_s", ("P%g of a query"):format(f.percentile), budget.value_s, "s",
    ("network, %ssearch, lookup as distributions; the SLO is %s; most to gain: %s"):format(encoded.answer and "encoder, " or "",
      n(f.slo_s, "s"), budget.dominant), { basis = "estimated", brief = true })
  if not budget.fits then
    p:contradict("slo", ("P%g is %s, and the SLO is %s"):format(f.percentile, n(budget.value_s, "s"), n(f.slo_s, "s")))
  end
  p.tables = budget
  local month = month_of(f, encoded, search)
  local searching = search.servers * f.server_usd_h * MONTH_H
  local devices = encoded.answer and ("%.0f x %s + "):format(encoded.replicas, n(f.usd_h, "USD/h")) or ""
  p:add("sanity", "cost_usd_month", "Cost a month", month, "USD", ("(%s%.0f x %s) x %.0f h; %s"):format(devices, search.servers,
    n(f.server_usd_h, "USD/h"), MONTH_H, f:entry("server_usd_h").why),
    { basis = "estimated", brief = true, terms = { page.share(month, searching, p:term("servers")),
      page.share(month, searching, f:term("server_usd_h")), page.share(month, month - searching, p:term("encoders")),
      f.usd_h and page.share(month, month - searching, f:term("usd_h")) } })
  p:keep_budget(month, f.budget_usd_month, "it costs %s a month")
  comparables(p, f, encoded, search, device)
  retrieval.levers(p, f, search, month)
  local held = f.memory and ("%s in memory; "):format(p:said("index_bytes")) or ""
  p.headline = held .. ("%s%.0f servers search; P%g %s; %s a month"):format(encoded.answer
    and ("%.0f x %s encode, "):format(encoded.replicas, device.name) or "", search.servers, f.percentile, n(budget.value_s, "s"),
    p:said("cost_usd_month"))
  p.main = "cost_usd_month"
end

-- What saves, each sized again.
function retrieval.levers(p, f, base, month)
  local function busy_of(of, search) return of.peak_per_s / (search.replicas * search.answer.out.busy_per_s) end
  local function pull(title, costs, changes)
    local changed = setmetatable(changes, { __index = f })
    local search = index_of(changed)
    local encoded = encoders_of(changed)
    if not search or not encoded.replicas then return end
    local cost = month_of(f, encoded, search)
    table.insert(p.levers, { title = title, cost_usd_month = cost, saves_frac = 1 - cost / month,
      costs = costs .. (cost == month and same.words({ count = search.servers, busy_frac = busy_of(f, base),
        own_busy_frac = busy_of(changed, search) }) or ""), busy_frac = busy_of(changed, search) })
  end
  pull("recall of 0.8", "what is not found: measure it", { recall = 0.8 })
  pull("vectors of half the values", "recall: train a narrower projection", { dim = f.dim // 2 })
  pull("half of the items", "what is left out", { vectors = f.vectors / 2 })
  pull("a cache that answers half of the queries", "stale answers", { peak_per_s = f.peak_per_s / 2 })
end

return retrieval

-- How answers of encode{}, recommend{} and vector_search{} become blocks of a result.
local show = {}

local function facts_list(name, title)
  local list = { name = name, title = title }
  return list, function(field, value, unit, words, range)
    list[#list + 1] = { name = field, value = value, unit = unit, title = words, range = range }
  end
end

local function columns(...)
  local list = {}
  for i, item in ipairs({ ... }) do list[i] = { name = item[1], title = item[2], unit = item[3] } end
  return list
end

local function parts_table(answer, parts)
  local rows = {}
  for _, part in ipairs(parts) do
    local value = answer.out[part[1]]
    if value and value > 0 then rows[#rows + 1] = { part[2], value, value / answer.out.time_s } end
  end
  return { name = "time", title = "Time of a call", rows = rows,
    columns = columns({ "part", "" }, { "seconds", "Time", "s" }, { "share", "Share", "frac" }) }
end

local ENCODE_PARTS <const> = { { "matmul_s", "matmuls" }, { "attention_s", "attention" },
  { "elementwise_s", "elementwise" }, { "host_s", "host, launches" }, { "input_s", "bringing inputs in" } }

local RECOMMEND_PARTS <const> = { { "lookup_s", "lookups" }, { "dense_s", "dense layers" },
  { "exchange_s", "exchange" }, { "host_s", "host, launches" }, { "input_s", "bringing inputs in" } }

-- Replicas that wait for no window work all the time from here on, long before their batches are full.
local ALWAYS <const> = 0.995

local function fleet_facts(result, answer)
  local load, fleet = answer.load, answer.fleet
  if fleet == nil then return end
  if not fleet then
    return result:warn(("no number of replicas keeps %.4g ms: a request alone takes longer"):format(
      1e3 * (load.sla_s or 0)))
  end
  local list, fact = facts_list("fleet", "Fleet for the load")
  fact("replicas_needed", fleet.needed, "", "Replicas that keep the promise")
  fact("replicas", fleet.replicas, "", "With spares")
  fact("max_batch", fleet.max_batch, "", "Largest batch")
  fact("mean_batch", fleet.batching.mean_batch, "", "Mean batch")
  fact("mean_s", fleet.batching.mean_s, "s", "Mean time of a request")
  fact("p99_s", fleet.batching.p99_s, "s", "P99 of a request")
  local used = load.rate_per_s / (fleet.needed * fleet.batching.capacity_per_s)
  fact("capacity_frac", used, "frac", "Load over what full batches can do")
  fact("utilization_frac", fleet.batching.utilization_frac, "frac", "Share of the time a batch is under way")
  if answer.price_usd_h then
    fact("cost_usd_h", fleet.replicas * answer.price_usd_h * (answer.input.devices or 1), "USD/h", "All replicas")
    if answer.price_assumed then result:assume("Price: " .. answer.price_assumed .. ".") end
  end
  result:facts(list)
  if fleet.batching.utilization_frac > ALWAYS and used < ALWAYS then
    result:note("A replica that waits for no window takes what has come as its next batch and is hardly ever idle; "
      .. "what it has left are larger batches.")
  end
  if not load.utilization_frac then result:assume("Replicas planned at 70 % of what they can do in full batches.") end
  result:assume("Requests come at random, evenly over replicas; times of requests are those of calls and of waiting "
    .. "for a batch, without network and preprocessing.")
end

local function said(result, answer)
  for _, text in ipairs(answer.assumed) do result:assume(text:sub(1, 1):upper() .. text:sub(2) .. ".") end
end

local function call_facts(fact, answer, what)
  local out = answer.out
  fact("time_s", out.time_s, "s", "Time of a call", answer.range.time_s)
  fact("per_s", out.per_s, "1/s", what .. " per second", answer.range.per_s)
  fact("bound", out.bound, "", "Bound by")
  fact("memory_bytes", out.memory_bytes, "B", "Memory")
  fact("fits", out.fits, "", "Fits")
end

local function encode_answer(result, answer)
  local out = answer.out
  local list, fact = facts_list("encode", ("%s on %s, batch %d"):format(answer.subject.name or "model",
    answer.input.device.name or "device", answer.input.batch))
  call_facts(fact, answer, "Texts or images")
  fact("item_flop", out.item_flop, "FLOP", "Arithmetic of one")
  if out.util_frac then fact("util_frac", out.util_frac, "frac", "Share of the dense peak") end
  if out.tokens then fact("tokens", out.tokens, "tok", "Tokens of one") end
  if (out.padding_frac or 0) > 0 then fact("padding_frac", out.padding_frac, "frac", "Computed for padding") end
  result:facts(list)
  result:table(parts_table(answer, ENCODE_PARTS))
  result:table({ name = "batches", title = "By batch", rows = answer.batches,
    columns = columns({ "batch", "Batch" }, { "time_s", "Time", "s" }, { "per_s", "Per second", "1/s" },
      { "bound", "Bound by" }) })
  fleet_facts(result, answer)
end

local function recommend_answer(result, answer)
  local out, model = answer.out, answer.input.model
  local list, fact = facts_list("recommend", ("%s on %d x %s"):format(model.name or "model", answer.input.devices,
    answer.input.device.name or "device"))
  call_facts(fact, answer, "Items")
  fact("requests_per_s", out.requests_per_s, "1/s", "Requests per second")
  fact("table_bytes", out.table_bytes, "B", "All tables")
  fact("devices_needed", out.devices_needed, "", "Devices that hold them")
  result:facts(list)
  result:table(parts_table(answer, RECOMMEND_PARTS))
  fleet_facts(result, answer)
  if not out.fits then result:warn("the tables do not fit: spread them over more devices, or store rows narrower") end
end

-- Indexes whose queries all go through all vectors.
local WHOLE <const> = { flat = true, pq = true }

-- A recall that no effort reaches, and what would.
local function warn_of_recall(result, answer)
  if not answer.recall_missed then return end
  local bytes, coded = answer.code_bytes_enough, answer.input.index == "pq" or answer.input.index == "ivf_pq"
  result:warn(("%.9g %% of the nearest were asked for, and the index finds %.9g %% at most by the law%s"):format(
    100 * answer.recall_asked, math.floor(1e6 * answer.recall_missed) / 1e4, bytes
    and (": give its codes more bytes, code_bytes = %d, or rank its findings again by the whole vectors"):format(bytes)
    or coded and ": rank its findings again by the whole vectors" or ""))
end

local function search_answer(result, answer)
  local out, input = answer.out, answer.input
  local list, fact = facts_list("vector_search", ("%s over vectors of %d values"):format(input.index or "flat",
    input.dim))
  fact("vectors", input.vectors, "", "Vectors")
  fact("time_s", out.time_s, "s", "Time of a call", answer.range.time_s)
  if out.probes > 0 then fact("probes", out.probes, "", "Lists a query looks into") end
  fact("per_s", out.per_s, "1/s", "Queries per second, one call after the other")
  fact("busy_per_s", out.busy_per_s, "1/s", "Queries per second, all threads busy")
  if answer.together then
    fact("together_per_s", answer.together.per_s, "1/s", ("The same, %d queries a call"):format(answer.together.batch))
  end
  fact("bound", out.bound, "", "Bound by")
  fact("recall", out.recall, "frac", "Nearest found first", answer.range.recall)
  fact("scanned", out.scanned, "", "Vectors compared with a query, per shard")
  fact("memory_bytes", out.memory_bytes, "B", "Memory of a shard")
  fact("shards_needed", out.shards_needed, "", "Shards that hold the index")
  fact("fits", out.fits, "", "Fits")
  if out.build_s > 0 then
    fact("build_s", out.build_s, "s", "Building a shard", answer.range.build_s)
  end
  if answer.load then
    fact("replicas", answer.load.replicas, "", "Replicas for the rate")
    fact("utilization_frac", answer.load.utilization_frac, "frac", "Utilisation at the rate")
  end
  result:facts(list)
  if answer.trade then
    result:table({ name = "trade", title = "Recall against time", rows = answer.trade.rows,
      columns = columns({ answer.trade.field, answer.trade.field == "ef" and "ef" or "Probes" },
        { "recall", "Recall", "frac" }, { "recall_low", "low", "frac" }, { "recall_high", "high", "frac" },
        { "time_s", "Time", "s" }, { "busy_per_s", "Per second, busy", "1/s" }) })
  end
  warn_of_recall(result, answer)
  if WHOLE[input.index or "flat"] then
    result:assume("Queries of one call share a pass over the vectors, every other call makes its own; vectors are in "
      .. "memory, not in caches.")
  end
  if input.index == "hnsw" then
    result:assume("Recall of graph indexes is an assumption for about a million vectors, whatever their number and "
      .. "width: of more, or of wider ones, less is found with the same ef; measure yours.")
  elseif out.recall < 1 then
    result:assume("Recall is that of the nearest vector at rank one, by a law fitted to two public sets of vectors; "
      .. "four sets in five lie within the range: measure yours.")
  end
end

local SHOWN <const> = { encode = encode_answer, recommend = recommend_answer, vector_search = search_answer }

--- Adds an answer of these procedures to a result.
function show.answer(result, answer)
  SHOWN[answer.kind](result, answer)
  said(result, answer)
  result:assume(answer.kind == "vector_search" and answer.input.index == "hnsw" and "Ranges: no times of graph indexes "
    .. "were at hand; within a factor of two for random reads that overlap more or less and threads that read at one "
    .. "time, of three for building, which locks."
    or "Ranges: four of five published measurements of this kind lie within.")
end

return show

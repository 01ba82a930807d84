-- A search among vectors in a report.
local measured = require("ballpark.questions.comparables.measured")
local parts = require("ballpark.questions.inference.show")
local ranges = require("ballpark.range")
local vector_search = require("ballpark.questions.vector_search.run")

local show = {}

-- Indexes whose queries all go through all vectors.
local WHOLE <const> = { flat = true, pq = true, binary = true }

local EFFORT <const> = { ef = "ef", probes = "Probes", rescored = "Ranked again" }

-- A recall that no effort reaches, and what would.
local function warn_of_recall(result, answer)
  if not answer.recall_missed then return end
  local bytes, coded = answer.code_bytes_enough, answer.input.index == "pq" or answer.input.index == "ivf_pq"
  result:warn(("%.9g %% of the nearest were asked for, and the index finds %.9g %% at most by the law%s"):format(
    100 * answer.recall_asked, math.floor(1e6 * answer.recall_missed) / 1e4, bytes
    and (": give its codes more bytes, code_bytes = %d, or rank its findings again by the whole vectors"):format(bytes)
    or coded and ": rank its findings again by the whole vectors" or ""))
end

--- Adds an answer of vector_search{} to a result.
function show.answer(result, answer)
  local out, input = answer.out, answer.input
  local list, fact = parts.facts_list("vector_search", ("%s over vectors of %d values"):format(input.index or "flat",
    input.dim))
  fact("vectors", input.vectors, "", "Vectors")
  fact("time_s", out.time_s, "s", "Time of a call", answer.range.time_s)
  if out.probes > 0 then fact("probes", out.probes, "", "Lists a query looks into") end
  fact("per_s", out.per_s, "1/s", "Queries per second, one call after the other", answer.range.per_s)
  fact("busy_per_s", out.busy_per_s, "1/s", "Queries per second, all threads busy", answer.range.busy_per_s)
  if answer.together then
    fact("together_per_s", answer.together.per_s, "1/s", ("The same, %d queries a call"):format(answer.together.batch),
      ranges.along(answer.range.busy_per_s, answer.together.per_s))
  end
  fact("bound", out.bound, "", "Bound by")
  fact("recall", out.recall, "frac", "Nearest found first", answer.range.recall)
  fact("scanned", out.scanned, "", "Vectors compared with a query, per shard")
  fact("memory_bytes", out.memory_bytes, "B", "Memory of a shard")
  if (input.segments or 1) > 1 then fact("merging_bytes", out.merging_bytes, "B", "While segments are merged") end
  fact("shards_needed", out.shards_needed, "", "Shards that hold the index")
  fact("fits", out.fits, "", "Fits")
  if out.build_s > 0 then
    fact("build_s", out.build_s, "s", "Building a shard", answer.range.build_s)
  end
  if answer.load then
    fact("replicas", answer.load.replicas, "", "Replicas for the rate")
    fact("utilization_frac", answer.load.utilization_frac, "frac", "Utilisation at the rate")
    if answer.price_usd_h then
      fact("cost_usd_h", answer.fleet.replicas * answer.price_usd_h * (input.shards or 1), "USD/h", "All replicas")
    end
  end
  if not result.numbers_only then
    local near = measured.nearest_search(vector_search.run, input)
    if near then measured.add(fact, near) end
  end
  result:facts(list)
  if answer.trade then
    result:table({ name = "trade", title = "Recall against time", rows = answer.trade.rows,
      columns = parts.columns({ answer.trade.field, EFFORT[answer.trade.field] },
        { "recall", "Recall", "frac" }, { "recall_low", "low", "frac" }, { "recall_high", "high", "frac" },
        { "time_s", "Time", "s" }, { "busy_per_s", "Per second, busy", "1/s" }) })
  end
  warn_of_recall(result, answer)
  if WHOLE[input.index or "flat"] then
    result:assume("Each thread takes a query of a call and reads what it needs; from 20 queries on, those to a flat index share a pass "
      .. "over the vectors. Every other call makes its own. Vectors are in memory, not in caches.")
  end
  if (input.rescored or 0) > 0 then
    result:assume("Candidates are ranked again by whole vectors on a drive, 32 reads at one time; what that finds is an "
      .. "assumption from codes of 64 bits.")
  end
  local graph = input.index == "hnsw" or input.index == "hnsw_pq"
  if graph then
    result:assume("Recall of graph indexes is an assumption for about a million vectors, whatever their number and "
      .. "width: of more, or of wider ones, less is found with the same ef; measure yours.")
  elseif out.recall < 1 then
    result:assume("Recall is that of the nearest vector at rank one, by a law fitted to two public sets of vectors; "
      .. "four sets in five lie within the range: measure yours.")
  end
  result:assume("The index alone, as a library calls it: a database adds its network, parsing, filters and locks, and answers fewer.")
  parts.said(result, answer)
  result:assume(graph and "Ranges: no times of graph indexes were at hand; within a factor of "
    .. "two for random reads that overlap more or less and threads that read at one time, of three for building, which "
    .. "locks."
    or input.index == "binary" and "Ranges: no times of binary codes were at hand; within a factor of two (assumption)."
    or parts.MEASURED_RANGES)
end

return show

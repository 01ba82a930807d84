-- Fits the coefficients of nearest-neighbour search to published times and recalls, and writes the catalog's table.
--
--   build/ballpark lua tools/fit/vector_search.lua PUBLISHED.csv
--
-- Beside the errors of the fit it prints those of every index under coefficients that never saw it; the range of
-- times is from these. Graphs (hnsw) are not in the data: their numbers stay assumptions.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local coefficient_fit = require("coefficient_fit")
local csv = require("ballpark.csv")
local inference = require("ballpark.validate.inference")
local inference_case = require("ballpark.validate.inference_case")
local search_case = require("ballpark.validate.search_case")
local tables = require("ballpark.tables")

local WIDTH <const> = 0.6 -- of the priors, in e-folds
local STEPS <const> = 12

-- Times. access_s: a read that misses every cache takes 90 ns on servers and half of it is hidden (assumption); on
-- a GPU thousands are under way at one time.
local priors = {
  cpu = { dense = 0.6, scan = 0.15, lookup_flop = 20, access_s = 6e-8, query_s = 5e-6, result_s = 2e-8, call_s = 1e-5 },
  gpu = { dense = 0.6, scan = 0.1, lookup_flop = 80, access_s = 5e-9, query_s = 2e-6, result_s = 7e-8, call_s = 1e-3 },
}

-- Recall. ef: hnswlib's curves for M 16 in ann-benchmarks on SIFT: 0.7 at ef 10, 0.98 at ef 100 (recalled).
local recall_prior = { probe = -0.05, probe_log2 = 0.34, code = -0.13, code_log2 = 0.56, code_log10 = -0.12 }
local RECALL_FIXED <const> = { ef = -1, ef_log2 = 0.46 }

-- Sets of vectors differ by more than two of them can show: about the distance of SIFT from GloVe at the same
-- effort in ann-benchmarks (recalled).
local SPREAD <const> = 0.5

local coefficients = {}
for _, kind in ipairs({ "cpu", "gpu" }) do
  for _, field in ipairs(tables.sorted_keys(priors[kind])) do
    coefficients[#coefficients + 1] = { kind = kind, field = field, start = priors[kind][field] }
  end
end

-- Shares of a peak end at 1.
local SHARE <const> = { dense = true, scan = true }

local function value(j, x)
  local c = coefficients[j]
  local moved = c.start * math.exp(WIDTH * x[j])
  return SHARE[c.field] and math.min(1, moved) or moved
end

local function times_of(cases)
  return function(x)
    local r = {}
    for i, case in ipairs(cases) do
      for j, c in ipairs(coefficients) do
        if c.kind == case.runtime then case.input.host[c.field] = value(j, x) end
      end
      r[i] = math.log(case.predict() / case.row.value)
    end
    return r
  end
end

local recall_fields = tables.sorted_keys(recall_prior)

-- What the law adds to: coefficients move by tenths.
local function recall_value(j, x) return recall_prior[recall_fields[j]] + 0.1 * x[j] end

local function recalls_of(cases)
  return function(x)
    local r = {}
    for i, case in ipairs(cases) do
      for j, field in ipairs(recall_fields) do case.input.law[field] = recall_value(j, x) end
      r[i] = math.log(case.predict_recall() / case.recall)
    end
    return r
  end
end

local function zeros(n)
  local x = {}
  for j = 1, n do x[j] = 0 end
  return x
end

local function index_name(case) return case.row.model end

local function errors_of(list)
  local s = coefficient_fit.figures(list)
  return { mean = s.mape, median = s.median_ape, rows = s.rows }
end

local function write(x, y, times, recalls)
  local fit = { recall = tables.with(RECALL_FIXED, { spread = SPREAD }), spread = coefficient_fit.spread(times),
    errors = { time = errors_of(times), recall = errors_of(recalls) } }
  for j, c in ipairs(coefficients) do
    fit[c.kind] = fit[c.kind] or {}
    fit[c.kind][c.field] = value(j, x)
  end
  for j, field in ipairs(recall_fields) do fit.recall[field] = recall_value(j, y) end
  coefficient_fit.write("fitted/vector_search", "-- Coefficients of nearest-neighbour search, written by "
    .. "tools/fit/vector_search.lua; do not edit.\n-- Fitted to published times and recalls of Faiss "
    .. "(facebookresearch/faiss@02dbb4e42f, benchs/README.md); access_s, ef\n-- and recall.spread are assumptions. "
    .. "errors: of every index predicted without it.", fit)
end

local function main(path)
  assert(path, "usage: vector_search.lua PUBLISHED.csv")
  local cases, found = {}, {}
  for _, row in ipairs((inference.read(csv.read(path), path))) do
    if search_case.is(row) then cases[#cases + 1] = inference_case.of(row) end
  end
  for _, case in ipairs(cases) do
    if case.recall then found[#found + 1] = case end
  end
  local times, recalls = times_of(cases), recalls_of(found)
  local x = coefficient_fit.fit(times, zeros(#coefficients), STEPS)
  local y = coefficient_fit.fit(recalls, zeros(#recall_fields), STEPS)
  coefficient_fit.print("fitted", "times", times(x))
  coefficient_fit.print("fitted", "recalls", recalls(y))
  local times_left = coefficient_fit.left_out(cases, index_name, times, x, STEPS)
  local recalls_left = coefficient_fit.left_out(found, index_name, recalls, y, STEPS)
  coefficient_fit.print("left out", "times", times_left)
  coefficient_fit.print("left out", "recalls", recalls_left)
  write(x, y, times_left, recalls_left)
end

main(arg[1])

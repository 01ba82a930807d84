-- vector_search{}: nearest neighbours from an index: latency, throughput, recall with its range, memory.
local core = require("ballpark.core")
local effort = require("ballpark.questions.inference.effort")
local errors = require("ballpark.errors")
local host_prices = require("ballpark.catalog.host_prices")
local prices = require("ballpark.catalog.prices")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.inference")
local search_hosts = require("ballpark.catalog.search_hosts")
local tables = require("ballpark.tables")

local vector_search = {}


local function host_of(value)
  if value == nil then
    return search_hosts.get("server-2024"), "host server-2024 (64 threads), no other was given"
  end
  if type(value) == "string" then return search_hosts.get(value), nil end
  if type(value) ~= "table" then errors.input("host", "must be a name or a table, got " .. type(value)) end
  return tables.with(search_hosts.get(value.name or "server-2024"), value), nil
end

-- The least effort for a recall that was asked for; false where none reaches it.
local function with_recall(answer, full, recall)
  local field = effort.field(full.index)
  if field and full[field] then errors.input("recall", ("and %s both say how hard to look: give one"):format(field)) end
  local found = effort.reaching(full, recall)
  if found.best then
    answer.recall_missed, answer.recall_asked = found.best, recall
    answer.code_bytes_enough = effort.codes_reaching(full, recall)
    return full
  end
  if found.field then
    answer.assumed[#answer.assumed + 1] = ("%s %d, the fewest that find %g %% by the law"):format(found.field,
      found.value, 100 * recall)
  end
  return tables.with(full, found.field and { [found.field] = found.value } or nil)
end

local function say_effort(answer, full)
  if effort.field(full.index) ~= "probes" or full.probes then return end
  answer.assumed[#answer.assumed + 1] = ("%d probes, the fewest whose lists hold the nearest vector 95 times in a "
    .. "hundred by the law; give probes or recall"):format(answer.out.probes)
end

-- Of an index that is read whole: queries per second where as many as there are threads come in one call.
local function together(full)
  local all = math.tointeger(full.host.threads * (full.replicas or 1))
  if effort.field(full.index) or (full.batch or 1) >= all then return nil end
  return { batch = all, per_s = core.vector_search(tables.with(full, { batch = all })).per_s }
end

-- USD per hour of a host: what is given, the catalog's of an accelerator, or that of a server.
local function price_of(answer, input)
  if input.price_usd_h then return input.price_usd_h end
  local usd_h, source = prices.get(type(input.host) == "string" and input.host or "")
  if not usd_h and input.host == nil then
    usd_h, source = host_prices.server_usd_h.value, host_prices.server_usd_h.source
  end
  if usd_h then answer.assumed[#answer.assumed + 1] = ("%.2f USD per host-hour (%s)"):format(usd_h, source) end
  return usd_h
end

-- The kinds of index that a parameter is of; others would leave it unused.
vector_search.OF_INDEX = { lists = { "ivf", "ivf_pq" }, probes = { "ivf", "ivf_pq" }, code_bytes = { "pq", "ivf_pq", "hnsw_pq" },
  rescored = { "pq", "ivf_pq", "hnsw_pq", "binary" }, hamming = { "pq" }, links = { "hnsw", "hnsw_pq" }, ef = { "hnsw", "hnsw_pq" }, ef_construction = { "hnsw", "hnsw_pq" },
  segments = { "hnsw", "hnsw_pq" } }
-- What each index has anyway.
local ANYWAY <const> = { segments = 1 }

local function check_of_index(input)
  local index = input.index or "flat"
  for _, name in ipairs(tables.sorted_keys(vector_search.OF_INDEX)) do
    local value, kinds = input[name], vector_search.OF_INDEX[name]
    if value and value ~= (ANYWAY[name] or 0) and not tables.contains(kinds, index) then
      errors.input(name, ("is of an index %s, and the index is %s"):format(table.concat(kinds, " or "), tostring(index)))
    end
  end
end

-- Numbers that the kernel does not see, or sees as real ones.
local function check_numbers(input)
  if type(input.vectors) == "number" then errors.whole("vectors", input.vectors) end
  for _, name in ipairs({ "price_usd_h", "utilization_frac" }) do
    if input[name] ~= nil then
      errors.number(name, input[name], 0)
      if not input.rate_per_s then errors.input(name, "is of a load: give rate_per_s") end
    end
  end
  if input.rate_per_s ~= nil then errors.positive("rate_per_s", input.rate_per_s) end
end

--- Answers a question about an index: { kind, out (of core.vector_search), range (of time_s, per_s, busy_per_s, recall
--- and build_s), trade, replicas, together, recall_missed (what is found at most, where `recall`, then recall_asked, is
--- more), code_bytes_enough (that would reach it, or nil), assumed }.
function vector_search.run(input)
  questions.check_known("vector_search", input)
  check_of_index(input)
  check_numbers(input)
  local host, said = host_of(input.host)
  local full = tables.with(input, { host = host, law = tables.with(search_hosts.law(), input.law or {}) })
  full.rate_per_s, full.utilization_frac, full.recall, full.price_usd_h = nil, nil, nil, nil
  local answer = { kind = "vector_search", asked = input, assumed = { said } }
  if input.recall then full = with_recall(answer, full, input.recall) end
  answer.input, answer.out, answer.trade = full, core.vector_search(full), effort.trade(full)
  answer.range = ranges.of_search(full.index, answer.out)
  say_effort(answer, full)
  answer.together = together(full)
  answer.fits = answer.out.fits and not answer.recall_missed
  if input.rate_per_s then
    local one = core.vector_search(tables.with(full, { replicas = 1 }))
    answer.load = core.replicas({ peak_per_s = input.rate_per_s, capacity_per_s = one.busy_per_s,
      utilization_frac = input.utilization_frac or 0.7 })
    if not input.utilization_frac then
      answer.assumed[#answer.assumed + 1] = "replicas planned at 70 % of what they can do"
    end
    answer.fleet, answer.price_usd_h = { replicas = answer.load.replicas }, price_of(answer, input)
  end
  return answer
end

return vector_search

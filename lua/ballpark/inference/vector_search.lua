-- vector_search{}: nearest neighbours from an index: latency, throughput, recall with its range, memory.
local core = require("ballpark.core")
local encode = require("ballpark.inference.encode")
local errors = require("ballpark.errors")
local search_hosts = require("ballpark.catalog.search_hosts")
local tables = require("ballpark.tables")

local vector_search = {}

local allowed = { "host", "law", "vectors", "dim", "bytes_per_value", "index", "lists", "probes", "code_bytes",
  "hamming", "links", "ef", "ef_construction", "results", "batch", "shards", "replicas", "build_threads", "rate_per_s",
  "utilization_frac" }

-- What a query may spend more on, and how often it is doubled in the table of the trade.
local EFFORT <const> = { ivf = "probes", ivf_pq = "probes", hnsw = "ef" }
local STEPS <const> = 8

local function host_of(value)
  if value == nil then
    return search_hosts.get("server-2024"), "host server-2024 (64 threads), no other was given"
  end
  if type(value) == "string" then return search_hosts.get(value), nil end
  if type(value) ~= "table" then errors.input("host", "must be a name or a table, got " .. type(value)) end
  return tables.with(search_hosts.get(value.name or "server-2024"), value), nil
end

local function trade(full)
  local field, list = EFFORT[full.index], {}
  if not field then return nil end
  local effort = field == "ef" and 16 or 1
  for _ = 1, STEPS do
    local ok, out = pcall(core.vector_search, tables.with(full, { [field] = effort }))
    if not ok then break end -- more probes than lists
    list[#list + 1] = { effort, out.recall, out.recall_low, out.recall_high, out.time_s, out.busy_per_s }
    effort = 2 * effort
  end
  return { field = field, rows = list }
end

--- Answers a question about an index: { kind, out (of core.vector_search), low, high, trade, replicas, assumed }.
function vector_search.run(input)
  encode.check_fields("vector_search", input, allowed)
  local host, said = host_of(input.host)
  local law, spread = search_hosts.law()
  local full = tables.with(input, { host = host, law = tables.with(law, input.law or {}) })
  full.rate_per_s, full.utilization_frac = nil, nil
  local answer = { kind = "vector_search", input = full, out = core.vector_search(full), low = spread[1],
    high = spread[2], assumed = { said }, trade = trade(full) }
  answer.fits = answer.out.fits
  if input.rate_per_s then
    local one = core.vector_search(tables.with(full, { replicas = 1 }))
    answer.load = core.replicas({ peak_per_s = input.rate_per_s, capacity_per_s = one.busy_per_s,
      utilization_frac = input.utilization_frac or 0.7 })
    if not input.utilization_frac then
      answer.assumed[#answer.assumed + 1] = "replicas planned at 70 % of what they can do"
    end
  end
  return answer
end

return vector_search

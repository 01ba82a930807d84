-- A row about a nearest-neighbour index as a question: the index by its Faiss name, the set by its notes.
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local search_hosts = require("ballpark.catalog.search_hosts")
local tables = require("ballpark.tables")

local search_case = {}

-- What the benchmark programs of facebookresearch/faiss@02dbb4e42f (benchs) build where a name does not say:
-- bench_gpu_sift1m.py and bench_polysemous_sift1m.py (recalled).
local GPU_PQ_BYTES <const>, CPU_PQ_BYTES <const> = 64, 16

--- Whether a row names an index.
function search_case.is(row) return (row.model or ""):lower():find("^faiss") ~= nil end

-- { index, lists, code_bytes, hamming } of a name such as faiss-OPQ20_80,IVF262144,PQ20.
local function index_of(name)
  local text = name:lower()
  local lists = tonumber(text:match("ivf(%d+)"))
  local bytes = tonumber(text:match("[,%-]pq(%d+)"))
  local hamming = tonumber(text:match("polysemous%-(%d+)"))
  if lists then
    local coded = bytes or text:find("pq", 1, true)
    return { index = coded and "ivf_pq" or "ivf", lists = lists, code_bytes = coded and (bytes or GPU_PQ_BYTES) or nil }
  end
  if hamming or text:find("pq", 1, true) then
    return { index = "pq", code_bytes = bytes or CPU_PQ_BYTES, hamming = hamming }
  end
  if text:find("hnsw", 1, true) then return { index = "hnsw", links = tonumber(text:match("hnsw(%d+)")) } end
  if text:find("flat", 1, true) then return { index = "flat" } end
  errors.input("model", "'" .. name .. "' is not an index that is known")
end

local function count(text) return text and math.tointeger(csv.number(text)) end

--- The case of a row, see inference_case.of.
function search_case.of(row)
  local said, notes = row.said, row.notes or ""
  local vectors, dim = csv.number(said.N), count(said.d)
  if not (vectors and dim) then errors.input("notes", "N and d, the number and width of vectors, are not there") end
  -- The published figures of servers are of that time; one thread unless queries come together.
  local host, host_kind = search_hosts.get(row.gpu == "CPU" and "server-2016" or row.gpu)
  local input = tables.with(index_of(row.model), { host = host, law = search_hosts.law(), vectors = vectors, dim = dim,
    probes = count(said.nprobe), ef = count(said.ef), results = count(said.k) or 1,
    batch = row.batch_or_concurrency or 1, replicas = count(notes:match("%f[%d](%d+) replicas")),
    shards = count(notes:match("%f[%d](%d+) shards")) })
  local case = { kind = "search", runtime = host_kind, input = input, assumed = {}, recall = tonumber(said["R@1"]) }
  function case.predict() return 1e3 * core.vector_search(input).time_s end
  function case.predict_recall() return core.vector_search(input).recall end
  return case
end

return search_case

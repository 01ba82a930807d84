-- What a query of a vector index may spend more on, what it finds for that, and the least that reaches a recall.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local halves = require("ballpark.halves")
local tables = require("ballpark.tables")

local effort = {}

-- The field, where its doubling starts in the table of the trade, and the most that is looked at.
local FIELDS <const> = { ivf = { "probes", 1, 1 << 24 }, ivf_pq = { "probes", 1, 1 << 24 },
  hnsw = { "ef", 16, 1 << 20 }, hnsw_pq = { "ef", 16, 1 << 20 }, binary = { "rescored", 8, 1000000 } }
local STEPS <const> = 8

--- The field of an index that trades time for recall; nil where it has none.
function effort.field(index) return FIELDS[index] and FIELDS[index][1] end

-- The answer at an effort, or nil: more probes than lists.
local function at(full, field, value)
  local ok, out = errors.attempt(core.vector_search, tables.with(full, { [field] = value }))
  return ok and out or nil
end

--- Recall, its range and time by effort, doubled from row to row: { field, rows }; nil where the index has none.
function effort.trade(full)
  local about, list = FIELDS[full.index], {}
  if not about then return nil end
  local field, value = about[1], about[2]
  for _ = 1, STEPS do
    local out = at(full, field, value)
    if not out then break end
    list[#list + 1] = { value, out.recall, out.recall_low, out.recall_high, out.time_s, out.busy_per_s }
    value = 2 * value
  end
  return { field = field, rows = list }
end

local function check(recall)
  if type(recall) ~= "number" or not (recall > 0 and recall < 1) then
    errors.input("recall", "must be above 0 and below 1, got " .. tostring(recall))
  end
end

--- The least effort that finds `recall` of the nearest vectors: { field, value }; or { best = what can be found at
--- most }, where codes leave less or the index has no effort to spend.
function effort.reaching(full, recall)
  check(recall)
  local about = FIELDS[full.index]
  if not about then
    local out = core.vector_search(full)
    return out.recall >= recall and {} or { best = out.recall }
  end
  local field, low, high, best = about[1], 0, 1, 0
  while high <= about[3] do
    local out = at(full, field, high)
    if not out then break end
    best = out.recall
    if best >= recall then break end
    low, high = high, 2 * high
  end
  if best < recall then return { best = best } end
  local function reaches(value) return at(full, field, value).recall >= recall end
  return { field = field, value = halves.smallest(low, high, reaches) }
end

-- Indexes of codes, and the most bytes of a code for each value of a vector that are tried: 8 bits are nearly whole.
local CODED <const> = { pq = true, ivf_pq = true }
local MOST_BYTES <const> = 1

--- Bytes of a code, doubled from those there are, with which an index reaches a recall that it misses; nil where it
--- has no codes, or where they do not do it.
function effort.codes_reaching(full, recall)
  if not CODED[full.index] then return nil end
  local bytes = 2 * math.max(1, (full.code_bytes or 0) > 0 and full.code_bytes or full.dim // 4)
  while bytes <= MOST_BYTES * full.dim do
    if not effort.reaching(tables.with(full, { code_bytes = bytes }), recall).best then return bytes end
    bytes = 2 * bytes
  end
end

return effort

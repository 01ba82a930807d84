-- The nearest published throughput to a fleet's, to see whether the answer is of the right order.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local published = require("ballpark.catalog.served_published")

local comparable = {}

-- Logarithms of sizes, lengths and bandwidths together: beyond that a row says nothing of the answer.
local FARTHEST <const> = math.log(4)
-- A ratio beyond which one of the two is taken to be wrong: an order of magnitude.
comparable.suspect = 10

local function active(model) return core.params({ model = model }).active_params end

local function apart(a, b) return math.abs(math.log(a / b)) end

--- The published row nearest to a group of replicas of a fleet: { text, tok_s_device, own_tok_s_device, ratio = own
--- over published, per device at capacity }, or nil where none is near.
function comparable.of(group)
  local candidate = group.candidate
  local load, best = candidate.ask.load, nil
  local input, output = load.input_tokens or 1024, load.output_tokens or 1024
  local own = group.steady.capacity_per_s * output / candidate.ranks
  local size, device = active(candidate.ask.model), candidate.pool.device
  for _, row in ipairs(published.rows) do
    local other = catalog.device(row[2])
    local distance = apart(active(catalog.model(row[1])), size) + apart(other.mem_bw_bytes_s, device.mem_bw_bytes_s)
      + apart(row[5], input) + apart(row[6], output)
    if distance < (best and best.distance or FARTHEST) then best = { distance = distance, row = row } end
  end
  if not best then return nil end
  local row = best.row
  local theirs = row[7] / row[3]
  return { text = ("%s %s on %d x %s, %d in and %d out"):format(row[1], row[4], row[3], row[2], row[5], row[6]),
    source = published.source, tok_s_device = theirs, own_tok_s_device = own, ratio = own / theirs }
end

return comparable

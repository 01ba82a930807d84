-- Published throughput of encoders, image networks and recommendation models beside an answer's: by the share of the
-- peak, so that models and devices of different size compare; by lookups over bandwidth of recommendation models.
local best = require("ballpark.search.best")
local catalog = require("ballpark.catalog")
local ratio = require("ballpark.questions.comparables.ratio")
local recommenders = require("ballpark.catalog.recommenders")
local rows = require("ballpark.catalog.published_calls")
local runtimes = require("ballpark.catalog.runtimes")
local subject = require("ballpark.questions.inference.subject")
local units = require("ballpark.units")

local calls = {}

-- Logarithms of the work of an item and of a device's speed together: beyond that a row says nothing.
local FARTHEST <const> = math.log(40)

local function item_flop(row)
  return subject.forward(subject.of(row.model), { device = catalog.device(row.device), runtime = runtimes.get("tensorrt"),
    dtype = "fp16", batch = 1, tokens = row.tokens }).item_flop
end

-- The work of one item: FLOP, or bytes looked up of a recommendation model, for one request.
local function work_of(row)
  if row.kind ~= "recommendation" then return item_flop(row) end
  local model = recommenders.get(row.model)
  return model.lookups * (model.items or 1)
end

local function speed(kind, device) return kind == "recommendation" and device.mem_bw_bytes_s or device.bf16_flop_s end

local function as_comparable(row, own, own_work)
  local theirs = row.per_s / row.devices * work_of(row) / speed(row.kind, catalog.device(row.device))
  return { text = ("%s on %d x %s, %s"):format(row.model, row.devices, row.device,
    units.format(row.per_s, "1/s")), source = row.source,
    date = row.date, ratio = own.per_s_device * own_work / speed(row.kind, own.device) / theirs }
end

local function nearest(own, own_work)
  local row, far = best.nearest(rows, function(row)
    if row.kind ~= own.spread then return math.huge end
    return ratio.apart(work_of(row), own_work) + ratio.apart(speed(row.kind, catalog.device(row.device)), speed(row.kind,
      own.device))
  end)
  if far >= FARTHEST then return nil end
  return as_comparable(row, own, own_work)
end

--- The published row nearest to a call: { text, source, date, ratio = share of the peak (of the bandwidth, of recommendation), own over
--- published }.
---@param own table spread (encoder, vision, convnet), item_flop, device, per_s_device
function calls.nearest(own) return nearest(own, own.item_flop) end

--- The same of a recommendation model: model, device, requests per second of a device.
function calls.nearest_recommender(own)
  own.spread = "recommendation"
  return nearest(own, own.model.lookups * (own.model.items or 1))
end

--- The largest rate of an answer of encode{} over its batch and those it lists, which fit: { batch, per_s }; that of its batch
--- where none fits.
function calls.best_of(answer)
  local found = (answer.out.fits or not answer.batches[1]) and { batch = answer.input.batch, per_s = answer.out.per_s } or nil
  for _, row in ipairs(answer.batches) do
    if not found or row[3] > found.per_s then found = { batch = row[1], per_s = row[3] } end
  end
  return found
end

return calls

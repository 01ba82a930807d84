-- Published fine-tuning beside an answer's: the nearest of the same method by size, device, length and number of devices.
local best = require("ballpark.search.best")
local catalog = require("ballpark.catalog")
local ratio = require("ballpark.questions.comparables.ratio")
local rows = require("ballpark.catalog.published_finetunes")
local units = require("ballpark.units")

local finetunes = {}

-- Tokens of a sequence where none are published.
local USUAL_TOKENS <const> = 2048
-- Logarithms of model sizes, peaks and lengths together: beyond that a run says nothing of another.
local FARTHEST <const> = math.log(20)
-- A cluster of another size matters less than another model.
local DEVICES_WEIGHT <const> = 0.2

local function distance(own, row)
  if row.method ~= own.method then return math.huge end
  return ratio.apart(row.params, own.params) + ratio.apart(catalog.device(row.device).bf16_flop_s, own.peak_flop_s)
    + ratio.apart(row.seq_len or USUAL_TOKENS, own.seq_len) + DEVICES_WEIGHT * ratio.apart(row.devices, own.devices)
end

-- Parameters that tokens pass per second, over the peak: what models and devices of different size compare by.
local function share(params, tok_s_device, peak_flop_s) return params * tok_s_device / peak_flop_s end

--- The published run nearest to a fine-tuning: { text, source, date, ratio = own share of the peak over the published one };
--- nil where none of its method is near.
---@param own table method (full, lora, qlora), params, devices, seq_len (tokens of a
--- sequence), peak_flop_s (dense bf16 of a device), tok_s_device
function finetunes.nearest(own)
  local row, far = best.nearest(rows, function(row) return distance(own, row) end)
  if far >= FARTHEST then return nil end
  local each = row.tok_s / row.devices
  return { text = ("%s, %s on %d x %s, %s a device"):format(row.name, row.method, row.devices, row.device,
    units.format(each, "tok/s")), source = row.source, date = row.date,
    ratio = share(own.params, own.tok_s_device, own.peak_flop_s)
      / share(row.params, each, catalog.device(row.device).bf16_flop_s) }
end

return finetunes

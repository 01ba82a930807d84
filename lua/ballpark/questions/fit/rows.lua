-- What a setup needs of a device, by the kernel of the software that runs it:
--   device, devices, format, kv, software
--   need_bytes, usable_bytes, fits_chance, parts   of one device; parts are { words, bytes, beside = with the host }
--   max_context_tok, max_batch                     that fit with a chance of nine in ten, each with the other as asked
--   kv_tokens                                      of inference: tokens of the cache, the rest of the memory given to it
--   need_range                                     of training: the range of need_bytes
--   sequence_bytes                                 of inference: what a sequence keeps, on all devices together
--   usd_h, card_usd                                rent of all devices and price of all cards, nil where none is known
--   assumed                                        sentences without a full stop
local card_prices = require("ballpark.catalog.card_prices")
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local resolve = require("ballpark.resolve.fit")

local rows = {}

local WAYS <const> = { serving = "held.serving", ["local"] = "fit.local_machine", training = "fit.training", call = "fit.call" }

local function module_of(setup) return require("ballpark.questions." .. WAYS[resolve.way(setup)]) end

--- The row of a setup.
---@param setup table of resolve/fit.lua, with its device
function rows.of(setup)
  local row, card = module_of(setup).row(setup), card_prices.get(setup.device.name)
  row.device, row.devices, row.setup = setup.device, setup.devices, setup
  row.card_usd = card and card * setup.devices
  row.fits = row.fits_chance >= 0.5
  row.sure = row.fits_chance >= fits.SURE
  return row
end

--- The same, or nil and why not where the core or an engine refuses it.
---@return table|nil row
---@return string|nil reason
function rows.try(setup)
  local row, refused = errors.try(rows.of, setup)
  return row, refused and tostring(refused)
end

--- Fills in what takes longer: the largest batch, and the longest sequence of training.
function rows.complete(row)
  local module = module_of(row.setup)
  if row.max_batch == nil and module.complete then module.complete(row) end
end

-- Unknown prices come behind all known ones.
local function price(value) return value or math.huge end

--- Whether one row is offered before another: what surely fits by rent, by the price of the card, by memory; then what
--- comes nearest to fitting.
function rows.before(a, b)
  if a.sure ~= b.sure then return a.sure end
  if a.sure then
    if price(a.usd_h) ~= price(b.usd_h) then return price(a.usd_h) < price(b.usd_h) end
    if price(a.card_usd) ~= price(b.card_usd) then return price(a.card_usd) < price(b.card_usd) end
    if a.device.memory_bytes ~= b.device.memory_bytes then return a.device.memory_bytes < b.device.memory_bytes end
  else
    local left, right = a.need_bytes / a.usable_bytes, b.need_bytes / b.usable_bytes
    if left ~= right then return left < right end
  end
  return a.device.name < b.device.name
end

return rows

-- A model and a size that are said together have to agree.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local decoder_of_size = require("ballpark.resolve.decoder_of_size")
local errors = require("ballpark.errors")
local models = require("ballpark.catalog.models")
local units = require("ballpark.units")

local same_size = {}

-- Parameters as said over those of the model that is named beside them, at most, and at least one over it.
local SAME <const> = 1.3

local function compare(path, name, counted, said, what)
  local ratio = said and said / counted or 1
  if ratio > SAME or ratio < 1 / SAME then
    errors.input(path, ("%s has %s %s, and %s are said: give one"):format(name, units.format(counted, ""), what, units.format(said, "")))
  end
end

--- Refuses more parameters that a token meets than there are in all, and parameters of either kind that are far from those
--- of the model of the catalog beside them.
---@param path string of the question
---@param said table model, params, active_params
function same_size.check(path, said)
  if said.params and said.active_params then
    decoder_of_size.check_active(path, said.params, said.active_params, ": are they swapped, all and active?")
  end
  local name = said.model and (said.params or said.active_params) and models.resolve(said.model)
  if not name then return end
  local count = core.params({ model = catalog.model(name) })
  compare(path, name, count.total_params, said.params, "parameters")
  compare(path, name, count.active_params, said.active_params, "active parameters")
end

return same_size

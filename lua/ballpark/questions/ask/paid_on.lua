-- On what terms the devices of a question are paid where that is not on demand: its price is one on these terms, so that what is
-- beside it is compared on the same, or from the price on demand.
local page = require("ballpark.questions.ask.page")
local price_terms = require("ballpark.catalog.price_terms")
local units = require("ballpark.units")

local n = page.n

local paid_on = {}

paid_on.fact = { "paid_on", "On what terms are devices paid: reserved, reserved_3y or spot?", type = "string", title = "Terms" }

--- Share of the price on demand that a price of the question is.
---@param f table facts
function paid_on.frac(f) return f.paid_on and price_terms.get(f.paid_on, "paid_on").frac or 1 end

--- Share of a sum of the question that it is on other terms.
---@param f table facts
---@param name string of catalog/price_terms.lua
function paid_on.instead(f, name) return price_terms.get(name, "paid_on").frac / paid_on.frac(f) end

--- Whether the question's devices are committed already.
function paid_on.is_committed(f) return f.paid_on ~= nil and price_terms.get(f.paid_on, "paid_on").years ~= nil end

--- What is owed for devices that are committed and in use for a time, and whether on demand is cheaper.
---@param name string of a term that commits
---@param time_s number
---@param usd number what they cost on demand for that time
function paid_on.owed(name, time_s, usd)
  local row, frac, terms = price_terms.get(name, "paid_on"), price_terms.committed(name, time_s)
  local owed_s = units.years(terms * row.years)
  local of_time = owed_s > time_s and (" owed for %s, used or not"):format(n(owed_s, "s")) or ""
  return ("%s: %s%s%s"):format(row.words, n(usd * frac, "USD"), of_time, frac >= 1 and ", so on demand is cheaper" or "")
end

return paid_on

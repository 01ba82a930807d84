-- What a device-hour costs on other terms than on demand, as a share of that price, and how many of such
-- devices may be taken away at one time. Assumptions: about what the price pages of large clouds showed for
-- accelerators in 2025, from memory; a price of your own contract is better.
local errors = require("ballpark.errors")
local units = require("ballpark.units")

local price_terms = {}

local terms = {
  on_demand = { frac = 1, loss_frac = 0 },
  reserved = { frac = 0.65, loss_frac = 0, years = 1, words = "committed for a year" },
  reserved_3y = { frac = 0.45, loss_frac = 0, years = 3, words = "committed for three years" },
  spot = { frac = 0.4, loss_frac = 0.2, words = "a fifth of them may be taken away at one time" },
}

--- Names of all terms, sorted.
function price_terms.names() return { "on_demand", "reserved", "reserved_3y", "spot" } end

--- { frac, loss_frac, words } of a term; unknown names are an error at `path`.
function price_terms.get(name, path)
  return terms[name] or errors.choice(path, tostring(name), price_terms.names())
end

--- What devices cost that are committed and in use for a time, over what they cost on demand for it. A commitment is owed for
--- its whole term; what is left of the time behind one is on demand where that is less than a further term.
---@param name string of a term that commits
---@param time_s number
---@return number frac above 1 where on demand is cheaper
---@return integer terms that are owed
function price_terms.committed(name, time_s)
  local term = price_terms.get(name, "terms")
  local length = time_s / units.years(term.years)
  local whole = math.max(1, math.floor(length))
  local rest = math.max(0, length - whole)
  if rest > term.frac then whole, rest = whole + 1, 0 end
  return (whole * term.frac + rest) / length, whole
end

return price_terms

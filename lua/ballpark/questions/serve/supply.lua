-- What a fleet can be made of: kinds of devices on the terms they are paid by, each with its networks.
local card_prices = require("ballpark.catalog.card_prices")
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local price_terms = require("ballpark.catalog.price_terms")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")

local supply = {}

-- Clusters of one device by their size, so that each replica has the network of its own devices.
local function networks(spec)
  local sizes = {}
  return function(count)
    if not sizes[count] then sizes[count] = catalog.cluster(tables.with(spec, { devices = count })).network end
    return sizes[count]
  end
end

-- What a price on some terms is said to be; nothing of a stated price of its own term.
local function words_of(cluster, name, term, paid)
  if name == paid then return cluster.price_assumed end
  return ("%s, %.0f %% of it as %s (%s)"):format(cluster.price_assumed or "the price " .. paid:gsub("_", " "),
    100 * term.frac / price_terms.get(paid, "terms").frac, name:gsub("_", " "), term.words or "not committed")
end

-- The term that a price is of: one of the catalog is on demand; a stated one is of the only term that is asked about, of several
-- of devices on demand where these are among them, else of the first.
local function paid_on(spec, terms)
  if type(spec.price) ~= "number" then return "on_demand" end
  return tables.contains(terms, "on_demand") and "on_demand" or terms[1]
end

local function pool_of(path, spec, name, gpus, named, paid)
  local term = price_terms.get(name, named)
  local all = catalog.cluster(tables.with(spec, { devices = gpus }))
  if not all.usd_h then all.usd_h, all.price_assumed = card_prices.of_hour(all.device.name) end
  if not all.usd_h then
    errors.input(path, "has no price in the catalog: give { device = …, price = … } in USD/h")
  end
  local curves, origin = serving_curves.get(all.device)
  return { device = all.device, term = name, usd_h = all.usd_h * (term.frac / price_terms.get(paid, "terms").frac),
    loss_frac = term.loss_frac, assumed = words_of(all, name, term, paid), curves = curves, origin = origin, network = networks(spec),
    between_nodes_bytes_s = catalog.between_nodes_bytes_s(all) }
end

-- A device by name, as a table, or as the spec of a cluster with a `term` of its own.
local function add(pools, i, given, terms, gpus)
  local spec = type(given) == "table" and given.device and tables.with(given, {}) or { device = given }
  local own, path = spec.term, ("devices[%d]"):format(i)
  spec.term = nil
  terms = own and { own } or terms
  local paid = paid_on(spec, terms)
  for _, term in ipairs(terms) do
    pools[#pools + 1] = pool_of(path, spec, term, gpus, own and path .. ".term" or "terms", paid)
  end
end

--- Pools of devices, each of one kind on one of the terms: { device, term, usd_h, loss_frac, assumed, curves,
--- origin, network(count), between_nodes_bytes_s }.
function supply.pools(devices, terms, gpus)
  if type(devices) == "string" or (type(devices) == "table" and devices.device) then devices = { devices } end
  if type(devices) ~= "table" or #devices == 0 then errors.input("devices", "must list devices") end
  if type(terms) == "string" then terms = { terms } end
  local pools = {}
  for i, given in ipairs(devices) do add(pools, i, given, terms or { "on_demand" }, gpus) end
  return pools
end

return supply

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

-- What a device can send to one of another node: bytes per second and direction.
local function between_nodes(device, network)
  return network(2 * (device.node_size or 8)).scaleout.bw_bytes_s
end

-- A price that was given is the price of its term; one of the catalog is on demand.
local function price_of(cluster, term, given)
  if given then return cluster.usd_h end
  return cluster.usd_h * term.frac
end

local function words_of(cluster, name, term, given)
  if given then return nil end
  if term.frac == 1 then return cluster.price_assumed end
  return ("%s, %.0f %% of it as %s (%s)"):format(cluster.price_assumed or "the price on demand", 100 * term.frac,
    name:gsub("_", " "), term.words)
end

local function pool_of(path, spec, name, gpus, named)
  local term = price_terms.get(name, named)
  local all = catalog.cluster(tables.with(spec, { devices = gpus }))
  if not all.usd_h then all.usd_h, all.price_assumed = card_prices.of_hour(all.device.name) end
  if not all.usd_h then
    errors.input(path, "has no price in the catalog: give { device = …, price = … } in USD/h")
  end
  local curves, origin = serving_curves.get(all.device)
  local network = networks(spec)
  local given = type(spec.price) == "number"
  return { device = all.device, term = name, usd_h = price_of(all, term, given), loss_frac = term.loss_frac,
    assumed = words_of(all, name, term, given), curves = curves, origin = origin, network = network,
    nic_bytes_s = between_nodes(all.device, network) }
end

-- A device by name, as a table, or as the spec of a cluster with a `term` of its own.
local function add(pools, i, given, terms, gpus)
  local spec = type(given) == "table" and given.device and tables.with(given, {}) or { device = given }
  local own = spec.term
  spec.term = nil
  for _, term in ipairs(own and { own } or terms) do
    local path = ("devices[%d]"):format(i)
    pools[#pools + 1] = pool_of(path, spec, term, gpus, own and path .. ".term" or "terms")
  end
end

--- Pools of devices, each of one kind on one of the terms: { device, term, usd_h, loss_frac, assumed, curves,
--- origin, network(count), nic_bytes_s }.
function supply.pools(devices, terms, gpus)
  if type(devices) == "string" or (type(devices) == "table" and devices.device) then devices = { devices } end
  if type(devices) ~= "table" or #devices == 0 then errors.input("devices", "must list devices") end
  if type(terms) == "string" then terms = { terms } end
  local pools = {}
  for i, given in ipairs(devices) do add(pools, i, given, terms or { "on_demand" }, gpus) end
  return pools
end

return supply

-- The catalog as one door: devices, models, prices, clusters and profiles, each number with source.
local errors = require("ballpark.errors")

local catalog = {}

local function part(name) return require("ballpark.catalog." .. name) end

--- Fields of a device; unknown names are an error with the nearest.
function catalog.device(name) return part("devices").get(name) end

--- Shape of a model.
function catalog.model(name) return part("models").get(name) end

--- USD per device-hour and its source; without provider the median over providers.
function catalog.price(device, provider)
  if type(device) ~= "string" then
    errors.input("price", "takes the name of a device, got " .. type(device))
  end
  if provider ~= nil and type(provider) ~= "string" then
    errors.input("price", "takes the name of a provider behind the device, got " .. type(provider))
  end
  local name = part("devices").resolve(device)
  if not name and part("device_of_memory").said(device) then return nil end
  if not name then errors.unknown("price", device, part("devices").names(), "device") end
  return part("prices").get(name, provider)
end

--- The same of a described device; nil where the catalog has none of its name.
---@param device table
function catalog.price_of(device)
  local name = device.name and part("devices").resolve(device.name)
  if not name then return nil end
  return part("prices").get(name)
end

--- Device, network and price of { device =, devices = or nodes =, ... } or of a named system.
function catalog.cluster(spec, changes)
  local clusters = part("clusters")
  if type(spec) == "string" then return clusters.get(spec, changes) end
  return clusters.make(spec)
end

--- A cluster with another number of devices.
function catalog.resized(cluster, devices) return part("clusters").resized(cluster, devices) end

--- What a device of a cluster can send to one of another node: see clusters.between_nodes_bytes_s.
function catalog.between_nodes_bytes_s(cluster) return part("clusters").between_nodes_bytes_s(cluster) end

--- Coefficients of a class of software.
function catalog.profile(name) return part("profiles").named(name) end

--- An image network: input of core.convnet_forward.
function catalog.network(name) return part("networks").get(name) end

--- A model that draws images: its denoiser, and the text encoders it reads the prompt with.
function catalog.diffusion(name) return part("diffusion").get(name) end

--- A recommendation model: its tables, lookups and dense layers.
function catalog.recommender(name) return part("recommenders").get(name) end

--- What runs encoders and image networks, with its coefficients.
function catalog.runtime(name) return part("runtimes").get(name) end

--- What searches vectors: cores, memory and rates of a host or a device.
function catalog.search_host(name) return (part("search_hosts").get(name)) end

--- A published system that answers are set beside.
function catalog.comparable(name) return part("comparables").get(name) end

--- Kinds of entries, as `ballpark catalog` names them.
catalog.kinds = { "devices", "models", "prices", "clusters", "profiles", "networks", "diffusion",
  "recommenders", "runtimes", "search_hosts", "comparables" }

--- Names of the entries of a kind, sorted; prices are listed by device.
function catalog.list(kind)
  if kind == "prices" then
    local names = {}
    for _, name in ipairs(part("devices").names()) do
      if #part("prices").all(name) > 0 then names[#names + 1] = name end
    end
    return names
  end
  for _, known in ipairs(catalog.kinds) do
    if known == kind then return part(kind).names() end
  end
  errors.choice("catalog", kind, catalog.kinds)
end

return catalog

-- ballpark catalog: what is known by name, each number with source and date.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local index = require("ballpark.cli.index")
local options = require("ballpark.cli.options")
local profiles = require("ballpark.catalog.profiles")
local result = require("ballpark.result")

local command = {
  summary = "List or show devices, models, prices, clusters and other entries of the catalog",
  examples = {
    "ballpark catalog",
    "ballpark catalog devices",
    "ballpark catalog devices H100",
    "ballpark catalog models -f csv",
  },
}

function command.define(parser)
  parser:argument("kind", "devices, models, prices, clusters, profiles, networks (of images), diffusion, recommenders, "
    .. "runtimes (of inference), search_hosts or comparables. Default: how many of each.")
    :args("?")
  parser:argument("name", "One entry, with every field; of models also a config.json or its folder. Default: all, in short."):args("?")
  parser:flag("--confined", "Read files below the working directory only, and write none.")
  options.define_output(parser)
end

-- A model of the catalog, or that of a config.json: the file, or the folder that has it.
local function model_of(name)
  local is_file = name:find("%.json$")
  local path = is_file and name or files.beside(name:match("^(.-)/*$"), "config.json")
  if is_file or files.exists(path) then return (require("ballpark.hf").read(path)) end
  return catalog.model(name)
end

local getters = {
  devices = catalog.device, models = model_of, profiles = profiles.get,
  clusters = function(name) return catalog.cluster(name) end,
  networks = catalog.network, diffusion = catalog.diffusion, recommenders = catalog.recommender, runtimes = catalog.runtime,
  search_hosts = catalog.search_host, comparables = catalog.comparable,
}

-- What the list of a kind shows of every entry: {field, unit, title, only in machine formats}.
local SHORT = {
  devices = { { "vendor", "" }, { "memory_bytes", "B", "memory" }, { "mem_bw_bytes_s", "B/s", "bandwidth" },
    { "bf16_flop_s", "FLOP/s", "bf16 dense" }, { "fp8_flop_s", "FLOP/s", "fp8 dense" },
    { "link_bytes_s", "B/s", "link/direction" }, { "domain", "" }, { "tdp_w", "W", "power" },
    { "source", "", nil, true } },
  models = { { "family", "" }, { "layers", "" }, { "hidden", "" }, { "heads", "" }, { "kv_heads", "" },
    { "experts", "" }, { "params", "", "parameters" }, { "active", "", "active" },
    { "source", "", nil, true } },
  profiles = { { "source", "" } },
  networks = { { "kind", "" }, { "image_flop", "FLOP", "of an image" }, { "params", "", "parameters" },
    { "layers", "" }, { "image", "", "pixels" }, { "source", "", nil, true } },
  diffusion = { { "published_params", "", "parameters" }, { "image", "", "pixels" }, { "steps", "" }, { "guided", "" },
    { "source", "", nil, true } },
  recommenders = { { "tables", "" }, { "rows", "" }, { "dim", "" }, { "lookups", "", "lookups of an item" },
    { "dense_params", "", "dense parameters" }, { "items", "", "items of a request" }, { "source", "", nil, true } },
  runtimes = { { "source", "" } },
  search_hosts = { { "threads", "" }, { "peak_flop_s", "FLOP/s", "a thread" }, { "mem_bw_bytes_s", "B/s", "bandwidth" },
    { "memory_bytes", "B", "memory" }, { "source", "" } },
  comparables = { { "figure", "" }, { "date", "" }, { "source", "" } },
}

local function model_counts(model)
  local counted = require("ballpark.core").params({ model = model })
  return counted.total_params, counted.active_params
end

local function short_value(kind, entry, field)
  if kind == "models" and (field == "params" or field == "active") then
    local total, active = model_counts(entry)
    return field == "params" and total or active
  end
  return entry[field]
end

local function list_entries(r, kind)
  local columns, rows = { { name = "name" } }, {}
  for _, short in ipairs(SHORT[kind]) do
    columns[#columns + 1] = { name = short[1], unit = short[2], title = short[3], exact = true,
      hide = short[4] }
  end
  for i, name in ipairs(catalog.list(kind)) do
    local entry, row = getters[kind](name), { name }
    for j, short in ipairs(SHORT[kind]) do row[j + 1] = short_value(kind, entry, short[1]) end
    rows[i] = row
  end
  r:table({ name = kind, title = kind, columns = columns, rows = rows })
end

local function list_clusters(r)
  local rows = {}
  for i, name in ipairs(catalog.list("clusters")) do
    local c = catalog.cluster(name)
    rows[i] = { name, c.device.name, c.network.devices, c.network.node_size, c.network.domain,
      c.network.fabric, c.network.scaleout.bw_bytes_s }
  end
  r:table({ name = "clusters", title = "clusters", columns = { { name = "name" }, { name = "device" },
    { name = "devices" }, { name = "node_size", title = "node" }, { name = "domain" },
    { name = "fabric" }, { name = "scaleout_bytes_s", unit = "B/s", exact = true, title = "scale-out/device" } },
    rows = rows })
end

local function price_rows(names)
  local prices, rows = require("ballpark.catalog.prices"), {}
  for _, name in ipairs(names) do
    for _, price in ipairs(prices.all(name)) do
      rows[#rows + 1] = { name, price.provider, price.usd_h, price.source }
    end
  end
  return rows
end

local function list_prices(r, names)
  r:table({ name = "prices", title = "prices per device-hour", columns = { { name = "device" },
    { name = "provider" }, { name = "usd_h", unit = "USD/h", title = "price" },
    { name = "source" } }, rows = price_rows(names) })
end

local function unit_of(names, key)
  local entries = names.fields[key]
  return entries and entries[1].field.unit or ""
end

local function flat(list, value, path, names)
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    local item, name = value[key], path .. tostring(key)
    if type(item) == "table" and #item > 0 and type(item[1]) ~= "table" then
      list[#list + 1] = { name = name, value = table.concat(item, "; ") }
    elseif type(item) == "table" then
      flat(list, item, name .. ".", names)
    else
      list[#list + 1] = { name = name, value = item, unit = unit_of(names, key) }
    end
  end
end

local function show_entry(r, kind, name)
  if kind == "prices" then
    local devices = require("ballpark.catalog.devices")
    local resolved = devices.resolve(name)
    if not resolved then errors.unknown("prices", name, devices.names(), "device") end
    return list_prices(r, { resolved })
  end
  local list = { name = "entry", title = kind .. ": " .. name }
  local entry = getters[kind](name)
  local names = index.build()
  flat(list, entry, "", names)
  r:facts(list) -- all that it has as an input, and no more
  if kind == "devices" then
    local curves, origin = require("ballpark.catalog.serving_curves").get(entry)
    local serving = { name = "serving", title = "Kernels of serving", { name = "serving.from", value = origin } }
    flat(serving, curves, "serving.", names)
    r:facts(serving)
  end
  if kind == "models" then
    local total, active = model_counts(entry)
    r:facts({ name = "counted", title = "Counted", { name = "params", title = "parameters", value = total },
      { name = "active", title = "parameters a token uses", value = active } })
  end
end

local function overview(r)
  local rows = {}
  for i, kind in ipairs(catalog.kinds) do rows[i] = { kind, #catalog.list(kind) } end
  r:table({ name = "catalog", title = "Catalog", columns = { { name = "kind" }, { name = "entries" } },
    rows = rows })
end

function command.run(chosen)
  if chosen.confined then files.confine() end
  local r = result.new({ command = "catalog" })
  if not chosen.kind then
    overview(r)
  else
    local names = catalog.list(chosen.kind) -- refuses an unknown kind
    if chosen.name then
      show_entry(r, chosen.kind, chosen.name)
    elseif chosen.kind == "prices" then
      list_prices(r, names)
    elseif chosen.kind == "clusters" then
      list_clusters(r)
    else
      list_entries(r, chosen.kind)
    end
  end
  return options.emit(r, chosen)
end

return command

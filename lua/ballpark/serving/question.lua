-- What a search over serving fleets is asked: its input checked, its space with every axis filled in.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local serving_curves = require("ballpark.catalog.serving_curves")

local question = {}

local ALLOWED <const> = { "model", "devices", "gpus", "engine", "load", "sla", "space", "utilization_frac", "spares" }
local PROMISES <const> = { "ttft_s", "tpot_s", "e2e_s" }
local PERCENTILES <const> = { 50, 90, 99 }
local AXES <const> = { "tp", "pp", "ep", "attention_dp", "format", "max_running", "replicas" }

-- Sites plan for two thirds to three quarters of the capacity so that a burst finds room: assumption.
local UTILIZATION <const> = 0.7
local SPARES <const> = 1

local function check_names(path, value, allowed)
  if type(value) ~= "table" then errors.input(path, "must be a table, got " .. type(value)) end
  local known, keys = {}, {}
  for _, name in ipairs(allowed) do known[name] = true end
  for key in pairs(value) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  for _, key in ipairs(keys) do
    if not known[key] then errors.unknown(path, key, allowed) end
  end
end

local function positive(path, value)
  if type(value) ~= "number" or not (value > 0) or value == math.huge then
    errors.input(path, "must be a number above 0, got " .. tostring(value))
  end
  return value
end

local function sla_of(given)
  local allowed = table.move(PROMISES, 1, #PROMISES, 2, { "percentile" })
  check_names("sla", given, allowed)
  local sla, any = { limits = {}, percentile = given.percentile or 90 }, false
  for _, name in ipairs(PROMISES) do
    if given[name] ~= nil then
      sla.limits[name], any = positive("sla." .. name, given[name]), true
    end
  end
  if not any then errors.input("sla", "promises nothing: give ttft_s, tpot_s or e2e_s") end
  for _, known in ipairs(PERCENTILES) do
    if sla.percentile == known then return sla end
  end
  errors.input("sla.percentile", "must be 50, 90 or 99, got " .. tostring(sla.percentile))
end

-- Clusters of one device by their size, so that each replica has the network of its own devices.
local function pool_of(i, given, gpus)
  local spec = type(given) == "table" and given.device and given or { device = given }
  local whole = {}
  for key, value in pairs(spec) do whole[key] = value end
  whole.devices = gpus
  local all = catalog.cluster(whole)
  if not all.usd_h then
    errors.input("devices[" .. i .. "]", "has no price in the catalog: give { device = …, price = … } in USD/h")
  end
  local sizes, curves, origin = {}, serving_curves.get(all.device)
  return { device = all.device, usd_h = all.usd_h, assumed = all.price_assumed, curves = curves, origin = origin,
    network = function(count)
    if not sizes[count] then
      whole.devices = count
      sizes[count] = catalog.cluster(whole).network
    end
    return sizes[count]
  end }
end

local function pools_of(devices, gpus)
  if type(devices) == "string" or (type(devices) == "table" and devices.device) then devices = { devices } end
  if type(devices) ~= "table" or #devices == 0 then errors.input("devices", "must list devices") end
  local pools = {}
  for i, given in ipairs(devices) do pools[i] = pool_of(i, given, gpus) end
  return pools
end

local function powers(most)
  local list, value = {}, 1
  while value <= most do
    list[#list + 1] = value
    value = value * 2
  end
  return list
end

-- Axes that are not given: powers of two; attention groups and expert ranks where there are experts.
local function defaults(model, gpus)
  local moe = (model.experts or 0) > 0
  return { tp = powers(gpus), pp = { 1, 2 }, ep = powers(moe and gpus or 1),
    attention_dp = powers(moe and gpus or 1), format = { "bf16", "fp8" }, max_running = { false }, replicas = false }
end

local function whole_numbers(path, values)
  for i, value in ipairs(values) do
    if math.type(value) ~= "integer" or value < 1 then
      errors.input(("%s[%d]"):format(path, i), "must be a whole number of at least 1, got " .. tostring(value))
    end
  end
  return values
end

local function space_of(given, model, gpus)
  check_names("space", given, AXES)
  local space = defaults(model, gpus)
  for _, axis in ipairs(AXES) do
    local values = given[axis]
    if values ~= nil then
      if type(values) ~= "table" or (axis == "format" and values.weights) then values = { values } end
      if #values == 0 then errors.input("space." .. axis, "has no values") end
      space[axis] = axis == "format" and values or whole_numbers("space." .. axis, values)
    end
  end
  return space
end

local function load_of(given)
  if type(given) ~= "table" then errors.input("load", "must be a table, got " .. type(given)) end
  if given.arrivals == "closed" or given.concurrency then
    errors.input("load", "a fleet is found for a rate: give rate_per_s")
  end
  positive("load.rate_per_s", given.rate_per_s)
  local load = { arrivals = "open" }
  for key, value in pairs(given) do load[key] = value end
  return load
end

--- The question of serving.search with everything filled in.
function question.new(input)
  check_names("serve_search", input, ALLOWED)
  if type(input.model) ~= "table" then errors.input("model", "is missing") end
  if math.type(input.gpus) ~= "integer" or input.gpus < 1 then
    errors.input("gpus", "must be a whole number of at least 1, got " .. tostring(input.gpus))
  end
  local target, spares = input.utilization_frac or UTILIZATION, input.spares or SPARES
  if type(target) ~= "number" or target <= 0 or target > 1 then
    errors.input("utilization_frac", "must be above 0 and at most 1, got " .. tostring(target))
  end
  if math.type(spares) ~= "integer" or spares < 0 then
    errors.input("spares", "must be a whole number of at least 0, got " .. tostring(spares))
  end
  return { model = input.model, pools = pools_of(input.devices, input.gpus), gpus = input.gpus,
    engine = input.engine, load = load_of(input.load), sla = sla_of(input.sla or {}),
    space = space_of(input.space or {}, input.model, input.gpus), utilization_frac = target, spares = spares }
end

return question

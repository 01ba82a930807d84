-- The inputs of an answer that may be turned: each with its value and a way to a changed copy. What
-- sensitivities, required changes and relaxed constraints share.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local step_input = require("ballpark.resolve.step_input")
local fields = require("ballpark.fields")
local search = require("ballpark.search.plans")
local simulated = require("ballpark.resolve.simulated")

local varied = {}

--- A copy of `t` in which the value at the path (a list of keys) is another one.
function varied.with(t, path, value, depth)
  depth = depth or 1
  local copy = {}
  for key, item in pairs(t) do copy[key] = item end
  local key = path[depth]
  if depth == #path then
    copy[key] = value
  else
    copy[key] = varied.with(t[key] or {}, path, value, depth + 1)
  end
  return copy
end

local function at(t, path)
  for _, key in ipairs(path) do t = t and t[key] end
  return t
end

local function plain(name, title, unit, path)
  return { name = name, title = title, unit = unit, path = path,
    get = function(input) return at(input, path) end,
    set = function(input, value) return varied.with(input, path, value) end }
end

local PEAKS = { "fp32_flop_s", "tf32_flop_s", "bf16_flop_s", "fp8_flop_s", "int8_flop_s", "fp4_flop_s" }

-- All number formats grow together.
local function set_peak(input, value)
  local factor = value / input.cluster.device.bf16_flop_s
  for _, name in ipairs(PEAKS) do
    local now = input.cluster.device[name]
    if now then input = varied.with(input, { "cluster", "device", name }, now * factor) end
  end
  return input
end

local function network(tier) return { "cluster", "network", tier, "bw_bytes_s" } end

varied.link = plain("link", "link inside the domain", "B/s", network("scaleup"))
varied.nic = plain("nic", "network between nodes", "B/s", network("scaleout"))
varied.memory_bandwidth = plain("mem_bw_bytes_s", "memory bandwidth", "B/s", { "cluster", "device", "mem_bw_bytes_s" })
varied.power = plain("tdp_w", "board power", "W", { "cluster", "device", "tdp_w" })
varied.peak = { name = "peak", title = "dense peak", unit = "FLOP/s", set = set_peak,
  get = function(input) return input.cluster.device.bf16_flop_s end }

-- Whole bytes, as the core reads them.
local function bytes(name, title, path)
  return { name = name, title = title, unit = "B", get = function(input) return at(input, path) end,
    set = function(input, value) return varied.with(input, path, math.ceil(value)) end }
end

varied.memory = bytes("memory", "memory of a device", { "cluster", "device", "memory_bytes" })
varied.host_memory = bytes("host_memory", "memory of a host", { "cluster", "network", "host_memory_bytes" })

-- The cluster is made again, as anybody would who writes that number.
varied.devices = { name = "devices", title = "devices", unit = "",
  get = function(input) return input.cluster.network.devices end,
  set = function(input, value) return varied.with(input, { "cluster" }, catalog.resized(input.cluster, value)) end }

varied.price = { name = "price", title = "price of a device", unit = "USD/h",
  get = function(input) return input.price or input.cluster.usd_h end,
  set = function(input, value) return varied.with(input, { "price" }, value) end }

varied.batch = plain("global_batch", "global batch", "", { "job", "global_batch" })

local function coefficient(field, path)
  return { name = table.concat(path, "."), title = field.doc, unit = field.unit,
    get = function(input) return at(input, path) or field.default end,
    set = function(input, value)
      value = math.max(field.min or value, math.min(field.max or value, value))
      return varied.with(input, path, value)
    end }
end

local function add_coefficients(list, about, path)
  for _, field in ipairs(about) do
    local own = table.move(path, 1, #path, 1, {})
    own[#own + 1] = field.name
    if field.kind == "num" then list[#list + 1] = coefficient(field, own) end
    if field.kind == "struct" then add_coefficients(list, field.schema.fields, own) end
  end
  return list
end

--- One item per coefficient of the profile, in the core's order, then those of all classes; shares stay shares.
function varied.coefficients() return add_coefficients({}, fields.input("train_step", "profile"), { "profile" }) end

-- fn(...), or nil and why not where the input is wrong: whatever else is raised (Ctrl-C, a rule) goes on.
local function tried(fn, ...)
  local ok, outcome = errors.attempt(fn, ...)
  if ok then return outcome end
  if outcome.kind == "rule" then error(outcome, 0) end
  return nil, tostring(outcome)
end

--- The step of a plan on the input, or nil and why there is none: {fits =, memory =, time =, plan =}.
--- It fits when its chance is at least the one asked.
function varied.step(input, plan)
  local step, problem = tried(simulated.step, step_input.of(input, plan))
  if not step then return nil, problem end
  if input.fit_chance then
    step.fits = step.memory.fit_probability >= input.fit_chance
  end
  return step
end

--- The best plans of the space on the input, and all that the search found; none where the input is wrong.
--- Rules and price are as for any search.
function varied.plans(input, top)
  local found = tried(search.run, varied.with(input, { "top" }, top))
  return found and found.plans or {}, found
end

--- The best plan, or nil, and all that the search found.
function varied.best(input)
  local plans, found = varied.plans(input, 1)
  return plans[1], found
end

--- Whether two resolved plans are the same.
function varied.same_plan(a, b)
  for field, value in pairs(a) do
    if field ~= "name" and b[field] ~= value then return false end
  end
  return true
end

return varied

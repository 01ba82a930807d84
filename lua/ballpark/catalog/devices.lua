-- Accelerators: data-sheet numbers with the measured curves of their kernels attached.
local architectures = require("ballpark.catalog.architectures")
local curves = require("ballpark.catalog.curves")
local device_of_memory = require("ballpark.catalog.device_of_memory")
local errors = require("ballpark.errors")
local host_links = require("ballpark.catalog.host_links")
local labels = require("ballpark.catalog.device_labels")
local name_length = require("ballpark.name_length")
local tables = require("ballpark.tables")

local devices = {}

local files = {
  "amd", "amd_more", "apple", "aws", "cards_amd_intel", "cards_nvidia", "geforce", "google", "huawei", "intel", "mig",
  "nvidia_ada", "nvidia_ampere", "nvidia_blackwell", "nvidia_hopper", "nvidia_shared_memory", "nvidia_volta",
  "nvlink_bridges", "processors", "workstation",
}

local entries = {}
for _, file in ipairs(files) do
  for _, entry in ipairs(require("ballpark.catalog.devices." .. file)) do entries[entry.name] = entry end
end

--- Names of all devices, sorted.
---@return string[]
function devices.names()
  return tables.sorted_keys(entries)
end

-- What a processor's board holds at most, over what is often built in (assumption: modules of four times the size).
local ON_BOARD <const> = 4

local boards = {}
for _, entry in ipairs(require("ballpark.catalog.devices.processors")) do boards[entry.name] = ON_BOARD end

-- Memory that a label may say: the device's own, of one that shares the host's any that is less, and of a processor what
-- its board holds.
local names = labels.new(devices.names(), function(name)
  local gib = entries[name].memory_bytes / (1 << 30)
  return gib, entries[name].shared_memory and (boards[name] or 1) * gib or nil
end)

--- The catalog name that a label means, or nil: spelling, common short names and what vendors and drivers
--- put around a name are forgiven.
---@param label string
---@return string|nil
function devices.resolve(label) return names.resolve(label) end

--- How many devices a label says ("2x RTX 3090"), or nil.
---@param label string
---@return integer|nil
function devices.count_said(label)
  if name_length.is_over(tostring(label)) then return nil end
  local count, each = tostring(label):match("^%s*(%d+)%s*[xX]%s*(%S.*)$")
  if count and not devices.resolve(label) and device_of_memory.said(each) then return math.tointeger(tonumber(count)) end
  return names.count_said(label)
end

--- How many devices a machine has that a label names ("p5", "DGX H100"); nil where it names a device alone.
---@param label string
---@return integer|nil
function devices.in_machine(label)
  if name_length.is_over(tostring(label)) then return nil end
  return names.in_machine(label)
end

--- Names and labels, sorted: what a misspelt name is compared with.
---@return string[]
function devices.known() return names.known() end

--- What is said of a name in the form of a cloud's machine or slice that no cloud has ("p5.24xlarge", "v5e-0"); nil of others.
---@param label string
---@return string|nil
function devices.missing(label)
  if name_length.is_over(label) then return nil end
  return labels.missing(label)
end

--- Refuses a group of slices of a GPU (MIG): a process sees one of them, and nothing sends between them (NVIDIA
--- Multi-Instance GPU user guide, 2026).
---@param path string
---@param device table
---@param count integer that work together
function devices.check_group(path, device, count)
  if count > 1 and (device.name or ""):find("-MIG-", 1, true) then
    errors.input(path, ("%d slices are no group: nothing sends between the slices of a GPU, so that each is asked about alone (%s)"):format(
      count, device.name))
  end
end

--- How a device is counted that is a part of what is sold, as a sentence; nil of others.
---@param device table
---@return string|nil
function devices.counted(device)
  return device.die_of and ("a device is one of the two dies of %s, as software counts them"):format(device.die_of) or nil
end

--- Devices in what a label names: two where it is the package of two dies, and not its die.
---@param device table
---@param label string
---@return integer
function devices.dies_named(device, label)
  local die = device.die_of and device.name:match("%-(%a+)$")
  return die and not label:lower():find(die:lower(), 1, true) and 2 or 1
end

local function percent(fraction) return string.format("%.1f %%", 100 * fraction) end

local function provenance(origin, what, fit)
  if not fit.points then return origin .. " " .. what end
  return string.format("%s %s, %d timings, median error %s (shapes left out: %s)", origin, what,
    fit.points, percent(fit.median), percent(fit.held_out_median))
end

local matmul_fields = { "u", "w", "t0_s", "depth_s", "k0", "tiles0", "wave", "throttle", "q", "cached" }
local attention_fields = { "u", "w", "t0_s", "walk_s", "s0", "throttle", "cached" }

local function pick(fit, fields, origin, what)
  local curve = { from = provenance(origin, what, fit) }
  for _, field in ipairs(fields) do curve[field] = fit[field] end
  return curve
end

-- A ceiling that is stated for a chip is what its best matmul reached in a long run: one of some 8,192
-- elements of depth, with no power limit on top of it.
local CEILING_DEPTH <const> = 8192

local function with_ceiling(curve, ceiling)
  if not ceiling then return curve end
  curve.u, curve.throttle = ceiling * (1 + (curve.k0 or 0) / CEILING_DEPTH), 0
  return curve
end

-- The curve of `origin` for one format, moved to a chip with another number of cores: what it takes
-- to fill the chip goes with the cores.
local function matmul(origin, format, cores, ceiling)
  local fit = curves.gemm[origin] and curves.gemm[origin][format]
  if not fit then return nil end
  local curve = pick(fit, matmul_fields, origin, format)
  curve.tiles0 = curve.tiles0 * cores
  return with_ceiling(curve, ceiling)
end

local function attention(origin, ceiling)
  return with_ceiling(pick(curves.attention[origin].bf16, attention_fields, origin, "bf16"), ceiling)
end

-- Attaches curves: a measured device its own, any other those of the device its entry names.
local function attach(device)
  local rule = device.curves or { from = device.name, why = "its own measurements" }
  local origin = rule.from
  local cores = device.cores / entries[origin].cores
  device.curves = nil
  device.gemm16 = matmul(origin, "bf16", cores, rule.u16)
  device.gemm8 = matmul(origin, "fp8", cores, rule.u8) or matmul(origin, "int8", cores, rule.u8)
  device.gemm8_block = matmul(origin, "fp8_block", cores, rule.u8) or device.gemm8
  device.gemm4 = matmul(origin, "fp4", cores, rule.u4)
  device.attention = attention(origin, rule.attention_u)
  device.host_bytes_s = device.host_bytes_s or host_links.of(device.name)
  device.architecture = device.architecture or architectures.of(device.name)
  device.curves_from = origin == device.name and rule.why or (origin .. ": " .. rule.why)
  return device
end

--- The least and the greatest number above 0 that devices have in a field; nil where none has one.
---@param field string
---@return number|nil, number|nil
function devices.span(field)
  local least, most
  for _, entry in pairs(entries) do
    local value = entry[field]
    if type(value) == "number" and value > 0 then
      least, most = math.min(least or value, value), math.max(most or value, value)
    end
  end
  return least, most
end

-- Devices with their curves, made when somebody first asks.
local whole = {}

-- A card of which a label says the memory alone: the one that stands for it, by a name that has no price.
local function of_memory(label)
  local size = device_of_memory.of_count(label)
  if not size then return nil end
  local device = devices.get(device_of_memory.name(size * 1e9))
  device.name, device.memory_bytes = device_of_memory.called(size), math.floor(size * (1 << 30))
  return device
end

--- The name of the device that `devices.get` makes of a label; nil where it knows none.
---@param label string
---@return string|nil
function devices.called(label)
  local size = device_of_memory.of_count(label)
  return devices.resolve(label) or not devices.missing(tostring(label)) and size and device_of_memory.called(size) or nil
end

--- A fresh table of the fields of `device`, base units; unknown names are an error. Of a device that shares the host's
--- memory, a label may say how much of it there is ("M3 Max 64GB"); "24GB" alone is a card of so much memory.
---@param label string
function devices.get(label)
  name_length.check("device", tostring(label))
  local name = devices.resolve(label)
  local missing = not name and devices.missing(tostring(label))
  if missing then errors.input("device", ("'%s' %s"):format(label, missing)) end
  local card = not name and of_memory(label)
  if card then return card end
  if not name then errors.choice("device", label, devices.known()) end
  whole[name] = whole[name] or attach(tables.copy(entries[name]))
  local device = tables.copy(whole[name])
  local size = device.shared_memory and names.memory_said(label)
  if size then device.memory_bytes = math.floor(size * (1 << 30)) end
  return device
end

return devices

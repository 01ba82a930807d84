-- Finds the catalog device that a table's label means: remarks in parentheses ("H100 80GB (SXM5)") do not count
-- where no device is called so. A name with figures behind it means a variant: "H100-96GB-HBM2e-500W".
local devices = require("ballpark.catalog.devices")
local name_length = require("ballpark.name_length")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local labels = {}

--- The catalog name of a label, or nil.
---@param label string
---@return string|nil
function labels.resolve(label)
  if name_length.is_over(label) then return nil end
  return devices.resolve(label) or devices.resolve((label:gsub("%b()", " ")))
end

-- Bytes per second of HBM2e stacks per byte of their memory: A100-80GB has five of 16 GB, 2.039 TB/s together (its data
-- sheet).
local HBM2E_PER_BYTE <const> = 2.039e12 / 80e9

-- Fewer watts for the same chip mean a lower clock: power goes with the clock and the square of the voltage, which goes
-- with the clock, too (an assumption below the highest clock).
local CLOCK_EXPONENT <const> = 1 / 3

local RATES <const> = { "bf16_flop_s", "fp8_flop_s", "fp4_flop_s", "int8_flop_s" }

-- Watts, and the rates that a chip sustains on less of them.
local function of_watts(about, watts)
  local fields = { tdp_w = watts }
  local clock = (watts / about.tdp_w) ^ CLOCK_EXPONENT
  for _, name in ipairs(clock < 1 and RATES or {}) do fields[name] = about[name] and about[name] * clock end
  return fields
end

--- The catalog name that a label begins with, before a memory in GB, and the fields that the rest of it changes: memory,
--- its bandwidth where it is HBM2e, watts and what they leave of the rates; nil where it does not say a variant.
---@param label string
---@return string|nil name
---@return table|nil fields
function labels.variant(label)
  if name_length.is_over(label) then return nil end
  local base, memory, rest = label:match("^(.-)[%s_-]+(%d+)%s*GB%f[^%w](.*)$")
  local name = base and labels.resolve(base)
  if not name then return nil end
  local watts = rest:match("%f[%d](%d+)%s*W%f[%W]")
  return name, tables.with(watts and of_watts(devices.get(name), tonumber(watts)), {
    memory_bytes = units.GiB(tonumber(memory)),
    mem_bw_bytes_s = rest:lower():find("hbm2e") and HBM2E_PER_BYTE * 1e9 * tonumber(memory) or nil })
end

return labels

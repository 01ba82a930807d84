-- Finds the catalog device that a table's label means: remarks in parentheses ("H100 80GB (SXM5)") do not count
-- where no device is called so. A name with figures behind it means a variant: "H100-96GB-HBM2e-500W".
local devices = require("ballpark.catalog.devices")
local units = require("ballpark.units")

local labels = {}

--- The catalog name of a label, or nil.
---@param label string
---@return string|nil
function labels.resolve(label) return devices.resolve(label) or devices.resolve((label:gsub("%b()", " "))) end

-- Bytes per second of HBM2e stacks per byte of their memory: A100-80GB has five of 16 GB, 2.039 TB/s together (its data
-- sheet).
local HBM2E_PER_BYTE <const> = 2.039e12 / 80e9

--- The catalog name that a label begins with, before a memory in GB, and the fields that the rest of it changes: memory,
--- its bandwidth where it is HBM2e, watts; nil where it does not say a variant.
---@param label string
---@return string|nil name
---@return table|nil fields
function labels.variant(label)
  local base, memory, rest = label:match("^(.-)[%s_-]+(%d+)%s*GB%f[^%w](.*)$")
  local name = base and labels.resolve(base)
  if not name then return nil end
  local watts = rest:match("%f[%d](%d+)%s*W%f[%W]")
  return name, { memory_bytes = units.GiB(tonumber(memory)), tdp_w = watts and tonumber(watts) or nil,
    mem_bw_bytes_s = rest:lower():find("hbm2e") and HBM2E_PER_BYTE * 1e9 * tonumber(memory) or nil }
end

return labels

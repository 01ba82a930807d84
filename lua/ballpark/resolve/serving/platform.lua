-- What serving on devices of a vendor rests on: engines were fitted on NVIDIA's, and little else was ever compared.
local devices = require("ballpark.catalog.devices")

local platform = {}

local FITTED_ON <const> = "NVIDIA"

-- What was compared with published results of each vendor, or architecture, and found; tools/fit/engine_kinds.lua
-- prints the slowdowns.
local COMPARED <const> = {
  AMD = "652 published points of vLLM of 2024 on MI300X and MI250, in 16 bit, took 1.8 times what curves say; none of a "
    .. "current release is in the fit",
  ["xe-hpc"] = "151 published points of vLLM of 2024 on Max 1550 took some eight times what curves say",
  Intel = "180 published batches of DeepSpeed of 2024 on Gaudi2 took five sixths of what is said of an engine that nobody "
    .. "fitted; of vLLM none was compared",
  AWS = "of NeuronX a few published rates were compared, as of an engine that nobody fitted",
}

--- Whether what an engine itself takes was measured on devices of another vendor than this one.
function platform.is_foreign(device) return device.vendor ~= nil and device.vendor ~= FITTED_ON end

--- What an estimate of an engine on a device rests on, as a sentence; nil on devices of the vendor that engines were
--- fitted on.
---@param device table
---@param engine_name string
---@return string|nil
function platform.said(device, engine_name)
  if not platform.is_foreign(device) then return nil end
  local counted = devices.counted(device)
  return (counted and counted .. "; " or "") .. ("%s on %s devices: its own times were fitted on %s's; matmuls from %s; %s"):format(engine_name, device.vendor,
    FITTED_ON, device.curves_from or "the curves of an average device",
    COMPARED[device.architecture] or COMPARED[device.vendor] or "nothing published of it was compared")
end

return platform

-- How likely the memory of a machine holds a model: that of its device, and that of its host.
local fits = require("ballpark.range.fits")

local chance = {}

--- What an answer of the kernel needs of the memory that binds it, and what there is.
---@param out table of core.local_inference
---@param input table of it
function chance.need(out, input)
  if input.device.shared_memory then return out.device_bytes + out.host_bytes, out.usable_bytes end
  return out.device_bytes, out.usable_bytes
end

--- The chance that device and host hold it.
function chance.fits(out, input)
  local own = fits.chance(chance.need(out, input))
  if input.device.shared_memory or not (out.host_bytes > 0) then return own end
  return math.min(own, fits.chance(out.host_bytes, 0.9 * input.host.memory_bytes))
end

return chance

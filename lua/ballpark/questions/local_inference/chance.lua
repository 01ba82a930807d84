-- How likely the memory of a machine holds a model: that of its device, and that of its host.
local fits = require("ballpark.range.fits")

local chance = {}

-- Whether the second kind of device is the fuller one.
local function is_other(out, input)
  return input.others > 0 and out.other_bytes * out.usable_bytes > out.device_bytes * out.other_usable_bytes
end

--- What an answer of the kernel needs of the memory that binds it, and what there is.
---@param out table of core.local_inference
---@param input table of it
function chance.need(out, input)
  if input.device.shared_memory then return out.device_bytes + out.host_bytes, out.usable_bytes end
  if is_other(out, input) then return out.other_bytes, out.other_usable_bytes end
  return out.device_bytes, out.usable_bytes
end

-- What of the need is counted: weights and cache.
local function known_of(out, input)
  if input.device.shared_memory then return out.weights_bytes + out.cache_bytes end
  if is_other(out, input) then return out.other_weights_bytes + out.other_cache_bytes end
  return out.device_weights_bytes + out.device_cache_bytes
end

--- What it needs of the memory of a host beside the device, and what there is of it; nothing where all is on the device.
function chance.host(out, input)
  if input.device.shared_memory or not (out.host_bytes > 0) then return nil end
  return out.host_bytes, out.host_usable_bytes
end

--- Whether a host surely has room for what is beside the device.
function chance.host_holds(out, input)
  local need, there = chance.host(out, input)
  return not need or need <= fits.room(there)
end

--- The chance that device and host hold it, with more bytes of cache, if any, than one sequence has.
---@param more_bytes number|nil
function chance.fits(out, input, more_bytes)
  local more, need, usable = more_bytes or 0, chance.need(out, input)
  local own = fits.chance(need + more, usable, known_of(out, input) + more)
  local host, there = chance.host(out, input)
  return host and math.min(own, fits.chance(host, there)) or own
end

return chance

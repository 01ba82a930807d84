-- How likely memory holds a model whose bytes are an estimate.
local chance = {}

-- Buffers, alignment and what else runs move the need by three hundredths, one standard deviation (assumption).
local SPREAD <const> = 0.03

-- The normal distribution function, by the logistic one that is within 0.01 of it (Bowling et al., 2009).
local function normal(z) return 1 / (1 + math.exp(-0.07056 * z ^ 3 - 1.5976 * z)) end

--- The chance that so many bytes, estimated, fit into usable ones.
function chance.of(need, usable)
  return normal((usable - need) / (SPREAD * need))
end

--- What an answer of the kernel needs of the memory that binds it, and what there is.
---@param out table of core.local_inference
---@param input table of it
function chance.need(out, input)
  if input.device.shared_memory then return out.device_bytes + out.host_bytes, out.usable_bytes end
  return out.device_bytes, out.usable_bytes
end

--- The chance that device and host hold it.
function chance.fits(out, input)
  local own = chance.of(chance.need(out, input))
  if input.device.shared_memory or not (out.host_bytes > 0) then return own end
  return math.min(own, chance.of(out.host_bytes, 0.9 * input.host.memory_bytes))
end

return chance

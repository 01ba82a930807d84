-- What a model may take of a memory that a device shares with its host.
local shared_memory = {}

--- Share of it: of Apple's chips Metal recommends two thirds up to 36 GB and three quarters beyond
--- (recommendedMaxWorkingSetSize, recalled); an APU and a processor leave the system its part (assumption).
---@param device table
function shared_memory.frac(device)
  if device.vendor == "Apple" then return device.memory_bytes > 37e9 and 0.75 or 0.667 end
  return 0.88
end

--- Bytes of a device's memory that a model may take: all of one that has its own.
---@param device table
function shared_memory.usable(device)
  return device.shared_memory and shared_memory.frac(device) * device.memory_bytes or device.memory_bytes
end

return shared_memory

-- What a model may take of a memory that a device shares with its host.
local units = require("ballpark.units")

local shared_memory = {}

--- Share of it: of Apple's chips Metal recommends two thirds up to 36 GB and three quarters beyond
--- (recommendedMaxWorkingSetSize, recalled); an APU and a processor leave the system its part (assumption).
---@param device table
function shared_memory.frac(device)
  if device.vendor == "Apple" then return device.memory_bytes > 37e9 and 0.75 or 0.667 end
  return 0.88
end

-- What is left to the system where the limit is raised, of a small memory and of others (assumption).
local LEAST_LEFT <const>, LEFT <const>, SMALL <const> = 4 << 30, 8 << 30, 24 << 30

--- Bytes that a model may take where the limit of macOS is raised; nil where there is none.
---@param device table
function shared_memory.raised(device)
  if device.vendor ~= "Apple" then return nil end
  return device.memory_bytes - (device.memory_bytes > SMALL and LEFT or LEAST_LEFT)
end

--- How the limit of macOS is raised, from version 14 on (recalled).
---@param bytes number
function shared_memory.command(bytes) return ("sudo sysctl iogpu.wired_limit_mb=%d"):format(bytes // (1 << 20)) end

--- That limit in words, and to what it may be raised; nil where there is none.
---@param device table
function shared_memory.words(device)
  local bytes = shared_memory.raised(device)
  if not bytes or bytes <= shared_memory.usable(device) then return nil end
  return ("of %s macOS gives models %s; '%s' gives them %s"):format(units.format(device.memory_bytes, "B"),
    units.format(shared_memory.usable(device), "B"), shared_memory.command(bytes), units.format(bytes, "B"))
end

--- Bytes of a device's memory that a model may take: all of one that has its own.
---@param device table
function shared_memory.usable(device)
  return device.shared_memory and shared_memory.frac(device) * device.memory_bytes or device.memory_bytes
end

return shared_memory

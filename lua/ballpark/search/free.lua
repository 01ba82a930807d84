-- What a field of the system stands for when the space leaves it free.
local errors = require("ballpark.errors")

local free = {}

-- Powers of two up to the largest clusters that published trainings ran on (16,384 H100: Grattafiori et
-- al., The Llama 3 Herd of Models, arXiv:2407.21783, section 3.3).
local DEVICES_MOST <const> = 16384

-- The usual number of devices in a node.
local NODE <const> = 8

local function doubling(most)
  local list, count = {}, 1
  while count <= most do
    list[#list + 1] = count
    count = 2 * count
  end
  return list
end

-- What can be rented: every device of the catalog that has a price there.
local function devices() return require("ballpark.catalog").list("prices") end

local VALUES = {
  ["space.system.device"] = devices,
  ["space.system.devices"] = function() return doubling(DEVICES_MOST) end,
  ["space.system.nodes"] = function() return doubling(DEVICES_MOST // NODE) end,
  ["space.system.fabric"] = function() return require("ballpark.catalog.fabrics").scaleout_names() end,
}

--- The values of the field at `path` ("space.system.device") when it is free.
function free.values(path)
  local values = VALUES[path]
  if not values then
    errors.input(path, "cannot be free: list values or give a range (free may be device, devices, nodes and fabric)")
  end
  return values()
end

return free

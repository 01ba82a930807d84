-- What a field of the system or the job stands for when the space leaves it free.
local errors = require("ballpark.errors")
local ranges = require("ballpark.number_list")

local free = {}

-- Powers of two up to the largest clusters that published trainings ran on (16,384 H100: Grattafiori et
-- al., The Llama 3 Herd of Models, arXiv:2407.21783, section 3.3).
local DEVICES_MOST <const> = 16384

-- The usual number of devices in a node.
local NODE <const> = 8

-- Largest batch and longest sequence of pre-training in the same report: 16 million tokens of 8,192, and
-- 131,072 tokens (section 3.4); shorter sequences than 1,024 are of another age.
local BATCH_MOST <const> = 2048
local SEQ_LEN_LEAST <const>, SEQ_LEN_MOST <const> = 1024, 131072

local function doubling(most, least) return ranges.list(least or 1, most, nil, 2) end

-- What can be rented: every device of the catalog that has a price there.
local function devices() return require("ballpark.catalog").list("prices") end

-- Prices of the catalog for a device, one of each height, lowest first.
local function prices_of(device)
  local list = {}
  for _, price in ipairs(require("ballpark.catalog.prices").all(device)) do
    if list[#list] ~= price.usd_h then list[#list + 1] = price.usd_h end
  end
  return list
end

local function prices(system)
  local device = system and system.device
  if type(device) ~= "string" or device == "free" then
    errors.input("space.system.price", "can be free of one device only: name it, or list prices")
  end
  local name = require("ballpark.catalog.devices").resolve(device) or device
  local list = prices_of(name)
  if #list == 0 then errors.input("space.system.price", "the catalog has no price of " .. name) end
  return list
end

local VALUES = {
  ["space.system.device"] = devices,
  ["space.system.devices"] = function() return doubling(DEVICES_MOST) end,
  ["space.system.nodes"] = function() return doubling(DEVICES_MOST // NODE) end,
  ["space.system.price"] = prices,
  ["space.job.global_batch"] = function() return doubling(BATCH_MOST) end,
  ["space.job.seq_len"] = function() return doubling(SEQ_LEN_MOST, SEQ_LEN_LEAST) end,
  ["space.system.fabric"] = function() return require("ballpark.catalog.fabrics").scaleout_names() end,
}

--- The values of the field at `path` ("space.system.device") when it is free; `system` is what is fixed of it.
function free.values(path, system)
  local values = VALUES[path]
  if not values then
    errors.input(path, "cannot be free: list values or give a range (free may be device, devices, nodes, "
      .. "fabric, price, global_batch and seq_len)")
  end
  return values(system)
end

return free

-- Links between devices and their hosts, bytes a second in each direction: of PCI Express the rate of 16 lanes
-- after encoding (its base specifications 3.0 to 5.0); which generation a device has, and NVLink-C2C, are
-- recalled from data sheets.
local host_links = {}

local PCIE3 <const>, PCIE4 <const>, PCIE5 <const> = 15.75e9, 31.5e9, 63e9
local C2C <const> = 450e9 -- 900 GB/s of both directions; a GB200 or GB300 shares it between two devices

-- Prefixes of names, the longest that fits counts.
local LINKS = {
  P100 = PCIE3, V100 = PCIE3, T4 = PCIE3,
  H100 = PCIE5, H200 = PCIE5, H20 = PCIE5, H800 = PCIE5, B100 = PCIE5, B200 = PCIE5, B300 = PCIE5,
  GH200 = C2C, GB200 = C2C / 2, GB300 = C2C / 2,
  MI300 = PCIE5, MI325 = PCIE5, MI350 = PCIE5, MI355 = PCIE5,
  Gaudi3 = PCIE5, ["RTX-5090"] = PCIE5, ["RTX-5080"] = PCIE5, ["RTX-PRO-6000"] = PCIE5,
}

--- Bytes a second each way between a device of the catalog and its host; PCI Express 4 where nothing else is known.
---@param name string
---@return number
function host_links.of(name)
  local longest, rate = 0, PCIE4
  for prefix, value in pairs(LINKS) do
    if #prefix > longest and name:sub(1, #prefix) == prefix then longest, rate = #prefix, value end
  end
  return rate
end

return host_links

-- PCIe cards in pairs with an NVLink bridge between them: the card, and what the bridge carries in each direction.
-- Half of what data sheets add up of both directions (NVIDIA's data sheets of the cards, recalled): 600 GB/s of A100 and
-- H100 PCIe with three bridges, 112.5 of Ampere's cards, 100 of Turing's.
local tables = require("ballpark.tables")

local BRIDGES <const> = {
  { "nvidia_ampere", "A100-40GB-PCIe", "nvlink3", 300e9 }, { "nvidia_ampere", "A100-80GB-PCIe", "nvlink3", 300e9 },
  { "nvidia_hopper", "H100-PCIe-80GB", "nvlink4", 300e9 },
  { "geforce", "RTX-3090", "nvlink3", 56.25e9 }, { "workstation", "RTX-A5000", "nvlink3", 56.25e9 },
  { "cards_nvidia", "RTX-2080-Ti", "nvlink2", 50e9 }, { "cards_nvidia", "Quadro-RTX-6000", "nvlink2", 50e9 },
  { "cards_nvidia", "Quadro-RTX-8000", "nvlink2", 50e9 },
}

local function card_of(file, name)
  for _, entry in ipairs(require("ballpark.catalog.devices." .. file)) do
    if entry.name == name then return entry end
  end
  error("catalog/devices/nvlink_bridges: no device " .. name)
end

local list = {}
for i, bridge in ipairs(BRIDGES) do
  local card = card_of(bridge[1], bridge[2])
  list[i] = tables.with(card, { name = card.name .. "-NVLink", link = bridge[3], link_bytes_s = bridge[4], domain = 2,
    source = card.source .. "; the bridge from memory", notes = "with an NVLink bridge to a second card",
    curves = card.curves or { from = card.name, why = "curve of the card" } })
end
return list

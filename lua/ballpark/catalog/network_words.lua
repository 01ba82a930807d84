-- What a few words about a network say: kind of fabric, and rate per device.
-- "8x400Gb/s InfiniBand", "1600 Gbps RoCE", "800 Gbit/s per node (4x HDR)", "4x Omni-Path links/node",
-- "400 Gb/s per GPU", "EFA (p5.48xlarge)", "DCN between slices", "8x ConnectX-7 IB NDR 400Gb/s + 200Gb/s Ethernet NIC",
-- "Storage: 2x 200Gb/s, Compute: 8x ConnectX-7 400Gb/s".
local mentions = require("ballpark.mentions")

local network_words = {}

-- Words in lower case, the first one found decides; `gbit` is the rate of one link of that name.
local kinds = {
  { "omni%-?path", fabric = "omni-path", gbit = 100 },
  { "opa", fabric = "omni-path", gbit = 100 },
  { "slingshot", fabric = "slingshot", gbit = 200 },
  { "rocev?2?", fabric = "roce" },
  { "rdma over converged", fabric = "roce" },
  { "tcpx", fabric = "tcpx" },
  { "a3 vm", fabric = "tcpx" },
  { "a3%-high", fabric = "tcpx" },
  { "efa", fabric = "efa" },
  { "dcn", fabric = "dcn" },
  { "slices?", fabric = "dcn" },
  { "infini[bn]and", fabric = "infiniband" },
  { "quantum", fabric = "infiniband" },
  { "xdr", fabric = "infiniband", gbit = 800 },
  { "ndr", fabric = "infiniband", gbit = 400 },
  { "hdr", fabric = "infiniband", gbit = 200 },
  { "edr", fabric = "infiniband", gbit = 100 },
  { "fdr", fabric = "infiniband", gbit = 56 },
  { "ib", fabric = "infiniband" },
  { "rdma", fabric = "roce" }, -- of which nobody says more: the slower of the two that it may be (assumption)
  { "ethernet", fabric = "ethernet" },
  { "%d+gbe", fabric = "ethernet" },
  { "tcp", fabric = "ethernet" },
}

-- Fastest port of adapters by name, in Gbit/s: NVIDIA's data sheets of ConnectX and BlueField, recalled.
local adapters = {
  { "connectx%-?%s?4", 100 }, { "connectx%-?%s?5", 100 }, { "connectx%-?%s?6", 200 }, { "connectx%-?%s?7", 400 },
  { "connectx%-?%s?8", 800 }, { "bluefield%-?%s?2", 200 }, { "bluefield%-?%s?3", 400 }, { "%f[%w]bf3", 400 },
}

-- Networks of machines of clouds: fabric, Gbit/s of a whole machine (vendors' pages, recalled).
local machines = {
  { "p3dn%.", "efa", 100 }, { "p3%.16xlarge", "ethernet", 25 }, { "p4de?%.", "efa", 400 }, { "p5e?n?%.", "efa", 3200 },
  { "p6%-b[23]00%.", "efa", 3200 }, { "trn1n%.", "efa", 1600 }, { "trn1%.32xlarge%f[^%w/]", "efa", 800 }, { "trn2%.", "efa", 3200 },
  { "a2%-%a+gpu", "ethernet", 100 }, { "a3%-highgpu", "tcpx", 800 }, { "a3%-megagpu", "tcpx", 1600 },
  { "a3%-ultragpu", "roce", 3200 }, { "a4%-highgpu", "roce", 3200 },
  { "nd40rs", "infiniband", 100 }, { "nd%d+%a+_?%s?%a*%d*_?%s?v4", "infiniband", 1600 },
  { "nd%d*%a*_?%s?h[12]00_?%s?v5", "infiniband", 3200 }, { "nd%d*%a*_?%s?mi300x_?%s?v5", "infiniband", 3200 },
  { "bm%.gpu4%.8", "roce", 1600 }, { "bm%.gpu%.a100", "roce", 1600 }, { "bm%.gpu%.h[12]00", "roce", 3200 },
}

-- Rates as written, in Gbit/s; bytes have an upper-case B in "GB/s" and "TB/s".
local rates = {
  { "(%d+%.?%d*)%s*GB/s", 8 }, { "(%d+%.?%d*)%s*GBps", 8 },
  { "(%d+%.?%d*)%s*TB/s", 8000 }, { "(%d+%.?%d*)%s*T[Bb]?bi?t?/s", 1000 },
  { "(%d+%.?%d*)%s*Tbps", 1000 },
  { "(%d+%.?%d*)%s*Gbi?t?/s", 1 }, { "(%d+%.?%d*)%s*Gbps", 1 }, { "(%d+%.?%d*)%s*GbE", 1 },
  { "(%d+%.?%d*)%s*GBASE", 1 }, { "(%d+%.?%d*)%s*Gb%f[%W]", 1 }, { "(%d+%.?%d*)%s*G%f[%W]", 1 },
}

-- What a network is for; those of the first list do not carry the traffic of a step, and neither does the way from a
-- device to its adapter.
local beside = { "storage", "management", "mgmt", "front%-?%s?end", "out%-of%-band", "in%-band", "north%-south",
  "%f[%w]bmc", "ipmi" }
local compute = { "compute", "back%-?%s?end", "scale%-?out", "east%-west" }

local each_device = { "per gpu", "/gpu", "per device", "per accelerator", "per chip" }
local each_node = { "per node", "/node", "per host", "/host", "per server", "/server", "per instance" }

local function kind_of(lower)
  for _, kind in ipairs(kinds) do
    if lower:find("%f[%w]" .. kind[1] .. "%f[%W]") then return kind end
  end
  for _, kind in ipairs(kinds) do -- glued to a number: "NDR400", "200gHDR"
    if #kind[1] > 2 and lower:find(kind[1]) then return kind end
  end
  return {}
end

-- What there may be several of in a node.
local parts = { "nics?", "hcas?", "adapters?", "rails?", "ports?", "links?", "cards?" }

-- "8 NICs", "2 adapters per node", "8 InfiniBand 400 Gb/s HCAs", "4 per node", "dual-rail".
local function counted_in(text)
  local lower = text:lower()
  local first = lower:match("^%s*(%d%d?)%s+%a")
  if lower:find("^%s*%d+%s+[gt]b") then first = nil end -- a rate
  for _, part in ipairs(parts) do
    local count = lower:match("%f[%w](%d+)%s*[x×]?%s+" .. part .. "%f[%W]")
      or first and lower:find("%f[%w]" .. part .. "%f[%W]") and first
    if count then return tonumber(count) end
  end
  return tonumber(lower:match("%f[%w](%d+)%s+per%s+node")) or lower:find("dual.?rail") and 2 or nil
end

-- "8x" or "8 x" right before a rate, at the start, or behind the rate; "8 NICs".
local function links_of(text, from, to)
  local before, behind = text:sub(1, from - 1), text:sub(to + 1)
  return tonumber(before:match("(%d+)%s*[xX×*]+%s*$") or before:match("^%s*(%d+)%s*[xX×*]+%s*%a")
    or behind:match("^%s*[xX×*]+%s*(%d+)")) or counted_in(text)
end

-- The largest rate in the text, of adapters that know several ("25Gb/100Gb/200Gb"), and where it stands.
local function rate_of(text)
  local best, from, to
  for _, rate in ipairs(rates) do
    local at = 1
    while true do
      local first, last, number = text:find(rate[1], at)
      if not first then break end
      local gbit = tonumber(number) * rate[2]
      if gbit > 0 and (not best or gbit > best) then best, from, to = gbit, first, last end
      at = last + 1
    end
  end
  return best, from, to
end

-- Rate of one link by its generation.
local function link_rate(lower)
  for _, kind in ipairs(kinds) do
    if kind.gbit and lower:find(kind[1]) then return kind.gbit end
  end
  return nil
end

-- Rate of one link by the name of the adapter or, where it says how many, by its generation.
local function rate_by_name(lower, counted)
  for _, adapter in ipairs(adapters) do
    if lower:find(adapter[1]) then return adapter[2] end
  end
  return (counted or lower:find("%d+%s*[xX×*]+%s*%a")) and link_rate(lower) or nil
end

-- One network: { fabric, gbit of all its links, link_gbit of one by its generation, counted = whether it says how many they are }.
local function network_of(text, role)
  local lower = text:lower()
  local said = role .. " " .. lower
  local network = { fabric = kind_of(lower).fabric, compute = mentions.any(said, compute),
    beside = mentions.any(said, beside) or said:find("pcie") and not kind_of(lower).fabric }
  local gbit, from, to = rate_of(text)
  local links = links_of(text, from or #text + 1, to or #text)
  gbit = gbit or rate_by_name(lower, links)
  network.link_gbit = link_rate(lower)
  network.gbit, network.counted, network.links = gbit and gbit * (links or 1), links ~= nil, links
  return network
end

-- All networks that the text names: parts between commas, semicolons and " + ", a role standing before a colon.
local function networks_of(text)
  local list, role = {}, ""
  for part in text:gmatch("[^,;]+") do
    local label, rest = part:match("^%s*(%a[^:]*):(.*)$")
    if label then role, part = label:lower(), rest end
    for one in (part .. " + "):gmatch("(.-)%s%+%s") do
      local network = one:find("%w") and network_of(one, role)
      local last = list[#list]
      -- "200 Gb/s Slingshot, 4 NICs", "EDR, 2 HCAs": a part with a count and nothing else.
      local rate = last and not last.counted and (last.gbit or last.link_gbit)
      if network and not (network.gbit or network.fabric) and network.counted and rate then
        last.gbit, last.counted = rate * network.links, true
      elseif network then
        list[#list + 1] = network
      end
    end
  end
  return list
end

-- The network that carries the traffic of a step: the one that says so, else the widest of those with no other use.
local function chosen(list)
  local best
  for _, network in ipairs(list) do
    local better = not best or network.compute and not best.compute
      or network.compute == best.compute and (network.gbit or 0) > (best.gbit or 0)
    if not (network.beside and not network.compute) and better then best = network end
  end
  return best or {}
end

-- Adapters that parentheses right behind a rate count: "400 Gb/s (8 NICs/node)".
local function bracketed_count(text)
  local inside = text:match("^[^,;(]*(%b())")
  return inside and counted_in((inside:gsub("/", " / ")))
end

-- Words in parentheses explain what stands before them, so their rates count only when there is none outside.
local function read(words)
  local text = words:gsub("%f[%d](%d),(%d%d%d)%f[%D]", "%1%2") -- "3,200 Gbps"
  local outside = chosen(networks_of((text:gsub("%b()", " "))))
  if outside.gbit then
    local links = not outside.counted and bracketed_count(text)
    if links then outside.gbit, outside.counted = links * outside.gbit, true end
    return outside, kind_of(text:lower()).fabric
  end
  local all = chosen(networks_of(text))
  return all.gbit and all or outside, kind_of(text:lower()).fabric
end

-- Shares of what a device's adapter can do below which a rate is that of another network: nodes of eight devices are
-- sold with one adapter for eight at the least; where nobody says of how many devices a rate is, it can be that of one
-- of adapters of the generation before (assumptions).
local DOUBTED_BELOW <const>, BARE_DOUBTED_BELOW <const> = 1 / 8, 1 / 2

-- The network of a machine that the words name.
local function of_machine(lower)
  for _, machine in ipairs(machines) do
    if lower:find("%f[%w]" .. machine[1]) then return { fabric = machine[2], gbit = machine[3], counted = true } end
  end
  return nil
end

-- Rate per device in Gbit/s, the least that is believed, and how it was read. It is of one device where the text says
-- so, of a node where it says so or how many links there are; a bare one is of a device if its adapter can do it.
local function per_device(network, lower, nic, node_size)
  local gbit = network.gbit
  if mentions.any(lower, each_device) then return gbit, DOUBTED_BELOW * nic end
  if network.counted or mentions.any(lower, each_node) or gbit > 1.01 * nic or node_size == 1 then
    return gbit / node_size, DOUBTED_BELOW * nic
  end
  return gbit, BARE_DOUBTED_BELOW * nic, ("network: %.4g Gbit/s read as of one device"):format(gbit)
end

--- What words say of the network between nodes: fabric or nil, nic_bytes_s (rate of one device, bytes per second and
--- direction) or nil, said (a sentence on how the rate was read) or nil. A rate far below what the device's nodes are sold
--- with is taken where the words are about this network, with the sentence slow; where they describe a whole system, it may
--- be another network's: doubted_bytes_s and the sentence doubt stand in its place.
---@param text string
---@param device table nic_bytes_s, what its adapter can do
---@param node_size integer
---@param of_system boolean|nil whether the words describe a whole system
---@return table
function network_words.between(text, device, node_size, of_system)
  local network, any_fabric = read(text)
  local machine = of_machine(text:lower())
  if machine and (not network.gbit or network.gbit == machine.gbit) then
    machine.fabric = network.fabric or machine.fabric
    network = machine
  end
  local found = { fabric = network.fabric or any_fabric }
  local nic = (device.nic_bytes_s or 0) * 8e-9
  if not network.gbit then
    local link = network.link_gbit
    if link and link < nic then
      found.nic_bytes_s, found.said = link * 1e9 / 8, ("network: %.4g Gbit/s of one link read as of one device"):format(link)
    end
    return found
  end
  local gbit, least, said = per_device(network, text:lower(), nic, node_size)
  if gbit < least and network ~= machine then
    -- What people say of their own network is so: a bare rate is that of a node's one adapter.
    if said and not of_system then gbit, said = gbit / node_size, ("network: %.4g Gbit/s read as of a node"):format(gbit) end
    local sold = ("%.3g Gbit/s per device, nodes of %s are sold with %.4g"):format(gbit, device.name or "the device", nic)
    if of_system then
      found.fabric = found.fabric ~= "ethernet" and found.fabric or nil
      found.doubted_bytes_s = gbit * 1e9 / 8
      found.doubt = ("network: '%s' would be %s: not believed"):format(text, sold)
      return found
    end
    found.slow = ("network: '%s' is %s"):format(text, sold)
  end
  found.nic_bytes_s, found.said = gbit * 1e9 / 8, said
  return found
end

--- { domain = n } or { pcie = true } where a text on the links inside says so.
---@param text string
---@return table
function network_words.inside(text)
  local lower = text:lower()
  local domain = lower:match("nvl(%d+)")
  return {
    domain = domain and tonumber(domain) or nil,
    pcie = lower:find("pcie") ~= nil and not lower:find("nvlink") or nil,
  }
end

return network_words

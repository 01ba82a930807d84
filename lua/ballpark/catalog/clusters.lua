-- Clusters: devices, how many, and what connects them, made from a few words with every gap named.
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fabrics = require("ballpark.catalog.fabrics")
local network_words = require("ballpark.catalog.network_words")
local prices = require("ballpark.catalog.prices")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local clusters = {}

-- Network between nodes that a vendor's systems usually come with. NVIDIA's come with several kinds and rates: one that
-- is not stated is taken as the only one with public timings, EFA, which is at the slower end of what is sold with them.
local usual_fabric = {
  NVIDIA = "efa", AMD = "roce", Google = "dcn", AWS = "efa", Intel = "roce", Huawei = "roce",
}

-- Memory of a host: of a DGX or a P5 32 modules of 64 GiB; of a tray of an NVL72 LPDDR5X at both of its CPUs.
local TWO_TIB <const>, TRAY <const> = 2 << 40, 960000000000

-- Named systems. `nodes` or `devices` may be overridden: a SuperPOD is sold in parts.
local named = {
  ["DGX-A100-SuperPOD"] = {
    device = "A100-80GB-SXM", nodes = 140, fabric = "infiniband", host_memory_bytes = TWO_TIB, nic_bytes_s = 25e9,
    source = "NVIDIA DGX SuperPOD reference architecture, DGX A100 (2021): 140 nodes, 8x HDR 200 Gb/s"
      .. "; 2 TB a host; from memory",
  },
  ["DGX-H100-SuperPOD"] = {
    device = "H100-SXM-80GB", nodes = 127, fabric = "infiniband", host_memory_bytes = TWO_TIB, nic_bytes_s = 50e9,
    source = "NVIDIA DGX SuperPOD reference architecture, DGX H100 (2023): 127 nodes, 8x NDR 400 Gb/s"
      .. "; 2 TB a host; from memory",
  },
  ["DGX-B200-SuperPOD"] = {
    device = "B200-SXM-180GB", nodes = 127, fabric = "infiniband", host_memory_bytes = TWO_TIB, nic_bytes_s = 50e9,
    source = "NVIDIA DGX SuperPOD reference architecture, DGX B200 (2024): 127 nodes, 8x NDR 400 Gb/s"
      .. "; 2 TB a host; from memory",
  },
  ["GB200-NVL72"] = {
    device = "GB200", devices = 72, fabric = "infiniband", host_memory_bytes = TRAY, nic_bytes_s = 50e9,
    source = "NVIDIA GB200 NVL72 rack (2024): 18 trays of 4, one NVLink domain of 72; NICs from memory"
      .. "; 2 x 480 GB a tray from memory",
  },
  ["GB300-NVL72"] = {
    device = "GB300", devices = 72, fabric = "infiniband", host_memory_bytes = TRAY, nic_bytes_s = 100e9,
    source = "NVIDIA GB300 NVL72 rack (2025): 18 trays of 4, one NVLink domain of 72; NICs from memory"
      .. "; 2 x 480 GB a tray from memory",
  },
  ["TPU-v5p-pod"] = {
    device = "TPU-v5p", devices = 8960, fabric = "dcn",
    source = "Google Cloud TPU documentation: 8,960 chips in one 3D torus",
  },
  ["TPU-v5e-pod"] = {
    device = "TPU-v5e", devices = 256, fabric = "dcn",
    source = "Google Cloud TPU documentation: 256 chips in one 2D torus",
  },
  ["P4d-UltraCluster"] = {
    device = "A100-40GB-SXM", nodes = 500, fabric = "efa", host_memory_bytes = 1152 << 30, nic_bytes_s = 6.25e9,
    source = "AWS p4d.24xlarge (2020): 400 Gb/s EFA for 8 devices; number of nodes an example"
      .. "; host of 1,152 GiB from memory",
  },
  ["P5-UltraCluster"] = {
    device = "H100-SXM-80GB", nodes = 2500, fabric = "efa", host_memory_bytes = TWO_TIB, nic_bytes_s = 50e9,
    source = "AWS p5.48xlarge (2023): 3,200 Gb/s EFA for 8 devices, UltraClusters of up to 20,000"
      .. "; host of 2 TiB; from memory",
  },
  ["Trn1-UltraCluster"] = {
    device = "Trainium1", nodes = 1875, fabric = "efa", host_memory_bytes = 512 << 30, nic_bytes_s = 6.25e9,
    source = "AWS trn1.32xlarge (2022): 800 Gb/s EFA for 16 chips, up to 30,000 chips; host of 512 GiB; from memory",
  },
}

local options = {
  "device", "devices", "nodes", "node_size", "domain", "network", "network_of", "fabric", "nic_bytes_s", "host_memory_bytes", "price",
  "name", "source",
}

-- A value as a message has it; what has no text of its own by its kind.
local function shown(value)
  local kind = type(value)
  if kind == "string" then return "the text '" .. value .. "'" end
  return (kind == "table" or kind == "function") and "a " .. kind or tostring(value)
end

-- A count of a table, or nil; `of` is what people call the table.
local function whole(spec, field, of)
  local value = spec[field]
  if value == nil then return nil end
  local n = type(value) == "number" and math.tointeger(value)
  if not n or n < 1 then
    errors.input((of or "cluster") .. "." .. field, "must be a whole number of at least 1, got " .. shown(value))
  end
  return n
end

-- Looked at whether there are several nodes or one, which uses no network between nodes.
local function check_nic(rate)
  if rate ~= nil and (type(rate) ~= "number" or not (rate > 0 and rate < math.huge)) then
    errors.input("cluster.nic_bytes_s", "must be a number above 0, got " .. shown(rate))
  end
end

-- Fields of a device by the unit that their names end on: numbers.
local NUMBERS <const> = { "_bytes$", "_bytes_s$", "_flop_s$", "_frac$" }

local function is_number_of_device(field)
  for _, unit in ipairs(NUMBERS) do
    if field:find(unit) then return true end
  end
  return false
end

local NO_NUMBER <const> = { string = "'%s'", boolean = "%s" }

-- A device of one's own, of which text and yes or no are no numbers, and a number is no name. Fleets make many clusters of
-- one: few of its fields are looked at twice.
local function checked(device)
  local wrong
  for field, value in pairs(device) do
    if NO_NUMBER[type(value)] and type(field) == "string" and is_number_of_device(field) and (not wrong or field < wrong) then
      wrong = field
    end
  end
  if wrong then
    local value = device[wrong]
    errors.input("device." .. wrong, "must be a number, got " .. NO_NUMBER[type(value)]:format(tostring(value)))
  end
  if device.name ~= nil and type(device.name) ~= "string" then errors.input("device.name", "must be text") end
  return device
end

local function device_of(spec)
  if type(spec.device) == "table" then return checked(spec.device) end
  if type(spec.device) ~= "string" then
    errors.input("cluster.device", "must be the name of a device or a device table")
  end
  return devices.get(spec.device)
end

local function usual_node(device) return whole(device, "node_size", "device") or 8 end

-- How many, in nodes of how many.
local function count(spec, device, assumed)
  local node_size, total, nodes = whole(spec, "node_size"), whole(spec, "devices"), whole(spec, "nodes")
  if not node_size then
    node_size = usual_node(device)
    if total and total < node_size then node_size = total end
    assumed[#assumed + 1] = units.count(node_size, "device") .. " in a node"
  end
  if total and nodes and total ~= nodes * node_size then
    errors.input("cluster.devices", string.format("%d is not %s of %d", total, units.count(nodes, "node"), node_size))
  end
  if not total and not nodes then errors.input("cluster", "needs devices or nodes") end
  return total or nodes * node_size, node_size
end

-- A domain that is larger than a host (NVL72, a TPU slice) stays whole; any other ends with its node.
-- Devices without a fast link still talk inside their node, over what `link` says (PCIe).
local function domain_of(spec, device, total, node_size)
  local own = whole(device, "domain", "device") or 1
  local domain = whole(spec, "domain")
  if not domain then
    if own <= 1 then domain = node_size
    elseif own > usual_node(device) then domain = own
    else domain = math.min(own, node_size) end
  end
  return math.min(domain, total)
end

local function up_tier(device, domain)
  local bw = device.link_bytes_s or 0
  if domain > 1 and bw == 0 then
    errors.input("device.link_bytes_s", "is missing: what one device can send to the " .. domain - 1
      .. " others it is connected with, in bytes per second and direction, as GB_s(450)")
  end
  if domain <= 1 or bw == 0 then return { bw_bytes_s = 0 }, nil end
  local tier, source = fabrics.scaleup(device.link or "pcie")
  tier.bw_bytes_s = bw
  return tier, source
end

-- 25 Gb/s is the least that hosts of accelerators are sold with.
local LEAST_NIC_BYTES_S <const> = 3.125e9
-- PCIe 4 x16, data-sheet rate of one direction.
local PCIE_BYTES_S <const> = 31e9

-- Rate per device of the network behind the timings of EFA: 3.2 Tbit/s for eight. Devices sold with slower NICs keep
-- those.
local TIMED_BYTES_S <const> = 50e9

-- What a device whose only link is PCIe sends to other nodes goes over that link.
local function through_link(device, nic)
  if (device.link or "pcie") ~= "pcie" then return nic end
  return math.min(nic, device.host_bytes_s or math.huge)
end

local function usual_nic(device, fabric_stated)
  local nic = device.nic_bytes_s
  if not nic then return LEAST_NIC_BYTES_S, "" end
  if fabric_stated or device.vendor ~= "NVIDIA" or nic <= TIMED_BYTES_S then
    return nic, ", as the device usually has"
  end
  return TIMED_BYTES_S, ", as the network that was timed"
end

-- Within one host, what is not bridged talks over PCIe.
local function host_tier(assumed)
  local tier, source = fabrics.scaleup("pcie")
  tier.bw_bytes_s = PCIE_BYTES_S
  assumed[#assumed + 1] = "PCIe 4 between the bridged devices of a node"
  return tier, source, "pcie"
end

-- What is stated of the network between nodes, in fields and in words, the fields first: { fabric, nic_bytes_s, slow, doubt,
-- doubted_bytes_s } as ballpark.catalog.network_words says.
local function between_nodes(spec, device, node_size, assumed)
  if spec.network == nil then return { fabric = spec.fabric, nic_bytes_s = spec.nic_bytes_s } end
  if type(spec.network) ~= "string" then
    errors.input("cluster.network", "must be words, as '8x 400 Gb/s InfiniBand', got " .. type(spec.network))
  end
  local words = network_words.between(spec.network, device, node_size, spec.network_of == "system")
  if not (words.fabric or words.nic_bytes_s or words.doubt) then
    errors.input("cluster.network", ("'%s' says neither a network nor a rate: write '8x 400 Gb/s InfiniBand', '1600 Gb/s RoCE per "
      .. "node'"):format(spec.network))
  end
  local said = { fabric = spec.fabric or words.fabric, nic_bytes_s = spec.nic_bytes_s or words.nic_bytes_s }
  if spec.nic_bytes_s then return said end
  assumed[#assumed + 1] = words.said or words.doubt
  said.slow, said.doubt, said.doubted_bytes_s = words.slow, words.doubt, words.doubted_bytes_s
  return said
end

local function out_tier(spec, device, total, node_size, domain, assumed)
  -- A name that is none is a slip, also where no node sends to another.
  if spec.fabric then fabrics.scaleout(spec.fabric) end
  if total <= domain then return { bw_bytes_s = 0 }, nil, nil end
  if total <= node_size and not (spec.fabric or spec.network) then return host_tier(assumed) end
  local between = between_nodes(spec, device, node_size, assumed)
  local fabric = between.fabric or usual_fabric[device.vendor] or "ethernet"
  if not between.fabric then
    assumed[#assumed + 1] = device.vendor == "NVIDIA" and "latency of EFA between nodes, the network that was timed"
      or fabric .. " between nodes"
  end
  local tier, source = fabrics.scaleout(fabric)
  local nic, why = usual_nic(device, between.fabric ~= nil)
  tier.bw_bytes_s = through_link(device, between.nic_bytes_s or nic)
  if not between.nic_bytes_s then
    between.rate_assumed = true
    assumed[#assumed + 1] = string.format("%.4g Gbit/s between nodes per device%s", tier.bw_bytes_s * 8 / 1e9,
      tier.bw_bytes_s < nic and ", as much as its PCIe link carries" or why)
  end
  return tier, source, fabric, between
end

-- spec.price is USD per device-hour, or the name of a provider.
local function price_of(spec, device, assumed)
  if type(spec.price) == "number" then
    if not (spec.price >= 0 and spec.price < math.huge) then
      errors.input("cluster.price", ("must be at least 0 USD per device-hour, got %.15g"):format(spec.price))
    end
    return spec.price, "given"
  end
  if spec.price ~= nil and type(spec.price) ~= "string" then
    errors.input("cluster.price", "must be USD per device-hour or the name of a provider, got " .. tostring(spec.price))
  end
  if not device.name then return nil, "no price given" end
  local usd_h, source = prices.of(device, spec.price)
  local said = usd_h and string.format("%.2f USD per device-hour (%s)", usd_h, source) or source
  assumed[#assumed + 1] = said
  return usd_h, source, said, usd_h and not spec.price and prices.spread(device.name) or nil
end

--- A cluster from { device = name or table, devices = or nodes =, node_size =, domain =, network = (words), network_of =
--- "system" (of which the words are a description, and not of this network alone), fabric =,
--- nic_bytes_s =, host_memory_bytes =, price = }: { spec, device, network, whole_node, usd_h, price_source,
--- usd_h_spread (of prices.spread, where the price is assumed), price_assumed, assumed, network_assumed,
--- fabric_assumed (whether nodes talk over a network that was not stated),
--- rate_assumed (nobody says the rate of the network between nodes, or it was not believed), slow_network (a sentence on a rate far below what such nodes are sold with) }.
--- `network` has the fields of the core's network, whole_node is the node's size where it is not cut down to
--- fewer devices; `assumed` lists in words what was not given, price_assumed is the one of them that is about
--- the price, network_assumed those about the network between nodes.
function clusters.make(spec)
  errors.only("cluster", spec, options)
  local device = device_of(spec)
  check_nic(spec.nic_bytes_s)
  local assumed = { devices.counted(device) }
  local total, node_size = count(spec, device, assumed)
  local domain = domain_of(spec, device, total, node_size)
  local up, up_source = up_tier(device, domain)
  local network_assumed = {}
  local out, out_source, fabric, between = out_tier(spec, device, total, node_size, domain, network_assumed)
  table.move(network_assumed, 1, #network_assumed, #assumed + 1, assumed)
  local usd_h, price_source, price_assumed, usd_h_spread = price_of(spec, device, assumed)
  local sources = {}
  if spec.source then sources[#sources + 1] = spec.source end
  if up_source then sources[#sources + 1] = "inside the domain: " .. up_source end
  if out_source then sources[#sources + 1] = "between domains: " .. out_source end
  return {
    spec = spec,
    device = device,
    network = {
      name = spec.name,
      fabric = fabric,
      source = table.concat(sources, "; "),
      devices = total,
      node_size = node_size,
      domain = domain,
      host_memory_bytes = whole(spec, "host_memory_bytes"),
      scaleup = up,
      scaleout = out,
    },
    whole_node = spec.node_size or usual_node(device),
    usd_h = usd_h,
    usd_h_spread = usd_h_spread,
    price_source = price_source,
    price_assumed = price_assumed,
    assumed = assumed,
    network_assumed = network_assumed,
    fabric_assumed = between ~= nil and between.fabric == nil,
    rate_assumed = between and between.rate_assumed,
    slow_network = between and between.slow,
  }
end

--- The same cluster with another number of devices: nodes, domain and fabric follow from it as they did.
function clusters.resized(cluster, count_wanted)
  local spec = { devices = count_wanted, device = cluster.device }
  for key, value in pairs(cluster.spec) do
    if key ~= "nodes" and spec[key] == nil then spec[key] = value end
  end
  return clusters.make(spec)
end

--- What a device of a cluster can send to one of another node, in bytes per second and direction: over the fast links where these
--- join nodes (NVL72, a TPU pod), else over its NIC.
function clusters.between_nodes_bytes_s(cluster)
  local two = clusters.resized(cluster, 2 * cluster.whole_node).network
  return two.domain >= two.devices and two.scaleup.bw_bytes_s or two.scaleout.bw_bytes_s
end

--- Names of the systems the catalog knows, sorted.
function clusters.names()
  return tables.sorted_keys(named)
end

--- A named system; `changes` (as for make) override what the catalog says of it.
function clusters.get(name, changes)
  local spec = named[name]
  if not spec then errors.unknown("cluster", name, clusters.names(), "cluster") end
  local merged = tables.with({ name = name }, spec)
  if changes and (changes.devices or changes.nodes) then merged.devices, merged.nodes = nil, nil end
  return clusters.make(tables.with(merged, changes))
end

return clusters

-- What connected the devices.
local clusters = require("ballpark.catalog.clusters")
local interconnect = require("ballpark.resolve.interconnect")
local tables = require("ballpark.tables")

-- PCI Express 4.0 x16, per direction.
local PCIE_BYTES_S <const> = 32e9

local function node_size(case)
  local stated = case.row.gpus_per_node
  case.node_size = math.min(stated or case.device.node_size or 8, case.gpus)
  return not stated and ("%d devices in a node"):format(case.node_size) or nil
end

-- "FSDP x64 within slice, DP x4 over DCN": a slice is one scale-up domain.
local function slice_of(case)
  local label = case.row.sharding_label or ""
  local slices = tonumber(label:match("[Dd][Pp]%s*[x=×]?%s*(%d+)%s+over%s+DCN"))
  if slices and slices >= 1 and case.gpus % slices == 0 then return case.gpus // slices end
  return nil
end

local pcie_variants = {}

-- The same device with its scale-up link replaced by PCIe.
local function over_pcie(device)
  if not pcie_variants[device] then
    pcie_variants[device] = tables.with(device,
      { link = "pcie", link_bytes_s = math.min(device.link_bytes_s or PCIE_BYTES_S, PCIE_BYTES_S) })
  end
  return pcie_variants[device]
end

local known = {}

local function cluster_of(spec)
  local key = table.concat({ tostring(spec.device), spec.devices, spec.node_size, spec.domain or "",
    spec.fabric or "", spec.nic_bytes_s or "" }, " ")
  known[key] = known[key] or clusters.make(spec)
  return known[key]
end

local function said_of(case, spec, stated)
  local network = case.network
  if network.devices <= network.domain or (stated and spec.nic_bytes_s) then return nil end
  local tier = network.scaleout
  local kind = stated and "" or spec.fabric and "latency of EFA, " or network.fabric .. ", "
  return ("%s%g Gbit/s between nodes per device"):format(kind, tier.bw_bytes_s * 8 / 1e9)
end

-- Rate per device of the network behind the timings of EFA: 3.2 Tbit/s for eight.
local TIMED_BYTES_S <const> = 50e9

-- Networks between nodes of this vendor's devices come in several kinds and rates: one that is not stated is
-- taken as the only one with public timings, which is at the slower end of what is sold with them. Devices
-- sold with slower NICs keep those.
local function unstated(case)
  if case.device.vendor ~= "NVIDIA" or case.gpus <= case.node_size then return {} end
  return { fabric = "efa", device_bytes_s = (case.device.nic_bytes_s or 0) > TIMED_BYTES_S and TIMED_BYTES_S or nil }
end

local function network(case)
  local row = case.row
  local between = interconnect.between(row.interconnect_inter or "")
  local inside = interconnect.inside(row.interconnect_intra or "")
  local usual = between.fabric and {} or unstated(case)
  local spec = { device = case.device, devices = case.gpus, node_size = case.node_size,
    fabric = between.fabric or usual.fabric, domain = inside.domain or slice_of(case) }
  spec.nic_bytes_s = between.device_bytes_s
    or between.node_bytes_s and between.node_bytes_s / case.node_size or usual.device_bytes_s
  if inside.pcie then spec.device = over_pcie(case.device) end
  case.network = cluster_of(spec).network
  return said_of(case, spec, between.fabric)
end

return {
  { column = "gpus_per_node", says = "blank: as the device is usually sold", apply = node_size },
  { column = "interconnect_intra, interconnect_inter", apply = network,
    says = "read for kind and rate (links x Gb/s per node, or per GPU where it says so), NVLn for the "
      .. "size of the domain, PCIe for the link; blank parts are those the device usually comes with, between "
      .. "nodes of NVIDIA's the only network with public timings (EFA, at most 400 Gbit/s per device); "
      .. "'DP xN over DCN' in sharding_label makes N slices, each one domain" },
}

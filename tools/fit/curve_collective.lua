-- Timings of collectives, and the tier that is fitted to each kind of link.
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")

local curve_collective = {}

-- Which devices speak for a kind of link. L40S is left out: its timings were taken with peer-to-peer
-- access switched off. NVLink switches reduce from the fourth generation on.
local links = {
  { name = "nvlink3", devices = { "A100-80GB-SXM" } },
  { name = "nvlink4", devices = { "H100-SXM-80GB", "H200-SXM-141GB" }, reduces = true },
  { name = "nvlink5", devices = { "B200-SXM-180GB", "B300-SXM-288GB", "GB200", "GB300" }, reduces = true },
  { name = "pcie", devices = { "RTX-PRO-6000-BSE" } },
}

local parameters = {
  { name = "util", start = 0.76, min = 0.05, max = 1 },
  { name = "alpha_s", start = 7e-6, min = 0, max = 1e-3 },
  { name = "step_s", start = 1e-6, min = 0, max = 1e-4 },
  { name = "ramp", start = 4e-3, min = 0, max = 1 },
}
local reducing = table.move(parameters, 1, #parameters, 1, {})
reducing[#reducing + 1] = { name = "reduce_gain", start = 0.3, min = 0, max = 1 }

local operations = {
  all_reduce = "all_reduce", all_gather = "all_gather", reduce_scatter = "reduce_scatter",
  alltoall = "all_to_all",
}

local function network_of(name, tier)
  local device = devices.get(name)
  local domain = math.max(device.domain, device.node_size)
  tier.bw_bytes_s = device.link_bytes_s
  return { devices = domain, node_size = domain, domain = domain, scaleup = tier }
end

local function model_of(link)
  local tiers, input = {}, {}
  for _, name in ipairs(link.devices) do
    local tier = {}
    tiers[name] = { tier = tier, network = network_of(name, tier) }
  end
  return function(values)
    for _, entry in pairs(tiers) do
      for field, value in pairs(values) do entry.tier[field] = value end
    end
    return function(row)
      input.network, input.op = tiers[row.device].network, row.op
      input.bytes, input.ranks = row.bytes, row.ranks
      return core.collective(input).time_s
    end
  end
end

local function row_of(cells)
  local ranks = math.tointeger(cells.gpus)
  return {
    device = cells.accelerator, op = operations[cells.op], ranks = ranks,
    bytes = tonumber(cells.payload_bytes), time_s = tonumber(cells.value) * 1e-6, group = tostring(ranks),
  }
end

--- The sets in `records` (rows of measured_hw.csv): NCCL latencies inside one domain.
function curve_collective.sets(records)
  local sets, by_device = {}, {}
  for i, link in ipairs(links) do
    sets[i] = {
      device = link.name, format = table.concat(link.devices, ", "), rows = {}, model = model_of(link),
      parameters = link.reduces and reducing or parameters,
      constants = not link.reduces and { reduce_gain = 0 } or nil,
    }
    for _, name in ipairs(link.devices) do by_device[name] = sets[i] end
  end
  for _, record in ipairs(records) do
    local cells = record.cells
    local set = by_device[cells.accelerator]
    if set and cells.kind == "latency_us" and operations[cells.op] then
      set.rows[#set.rows + 1] = row_of(cells)
    end
  end
  return sets
end

-- All-reduces between nodes: what they ran on, and the kind of network they speak for.
local between = {
  name = "efa", device = "B200-SXM-180GB", link = "nvlink5", ranks = 32, node_size = 8, nic_bytes_s = 50e9,
  -- Below, the first sizes of the sweep carry the set-up of connections (32 KiB takes 6 ms).
  least_bytes = 262144,
  -- Timings of one group do not tell a start from steps. A ring's between nodes in NCCL's Simple protocol, which networks
  -- that do not keep the order of what they carry are left to (hwLat of its src/graph/tuning.cc, 2.18 to 2.23, recalled).
  step_s = 14e-6,
}

local between_parameters = {
  { name = "util", start = 0.9, min = 0.05, max = 1 },
  { name = "alpha_s", start = 2e-4, min = 0, max = 1e-2 },
  { name = "ramp", start = 4e-3, min = 0, max = 1 },
}

local function model_between(inside)
  local scaleup = { bw_bytes_s = devices.get(between.device).link_bytes_s }
  for field, value in pairs(inside) do scaleup[field] = value end
  local scaleout = { bw_bytes_s = between.nic_bytes_s, step_s = between.step_s }
  local input = {
    op = "all_reduce", ranks = between.ranks,
    network = {
      devices = between.ranks, node_size = between.node_size, domain = between.node_size, scaleup = scaleup,
      scaleout = scaleout,
    },
  }
  return function(values)
    for field, value in pairs(values) do scaleout[field] = value end
    return function(row)
      input.bytes = row.bytes
      return core.collective(input).time_s
    end
  end
end

-- Bus bandwidth of an all-reduce is 2 (n-1)/n of the message over the time.
local function row_between(cells)
  local bytes, n = tonumber(cells.payload_bytes), between.ranks
  return {
    bytes = bytes, time_s = 2 * (n - 1) / n * bytes / (tonumber(cells.value) * 1e9), group = cells.payload_bytes,
  }
end

--- The set of collectives between nodes, on top of the tiers fitted inside them.
function curve_collective.between(records, fitted)
  local inside
  for _, result in ipairs(fitted) do
    if result.set.device == between.link then inside = result.values end
  end
  if not inside then return {} end
  local set = {
    device = between.name, format = between.device, rows = {}, parameters = between_parameters,
    model = model_between(inside), constants = { reduce_gain = 0, step_s = between.step_s },
  }
  for _, record in ipairs(records) do
    local cells = record.cells
    if cells.kind == "busbw_gbs" and cells.op == "all_reduce" and cells.accelerator == between.device
      and tonumber(cells.gpus) == between.ranks and tonumber(cells.payload_bytes) >= between.least_bytes then
      set.rows[#set.rows + 1] = row_between(cells)
    end
  end
  return { set }
end

return curve_collective

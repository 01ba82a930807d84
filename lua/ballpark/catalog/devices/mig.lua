-- Slices of a GPU that is divided (MIG): compute by sevenths, memory and its bandwidth by eighths (A30: by fourths), one
-- slice in the name a seventh (NVIDIA Multi-Instance GPU user guide, tables of profiles, 2026-07). The GiB are those in
-- the profile's name, as vendors round them.
local tables = require("ballpark.tables")

local GiB <const> = 1 << 30
local PCIE4_X16 <const> = 31.5e9

-- Of each GPU: the slices of compute and of memory it is divided into, and its profiles: name, compute, memory.
local HOPPER <const> = {
  { "1g.10gb", 1, 1, 10 }, { "1g.20gb", 1, 2, 20 }, { "2g.20gb", 2, 2, 20 }, { "3g.40gb", 3, 4, 40 },
  { "4g.40gb", 4, 4, 40 }, { "7g.80gb", 7, 8, 80 },
}
local PARENTS <const> = {
  { "A30", "A30", 4, 4, { { "1g.6gb", 1, 1, 6 }, { "2g.12gb", 2, 2, 12 }, { "4g.24gb", 4, 4, 24 } } },
  { "A100-40GB-SXM", "A100-40GB", 7, 8, { { "1g.5gb", 1, 1, 5 }, { "1g.10gb", 1, 2, 10 }, { "2g.10gb", 2, 2, 10 },
    { "3g.20gb", 3, 4, 20 }, { "4g.20gb", 4, 4, 20 }, { "7g.40gb", 7, 8, 40 } } },
  { "A100-80GB-SXM", "A100-80GB", 7, 8, HOPPER },
  { "H100-SXM-80GB", "H100-80GB", 7, 8, HOPPER },
  { "H200-SXM-141GB", "H200-141GB", 7, 8, { { "1g.18gb", 1, 1, 16 }, { "1g.35gb", 1, 2, 33 }, { "2g.35gb", 2, 2, 33 },
    { "3g.71gb", 3, 4, 66 }, { "4g.71gb", 4, 4, 66 }, { "7g.141gb", 7, 8, 141 } } },
}

local by_compute = { "fp32_flop_s", "tf32_flop_s", "bf16_flop_s", "fp8_flop_s", "int8_flop_s", "fp4_flop_s", "tdp_w" }

local function parent_of(name)
  for _, file in ipairs({ "nvidia_ampere", "nvidia_hopper" }) do
    for _, entry in ipairs(require("ballpark.catalog.devices." .. file)) do
      if entry.name == name then return entry end
    end
  end
  error("catalog/devices/mig: no device " .. name)
end

local function slice(parent, prefix, parts, profile)
  local compute, memory = profile[2] / parts[1], profile[3] / parts[2]
  local changes = { name = prefix .. "-MIG-" .. profile[1], memory_bytes = profile[4] * GiB,
    mem_bw_bytes_s = parent.mem_bw_bytes_s * memory, l2_bytes = math.floor(parent.l2_bytes * memory),
    cores = math.max(1, math.floor(parent.cores * compute)), link = "pcie", link_bytes_s = PCIE4_X16, domain = 1, node_size = 1,
    source = parent.source .. "; share of a slice: NVIDIA Multi-Instance GPU user guide (2026)",
    notes = "a slice of the GPU, alone on it; slices do not talk to each other",
    curves = { from = parent.curves and parent.curves.from or parent.name, why = "curve of the whole GPU" } }
  for _, field in ipairs(by_compute) do changes[field] = parent[field] and parent[field] * compute end
  return tables.with(parent, changes)
end

local list = {}
for _, item in ipairs(PARENTS) do
  local parent = parent_of(item[1])
  for _, profile in ipairs(item[5]) do list[#list + 1] = slice(parent, item[2], { item[3], item[4] }, profile) end
end
return list

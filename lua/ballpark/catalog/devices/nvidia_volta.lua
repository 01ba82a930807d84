-- NVIDIA Pascal, Volta and Turing. Dense peaks, links per direction, memory as software sees it.
local tables = require("ballpark.tables")

local GiB <const> = 1 << 30
local MiB <const> = 1 << 20

local V100_PCIE <const> = {
  name = "V100-32GB-PCIe",
  vendor = "NVIDIA",
  memory_bytes = 32 * GiB,
  mem_bw_bytes_s = 900e9,
  fp32_flop_s = 14e12,
  bf16_flop_s = 112e12, -- fp16
  has_bf16 = false,
  l2_bytes = 6 * MiB,
  cores = 80,
  link = "pcie",
  link_bytes_s = 16e9,
  domain = 1,
  node_size = 8,
  nic_bytes_s = 12.5e9,
  tdp_w = 250,
  from_memory = { "fp32_flop_s", "l2_bytes", "nic_bytes_s", "tdp_w", "node_size" },
  source = "cli99/llm-analysis@d841e40a:llm_analysis/gpu_configs"
    .. " + NVIDIA V100 architecture white paper (2017; cores), recalled",
  notes = "fp16 tensor only",
  curves = {
    from = "A100-80GB-SXM",
    u16 = 0.78,
    why = "no measurements of Volta: A100 curve; ceiling lowered for 250 W (assumption)",
  },
}

return {
  {
    name = "V100-16GB-SXM",
    vendor = "NVIDIA",
    memory_bytes = 16 * GiB,
    mem_bw_bytes_s = 900e9,
    fp32_flop_s = 15.7e12,
    bf16_flop_s = 125e12, -- fp16
    has_bf16 = false,
    l2_bytes = 6 * MiB,
    cores = 80,
    link = "nvlink2",
    link_bytes_s = 150e9,
    domain = 8,
    node_size = 8,
    nic_bytes_s = 6.25e9,
    tdp_w = 300,
    from_memory = { "nic_bytes_s" },
    source = "stas00/ml-engineering@744d01e18b compute/accelerator and network + "
      .. "cli99/llm-analysis@d841e40a:llm_analysis/gpu_configs + page: hmc-tech V100"
      .. " + NVIDIA V100 architecture white paper (2017; cores) and DGX-1 data sheet (node_size; four adapters of 100 Gb/s "
      .. "for eight devices), both recalled",
    notes = "fp16 tensor only (no bf16/tf32/int8 tensor cores); 16-GPU DGX-2 has NVSwitch; int8 via DP4A 62 "
      .. "TOPS (memory)",
    curves = {
      from = "A100-80GB-SXM",
      why = "no measurements of Volta: shape of the A100 curve",
    },
  },
  {
    name = "V100-32GB-SXM",
    vendor = "NVIDIA",
    memory_bytes = 32 * GiB,
    mem_bw_bytes_s = 900e9,
    fp32_flop_s = 15.7e12,
    bf16_flop_s = 125e12, -- fp16
    has_bf16 = false,
    l2_bytes = 6 * MiB,
    cores = 80,
    link = "nvlink2",
    link_bytes_s = 150e9,
    domain = 8,
    node_size = 8,
    nic_bytes_s = 6.25e9,
    tdp_w = 300,
    from_memory = { "nic_bytes_s", "node_size" },
    source = "stas00/ml-engineering@744d01e18b compute/accelerator and network + "
      .. "cli99/llm-analysis@d841e40a:llm_analysis/gpu_configs + page: hmc-tech V100"
      .. " + NVIDIA V100 architecture white paper (2017; cores) and DGX-1 and DGX-2 data sheets (adapters of 100 Gb/s, one "
      .. "for two devices), recalled",
    notes = "fp16 tensor only (no bf16/tf32/int8 tensor cores); 16-GPU DGX-2 has NVSwitch; int8 via DP4A 62 "
      .. "TOPS (memory)",
    curves = {
      from = "A100-80GB-SXM",
      why = "no measurements of Volta: shape of the A100 curve",
    },
  },
  V100_PCIE,
  tables.with(V100_PCIE, {
    name = "V100-16GB-PCIe",
    memory_bytes = 16 * GiB,
    source = "as V100-32GB-PCIe; the first of it had 16 GB (NVIDIA V100 data sheet, recalled)",
  }),
  {
    name = "T4",
    vendor = "NVIDIA",
    memory_bytes = 15 * GiB,
    mem_bw_bytes_s = 320e9,
    fp32_flop_s = 8.1e12,
    bf16_flop_s = 65e12, -- fp16
    has_bf16 = false,
    int8_flop_s = 130e12,
    l2_bytes = 4 * MiB,
    cores = 40,
    link = "pcie",
    link_bytes_s = 16e9,
    domain = 1,
    node_size = 4,
    nic_bytes_s = 3.125e9,
    tdp_w = 70,
    from_memory = { "memory_bytes", "link_bytes_s", "nic_bytes_s", "node_size" },
    source = "page: hmc-tech / sysrqmts GPU spec tables"
      .. " + NVIDIA Turing architecture white paper (2018; cores), recalled",
    notes = "fp16 tensor only (no bf16/tf32); int4 260 TOPS (memory); GDDR6 ECC leaves about 15 GiB",
    curves = {
      from = "A100-80GB-SXM",
      u16 = 0.45,
      attention_u = 0.25,
      why = "A100 curve; 70 W hold it to about 30 of 65 TFLOP/s (assumption from public reports)",
    },
  },
  {
    name = "P100-SXM-16GB",
    vendor = "NVIDIA",
    memory_bytes = 16 * GiB,
    mem_bw_bytes_s = 732e9,
    fp32_flop_s = 10.6e12,
    bf16_flop_s = 21.2e12, -- fp16
    has_bf16 = false,
    l2_bytes = 4 * MiB,
    cores = 56,
    link = "nvlink1",
    link_bytes_s = 80e9,
    domain = 8,
    node_size = 8,
    nic_bytes_s = 12.5e9,
    tdp_w = 300,
    from_memory = { "all fields" },
    source = "NVIDIA Tesla P100 white paper (2016) and DGX-1 data sheet, from memory",
    notes = "no tensor cores: fp16 in the vector units; four links of NVLink in a mesh of 8",
    curves = {
      from = "A100-80GB-SXM",
      why = "no measurements of Pascal: shape of the A100 curve",
    },
  },
}

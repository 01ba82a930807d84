-- Intel Gaudi and Max. Dense peaks, links per direction, memory as software sees it.
local GiB <const> = 1 << 30
local MiB <const> = 1 << 20

return {
  {
    name = "Gaudi2",
    vendor = "Intel",
    memory_bytes = 96 * GiB,
    mem_bw_bytes_s = 2460e9,
    bf16_flop_s = 432e12,
    fp8_flop_s = 865e12,
    l2_bytes = 48 * MiB,
    cores = 2,
    link = "roce_onchip",
    link_bytes_s = 300e9,
    domain = 8,
    node_size = 8,
    nic_bytes_s = 37.5e9,
    tdp_w = 600,
    from_memory = { "cores", "node_size" },
    source = "stas00/ml-engineering@744d01e18b compute/accelerator and network",
    notes = "21 of 24 ports intra-node, 3 scale-out in HLS-2 (memory): 300 GB/s is all ports; l2_mb = "
      .. "software-managed SRAM",
    curves = {
      from = "A100-80GB-SXM",
      u16 = 0.969,
      u8 = 0.956,
      attention_u = 0.4,
      why = "generic shape (A100) with the best matmul measured, 0.97 of peak "
        .. "(stas00/ml-engineering@744d01e18b)",
    },
  },
  {
    name = "Gaudi3",
    vendor = "Intel",
    memory_bytes = 128 * GiB,
    mem_bw_bytes_s = 3700e9,
    fp32_flop_s = 229e12,
    tf32_flop_s = 459e12,
    bf16_flop_s = 1677e12,
    fp8_flop_s = 1677e12,
    l2_bytes = 96 * MiB,
    cores = 8,
    link = "roce_onchip",
    link_bytes_s = 600e9,
    domain = 8,
    node_size = 8,
    nic_bytes_s = 75e9,
    tdp_w = 900,
    from_memory = { "cores", "node_size" },
    source = "stas00/ml-engineering@744d01e18b compute/accelerator and network",
    notes = "whitepaper quotes 1835 TFLOPS (1835 MHz); 1677 is at the shipping 1600 MHz; fp16 only 459; ST "
      .. "node figure: 24 NICs x 200 Gb = 600 GB/s; 3 of 24 ports scale-out in the reference node "
      .. "(memory)",
    curves = {
      from = "H100-SXM-80GB",
      u16 = 0.741,
      u8 = 0.769,
      attention_u = 0.35,
      why = "generic shape (H100) with the best matmul measured, 0.74 of peak "
        .. "(stas00/ml-engineering@744d01e18b)",
    },
  },
  {
    name = "Max-1550-tile",
    vendor = "Intel",
    die_of = "Max 1550",
    memory_bytes = 64 * GiB,
    mem_bw_bytes_s = 1638.4e9,
    fp32_flop_s = 26.2e12,
    tf32_flop_s = 209.5e12,
    bf16_flop_s = 419.5e12,
    int8_flop_s = 839e12,
    l2_bytes = 204 * MiB,
    cores = 64,
    link = "xelink",
    link_bytes_s = 75e9,
    domain = 12,
    node_size = 12,
    nic_bytes_s = 16.5e9,
    tdp_w = 300,
    from_memory = { "all fields" },
    source = "Intel Data Center GPU Max Series data sheet (2023), from memory",
    notes = "one of the two stacks (tiles) of a package, which software sees as a device: half of everything in Max 1550; "
      .. "node of the kind of Aurora, 8 NICs of 200 Gb for 12 tiles; link is an assumption",
    curves = {
      from = "A100-80GB-SXM",
      u16 = 0.52,
      attention_u = 0.3,
      why = "generic shape (A100) with the matmul that ALCF states for a stack of Aurora, "
        .. "216 TFLOP/s bf16 (from memory)",
    },
  },
}

-- NVIDIA Blackwell for data centres. Dense peaks, links per direction, memory as software sees it.
local GiB <const> = 1 << 30
local MiB <const> = 1 << 20

return {
  {
    name = "B200-SXM-180GB",
    vendor = "NVIDIA",
    memory_bytes = 180 * GiB,
    mem_bw_bytes_s = 7700e9,
    fp32_flop_s = 80e12,
    tf32_flop_s = 1125e12,
    bf16_flop_s = 2250e12,
    fp8_flop_s = 4500e12,
    int8_flop_s = 4500e12,
    fp4_flop_s = 9000e12,
    l2_bytes = 126 * MiB,
    cores = 148,
    link = "nvlink5",
    link_bytes_s = 900e9,
    domain = 8,
    node_size = 8,
    nic_bytes_s = 50e9,
    tdp_w = 1000,
    from_memory = { "cores" },
    source = "ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/systems/b200_sxm.yaml + "
      .. "stas00/ml-engineering@744d01e18b compute/accelerator and network"
      .. " + NVIDIA DGX B200 data sheet (node_size), recalled",
    notes = "ml-engineering: 8.0 TB/s and nvfp4 10000; aiconfigurator: 7.7 TB/s, fp4 9000, 800 Gb scale-out; "
      .. "AWS EFA v4 400 Gb per GPU",
  },
  {
    name = "GB200",
    vendor = "NVIDIA",
    memory_bytes = 189471 * MiB,
    mem_bw_bytes_s = 8000e9,
    fp32_flop_s = 80e12,
    tf32_flop_s = 1250e12,
    bf16_flop_s = 2500e12,
    fp8_flop_s = 5000e12,
    int8_flop_s = 5000e12,
    fp4_flop_s = 10000e12,
    l2_bytes = 126 * MiB,
    cores = 152,
    link = "nvlink5",
    link_bytes_s = 900e9,
    domain = 72,
    node_size = 4,
    nic_bytes_s = 50e9,
    tdp_w = 1200,
    from_memory = { "nic_bytes_s", "cores" },
    source = "ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/systems/gb200.yaml + "
      .. "stas00/ml-engineering@744d01e18b compute/accelerator and network"
      .. " + NVIDIA GB200 NVL72 data sheet (18 trays of 4), recalled",
    notes = "per GPU (2 per superchip, 4 per tray, 72 per rack); marketed also as 192 GB",
  },
  {
    name = "B300-SXM-288GB",
    vendor = "NVIDIA",
    memory_bytes = 275040 * MiB,
    mem_bw_bytes_s = 7750e9,
    fp32_flop_s = 80e12,
    tf32_flop_s = 1125e12,
    bf16_flop_s = 2250e12,
    fp8_flop_s = 4500e12,
    int8_flop_s = 153.5e12,
    fp4_flop_s = 14000e12,
    l2_bytes = 126 * MiB,
    cores = 148,
    link = "nvlink5",
    link_bytes_s = 900e9,
    domain = 8,
    node_size = 8,
    nic_bytes_s = 100e9,
    tdp_w = 1100,
    from_memory = { "l2_bytes", "cores" },
    source = "ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/systems/b300_sxm.yaml + "
      .. "stas00/ml-engineering@744d01e18b compute/accelerator and network"
      .. " + NVIDIA DGX B300 data sheet (node_size), recalled",
    notes = "sources disagree: bw 8.0 (ml-engineering) vs 7.75; fp4 12600/15000(nvfp4) vs 14000; int8 4500 "
      .. "(ml-engineering) vs 153.5 (aiconfigurator; Blackwell Ultra cut int8); TDP 1000 / 1100 / 1300; "
      .. "visible 275040 MiB",
  },
  {
    name = "GB300",
    vendor = "NVIDIA",
    memory_bytes = 284208 * MiB,
    mem_bw_bytes_s = 8000e9,
    fp32_flop_s = 80e12,
    tf32_flop_s = 1250e12,
    bf16_flop_s = 2500e12,
    fp8_flop_s = 5000e12,
    int8_flop_s = 165e12,
    fp4_flop_s = 15000e12,
    l2_bytes = 126 * MiB,
    cores = 152,
    link = "nvlink5",
    link_bytes_s = 900e9,
    domain = 72,
    node_size = 4,
    nic_bytes_s = 100e9,
    tdp_w = 1400,
    from_memory = { "l2_bytes", "nic_bytes_s", "cores" },
    source = "ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/systems/gb300.yaml + "
      .. "stas00/ml-engineering@744d01e18b compute/accelerator and network"
      .. " + NVIDIA GB300 NVL72 data sheet (18 trays of 4), recalled",
    notes = "ml-engineering int8 5000 vs aiconfigurator 165; visible 284208 MiB",
  },
}

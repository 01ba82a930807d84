-- Huawei Ascend. Dense peaks, links per direction, memory as software sees it.
local GiB <const> = 1 << 30

return {
  {
    name = "Ascend-910A",
    vendor = "Huawei",
    memory_bytes = 32 * GiB,
    mem_bw_bytes_s = 1200e9,
    bf16_flop_s = 256e12,
    int8_flop_s = 512e12,
    sms = 32,
    link = "hccs",
    link_bytes_s = 30e9,
    domain = 4,
    nic_bytes_s = 12.5e9,
    tdp_w = 310,
    from_memory = { "all fields" },
    source = "Liao et al., Ascend, HPCA 2021, from memory",
    notes = "fp16 only; 8 devices in a node, two meshes of 4",
    curves = {
      from = "A100-80GB-SXM",
      u16 = 0.72,
      why = "generic shape (A100), generic ceiling .72 (assumption)",
    },
  },
  {
    name = "Ascend-910B",
    vendor = "Huawei",
    memory_bytes = 64 * GiB,
    mem_bw_bytes_s = 1600e9,
    bf16_flop_s = 313e12,
    int8_flop_s = 640e12,
    sms = 20,
    link = "hccs",
    link_bytes_s = 196e9,
    domain = 8,
    nic_bytes_s = 25e9,
    tdp_w = 400,
    from_memory = { "all fields" },
    source = "Atlas 800T A2 public specifications (910B3 variant), from memory",
    notes = "variants run at 280 to 400 TFLOP/s; full mesh of 8, 28 GB/s per peer and direction",
    curves = {
      from = "A100-80GB-SXM",
      u16 = 0.72,
      why = "generic shape (A100), generic ceiling .72 (assumption)",
    },
  },
}

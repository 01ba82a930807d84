-- Processors as devices of inference: memory is what the host has, of which a label may say another size ("EPYC-9654
-- 384GB"); bandwidth is that of all channels at the rate they are sold for. Rows: name, memory GiB as often built in,
-- channels, MT/s of the memory, cores, clock GHz under vector load, fp32 FLOP per core and clock, cache MiB, W.
-- Cores, channels and clocks: data sheets of the vendors (recalled, but Xeon-8480+, Xeon-6980P, EPYC-9654 and 9965,
-- Ryzen-9-9900X and 9950X, Core-i9-13900K and 14900K, whose bandwidth and cores were read as reported at release). The
-- rate of a core: 64 FLOP per clock with two units of AVX-512, 32 of AVX2, 16 of NEON, 8 of SSE.
local GiB <const>, MiB <const> = 1 << 30, 1 << 20
local CHANNEL_BYTES <const> = 8
local GIGA <const>, MEGA <const> = 1e9, 1e6

-- What multiplies 8 and 16 bit, over fp32: VNNI and dot products of int8; AMX also bf16 (Intel, 2023: 1,024 and 2,048
-- operations per core and clock, 16 and 32 times AVX-512's 64).
local NONE <const>, DOT <const> = { b16 = 1 }, { b16 = 1, int8 = 4 }
local AMX <const> = { b16 = 16, int8 = 32 }

local CURVES <const> = { from = "A100-80GB-SXM", u16 = 0.5, u8 = 0.4, attention_u = 0.3,
  why = "no measurements: shape of the A100 curve, ceiling by assumption" }

local groups = {
  { vendor = "Intel", architecture = "x86-avx512", rates = AMX, rows = {
    { "Xeon-8480+", 512, 8, 4800, 56, 2.0, 64, 105, 350 },
    { "Xeon-8488C-48", 512, 8, 4800, 48, 2.0, 64, 105, 350 },
    { "Xeon-6430", 512, 8, 4400, 32, 2.1, 64, 60, 270 },
    { "Xeon-6980P", 768, 12, 6400, 128, 2.0, 64, 504, 500 },
    { "Xeon-6454S", 512, 8, 4800, 32, 2.2, 64, 60, 270 },
    { "Xeon-4410Y", 256, 8, 4000, 12, 2.0, 64, 30, 150 },
    { "Xeon-8592+", 512, 8, 5600, 64, 1.9, 64, 320, 350 },
    { "Xeon-w9-3495X", 512, 8, 4800, 56, 1.9, 64, 105, 350 },
  } },
  { vendor = "Intel", architecture = "x86-avx512", rates = DOT, rows = {
    { "Xeon-6338", 512, 8, 3200, 32, 2.2, 64, 48, 205 },
    { "Xeon-8380", 512, 8, 3200, 40, 2.3, 64, 60, 270 },
    { "Xeon-8358", 512, 8, 3200, 32, 2.6, 64, 48, 250 },
    { "Xeon-8375C", 512, 8, 3200, 32, 2.9, 64, 54, 300 },
    { "Xeon-6248", 384, 6, 2933, 20, 2.5, 64, 28, 150 },
  } },
  { vendor = "Intel", architecture = "x86-avx2", rates = DOT, rows = {
    { "Core-i9-12900K", 64, 2, 4800, 16, 4.1, 24, 30, 241 },
    { "Core-i7-12700K", 32, 2, 4800, 12, 4.2, 26, 25, 190 },
    { "Core-i5-12400", 32, 2, 4800, 6, 4.0, 32, 18, 117 },
    { "Core-i9-13900K", 64, 2, 5600, 24, 4.3, 24, 36, 253 },
    { "Core-i9-14900K", 64, 2, 5600, 24, 4.4, 24, 36, 253 },
    { "Core-i7-14700K", 64, 2, 5600, 20, 4.3, 24, 33, 253 },
    { "Core-i7-13700K", 64, 2, 5600, 16, 4.3, 26, 30, 253 },
    { "Core-i5-13600K", 64, 2, 5600, 14, 4.2, 26, 24, 181 },
    { "Core-i5-13400", 32, 2, 4800, 10, 3.8, 26, 20, 148 },
    { "Core-i3-12100", 32, 2, 4800, 4, 4.1, 32, 12, 89 },
    { "Core-Ultra-7-265K", 64, 2, 6400, 20, 4.6, 26, 30, 250 },
    { "Core-Ultra-9-285K", 64, 2, 6400, 24, 4.6, 26, 36, 250 },
    { "Core-Ultra-7-155H", 32, 2, 7467, 16, 3.0, 22, 24, 45 },
    { "N100", 16, 1, 4800, 4, 2.9, 16, 6, 6 },
    { "N150", 16, 1, 4800, 4, 3.0, 16, 6, 6 },
  } },
  { vendor = "Intel", architecture = "x86-avx2", rates = NONE, rows = {
    { "Core-i5-8400", 16, 2, 2666, 6, 3.8, 32, 9, 65 },
    { "Core-i7-9700K", 32, 2, 2666, 8, 4.6, 32, 12, 95 },
    { "Core-i9-10900K", 32, 2, 2933, 10, 4.8, 32, 20, 125 },
    { "Xeon-E5-2690-v4", 128, 4, 2400, 14, 2.8, 32, 35, 135 },
    { "Core-i7-8700K", 32, 2, 2666, 6, 4.3, 32, 12, 95 },
    { "Core-i9-9900K", 32, 2, 2666, 8, 4.7, 32, 16, 95 },
    { "Core-i5-10400", 32, 2, 2666, 6, 4.0, 32, 12, 65 },
    { "Core-i7-10700K", 32, 2, 2933, 8, 4.7, 32, 16, 125 },
    { "Xeon-E5-2680-v4", 128, 4, 2400, 14, 2.6, 32, 35, 120 },
    { "Xeon-E5-2699-v4", 256, 4, 2400, 22, 2.4, 32, 55, 145 },
  } },
  { vendor = "Intel", architecture = "x86-sse", rates = NONE, rows = {
    { "Core-2-Quad-Q8400", 8, 2, 800, 4, 2.66, 8, 4, 95 },
  } },
  { vendor = "AMD", architecture = "x86-avx512", rates = DOT, rows = {
    { "EPYC-9654", 768, 12, 4800, 96, 3.0, 32, 384, 360 },
    { "EPYC-9554", 768, 12, 4800, 64, 3.3, 32, 256, 360 },
    { "EPYC-9374F", 384, 12, 4800, 32, 4.1, 32, 256, 320 },
    { "EPYC-9354", 384, 12, 4800, 32, 3.5, 32, 256, 280 },
    { "EPYC-9334", 384, 12, 4800, 32, 3.3, 32, 128, 210 },
    { "EPYC-9124", 192, 12, 4800, 16, 3.4, 32, 64, 200 },
    { "EPYC-9965", 1152, 12, 6000, 192, 2.6, 64, 384, 500 },
    { "EPYC-9755", 768, 12, 6000, 128, 3.1, 64, 512, 500 },
    { "EPYC-9355", 384, 12, 6000, 32, 3.9, 64, 256, 280 },
    { "EPYC-9575F", 768, 12, 6000, 64, 3.9, 64, 256, 400 },
    { "Ryzen-9-9900X", 64, 2, 5600, 12, 4.8, 64, 64, 162 },
    { "Ryzen-9-9950X", 96, 2, 5600, 16, 4.7, 64, 64, 170 },
    { "Ryzen-9-9950X3D", 96, 2, 5600, 16, 4.7, 64, 128, 170 },
    { "Ryzen-7-9700X", 64, 2, 5600, 8, 4.8, 64, 32, 88 },
    { "Ryzen-7-9800X3D", 64, 2, 5600, 8, 4.9, 64, 96, 120 },
    { "Ryzen-9-7950X", 64, 2, 5200, 16, 4.8, 32, 64, 170 },
    { "Ryzen-9-7900X", 64, 2, 5200, 12, 4.8, 32, 64, 170 },
    { "Ryzen-7-7800X3D", 64, 2, 5200, 8, 4.8, 32, 96, 120 },
    { "Ryzen-5-7600X", 32, 2, 5200, 6, 5.0, 32, 32, 105 },
    { "Ryzen-7-7840HS", 32, 2, 5600, 8, 4.5, 32, 16, 54 },
    { "Ryzen-7-8845HS", 32, 2, 5600, 8, 4.5, 32, 16, 54 },
    { "Ryzen-7-8700G", 32, 2, 5200, 8, 4.5, 32, 16, 65 },
    { "Ryzen-AI-9-HX-370", 32, 2, 7500, 12, 4.0, 32, 24, 28 },
    { "Ryzen-AI-9-HX-375", 32, 2, 7500, 12, 4.0, 32, 24, 28 },
    { "Ryzen-AI-9-365", 32, 2, 7500, 10, 4.0, 32, 24, 28 },
    { "Ryzen-5-7600", 32, 2, 5200, 6, 4.8, 32, 32, 65 },
    { "Ryzen-7-7700X", 32, 2, 5200, 8, 4.9, 32, 32, 105 },
    -- With two modules of DDR5; soldered LPDDR5X runs at 8000.
    { "Ryzen-AI-5-340", 32, 2, 5600, 6, 3.5, 32, 16, 28 },
    { "Threadripper-7995WX", 512, 8, 5200, 96, 3.2, 32, 384, 350 },
    { "Threadripper-7980X", 256, 4, 5200, 64, 3.6, 32, 256, 350 },
    { "Threadripper-7970X", 256, 4, 5200, 32, 4.2, 32, 128, 350 },
    { "Threadripper-7965WX", 256, 8, 5200, 24, 4.3, 32, 128, 350 },
    { "Threadripper-7985WX", 512, 8, 5200, 64, 3.6, 32, 256, 350 },
    { "Threadripper-9980X", 256, 4, 6400, 64, 3.6, 64, 256, 350 },
    { "Threadripper-9995WX", 512, 8, 6400, 96, 3.0, 64, 384, 350 },
  } },
  { vendor = "AMD", architecture = "x86-avx2", rates = NONE, rows = {
    { "EPYC-7763", 512, 8, 3200, 64, 2.9, 32, 256, 280 },
    { "EPYC-7742", 512, 8, 3200, 64, 2.6, 32, 256, 225 },
    { "Ryzen-9-5900X", 64, 2, 3200, 12, 4.4, 32, 64, 105 },
    { "Ryzen-7-5700X", 32, 2, 3200, 8, 4.3, 32, 32, 65 },
    { "Ryzen-7-3700X", 32, 2, 3200, 8, 4.0, 32, 32, 65 },
    { "Steam-Deck", 16, 2, 5500, 4, 3.2, 32, 4, 15 },
    { "Ryzen-9-5950X", 64, 2, 3200, 16, 4.2, 32, 64, 105 },
    { "Ryzen-7-5800X", 32, 2, 3200, 8, 4.5, 32, 32, 105 },
    { "Ryzen-7-5800X3D", 32, 2, 3200, 8, 4.4, 32, 96, 105 },
    { "Ryzen-5-3600", 32, 2, 3200, 6, 4.0, 32, 32, 65 },
    { "EPYC-7302", 256, 8, 3200, 16, 3.0, 32, 128, 155 },
    { "Threadripper-3990X", 256, 4, 3200, 64, 3.2, 32, 256, 280 },
    { "Threadripper-5975WX", 256, 8, 3200, 32, 3.8, 32, 128, 280 },
    { "Threadripper-5995WX", 512, 8, 3200, 64, 3.0, 32, 256, 280 },
    { "EPYC-7443", 256, 8, 3200, 24, 3.6, 32, 128, 200 },
    { "EPYC-7F52", 256, 8, 3200, 16, 3.7, 32, 256, 240 },
    { "Ryzen-7-5800H", 32, 2, 3200, 8, 3.9, 32, 16, 45 },
    { "Ryzen-5-5600G", 32, 2, 3200, 6, 4.2, 32, 16, 65 },
    { "EPYC-7702", 512, 8, 3200, 64, 2.5, 32, 256, 200 },
    { "EPYC-7532", 512, 8, 3200, 32, 3.0, 32, 256, 200 },
    { "Ryzen-5-5600X", 32, 2, 3200, 6, 4.4, 32, 32, 65 },
  } },
  { vendor = "Ampere", architecture = "arm-neon", rates = DOT, rows = {
    { "Altra-Max-M128-30", 256, 8, 3200, 128, 3.0, 16, 16, 250 },
  } },
  { vendor = "AWS", architecture = "arm-neon", rates = DOT, rows = {
    { "Graviton3", 128, 8, 4800, 64, 2.6, 32, 32, 100 },
    { "Graviton4", 192, 12, 5600, 96, 2.8, 32, 36, 130 },
  } },
  { vendor = "Broadcom", architecture = "arm-neon", rates = DOT, rows = {
    { "Raspberry-Pi-5", 16, 0.5, 4267, 4, 2.4, 16, 2, 12 },
  } },
  { vendor = "Broadcom", architecture = "arm-neon", rates = NONE, rows = {
    { "Raspberry-Pi-4", 8, 0.5, 3200, 4, 1.8, 8, 1, 7 },
  } },
  { vendor = "Qualcomm", architecture = "arm-neon", rates = DOT, rows = {
    { "Snapdragon-8-Gen-3", 12, 1, 9600, 8, 2.9, 16, 12, 8 },
    { "Snapdragon-8-Elite", 16, 1, 10667, 8, 3.7, 16, 24, 9 },
    { "Snapdragon-X-Elite", 32, 2, 8448, 12, 3.4, 32, 42, 45 },
  } },
  -- Phones; two fast cores and four slow ones, with a clock between theirs.
  { vendor = "Apple", architecture = "arm-neon", rates = DOT, rows = {
    { "iPhone-15-Pro", 8, 1, 6400, 6, 2.9, 16, 16, 8 },
    { "iPhone-16-Pro", 8, 1, 7500, 6, 3.1, 16, 16, 8 },
  } },
  -- Four fast cores and four slow ones, with a clock between theirs.
  { vendor = "Rockchip", architecture = "arm-neon", rates = DOT, rows = {
    { "RK3588", 16, 1, 4224, 8, 2.0, 16, 3, 10 },
  } },
  { vendor = "CIX", architecture = "arm-neon", rates = DOT, rows = {
    { "CIX-P1", 32, 2, 6000, 12, 2.4, 16, 12, 28 },
  } },
  { vendor = "ESWIN", architecture = "risc-v", rates = NONE, rows = {
    { "EIC7700X", 16, 1, 6400, 4, 1.4, 2, 4, 15 },
    { "EIC7702X", 32, 2, 6400, 8, 1.4, 2, 8, 30 },
  } },
}

local function entry(group, row)
  local fp32 = row[5] * row[6] * GIGA * row[7]
  local bandwidth = row[3] * row[4] * MEGA * CHANNEL_BYTES
  return {
    name = row[1], vendor = group.vendor, architecture = group.architecture, shared_memory = true,
    memory_bytes = row[2] * GiB, mem_bw_bytes_s = bandwidth,
    fp32_flop_s = fp32, tf32_flop_s = fp32, bf16_flop_s = fp32 * group.rates.b16,
    int8_flop_s = group.rates.int8 and fp32 * group.rates.int8 or nil, has_bf16 = group.rates == AMX,
    cores = row[5], l2_bytes = row[8] * MiB, tdp_w = row[9],
    link = "pcie", link_bytes_s = 31.5e9, host_bytes_s = bandwidth, domain = 1, node_size = 1,
    from_memory = { "memory", "clock", "FLOP per clock" },
    source = "data sheets of the vendors; peaks by cores, clock and vector width",
    notes = "memory as often built in; say yours",
    curves = CURVES,
  }
end

local list = {}
for _, group in ipairs(groups) do
  for _, row in ipairs(group.rows) do list[#list + 1] = entry(group, row) end
end
return list

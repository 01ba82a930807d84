-- AMD's and Intel's cards for desktops and workstations, and processors with a large GPU.
-- Rows: name, memory GiB on the label, bandwidth GB/s, fp32 TFLOP/s at boost clock, SMs or compute units, last cache MiB,
-- board power W, link to the host GB/s per direction (0 = not stated). Figures: lists of GPUs of Wikipedia (as of
-- 2025-06, voidful/gpu-info-api@03a6b34a8c) and TechPowerUp (as of 2025-12, RightNow-GPU-Database@77fae385d4).
local cards = require("ballpark.catalog.devices.cards")

-- Rates over fp32 of vector units, dense: RDNA 2 multiplies packed fp16 and dot products of int8; fp32 of RDNA 3 counts
-- two issues, its WMMA does 512 FLOP of fp16 per unit and clock; RDNA 4 twice that (AMD's ISA guides of RDNA 3, 2023, and
-- RDNA 4, 2025). XMX of Xe-HPG and Xe2: Intel's product briefs (recalled).
return cards.entries({
  {
    vendor = "AMD",
    architecture = "vega",
    rates = { b16 = 2, int8 = 4 },
    no_bf16 = true,
    rows = {
      { "MI50-16GB", 16, 1024, 13.25, 60, 0, 300, 31.5 },
      { "MI50-32GB", 32, 1024, 13.25, 60, 0, 300, 31.5 },
      { "MI60", 32, 1024, 14.75, 64, 0, 300, 31.5 },
      { "Radeon-VII", 16, 1024, 13.44, 60, 0, 300, 15.75 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna2",
    rates = { b16 = 2, int8 = 4 },
    no_bf16 = true,
    rows = {
      { "RX-6600", 8, 224, 8.93, 28, 32, 132, 15.75 },
      { "RX-6600-XT", 8, 256, 10.6, 32, 32, 160, 15.75 },
      { "RX-6650-XT", 8, 280, 10.79, 32, 32, 180, 15.75 },
      { "RX-6700", 10, 320, 11.29, 36, 80, 175, 31.5 },
      { "RX-6700-XT", 12, 384, 13.21, 40, 96, 230, 31.5 },
      { "RX-6750-XT", 12, 432, 13.31, 40, 96, 250, 31.5 },
      { "RX-6800", 16, 512, 16.17, 60, 128, 250, 31.5 },
      { "RX-6800-XT", 16, 512, 20.74, 72, 128, 300, 31.5 },
      { "RX-6900-XT", 16, 512, 23.04, 80, 128, 300, 31.5 },
      { "RX-6950-XT", 16, 576, 23.65, 80, 128, 335, 31.5 },
      { "Radeon-Pro-W6800", 32, 512, 17.83, 60, 4, 250, 31.5 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna3",
    rates = { b16 = 2, int8 = 2 },
    rows = {
      { "RX-7600", 8, 288, 21.75, 32, 32, 165, 15.75 },
      { "RX-7600-XT", 16, 288, 22.57, 32, 32, 190, 15.75 },
      { "RX-7700-XT", 12, 432, 35.17, 54, 48, 245, 31.5 },
      { "RX-7800-XT", 16, 624, 37.32, 60, 64, 263, 31.5 },
      { "RX-7900-GRE", 16, 576, 45.98, 80, 64, 260, 31.5 },
      { "RX-7900-XT", 20, 800, 51.48, 84, 80, 315, 31.5 },
      { "RX-7900-XTX", 24, 960, 61.39, 96, 96, 355, 31.5 },
      { "Radeon-Pro-W7700", 16, 576, 31.95, 48, 2, 190, 31.5 },
      { "Radeon-Pro-W7800", 32, 576, 45.25, 70, 6, 260, 31.5 },
      { "Radeon-Pro-W7800-48GB", 48, 864, 45.25, 70, 6, 281, 31.5 },
      { "Radeon-Pro-W7900", 48, 864, 61.32, 96, 6, 295, 31.5 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna3.5",
    rates = { b16 = 4, int8 = 4 },
    shared_memory = true,
    notes = "fp32 without dual issue; memory as sold at most",
    rows = {
      { "Ryzen-AI-Max+-395", 128, 256, 14.85, 40, 0, 120, 0 },
      { "Ryzen-AI-Max-385", 128, 256, 11.47, 32, 0, 0, 0 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna4",
    rates = { b16 = 4, int8 = 8, fp8 = 8 },
    rows = {
      { "RX-9060-XT-16GB", 16, 320, 25.64, 32, 32, 160, 63.01 },
      { "RX-9060-XT-8GB", 8, 320, 25.64, 32, 32, 150, 63.01 },
      { "RX-9070", 16, 640, 36.13, 56, 64, 220, 63.01 },
      { "RX-9070-GRE", 12, 432, 34.28, 48, 48, 220, 63.01 },
      { "RX-9070-XT", 16, 640, 48.66, 64, 64, 304, 63.01 },
      { "Radeon-AI-Pro-R9700", 32, 644.6, 47.84, 64, 8, 300, 63.01 },
    },
  },
  {
    vendor = "AMD",
    architecture = "polaris",
    rates = { b16 = 1 },
    no_bf16 = true,
    recalled = true,
    rows = {
      { "RX-580", 8, 256, 6.17, 36, 2, 185, 15.75 },
      { "RX-570", 8, 224, 5.1, 32, 2, 150, 15.75 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna2",
    rates = { b16 = 2, int8 = 4 },
    no_bf16 = true,
    recalled = true,
    rows = {
      { "RX-6500-XT", 4, 144, 5.77, 16, 16, 107, 7.88 },
      { "RX-6400", 4, 128, 3.57, 12, 16, 53, 7.88 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna3.5",
    rates = { b16 = 4, int8 = 4 },
    shared_memory = true,
    recalled = true,
    rows = {
      { "Radeon-890M", 128, 120, 5.94, 16, 2, 28, 0 },
    },
  },
  {
    vendor = "AMD",
    architecture = "vega",
    rates = { b16 = 2 },
    no_bf16 = true,
    recalled = true,
    rows = {
      { "RX-Vega-56", 8, 409.6, 10.54, 56, 4, 210, 15.75 },
      { "RX-Vega-64", 8, 483.8, 12.66, 64, 4, 295, 15.75 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna1",
    rates = { b16 = 2 },
    no_bf16 = true,
    recalled = true,
    rows = {
      { "RX-5700-XT", 8, 448, 9.75, 40, 4, 225, 31.5 },
    },
  },
  -- Graphics units of processors, with two channels of the memory that laptops have.
  {
    vendor = "AMD",
    architecture = "rdna2",
    rates = { b16 = 2, int8 = 4 },
    no_bf16 = true,
    shared_memory = true,
    recalled = true,
    notes = "memory as often built in; say yours",
    rows = {
      { "Radeon-680M", 32, 102.4, 3.69, 12, 2, 45, 0 },
    },
  },
  {
    vendor = "AMD",
    architecture = "rdna3",
    rates = { b16 = 2, int8 = 2 },
    shared_memory = true,
    recalled = true,
    notes = "memory as often built in; say yours",
    rows = {
      { "Radeon-780M", 32, 89.6, 8.29, 12, 2, 54, 0 },
    },
  },
  {
    vendor = "Intel",
    architecture = "xe2",
    rates = { b16 = 8, int8 = 16 },
    shared_memory = true,
    recalled = true,
    rows = {
      { "Arc-140V", 32, 136.5, 4.2, 8, 8, 30, 0 },
    },
  },
  {
    vendor = "Intel",
    architecture = "xe-hpg",
    rates = { b16 = 8, int8 = 16 },
    rows = {
      { "Arc-A310", 4, 124, 3.072, 6, 4, 75, 15.75 },
      { "Arc-A380", 6, 186, 4.198, 8, 4, 75, 15.75 },
      { "Arc-A580", 8, 512, 10.45, 24, 8, 175, 31.5 },
      { "Arc-A750", 8, 512, 17.2, 28, 16, 225, 31.5 },
      { "Arc-A770-16GB", 16, 560, 19.66, 32, 16, 225, 31.5 },
      { "Arc-A770-8GB", 8, 512, 19.66, 32, 16, 225, 31.5 },
      { "Flex-140-per-GPU", 6, 186, 3.99, 8, 0, 75, 15.75 },
      { "Flex-170", 16, 512, 16.79, 32, 0, 150, 31.5 },
    },
  },
  {
    vendor = "Intel",
    architecture = "xe2",
    rates = { b16 = 8, int8 = 16 },
    rows = {
      { "Arc-B570", 10, 380, 11.52, 18, 0, 150, 15.75 },
      { "Arc-B580", 12, 456, 13.67, 20, 0, 190, 15.75 },
      { "Arc-Pro-B50", 16, 224, 10.65, 16, 0, 70, 31.5 },
      { "Arc-Pro-B60", 24, 456, 12.29, 20, 0, 200, 31.5 },
    },
  },
})

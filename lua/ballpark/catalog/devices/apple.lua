-- Apple's chips: GPU and processor share the memory, of which there are several sizes; the largest stands here, and a
-- label such as "M3 Max 64GB" says another. Rows as in cards_nvidia.lua. Bandwidth and cores: press releases of Apple as
-- reported at release; fp32: of one core of the generation (M1 2.6 TFLOP/s on 8, M2 13.6 on 38, M3 6.44 on 18, M4 13.74
-- on 32; M5 as M4, assumption) by cores; the caches are recalled.
local cards = require("ballpark.catalog.devices.cards")

-- fp16 at the rate of fp32: until M5 there are no matrix units in the GPU. Neural accelerators in the cores of M5 do
-- "over four times" the matmuls of M4 (Apple, 2025-10).
local PLAIN <const>, ACCELERATED <const> = { b16 = 1 }, { b16 = 4 }

local SOURCE <const> = "Apple's press releases and lists of GPUs (2020 to 2026); fp32 by core of the generation"

local function generation(name, rates, rows)
  return { vendor = "Apple", architecture = name, rates = rates, shared_memory = true, source = SOURCE, rows = rows }
end

return cards.entries({
  generation("apple-m1", PLAIN, {
    { "M1-7", 16, 68.2, 2.28, 7, 8, 20, 0 },
    { "M1", 16, 68.2, 2.6, 8, 8, 20, 0 },
    { "M1-Pro-14", 32, 204.8, 4.55, 14, 24, 40, 0 },
    { "M1-Pro-16", 32, 204.8, 5.2, 16, 24, 40, 0 },
    { "M1-Max-24", 64, 409.6, 7.8, 24, 48, 60, 0 },
    { "M1-Max-32", 64, 409.6, 10.4, 32, 48, 60, 0 },
    { "M1-Ultra-48", 128, 819.2, 15.9, 48, 96, 120, 0 },
    { "M1-Ultra-64", 128, 819.2, 21.2, 64, 96, 120, 0 },
  }),
  generation("apple-m2", PLAIN, {
    { "M2-8", 24, 102.4, 2.84, 8, 8, 20, 0 },
    { "M2", 24, 102.4, 3.55, 10, 8, 20, 0 },
    { "M2-Pro-16", 32, 204.8, 5.73, 16, 24, 40, 0 },
    { "M2-Pro-19", 32, 204.8, 6.8, 19, 24, 40, 0 },
    { "M2-Max-30", 64, 409.6, 10.7, 30, 48, 60, 0 },
    { "M2-Max-38", 96, 409.6, 13.6, 38, 48, 70, 0 },
    { "M2-Ultra-60", 192, 819.2, 21.5, 60, 96, 130, 0 },
    { "M2-Ultra-76", 192, 819.2, 27.2, 76, 96, 140, 0 },
  }),
  generation("apple-m3", PLAIN, {
    { "M3-8", 24, 102.4, 2.86, 8, 8, 20, 0 },
    { "M3", 24, 102.4, 3.58, 10, 8, 20, 0 },
    { "M3-Pro-14", 36, 153.6, 5.01, 14, 24, 40, 0 },
    { "M3-Pro-18", 36, 153.6, 6.44, 18, 24, 40, 0 },
    { "M3-Max-30", 96, 307.2, 10.7, 30, 48, 60, 0 },
    { "M3-Max-40", 128, 409.6, 14.3, 40, 48, 70, 0 },
    { "M3-Ultra-60", 256, 819.2, 21.5, 60, 96, 140, 0 },
    { "M3-Ultra-80", 512, 819.2, 28.6, 80, 96, 160, 0 },
  }),
  generation("apple-m4", PLAIN, {
    { "M4-8", 24, 120, 3.43, 8, 8, 20, 0 },
    { "M4", 32, 120, 4.29, 10, 8, 20, 0 },
    { "M4-Pro-16", 64, 273, 6.87, 16, 24, 40, 0 },
    { "M4-Pro-20", 64, 273, 8.59, 20, 24, 45, 0 },
    { "M4-Max-32", 36, 410, 13.74, 32, 48, 60, 0 },
    { "M4-Max-40", 128, 546, 17.2, 40, 48, 75, 0 },
  }),
  generation("apple-m5", ACCELERATED, {
    { "M5-8", 24, 153.6, 3.43, 8, 8, 20, 0 },
    { "M5", 32, 153.6, 4.29, 10, 8, 20, 0 },
    { "M5-Pro-20", 64, 307, 8.59, 20, 24, 45, 0 },
    { "M5-Max-32", 64, 460, 13.74, 32, 48, 65, 0 },
    { "M5-Max-40", 128, 614, 17.2, 40, 48, 75, 0 },
  }),
})

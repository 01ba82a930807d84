-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.8303, eager_kernel_s = 1, points = 17 },
    ["0.5.9"] = { moe = 0.9855, eager_kernel_s = 0.9081, points = 65 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.504, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 1.057, eager_kernel_s = 1, points = 13 },
    ["1.0"] = { moe = 1.047, eager_kernel_s = 1, points = 108 },
    ["1.1"] = { moe = 1.038, eager_kernel_s = 1.196, points = 130 },
    ["1.2"] = { moe = 1.304, eager_kernel_s = 1.117, points = 19 },
    ["1.3"] = { moe = 0.7018, eager_kernel_s = 0.857, points = 13 },
  },
  vllm = {
    ["0.11"] = { moe = 0.9926, eager_kernel_s = 1, points = 6 },
    ["0.12"] = { moe = 0.8013, eager_kernel_s = 0.9998, points = 17 },
    ["0.16"] = { moe = 0.9467, eager_kernel_s = 0.8757, points = 30 },
    ["0.17"] = { moe = 0.9225, eager_kernel_s = 1.176, points = 16 },
    ["0.18"] = { moe = 1.104, eager_kernel_s = 0.9275, points = 66 },
    ["0.19"] = { moe = 1.076, eager_kernel_s = 1, points = 33 },
  },
}

-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.8292, eager_kernel_s = 1, points = 17 },
    ["0.5.9"] = { moe = 0.9671, eager_kernel_s = 0.9006, points = 65 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.483, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 1.057, eager_kernel_s = 1, points = 13 },
    ["1.0"] = { moe = 1.005, eager_kernel_s = 1, points = 108 },
    ["1.1"] = { moe = 0.9381, eager_kernel_s = 1.145, points = 130 },
    ["1.2"] = { moe = 1.28, eager_kernel_s = 1.154, points = 19 },
    ["1.3"] = { moe = 0.6658, eager_kernel_s = 0.8584, points = 13 },
  },
  vllm = {
    ["0.11"] = { moe = 0.9961, eager_kernel_s = 1, points = 6 },
    ["0.12"] = { moe = 0.7956, eager_kernel_s = 0.9998, points = 17 },
    ["0.16"] = { moe = 0.9771, eager_kernel_s = 0.891, points = 30 },
    ["0.17"] = { moe = 0.9244, eager_kernel_s = 1.164, points = 16 },
    ["0.18"] = { moe = 1.119, eager_kernel_s = 0.9081, points = 66 },
    ["0.19"] = { moe = 1.109, eager_kernel_s = 1, points = 33 },
  },
}

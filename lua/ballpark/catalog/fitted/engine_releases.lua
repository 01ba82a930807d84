-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.8762, eager_kernel_s = 0.9898, points = 17 },
    ["0.5.9"] = { moe = 0.9942, eager_kernel_s = 0.9232, points = 65 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.72, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 0.9795, eager_kernel_s = 1, points = 13 },
    ["1.0"] = { moe = 1.027, eager_kernel_s = 1.057, points = 108 },
    ["1.1"] = { moe = 0.8711, eager_kernel_s = 1.213, points = 130 },
    ["1.2"] = { moe = 1.311, eager_kernel_s = 1.182, points = 19 },
    ["1.3"] = { moe = 0.7089, eager_kernel_s = 0.836, points = 13 },
  },
  vllm = {
    ["0.11"] = { moe = 1.031, eager_kernel_s = 1, points = 6 },
    ["0.12"] = { moe = 0.7562, eager_kernel_s = 0.9997, points = 17 },
    ["0.16"] = { moe = 0.8549, eager_kernel_s = 1.003, points = 30 },
    ["0.17"] = { moe = 0.887, eager_kernel_s = 1.3, points = 16 },
    ["0.18"] = { moe = 1.098, eager_kernel_s = 1.065, points = 66 },
    ["0.19"] = { moe = 1.075, eager_kernel_s = 0.7134, points = 33 },
  },
}

-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.9427, eager_kernel_s = 1, points = 17 },
    ["0.5.9"] = { moe = 1.016, eager_kernel_s = 0.9849, points = 65 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.527, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 1.044, eager_kernel_s = 1, points = 13 },
    ["1.0"] = { moe = 1.009, eager_kernel_s = 1, points = 108 },
    ["1.1"] = { moe = 0.8177, eager_kernel_s = 1.275, points = 130 },
    ["1.2"] = { moe = 1.257, eager_kernel_s = 1.126, points = 19 },
    ["1.3"] = { moe = 0.6725, eager_kernel_s = 0.9108, points = 13 },
  },
  vllm = {
    ["0.11"] = { moe = 1.032, eager_kernel_s = 1, points = 6 },
    ["0.12"] = { moe = 0.777, eager_kernel_s = 1, points = 17 },
    ["0.16"] = { moe = 0.9641, eager_kernel_s = 0.9998, points = 30 },
    ["0.17"] = { moe = 0.8864, eager_kernel_s = 1.278, points = 16 },
    ["0.18"] = { moe = 1.08, eager_kernel_s = 1.107, points = 66 },
    ["0.19"] = { moe = 1.105, eager_kernel_s = 0.714, points = 33 },
  },
}

-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.8283, eager_kernel_s = 1.005, points = 17 },
    ["0.5.9"] = { moe = 0.9661, eager_kernel_s = 0.9193, points = 65 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.476, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 1.071, eager_kernel_s = 1, points = 13 },
    ["1.0"] = { moe = 1.047, eager_kernel_s = 1, points = 108 },
    ["1.1"] = { moe = 1.031, eager_kernel_s = 1.191, points = 130 },
    ["1.2"] = { moe = 1.336, eager_kernel_s = 1.108, points = 19 },
    ["1.3"] = { moe = 0.7186, eager_kernel_s = 0.8323, points = 13 },
  },
  vllm = {
    ["0.11"] = { moe = 0.998, eager_kernel_s = 1, points = 6 },
    ["0.12"] = { moe = 0.779, eager_kernel_s = 0.9998, points = 17 },
    ["0.16"] = { moe = 0.9326, eager_kernel_s = 0.8459, points = 30 },
    ["0.17"] = { moe = 0.9296, eager_kernel_s = 1.179, points = 16 },
    ["0.18"] = { moe = 1.11, eager_kernel_s = 0.9207, points = 66 },
    ["0.19"] = { moe = 1.085, eager_kernel_s = 0.9973, points = 33 },
  },
}

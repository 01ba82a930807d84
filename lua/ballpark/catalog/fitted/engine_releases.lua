-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.8872, eager_kernel_s = 1.018, points = 17 },
    ["0.5.9"] = { moe = 1.01, eager_kernel_s = 1.032, points = 59 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.432, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 1.076, eager_kernel_s = 1.025, points = 13 },
    ["1.0"] = { moe = 1.121, eager_kernel_s = 0.9568, points = 108 },
    ["1.1"] = { moe = 1.014, eager_kernel_s = 1.073, points = 119 },
    ["1.2"] = { moe = 1.439, eager_kernel_s = 1.154, points = 18 },
    ["1.3"] = { moe = 0.5746, eager_kernel_s = 1.015, points = 5 },
  },
  vllm = {
    ["0.11"] = { moe = 1.004, eager_kernel_s = 0.9999, points = 6 },
    ["0.12"] = { moe = 0.6915, eager_kernel_s = 0.8362, points = 17 },
    ["0.16"] = { moe = 0.8935, eager_kernel_s = 0.9361, points = 30 },
    ["0.17"] = { moe = 0.9688, eager_kernel_s = 1.23, points = 16 },
    ["0.18"] = { moe = 1.147, eager_kernel_s = 0.9877, points = 66 },
    ["0.19"] = { moe = 1.052, eager_kernel_s = 0.9999, points = 33 },
  },
}

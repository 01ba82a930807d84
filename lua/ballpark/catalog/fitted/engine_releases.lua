-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.8969, eager_kernel_s = 1.031, points = 17 },
    ["0.5.9"] = { moe = 1.028, eager_kernel_s = 1.029, points = 59 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.45, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 1.074, eager_kernel_s = 1.036, points = 13 },
    ["1.0"] = { moe = 1.128, eager_kernel_s = 0.995, points = 108 },
    ["1.1"] = { moe = 0.995, eager_kernel_s = 1.013, points = 119 },
    ["1.2"] = { moe = 1.451, eager_kernel_s = 1.146, points = 18 },
    ["1.3"] = { moe = 0.5735, eager_kernel_s = 1.016, points = 5 },
  },
  vllm = {
    ["0.11"] = { moe = 0.9978, eager_kernel_s = 0.9999, points = 6 },
    ["0.12"] = { moe = 0.6537, eager_kernel_s = 0.8361, points = 17 },
    ["0.16"] = { moe = 0.8968, eager_kernel_s = 0.9428, points = 30 },
    ["0.17"] = { moe = 0.966, eager_kernel_s = 1.224, points = 16 },
    ["0.18"] = { moe = 1.154, eager_kernel_s = 0.9817, points = 66 },
    ["0.19"] = { moe = 1.071, eager_kernel_s = 1, points = 33 },
  },
}

-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by
-- how few points there are of it; written by tools/fit/serving.lua, never by hand.
return {
  sglang = {
    ["0.5.6"] = { moe = 0.8749, eager_kernel_s = 1.025, points = 17 },
    ["0.5.9"] = { moe = 0.9574, eager_kernel_s = 0.9858, points = 65 },
  },
  trtllm = {
    ["0.17"] = { moe = 1.437, eager_kernel_s = 1, points = 90 },
    ["0.20"] = { moe = 1.068, eager_kernel_s = 1.023, points = 13 },
    ["1.0"] = { moe = 1.073, eager_kernel_s = 0.9251, points = 108 },
    ["1.1"] = { moe = 1.03, eager_kernel_s = 1.124, points = 130 },
    ["1.2"] = { moe = 1.388, eager_kernel_s = 1.248, points = 19 },
    ["1.3"] = { moe = 0.7285, eager_kernel_s = 0.8135, points = 13 },
  },
  vllm = {
    ["0.11"] = { moe = 1.001, eager_kernel_s = 1, points = 6 },
    ["0.12"] = { moe = 0.6974, eager_kernel_s = 0.9224, points = 17 },
    ["0.16"] = { moe = 0.88, eager_kernel_s = 0.9138, points = 30 },
    ["0.17"] = { moe = 0.9552, eager_kernel_s = 1.214, points = 16 },
    ["0.18"] = { moe = 1.133, eager_kernel_s = 0.9625, points = 66 },
    ["0.19"] = { moe = 1.041, eager_kernel_s = 1, points = 33 },
  },
}

-- Experts and decode attention by device, fitted to public timings; written by
-- tools/fit/serving_curves.lua, never by hand. Timings: ai-dynamo/aiconfigurator@095f58a51c
-- (Apache-2.0, NVIDIA), skewed routing (power law 1.2); decode attention: four or more query heads
-- per key head. kernels: that were the fastest somewhere; points: timings used; median, p90: |predicted /
-- measured - 1|; held_out_median: the same where every shape was predicted by a fit without it.
return {
  ["A100-80GB-SXM"] = {
    decode = { decode_ramp_s = 2.907e-5, decode_rate = 0.5, decode_stream = 0.95, decode_t0_s = 1.484e-5, points = 219, median = 0.2531, p90 = 0.753, held_out_median = 0.2585 },
    moe16 = { expert_s = 2.128e-8, kernels = "moe_torch_flow", skew = 0.416, t0_s = 9.259e-5, u = 0.4278, w = 0.7911, points = 190, median = 0.1158, p90 = 0.3545, held_out_median = 0.1553 },
  },
  ["B200-SXM-180GB"] = {
    decode = { decode_ramp_s = 6.941e-7, decode_rate = 0.5, decode_stream = 0.8906, decode_t0_s = 1.119e-5, points = 579, median = 0.05882, p90 = 0.4685, held_out_median = 0.06107 },
    moe16 = { expert_s = 1.444e-8, kernels = "moe_torch_flow_cutlass", skew = 0.4772, t0_s = 3.784e-5, u = 0.51, w = 0.8214, points = 252, median = 0.1197, p90 = 0.3757, held_out_median = 0.155 },
    moe16_packed = { expert_s = 3.522e-8, kernels = "moe_torch_flow", skew = 0.3722, t0_s = 3.762e-5, u = 0.1218, w = 0.1541, points = 36, median = 0.0874, p90 = 0.1801, held_out_median = 0.6754 },
    moe4 = { expert_s = 3.827e-8, kernels = "moe_torch_flow_cutlass moe_torch_flow_min_latency", skew = 1.315, t0_s = 1.505e-5, u = 0.48, w = 0.7966, points = 369, median = 0.1798, p90 = 0.4458, held_out_median = 0.2196 },
    moe8 = { expert_s = 4.169e-8, kernels = "moe_torch_flow_cutlass", skew = 0.5237, t0_s = 3.535e-5, u = 0.4096, w = 0.8067, points = 252, median = 0.1373, p90 = 0.4332, held_out_median = 0.2204 },
    moe8_block = { expert_s = 3.386e-7, kernels = "deepgemm", skew = 0.4384, t0_s = 3.649e-5, u = 0.3101, w = 0.7829, points = 351, median = 0.0673, p90 = 0.2952, held_out_median = 0.07903 },
  },
  ["B300-SXM-288GB"] = {
    decode = { decode_ramp_s = 1.694e-7, decode_rate = 0.5, decode_stream = 0.8799, decode_t0_s = 1.094e-5, points = 542, median = 0.05017, p90 = 0.451, held_out_median = 0.0508 },
    moe16 = { expert_s = 1.275e-8, kernels = "moe_torch_flow_cutlass", skew = 0.5012, t0_s = 3.506e-5, u = 0.5631, w = 0.7792, points = 252, median = 0.1288, p90 = 0.4108, held_out_median = 0.1614 },
    moe16_packed = { expert_s = 2.497e-8, kernels = "moe_torch_flow", skew = 0.3493, t0_s = 3.732e-5, u = 0.1237, w = 0.1585, points = 36, median = 0.07999, p90 = 0.1778, held_out_median = 0.6668 },
    moe4 = { expert_s = 1.317e-7, kernels = "moe_torch_flow_cutlass", skew = 0.2856, t0_s = 3.645e-5, u = 0.1328, w = 0.7201, points = 369, median = 0.1583, p90 = 0.4104, held_out_median = 0.1888 },
    moe8 = { expert_s = 3.709e-8, kernels = "moe_torch_flow_cutlass", skew = 0.5693, t0_s = 3.335e-5, u = 0.4339, w = 0.78, points = 252, median = 0.1425, p90 = 0.4304, held_out_median = 0.2184 },
    moe8_block = { expert_s = 3.231e-7, kernels = "deepgemm", skew = 0.4211, t0_s = 3.646e-5, u = 0.3098, w = 0.7645, points = 351, median = 0.07388, p90 = 0.303, held_out_median = 0.08332 },
  },
  ["GB200"] = {
    decode = { decode_ramp_s = 1.468e-6, decode_rate = 0.5, decode_stream = 0.8927, decode_t0_s = 1.163e-5, points = 549, median = 0.06493, p90 = 0.4498, held_out_median = 0.06547 },
    moe16 = { expert_s = 1.643e-8, kernels = "moe_torch_flow_cutlass", skew = 0.4907, t0_s = 3.569e-5, u = 0.4976, w = 0.8298, points = 252, median = 0.1238, p90 = 0.382, held_out_median = 0.1627 },
    moe16_packed = { expert_s = 3.628e-8, kernels = "moe_torch_flow", skew = 0.3481, t0_s = 3.77e-5, u = 0.1174, w = 0.16, points = 36, median = 0.07943, p90 = 0.1604, held_out_median = 0.678 },
    moe4 = { expert_s = 3.794e-8, kernels = "moe_torch_flow_cutlass moe_torch_flow_min_latency", skew = 1.392, t0_s = 1.398e-5, u = 0.4807, w = 0.7999, points = 369, median = 0.1752, p90 = 0.444, held_out_median = 0.2207 },
    moe8 = { expert_s = 4.019e-8, kernels = "moe_torch_flow_cutlass", skew = 0.5015, t0_s = 3.438e-5, u = 0.3848, w = 0.8137, points = 252, median = 0.1419, p90 = 0.4391, held_out_median = 0.213 },
    moe8_block = { expert_s = 3.321e-7, kernels = "deepgemm", skew = 0.446, t0_s = 3.622e-5, u = 0.291, w = 0.7892, points = 351, median = 0.06918, p90 = 0.3066, held_out_median = 0.08184 },
  },
  ["GB300"] = {
    decode = { decode_ramp_s = 6.286e-7, decode_rate = 0.5, decode_stream = 0.8641, decode_t0_s = 1.142e-5, points = 579, median = 0.06319, p90 = 0.4491, held_out_median = 0.06283 },
    moe16 = { expert_s = 1.339e-8, kernels = "moe_torch_flow_cutlass", skew = 0.5426, t0_s = 3.389e-5, u = 0.5375, w = 0.7818, points = 252, median = 0.1206, p90 = 0.4212, held_out_median = 0.157 },
    moe16_packed = { expert_s = 2.833e-8, kernels = "moe_torch_flow", skew = 0.3873, t0_s = 3.501e-5, u = 0.118, w = 0.1583, points = 36, median = 0.07861, p90 = 0.1632, held_out_median = 0.6784 },
    moe4 = { expert_s = 1.364e-7, kernels = "moe_torch_flow_cutlass", skew = 0.2911, t0_s = 3.517e-5, u = 0.1312, w = 0.73, points = 369, median = 0.1429, p90 = 0.4101, held_out_median = 0.1722 },
    moe8 = { expert_s = 3.343e-8, kernels = "moe_torch_flow_cutlass", skew = 0.5789, t0_s = 3.366e-5, u = 0.4198, w = 0.7795, points = 252, median = 0.1424, p90 = 0.4472, held_out_median = 0.2069 },
    moe8_block = { expert_s = 3.172e-7, kernels = "deepgemm", skew = 0.4401, t0_s = 3.606e-5, u = 0.2957, w = 0.7676, points = 351, median = 0.07632, p90 = 0.3004, held_out_median = 0.08713 },
  },
  ["H100-SXM-80GB"] = {
    decode = { decode_ramp_s = 2.341e-5, decode_rate = 0.5, decode_stream = 0.9266, decode_t0_s = 8.222e-6, points = 542, median = 0.1791, p90 = 0.5979, held_out_median = 0.1828 },
    moe16 = { expert_s = 1.066e-8, kernels = "moe_torch_flow_cutlass", skew = 0.4433, t0_s = 3.089e-5, u = 0.5291, w = 0.7834, points = 252, median = 0.1323, p90 = 0.3709, held_out_median = 0.1785 },
    moe16_packed = { expert_s = 1.011e-7, kernels = "moe_torch_flow", skew = 1.98, t0_s = 6.59e-5, u = 0.7458, w = 0.3357, points = 27, median = 0.1154, p90 = 0.2763, held_out_median = 0.4861 },
    moe8 = { expert_s = 1.46e-8, kernels = "moe_torch_flow_cutlass", skew = 0.5485, t0_s = 3.445e-5, u = 0.4704, w = 0.7783, points = 252, median = 0.1337, p90 = 0.3598, held_out_median = 0.1617 },
    moe8_block = { expert_s = 1.674e-7, kernels = "moe_torch_flow_cutlass", skew = 0.396, t0_s = 3.148e-5, u = 0.2165, w = 0.7929, points = 351, median = 0.1025, p90 = 0.3208, held_out_median = 0.1233 },
  },
  ["H200-SXM-141GB"] = {
    decode = { decode_ramp_s = 2.828e-5, decode_rate = 0.5, decode_stream = 0.832, decode_t0_s = 8.698e-6, points = 549, median = 0.2074, p90 = 0.6363, held_out_median = 0.2053 },
    moe16 = { expert_s = 1.044e-8, kernels = "moe_torch_flow_cutlass", skew = 0.4211, t0_s = 3.491e-5, u = 0.5522, w = 0.7872, points = 252, median = 0.1362, p90 = 0.3749, held_out_median = 0.1666 },
    moe16_packed = { expert_s = 4.017e-8, kernels = "moe_torch_flow", skew = 0.5681, t0_s = 8.337e-5, u = 0.2853, w = 0.5387, points = 36, median = 0.1897, p90 = 0.3462, held_out_median = 0.387 },
    moe8 = { expert_s = 2.362e-8, kernels = "moe_torch_flow_cutlass", skew = 0.4897, t0_s = 3.667e-5, u = 0.4716, w = 0.7727, points = 252, median = 0.1524, p90 = 0.4476, held_out_median = 0.2278 },
    moe8_block = { expert_s = 1.877e-7, kernels = "moe_torch_flow_cutlass", skew = 0.3993, t0_s = 3.22e-5, u = 0.2417, w = 0.7604, points = 351, median = 0.115, p90 = 0.3356, held_out_median = 0.139 },
  },
  ["L40S"] = {
    decode = { decode_ramp_s = 1.496e-6, decode_rate = 0.5, decode_stream = 0.8268, decode_t0_s = 9.642e-6, points = 579, median = 0.2466, p90 = 0.957, held_out_median = 0.2504 },
    moe16 = { expert_s = 7.902e-9, kernels = "moe_torch_flow_cutlass", skew = 0.4834, t0_s = 1.762e-6, u = 0.3534, w = 0.7054, points = 252, median = 0.1109, p90 = 0.4158, held_out_median = 0.174 },
    moe8 = { expert_s = 8.862e-9, kernels = "moe_torch_flow_cutlass", skew = 0.5099, t0_s = 7.178e-6, u = 0.3588, w = 0.7203, points = 252, median = 0.09669, p90 = 0.4472, held_out_median = 0.1509 },
  },
  ["RTX-PRO-6000-BSE"] = {
    decode = { decode_ramp_s = 5.184e-6, decode_rate = 0.5, decode_stream = 0.8767, decode_t0_s = 9.313e-6, points = 542, median = 0.2991, p90 = 0.8956, held_out_median = 0.2981 },
    moe16 = { expert_s = 8.839e-9, kernels = "moe_torch_flow_cutlass", skew = 0.5316, t0_s = 1.289e-5, u = 0.5347, w = 0.7519, points = 252, median = 0.09905, p90 = 0.368, held_out_median = 0.1504 },
    moe4 = { expert_s = 3.28e-8, kernels = "moe_torch_flow_cutlass", skew = 0.4649, t0_s = 3.955e-5, u = 0.5164, w = 0.7504, points = 369, median = 0.08911, p90 = 0.2579, held_out_median = 0.101 },
    moe8 = { expert_s = 9.02e-9, kernels = "moe_torch_flow_cutlass", skew = 0.5489, t0_s = 1.196e-5, u = 0.5536, w = 0.7537, points = 252, median = 0.1226, p90 = 0.3769, held_out_median = 0.1496 },
    moe8_block = { expert_s = 1.039e-8, kernels = "moe_torch_flow_triton_fp8_block", skew = 1.884, t0_s = 3.338e-5, u = 0.1928, w = 0.5385, points = 288, median = 0.1226, p90 = 0.3235, held_out_median = 0.1278 },
  },
}

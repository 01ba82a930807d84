-- Experts, attention of prompts in 8 bit and decode attention by device, fitted to public timings; written by
-- tools/fit/serving_curves.lua, never by hand. Timings: ai-dynamo/aiconfigurator@095f58a51c
-- (Apache-2.0, NVIDIA), skewed routing (power law 1.2); decode attention: four or more query heads
-- per key head. kernels: that were the fastest somewhere; points: timings used; median, p90: |predicted /
-- measured - 1|; held_out_median: the same where every shape was predicted by a fit without it.
return {
  ["A100-80GB-SXM"] = {
    decode = { decode_ramp_s = 2.907e-5, decode_rate = 0.5, decode_stream = 0.95, decode_t0_s = 1.484e-5, points = 219, median = 0.2531, p90 = 0.753, held_out_median = 0.2585 },
    moe16 = { expert_s = 2.549e-8, kernels = "moe_torch_flow", pass = 0.782, skew = 0.4153, t0_s = 9.3e-5, u = 0.4546, w = 0.7943, points = 190, median = 0.1004, p90 = 0.3657, held_out_median = 0.1351 },
  },
  ["B200-SXM-180GB"] = {
    decode = { decode_ramp_s = 6.941e-7, decode_rate = 0.5, decode_stream = 0.8906, decode_t0_s = 1.119e-5, points = 579, median = 0.05882, p90 = 0.4685, held_out_median = 0.06107 },
    moe16 = { expert_s = 6.091e-9, kernels = "moe_torch_flow_cutlass", pass = 0.3579, skew = 0.4758, t0_s = 3.556e-5, u = 0.7471, w = 0.8421, points = 252, median = 0.083, p90 = 0.2849, held_out_median = 0.117 },
    moe16_packed = { expert_s = 3.358e-8, kernels = "moe_torch_flow", pass = 0.3579, skew = 0.4758, t0_s = 3.762e-5, u = 0.1392, w = 0.1525, points = 36, median = 0.08259, p90 = 0.2004, held_out_median = 0.6251 },
    moe4 = { expert_s = 3.015e-8, kernels = "moe_torch_flow_cutlass moe_torch_flow_min_latency", pass = 0.9127, skew = 1.138, t0_s = 1.562e-5, u = 0.6311, w = 0.8444, points = 369, median = 0.1393, p90 = 0.4662, held_out_median = 0.1825 },
    moe8 = { expert_s = 9.526e-9, kernels = "moe_torch_flow_cutlass", pass = 0.3085, skew = 0.4914, t0_s = 3.502e-5, u = 0.6976, w = 0.858, points = 252, median = 0.0933, p90 = 0.2515, held_out_median = 0.1122 },
    moe8_block = { expert_s = 3.283e-7, kernels = "deepgemm", pass = 0.407, skew = 0.4982, t0_s = 3.632e-5, u = 0.4855, w = 0.8044, points = 351, median = 0.06841, p90 = 0.2394, held_out_median = 0.08593 },
    prompt8 = { s0 = 545.3, t0_s = 1.422e-5, throttle = 0.05639, u = 0.7695, w = 0.4291, walk_s = 7.235e-9, points = 834, median = 0.03495, p90 = 0.0988, held_out_median = 0.03872 },
  },
  ["B300-SXM-288GB"] = {
    decode = { decode_ramp_s = 1.694e-7, decode_rate = 0.5, decode_stream = 0.8799, decode_t0_s = 1.094e-5, points = 542, median = 0.05017, p90 = 0.451, held_out_median = 0.0508 },
    moe16 = { expert_s = 6.011e-9, kernels = "moe_torch_flow_cutlass", pass = 0.3537, skew = 0.4326, t0_s = 3.327e-5, u = 0.8179, w = 0.8126, points = 252, median = 0.08085, p90 = 0.3147, held_out_median = 0.1174 },
    moe16_packed = { expert_s = 3.519e-8, kernels = "moe_torch_flow", pass = 0.3537, skew = 0.4326, t0_s = 3.712e-5, u = 0.1389, w = 0.1571, points = 36, median = 0.08313, p90 = 0.185, held_out_median = 0.6143 },
    moe4 = { expert_s = 1.045e-7, kernels = "moe_torch_flow_cutlass", pass = 0.3283, skew = 0.3908, t0_s = 3.744e-5, u = 0.2818, w = 0.7901, points = 369, median = 0.1078, p90 = 0.2779, held_out_median = 0.1311 },
    moe8 = { expert_s = 1.039e-8, kernels = "moe_torch_flow_cutlass", pass = 0.3164, skew = 0.5038, t0_s = 3.291e-5, u = 0.7156, w = 0.8318, points = 252, median = 0.09538, p90 = 0.2554, held_out_median = 0.1328 },
    moe8_block = { expert_s = 3.151e-7, kernels = "deepgemm", pass = 0.4023, skew = 0.5242, t0_s = 3.615e-5, u = 0.4841, w = 0.7872, points = 351, median = 0.07085, p90 = 0.237, held_out_median = 0.08498 },
    prompt8 = { s0 = 647.1, t0_s = 1.347e-5, throttle = 0.0925, u = 1.07, w = 0.411, walk_s = 4.763e-9, points = 834, median = 0.04355, p90 = 0.11, held_out_median = 0.0457 },
  },
  ["GB200"] = {
    decode = { decode_ramp_s = 1.468e-6, decode_rate = 0.5, decode_stream = 0.8927, decode_t0_s = 1.163e-5, points = 549, median = 0.06493, p90 = 0.4498, held_out_median = 0.06547 },
    moe16 = { expert_s = 6.988e-9, kernels = "moe_torch_flow_cutlass", pass = 0.3495, skew = 0.4705, t0_s = 3.37e-5, u = 0.755, w = 0.856, points = 252, median = 0.08312, p90 = 0.2851, held_out_median = 0.1232 },
    moe16_packed = { expert_s = 3.187e-8, kernels = "moe_torch_flow", pass = 0.3495, skew = 0.4705, t0_s = 3.76e-5, u = 0.1373, w = 0.1582, points = 36, median = 0.07789, p90 = 0.1608, held_out_median = 0.6158 },
    moe4 = { expert_s = 3.173e-8, kernels = "moe_torch_flow_cutlass moe_torch_flow_min_latency", pass = 0.9127, skew = 1.192, t0_s = 1.445e-5, u = 0.6302, w = 0.8492, points = 369, median = 0.134, p90 = 0.4607, held_out_median = 0.1713 },
    moe8 = { expert_s = 1.062e-8, kernels = "moe_torch_flow_cutlass", pass = 0.3118, skew = 0.5007, t0_s = 3.365e-5, u = 0.6655, w = 0.8618, points = 252, median = 0.09764, p90 = 0.2657, held_out_median = 0.1303 },
    moe8_block = { expert_s = 3.212e-7, kernels = "deepgemm", pass = 0.4154, skew = 0.5333, t0_s = 3.627e-5, u = 0.46, w = 0.8118, points = 351, median = 0.06763, p90 = 0.2332, held_out_median = 0.08843 },
    prompt8 = { s0 = 558.6, t0_s = 1.453e-5, throttle = 0.01849, u = 0.7743, w = 0.4213, walk_s = 6.984e-9, points = 834, median = 0.03118, p90 = 0.1008, held_out_median = 0.03472 },
  },
  ["GB300"] = {
    decode = { decode_ramp_s = 6.286e-7, decode_rate = 0.5, decode_stream = 0.8641, decode_t0_s = 1.142e-5, points = 579, median = 0.06319, p90 = 0.4491, held_out_median = 0.06283 },
    moe16 = { expert_s = 6.529e-9, kernels = "moe_torch_flow_cutlass", pass = 0.361, skew = 0.467, t0_s = 3.224e-5, u = 0.7682, w = 0.8136, points = 252, median = 0.08589, p90 = 0.3163, held_out_median = 0.1123 },
    moe16_packed = { expert_s = 3.341e-8, kernels = "moe_torch_flow", pass = 0.361, skew = 0.467, t0_s = 3.49e-5, u = 0.132, w = 0.1569, points = 36, median = 0.08262, p90 = 0.1587, held_out_median = 0.6131 },
    moe4 = { expert_s = 1.091e-7, kernels = "moe_torch_flow_cutlass", pass = 0.3339, skew = 0.4065, t0_s = 3.621e-5, u = 0.2765, w = 0.7951, points = 369, median = 0.1004, p90 = 0.2539, held_out_median = 0.1241 },
    moe8 = { expert_s = 7.871e-9, kernels = "moe_torch_flow_cutlass", pass = 0.3158, skew = 0.5264, t0_s = 3.315e-5, u = 0.7174, w = 0.8317, points = 252, median = 0.09314, p90 = 0.2607, held_out_median = 0.1192 },
    moe8_block = { expert_s = 3.108e-7, kernels = "deepgemm", pass = 0.4087, skew = 0.5576, t0_s = 3.564e-5, u = 0.4661, w = 0.7908, points = 351, median = 0.07252, p90 = 0.2379, held_out_median = 0.09149 },
    prompt8 = { s0 = 712.1, t0_s = 1.402e-5, throttle = 0.04313, u = 1.089, w = 0.3996, walk_s = 4.726e-9, points = 834, median = 0.03463, p90 = 0.1017, held_out_median = 0.03894 },
  },
  ["H100-SXM-80GB"] = {
    decode = { decode_ramp_s = 2.341e-5, decode_rate = 0.5, decode_stream = 0.9266, decode_t0_s = 8.222e-6, points = 542, median = 0.1791, p90 = 0.5979, held_out_median = 0.1828 },
    moe16 = { expert_s = 6.881e-9, kernels = "moe_torch_flow_cutlass", pass = 0.5316, skew = 0.4914, t0_s = 2.93e-5, u = 0.721, w = 0.8097, points = 252, median = 0.09285, p90 = 0.2956, held_out_median = 0.1135 },
    moe16_packed = { expert_s = 1.013e-7, kernels = "moe_torch_flow", pass = 0.5316, skew = 0.4914, t0_s = 6.739e-5, u = 0.2803, w = 0.3431, points = 27, median = 0.1101, p90 = 0.2805, held_out_median = 0.447 },
    moe8 = { expert_s = 7.936e-9, kernels = "moe_torch_flow_cutlass", pass = 0.5382, skew = 0.5036, t0_s = 3.4e-5, u = 0.6764, w = 0.821, points = 252, median = 0.08981, p90 = 0.2323, held_out_median = 0.1212 },
    moe8_block = { expert_s = 1.753e-7, kernels = "moe_torch_flow_cutlass", pass = 0.272, skew = 0.3919, t0_s = 2.948e-5, u = 0.3198, w = 0.8197, points = 351, median = 0.08613, p90 = 0.2297, held_out_median = 0.1079 },
    prompt8 = { s0 = 388.2, t0_s = 1.317e-5, throttle = 0.005705, u = 0.8297, w = 0.6836, walk_s = 6.097e-9, points = 834, median = 0.02747, p90 = 0.09881, held_out_median = 0.02859 },
  },
  ["H200-SXM-141GB"] = {
    decode = { decode_ramp_s = 2.828e-5, decode_rate = 0.5, decode_stream = 0.832, decode_t0_s = 8.698e-6, points = 549, median = 0.2074, p90 = 0.6363, held_out_median = 0.2053 },
    moe16 = { expert_s = 7.742e-9, kernels = "moe_torch_flow_cutlass", pass = 0.4122, skew = 0.4974, t0_s = 3.202e-5, u = 0.7712, w = 0.8056, points = 252, median = 0.09859, p90 = 0.2825, held_out_median = 0.1332 },
    moe16_packed = { expert_s = 4.21e-8, kernels = "moe_torch_flow", pass = 0.4122, skew = 0.4974, t0_s = 8.515e-5, u = 0.2882, w = 0.5342, points = 36, median = 0.1869, p90 = 0.336, held_out_median = 0.3556 },
    moe8 = { expert_s = 8.338e-9, kernels = "moe_torch_flow_cutlass", pass = 0.3989, skew = 0.5012, t0_s = 3.539e-5, u = 0.7191, w = 0.8165, points = 252, median = 0.101, p90 = 0.2963, held_out_median = 0.1469 },
    moe8_block = { expert_s = 1.896e-7, kernels = "moe_torch_flow_cutlass", pass = 0.1903, skew = 0.4033, t0_s = 3.018e-5, u = 0.3855, w = 0.7905, points = 351, median = 0.08981, p90 = 0.2566, held_out_median = 0.1088 },
    prompt8 = { s0 = 397, t0_s = 1.322e-5, throttle = 0.009663, u = 0.8257, w = 0.5344, walk_s = 6.173e-9, points = 834, median = 0.02777, p90 = 0.09317, held_out_median = 0.03253 },
  },
  ["L40S"] = {
    decode = { decode_ramp_s = 1.496e-6, decode_rate = 0.5, decode_stream = 0.8268, decode_t0_s = 9.642e-6, points = 579, median = 0.2466, p90 = 0.957, held_out_median = 0.2504 },
    moe16 = { expert_s = 8.333e-9, kernels = "moe_torch_flow_cutlass", pass = 0.925, skew = 0.438, t0_s = 1.639e-6, u = 0.4256, w = 0.7133, points = 252, median = 0.1005, p90 = 0.3875, held_out_median = 0.1368 },
    moe8 = { expert_s = 2.013e-8, kernels = "moe_torch_flow_cutlass", pass = 1.098, skew = 0.4323, t0_s = 9.017e-6, u = 0.4121, w = 0.7331, points = 252, median = 0.09965, p90 = 0.4237, held_out_median = 0.1237 },
    prompt8 = { cached = 2.726, s0 = 26.79, t0_s = 8.652e-6, throttle = 0.01463, u = 0.8347, w = 0.5506, walk_s = 1.19e-8, points = 834, median = 0.04656, p90 = 0.1321, held_out_median = 0.05013 },
  },
  ["RTX-PRO-6000-BSE"] = {
    decode = { decode_ramp_s = 5.184e-6, decode_rate = 0.5, decode_stream = 0.8767, decode_t0_s = 9.313e-6, points = 542, median = 0.2991, p90 = 0.8956, held_out_median = 0.2981 },
    moe16 = { expert_s = 8.859e-9, kernels = "moe_torch_flow_cutlass", pass = 0.8858, skew = 0.4905, t0_s = 1.322e-5, u = 0.6294, w = 0.7633, points = 252, median = 0.08345, p90 = 0.3221, held_out_median = 0.1315 },
    moe4 = { expert_s = 5.159e-8, kernels = "moe_torch_flow_cutlass", pass = 1.423, skew = 0.3946, t0_s = 3.957e-5, u = 0.6057, w = 0.7526, points = 369, median = 0.09221, p90 = 0.2617, held_out_median = 0.1012 },
    moe8 = { expert_s = 8.197e-9, kernels = "moe_torch_flow_cutlass", pass = 1.063, skew = 0.466, t0_s = 1.307e-5, u = 0.6481, w = 0.7683, points = 252, median = 0.1032, p90 = 0.3374, held_out_median = 0.1223 },
    moe8_block = { expert_s = 9.069e-9, kernels = "moe_torch_flow_triton_fp8_block", pass = 2, skew = 1.852, t0_s = 3.543e-5, u = 0.1967, w = 0.5272, points = 288, median = 0.1224, p90 = 0.3249, held_out_median = 0.1286 },
    prompt8 = { cached = 1.193, s0 = 36.41, t0_s = 1.095e-5, throttle = 0.04245, u = 1.009, w = 0.622, walk_s = 1.586e-8, points = 834, median = 0.03377, p90 = 0.08351, held_out_median = 0.03546 },
  },
}

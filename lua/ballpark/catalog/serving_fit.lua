-- Experts and decode attention by device, fitted to public timings; written by
-- tools/fit/serving_curves.lua, never by hand. Timings: ai-dynamo/aiconfigurator@095f58a51c
-- (Apache-2.0, NVIDIA), skewed routing (power law 1.2); decode attention: four or more query heads
-- per key head. points: timings used; median, p90: |predicted /
-- measured - 1|; held_out_median: the same where every shape was predicted by a fit without it.
return {
  ["A100-80GB-SXM"] = {
    decode = { decode_ramp_s = 2.907e-5, decode_rate = 0.5, decode_stream = 0.95, decode_t0_s = 1.484e-5, points = 219, median = 0.2531, p90 = 0.7668, held_out_median = 0.2585 },
    moe16 = { skew = 0.4233, spread = 1.074, t0_s = 0.0001144, u = 0.4206, w = 0.9349, points = 190, median = 0.1584, p90 = 0.341, held_out_median = 0.196 },
  },
  ["B200-SXM-180GB"] = {
    decode = { decode_ramp_s = 6.941e-7, decode_rate = 0.5, decode_stream = 0.8906, decode_t0_s = 1.119e-5, points = 579, median = 0.05882, p90 = 0.4749, held_out_median = 0.06107 },
    moe16 = { skew = 0.3941, spread = 0.9886, t0_s = 4.034e-5, u = 0.4558, w = 0.9431, points = 252, median = 0.1352, p90 = 0.4263, held_out_median = 0.1628 },
    moe16_packed = { skew = 0.3672, spread = 0.9986, t0_s = 4.118e-5, u = 0.1187, w = 0.1845, points = 36, median = 0.1002, p90 = 0.2201, held_out_median = 0.6741 },
    moe4 = { skew = 1.189, spread = 0.9162, t0_s = 1.704e-5, u = 0.4328, w = 0.9027, points = 369, median = 0.1896, p90 = 0.4867, held_out_median = 0.2357 },
    moe8 = { skew = 0.4065, spread = 1.022, t0_s = 3.917e-5, u = 0.3542, w = 0.9349, points = 252, median = 0.1578, p90 = 0.4736, held_out_median = 0.2055 },
    moe8_block = { skew = 0.4266, spread = 0.6867, t0_s = 4.062e-5, u = 0.3056, w = 0.8319, points = 351, median = 0.09194, p90 = 0.3284, held_out_median = 0.1106 },
  },
  ["B300-SXM-288GB"] = {
    decode = { decode_ramp_s = 1.694e-7, decode_rate = 0.5, decode_stream = 0.8799, decode_t0_s = 1.094e-5, points = 542, median = 0.05016, p90 = 0.4517, held_out_median = 0.05043 },
    moe16 = { skew = 0.4163, spread = 1, t0_s = 3.754e-5, u = 0.5018, w = 0.8838, points = 252, median = 0.1484, p90 = 0.4801, held_out_median = 0.1777 },
    moe16_packed = { skew = 0.3385, spread = 0.9962, t0_s = 4.116e-5, u = 0.12, w = 0.1906, points = 36, median = 0.1111, p90 = 0.2132, held_out_median = 0.663 },
    moe4 = { skew = 0.2003, spread = 0.9726, t0_s = 4.56e-5, u = 0.1179, w = 0.8109, points = 369, median = 0.1835, p90 = 0.4712, held_out_median = 0.2099 },
    moe8 = { skew = 0.4335, spread = 1.015, t0_s = 3.692e-5, u = 0.3685, w = 0.9038, points = 252, median = 0.1552, p90 = 0.4758, held_out_median = 0.2102 },
    moe8_block = { skew = 0.4025, spread = 0.6963, t0_s = 4.023e-5, u = 0.3006, w = 0.8184, points = 351, median = 0.08654, p90 = 0.3276, held_out_median = 0.1018 },
  },
  ["GB200"] = {
    decode = { decode_ramp_s = 1.468e-6, decode_rate = 0.5, decode_stream = 0.8927, decode_t0_s = 1.163e-5, points = 549, median = 0.06493, p90 = 0.4515, held_out_median = 0.06547 },
    moe16 = { skew = 0.3888, spread = 0.9874, t0_s = 3.85e-5, u = 0.4373, w = 0.9532, points = 252, median = 0.1503, p90 = 0.4275, held_out_median = 0.1897 },
    moe16_packed = { skew = 0.3411, spread = 0.9948, t0_s = 4.106e-5, u = 0.1143, w = 0.1916, points = 36, median = 0.08818, p90 = 0.2127, held_out_median = 0.6658 },
    moe4 = { skew = 1.267, spread = 0.9104, t0_s = 1.593e-5, u = 0.4341, w = 0.9037, points = 369, median = 0.1847, p90 = 0.481, held_out_median = 0.2406 },
    moe8 = { skew = 0.3872, spread = 1.024, t0_s = 3.804e-5, u = 0.3321, w = 0.9435, points = 252, median = 0.1458, p90 = 0.4707, held_out_median = 0.2077 },
    moe8_block = { skew = 0.4297, spread = 0.6845, t0_s = 4.01e-5, u = 0.2851, w = 0.838, points = 351, median = 0.09014, p90 = 0.3301, held_out_median = 0.1072 },
  },
  ["GB300"] = {
    decode = { decode_ramp_s = 6.286e-7, decode_rate = 0.5, decode_stream = 0.8641, decode_t0_s = 1.142e-5, points = 579, median = 0.06319, p90 = 0.4518, held_out_median = 0.06283 },
    moe16 = { skew = 0.4424, spread = 1.004, t0_s = 3.634e-5, u = 0.4756, w = 0.8823, points = 252, median = 0.1476, p90 = 0.4748, held_out_median = 0.1778 },
    moe16_packed = { skew = 0.3862, spread = 0.9955, t0_s = 3.804e-5, u = 0.1156, w = 0.1893, points = 36, median = 0.08308, p90 = 0.2234, held_out_median = 0.6759 },
    moe4 = { skew = 0.2056, spread = 0.9663, t0_s = 4.419e-5, u = 0.1161, w = 0.8182, points = 369, median = 0.1765, p90 = 0.4569, held_out_median = 0.2108 },
    moe8 = { skew = 0.4536, spread = 1.022, t0_s = 3.69e-5, u = 0.36, w = 0.9014, points = 252, median = 0.1496, p90 = 0.4719, held_out_median = 0.2019 },
    moe8_block = { skew = 0.4235, spread = 0.6925, t0_s = 3.979e-5, u = 0.2884, w = 0.8176, points = 351, median = 0.09529, p90 = 0.3572, held_out_median = 0.1082 },
  },
  ["H100-SXM-80GB"] = {
    decode = { decode_ramp_s = 2.341e-5, decode_rate = 0.5, decode_stream = 0.9266, decode_t0_s = 8.222e-6, points = 542, median = 0.1787, p90 = 0.5986, held_out_median = 0.1826 },
    moe16 = { skew = 0.3839, spread = 0.991, t0_s = 3.441e-5, u = 0.4809, w = 0.894, points = 252, median = 0.1621, p90 = 0.47, held_out_median = 0.1979 },
    moe16_packed = { skew = 2, spread = 0.5088, t0_s = 3.526e-5, u = 0.7362, w = 0.3094, points = 27, median = 0.1196, p90 = 0.3026, held_out_median = 0.4484 },
    moe8 = { skew = 0.4659, spread = 1.008, t0_s = 3.708e-5, u = 0.4194, w = 0.8879, points = 252, median = 0.1514, p90 = 0.416, held_out_median = 0.1838 },
    moe8_block = { skew = 0.374, spread = 0.8909, t0_s = 3.613e-5, u = 0.2075, w = 0.9156, points = 351, median = 0.1405, p90 = 0.3769, held_out_median = 0.1591 },
  },
  ["H200-SXM-141GB"] = {
    decode = { decode_ramp_s = 2.828e-5, decode_rate = 0.5, decode_stream = 0.832, decode_t0_s = 8.698e-6, points = 549, median = 0.2074, p90 = 0.637, held_out_median = 0.2053 },
    moe16 = { skew = 0.3708, spread = 1.009, t0_s = 3.843e-5, u = 0.5086, w = 0.9046, points = 252, median = 0.1571, p90 = 0.4442, held_out_median = 0.1713 },
    moe16_packed = { skew = 0.5533, spread = 1.244, t0_s = 9.196e-5, u = 0.2791, w = 0.7117, points = 36, median = 0.1889, p90 = 0.3607, held_out_median = 0.3413 },
    moe8 = { skew = 0.4087, spread = 1.037, t0_s = 4.009e-5, u = 0.4235, w = 0.8852, points = 252, median = 0.1773, p90 = 0.5485, held_out_median = 0.2369 },
    moe8_block = { skew = 0.3804, spread = 0.8728, t0_s = 3.702e-5, u = 0.2339, w = 0.8735, points = 351, median = 0.1491, p90 = 0.4031, held_out_median = 0.1679 },
  },
  ["L40S"] = {
    decode = { decode_ramp_s = 1.496e-6, decode_rate = 0.5, decode_stream = 0.8268, decode_t0_s = 9.642e-6, points = 579, median = 0.2466, p90 = 0.9673, held_out_median = 0.2504 },
    moe16 = { skew = 0.4832, spread = 0.9875, t0_s = 2.707e-6, u = 0.3312, w = 0.7867, points = 252, median = 0.1183, p90 = 0.4732, held_out_median = 0.1972 },
    moe8 = { skew = 0.4823, spread = 0.9792, t0_s = 7.984e-6, u = 0.335, w = 0.8075, points = 252, median = 0.1258, p90 = 0.4997, held_out_median = 0.1736 },
  },
  ["RTX-PRO-6000-BSE"] = {
    decode = { decode_ramp_s = 5.184e-6, decode_rate = 0.5, decode_stream = 0.8767, decode_t0_s = 9.313e-6, points = 542, median = 0.2988, p90 = 0.8956, held_out_median = 0.298 },
    moe16 = { skew = 0.5169, spread = 0.9698, t0_s = 1.498e-5, u = 0.5019, w = 0.8478, points = 252, median = 0.1334, p90 = 0.4461, held_out_median = 0.181 },
    moe4 = { skew = 0.4562, spread = 0.9256, t0_s = 4.075e-5, u = 0.4828, w = 0.8489, points = 369, median = 0.1178, p90 = 0.2915, held_out_median = 0.1309 },
    moe8 = { skew = 0.5087, spread = 0.9881, t0_s = 1.377e-5, u = 0.5125, w = 0.8502, points = 252, median = 0.1373, p90 = 0.4471, held_out_median = 0.1857 },
    moe8_block = { skew = 1.859, spread = 0.929, t0_s = 3.33e-5, u = 0.1866, w = 0.6259, points = 288, median = 0.1125, p90 = 0.3473, held_out_median = 0.1373 },
  },
}

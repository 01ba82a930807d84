-- Curves of kernels and links, fitted to public timings; written by tools/fit/curves.lua, never by hand.
-- Timings: ai-dynamo/aiconfigurator@095f58a51c (Apache-2.0, NVIDIA); efa: stas00/ml-engineering@744d01e18b.
-- points: timings in the set; median,
-- p90: |predicted / measured - 1| of the fit to all of them; held_out_*: the same where every group was
-- predicted by a fit without it. A group is a shape (n, k) of a matmul, (heads, kv_heads) of attention, a
-- number of ranks of a collective (between nodes: a size).
-- Matmul timings whose weights stay in the cache from call to call are met with `cached` on top of w.
return {
  gemm = {
    ["A100-80GB-SXM"] = {
      bf16 = { cached = 2.494, depth_s = 1.042e-11, k0 = 194.3, t0_s = 5.858e-6, throttle = 0.001133, tiles0 = 6.834, u = 0.8745, w = 0.779, wave = 0.4161, points = 1120, median = 0.05472, p90 = 0.1544, held_out_median = 0.05544, held_out_p90 = 0.1581 },
      int8 = { cached = 0.1851, depth_s = 1.811e-11, k0 = 477.7, q = 0.4836, t0_s = 1.009e-5, throttle = 0.002981, tiles0 = 29.49, u = 0.9405, w = 0.8817, wave = 0.3127, points = 1120, median = 0.0601, p90 = 0.2555, held_out_median = 0.0608, held_out_p90 = 0.2545 },
    },
    ["B200-SXM-180GB"] = {
      bf16 = { cached = 0.828, depth_s = 2.309e-10, k0 = 58.61, t0_s = 2.901e-6, throttle = 0.255, tiles0 = 21.52, u = 0.8109, w = 0.824, wave = 0.118, points = 1200, median = 0.05347, p90 = 0.1454, held_out_median = 0.05435, held_out_p90 = 0.1522 },
      fp4 = { cached = 0.04595, depth_s = 1.674e-9, k0 = 1751, q = 1.583, t0_s = 6.218e-6, throttle = 1.141, tiles0 = 0.005295, u = 1, w = 2.066, wave = 0.7171, points = 1200, median = 0.03046, p90 = 0.1016, held_out_median = 0.03074, held_out_p90 = 0.09858 },
      fp8 = { cached = 0.5719, depth_s = 1.861e-10, k0 = 210.3, q = 3.054, t0_s = 1.437e-5, throttle = 0.09275, tiles0 = 34.26, u = 0.7498, w = 0.7996, wave = 0.04834, points = 1200, median = 0.0406, p90 = 0.09454, held_out_median = 0.0416, held_out_p90 = 0.09655 },
      fp8_block = { cached = 0.1774, depth_s = 3.995e-10, k0 = 527.5, q = 1.304, t0_s = 5.435e-6, throttle = 0.4164, tiles0 = 42.25, u = 0.9364, w = 0.9133, wave = 0.1494, points = 1200, median = 0.02834, p90 = 0.07775, held_out_median = 0.02891, held_out_p90 = 0.0782 },
    },
    ["B300-SXM-288GB"] = {
      bf16 = { cached = 0.6905, depth_s = 2.292e-10, k0 = 74.6, t0_s = 2.637e-6, throttle = 0.3446, tiles0 = 21.34, u = 0.8892, w = 0.7953, wave = 0.1348, points = 1200, median = 0.0556, p90 = 0.1443, held_out_median = 0.05659, held_out_p90 = 0.1462 },
      fp4 = { cached = 0.5815, depth_s = 1.262e-9, k0 = 4092, q = 1.501, t0_s = 6.854e-6, throttle = 0.536, tiles0 = 9.707, u = 0.754, w = 1.15, wave = 0.8378, points = 1200, median = 0.03507, p90 = 0.09818, held_out_median = 0.03623, held_out_p90 = 0.1 },
      fp8 = { cached = 0.5158, depth_s = 2.157e-10, k0 = 181.4, q = 2.889, t0_s = 1.376e-5, throttle = 0.03661, tiles0 = 23.84, u = 0.7414, w = 0.7887, wave = 0.03492, points = 1200, median = 0.04128, p90 = 0.09391, held_out_median = 0.04244, held_out_p90 = 0.09603 },
      fp8_block = { cached = 0.1744, depth_s = 4.168e-10, k0 = 489.3, q = 1.138, t0_s = 4.92e-6, throttle = 0.2084, tiles0 = 35.85, u = 0.9198, w = 0.87, wave = 0.1592, points = 1200, median = 0.02756, p90 = 0.07651, held_out_median = 0.02824, held_out_p90 = 0.07802 },
    },
    ["GB200"] = {
      bf16 = { cached = 0.5569, depth_s = 2.117e-10, k0 = 74.53, t0_s = 2.555e-6, throttle = 0.2139, tiles0 = 22.19, u = 0.7673, w = 0.787, wave = 0.1467, points = 1200, median = 0.05617, p90 = 0.1428, held_out_median = 0.05676, held_out_p90 = 0.1455 },
      fp4 = { cached = 0.09886, depth_s = 1.588e-9, k0 = 1849, q = 1.687, t0_s = 5.886e-6, throttle = 1.109, tiles0 = 0.517, u = 1, w = 1.985, wave = 0.9672, points = 1200, median = 0.02829, p90 = 0.09621, held_out_median = 0.02939, held_out_p90 = 0.09635 },
      fp8 = { cached = 0.7024, depth_s = 1.736e-10, k0 = 195.2, q = 3.061, t0_s = 1.406e-5, throttle = 0.00648, tiles0 = 28.14, u = 0.6526, w = 0.7981, wave = 0.1025, points = 1200, median = 0.03951, p90 = 0.09153, held_out_median = 0.04025, held_out_p90 = 0.09399 },
      fp8_block = { cached = 0.2463, depth_s = 4.096e-10, k0 = 537.5, q = 1.364, t0_s = 5.076e-6, throttle = 0.2817, tiles0 = 37.08, u = 0.8416, w = 0.9159, wave = 0.1805, points = 1200, median = 0.0313, p90 = 0.08691, held_out_median = 0.03151, held_out_p90 = 0.08739 },
    },
    ["GB300"] = {
      bf16 = { cached = 0.6646, depth_s = 1.973e-10, k0 = 76.39, t0_s = 2.585e-6, throttle = 0.1379, tiles0 = 25.17, u = 0.8555, w = 0.762, wave = 0.1305, points = 1200, median = 0.04575, p90 = 0.1201, held_out_median = 0.04651, held_out_p90 = 0.1218 },
      fp4 = { cached = 0.6903, depth_s = 1.27e-9, k0 = 4271, q = 1.49, t0_s = 6.9e-6, throttle = 0.4965, tiles0 = 7.335, u = 0.7642, w = 1.22, wave = 0.859, points = 1200, median = 0.03432, p90 = 0.1004, held_out_median = 0.03527, held_out_p90 = 0.1013 },
      fp8 = { cached = 0.6003, depth_s = 1.624e-10, k0 = 192.4, q = 3.118, t0_s = 1.402e-5, throttle = 0.01561, tiles0 = 31.83, u = 0.7924, w = 0.7789, wave = 0.135, points = 1200, median = 0.0326, p90 = 0.08848, held_out_median = 0.03288, held_out_p90 = 0.08989 },
      fp8_block = { cached = 0.1839, depth_s = 3.79e-10, k0 = 658.9, q = 1.305, t0_s = 4.939e-6, throttle = 0.3421, tiles0 = 50.95, u = 1, w = 0.8578, wave = 0.211, points = 1200, median = 0.03114, p90 = 0.0845, held_out_median = 0.03101, held_out_p90 = 0.08339 },
    },
    ["H100-SXM-80GB"] = {
      bf16 = { cached = 0.02513, depth_s = 2.567e-10, k0 = 165.8, t0_s = 2.971e-6, throttle = 0.1376, tiles0 = 10.78, u = 0.9224, w = 0.8672, wave = 0.09771, points = 1200, median = 0.02845, p90 = 0.08155, held_out_median = 0.02894, held_out_p90 = 0.08437 },
      fp8 = { cached = 0.03604, depth_s = 2.003e-10, k0 = 384.2, q = 2.675, t0_s = 1.202e-5, throttle = 0.07467, tiles0 = 0.167, u = 0.85, w = 0.8578, wave = 0.057, points = 1200, median = 0.01876, p90 = 0.06028, held_out_median = 0.01904, held_out_p90 = 0.06102 },
      fp8_block = { cached = 0.2027, depth_s = 4.042e-10, k0 = 671.3, q = 1.588, t0_s = 4.143e-6, throttle = 0.1162, tiles0 = 23.88, u = 0.7607, w = 0.8814, wave = 0.2177, points = 1200, median = 0.03236, p90 = 0.08272, held_out_median = 0.03274, held_out_p90 = 0.08437 },
    },
    ["H200-SXM-141GB"] = {
      bf16 = { cached = 0.179, depth_s = 3.193e-10, k0 = 159.8, t0_s = 3.232e-6, throttle = 0.1356, tiles0 = 4.568, u = 0.9163, w = 0.8851, wave = 0.06855, points = 1200, median = 0.03416, p90 = 0.08801, held_out_median = 0.03481, held_out_p90 = 0.09267 },
      fp8 = { cached = 0.03179, depth_s = 2.393e-10, k0 = 359.6, q = 3.379, t0_s = 1.204e-5, throttle = 0.08159, tiles0 = 0.2099, u = 0.8555, w = 0.8754, wave = 0.06075, points = 1200, median = 0.01958, p90 = 0.06541, held_out_median = 0.01987, held_out_p90 = 0.06642 },
      fp8_block = { cached = 0.3984, depth_s = 5.51e-10, k0 = 759.1, q = 2.336, t0_s = 4.167e-6, throttle = 0.1928, tiles0 = 16.59, u = 0.8198, w = 0.9161, wave = 0.2173, points = 1200, median = 0.03804, p90 = 0.09274, held_out_median = 0.03832, held_out_p90 = 0.09452 },
    },
    ["L40S"] = {
      bf16 = { cached = 4.496, depth_s = 2.225e-11, k0 = 120.9, t0_s = 4.143e-6, throttle = 0.1945, tiles0 = 4.984, u = 0.7319, w = 0.8299, wave = 0.3102, points = 1200, median = 0.07786, p90 = 0.3424, held_out_median = 0.07876, held_out_p90 = 0.3483 },
      fp8 = { cached = 5.058, depth_s = 1.98e-11, k0 = 108.3, q = 0.8034, t0_s = 1.288e-5, throttle = 0.3239, tiles0 = 5.035, u = 0.6696, w = 0.8267, wave = 0.214, points = 1200, median = 0.06327, p90 = 0.2107, held_out_median = 0.06424, held_out_p90 = 0.2176 },
      fp8_block = { cached = 20, depth_s = 1.864e-11, k0 = 341.8, q = 0.8501, t0_s = 1.528e-6, throttle = 1.099, tiles0 = 34.09, u = 0.5891, w = 0.7694, wave = 0.1009, points = 1200, median = 0.07823, p90 = 0.2401, held_out_median = 0.07762, held_out_p90 = 0.2374 },
    },
    ["RTX-PRO-6000-BSE"] = {
      bf16 = { cached = 4.938, depth_s = 1.935e-11, k0 = 117.1, t0_s = 4.764e-6, throttle = 0.001722, tiles0 = 2.533, u = 0.8448, w = 0.8395, wave = 0.08639, points = 1200, median = 0.0547, p90 = 0.2729, held_out_median = 0.05571, held_out_p90 = 0.2767 },
      fp4 = { cached = 0.2581, depth_s = 2.435e-9, k0 = 354.8, q = 0.3928, t0_s = 4.18e-6, throttle = 0.3904, tiles0 = 37.56, u = 1, w = 0.847, wave = 0.04923, points = 1200, median = 0.07604, p90 = 0.2893, held_out_median = 0.07218, held_out_p90 = 0.289 },
      fp8 = { cached = 4.392, depth_s = 9.184e-11, k0 = 135.7, q = 1.494, t0_s = 1.281e-5, throttle = 0.004295, tiles0 = 6.351, u = 0.8408, w = 0.8496, wave = 0.1757, points = 1200, median = 0.05756, p90 = 0.2095, held_out_median = 0.05821, held_out_p90 = 0.2085 },
      fp8_block = { cached = 13.13, depth_s = 4.34e-10, k0 = 1671, q = 3.012, t0_s = 1.496e-7, throttle = 0.188, tiles0 = 65.8, u = 0.9721, w = 0.8624, wave = 0.05046, points = 1200, median = 0.06019, p90 = 0.2064, held_out_median = 0.06169, held_out_p90 = 0.2109 },
    },
  },
  attention = {
    ["A100-80GB-SXM"] = {
      bf16 = { s0 = 41.04, t0_s = 1.218e-5, throttle = 0.0197, u = 0.5051, w = 0.3793, walk_s = 2.264e-8, points = 771, median = 0.02471, p90 = 0.07658, held_out_median = 0.02765, held_out_p90 = 0.08416 },
    },
    ["B200-SXM-180GB"] = {
      bf16 = { s0 = 517.8, t0_s = 1.423e-5, throttle = 0.3127, u = 0.7062, w = 0.3099, walk_s = 7.767e-9, points = 834, median = 0.02988, p90 = 0.08717, held_out_median = 0.03148, held_out_p90 = 0.09047 },
    },
    ["B300-SXM-288GB"] = {
      bf16 = { s0 = 554.4, t0_s = 1.358e-5, throttle = 0.3941, u = 0.8794, w = 0.3185, walk_s = 6.039e-9, points = 834, median = 0.03384, p90 = 0.08832, held_out_median = 0.03615, held_out_p90 = 0.09018 },
    },
    ["GB200"] = {
      bf16 = { s0 = 528.6, t0_s = 1.471e-5, throttle = 0.2555, u = 0.6977, w = 0.3044, walk_s = 7.72e-9, points = 834, median = 0.03494, p90 = 0.09365, held_out_median = 0.03734, held_out_p90 = 0.1007 },
    },
    ["GB300"] = {
      bf16 = { s0 = 577.3, t0_s = 1.43e-5, throttle = 0.1327, u = 0.838, w = 0.3186, walk_s = 5.606e-9, points = 834, median = 0.02714, p90 = 0.08025, held_out_median = 0.03076, held_out_p90 = 0.08469 },
    },
    ["H100-SXM-80GB"] = {
      bf16 = { s0 = 191.3, t0_s = 1.211e-5, throttle = 0.1426, u = 0.6514, w = 0.4612, walk_s = 8.728e-9, points = 834, median = 0.03077, p90 = 0.09058, held_out_median = 0.03157, held_out_p90 = 0.0926 },
    },
    ["H200-SXM-141GB"] = {
      bf16 = { s0 = 198.6, t0_s = 1.204e-5, throttle = 0.1783, u = 0.661, w = 0.3712, walk_s = 9.25e-9, points = 834, median = 0.03105, p90 = 0.08768, held_out_median = 0.03416, held_out_p90 = 0.09366 },
    },
    ["L40S"] = {
      bf16 = { cached = 3.105, s0 = 22.03, t0_s = 8.543e-6, throttle = 0.01692, u = 0.4488, w = 0.4183, walk_s = 2.615e-8, points = 834, median = 0.05097, p90 = 0.1303, held_out_median = 0.05175, held_out_p90 = 0.1377 },
    },
    ["RTX-PRO-6000-BSE"] = {
      bf16 = { cached = 1.534, s0 = 90.45, t0_s = 1.212e-5, throttle = 0.00192, u = 0.4823, w = 0.5224, walk_s = 1.403e-8, points = 834, median = 0.02808, p90 = 0.1146, held_out_median = 0.03026, held_out_p90 = 0.1191 },
    },
  },
  collective = {
    nvlink3 = { from = "A100-80GB-SXM", alpha_s = 8.046e-6, ramp = 0.00612, reduce_gain = 0, step_s = 9.034e-7, util = 0.7436, points = 252, median = 0.04767, p90 = 0.1595, held_out_median = 0.0605, held_out_p90 = 0.1874 },
    nvlink4 = { from = "H100-SXM-80GB, H200-SXM-141GB", alpha_s = 4.591e-6, ramp = 0.003862, reduce_gain = 0.6799, step_s = 8.095e-7, util = 0.7582, points = 504, median = 0.05908, p90 = 0.1827, held_out_median = 0.06657, held_out_p90 = 0.2058 },
    nvlink5 = { from = "B200-SXM-180GB, B300-SXM-288GB, GB200, GB300", alpha_s = 7.287e-6, ramp = 0.004947, reduce_gain = 0.4697, step_s = 1.248e-6, util = 0.7128, points = 840, median = 0.06664, p90 = 0.1985, held_out_median = 0.07904, held_out_p90 = 0.225 },
    pcie = { from = "RTX-PRO-6000-BSE", alpha_s = 4.294e-6, ramp = 0.002803, reduce_gain = 0, step_s = 1.466e-6, util = 0.409, points = 252, median = 0.08213, p90 = 0.3377, held_out_median = 0.1462, held_out_p90 = 0.4285 },
    efa = { from = "B200-SXM-180GB", alpha_s = 0.0002799, ramp = 0.002781, reduce_gain = 0, step_s = 1.4e-5, util = 0.9907, points = 17, median = 0.03012, p90 = 0.07424, held_out_median = 0.03452, held_out_p90 = 0.084 },
  },
}

-- Curves of kernels and links, fitted to public timings; written by tools/fit/curves.lua, never by hand.
-- Timings: ai-dynamo/aiconfigurator@095f58a51c (Apache-2.0, NVIDIA). points: timings in the set; median,
-- p90: |predicted / measured - 1| of the fit to all of them; held_out_*: the same where every group was
-- predicted by a fit without it. A group is a shape (n, k) of a matmul, (heads, kv_heads) of attention, a
-- number of ranks of a collective.
return {
  gemm = {
    ["A100-80GB-SXM"] = {
      bf16 = { u = 0.8735, w = 0.7775, t0_s = 5.856e-6, depth_s = 8.839e-12, k0 = 201.1, tiles0 = 6.806, wave = 0.4135, throttle = 0.001705, cached = 2.601, points = 1120, median = 0.05548, p90 = 0.1539, held_out_median = 0.05524, held_out_p90 = 0.1548 },
      int8 = { u = 0.9344, w = 0.878, t0_s = 1.013e-5, depth_s = 1.593e-11, k0 = 469.2, tiles0 = 27.87, wave = 0.299, throttle = 0.00285, q = 0.5402, cached = 0.1518, points = 1120, median = 0.06235, p90 = 0.2573, held_out_median = 0.06337, held_out_p90 = 0.2554 },
    },
    ["B200-SXM-180GB"] = {
      bf16 = { u = 0.8094, w = 0.8237, t0_s = 2.933e-6, depth_s = 2.295e-10, k0 = 54.14, tiles0 = 21.38, wave = 0.1175, throttle = 0.2536, cached = 0.8399, points = 1200, median = 0.05444, p90 = 0.1474, held_out_median = 0.05501, held_out_p90 = 0.1546 },
      fp4 = { u = 1, w = 2.038, t0_s = 6.229e-6, depth_s = 1.668e-9, k0 = 1711, tiles0 = 0.004412, wave = 0.7383, throttle = 1.074, q = 1.61, cached = 0.03727, points = 1200, median = 0.03056, p90 = 0.09632, held_out_median = 0.03108, held_out_p90 = 0.09678 },
      fp8 = { u = 0.7497, w = 0.8015, t0_s = 1.439e-5, depth_s = 1.892e-10, k0 = 212.2, tiles0 = 33.53, wave = 0.04761, throttle = 0.1003, q = 3.044, cached = 0.61, points = 1200, median = 0.04085, p90 = 0.09386, held_out_median = 0.04178, held_out_p90 = 0.09658 },
      fp8_block = { u = 0.9394, w = 0.912, t0_s = 5.427e-6, depth_s = 3.995e-10, k0 = 532.6, tiles0 = 42.63, wave = 0.1553, throttle = 0.4195, q = 1.306, cached = 0.1797, points = 1200, median = 0.02857, p90 = 0.07729, held_out_median = 0.02886, held_out_p90 = 0.0781 },
    },
    ["B300-SXM-288GB"] = {
      bf16 = { u = 0.8877, w = 0.795, t0_s = 2.675e-6, depth_s = 2.259e-10, k0 = 71.28, tiles0 = 21.33, wave = 0.1351, throttle = 0.3415, cached = 0.7096, points = 1200, median = 0.05594, p90 = 0.1448, held_out_median = 0.05718, held_out_p90 = 0.1503 },
      fp4 = { u = 0.7623, w = 1.161, t0_s = 6.907e-6, depth_s = 1.267e-9, k0 = 4132, tiles0 = 7.721, wave = 0.8602, throttle = 0.553, q = 1.505, cached = 0.6214, points = 1200, median = 0.03556, p90 = 0.09854, held_out_median = 0.03665, held_out_p90 = 0.09954 },
      fp8 = { u = 0.7384, w = 0.7903, t0_s = 1.377e-5, depth_s = 2.195e-10, k0 = 177.7, tiles0 = 23.3, wave = 0.03313, throttle = 0.03131, q = 2.885, cached = 0.532, points = 1200, median = 0.04113, p90 = 0.09404, held_out_median = 0.0427, held_out_p90 = 0.09632 },
      fp8_block = { u = 0.9181, w = 0.8685, t0_s = 4.912e-6, depth_s = 4.163e-10, k0 = 489.7, tiles0 = 35.98, wave = 0.1583, throttle = 0.2058, q = 1.138, cached = 0.1742, points = 1200, median = 0.02779, p90 = 0.07663, held_out_median = 0.02811, held_out_p90 = 0.07865 },
    },
    ["GB200"] = {
      bf16 = { u = 0.767, w = 0.7894, t0_s = 2.613e-6, depth_s = 2.118e-10, k0 = 72.24, tiles0 = 21.79, wave = 0.1453, throttle = 0.213, cached = 0.57, points = 1200, median = 0.05642, p90 = 0.1437, held_out_median = 0.05811, held_out_p90 = 0.147 },
      fp4 = { u = 0.9247, w = 1.868, t0_s = 5.846e-6, depth_s = 1.566e-9, k0 = 1676, tiles0 = 0.1286, wave = 0.8651, throttle = 0.942, q = 1.61, cached = 0.02238, points = 1200, median = 0.02966, p90 = 0.0952, held_out_median = 0.03012, held_out_p90 = 0.09584 },
      fp8 = { u = 0.652, w = 0.8006, t0_s = 1.408e-5, depth_s = 1.787e-10, k0 = 199.7, tiles0 = 27.14, wave = 0.1004, throttle = 0.006022, q = 3.051, cached = 0.705, points = 1200, median = 0.03963, p90 = 0.0916, held_out_median = 0.04051, held_out_p90 = 0.09386 },
      fp8_block = { u = 0.8424, w = 0.9157, t0_s = 5.075e-6, depth_s = 4.123e-10, k0 = 539.9, tiles0 = 36.76, wave = 0.1829, throttle = 0.281, q = 1.368, cached = 0.2507, points = 1200, median = 0.03154, p90 = 0.08724, held_out_median = 0.03189, held_out_p90 = 0.08748 },
    },
    ["GB300"] = {
      bf16 = { u = 0.8563, w = 0.7648, t0_s = 2.638e-6, depth_s = 1.985e-10, k0 = 75.63, tiles0 = 24.58, wave = 0.1289, throttle = 0.1403, cached = 0.663, points = 1200, median = 0.04582, p90 = 0.1215, held_out_median = 0.04655, held_out_p90 = 0.1233 },
      fp4 = { u = 0.7701, w = 1.227, t0_s = 6.933e-6, depth_s = 1.272e-9, k0 = 4300, tiles0 = 6.886, wave = 0.8702, throttle = 0.5098, q = 1.491, cached = 0.7228, points = 1200, median = 0.03466, p90 = 0.09891, held_out_median = 0.03579, held_out_p90 = 0.1006 },
      fp8 = { u = 0.7907, w = 0.7768, t0_s = 1.403e-5, depth_s = 1.584e-10, k0 = 195.5, tiles0 = 32.13, wave = 0.1263, throttle = 0.01496, q = 3.104, cached = 0.6049, points = 1200, median = 0.03291, p90 = 0.08782, held_out_median = 0.03335, held_out_p90 = 0.0895 },
      fp8_block = { u = 1, w = 0.8623, t0_s = 4.942e-6, depth_s = 3.871e-10, k0 = 647.2, tiles0 = 48.95, wave = 0.2058, throttle = 0.3315, q = 1.296, cached = 0.1894, points = 1200, median = 0.03115, p90 = 0.08304, held_out_median = 0.03138, held_out_p90 = 0.08342 },
    },
    ["H100-SXM-80GB"] = {
      bf16 = { u = 0.9216, w = 0.8666, t0_s = 2.974e-6, depth_s = 2.532e-10, k0 = 164.5, tiles0 = 10.88, wave = 0.0962, throttle = 0.1394, cached = 0.01985, points = 1200, median = 0.02892, p90 = 0.08135, held_out_median = 0.02945, held_out_p90 = 0.08496 },
      fp8 = { u = 0.8494, w = 0.8576, t0_s = 1.201e-5, depth_s = 2.027e-10, k0 = 383.1, tiles0 = 0.1098, wave = 0.06685, throttle = 0.07749, q = 2.657, cached = 0.03287, points = 1200, median = 0.01924, p90 = 0.06011, held_out_median = 0.01949, held_out_p90 = 0.06118 },
      fp8_block = { u = 0.7623, w = 0.8839, t0_s = 4.12e-6, depth_s = 4.182e-10, k0 = 673.5, tiles0 = 23.66, wave = 0.2226, throttle = 0.121, q = 1.582, cached = 0.1937, points = 1200, median = 0.03283, p90 = 0.08199, held_out_median = 0.03368, held_out_p90 = 0.08445 },
    },
    ["H200-SXM-141GB"] = {
      bf16 = { u = 0.9402, w = 0.8832, t0_s = 3.372e-6, depth_s = 2.805e-10, k0 = 170, tiles0 = 7.347, wave = 0.08076, throttle = 0.1698, cached = 0.6794, points = 1200, median = 0.03509, p90 = 0.08802, held_out_median = 0.03648, held_out_p90 = 0.09212 },
      fp8 = { u = 0.8538, w = 0.877, t0_s = 1.208e-5, depth_s = 2.401e-10, k0 = 354.6, tiles0 = 0.124, wave = 0.06526, throttle = 0.08196, q = 3.357, cached = 0.02277, points = 1200, median = 0.01994, p90 = 0.06577, held_out_median = 0.02012, held_out_p90 = 0.06683 },
      fp8_block = { u = 0.8211, w = 0.9196, t0_s = 4.175e-6, depth_s = 5.655e-10, k0 = 759, tiles0 = 16.11, wave = 0.2201, throttle = 0.1978, q = 2.326, cached = 0.5476, points = 1200, median = 0.03805, p90 = 0.09265, held_out_median = 0.03878, held_out_p90 = 0.094 },
    },
    ["L40S"] = {
      bf16 = { u = 0.7259, w = 0.8445, t0_s = 4.083e-6, depth_s = 4.317e-11, k0 = 127.1, tiles0 = 4.817, wave = 0.317, throttle = 0.1806, cached = 4.481, points = 1200, median = 0.08401, p90 = 0.3386, held_out_median = 0.08401, held_out_p90 = 0.3437 },
      fp8 = { u = 0.665, w = 0.8304, t0_s = 1.291e-5, depth_s = 1.349e-11, k0 = 104.3, tiles0 = 4.828, wave = 0.215, throttle = 0.3146, q = 0.8115, cached = 5.17, points = 1200, median = 0.06324, p90 = 0.2122, held_out_median = 0.06346, held_out_p90 = 0.2199 },
      fp8_block = { u = 0.4833, w = 0.7762, t0_s = 1.692e-6, depth_s = 7.352e-11, k0 = 190.9, tiles0 = 26.59, wave = 0.04762, throttle = 0.7525, q = 0.6896, cached = 20, points = 1200, median = 0.0717, p90 = 0.2393, held_out_median = 0.0731, held_out_p90 = 0.2417 },
    },
    ["RTX-PRO-6000-BSE"] = {
      bf16 = { u = 0.8378, w = 0.8514, t0_s = 4.773e-6, depth_s = 1.286e-11, k0 = 113.3, tiles0 = 2.6, wave = 0.07839, throttle = 0.0006214, cached = 5.555, points = 1200, median = 0.05782, p90 = 0.275, held_out_median = 0.0581, held_out_p90 = 0.2874 },
      fp4 = { u = 1, w = 0.7078, t0_s = 4.158e-6, depth_s = 1.588e-9, k0 = 221.3, tiles0 = 90.57, wave = 0.04249, throttle = 0.4175, q = 0.3218, cached = 0.1693, points = 1200, median = 0.07173, p90 = 0.2938, held_out_median = 0.07018, held_out_p90 = 0.3008 },
      fp8 = { u = 0.8292, w = 0.8588, t0_s = 1.286e-5, depth_s = 8.783e-11, k0 = 122.1, tiles0 = 6.056, wave = 0.1701, throttle = 0.00205, q = 1.459, cached = 4.522, points = 1200, median = 0.06001, p90 = 0.2061, held_out_median = 0.06051, held_out_p90 = 0.2092 },
      fp8_block = { u = 1, w = 0.8896, t0_s = 1.158e-7, depth_s = 6.438e-10, k0 = 1815, tiles0 = 62.84, wave = 0.04773, throttle = 0.1977, q = 3.086, cached = 13.19, points = 1200, median = 0.06161, p90 = 0.2064, held_out_median = 0.06453, held_out_p90 = 0.213 },
    },
  },
  attention = {
    ["A100-80GB-SXM"] = {
      bf16 = { u = 0.5045, w = 0.3816, t0_s = 1.217e-5, walk_s = 2.271e-8, s0 = 41.41, throttle = 0.01832, points = 771, median = 0.02516, p90 = 0.0772, held_out_median = 0.02809, held_out_p90 = 0.08425 },
    },
    ["B200-SXM-180GB"] = {
      bf16 = { u = 0.7059, w = 0.3103, t0_s = 1.422e-5, walk_s = 7.807e-9, s0 = 518.4, throttle = 0.3131, points = 834, median = 0.02975, p90 = 0.08713, held_out_median = 0.03145, held_out_p90 = 0.09019 },
    },
    ["B300-SXM-288GB"] = {
      bf16 = { u = 0.875, w = 0.3188, t0_s = 1.357e-5, walk_s = 6.028e-9, s0 = 552.3, throttle = 0.3832, points = 834, median = 0.03431, p90 = 0.08841, held_out_median = 0.03618, held_out_p90 = 0.0895 },
    },
    ["GB200"] = {
      bf16 = { u = 0.6986, w = 0.3053, t0_s = 1.472e-5, walk_s = 7.724e-9, s0 = 530.6, throttle = 0.2573, points = 834, median = 0.03525, p90 = 0.09337, held_out_median = 0.03767, held_out_p90 = 0.1007 },
    },
    ["GB300"] = {
      bf16 = { u = 0.8404, w = 0.3193, t0_s = 1.429e-5, walk_s = 5.657e-9, s0 = 580.4, throttle = 0.1376, points = 834, median = 0.0274, p90 = 0.07996, held_out_median = 0.03061, held_out_p90 = 0.08453 },
    },
    ["H100-SXM-80GB"] = {
      bf16 = { u = 0.6501, w = 0.4608, t0_s = 1.211e-5, walk_s = 8.675e-9, s0 = 190.4, throttle = 0.1427, points = 834, median = 0.03119, p90 = 0.09125, held_out_median = 0.03207, held_out_p90 = 0.09298 },
    },
    ["H200-SXM-141GB"] = {
      bf16 = { u = 0.6614, w = 0.3718, t0_s = 1.204e-5, walk_s = 9.265e-9, s0 = 198.6, throttle = 0.1793, points = 834, median = 0.03079, p90 = 0.0875, held_out_median = 0.03402, held_out_p90 = 0.09419 },
    },
    ["L40S"] = {
      bf16 = { u = 0.385, w = 1.005, t0_s = 8.356e-6, walk_s = 1.456e-8, s0 = 16.38, throttle = 0.009116, points = 834, median = 0.1029, p90 = 0.3558, held_out_median = 0.1087, held_out_p90 = 0.3579 },
    },
    ["RTX-PRO-6000-BSE"] = {
      bf16 = { u = 0.4562, w = 0.8739, t0_s = 1.189e-5, walk_s = 9.25e-9, s0 = 82.39, throttle = 0.005093, points = 834, median = 0.05174, p90 = 0.1957, held_out_median = 0.05314, held_out_p90 = 0.1969 },
    },
  },
  collective = {
    nvlink3 = { from = "A100-80GB-SXM", util = 0.7243, alpha_s = 9.548e-6, step_s = 6.829e-7, ramp = 0.006389, reduce_gain = 0.1003, points = 252, median = 0.07318, p90 = 0.1709, held_out_median = 0.09458, held_out_p90 = 0.2326 },
    nvlink4 = { from = "H100-SXM-80GB, H200-SXM-141GB", util = 0.7537, alpha_s = 5.497e-6, step_s = 6.701e-7, ramp = 0.00399, reduce_gain = 0.1834, points = 504, median = 0.09374, p90 = 0.2262, held_out_median = 0.1285, held_out_p90 = 0.2898 },
    nvlink5 = { from = "B200-SXM-180GB, B300-SXM-288GB, GB200, GB300", util = 0.7012, alpha_s = 8.673e-6, step_s = 9.791e-7, ramp = 0.00509, reduce_gain = 0.1198, points = 840, median = 0.09186, p90 = 0.2326, held_out_median = 0.1108, held_out_p90 = 0.2588 },
    pcie = { from = "RTX-PRO-6000-BSE", util = 0.4209, alpha_s = 4.992e-6, step_s = 1.335e-6, ramp = 0.003464, reduce_gain = 0.00653, points = 252, median = 0.1163, p90 = 0.3649, held_out_median = 0.1857, held_out_p90 = 0.5468 },
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8894,
    expert_gemm = 0.9205,
    exposed_dp = 0.1174,
    gemm = 1.144,
    host_step_s = 0.005984,
    host_tp = 0.1539,
    moe_passes = 11.58,
    scaleout = 0.6998,
    sustained_flop_w = 9.679e+11,
  },
  ascend = {
    gemm = 1.134,
  },
  blockwise = {
    narrow_gemm = 1.109,
  },
  cudnn_2024_hopper = {
    attention = 1.32,
  },
  deepspeed = {
    elementwise_passes = 1.191,
  },
  eager = {
    host_layer_s = 0.0008061,
    host_micro_s = 0.0007153,
  },
  first_attention = {
    attention = 1.161,
  },
  first_attention_hopper = {
    attention = 2.517,
  },
  fsdp = {
    elementwise_passes = 1.25,
    exposed_fsdp = 0.1405,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.736,
  },
  hybridep = {
    moe_passes = 4.526,
  },
  infiniband = {
    scaleout = 0.787,
  },
  jax = {
    exposed_fsdp = 0.1676,
  },
  megatron = {
    host_layer_s = 0.0006074,
    host_micro_s = 0.000344,
  },
  nanotron = {
    elementwise_passes = 2.863,
    host_step_s = 0.02462,
    host_tp = 0.858,
  },
  neuron = {
    gemm = 1.268,
  },
  ["omni-path"] = {
    scaleout = 0.6666,
  },
  rack = {
    sustained_flop_w = 1.277e+12,
  },
  roce = {
    scaleout = 0.7498,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.488,
  },
  second_attention_ampere = {
    attention = 0.7983,
    attention_backward = 0.7997,
  },
  second_attention_hopper = {
    attention = 2.116,
    attention_backward = 0.8415,
  },
  today_attention_hopper = {
    attention_backward = 0.7925,
  },
  tpu = {
    expert_gemm = 1.152,
    gemm = 0.9757,
  },
}

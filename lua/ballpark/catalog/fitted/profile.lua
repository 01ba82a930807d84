-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8811,
    expert_gemm = 0.9183,
    exposed_dp = 0.121,
    gemm = 1.154,
    host_step_s = 0.005959,
    host_tp = 0.154,
    moe_passes = 11.35,
    scaleout = 0.6985,
    sustained_flop_w = 9.63e+11,
  },
  ascend = {
    gemm = 1.158,
  },
  blockwise = {
    narrow_gemm = 1.111,
  },
  cudnn_2024_hopper = {
    attention = 1.333,
  },
  deepspeed = {
    elementwise_passes = 1.186,
  },
  eager = {
    host_layer_s = 0.0008068,
    host_micro_s = 0.0007221,
  },
  first_attention = {
    attention = 1.165,
  },
  first_attention_hopper = {
    attention = 2.53,
  },
  fsdp = {
    elementwise_passes = 1.236,
    exposed_fsdp = 0.1279,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.307,
    narrow_gemm = 1.378,
  },
  hybridep = {
    moe_passes = 4.469,
  },
  infiniband = {
    scaleout = 0.7547,
  },
  jax = {
    exposed_fsdp = 0.1568,
  },
  megatron = {
    host_layer_s = 0.0006132,
    host_micro_s = 0.0003426,
  },
  nanotron = {
    elementwise_passes = 2.943,
    host_step_s = 0.02578,
    host_tp = 0.8562,
  },
  neuron = {
    gemm = 1.269,
  },
  ["omni-path"] = {
    scaleout = 0.6794,
  },
  rack = {
    sustained_flop_w = 1.274e+12,
  },
  roce = {
    scaleout = 0.7598,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.48,
  },
  second_attention_ampere = {
    attention = 0.7986,
    attention_backward = 0.7998,
  },
  second_attention_hopper = {
    attention = 2.092,
    attention_backward = 0.8388,
  },
  today_attention_hopper = {
    attention_backward = 0.8112,
  },
  tpu = {
    expert_gemm = 1.153,
    gemm = 0.9839,
  },
}

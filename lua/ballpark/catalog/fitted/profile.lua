-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1754 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8704,
    expert_gemm = 0.9216,
    exposed_dp = 0.09863,
    gemm = 1.133,
    host_step_s = 0.005957,
    host_tp = 0.08095,
    moe_passes = 11.29,
    scaleout = 0.7131,
    sustained_flop_w = 9.75e+11,
  },
  ascend = {
    gemm = 1.122,
  },
  blockwise = {
    narrow_gemm = 1.112,
  },
  cudnn_2024_hopper = {
    attention = 1.335,
  },
  deepspeed = {
    elementwise_passes = 1.371,
  },
  eager = {
    host_layer_s = 0.000827,
    host_micro_s = 0.0007546,
  },
  first_attention = {
    attention = 1.167,
  },
  first_attention_hopper = {
    attention = 2.555,
  },
  fsdp = {
    elementwise_passes = 1.122,
    exposed_fsdp = 0.1469,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.25,
  },
  hybridep = {
    moe_passes = 4.514,
  },
  infiniband = {
    scaleout = 0.8169,
  },
  jax = {
    exposed_fsdp = 0.2108,
  },
  megatron = {
    host_layer_s = 0.0005743,
    host_micro_s = 0.0003257,
  },
  nanotron = {
    elementwise_passes = 2.711,
    host_step_s = 0.02325,
  },
  neuron = {
    gemm = 1.268,
  },
  ["omni-path"] = {
    scaleout = 0.6794,
  },
  rack = {
    sustained_flop_w = 1.281e+12,
  },
  roce = {
    scaleout = 0.8564,
  },
  rows = 1754,
  rowwise = {
    narrow_gemm = 1.479,
  },
  second_attention_ampere = {
    attention = 0.7865,
    attention_backward = 0.7943,
  },
  second_attention_hopper = {
    attention = 2.197,
    attention_backward = 0.8843,
  },
  today_attention_hopper = {
    attention_backward = 0.8125,
  },
  tpu = {
    expert_gemm = 1.141,
    gemm = 0.9754,
  },
}

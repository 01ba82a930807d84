-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8761,
    expert_gemm = 0.9221,
    exposed_dp = 0.1171,
    gemm = 1.13,
    host_step_s = 0.007044,
    host_tp = 0.1488,
    moe_passes = 11.37,
    scaleout = 0.7014,
    sustained_flop_w = 9.712e+11,
  },
  ascend = {
    gemm = 1.128,
  },
  blockwise = {
    narrow_gemm = 1.111,
  },
  cudnn_2024_hopper = {
    attention = 1.316,
  },
  deepspeed = {
    elementwise_passes = 1.448,
  },
  eager = {
    host_layer_s = 0.0008098,
    host_micro_s = 0.0007503,
  },
  first_attention = {
    attention = 1.154,
  },
  first_attention_hopper = {
    attention = 2.498,
  },
  fsdp = {
    elementwise_passes = 1.249,
    exposed_fsdp = 0.1451,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.731,
  },
  hybridep = {
    moe_passes = 4.523,
  },
  infiniband = {
    scaleout = 0.7894,
  },
  jax = {
    exposed_fsdp = 0.1777,
  },
  megatron = {
    host_layer_s = 0.0005848,
    host_micro_s = 0.0003301,
  },
  nanotron = {
    elementwise_passes = 2.772,
    host_step_s = 0.02424,
    host_tp = 0.8577,
  },
  neuron = {
    gemm = 1.264,
  },
  ["omni-path"] = {
    scaleout = 0.7016,
  },
  rack = {
    sustained_flop_w = 1.27e+12,
  },
  roce = {
    scaleout = 0.7575,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.473,
  },
  second_attention_ampere = {
    attention = 0.7907,
    attention_backward = 0.7961,
  },
  second_attention_hopper = {
    attention = 2.099,
    attention_backward = 0.8397,
  },
  today_attention_hopper = {
    attention_backward = 0.8019,
  },
  tpu = {
    expert_gemm = 1.137,
    gemm = 0.9803,
  },
}

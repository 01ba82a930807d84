-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8799,
    expert_gemm = 0.9237,
    exposed_dp = 0.0998,
    gemm = 1.133,
    host_step_s = 0.006267,
    host_tp = 0.1488,
    moe_passes = 11.52,
    scaleout = 0.7229,
    sustained_flop_w = 9.746e+11,
  },
  ascend = {
    gemm = 1.12,
  },
  blockwise = {
    narrow_gemm = 1.114,
  },
  cudnn_2024_hopper = {
    attention = 1.331,
  },
  deepspeed = {
    elementwise_passes = 1.435,
  },
  eager = {
    host_layer_s = 0.0008093,
    host_micro_s = 0.0007681,
  },
  first_attention = {
    attention = 1.162,
  },
  first_attention_hopper = {
    attention = 2.528,
  },
  fsdp = {
    elementwise_passes = 1.213,
    exposed_fsdp = 0.1447,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.741,
  },
  hybridep = {
    moe_passes = 4.586,
  },
  infiniband = {
    scaleout = 0.8225,
  },
  jax = {
    exposed_fsdp = 0.2216,
  },
  megatron = {
    host_layer_s = 0.0005447,
    host_micro_s = 0.0003352,
  },
  nanotron = {
    elementwise_passes = 2.806,
    host_step_s = 0.02479,
    host_tp = 0.8577,
  },
  neuron = {
    gemm = 1.267,
  },
  ["omni-path"] = {
    scaleout = 0.6836,
  },
  rack = {
    sustained_flop_w = 1.269e+12,
  },
  roce = {
    scaleout = 0.8456,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.47,
  },
  second_attention_ampere = {
    attention = 0.791,
    attention_backward = 0.7965,
  },
  second_attention_hopper = {
    attention = 2.175,
    attention_backward = 0.8817,
  },
  today_attention_hopper = {
    attention_backward = 0.7972,
  },
  tpu = {
    expert_gemm = 1.137,
    gemm = 0.9774,
  },
}

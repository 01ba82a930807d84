-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8724,
    expert_gemm = 0.9233,
    exposed_dp = 0.09964,
    gemm = 1.128,
    host_step_s = 0.006186,
    host_tp = 0.1482,
    moe_passes = 11.48,
    scaleout = 0.6981,
    sustained_flop_w = 9.688e+11,
  },
  ascend = {
    gemm = 1.127,
  },
  blockwise = {
    narrow_gemm = 1.113,
  },
  cudnn_2024_hopper = {
    attention = 1.319,
  },
  deepspeed = {
    elementwise_passes = 1.456,
  },
  eager = {
    host_layer_s = 0.0008106,
    host_micro_s = 0.0007568,
  },
  first_attention = {
    attention = 1.158,
  },
  first_attention_hopper = {
    attention = 2.504,
  },
  fsdp = {
    elementwise_passes = 1.258,
    exposed_fsdp = 0.1461,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.742,
  },
  hybridep = {
    moe_passes = 4.571,
  },
  infiniband = {
    scaleout = 0.8166,
  },
  jax = {
    exposed_fsdp = 0.1835,
  },
  megatron = {
    host_layer_s = 0.0005476,
    host_micro_s = 0.0003359,
  },
  nanotron = {
    elementwise_passes = 2.823,
    host_step_s = 0.02509,
    host_tp = 0.8575,
  },
  neuron = {
    gemm = 1.266,
  },
  ["omni-path"] = {
    scaleout = 0.6987,
  },
  rack = {
    sustained_flop_w = 1.27e+12,
  },
  roce = {
    scaleout = 0.7594,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.476,
  },
  second_attention_ampere = {
    attention = 0.7906,
    attention_backward = 0.7961,
  },
  second_attention_hopper = {
    attention = 2.107,
    attention_backward = 0.8403,
  },
  today_attention_hopper = {
    attention_backward = 0.8034,
  },
  tpu = {
    expert_gemm = 1.138,
    gemm = 0.9835,
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8867,
    expert_gemm = 0.9189,
    exposed_dp = 0.1049,
    gemm = 1.147,
    host_step_s = 0.005919,
    host_tp = 0.1555,
    moe_passes = 11.23,
    scaleout = 0.7729,
    sustained_flop_w = 9.684e+11,
  },
  ascend = {
    gemm = 1.134,
  },
  blockwise = {
    narrow_gemm = 1.111,
  },
  cudnn_2024_hopper = {
    attention = 1.326,
  },
  deepspeed = {
    elementwise_passes = 1.19,
  },
  eager = {
    host_layer_s = 0.0008051,
    host_micro_s = 0.0007262,
  },
  first_attention = {
    attention = 1.158,
  },
  first_attention_hopper = {
    attention = 2.517,
  },
  fsdp = {
    elementwise_passes = 1.253,
    exposed_fsdp = 0.1515,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.739,
  },
  hybridep = {
    moe_passes = 4.488,
  },
  infiniband = {
    scaleout = 0.7523,
  },
  jax = {
    exposed_fsdp = 0.2146,
  },
  megatron = {
    host_layer_s = 0.000613,
    host_micro_s = 0.0003411,
  },
  nanotron = {
    elementwise_passes = 2.922,
    host_step_s = 0.02728,
    host_tp = 0.8552,
  },
  neuron = {
    gemm = 1.275,
  },
  ["omni-path"] = {
    scaleout = 0.6693,
  },
  rack = {
    sustained_flop_w = 1.271e+12,
  },
  roce = {
    scaleout = 0.7528,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.486,
  },
  second_attention_ampere = {
    attention = 0.7986,
    attention_backward = 0.7999,
  },
  second_attention_hopper = {
    attention = 2.117,
    attention_backward = 0.8419,
  },
  today_attention_hopper = {
    attention_backward = 0.7918,
  },
  tpu = {
    expert_gemm = 1.153,
    gemm = 0.9731,
  },
}

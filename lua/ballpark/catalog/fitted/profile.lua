-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8872,
    expert_gemm = 0.9195,
    exposed_dp = 0.1094,
    gemm = 1.145,
    host_step_s = 0.005973,
    host_tp = 0.1544,
    moe_passes = 11.41,
    scaleout = 0.7037,
    sustained_flop_w = 9.675e+11,
  },
  ascend = {
    gemm = 1.135,
  },
  blockwise = {
    narrow_gemm = 1.11,
  },
  cudnn_2024_hopper = {
    attention = 1.322,
  },
  deepspeed = {
    elementwise_passes = 1.189,
  },
  eager = {
    host_layer_s = 0.0008058,
    host_micro_s = 0.0007209,
  },
  first_attention = {
    attention = 1.161,
  },
  first_attention_hopper = {
    attention = 2.519,
  },
  fsdp = {
    elementwise_passes = 1.258,
    exposed_fsdp = 0.1421,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.738,
  },
  hybridep = {
    moe_passes = 4.464,
  },
  infiniband = {
    scaleout = 0.7639,
  },
  jax = {
    exposed_fsdp = 0.1624,
  },
  megatron = {
    host_layer_s = 0.0006117,
    host_micro_s = 0.0003427,
  },
  nanotron = {
    elementwise_passes = 2.931,
    host_step_s = 0.02588,
    host_tp = 0.8566,
  },
  neuron = {
    gemm = 1.269,
  },
  ["omni-path"] = {
    scaleout = 0.6678,
  },
  rack = {
    sustained_flop_w = 1.275e+12,
  },
  roce = {
    scaleout = 0.7497,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.487,
  },
  second_attention_ampere = {
    attention = 0.7983,
    attention_backward = 0.7997,
  },
  second_attention_hopper = {
    attention = 2.117,
    attention_backward = 0.8416,
  },
  today_attention_hopper = {
    attention_backward = 0.7969,
  },
  tpu = {
    expert_gemm = 1.152,
    gemm = 0.9776,
  },
}

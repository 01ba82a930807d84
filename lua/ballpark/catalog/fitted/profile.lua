-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8675,
    expert_gemm = 0.9209,
    exposed_dp = 0.1135,
    gemm = 1.153,
    host_step_s = 0.006126,
    host_tp = 0.1558,
    moe_passes = 11.55,
    scaleout = 0.7746,
    sustained_flop_w = 9.613e+11,
  },
  ascend = {
    gemm = 1.158,
  },
  blockwise = {
    narrow_gemm = 1.112,
  },
  cudnn_2024_hopper = {
    attention = 1.334,
  },
  deepspeed = {
    elementwise_passes = 1.163,
  },
  eager = {
    host_layer_s = 0.0008043,
    host_micro_s = 0.0007207,
  },
  first_attention = {
    attention = 1.163,
  },
  first_attention_hopper = {
    attention = 2.524,
  },
  fsdp = {
    elementwise_passes = 1.231,
    exposed_fsdp = 0.1376,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.31,
    narrow_gemm = 1.386,
  },
  hybridep = {
    moe_passes = 4.57,
  },
  infiniband = {
    scaleout = 0.7769,
  },
  jax = {
    exposed_fsdp = 0.1973,
  },
  megatron = {
    host_layer_s = 0.0006123,
    host_micro_s = 0.0003371,
  },
  nanotron = {
    elementwise_passes = 2.925,
    host_step_s = 0.02622,
    host_tp = 0.8545,
  },
  neuron = {
    gemm = 1.277,
  },
  ["omni-path"] = {
    scaleout = 0.6792,
  },
  rack = {
    sustained_flop_w = 1.271e+12,
  },
  roce = {
    scaleout = 0.7656,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.477,
  },
  second_attention_ampere = {
    attention = 0.7994,
    attention_backward = 0.8004,
  },
  second_attention_hopper = {
    attention = 2.084,
    attention_backward = 0.8379,
  },
  today_attention_hopper = {
    attention_backward = 0.8179,
  },
  tpu = {
    expert_gemm = 1.138,
    gemm = 1.009,
  },
}

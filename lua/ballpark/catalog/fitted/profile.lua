-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1750 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8402,
    expert_gemm = 0.9207,
    exposed_dp = 0.09983,
    gemm = 1.133,
    host_step_s = 0.006663,
    host_tp = 0.08078,
    moe_passes = 11.44,
    scaleout = 0.6925,
    sustained_flop_w = 9.718e+11,
  },
  ascend = {
    gemm = 1.045,
  },
  blockwise = {
    narrow_gemm = 1.11,
  },
  cudnn_2024_hopper = {
    attention = 1.317,
  },
  deepspeed = {
    elementwise_passes = 1.387,
  },
  eager = {
    host_layer_s = 0.0008248,
    host_micro_s = 0.0007497,
  },
  first_attention = {
    attention = 1.171,
  },
  first_attention_hopper = {
    attention = 2.541,
  },
  fsdp = {
    elementwise_passes = 1.135,
    exposed_fsdp = 0.1544,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.25,
  },
  hybridep = {
    moe_passes = 4.501,
  },
  infiniband = {
    scaleout = 0.8212,
  },
  jax = {
    exposed_fsdp = 0.2286,
  },
  megatron = {
    host_layer_s = 0.0005616,
    host_micro_s = 0.0003307,
  },
  nanotron = {
    elementwise_passes = 2.719,
    host_step_s = 0.02365,
  },
  neuron = {
    gemm = 1.27,
  },
  ["omni-path"] = {
    scaleout = 0.6798,
  },
  rack = {
    sustained_flop_w = 1.28e+12,
  },
  roce = {
    scaleout = 0.8542,
  },
  rows = 1750,
  rowwise = {
    narrow_gemm = 1.519,
  },
  second_attention_ampere = {
    attention = 0.7876,
    attention_backward = 0.7947,
  },
  second_attention_hopper = {
    attention = 2.26,
    attention_backward = 0.8902,
  },
  today_attention_hopper = {
    attention_backward = 0.8351,
  },
  tpu = {
    expert_gemm = 1.147,
    gemm = 0.9614,
  },
}

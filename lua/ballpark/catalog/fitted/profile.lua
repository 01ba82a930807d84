-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1750 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.864,
    expert_gemm = 0.9216,
    exposed_dp = 0.1009,
    gemm = 1.131,
    host_step_s = 0.006014,
    host_tp = 0.081,
    moe_passes = 11.33,
    scaleout = 0.6889,
    sustained_flop_w = 9.758e+11,
  },
  ascend = {
    gemm = 1.122,
  },
  blockwise = {
    narrow_gemm = 1.113,
  },
  cudnn_2024_hopper = {
    attention = 1.336,
  },
  deepspeed = {
    elementwise_passes = 1.361,
  },
  eager = {
    host_layer_s = 0.0008264,
    host_micro_s = 0.0007528,
  },
  first_attention = {
    attention = 1.17,
  },
  first_attention_hopper = {
    attention = 2.561,
  },
  fsdp = {
    elementwise_passes = 1.117,
    exposed_fsdp = 0.1421,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.25,
  },
  hybridep = {
    moe_passes = 4.514,
  },
  infiniband = {
    scaleout = 0.8165,
  },
  jax = {
    exposed_fsdp = 0.2629,
  },
  megatron = {
    host_layer_s = 0.0005727,
    host_micro_s = 0.0003273,
  },
  nanotron = {
    elementwise_passes = 2.688,
    host_step_s = 0.02293,
  },
  neuron = {
    gemm = 1.268,
  },
  ["omni-path"] = {
    scaleout = 0.6783,
  },
  rack = {
    sustained_flop_w = 1.282e+12,
  },
  roce = {
    scaleout = 0.8552,
  },
  rows = 1750,
  rowwise = {
    narrow_gemm = 1.48,
  },
  second_attention_ampere = {
    attention = 0.7858,
    attention_backward = 0.794,
  },
  second_attention_hopper = {
    attention = 2.198,
    attention_backward = 0.8842,
  },
  today_attention_hopper = {
    attention_backward = 0.8177,
  },
  tpu = {
    expert_gemm = 1.15,
    gemm = 0.9592,
  },
}

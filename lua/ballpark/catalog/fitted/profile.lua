-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1750 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.875,
    expert_gemm = 0.9215,
    exposed_dp = 0.1015,
    gemm = 1.127,
    host_step_s = 0.006328,
    host_tp = 0.08094,
    moe_passes = 11.2,
    scaleout = 0.6879,
    sustained_flop_w = 9.694e+11,
  },
  ascend = {
    gemm = 1.045,
  },
  blockwise = {
    narrow_gemm = 1.109,
  },
  cudnn_2024_hopper = {
    attention = 1.331,
  },
  deepspeed = {
    elementwise_passes = 1.393,
  },
  eager = {
    host_layer_s = 0.0008264,
    host_micro_s = 0.0007582,
  },
  first_attention = {
    attention = 1.169,
  },
  first_attention_hopper = {
    attention = 2.555,
  },
  fsdp = {
    elementwise_passes = 1.206,
    exposed_fsdp = 0.1553,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.25,
  },
  hybridep = {
    moe_passes = 4.546,
  },
  infiniband = {
    scaleout = 0.8193,
  },
  jax = {
    exposed_fsdp = 0.2572,
  },
  megatron = {
    host_layer_s = 0.0005707,
    host_micro_s = 0.000322,
  },
  nanotron = {
    elementwise_passes = 2.82,
    host_step_s = 0.02401,
  },
  neuron = {
    gemm = 1.269,
  },
  ["omni-path"] = {
    scaleout = 0.671,
  },
  rack = {
    sustained_flop_w = 1.278e+12,
  },
  roce = {
    scaleout = 0.856,
  },
  rows = 1750,
  rowwise = {
    narrow_gemm = 1.52,
  },
  second_attention_ampere = {
    attention = 0.7836,
    attention_backward = 0.793,
  },
  second_attention_hopper = {
    attention = 2.266,
    attention_backward = 0.8909,
  },
  today_attention_hopper = {
    attention_backward = 0.8137,
  },
  tpu = {
    expert_gemm = 1.115,
    gemm = 1.036,
  },
}

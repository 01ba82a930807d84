-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1750 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.9103,
    expert_gemm = 0.9286,
    exposed_dp = 0.08788,
    gemm = 1.135,
    host_step_s = 0.006431,
    host_tp = 0.08128,
    moe_passes = 11.56,
    scaleout = 0.7414,
    sustained_flop_w = 9.74e+11,
  },
  ascend = {
    gemm = 1.044,
  },
  blockwise = {
    narrow_gemm = 1.097,
  },
  cudnn_2024_hopper = {
    attention = 1.374,
  },
  deepspeed = {
    elementwise_passes = 1.428,
  },
  eager = {
    host_layer_s = 0.0008254,
    host_micro_s = 0.0007878,
  },
  first_attention = {
    attention = 1.157,
  },
  first_attention_hopper = {
    attention = 2.593,
  },
  fsdp = {
    elementwise_passes = 1.24,
    exposed_fsdp = 0.1634,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.1,
  },
  hybridep = {
    moe_passes = 4.48,
  },
  infiniband = {
    scaleout = 0.8522,
  },
  jax = {
    exposed_fsdp = 0.2529,
  },
  megatron = {
    host_layer_s = 0.0005774,
    host_micro_s = 0.0003401,
  },
  nanotron = {
    elementwise_passes = 2.626,
    host_step_s = 0.02439,
  },
  neuron = {
    gemm = 1.275,
  },
  ["omni-path"] = {
    scaleout = 0.6687,
  },
  roce = {
    scaleout = 0.856,
  },
  rows = 1750,
  rowwise = {
    narrow_gemm = 1.786,
  },
  second_attention_ampere = {
    attention = 0.7879,
    attention_backward = 0.7952,
  },
  second_attention_hopper = {
    attention = 2.348,
  },
  today_attention_hopper = {
    attention_backward = 0.8278,
  },
  tpu = {
    expert_gemm = 1.116,
    gemm = 1.032,
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1750 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.9096,
    expert_gemm = 0.9275,
    exposed_dp = 0.0886,
    gemm = 1.135,
    host_step_s = 0.006462,
    host_tp = 0.08129,
    moe_passes = 11.59,
    scaleout = 0.7402,
    sustained_flop_w = 9.743e+11,
  },
  ascend = {
    gemm = 1.044,
  },
  blockwise = {
    narrow_gemm = 1.098,
  },
  cudnn_2024_hopper = {
    attention = 1.375,
  },
  deepspeed = {
    elementwise_passes = 1.43,
    host_layer_s = 0.0008253,
    host_micro_s = 0.000788,
  },
  first_attention = {
    attention = 1.156,
  },
  first_attention_hopper = {
    attention = 2.593,
  },
  fsdp = {
    elementwise_passes = 1.242,
    exposed_fsdp = 0.1635,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.1,
  },
  hybridep = {
    moe_passes = 4.404,
  },
  infiniband = {
    scaleout = 0.8544,
  },
  jax = {
    exposed_fsdp = 0.2854,
  },
  megatron = {
    host_layer_s = 0.0005766,
    host_micro_s = 0.000341,
  },
  nanotron = {
    elementwise_passes = 2.63,
    host_layer_s = 0.001095,
    host_micro_s = 0.00148,
    host_step_s = 0.02438,
  },
  neuron = {
    gemm = 1.275,
  },
  ["omni-path"] = {
    scaleout = 0.6684,
  },
  roce = {
    scaleout = 0.8557,
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
    attention_backward = 0.8275,
  },
  tpu = {
    expert_gemm = 1.119,
    gemm = 1.029,
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2260 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 1.087,
    expert_gemm = 0.9393,
    exposed_dp = 0.1093,
    gemm = 1.118,
    host_step_s = 0.005183,
    host_tp = 0.09172,
    moe_passes = 11.65,
    scaleout = 0.6473,
    sustained_flop_w = 9.572e+11,
  },
  ascend = {
    gemm = 1.021,
  },
  deepspeed = {
    elementwise_passes = 1.235,
    host_layer_s = 0.0008196,
    host_micro_s = 0.000823,
  },
  fsdp = {
    elementwise_passes = 1.374,
    exposed_fsdp = 0.1698,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.584,
  },
  jax = {
    exposed_fsdp = 0.1844,
  },
  megatron = {
    host_layer_s = 0.0004022,
    host_micro_s = 0.0003447,
  },
  nanotron = {
    elementwise_passes = 2.267,
    host_layer_s = 0.001296,
    host_micro_s = 0.0007257,
    host_step_s = 0.02934,
  },
  neuron = {
    gemm = 1.217,
  },
  older_kernels = {
    attention = 1.117,
  },
  older_kernels_fp8_device = {
    attention = 2.436,
  },
  rows = 2260,
  tpu = {
    expert_gemm = 1.151,
    gemm = 0.9286,
  },
}

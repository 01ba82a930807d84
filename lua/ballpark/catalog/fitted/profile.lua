-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2260 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua.
return {
  all = {
    attention = 1.087,
    attention_backward = 1.234,
    elementwise = 0.7751,
    expert_gemm = 0.9393,
    exposed_dp = 0.1093,
    gemm = 1.118,
    gemm_fp4 = 0.7992,
    host_step_s = 0.005183,
    host_tp = 0.09172,
    launch = 0.4119,
    misaligned = 0.3315,
    mixer_passes = 1.759,
    moe_passes = 11.65,
    moe_wait_s = 0.001316,
    overlap_dp = 0.7073,
    overlap_ep = 0.4395,
    overlap_tp = 0.5598,
    quantize = 0.7506,
    scaleout = 0.6473,
    softmax_passes = 2.746,
    straggler = 0.006049,
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
    selective_mlp = 0.3563,
  },
  megatron = {
    host_layer_s = 0.0004022,
    host_micro_s = 0.0003447,
  },
  nanotron = {
    elementwise_passes = 2.267,
    host_layer_s = 0.001296,
    host_micro_s = 0.0007257,
    host_pipe = 0.6143,
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

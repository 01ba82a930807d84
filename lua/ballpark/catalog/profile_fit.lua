-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.063,
    attention_backward = 1.168,
    elementwise = 0.7533,
    expert_gemm = 1.125,
    exposed_dp = 0.1016,
    gemm = 1.13,
    gemm_fp4 = 0.8304,
    host_step_s = 0.004919,
    host_tp = 0.09727,
    launch = 0.392,
    misaligned = 0.3424,
    mixer_passes = 1.686,
    moe_passes = 10.23,
    moe_wait_s = 0.001413,
    overlap_dp = 0.536,
    overlap_ep = 0.404,
    overlap_tp = 0.6395,
    quantize = 0.7584,
    softmax_passes = 2.926,
    straggler = 0.00688,
    sustained_flop_w = 9.478e+11,
  },
  ascend = {
    gemm = 1.029,
  },
  deepspeed = {
    elementwise_passes = 1.428,
    host_layer_s = 0.0008468,
    host_micro_s = 0.0009301,
  },
  fsdp = {
    elementwise_passes = 1.278,
    exposed_fsdp = 0.3066,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.581,
  },
  jax = {
    exposed_fsdp = 0.1353,
    selective_mlp = 0.3834,
  },
  megatron = {
    host_layer_s = 0.0004014,
    host_micro_s = 0.000335,
  },
  nanotron = {
    elementwise_passes = 1.981,
    host_layer_s = 0.001345,
    host_micro_s = 0.0004821,
    host_pipe = 0.5687,
    host_step_s = 0.04409,
  },
  neuron = {
    gemm = 1.239,
  },
  older_kernels = {
    attention = 1.155,
  },
  older_kernels_fp8_device = {
    attention = 2.466,
  },
  rows = 2258,
  tpu = {
    gemm = 0.9071,
  },
}

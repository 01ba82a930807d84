-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.054,
    attention_backward = 1.184,
    elementwise = 0.7729,
    expert_gemm = 0.9401,
    exposed_dp = 0.1102,
    gemm = 1.117,
    gemm_fp4 = 0.8079,
    host_step_s = 0.005121,
    host_tp = 0.09463,
    launch = 0.3925,
    misaligned = 0.3296,
    mixer_passes = 1.774,
    moe_passes = 10.57,
    moe_wait_s = 0.001446,
    overlap_dp = 0.7271,
    overlap_ep = 0.4313,
    overlap_tp = 0.5417,
    quantize = 0.794,
    scaleout = 0.6476,
    softmax_passes = 2.946,
    straggler = 0.005961,
    sustained_flop_w = 9.596e+11,
  },
  ascend = {
    gemm = 1.027,
  },
  deepspeed = {
    elementwise_passes = 1.282,
    host_layer_s = 0.0008176,
    host_micro_s = 0.0008321,
  },
  fsdp = {
    elementwise_passes = 1.394,
    exposed_fsdp = 0.1746,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.549,
  },
  jax = {
    exposed_fsdp = 0.1733,
    selective_mlp = 0.3826,
  },
  megatron = {
    host_layer_s = 0.0004021,
    host_micro_s = 0.0003489,
  },
  nanotron = {
    elementwise_passes = 1.932,
    host_layer_s = 0.001269,
    host_micro_s = 0.0005125,
    host_pipe = 0.606,
    host_step_s = 0.03318,
  },
  neuron = {
    gemm = 1.233,
  },
  older_kernels = {
    attention = 1.139,
  },
  older_kernels_fp8_device = {
    attention = 2.496,
  },
  rows = 2258,
  tpu = {
    expert_gemm = 1.14,
    gemm = 0.9322,
  },
}

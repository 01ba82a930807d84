-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.011,
    attention_backward = 1.137,
    elementwise = 0.7074,
    expert_gemm = 1.105,
    exposed_dp = 0.1054,
    gemm = 1.137,
    gemm_fp4 = 0.8246,
    host_step_s = 0.005922,
    host_tp = 0.09643,
    launch = 0.4294,
    moe_passes = 10.36,
    moe_wait_s = 0.001271,
    overlap_dp = 0.5349,
    overlap_ep = 0.4,
    overlap_tp = 0.6581,
    quantize = 0.5296,
    softmax_passes = 3.214,
    straggler = 0.006822,
    sustained_flop_w = 9.52e+11,
  },
  ascend = {
    gemm = 1.002,
  },
  deepspeed = {
    elementwise_passes = 1.604,
    host_layer_s = 0.0008403,
    host_micro_s = 0.0009923,
  },
  fsdp = {
    elementwise_passes = 1.21,
    exposed_fsdp = 0.3049,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.606,
  },
  jax = {
    exposed_fsdp = 0.137,
    selective_mlp = 0.3888,
  },
  megatron = {
    host_layer_s = 0.0004013,
    host_micro_s = 0.0002983,
  },
  nanotron = {
    elementwise_passes = 1.885,
    host_layer_s = 0.00134,
    host_micro_s = 0.000603,
    host_pipe = 0.5706,
    host_step_s = 0.04286,
  },
  neuron = {
    gemm = 1.23,
  },
  older_kernels = {
    attention = 1.152,
  },
  older_kernels_fp8_device = {
    attention = 2.466,
  },
  rows = 2258,
  tpu = {
    gemm = 0.9122,
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.038,
    attention_backward = 1.157,
    elementwise = 0.7729,
    expert_gemm = 0.9383,
    exposed_dp = 0.1067,
    gemm = 1.133,
    gemm_fp4 = 0.8178,
    host_step_s = 0.005034,
    host_tp = 0.09786,
    launch = 0.3918,
    misaligned = 0.3428,
    mixer_passes = 1.742,
    moe_passes = 10.21,
    moe_wait_s = 0.001918,
    overlap_dp = 0.5386,
    overlap_ep = 0.3947,
    overlap_tp = 0.5608,
    quantize = 0.8201,
    softmax_passes = 2.996,
    straggler = 0.007215,
    sustained_flop_w = 9.516e+11,
  },
  ascend = {
    gemm = 1.03,
  },
  deepspeed = {
    elementwise_passes = 1.463,
    host_layer_s = 0.0008479,
    host_micro_s = 0.0009299,
  },
  fsdp = {
    elementwise_passes = 1.303,
    exposed_fsdp = 0.3095,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.598,
  },
  jax = {
    exposed_fsdp = 0.1586,
    selective_mlp = 0.4215,
  },
  megatron = {
    host_layer_s = 0.0004015,
    host_micro_s = 0.0003355,
  },
  nanotron = {
    elementwise_passes = 1.966,
    host_layer_s = 0.001326,
    host_micro_s = 0.00048,
    host_pipe = 0.5803,
    host_step_s = 0.03539,
  },
  neuron = {
    gemm = 1.246,
  },
  older_kernels = {
    attention = 1.155,
  },
  older_kernels_fp8_device = {
    attention = 2.485,
  },
  rows = 2258,
  tpu = {
    expert_gemm = 1.139,
    gemm = 0.9395,
  },
}

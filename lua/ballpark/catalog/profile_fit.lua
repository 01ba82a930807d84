-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.03,
    attention_backward = 1.142,
    elementwise = 0.7436,
    expert_gemm = 1.12,
    exposed_dp = 0.1038,
    gemm = 1.126,
    gemm_fp4 = 0.8315,
    host_step_s = 0.004955,
    host_tp = 0.09677,
    launch = 0.4408,
    misaligned = 0.3532,
    moe_passes = 9.698,
    moe_wait_s = 0.001189,
    overlap_dp = 0.5225,
    overlap_ep = 0.4,
    overlap_tp = 0.6826,
    quantize = 0.5635,
    softmax_passes = 3.134,
    straggler = 0.006548,
    sustained_flop_w = 9.425e+11,
  },
  ascend = {
    gemm = 1.027,
  },
  deepspeed = {
    elementwise_passes = 1.459,
    host_layer_s = 0.0008457,
    host_micro_s = 0.0009309,
  },
  fsdp = {
    elementwise_passes = 1.274,
    exposed_fsdp = 0.3088,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.6,
  },
  jax = {
    exposed_fsdp = 0.1454,
    selective_mlp = 0.386,
  },
  megatron = {
    host_layer_s = 0.0004014,
    host_micro_s = 0.0003229,
  },
  nanotron = {
    elementwise_passes = 1.962,
    host_layer_s = 0.001342,
    host_micro_s = 0.0005047,
    host_pipe = 0.5722,
    host_step_s = 0.04357,
  },
  neuron = {
    gemm = 1.231,
  },
  older_kernels = {
    attention = 1.159,
  },
  older_kernels_fp8_device = {
    attention = 2.463,
  },
  rows = 2258,
  tpu = {
    gemm = 0.9136,
  },
}

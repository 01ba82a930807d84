-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 1.013,
    attention_backward = 1.139,
    elementwise = 0.709,
    expert_gemm = 1.105,
    exposed_dp = 0.1029,
    gemm = 1.14,
    gemm_fp4 = 0.8233,
    host_step_s = 0.005938,
    host_tp = 0.1036,
    launch = 0.4308,
    moe_passes = 10.34,
    moe_wait_s = 0.00122,
    overlap_dp = 0.531,
    overlap_ep = 0.4,
    overlap_tp = 0.667,
    quantize = 0.5285,
    softmax_passes = 3.221,
    straggler = 0.006913,
    sustained_flop_w = 9.507e+11,
  },
  ascend = {
    gemm = 1.002,
  },
  deepspeed = {
    elementwise_passes = 1.582,
    host_layer_s = 0.0008342,
    host_micro_s = 0.001001,
  },
  fsdp = {
    elementwise_passes = 1.217,
    exposed_fsdp = 0.3072,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.604,
  },
  jax = {
    exposed_fsdp = 0.132,
    selective_mlp = 0.3886,
  },
  megatron = {
    host_layer_s = 0.0004013,
    host_micro_s = 0.0002961,
  },
  nanotron = {
    elementwise_passes = 1.987,
    host_layer_s = 0.001318,
    host_micro_s = 0.0006199,
    host_pipe = 0.56,
    host_step_s = 0.04203,
  },
  neuron = {
    gemm = 1.226,
  },
  older_kernels = {
    attention = 1.151,
  },
  older_kernels_fp8_device = {
    attention = 2.469,
  },
  tpu = {
    gemm = 0.9124,
  },
}

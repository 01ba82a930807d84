-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.015,
    attention_backward = 1.14,
    elementwise = 0.7097,
    expert_gemm = 1.103,
    exposed_dp = 0.1031,
    gemm = 1.14,
    gemm_fp4 = 0.823,
    host_step_s = 0.005935,
    host_tp = 0.1036,
    launch = 0.4301,
    moe_passes = 10.35,
    moe_wait_s = 0.001253,
    overlap_dp = 0.5315,
    overlap_ep = 0.4,
    overlap_tp = 0.6672,
    quantize = 0.5272,
    softmax_passes = 3.218,
    straggler = 0.006923,
    sustained_flop_w = 9.512e+11,
  },
  ascend = {
    gemm = 1.002,
  },
  deepspeed = {
    elementwise_passes = 1.58,
    host_layer_s = 0.0008341,
    host_micro_s = 0.001002,
  },
  fsdp = {
    elementwise_passes = 1.218,
    exposed_fsdp = 0.3071,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.602,
  },
  jax = {
    exposed_fsdp = 0.1319,
    selective_mlp = 0.3886,
  },
  megatron = {
    host_layer_s = 0.0004013,
    host_micro_s = 0.0002961,
  },
  nanotron = {
    elementwise_passes = 1.988,
    host_layer_s = 0.001318,
    host_micro_s = 0.00062,
    host_pipe = 0.56,
    host_step_s = 0.042,
  },
  neuron = {
    gemm = 1.226,
  },
  older_kernels = {
    attention = 1.15,
  },
  older_kernels_fp8_device = {
    attention = 2.467,
  },
  rows = 2258,
  tpu = {
    gemm = 0.9122,
  },
}

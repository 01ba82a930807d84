-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 0.998,
    attention_backward = 1.122,
    elementwise = 0.7088,
    expert_gemm = 1.284,
    exposed_dp = 0.1004,
    gemm = 1.096,
    host_moe = 1.012,
    host_step_s = 0.006018,
    host_tp = 0.109,
    launch = 0.3992,
    moe_passes = 11.47,
    overlap_dp = 0.5786,
    overlap_ep = 0.4,
    overlap_tp = 0.7129,
    quantize = 0.7136,
    softmax_passes = 3.625,
    straggler = 0.009814,
    sustained_flop_w = 9.49e+11,
  },
  ascend = {
    gemm = 0.9872,
  },
  deepspeed = {
    elementwise_passes = 1.664,
    host_layer_s = 0.0008293,
    host_micro_s = 0.001031,
  },
  fsdp = {
    elementwise_passes = 1.132,
    exposed_fsdp = 0.2958,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.578,
  },
  jax = {
    exposed_fsdp = 0.1403,
    gemm = 0.9084,
    selective_mlp = 0.4548,
  },
  megatron = {
    host_layer_s = 0.0004033,
    host_micro_s = 0.0003363,
  },
  nanotron = {
    elementwise_passes = 1.977,
    host_layer_s = 0.001365,
    host_micro_s = 0.0008998,
    host_pipe = 0.5302,
    host_step_s = 0.04387,
  },
  neuron = {
    gemm = 1.192,
  },
  older_kernels = {
    attention = 1.18,
  },
  older_kernels_fp8_device = {
    attention = 2.396,
  },
}

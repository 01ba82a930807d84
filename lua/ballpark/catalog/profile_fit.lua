-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 0.9958,
    attention_backward = 1.12,
    elementwise = 0.7098,
    expert_gemm = 1.278,
    exposed_dp = 0.09945,
    gemm = 1.097,
    host_moe = 1.012,
    host_step_s = 0.006022,
    host_tp = 0.08261,
    launch = 0.3982,
    moe_passes = 12.1,
    overlap_dp = 0.5872,
    overlap_ep = 0.4,
    overlap_tp = 0.7091,
    quantize = 0.7146,
    softmax_passes = 3.611,
    straggler = 0.009824,
    sustained_flop_w = 9.485e+11,
  },
  ascend = {
    gemm = 0.9875,
  },
  deepspeed = {
    elementwise_passes = 1.668,
    host_layer_s = 0.0008745,
    host_micro_s = 0.0009396,
  },
  fsdp = {
    elementwise_passes = 1.134,
    exposed_fsdp = 0.2996,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.578,
  },
  jax = {
    exposed_fsdp = 0.1371,
    gemm = 0.9095,
    selective_mlp = 0.4555,
  },
  megatron = {
    host_layer_s = 0.000403,
    host_micro_s = 0.0003395,
  },
  nanotron = {
    elementwise_passes = 2.031,
    host_layer_s = 0.001344,
    host_micro_s = 0.0005096,
    host_pipe = 0.5459,
    host_step_s = 0.0482,
    host_tp = 0.2662,
  },
  neuron = {
    gemm = 1.193,
  },
  older_kernels = {
    attention = 1.181,
  },
  older_kernels_fp8_device = {
    attention = 2.397,
  },
}

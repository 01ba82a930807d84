-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- tools/fit/profile_coefficients.lua.
return {
  rows = 2258,
  all = {
    attention_backward = 1.05,
    elementwise = 0.7745,
    expert_gemm = 1.299,
    exposed_dp = 0.1066,
    gemm = 1.124,
    host_moe = 1.011,
    host_step_s = 0.007647,
    host_tp = 0.09767,
    launch = 0.3981,
    moe_passes = 8.951,
    overlap_dp = 0.6473,
    overlap_ep = 0.4,
    overlap_tp = 0.744,
    quantize = 0.8278,
    softmax_passes = 3.362,
    straggler = 0.008178,
    sustained_flop_w = 9.44e+11,
  },
  ascend = {
    gemm = 0.9721,
  },
  deepspeed = {
    elementwise_passes = 1.557,
    host_layer_s = 0.0008352,
    host_micro_s = 0.001002,
  },
  fsdp = {
    elementwise_passes = 1.143,
    exposed_fsdp = 0.2866,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.522,
  },
  jax = {
    exposed_fsdp = 0.1372,
    gemm = 0.9152,
    selective_mlp = 0.4514,
  },
  megatron = {
    host_layer_s = 0.0004052,
    host_micro_s = 0.0004396,
  },
  nanotron = {
    elementwise_passes = 1.398,
    host_layer_s = 0.001945,
    host_micro_s = 0.002229,
    host_step_s = 0.06156,
  },
  neuron = {
    gemm = 1.176,
  },
  older_kernels = {
    attention = 1.207,
  },
  older_kernels_fp8_device = {
    attention = 2.391,
  },
}

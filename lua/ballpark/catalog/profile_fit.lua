-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2567 published training steps; priors and scopes are in
-- tools/fit/profile_coefficients.lua.
return {
  rows = 2567,
  all = {
    attention_backward = 1.065,
    elementwise = 0.7913,
    expert_gemm = 1.318,
    exposed_dp = 0.102,
    gemm = 1.128,
    host_moe = 1.011,
    host_step_s = 0.01098,
    host_tp = 0.1319,
    launch = 0.4087,
    moe_passes = 7.111,
    overlap_dp = 0.6566,
    overlap_ep = 0.4,
    overlap_tp = 0.7239,
    quantize = 0.8028,
    softmax_passes = 3.568,
    straggler = 0.008584,
    sustained_flop_w = 9.534e+11,
  },
  ascend = {
    gemm = 0.9626,
  },
  deepspeed = {
    elementwise_passes = 1.63,
    host_layer_s = 0.0007892,
    host_micro_s = 0.0009661,
  },
  fsdp = {
    elementwise_passes = 1.127,
    exposed_fsdp = 0.2663,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.534,
  },
  jax = {
    exposed_fsdp = 0.1281,
    gemm = 0.9233,
    selective_mlp = 0.4408,
  },
  megatron = {
    host_layer_s = 0.0003945,
    host_micro_s = 0.0004416,
  },
  nanotron = {
    elementwise_passes = 1.552,
    host_layer_s = 0.00382,
    host_micro_s = 0.00211,
    host_step_s = 0.03315,
  },
  neuron = {
    gemm = 1.159,
  },
  older_kernels = {
    attention = 1.22,
  },
  older_kernels_fp8_device = {
    attention = 2.348,
  },
}

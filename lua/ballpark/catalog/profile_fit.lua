-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- tools/fit/profile_coefficients.lua.
return {
  rows = 2258,
  all = {
    attention_backward = 1.083,
    elementwise = 0.7733,
    expert_gemm = 1.3,
    exposed_dp = 0.1078,
    gemm = 1.125,
    host_moe = 1.011,
    host_step_s = 0.007673,
    host_tp = 0.09745,
    launch = 0.3986,
    moe_passes = 8.989,
    overlap_dp = 0.6578,
    overlap_ep = 0.4,
    overlap_tp = 0.7302,
    quantize = 0.8332,
    softmax_passes = 3.324,
    straggler = 0.007926,
    sustained_flop_w = 9.434e+11,
  },
  ascend = {
    gemm = 0.9954,
  },
  deepspeed = {
    elementwise_passes = 1.509,
    host_layer_s = 0.0008352,
    host_micro_s = 0.001015,
  },
  fsdp = {
    elementwise_passes = 1.15,
    exposed_fsdp = 0.2888,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.6,
  },
  jax = {
    exposed_fsdp = 0.1343,
    gemm = 0.9382,
    selective_mlp = 0.4502,
  },
  megatron = {
    host_layer_s = 0.0004054,
    host_micro_s = 0.000446,
  },
  nanotron = {
    elementwise_passes = 1.411,
    host_layer_s = 0.001948,
    host_micro_s = 0.002257,
    host_step_s = 0.06237,
  },
  neuron = {
    gemm = 1.216,
  },
  older_kernels = {
    attention = 1.223,
  },
  older_kernels_fp8_device = {
    attention = 2.419,
  },
}

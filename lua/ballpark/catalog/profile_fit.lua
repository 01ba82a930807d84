-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- tools/fit/profile_coefficients.lua.
return {
  rows = 2258,
  all = {
    attention_backward = 1.074,
    elementwise = 0.7736,
    expert_gemm = 1.303,
    exposed_dp = 0.1081,
    gemm = 1.125,
    host_moe = 1.011,
    host_step_s = 0.007606,
    host_tp = 0.09744,
    launch = 0.3985,
    moe_passes = 9.084,
    overlap_dp = 0.6559,
    overlap_ep = 0.4,
    overlap_tp = 0.7226,
    quantize = 0.8174,
    softmax_passes = 3.343,
    straggler = 0.007799,
    sustained_flop_w = 9.435e+11,
  },
  ascend = {
    gemm = 0.9963,
  },
  deepspeed = {
    elementwise_passes = 1.516,
    host_layer_s = 0.0008355,
    host_micro_s = 0.001017,
  },
  fsdp = {
    elementwise_passes = 1.153,
    exposed_fsdp = 0.2898,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.481,
  },
  jax = {
    exposed_fsdp = 0.1343,
    gemm = 0.9398,
    selective_mlp = 0.452,
  },
  megatron = {
    host_layer_s = 0.0004057,
    host_micro_s = 0.0004481,
  },
  nanotron = {
    elementwise_passes = 1.415,
    host_layer_s = 0.001949,
    host_micro_s = 0.002268,
    host_step_s = 0.06261,
  },
  neuron = {
    gemm = 1.219,
  },
  older_kernels = {
    attention = 1.229,
  },
  older_kernels_fp8_device = {
    attention = 2.431,
  },
}

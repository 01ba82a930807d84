-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2567 published training steps; priors and scopes are in
-- tools/fit/profile_coefficients.lua.
return {
  rows = 2567,
  all = {
    attention_backward = 1.056,
    elementwise = 0.8025,
    expert_gemm = 1.324,
    exposed_dp = 0.09958,
    gemm = 1.147,
    host_moe = 1.012,
    host_step_s = 0.01267,
    host_tp = 0.08169,
    launch = 0.4097,
    moe_passes = 7.271,
    overlap_dp = 0.7407,
    overlap_ep = 0.4,
    overlap_tp = 0.7296,
    quantize = 0.8209,
    softmax_passes = 3.453,
    straggler = 0.007371,
    sustained_flop_w = 9.503e+11,
  },
  ascend = {
    gemm = 0.9683,
  },
  deepspeed = {
    elementwise_passes = 1.654,
    host_layer_s = 0.0008232,
    host_micro_s = 0.0006126,
  },
  fsdp = {
    elementwise_passes = 1.103,
    exposed_fsdp = 0.2618,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.551,
  },
  jax = {
    exposed_fsdp = 0.1311,
    gemm = 0.9284,
    selective_mlp = 0.4457,
  },
  megatron = {
    host_layer_s = 0.0004025,
  },
  nanotron = {
    elementwise_passes = 1.47,
    host_layer_s = 0.002254,
    host_micro_s = 0.0009546,
    host_step_s = 0.03645,
    host_tp = 0.7085,
  },
  neuron = {
    gemm = 1.174,
  },
  older_kernels = {
    attention = 1.214,
  },
  older_kernels_fp8_device = {
    attention = 2.361,
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 0.9969,
    attention_backward = 1.116,
    elementwise = 0.7134,
    expert_gemm = 1.288,
    exposed_dp = 0.101,
    gemm = 1.113,
    host_moe = 1.01,
    host_step_s = 0.005858,
    host_tp = 0.1037,
    launch = 0.3971,
    moe_passes = 11.74,
    overlap_dp = 0.5376,
    overlap_ep = 0.4,
    overlap_tp = 0.6849,
    quantize = 0.7011,
    softmax_passes = 3.565,
    straggler = 0.007058,
    sustained_flop_w = 9.473e+11,
  },
  ascend = {
    gemm = 0.9938,
  },
  deepspeed = {
    elementwise_passes = 1.706,
    host_layer_s = 0.0008339,
    host_micro_s = 0.001015,
  },
  fsdp = {
    elementwise_passes = 1.109,
    exposed_fsdp = 0.3106,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.588,
  },
  jax = {
    exposed_fsdp = 0.1417,
    gemm = 0.9239,
    selective_mlp = 0.47,
  },
  megatron = {
    host_layer_s = 0.0004029,
    host_micro_s = 0.0003236,
  },
  nanotron = {
    elementwise_passes = 1.985,
    host_layer_s = 0.001318,
    host_micro_s = 0.0006209,
    host_pipe = 0.56,
    host_step_s = 0.04181,
  },
  neuron = {
    gemm = 1.221,
  },
  older_kernels = {
    attention = 1.174,
  },
  older_kernels_fp8_device = {
    attention = 2.403,
  },
}

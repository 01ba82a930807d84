-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 1.008,
    attention_backward = 1.12,
    elementwise = 0.721,
    expert_gemm = 1.283,
    exposed_dp = 0.1041,
    gemm = 1.099,
    host_moe = 1.011,
    host_step_s = 0.005877,
    host_tp = 0.1095,
    launch = 0.3947,
    moe_passes = 11.53,
    overlap_dp = 0.6656,
    overlap_ep = 0.4,
    overlap_tp = 0.7541,
    quantize = 0.7314,
    softmax_passes = 3.507,
    straggler = 0.009727,
    sustained_flop_w = 9.476e+11,
  },
  ascend = {
    gemm = 0.986,
  },
  deepspeed = {
    elementwise_passes = 1.692,
    host_layer_s = 0.0008278,
    host_micro_s = 0.001038,
  },
  fsdp = {
    elementwise_passes = 1.171,
    exposed_fsdp = 0.2937,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.449,
  },
  jax = {
    exposed_fsdp = 0.135,
    gemm = 0.9141,
    selective_mlp = 0.4478,
  },
  megatron = {
    host_layer_s = 0.0004005,
    host_micro_s = 0.0003615,
  },
  nanotron = {
    elementwise_passes = 1.929,
    host_layer_s = 0.001802,
    host_micro_s = 0.002795,
    host_step_s = 0.05238,
  },
  neuron = {
    gemm = 1.191,
  },
  older_kernels = {
    attention = 1.165,
  },
  older_kernels_fp8_device = {
    attention = 2.377,
  },
}

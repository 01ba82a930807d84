-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 0.9937,
    attention_backward = 1.116,
    elementwise = 0.7075,
    expert_gemm = 1.281,
    exposed_dp = 0.1004,
    gemm = 1.098,
    host_moe = 1.011,
    host_step_s = 0.005957,
    host_tp = 0.0829,
    launch = 0.3971,
    moe_passes = 11.73,
    overlap_dp = 0.5879,
    overlap_ep = 0.4,
    overlap_tp = 0.7042,
    quantize = 0.7104,
    softmax_passes = 3.631,
    straggler = 0.009521,
    sustained_flop_w = 9.489e+11,
  },
  ascend = {
    gemm = 0.9883,
  },
  deepspeed = {
    elementwise_passes = 1.669,
    host_layer_s = 0.0008513,
    host_micro_s = 0.0009967,
  },
  fsdp = {
    elementwise_passes = 1.132,
    exposed_fsdp = 0.2962,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.581,
  },
  jax = {
    exposed_fsdp = 0.1398,
    gemm = 0.9115,
    selective_mlp = 0.4568,
  },
  megatron = {
    host_layer_s = 0.000403,
    host_micro_s = 0.0003382,
  },
  nanotron = {
    elementwise_passes = 1.977,
    host_layer_s = 0.0008458,
    host_micro_s = 0.0007841,
    host_pipe = 0.8161,
    host_step_s = 0.04544,
    host_tp = 0.5947,
  },
  neuron = {
    gemm = 1.197,
  },
  older_kernels = {
    attention = 1.181,
  },
  older_kernels_fp8_device = {
    attention = 2.4,
  },
}

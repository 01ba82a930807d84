-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1744 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.9239,
    expert_gemm = 0.9399,
    exposed_dp = 0.07404,
    gemm = 1.133,
    host_step_s = 0.006381,
    host_tp = 0.08118,
    moe_passes = 11.36,
    scaleout = 0.7325,
    sustained_flop_w = 9.828e+11,
  },
  ascend = {
    gemm = 1.041,
  },
  blockwise = {
    narrow_gemm = 1.095,
  },
  cudnn_2024_hopper = {
    attention = 1.357,
  },
  deepspeed = {
    elementwise_passes = 1.413,
    host_layer_s = 0.0008257,
    host_micro_s = 0.0007842,
  },
  first_attention = {
    attention = 1.142,
  },
  first_attention_hopper = {
    attention = 2.551,
  },
  fsdp = {
    elementwise_passes = 1.207,
    exposed_fsdp = 0.2042,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.1,
  },
  hybridep = {
    moe_passes = 4.939,
  },
  infiniband = {
    scaleout = 0.8443,
  },
  jax = {
    exposed_fsdp = 0.2356,
  },
  megatron = {
    host_layer_s = 0.0005779,
    host_micro_s = 0.0003499,
  },
  nanotron = {
    elementwise_passes = 2.623,
    host_layer_s = 0.001171,
    host_micro_s = 0.001225,
    host_step_s = 0.0253,
  },
  neuron = {
    gemm = 1.263,
  },
  ["omni-path"] = {
    scaleout = 0.671,
  },
  roce = {
    scaleout = 0.8551,
  },
  rows = 1744,
  rowwise = {
    narrow_gemm = 1.784,
  },
  second_attention_ampere = {
    attention = 0.7937,
    attention_backward = 0.7987,
  },
  second_attention_hopper = {
    attention = 2.316,
  },
  today_attention_hopper = {
    attention_backward = 0.8331,
  },
  tpu = {
    expert_gemm = 1.128,
    gemm = 1.005,
  },
}

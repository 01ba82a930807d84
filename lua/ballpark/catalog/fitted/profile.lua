-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1761 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.8796,
    expert_gemm = 0.9235,
    exposed_dp = 0.1032,
    gemm = 1.135,
    host_step_s = 0.006285,
    host_tp = 0.1487,
    moe_passes = 11.52,
    scaleout = 0.7158,
    sustained_flop_w = 9.738e+11,
  },
  ascend = {
    gemm = 1.124,
  },
  blockwise = {
    narrow_gemm = 1.114,
  },
  cudnn_2024_hopper = {
    attention = 1.332,
  },
  deepspeed = {
    elementwise_passes = 1.432,
  },
  eager = {
    host_layer_s = 0.0008095,
    host_micro_s = 0.0007671,
  },
  first_attention = {
    attention = 1.162,
  },
  first_attention_hopper = {
    attention = 2.531,
  },
  fsdp = {
    elementwise_passes = 1.213,
    exposed_fsdp = 0.143,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.741,
  },
  hybridep = {
    moe_passes = 4.578,
  },
  infiniband = {
    scaleout = 0.8201,
  },
  jax = {
    exposed_fsdp = 0.2219,
  },
  megatron = {
    host_layer_s = 0.0005451,
    host_micro_s = 0.0003311,
  },
  nanotron = {
    elementwise_passes = 2.813,
    host_step_s = 0.02524,
    host_tp = 0.858,
  },
  neuron = {
    gemm = 1.267,
  },
  ["omni-path"] = {
    scaleout = 0.6861,
  },
  rack = {
    sustained_flop_w = 1.269e+12,
  },
  roce = {
    scaleout = 0.8446,
  },
  rows = 1761,
  rowwise = {
    narrow_gemm = 1.47,
  },
  second_attention_ampere = {
    attention = 0.7912,
    attention_backward = 0.7966,
  },
  second_attention_hopper = {
    attention = 2.18,
    attention_backward = 0.8823,
  },
  today_attention_hopper = {
    attention_backward = 0.7994,
  },
  tpu = {
    expert_gemm = 1.138,
    gemm = 0.9783,
  },
}

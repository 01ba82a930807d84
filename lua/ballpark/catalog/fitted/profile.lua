-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 1744 published training steps; priors and scopes are in
-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in
-- core/kernel/describe/common_fit.h.
return {
  all = {
    attention = 0.9112,
    expert_gemm = 0.9389,
    exposed_dp = 0.08819,
    gemm = 1.129,
    host_step_s = 0.005991,
    host_tp = 0.08144,
    moe_passes = 11.63,
    scaleout = 0.7195,
    sustained_flop_w = 9.78e+11,
  },
  ascend = {
    gemm = 1.042,
  },
  blockwise = {
    narrow_gemm = 1.097,
  },
  cudnn_2024_hopper = {
    attention = 1.366,
  },
  deepspeed = {
    elementwise_passes = 1.42,
    host_layer_s = 0.0008261,
    host_micro_s = 0.0007923,
  },
  first_attention = {
    attention = 1.157,
  },
  first_attention_hopper = {
    attention = 2.591,
  },
  fsdp = {
    elementwise_passes = 1.231,
    exposed_fsdp = 0.1601,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.1,
  },
  hybridep = {
    moe_passes = 4.96,
  },
  infiniband = {
    scaleout = 0.8491,
  },
  jax = {
    exposed_fsdp = 0.2185,
  },
  megatron = {
    host_layer_s = 0.0005749,
    host_micro_s = 0.0003529,
  },
  nanotron = {
    elementwise_passes = 2.57,
    host_layer_s = 0.00109,
    host_micro_s = 0.001489,
    host_step_s = 0.02407,
  },
  neuron = {
    gemm = 1.266,
  },
  ["omni-path"] = {
    scaleout = 0.6712,
  },
  roce = {
    scaleout = 0.8535,
  },
  rows = 1744,
  rowwise = {
    narrow_gemm = 1.781,
  },
  second_attention_ampere = {
    attention = 0.7885,
    attention_backward = 0.7953,
  },
  second_attention_hopper = {
    attention = 2.34,
  },
  today_attention_hopper = {
    attention_backward = 0.8467,
  },
  tpu = {
    expert_gemm = 1.143,
    gemm = 0.9728,
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 0.9987,
    attention_backward = 1.115,
    elementwise = 0.7085,
    expert_gemm = 1.307,
    exposed_dp = 0.1037,
    gemm = 1.133,
    host_moe = 1.01,
    host_step_s = 0.005835,
    host_tp = 0.1037,
    launch = 0.3966,
    moe_passes = 12.15,
    overlap_dp = 0.5509,
    overlap_ep = 0.4,
    overlap_tp = 0.681,
    quantize = 0.575,
    softmax_passes = 3.367,
    straggler = 0.007102,
    sustained_flop_w = 9.635e+11,
  },
  ascend = {
    gemm = 0.994,
  },
  deepspeed = {
    elementwise_passes = 1.627,
    host_layer_s = 0.0008349,
    host_micro_s = 0.001006,
  },
  fsdp = {
    elementwise_passes = 1.079,
    exposed_fsdp = 0.3066,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.591,
  },
  jax = {
    exposed_fsdp = 0.1215,
    selective_mlp = 0.399,
  },
  megatron = {
    host_layer_s = 0.0004029,
    host_micro_s = 0.0003056,
  },
  nanotron = {
    elementwise_passes = 1.97,
    host_layer_s = 0.001317,
    host_micro_s = 0.0006629,
    host_pipe = 0.5591,
    host_step_s = 0.04167,
  },
  neuron = {
    gemm = 1.221,
  },
  older_kernels = {
    attention = 1.157,
  },
  older_kernels_fp8_device = {
    attention = 2.42,
  },
  tpu = {
    gemm = 0.8953,
  },
}

-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.064,
    attention_backward = 1.166,
    elementwise = 0.7609,
    expert_gemm = 1.126,
    exposed_dp = 0.09842,
    gemm = 1.133,
    gemm_fp4 = 0.8182,
    host_step_s = 0.004928,
    host_tp = 0.09715,
    launch = 0.394,
    misaligned = 0.3412,
    mixer_passes = 1.692,
    moe_passes = 10.32,
    moe_wait_s = 0.001399,
    overlap_dp = 0.4879,
    overlap_ep = 0.4064,
    overlap_tp = 0.5627,
    quantize = 0.7647,
    softmax_passes = 2.896,
    straggler = 0.007139,
    sustained_flop_w = 9.491e+11,
  },
  ascend = {
    gemm = 1.025,
  },
  deepspeed = {
    elementwise_passes = 1.424,
    host_layer_s = 0.0008477,
    host_micro_s = 0.0009297,
  },
  fsdp = {
    elementwise_passes = 1.284,
    exposed_fsdp = 0.305,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.581,
  },
  jax = {
    exposed_fsdp = 0.1337,
    selective_mlp = 0.3821,
  },
  megatron = {
    host_layer_s = 0.0004015,
    host_micro_s = 0.0003394,
  },
  nanotron = {
    elementwise_passes = 1.989,
    host_layer_s = 0.001342,
    host_micro_s = 0.0004787,
    host_pipe = 0.5691,
    host_step_s = 0.04406,
  },
  neuron = {
    gemm = 1.236,
  },
  older_kernels = {
    attention = 1.152,
  },
  older_kernels_fp8_device = {
    attention = 2.471,
  },
  rows = 2258,
  tpu = {
    gemm = 0.9062,
  },
}

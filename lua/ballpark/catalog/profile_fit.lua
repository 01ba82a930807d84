-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  all = {
    attention = 1.04,
    attention_backward = 1.159,
    elementwise = 0.7737,
    expert_gemm = 1.125,
    exposed_dp = 0.1076,
    gemm = 1.132,
    gemm_fp4 = 0.8212,
    host_step_s = 0.005037,
    host_tp = 0.09815,
    launch = 0.3922,
    misaligned = 0.3429,
    mixer_passes = 1.704,
    moe_passes = 10.23,
    moe_wait_s = 0.001474,
    overlap_dp = 0.5357,
    overlap_ep = 0.4077,
    overlap_tp = 0.5577,
    quantize = 0.7969,
    softmax_passes = 2.998,
    straggler = 0.007189,
    sustained_flop_w = 9.506e+11,
  },
  ascend = {
    gemm = 1.029,
  },
  deepspeed = {
    elementwise_passes = 1.468,
    host_layer_s = 0.0008476,
    host_micro_s = 0.0009307,
  },
  fsdp = {
    elementwise_passes = 1.305,
    exposed_fsdp = 0.3097,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.599,
  },
  jax = {
    exposed_fsdp = 0.1632,
    selective_mlp = 0.4193,
  },
  megatron = {
    host_layer_s = 0.0004015,
    host_micro_s = 0.0003363,
  },
  nanotron = {
    elementwise_passes = 1.951,
    host_layer_s = 0.001323,
    host_micro_s = 0.0005202,
    host_pipe = 0.5799,
    host_step_s = 0.03541,
  },
  neuron = {
    gemm = 1.245,
  },
  older_kernels = {
    attention = 1.156,
  },
  older_kernels_fp8_device = {
    attention = 2.484,
  },
  rows = 2258,
  tpu = {
    gemm = 0.9391,
  },
}

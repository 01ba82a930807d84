-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.
-- Fitted to 2258 published training steps; priors and scopes are in
-- lua/ballpark/calibrate/coefficients.lua.
return {
  rows = 2258,
  all = {
    attention = 1.008,
    attention_backward = 1.124,
    elementwise = 0.7144,
    expert_gemm = 1.279,
    exposed_dp = 0.1017,
    gemm = 1.096,
    host_moe = 1.011,
    host_step_s = 0.00593,
    host_tp = 0.1098,
    launch = 0.4012,
    moe_passes = 11.42,
    overlap_dp = 0.6016,
    overlap_ep = 0.4,
    overlap_tp = 0.7059,
    quantize = 0.6867,
    softmax_passes = 3.65,
    straggler = 0.01058,
    sustained_flop_w = 9.487e+11,
  },
  ascend = {
    gemm = 0.9837,
  },
  deepspeed = {
    elementwise_passes = 1.626,
    host_layer_s = 0.0008272,
    host_micro_s = 0.001038,
  },
  fsdp = {
    elementwise_passes = 1.154,
    exposed_fsdp = 0.2912,
    host_layer_s = 0.0005,
  },
  gaudi = {
    gemm = 1.56,
  },
  jax = {
    exposed_fsdp = 0.1348,
    gemm = 0.9091,
    selective_mlp = 0.444,
  },
  megatron = {
    host_layer_s = 0.000403,
    host_micro_s = 0.0003517,
  },
  nanotron = {
    elementwise_passes = 1.922,
    host_layer_s = 0.001804,
    host_micro_s = 0.002776,
    host_step_s = 0.0512,
  },
  neuron = {
    gemm = 1.179,
  },
  older_kernels = {
    attention = 1.177,
  },
  older_kernels_fp8_device = {
    attention = 2.374,
  },
}

/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 2260 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.234
#define BP_FIT_ELEMENTWISE 0.7751
#define BP_FIT_GEMM_FP4 0.7992
#define BP_FIT_HOST_PIPE 0.6143
#define BP_FIT_LAUNCH 0.4119
#define BP_FIT_MISALIGNED 0.3315
#define BP_FIT_MIXER_PASSES 1.759
#define BP_FIT_MOE_WAIT_S 0.001316
#define BP_FIT_OVERLAP_DP 0.7073
#define BP_FIT_OVERLAP_EP 0.4395
#define BP_FIT_OVERLAP_TP 0.5598
#define BP_FIT_QUANTIZE 0.7506
#define BP_FIT_SELECTIVE_MLP 0.3563
#define BP_FIT_SOFTMAX_PASSES 2.746
#define BP_FIT_STRAGGLER 0.006049

#endif

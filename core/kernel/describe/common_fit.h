/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.181
#define BP_FIT_ELEMENTWISE 0.7012
#define BP_FIT_GEMM_FP4 0.8665
#define BP_FIT_HOST_PIPE 1.061
#define BP_FIT_LAUNCH 0.4087
#define BP_FIT_MISALIGNED 0.3
#define BP_FIT_MIXER_PASSES 1.545
#define BP_FIT_MOE_WAIT_S 0.002291
#define BP_FIT_OVERLAP_DP 0.658
#define BP_FIT_OVERLAP_EP 0.7594
#define BP_FIT_OVERLAP_TP 0.5657
#define BP_FIT_QUANTIZE 1.02
#define BP_FIT_SELECTIVE_MLP 0.3782
#define BP_FIT_SOFTMAX_PASSES 3.089
#define BP_FIT_STRAGGLER 0.006389

#endif

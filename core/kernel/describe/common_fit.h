/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1750 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.122
#define BP_FIT_ELEMENTWISE 0.6785
#define BP_FIT_GEMM_FP4 0.8534
#define BP_FIT_HOST_PIPE 0.751
#define BP_FIT_LAUNCH 0.4045
#define BP_FIT_MISALIGNED 0.2937
#define BP_FIT_MIXER_PASSES 1.64
#define BP_FIT_MOE_WAIT_S 0.001557
#define BP_FIT_OVERLAP_DP 0.6414
#define BP_FIT_OVERLAP_EP 0.8421
#define BP_FIT_OVERLAP_TP 0.5423
#define BP_FIT_QUANTIZE 0.9913
#define BP_FIT_SELECTIVE_MLP 0.3528
#define BP_FIT_SOFTMAX_PASSES 3.159
#define BP_FIT_STRAGGLER 0.006101

#endif

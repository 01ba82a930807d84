/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.188
#define BP_FIT_ELEMENTWISE 0.6753
#define BP_FIT_GEMM_FP4 0.8557
#define BP_FIT_HOST_PIPE 1.056
#define BP_FIT_LAUNCH 0.4108
#define BP_FIT_MISALIGNED 0.2943
#define BP_FIT_MIXER_PASSES 1.523
#define BP_FIT_MOE_WAIT_S 0.002298
#define BP_FIT_OVERLAP_DP 0.6764
#define BP_FIT_OVERLAP_EP 0.7631
#define BP_FIT_OVERLAP_TP 0.5358
#define BP_FIT_QUANTIZE 0.9952
#define BP_FIT_SELECTIVE_MLP 0.3863
#define BP_FIT_SOFTMAX_PASSES 3.257
#define BP_FIT_STRAGGLER 0.006647

#endif

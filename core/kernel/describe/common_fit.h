/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.181
#define BP_FIT_ELEMENTWISE 0.6662
#define BP_FIT_GEMM_FP4 0.8529
#define BP_FIT_HOST_PIPE 1.063
#define BP_FIT_LAUNCH 0.4122
#define BP_FIT_MISALIGNED 0.2892
#define BP_FIT_MIXER_PASSES 1.534
#define BP_FIT_MOE_WAIT_S 0.002313
#define BP_FIT_OVERLAP_DP 0.65
#define BP_FIT_OVERLAP_EP 0.764
#define BP_FIT_OVERLAP_TP 0.5047
#define BP_FIT_QUANTIZE 0.9247
#define BP_FIT_SELECTIVE_MLP 0.3716
#define BP_FIT_SOFTMAX_PASSES 3.187
#define BP_FIT_STRAGGLER 0.006461

#endif

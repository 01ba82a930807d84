/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1750 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.155
#define BP_FIT_ELEMENTWISE 0.6822
#define BP_FIT_GEMM_FP4 0.8543
#define BP_FIT_HOST_PIPE 1.195
#define BP_FIT_LAUNCH 0.4038
#define BP_FIT_MISALIGNED 0.2879
#define BP_FIT_MIXER_PASSES 1.518
#define BP_FIT_MOE_WAIT_S 0.002309
#define BP_FIT_OVERLAP_DP 0.697
#define BP_FIT_OVERLAP_EP 0.7604
#define BP_FIT_OVERLAP_TP 0.5362
#define BP_FIT_QUANTIZE 1.038
#define BP_FIT_SELECTIVE_MLP 0.3494
#define BP_FIT_SOFTMAX_PASSES 3.671
#define BP_FIT_STRAGGLER 0.006652

#endif

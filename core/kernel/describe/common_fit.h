/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.183
#define BP_FIT_ELEMENTWISE 0.7013
#define BP_FIT_GEMM_FP4 0.8674
#define BP_FIT_HOST_PIPE 1.072
#define BP_FIT_LAUNCH 0.4079
#define BP_FIT_MISALIGNED 0.2999
#define BP_FIT_MIXER_PASSES 1.562
#define BP_FIT_MOE_WAIT_S 0.002372
#define BP_FIT_OVERLAP_DP 0.6326
#define BP_FIT_OVERLAP_EP 0.7639
#define BP_FIT_OVERLAP_TP 0.5613
#define BP_FIT_QUANTIZE 1.014
#define BP_FIT_SELECTIVE_MLP 0.3535
#define BP_FIT_SOFTMAX_PASSES 3.081
#define BP_FIT_STRAGGLER 0.006246

#endif

/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1744 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.123
#define BP_FIT_ELEMENTWISE 0.6624
#define BP_FIT_GEMM_FP4 0.8489
#define BP_FIT_HOST_PIPE 0.7491
#define BP_FIT_LAUNCH 0.4018
#define BP_FIT_MISALIGNED 0.2901
#define BP_FIT_MIXER_PASSES 1.575
#define BP_FIT_MOE_WAIT_S 0.00171
#define BP_FIT_OVERLAP_DP 0.6641
#define BP_FIT_OVERLAP_EP 0.3816
#define BP_FIT_OVERLAP_TP 0.5489
#define BP_FIT_QUANTIZE 1.003
#define BP_FIT_SELECTIVE_MLP 0.3653
#define BP_FIT_SOFTMAX_PASSES 3.155
#define BP_FIT_STRAGGLER 0.006608

#endif

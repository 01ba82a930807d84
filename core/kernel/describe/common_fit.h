/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.188
#define BP_FIT_ELEMENTWISE 0.6602
#define BP_FIT_GEMM_FP4 0.8653
#define BP_FIT_HOST_PIPE 1.06
#define BP_FIT_LAUNCH 0.4173
#define BP_FIT_MISALIGNED 0.2924
#define BP_FIT_MIXER_PASSES 1.503
#define BP_FIT_MOE_WAIT_S 0.002236
#define BP_FIT_OVERLAP_DP 0.6621
#define BP_FIT_OVERLAP_EP 0.763
#define BP_FIT_OVERLAP_TP 0.5449
#define BP_FIT_QUANTIZE 1.019
#define BP_FIT_SELECTIVE_MLP 0.3823
#define BP_FIT_SOFTMAX_PASSES 3.184
#define BP_FIT_STRAGGLER 0.006551

#endif

/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1750 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.167
#define BP_FIT_ELEMENTWISE 0.6531
#define BP_FIT_GEMM_FP4 0.8536
#define BP_FIT_HOST_PIPE 1.193
#define BP_FIT_LAUNCH 0.4013
#define BP_FIT_MISALIGNED 0.2848
#define BP_FIT_MIXER_PASSES 1.479
#define BP_FIT_MOE_WAIT_S 0.00218
#define BP_FIT_OVERLAP_DP 0.6989
#define BP_FIT_OVERLAP_EP 0.7608
#define BP_FIT_OVERLAP_TP 0.5466
#define BP_FIT_QUANTIZE 1.006
#define BP_FIT_SELECTIVE_MLP 0.3574
#define BP_FIT_SOFTMAX_PASSES 2.879
#define BP_FIT_STRAGGLER 0.006974

#endif

/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.178
#define BP_FIT_ELEMENTWISE 0.7164
#define BP_FIT_GEMM_FP4 0.8774
#define BP_FIT_HOST_PIPE 1.065
#define BP_FIT_LAUNCH 0.4189
#define BP_FIT_MISALIGNED 0.2981
#define BP_FIT_MIXER_PASSES 1.555
#define BP_FIT_MOE_WAIT_S 0.002352
#define BP_FIT_OVERLAP_DP 0.6095
#define BP_FIT_OVERLAP_EP 0.7627
#define BP_FIT_OVERLAP_TP 0.6524
#define BP_FIT_QUANTIZE 1.053
#define BP_FIT_SELECTIVE_MLP 0.3536
#define BP_FIT_SOFTMAX_PASSES 3.259
#define BP_FIT_STRAGGLER 0.006475

#endif

/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1750 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.165
#define BP_FIT_ELEMENTWISE 0.645
#define BP_FIT_GEMM_FP4 0.8526
#define BP_FIT_HOST_PIPE 1.196
#define BP_FIT_LAUNCH 0.4095
#define BP_FIT_MISALIGNED 0.2904
#define BP_FIT_MIXER_PASSES 1.489
#define BP_FIT_MOE_WAIT_S 0.002197
#define BP_FIT_OVERLAP_DP 0.6814
#define BP_FIT_OVERLAP_EP 0.7591
#define BP_FIT_OVERLAP_TP 0.5217
#define BP_FIT_QUANTIZE 0.9177
#define BP_FIT_SELECTIVE_MLP 0.3493
#define BP_FIT_SOFTMAX_PASSES 3.158
#define BP_FIT_STRAGGLER 0.006612

#endif

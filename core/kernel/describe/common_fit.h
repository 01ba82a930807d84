/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.176
#define BP_FIT_ELEMENTWISE 0.721
#define BP_FIT_GEMM_FP4 0.8728
#define BP_FIT_HOST_PIPE 1.051
#define BP_FIT_LAUNCH 0.4168
#define BP_FIT_MISALIGNED 0.2987
#define BP_FIT_MIXER_PASSES 1.561
#define BP_FIT_MOE_WAIT_S 0.002314
#define BP_FIT_OVERLAP_DP 0.6602
#define BP_FIT_OVERLAP_EP 0.7597
#define BP_FIT_OVERLAP_TP 0.6581
#define BP_FIT_QUANTIZE 1.038
#define BP_FIT_SELECTIVE_MLP 0.3697
#define BP_FIT_SOFTMAX_PASSES 3.084
#define BP_FIT_STRAGGLER 0.006595

#endif

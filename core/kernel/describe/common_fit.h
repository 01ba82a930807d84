/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1754 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.168
#define BP_FIT_ELEMENTWISE 0.6516
#define BP_FIT_GEMM_FP4 0.8513
#define BP_FIT_HOST_PIPE 1.196
#define BP_FIT_LAUNCH 0.4086
#define BP_FIT_MISALIGNED 0.2906
#define BP_FIT_MIXER_PASSES 1.505
#define BP_FIT_MOE_WAIT_S 0.002224
#define BP_FIT_OVERLAP_DP 0.6668
#define BP_FIT_OVERLAP_EP 0.7605
#define BP_FIT_OVERLAP_TP 0.5227
#define BP_FIT_QUANTIZE 0.9207
#define BP_FIT_SELECTIVE_MLP 0.3716
#define BP_FIT_SOFTMAX_PASSES 3.127
#define BP_FIT_STRAGGLER 0.006619

#endif

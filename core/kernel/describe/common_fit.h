/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1761 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.182
#define BP_FIT_ELEMENTWISE 0.7011
#define BP_FIT_GEMM_FP4 0.8652
#define BP_FIT_HOST_PIPE 1.06
#define BP_FIT_LAUNCH 0.4097
#define BP_FIT_MISALIGNED 0.3
#define BP_FIT_MIXER_PASSES 1.529
#define BP_FIT_MOE_WAIT_S 0.002296
#define BP_FIT_OVERLAP_DP 0.6618
#define BP_FIT_OVERLAP_EP 0.7592
#define BP_FIT_OVERLAP_TP 0.5658
#define BP_FIT_QUANTIZE 1.022
#define BP_FIT_SELECTIVE_MLP 0.3762
#define BP_FIT_SOFTMAX_PASSES 3.099
#define BP_FIT_STRAGGLER 0.006489

#endif

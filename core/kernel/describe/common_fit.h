/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to 1744 published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

#define BP_FIT_ATTENTION_BACKWARD 1.144
#define BP_FIT_ELEMENTWISE 0.6728
#define BP_FIT_GEMM_FP4 0.8438
#define BP_FIT_HOST_PIPE 0.7164
#define BP_FIT_LAUNCH 0.4039
#define BP_FIT_MISALIGNED 0.2921
#define BP_FIT_MIXER_PASSES 1.633
#define BP_FIT_MOE_WAIT_S 0.001647
#define BP_FIT_OVERLAP_DP 0.6747
#define BP_FIT_OVERLAP_EP 0.3715
#define BP_FIT_OVERLAP_TP 0.5558
#define BP_FIT_QUANTIZE 0.9845
#define BP_FIT_SELECTIVE_MLP 0.3372
#define BP_FIT_SOFTMAX_PASSES 3.066
#define BP_FIT_STRAGGLER 0.006683

#endif

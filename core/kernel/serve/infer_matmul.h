/* Matrix products and plain copies of a serving step, as engines run them; seconds. */
#ifndef BP_KERNEL_INFER_MATMUL_H
#define BP_KERNEL_INFER_MATMUL_H

#include "kernel/serve/infer_case.h"

/* A product of so many rows with its weights. Where kernels of its format are slower than those of the next wider one, it is of these. */
double bp_infer_matmul(const struct bp_infer_case *c, const struct bp_infer_linear *l, double rows);
/* All of the decoder's but the routed experts and the head. */
double bp_infer_dense_matmuls(const struct bp_infer_case *c, double rows);
/* Keys and values that the decoder makes of an encoder's tokens. */
double bp_infer_key_matmuls(const struct bp_infer_case *c, double prompts);
/* Routed experts of all layers, without their traffic. */
double bp_infer_expert_matmuls(const struct bp_infer_case *c, double tokens);
/* So many bytes read or written by kernels that do little else. */
double bp_infer_copy_time(const struct bp_infer_case *c, double bytes);

#endif

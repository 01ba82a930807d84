/* Matmuls as they run in training: under the power limit, in a full queue, with their two gradients. */
#ifndef BP_KERNEL_TRAIN_MATMUL_H
#define BP_KERNEL_TRAIN_MATMUL_H

#include "kernel/count/train_case.h"

/* Seconds of a layer's matmuls on one micro-batch. */
struct bp_matmuls {
    double forward, input_grad, weight_grad;
};

/*
** One matmul (m x k by k x n), of one or of many experts with m rows each (0: no expert's): a full queue
** hides most of the launch, fused casts most of the quantisation. Every expert's is launched (Transformer
** Engine's GroupedLinear).
*/
double bp_train_matmul(const struct bp_train_case *c, enum bp_dtype dtype, double m, double n,
                       double k, double out_bytes, double experts);

/*
** Adds, `times` times, y = x w with x (rows x in), w (in x out), and its two gradients. Rows of an expert fill
** whole tiles; along the depth of the weights' gradient they need not.
*/
void bp_add_linear(const struct bp_train_case *c, struct bp_matmuls *sum, double times, double rows,
                   double out, double in, double experts);

/* What a matmul moves per element of a weight's gradient. */
double bp_weight_grad_bytes(const struct bp_train_case *c);

#endif

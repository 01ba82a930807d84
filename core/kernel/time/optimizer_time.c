#include "kernel/time/optimizer_time.h"

#include "kernel/count/train_states.h"
#include "kernel/time/train_matmul.h"

#include <math.h>

/* An accumulated gradient is cleared once and scaled or measured (norm) once: written, read and written. */
#define GRADIENT_PASSES 3.0

/*
** Steps of the Newton-Schulz iteration, as its authors and Megatron Core run it (Keller Jordan, Muon,
** 2024; arXiv:2502.16982, section 2.1).
*/
#define STEPS 5.0

double bp_optimizer_time(const struct bp_train_case *c, double params, double gradients) {
    double bytes =
        bp_update_bytes(c) * params + GRADIENT_PASSES * (double)c->plan->grad_bytes * gradients;
    return bytes / (c->device->mem_bw_bytes_s * c->profile->common.elementwise);
}

/*
** One matrix of m rows, the shorter side, and n columns, in 16 bit: X X', its square, and their sum
** times X. Of a matrix that tensor-parallel ranks share each does its part.
*/
static double orthogonal_time(const struct bp_train_case *c, double a, double b) {
    double m = fmin(a, b), n = fmax(a, b);
    return STEPS * (bp_train_matmul(c, BP_DTYPE_BF16, m, m, n, 2, 0) +
                    bp_train_matmul(c, BP_DTYPE_BF16, m, m, m, 2, 0) +
                    bp_train_matmul(c, BP_DTYPE_BF16, m, n, m, 2, 0));
}

/* So many parameters in matrices of a times b. */
static double all_orthogonal_time(const struct bp_train_case *c, double params, double a,
                                  double b) {
    return params > 0 ? params / (a * b) * orthogonal_time(c, a, b) : 0;
}

/* Matrices outside the experts are taken as those of the dense feed-forward part, or as square. */
double bp_muon_time(const struct bp_train_case *c, double dense, double expert) {
    const struct bp_model *m = c->model;
    double h = (double)m->hidden, in = (double)(m->moe_latent > 0 ? m->moe_latent : m->hidden);
    double width = c->params->mlp_layers > 0 ? (double)m->ffn_hidden : h;
    if (c->plan->optimizer != BP_OPTIMIZER_MUON) {
        return 0;
    }
    return all_orthogonal_time(c, dense, h, width) +
           all_orthogonal_time(c, expert, in, (double)m->moe_ffn);
}

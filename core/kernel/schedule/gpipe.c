/* GPipe: all forwards, then all backwards. */
#include <math.h>

#include "kernel/schedule/order.h"

static double bubble(const struct bp_even_pipe *s) {
    return (s->p - 1) * (s->f + s->b);
}

static double kept(double p, double m, double v, double i) {
    (void)p, (void)v, (void)i;
    return m;
}

static double uneven(int64_t stages, double m, const double *f, const double *b) {
    double slow_f = 0, slow_b = 0, sum = 0;
    int64_t i;
    for (i = 0; i < stages; i++) {
        slow_f = fmax(slow_f, f[i]);
        slow_b = fmax(slow_b, b[i]);
        sum += f[i] + b[i];
    }
    return (m - 1) * (slow_f + slow_b) + sum;
}

static void order(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group,
                  int32_t device) {
    (void)group, (void)device;
    bp_order_in_turn(o, s->micro_batches, s->micro_batches - 1, BP_PIPE_BW);
}

const struct bp_schedule_facts bp_gpipe = {
    .about = "all forwards, then all backwards",
    .formula = "bubble (p-1)(f+b); kept m",
    .source = "arXiv:1811.06965",
    .torch = "GPipe",
    .chunks = 1,
    .weight_copies = 1,
    .whole_passes = 1,
    .bubble = bubble,
    .kept = kept,
    .uneven = uneven,
    .order = order,
};

/* ZBV: zero bubble over two chunks per device that lie in a V. */
#include <math.h>

#include "kernel/schedule/order.h"

/*
** First part: device 0 waits (p-1)f for its first forward to come back, and (p-1)(b-w) for its
** first gradient; forwards fill the one gap, all that is left fills the other. Second part: what
** 2(p-1) W do not fill, and what chunks of unequal f and b-w lose when they take turns; fitted to the
** simulation (tests/c/test_sim_pipeline.c), which the paper's (p-1)(f + b-3w) underrates for b-w != f.
*/
static double bubble(const struct bp_even_pipe *s) {
    double p = s->p, m = s->m, f = s->f, b = s->b, w = s->w;
    double out = (p - 1) * f - (fmin(m, 2 * p - 1) - 1) * f / 2;
    double back = (p - 1) * (b - w) - w / 2 - (m - 1) * (f + b) / 2;
    double turns = (p - 1) / 2 * (fmax(0, f + b - 3 * w) + fabs(b - w - f));
    return fmax(fmax(0, out) + fmax(0, back), turns);
}

static double kept(double p, double m, double v, double i) {
    (void)m, (void)v, (void)i;
    return p;
}

/*
** Forwards of chunk 0 until the first is back on chunk 1, then two forwards and two backwards in turn.
** A short step runs the beginning and the end of a longer one.
*/
static void order(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group, int32_t d) {
    int32_t p = s->devices, m = s->micro_batches, full = m > 2 * p - 1 ? m : 2 * p - 1, i;
    (void)group;
    for (i = 0; i < 2 * (p - d) - 1; i++) {
        bp_order_forward(o, 0);
    }
    for (i = 0; i < d; i++) {
        bp_order_forward(o, 1);
        bp_order_forward(o, 0);
    }
    for (i = 0; i < p - d; i++) {
        bp_order_forward(o, 1);
        bp_order_backward(o, 1, BP_PIPE_B);
    }
    for (i = 0; i < full - p; i++) {
        bp_order_forward(o, 0);
        bp_order_backward(o, 0, BP_PIPE_B);
        bp_order_forward(o, 1);
        bp_order_backward(o, 1, BP_PIPE_B);
    }
    for (i = 0; i < d; i++) {
        bp_order_backward(o, 0, BP_PIPE_B);
        bp_order_backward(o, 1, BP_PIPE_B);
    }
    for (i = 0; i < p - d; i++) {
        bp_order_backward(o, 0, BP_PIPE_B);
    }
}

const struct bp_schedule_facts bp_zbv = {
    .about = "zero bubble with two chunks per device that lie in a V, in the memory of 1f1b",
    .formula = "bubble (p-1)/2 (max(0, f+b-3w) + |b-w-f|), more when m < 2p-1; kept p",
    .source = "arXiv:2401.10241 section 6; bubble fitted to the simulation",
    .torch = "ZBVZeroBubble",
    .layout = BP_PIPE_LAYOUT_V,
    .chunks = 2,
    .weight_copies = 1,
    .fills = 1,
    .bubble = bubble,
    .kept = kept,
    .order = order,
};

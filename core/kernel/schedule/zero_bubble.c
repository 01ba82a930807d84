/* Zero bubble H1 and H2: weight gradients of their own, which wait for a gap. */
#include <math.h>

#include "kernel/schedule/order.h"

/*
** Before the first gradient is back, after (p-1)(f + b-w), stage 0 can only do as many
** forwards as it may keep (`room`). Behind the last forwards its gradients come one every f + b-w, and
** each gap of f takes a W if it is long enough.
*/
static double bubble(const struct bp_even_pipe *s, double room) {
    return fmax(0, (s->p - 1) * (s->f + s->b - s->w) - (fmin(s->m, room) - 1) * fmin(s->f, s->w));
}

static double bubble_h1(const struct bp_even_pipe *s) {
    return bubble(s, s->p);
}

static double bubble_h2(const struct bp_even_pipe *s) {
    return bubble(s, 2 * s->p - 1);
}

/* Whole micro-batches while there are, then as many that only wait for their W. */
static double with_parked(double m, double whole, double parked) {
    double first = fmin(m, whole);
    return first + fmin(m - first, parked) * BP_WEIGHT_SHARE;
}

static double kept_h1(double p, double m, double v, double i) {
    (void)v;
    return with_parked(m, p - i, i);
}

static double kept_h2(double p, double m, double v, double i) {
    (void)v;
    return with_parked(m, 2 * (p - i) - 1, 2 * i);
}

/* As 1F1B (H1), or with twice its forwards at the start (H2). */
static void order_h1(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group,
                     int32_t device) {
    (void)group;
    bp_order_in_turn(o, s->micro_batches, s->devices - device - 1, BP_PIPE_B);
}

static void order_h2(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group,
                     int32_t device) {
    (void)group;
    bp_order_in_turn(o, s->micro_batches, 2 * (s->devices - device - 1), BP_PIPE_B);
}

#define NEEDS                                                                                      \
    "; for forward, input gradient and W of similar length, and an optimizer step that does not "  \
    "wait for all stages"

const struct bp_schedule_facts bp_zb_h1 = {
    .about = "zero bubble in the memory of 1f1b: weight gradients wait for gaps",
    .formula =
        "bubble (p-1)(f+b-w) - (min(m,p)-1) min(f,w), which is (p-1)(f+b-2w) for w <= f; kept "
        "up to p" NEEDS,
    .source = "arXiv:2401.10241 section 2; terms for few micro-batches from the simulation",
    .software = "zerobubble",
    .chunks = 1,
    .weight_copies = 1,
    .fills = 1,
    .bubble = bubble_h1,
    .kept = kept_h1,
    .order = order_h1,
};

const struct bp_schedule_facts bp_zb_h2 = {
    .about = "zero bubble in up to twice the memory of 1f1b",
    .formula = "bubble (p-1)(f+b-w) - (min(m,2p-1)-1) min(f,w), which is (p-1)(f+b-3w) for w <= f; "
               "kept up to 2p-1" NEEDS,
    .source = "arXiv:2401.10241 section 2; terms for few micro-batches from the simulation",
    .chunks = 1,
    .weight_copies = 1,
    .fills = 1,
    .bubble = bubble_h2,
    .kept = kept_h2,
    .order = order_h2,
};

/* Breadth-first: all micro-batches through one chunk of every device, then through the next. */
#include <math.h>

#include "kernel/schedule/order.h"

/* Every change of chunk waits where the first micro-batch is not yet back, as in interleaved 1F1B. */
static double bubble(const struct bp_even_pipe *s) {
    return ((s->p - 1) + (s->v - 1) * fmax(s->p - s->m, 0)) * (s->f + s->b) / s->v;
}

static double kept(double p, double m, double v, double i) {
    (void)p, (void)v, (void)i;
    return m;
}

static void order(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group,
                  int32_t device) {
    int32_t chunk, m;
    (void)group, (void)device;
    for (chunk = 0; chunk < s->chunks; chunk++) {
        for (m = 0; m < s->micro_batches; m++) {
            bp_order_add(o, BP_PIPE_F, chunk, (uint32_t)m);
        }
    }
    while (chunk-- > 0) {
        for (m = 0; m < s->micro_batches; m++) {
            bp_order_add(o, BP_PIPE_BW, chunk, (uint32_t)m);
        }
    }
}

const struct bp_schedule_facts bp_breadth_first = {
    .about = "all forwards chunk by chunk, then all backwards: GPipe with virtual stages",
    .formula =
        "bubble ((p-1) + (v-1) max(0, p-m)) (f+b)/v; kept m. Weights that are sharded (ZeRO 3) "
        "are taken as gathered for every micro-batch, though once for a chunk would do",
    .source = "arXiv:2211.05953",
    .software = "breadthfirst",
    .torch = "LoopedBFS",
    .torch_interleaved = "LoopedBFS",
    .least_vpp = 2,
    .weight_copies = 1,
    .whole_passes = 1,
    .bubble = bubble,
    .kept = kept,
    .order = order,
};

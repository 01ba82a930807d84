/* DualPipe, which fills a pipeline from both ends, and DualPipeV, its half with the stages in a V. */
#include <math.h>

#include "kernel/schedule/order.h"

static double bubble(const struct bp_even_pipe *s) {
    return fmax(0, (s->p / 2 - 1) * (s->f + 2 * s->b - 3 * s->w));
}

/* As DualPipe over 2p half stages. */
static double bubble_v(const struct bp_even_pipe *s) {
    return fmax(0, (s->p - 1) * (s->f + 2 * s->b - 3 * s->w) / 2);
}

static double kept(double p, double m, double v, double i) {
    (void)m, (void)v, (void)i;
    return p + 1;
}

/* 2p + 1 half stages. */
static double kept_v(double p, double m, double v, double i) {
    (void)m, (void)v, (void)i;
    return p + 0.5;
}

static void pair(struct bp_order *o, int forward_chunk) {
    o->list[o->count].with_next = 0;
    bp_order_forward(o, forward_chunk);
    o->list[o->count - 1].with_next = 1;
    bp_order_backward(o, 1 - forward_chunk, BP_PIPE_BW);
}

/*
** The eight phases of the authors' open-source release (2025). `half` is p/2, d the distance from the
** nearer end, n the micro-batches of one direction; chunk 0 means the direction that starts at the
** nearer end.
*/
static void both_ways(struct bp_order *o, int32_t half, int32_t d, int32_t n) {
    int32_t inner = half - d - 1, i;
    int split = 0;
    for (i = 0; i < 2 * inner; i++) {
        bp_order_forward(o, 0);
    }
    for (i = 0; i <= d; i++) {
        bp_order_forward(o, 0);
        bp_order_forward(o, 1);
    }
    for (i = 0; i < inner; i++) {
        bp_order_backward(o, 1, BP_PIPE_B);
        bp_order_weight(o);
        bp_order_forward(o, 1);
    }
    for (i = 0; i < n - 2 * half + d + 1; i++) {
        if (i == 0 && inner == 0) { /* the middle hands over at once instead of pairing */
            bp_order_forward(o, 0);
            bp_order_backward(o, 1, BP_PIPE_BW);
        } else {
            pair(o, 0);
        }
        pair(o, 1);
    }
    for (i = 0; i < inner; i++) {
        bp_order_backward(o, 1, BP_PIPE_BW);
        pair(o, 1);
    }
    for (i = 0; i <= d; i++) {
        split = split || (i == (d + 1) / 2 && d % 2 == 1);
        bp_order_backward(o, 1, split ? BP_PIPE_B : BP_PIPE_BW);
        split = split || (i == (d + 1) / 2 && d % 2 == 0);
        bp_order_backward(o, 0, split ? BP_PIPE_B : BP_PIPE_BW);
    }
    for (i = 0; i < inner; i++) {
        bp_order_weight(o);
        bp_order_backward(o, 0, BP_PIPE_B);
    }
    for (i = 0; i <= d; i++) {
        bp_order_weight(o);
    }
}

/* The half of the devices that the second direction enters first sees the chunks swapped. */
static void swap_ways(struct bp_order *o, int32_t n) {
    int32_t i;
    for (i = 0; i < o->count; i++) {
        struct bp_pipe_op *op = &o->list[i];
        op->micro = op->chunk == 0 ? op->micro + (uint32_t)n : op->micro - (uint32_t)n;
        op->chunk = (uint16_t)(1 - op->chunk);
    }
}

static void order(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group,
                  int32_t device) {
    int32_t p = s->devices, n = s->micro_batches / 2;
    int far = device >= p / 2;
    (void)group;
    o->stop[0] = (uint32_t)n;
    o->stop[1] = (uint32_t)s->micro_batches;
    o->next_forward[1] = o->next_backward[1] = (uint32_t)n;
    both_ways(o, p / 2, far ? p - 1 - device : device, n);
    if (far) {
        swap_ways(o, n);
    }
}

/* One direction, both its halves on one device. */
static void order_v(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group,
                    int32_t device) {
    (void)group;
    both_ways(o, s->devices, device, s->micro_batches);
}

const struct bp_schedule_facts bp_dualpipe = {
    .about = "micro-batches enter at both ends; a forward and a backward run together",
    .software = "haillm", /* HAI-LLM of DeepSeek-V3 (arXiv:2412.19437, section 3.2) */
    .formula = "bubble (p/2-1)(f+2b-3w), never below 0; kept p+1, of two copies of the weights",
    .source = "arXiv:2412.19437 section 3.2.1 and table 2",
    .layout = BP_PIPE_LAYOUT_BOTH_WAYS,
    .chunks = 2,
    .weight_copies = 2,
    .pairs = 1,
    .even_stages = 1,
    .even_micro_batches = 1,
    .least_micro_batches = 2,
    .bubble = bubble,
    .kept = kept,
    .order = order,
};

const struct bp_schedule_facts bp_dualpipe_v = {
    .about = "DualPipe with both its halves on one device: one copy of the weights",
    .formula = "bubble (p-1)(f+2b-3w)/2, never below 0; kept p+1/2",
    .source =
        "the authors' open-source release of DualPipe (2025), as DualPipe over 2p half stages",
    .torch = "DualPipeV",
    .layout = BP_PIPE_LAYOUT_V,
    .chunks = 2,
    .weight_copies = 1,
    .pairs = 1,
    .least_micro_batches = 2,
    .bubble = bubble_v,
    .kept = kept_v,
    .order = order_v,
};

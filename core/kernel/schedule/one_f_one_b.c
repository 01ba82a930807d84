/* 1F1B and its interleaved form. */
#include <math.h>

#include "kernel/schedule/order.h"

/*
** Interleaved: micro-batches take turns in groups of at least p, so that the first of a group is
** back at device 0 when the last one has left it. Any m >= p has the bubble of a multiple of p, and
** pays in memory (see bp_interleaved_group). Below p every change of virtual stage waits for the
** p - m that are missing, in forward and in backward.
*/
static double bubble(const struct bp_even_pipe *s) {
    return ((s->p - 1) + (s->v - 1) * fmax(s->p - s->m, 0)) * (s->f + s->b) / s->v;
}

static int leaves_whole_group(double p, double m, double size) {
    double last = fmod(m, size);
    return last == 0 || last >= p;
}

double bp_interleaved_group(double p, double m) {
    double size = p;
    if (m < 2 * p) {
        return m;
    }
    while (!leaves_whole_group(p, m, size)) {
        size++;
    }
    return size;
}

/* Interleaved: 2(p-i-1) + (v-1) groups' forwards of 1/v stage before the first backward, and its own. */
static double kept(double p, double m, double v, double i) {
    if (v <= 1) {
        return p - i;
    }
    return (2 * (p - i - 1) + (v - 1) * bp_interleaved_group(p, m) + 1) / v;
}

/*
** A stage is busy for m(f+b), and waits: for the first forward from before it and the last
** gradient on its way back (all times of the stages before it), for the first gradient from behind it,
** less the forwards it does meanwhile, and for the last one, less the backwards. Some stage determines
** the step.
*/
static double uneven(int64_t stages, double m, const double *f, const double *b) {
    double before = 0, behind = 0, longest = 0;
    int64_t i;
    if (m < (double)stages) {
        return 0;
    }
    for (i = 0; i < stages; i++) {
        behind += f[i] + b[i];
    }
    for (i = 0; i < stages; i++) {
        double others = (double)(stages - 1 - i);
        behind -= f[i] + b[i];
        longest = fmax(longest, m * (f[i] + b[i]) + before + fmax(0, behind - others * f[i]) +
                                    fmax(0, behind - others * b[i]));
        before += f[i] + b[i];
    }
    return longest;
}

/*
** Interleaving takes the micro-batches in groups: all of a group through chunk 0, then through chunk
** 1, ... of the size asked for, with a smaller last one (Megatron-LM).
*/
struct groups {
    int32_t size, rest; /* rest micro-batches in all */
};

static struct groups groups_of(const struct bp_pipe_shape *s, int64_t asked) {
    int32_t m = s->micro_batches;
    struct groups g = {(int32_t)bp_interleaved_group(s->devices, m), m};
    if (asked > 0) {
        g.size = asked < m ? (int32_t)asked : m;
    }
    return g;
}

static int32_t next_group(struct groups *g) {
    int32_t size = g->size < g->rest ? g->size : g->rest;
    g->rest -= size;
    return size;
}

/* Where a pass over all chunks and micro-batches is. */
struct walk {
    struct groups groups;
    int32_t first, size, chunk, at;
};

static struct walk walk_from(struct groups groups) {
    struct walk w = {groups, 0, 0, 0, 0};
    w.size = next_group(&w.groups);
    return w;
}

static void step(struct walk *w, struct bp_order *o, int kind, int32_t chunks) {
    int32_t chunk = kind == BP_PIPE_F ? w->chunk : chunks - 1 - w->chunk;
    bp_order_add(o, kind, chunk, (uint32_t)(w->first + w->at));
    if (++w->at == w->size) {
        w->at = 0;
        if (++w->chunk == chunks) {
            w->chunk = 0;
            w->first += w->size;
            w->size = next_group(&w->groups);
        }
    }
}

static void interleaved(struct bp_order *o, const struct bp_pipe_shape *s, int32_t device,
                        int64_t group) {
    struct walk f = walk_from(groups_of(s, group)), b = f;
    int32_t n = s->micro_batches * s->chunks, i;
    int32_t warm = 2 * (s->devices - device - 1) + (s->chunks - 1) * f.size;
    warm = warm < n ? warm : n;
    for (i = 0; i < n + warm; i++) {
        if (i < n) {
            step(&f, o, BP_PIPE_F, s->chunks);
        }
        if (i >= warm) {
            step(&b, o, BP_PIPE_BW, s->chunks);
        }
    }
}

/* p-i-1 forwards, then forward and backward in turn. */
static void order(struct bp_order *o, const struct bp_pipe_shape *s, int64_t group,
                  int32_t device) {
    if (s->chunks > 1) {
        interleaved(o, s, device, group);
    } else {
        bp_order_in_turn(o, s->micro_batches, s->devices - device - 1, BP_PIPE_BW);
    }
}

const struct bp_schedule_facts bp_one_f_one_b = {
    .about = "one forward and one backward in turn, interleaved where vpp is above 1",
    .formula =
        "bubble (p-1)(f+b)/v, plus (v-1)(p-m)(f+b)/v when v > 1 and m < p; kept p-i, "
        "interleaved (2(p-i-1) + (v-1)g + 1)/v in groups of g. m not a multiple of p runs in "
        "larger groups when interleaved, as few more as leave none below p, and costs memory "
        "instead of time",
    .source = "PipeDream-Flush arXiv:2006.09503; interleaved arXiv:2104.04473 section 2.2 and "
              "Megatron-LM's schedule table",
    .torch = "1F1B",
    .torch_interleaved = "Interleaved1F1B",
    .weight_copies = 1,
    .whole_passes = 1,
    .bubble = bubble,
    .kept = kept,
    .group = bp_interleaved_group,
    .uneven = uneven,
    .order = order,
};

#include "pipeline.h"

#include <math.h>
#include <string.h>

/*
** The first time operations run as soon as they can. With other W between them they run again in that
** order: on trial, for what it takes only, or for good, for what became of every operation.
*/
enum mode { FIRST, ON_TRIAL, FOR_GOOD };

/* One simulation under way. */
struct run {
    const struct bp_pipe *pipe;
    struct bp_pipe_work *w;
    const struct bp_pipe_fill *fill;
    double least, refused; /* see bp_pipe_fill; longest gap left open over the length of its W */
    size_t cells, micro_batches; /* done[cells ...] holds the ends of B */
    size_t ran;                  /* entries of w->order */
    int32_t chunks, devices;
    int32_t queued; /* the queue is a stack */
};

static void push(struct run *r, int32_t device) {
    r->w->queue[r->queued++] = device;
    r->w->turns[device].needs = -1;
}

static const struct bp_pipe_rule *rule_of(const struct bp_pipe_turn *t,
                                          const struct bp_pipe_op *op) {
    return &t->rules[op->chunk * BP_PIPE_KINDS + op->kind];
}

static double later(double a, double b) {
    return a > b ? a : b;
}

static double ready_at(const struct run *r, const struct bp_pipe_rule *rule,
                       const struct bp_pipe_op *op) {
    return r->w->done[rule->need + op->micro] + rule->lag_s;
}

/* Functions that take the mode are made for each. */
static inline void record(struct run *r, enum mode mode, struct bp_pipe_turn *t,
                          const struct bp_pipe_rule *rule, const struct bp_pipe_op *op,
                          double start, double end) {
    size_t gives = rule->gives + op->micro;
    t->held += rule->change;
    r->w->done[gives] = end;
    if (mode != ON_TRIAL) {
        t->step->op = *op;
        t->step->start_s = start;
        t->step->end_s = end;
        t->step->kept = t->held;
        t->step++;
    }
    if (mode == FIRST && r->w->turns[rule->wakes].needs == (int64_t)gives) { /* it waited */
        push(r, rule->wakes);
    }
}

static inline void run_one(struct run *r, enum mode mode, struct bp_pipe_turn *t,
                           const struct bp_pipe_rule *rule, const struct bp_pipe_op *op,
                           double ready) {
    double start = later(t->clock, ready);
    t->clock = start + rule->length_s;
    record(r, mode, t, rule, op, start, t->clock);
}

/* An operation and the one behind it, at the same time. */
static inline void run_pair(struct run *r, enum mode mode, struct bp_pipe_turn *t,
                            const struct bp_pipe_rule *one, double ready) {
    const struct bp_pipe_op *op = t->next;
    const struct bp_pipe_rule *two = rule_of(t, &op[1]);
    double start = later(t->clock, later(ready, ready_at(r, two, &op[1])));
    t->clock = start + r->pipe->pair_frac * (one->length_s + two->length_s);
    t->next += 2;
    record(r, mode, t, one, &op[0], start, t->clock);
    record(r, mode, t, two, &op[1], start, t->clock);
}

/* The oldest B whose W has not run, or NULL. */
static const struct bp_pipe_op *parked(struct bp_pipe_turn *t) {
    while (t->parked < t->next && t->parked->kind != BP_PIPE_B) {
        t->parked++;
    }
    return t->parked < t->next ? t->parked : NULL;
}

static inline void run_weight(struct run *r, enum mode mode, struct bp_pipe_turn *t,
                              const struct bp_pipe_op *b) {
    struct bp_pipe_op w = *b;
    w.kind = BP_PIPE_W;
    t->parked++;
    run_one(r, mode, t, rule_of(t, &w), &w, 0);
}

/* Relative slack: limits are sums of shares. */
#define LIMIT_SLACK 1e-9

/* More than LIMIT_SLACK and what a quotient is rounded. */
#define QUOTIENT_SLACK 1e-8

/* Whether the gap is worth the W, by the length of both. */
static int fits_gap(struct run *r, double gap, double took) {
    if (gap >= r->least * took * (1 - LIMIT_SLACK)) {
        return 1;
    }
    r->refused = later(r->refused, gap / took);
    return 0;
}

/* Puts W before the next operation, which is ready at `ready`. */
static inline void fill_gap(struct run *r, enum mode mode, struct bp_pipe_turn *t,
                            const struct bp_pipe_rule *next, double ready) {
    double limit = t->next->kind == BP_PIPE_F ? t->limit : INFINITY;
    for (;;) {
        int holds_more = t->held + next->change > limit;
        const struct bp_pipe_op *b;
        if (!holds_more && !(ready > t->clock)) {
            return;
        }
        b = parked(t);
        if (!b || (!holds_more && !fits_gap(r, ready - t->clock,
                                            (rule_of(t, b) + (BP_PIPE_W - BP_PIPE_B))->length_s))) {
            return;
        }
        run_weight(r, mode, t, b);
    }
}

/* What the device is to do next, all of which it waited for is there. */
static inline void run_next(struct run *r, enum mode mode, struct bp_pipe_turn *t,
                            const struct bp_pipe_rule *rule) {
    const struct bp_pipe_op *op = t->next;
    double ready = ready_at(r, rule, op);
    if (op->with_next) {
        run_pair(r, mode, t, rule, ready);
        return;
    }
    if (r->fill) {
        fill_gap(r, mode, t, rule, ready);
    }
    t->next++;
    run_one(r, mode, t, rule, op, ready);
}

/* Whether what the operation waits for is there, after noting what is not. */
static inline int can_run(const struct run *r, struct bp_pipe_turn *t,
                          const struct bp_pipe_rule *rule, const struct bp_pipe_op *op) {
    const double *done = r->w->done;
    size_t need = rule->first + op->micro;
    if (done[need] >= 0) {
        need = rule->need + op->micro;
        if (done[need] >= 0) {
            return 1;
        }
    }
    t->needs = (int64_t)need;
    return 0;
}

/* Runs the device until it is blocked or through. */
static void advance(struct run *r, int32_t device) {
    struct bp_pipe_turn *t = &r->w->turns[device];
    while (t->next < t->end) {
        const struct bp_pipe_op *op = t->next;
        const struct bp_pipe_rule *rule = rule_of(t, op);
        if (!can_run(r, t, rule, op) ||
            (op->with_next && !can_run(r, t, rule_of(t, &op[1]), &op[1]))) {
            return;
        }
        if (r->fill) {
            r->w->order[r->ran++] = device;
        }
        run_next(r, FIRST, t, rule);
    }
}

/* Seconds from the end of an operation in slot `from` to where slot `to` can use it. */
static double lag(const struct run *r, int32_t from, int32_t to) {
    return r->w->owner[from] == r->w->owner[to] ? 0 : r->pipe->send_s;
}

/* What the kinds of operation of a slot take and wait for; `always` is a row of zeros. */
static void set_rules(struct run *r, int32_t slot, size_t always) {
    const struct bp_pipe *p = r->pipe;
    const struct bp_pipe_work *w = r->w;
    struct bp_pipe_rule *rule = &w->rules[(size_t)slot * BP_PIPE_KINDS];
    int32_t stage = w->stage[slot], self = w->owner[slot];
    int32_t before = w->before[slot], after = w->after[slot];
    size_t f = (size_t)slot * r->micro_batches, b = r->cells + f;
    double kept = p->kept[stage], whole_s = p->backward_s[stage], weight_s = p->weight_s[stage];
    struct bp_pipe_rule whole = {whole_s, -kept, 0, f, f, b, self};
    rule[BP_PIPE_F] = (struct bp_pipe_rule){p->forward_s[stage], kept, 0, always, always, f, self};
    if (before >= 0) {
        rule[BP_PIPE_F].need = (size_t)before * r->micro_batches;
        rule[BP_PIPE_F].lag_s = lag(r, before, slot);
        whole.wakes = w->owner[before];
    }
    if (after >= 0) {
        whole.need = r->cells + (size_t)after * r->micro_batches;
        whole.lag_s = lag(r, after, slot);
        rule[BP_PIPE_F].wakes = w->owner[after];
    }
    rule[BP_PIPE_BW] = rule[BP_PIPE_B] = whole;
    rule[BP_PIPE_B].length_s = whole_s - weight_s;
    rule[BP_PIPE_B].change = -kept * (1 - p->weight_frac);
    rule[BP_PIPE_W] = (struct bp_pipe_rule){weight_s, -kept * p->weight_frac,    0,   always,
                                            b,        always + r->micro_batches, self};
}

static void start(struct run *r) {
    struct bp_pipe_work *w = r->w;
    int32_t d;
    r->queued = 0;
    for (d = r->devices - 1; d >= 0; d--) {
        struct bp_pipe_turn *t = &w->turns[d];
        t->next = t->parked = w->given + (size_t)d * w->room;
        t->end = t->next + w->given_count[d];
        t->rules = w->rules + (size_t)d * (size_t)r->chunks * BP_PIPE_KINDS;
        t->step = w->steps + (size_t)d * w->room;
        t->clock = t->held = 0;
        t->limit = w->limit[d] * (1 + LIMIT_SLACK);
        push(r, d);
    }
}

static void prepare(struct run *r) {
    size_t i;
    int32_t slot;
    for (i = 0; i < 2 * r->cells; i++) {
        r->w->done[i] = -1;
    }
    memset(r->w->done + 2 * r->cells, 0, r->micro_batches * sizeof *r->w->done);
    for (slot = 0; slot < r->devices * r->chunks; slot++) {
        set_rules(r, slot, 2 * r->cells);
    }
}

static void note_peak(struct bp_pipe_device *about, const struct bp_pipe_step *step) {
    if (step->kept > about->peak) {
        about->peak = step->kept;
        about->peak_at_s = step->start_s;
    }
}

/* What became of a device, from its steps. */
static void add_up(struct run *r, int32_t device) {
    const struct bp_pipe_turn *t = &r->w->turns[device];
    const struct bp_pipe_step *step = r->w->steps + (size_t)device * r->w->room;
    const struct bp_pipe_step *end = step + r->w->step_count[device];
    struct bp_pipe_device about = {0};
    about.start_s = step->start_s;
    about.end_s = end[-1].end_s;
    for (; step < end; step++) {
        double took = rule_of(t, &step->op)->length_s;
        note_peak(&about, step);
        if (step->op.with_next) {
            step++;
            took = r->pipe->pair_frac * (took + rule_of(t, &step->op)->length_s);
            note_peak(&about, step);
        }
        about.busy_s += took;
    }
    r->w->devices[device] = about;
}

/* When the device began, its first operation that of its list: no W is before any B. */
static double start_of(const struct run *r, int32_t device) {
    const struct bp_pipe_turn *t = &r->w->turns[device];
    const struct bp_pipe_op *op = r->w->given + (size_t)device * r->w->room;
    double start = later(0, ready_at(r, rule_of(t, op), op));
    return op->with_next ? later(start, ready_at(r, rule_of(t, &op[1]), &op[1])) : start;
}

/* Puts in what W is left, and says how long it all took. */
static inline struct bp_pipe_times finish(struct run *r, enum mode mode) {
    struct bp_pipe_times times = {0};
    double first = INFINITY, last = 0;
    int32_t d;
    for (d = 0; d < r->devices; d++) {
        struct bp_pipe_turn *t = &r->w->turns[d];
        double start_s = start_of(r, d);
        const struct bp_pipe_op *b;
        while (r->fill && (b = parked(t)) != NULL) {
            run_weight(r, mode, t, b);
        }
        if (mode != ON_TRIAL) {
            r->w->step_count[d] = (int32_t)(t->step - (r->w->steps + (size_t)d * r->w->room));
        }
        first = fmin(first, start_s);
        last = fmax(last, t->clock);
        times.span_s = fmax(times.span_s, t->clock - start_s);
    }
    times.makespan_s = last - first;
    return times;
}

/* Runs what has run before, in the order it could, with W put in by another least gap. */
static inline struct bp_pipe_times run_again(struct run *r, enum mode mode, double least) {
    size_t i;
    r->least = least;
    r->refused = 0;
    start(r);
    for (i = 0; i < r->ran; i++) {
        struct bp_pipe_turn *t = &r->w->turns[r->w->order[i]];
        run_next(r, mode, t, rule_of(t, t->next));
    }
    return finish(r, mode);
}

/* The other ways to put W in: one that closes no gap that the one before left open is the same. */
static void try_others(struct run *r, struct bp_pipe_times *times) {
    double best = r->least;
    int i;
    for (i = 1; i < r->fill->count; i++) {
        struct bp_pipe_times now;
        if (!(r->refused > 0 && r->refused >= r->fill->least[i] * (1 - QUOTIENT_SLACK))) {
            continue;
        }
        now = run_again(r, ON_TRIAL, r->fill->least[i]);
        if (now.span_s < times->span_s) {
            *times = now;
            best = r->least;
        }
    }
    if (best < r->fill->least[0]) {
        *times = run_again(r, FOR_GOOD, best);
    }
}

int bp_pipe_run(const struct bp_pipe *pipe, struct bp_pipe_work *work,
                const struct bp_pipe_fill *fill, struct bp_pipe_times *times,
                struct bp_error *err) {
    struct run r = {0};
    int32_t d;
    int code;
    r.pipe = pipe;
    r.w = work;
    r.fill = fill;
    r.least = fill ? fill->least[0] : 0;
    r.devices = pipe->shape.devices;
    r.chunks = pipe->shape.chunks;
    r.micro_batches = (size_t)pipe->shape.micro_batches;
    r.cells = (size_t)r.devices * (size_t)r.chunks * r.micro_batches;
    prepare(&r);
    start(&r);
    while (r.queued > 0) {
        advance(&r, work->queue[--r.queued]);
    }
    code = bp_pipe_blocked(&pipe->shape, work, err);
    if (code != BP_OK) {
        return code;
    }
    *times = finish(&r, FIRST);
    if (fill) {
        try_others(&r, times);
    }
    for (d = 0; d < r.devices; d++) {
        add_up(&r, d);
    }
    return BP_OK;
}

#include "kernel/train/pipeline.h"

#include "kernel/registry.h"

#include <math.h>

/*
** Interleaved: micro-batches take turns in groups of at least p, so that the first of a group is
** back at device 0 when the last one has left it. Any m >= p has the bubble of a multiple of p, and
** pays in memory (see bp_interleaved_group). Below p every change of virtual stage waits for the
** p - m that are missing, in forward and in backward.
*/
static double interleaved_time(double p, double m, double v, double pair) {
    return ((p - 1) + (v - 1) * fmax(p - m, 0)) * pair / v;
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

/*
** Zero bubble: before the first gradient is back, after (p-1)(f + b-w), stage 0 can only do as many
** forwards as it may keep (`room`). Behind the last forwards its gradients come one every f + b-w, and
** each gap of f takes a W if it is long enough.
*/
static double zero_bubble_time(double p, double m, double f, double b, double w, double room) {
    return fmax(0, (p - 1) * (f + b - w) - (fmin(m, room) - 1) * fmin(f, w));
}

/*
** ZBV, first part: device 0 waits (p-1)f for its first forward to come back, and (p-1)(b-w) for its
** first gradient; forwards fill the one gap, all that is left fills the other. Second part: what
** 2(p-1) W do not fill, and what chunks of unequal f and b-w lose when they take turns; fitted to the
** simulation (tests/c/test_sim_pipeline.c), which the paper's (p-1)(f + b-3w) underrates for b-w != f.
*/
static double zbv_time(double p, double m, double f, double b, double w) {
    double out = (p - 1) * f - (fmin(m, 2 * p - 1) - 1) * f / 2;
    double back = (p - 1) * (b - w) - w / 2 - (m - 1) * (f + b) / 2;
    double turns = (p - 1) / 2 * (fmax(0, f + b - 3 * w) + fabs(b - w - f));
    return fmax(fmax(0, out) + fmax(0, back), turns);
}

double bp_bubble_time(enum bp_schedule schedule, double p, double m, double v, double f, double b,
                      double w) {
    if (p <= 1) {
        return 0;
    }
    switch (schedule) {
    case BP_SCHEDULE_1F1B:
        return interleaved_time(p, m, v, f + b);
    case BP_SCHEDULE_GPIPE:
        return (p - 1) * (f + b);
    case BP_SCHEDULE_ZB_H1:
        return zero_bubble_time(p, m, f, b, w, p);
    case BP_SCHEDULE_ZB_H2:
        return zero_bubble_time(p, m, f, b, w, 2 * p - 1);
    case BP_SCHEDULE_ZBV:
        return zbv_time(p, m, f, b, w);
    case BP_SCHEDULE_DUALPIPE:
        return fmax(0, (p / 2 - 1) * (f + 2 * b - 3 * w));
    case BP_SCHEDULE_DUALPIPE_V: /* as DualPipe over 2p half stages */
        return fmax(0, (p - 1) * (f + 2 * b - 3 * w) / 2);
    }
    return 0;
}

static double gpipe_step(int64_t stages, double m, const double *f, const double *b) {
    double slow_f = 0, slow_b = 0, sum = 0;
    int64_t i;
    for (i = 0; i < stages; i++) {
        slow_f = fmax(slow_f, f[i]);
        slow_b = fmax(slow_b, b[i]);
        sum += f[i] + b[i];
    }
    return (m - 1) * (slow_f + slow_b) + sum;
}

/*
** A stage of 1F1B is busy for m(f+b), and waits: for the first forward from before it and the last
** gradient on its way back (all times of the stages before it), for the first gradient from behind it,
** less the forwards it does meanwhile, and for the last one, less the backwards. Some stage determines
** the step.
*/
static double one_f_one_b_step(int64_t stages, double m, const double *f, const double *b) {
    double before = 0, behind = 0, longest = 0;
    int64_t i;
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

double bp_uneven_step(enum bp_schedule schedule, int64_t stages, int64_t micro_batches,
                      const double *forward, const double *backward) {
    if (schedule == BP_SCHEDULE_GPIPE) {
        return gpipe_step(stages, (double)micro_batches, forward, backward);
    }
    if (schedule == BP_SCHEDULE_1F1B && micro_batches >= stages) {
        return one_f_one_b_step(stages, (double)micro_batches, forward, backward);
    }
    return 0;
}

/* Interleaved: 2(p-i-1) + (v-1) groups' forwards of 1/v stage before the first backward, and its
** own. */
static double one_f_one_b(double p, double m, double v, double stage) {
    if (v <= 1) {
        return p - stage;
    }
    return (2 * (p - stage - 1) + (v - 1) * bp_interleaved_group(p, m) + 1) / v;
}

/* Whole micro-batches while there are, then as many that only wait for their W. */
static double with_parked(double m, double whole, double parked) {
    double first = fmin(m, whole);
    return first + fmin(m - first, parked) * BP_WEIGHT_SHARE;
}

static double kept(enum bp_schedule schedule, double p, double m, double v, double stage) {
    switch (schedule) {
    case BP_SCHEDULE_1F1B:
        return one_f_one_b(p, m, v, stage);
    case BP_SCHEDULE_GPIPE:
        return m;
    case BP_SCHEDULE_ZB_H1:
        return with_parked(m, p - stage, stage);
    case BP_SCHEDULE_ZB_H2:
        return with_parked(m, 2 * (p - stage) - 1, 2 * stage);
    case BP_SCHEDULE_ZBV:
        return p;
    case BP_SCHEDULE_DUALPIPE:
        return p + 1;
    case BP_SCHEDULE_DUALPIPE_V: /* 2p + 1 half stages */
        return p + 0.5;
    }
    return m;
}

double bp_in_flight(enum bp_schedule schedule, double p, double m, double v, double stage) {
    return p <= 1 ? 1 : fmin(m, kept(schedule, p, m, v, stage));
}

double bp_weight_copies(enum bp_schedule schedule) {
    return schedule == BP_SCHEDULE_DUALPIPE ? 2 : 1;
}

int bp_schedule_check(enum bp_schedule schedule, int64_t p, int64_t m, int64_t v,
                      struct bp_error *err) {
    const char *name = bp_schedule_names[schedule];
    if (v > 1 && schedule != BP_SCHEDULE_1F1B) {
        return bp_fail(err, BP_EDOMAIN, "vpp", "must be 1 under %s: only 1f1b is interleaved",
                       name);
    }
    if (schedule == BP_SCHEDULE_DUALPIPE && p > 1 && p % 2) {
        return bp_fail(err, BP_EDOMAIN, "stages", "must be even under %s, got %.0f", name,
                       (double)p);
    }
    if (schedule == BP_SCHEDULE_DUALPIPE && p > 1 && (m % 2 || m < 2 * p)) {
        return bp_fail(err, BP_EDOMAIN, "micro_batches",
                       "must be even and at least 2 * stages under %s, got %.0f", name, (double)m);
    }
    if (schedule == BP_SCHEDULE_DUALPIPE_V && p > 1 && m < 2 * p) {
        return bp_fail(err, BP_EDOMAIN, "micro_batches",
                       "must be at least 2 * stages under %s, got %.0f", name, (double)m);
    }
    return BP_OK;
}

static int check_stage(const struct bp_bubble_in *in, struct bp_error *err) {
    if (in->stage >= in->stages) {
        return bp_fail(err, BP_EDOMAIN, "stage", "must be below stages (%.0f), got %.0f",
                       (double)in->stages, (double)in->stage);
    }
    return bp_schedule_check((enum bp_schedule)in->schedule, in->stages, in->micro_batches, in->vpp,
                             err);
}

int bp_bubble(const struct bp_bubble_in *in, struct bp_bubble_out *out, struct bp_error *err) {
    enum bp_schedule schedule = (enum bp_schedule)in->schedule;
    double p = (double)in->stages, m = (double)in->micro_batches, v = (double)in->vpp;
    double backward = in->backward_s > 0 ? in->backward_s : 2 * in->forward_s;
    double weight = in->weight_s > 0 ? in->weight_s : backward / 2;
    double work = m * (in->forward_s + backward);
    int code = check_stage(in, err);
    if (code != BP_OK) {
        return code;
    }
    if (!(work > 0)) {
        return bp_fail(err, BP_EDOMAIN, "forward_s",
                       "must be above 0 s when backward_s is not given");
    }
    if (weight > backward) {
        return bp_fail(err, BP_EDOMAIN, "weight_s", "must be a part of backward_s (%g s), got %g",
                       backward, weight);
    }
    out->bubble_s = bp_bubble_time(schedule, p, m, v, in->forward_s, backward, weight);
    out->path_s = work + out->bubble_s;
    out->bubble_frac = out->bubble_s / out->path_s;
    out->ideal_ratio = out->bubble_s / work;
    out->in_flight = bp_in_flight(schedule, p, m, v, (double)in->stage);
    out->weight_copies = bp_weight_copies(schedule);
    out->group = v > 1 ? (int64_t)bp_interleaved_group(p, m) : in->micro_batches;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_bubble_in, BP_BUBBLE_IN_FIELDS, "bubble", "a pipeline of even stages");
BP_DEFINE_SCHEMA(bp_bubble_out, BP_BUBBLE_OUT_FIELDS, "bubble result",
                 "what its schedule wastes and keeps");
BP_DEFINE_KERNEL(
    bubble, "Idle time and micro-batches in flight of a pipeline schedule",
    "F forward_s, B backward_s, W weight_s, p stages, m micro_batches, v vpp: 1f1b and gpipe "
    "(p-1)(F+B); interleaved (p-1)(F+B)/v, plus (v-1)(p-m)(F+B)/v when m < p; zb_h1 and zb_h2 "
    "(p-1)(F+B-W) - (min(m,n)-1) min(F,W) with n = p and 2p-1, which is (p-1)(F+B-2W) and "
    "(p-1)(F+B-3W) for W <= F; zbv (p-1)/2 (max(0, F+B-3W) + |B-W-F|), more when m < 2p-1; "
    "dualpipe "
    "(p/2-1)(F+2B-3W); dualpipe_v (p-1)(F+2B-3W)/2; never below 0. in_flight on stage i: 1f1b p-i, "
    "interleaved (2(p-i-1) + (v-1)g + 1)/v in groups of g, gpipe m, zb_h1 up to p, "
    "zb_h2 up to 2p-1, zbv p, dualpipe p+1, dualpipe_v p+1/2; never more than m. bubble_frac = "
    "bubble/(work + bubble), ideal_ratio = bubble/work",
    "even stages, transfers hidden or counted elsewhere; m not a multiple of p under interleaving "
    "runs in larger groups, as few more as leave none below p, and costs memory instead of time; "
    "zero-bubble schedules need the "
    "optimizer step not to wait for all stages, and forward, input gradient and W of similar "
    "length",
    "GPipe arXiv:1811.06965; 1F1B and interleaving arXiv:2104.04473 section 2.2; zero bubble "
    "arXiv:2401.10241 sections 2 and 6; DualPipe arXiv:2412.19437 table 2; checked against the "
    "event "
    "simulation of core/sim, from which the terms for few micro-batches and unequal parts come");

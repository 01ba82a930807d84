#include "kernel/schedule/schedule.h"

#include <math.h>
#include <stddef.h>

BP_DEFINE_ENUM(bp_schedule, BP_SCHEDULE);
BP_DEFINE_ENUM(bp_pipe_layout, BP_PIPE_LAYOUT);

#define DECLARE(MEMBER, text, record) extern const struct bp_schedule_facts record;
#define POINT_TO(MEMBER, text, record) &record,

BP_SCHEDULE(DECLARE)

static const struct bp_schedule_facts *const all[] = {BP_SCHEDULE(POINT_TO)};

const struct bp_schedule_facts *bp_schedule_facts(enum bp_schedule schedule) {
    return all[schedule];
}

double bp_bubble_time(enum bp_schedule schedule, double p, double m, double v, double f, double b,
                      double w) {
    struct bp_even_pipe pipe = {p, m, v, f, b, w};
    return p <= 1 ? 0 : all[schedule]->bubble(&pipe);
}

double bp_uneven_step(enum bp_schedule schedule, int64_t stages, int64_t micro_batches,
                      const double *forward, const double *backward) {
    const struct bp_schedule_facts *facts = all[schedule];
    return facts->uneven ? facts->uneven(stages, (double)micro_batches, forward, backward) : 0;
}

double bp_schedule_group(enum bp_schedule schedule, double p, double m, double v) {
    const struct bp_schedule_facts *facts = all[schedule];
    return v > 1 && facts->group ? facts->group(p, m) : m;
}

double bp_in_flight(enum bp_schedule schedule, double p, double m, double v, double stage) {
    return p <= 1 ? 1 : fmin(m, all[schedule]->kept(p, m, v, stage));
}

enum bp_schedule_need bp_schedule_lacks(enum bp_schedule schedule, int64_t p, int64_t m,
                                        int64_t v) {
    const struct bp_schedule_facts *facts = all[schedule];
    if (v > 1 && facts->chunks > 0) {
        return BP_SCHEDULE_NEEDS_NO_VPP;
    }
    if (p == 1) {
        return BP_SCHEDULE_NEEDS_NOTHING;
    }
    if (v < facts->least_vpp) {
        return BP_SCHEDULE_NEEDS_VPP;
    }
    if (facts->even_stages && p % 2) {
        return BP_SCHEDULE_NEEDS_EVEN_STAGES;
    }
    if ((facts->even_micro_batches && m % 2) || m < facts->least_micro_batches * p) {
        return BP_SCHEDULE_NEEDS_MICRO_BATCHES;
    }
    return BP_SCHEDULE_NEEDS_NOTHING;
}

int bp_schedule_check(enum bp_schedule schedule, int64_t p, int64_t m, int64_t v,
                      struct bp_error *err) {
    const struct bp_schedule_facts *facts = all[schedule];
    const char *name = bp_schedule_names[schedule];
    switch (bp_schedule_lacks(schedule, p, m, v)) {
    case BP_SCHEDULE_NEEDS_NO_VPP:
        return bp_fail(err, BP_EDOMAIN, "vpp", "must be 1 under %s, which does not interleave",
                       name);
    case BP_SCHEDULE_NEEDS_VPP:
        return bp_fail(err, BP_EDOMAIN, "vpp", "must be at least %d under %s, got %lld",
                       facts->least_vpp, name, (long long)v);
    case BP_SCHEDULE_NEEDS_EVEN_STAGES:
        return bp_fail(err, BP_EDOMAIN, "stages", "must be even under %s, got %lld", name,
                       (long long)p);
    case BP_SCHEDULE_NEEDS_MICRO_BATCHES:
        return bp_fail(err, BP_EDOMAIN, "micro_batches",
                       "must be %sat least %d * stages under %s, got %lld",
                       facts->even_micro_batches ? "even and " : "", facts->least_micro_batches,
                       name, (long long)m);
    case BP_SCHEDULE_NEEDS_NOTHING:
        break;
    }
    return BP_OK;
}

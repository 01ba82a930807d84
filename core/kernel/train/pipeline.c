#include "kernel/train/pipeline.h"

#include "kernel/registry.h"

#include <math.h>

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
    out->weight_copies = bp_schedule_facts(schedule)->weight_copies;
    out->group = (int64_t)bp_schedule_group(schedule, p, m, v);
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_bubble_in, BP_BUBBLE_IN_FIELDS, "bubble", "a pipeline of even stages");
BP_DEFINE_SCHEMA(bp_bubble_out, BP_BUBBLE_OUT_FIELDS, "bubble result",
                 "what its schedule wastes and keeps");
BP_DEFINE_KERNEL(
    bubble, "Idle time and micro-batches in flight of a pipeline schedule",
    "path_s = m (f + b) + bubble; bubble_frac = bubble/path_s, ideal_ratio = bubble/(m (f + b)), with f "
    "forward_s, b backward_s, p stages, m micro_batches; bubble and in_flight have a form per "
    "schedule, which `ballpark explain 1f1b` says of 1f1b; in_flight is never more than m",
    "even stages, transfers hidden or counted elsewhere",
    "of each schedule, see ballpark explain; checked against the event simulation of core/sim, from "
    "which the terms for few micro-batches and unequal parts come");

#include "kernel/train/run.h"

#include "kernel/registry.h"

#include <math.h>

#define HOUR_S 3600.0

int bp_run(const struct bp_run_in *in, struct bp_run_out *out, struct bp_error *err) {
    (void)err;
    out->steps = ceil(in->tokens / in->batch_tokens);
    out->productive_s = out->steps * in->step_s;
    out->wall_s = out->productive_s * in->overhead_factor / in->goodput_frac;
    out->device_s = out->wall_s * (double)in->devices;
    out->tokens_per_s = in->tokens / out->wall_s;
    out->cost_usd = out->device_s / HOUR_S * in->price_usd_h;
    out->usd_per_tok = out->cost_usd / in->tokens;
    out->energy_j = out->device_s * in->power_w * in->pue;
    return BP_OK;
}

/* Money only buys whole multiples: round down; work needs them: round up. */
static double devices_of(const struct bp_budget_in *in, double *exact) {
    double unit = (double)in->multiple;
    if (in->devices > 0) {
        *exact = (double)in->devices;
        return *exact;
    }
    if (in->budget_usd > 0 && in->deadline_s > 0) {
        *exact = in->budget_usd / (in->price_usd_h * in->deadline_s / HOUR_S);
        return floor(*exact / unit) * unit;
    }
    *exact = in->flop / (in->peak_flop_s * in->mfu_frac * in->deadline_s);
    return ceil(*exact / unit) * unit;
}

/* Devices are held until the work is done, not until the deadline, where its speed is known. */
static double time_on(const struct bp_budget_in *in, double devices) {
    if (in->mfu_frac > 0) {
        return in->flop / (devices * in->peak_flop_s * in->mfu_frac);
    }
    if (in->deadline_s > 0) {
        return in->deadline_s;
    }
    return in->budget_usd / (devices * in->price_usd_h / HOUR_S);
}

static int check_budget(const struct bp_budget_in *in, struct bp_error *err) {
    int known =
        (in->budget_usd > 0) + (in->deadline_s > 0) + (in->mfu_frac > 0) + (in->devices > 0);
    if (known < 2) {
        return bp_fail(err, BP_EDOMAIN, "budget_usd",
                       "give two of budget_usd, deadline_s, mfu_frac and devices, got %d", known);
    }
    if (in->devices == 0 && !(in->deadline_s > 0)) {
        return bp_fail(err, BP_EDOMAIN, "devices",
                       "budget and MFU fix the device time, not how many devices share it: give "
                       "devices or deadline_s as well");
    }
    return BP_OK;
}

/* A share of 1e-9 forgives the rounding of quotients. */
static int is_within(double value, double most) {
    return value <= most * (1 + 1e-9);
}

int bp_budget(const struct bp_budget_in *in, struct bp_budget_out *out, struct bp_error *err) {
    int code = check_budget(in, err);
    if (code != BP_OK) {
        return code;
    }
    out->devices = devices_of(in, &out->devices_exact);
    if (!(out->devices > 0)) {
        return bp_fail(err, BP_EDOMAIN, "budget_usd",
                       "buys %.3g devices until the deadline, less than one multiple of %.0f",
                       out->devices_exact, (double)in->multiple);
    }
    out->deadline_s = time_on(in, out->devices);
    out->device_s = out->devices * out->deadline_s;
    out->cost_usd = out->device_s / HOUR_S * in->price_usd_h;
    out->mfu_frac = in->mfu_frac > 0 ? in->mfu_frac : in->flop / (out->device_s * in->peak_flop_s);
    out->feasible = is_within(out->mfu_frac, 1) &&
                    (in->deadline_s <= 0 || is_within(out->deadline_s, in->deadline_s)) &&
                    (in->budget_usd <= 0 || is_within(out->cost_usd, in->budget_usd));
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_run_in, BP_RUN_IN_FIELDS, "run", "a run of many steps");
BP_DEFINE_SCHEMA(bp_run_out, BP_RUN_OUT_FIELDS, "run result", "what the run takes");
BP_DEFINE_KERNEL(run, "Days, device-hours, cost and energy of a training run",
                 "steps = ceil(tokens / batch_tokens); wall_s = steps step_s overhead_factor / "
                 "goodput_frac; cost_usd = wall_s devices price_usd_h / 3600; energy_j = wall_s "
                 "devices power_w pue",
                 "all devices are held and draw power_w from start to end; overhead_factor is not "
                 "physics: restarts, checkpoints, evaluation and stalls belong into goodput_frac",
                 "arithmetic");

BP_DEFINE_SCHEMA(bp_budget_in, BP_BUDGET_IN_FIELDS, "budget",
                 "two of budget, deadline, efficiency and devices");
BP_DEFINE_SCHEMA(bp_budget_out, BP_BUDGET_OUT_FIELDS, "budget result", "the others");
BP_DEFINE_KERNEL(budget, "Two of budget, deadline, efficiency and devices give the others",
                 "devices deadline_s price_usd_h / 3600 = budget_usd; devices deadline_s "
                 "peak_flop_s mfu_frac = flop; devices bought are rounded down to the multiple, "
                 "devices needed are rounded up and held until the work is done",
                 "a third value given is checked, not used to solve: feasible says the outcome; "
                 "budget and MFU alone fix the device time only",
                 "arithmetic");

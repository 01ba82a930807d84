#include "kernel/train/goodput.h"

#include "kernel/registry.h"

#include <math.h>

#define DAY_S 86400.0

static double young(double checkpoint, double mtbf) {
    return sqrt(2 * checkpoint * mtbf);
}

/* Daly, "A higher order estimate of the optimum checkpoint interval", FGCS 22 (2006), eq. 37. */
static double daly(double checkpoint, double mtbf) {
    double x = checkpoint / (2 * mtbf);
    if (x >= 1) {
        return mtbf;
    }
    return young(checkpoint, mtbf) * (1 + sqrt(x) / 3 + x / 9) - checkpoint;
}

int bp_goodput(const struct bp_goodput_in *in, struct bp_goodput_out *out, struct bp_error *err) {
    double mtbf = in->device_mtbf_s / (double)in->devices;
    double best = young(in->checkpoint_s, mtbf);
    double interval = in->interval_s > 0 ? in->interval_s : best;
    double left;
    out->mtbf_s = mtbf;
    out->interruptions_per_day = DAY_S / mtbf;
    out->young_s = best;
    out->daly_s = daly(in->checkpoint_s, mtbf);
    out->interval_s = interval;
    out->checkpoint_frac = in->checkpoint_s > 0 ? in->checkpoint_s / interval : 0;
    out->rework_frac = interval / (2 * mtbf);
    out->restart_frac = in->restart_s / mtbf;
    left = 1 - out->checkpoint_frac - out->rework_frac - out->restart_frac - in->evaluation_frac -
           in->stall_frac;
    if (!(left > 0)) {
        return bp_fail(
            err, BP_EDOMAIN, "devices",
            "nothing is left of the time: saving takes %.3g, rework %.3g, restarts %.3g, "
            "evaluation %.3g, stalls %.3g of it, with an interruption every %.3g s",
            out->checkpoint_frac, out->rework_frac, out->restart_frac, in->evaluation_frac,
            in->stall_frac, mtbf);
    }
    out->goodput_frac = left;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_goodput_in, BP_GOODPUT_IN_FIELDS, "goodput",
                 "failures and checkpoints of a run");
BP_DEFINE_SCHEMA(bp_goodput_out, BP_GOODPUT_OUT_FIELDS, "goodput result",
                 "what is left of the time, and where the rest goes");
BP_DEFINE_KERNEL(goodput, "Share of a run that is progress",
                 "M = device_mtbf_s / devices; goodput_frac = 1 - checkpoint_s/interval_s - "
                 "interval_s/(2 M) - restart_s/M - evaluation_frac - stall_frac; young_s = "
                 "sqrt(2 checkpoint_s M); daly_s = young_s (1 + sqrt(x)/3 + x/9) - checkpoint_s, "
                 "x = checkpoint_s/(2 M)",
                 "first order: checkpoints and restarts short against M, one failure stops all "
                 "devices, failures at random and independent",
                 "Young, CACM 17 (1974); Daly, FGCS 22 (2006); failure rate: Llama 3, "
                 "arXiv:2407.21783 section 3.3.4");

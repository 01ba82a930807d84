#include "kernel/serve/infer_host.h"

#include "kernel/serve/infer_ranks.h"

#include <math.h>

/* Planning that does not overlap looks at every token that may come of a sequence. */
static double plan_s(const struct bp_infer_case *c, double sequences) {
    const struct bp_engine *e = &c->in.engine;
    return e->plan_s + e->plan_sequence_s * sequences * (1 + (double)c->in.plan.draft_tokens);
}

/*
** Host time of a step beside its launches. Where the batches of stages are not planned ahead, each of them waits for the
** tokens of the one before, and for a step of the host of its own.
*/
static double fixed_s(const struct bp_infer_case *c, double sequences) {
    const struct bp_engine *e = &c->in.engine;
    double stages = (double)c->in.plan.pp;
    int in_turn = stages > 1 && !e->stages_ahead;
    double batches = in_turn ? stages : 1, each = sequences / (double)c->in.plan.dp / batches;
    double plan = e->overlap && !in_turn ? 0 : plan_s(c, each);
    return batches * (e->step_s + plan + e->sequence_s * each);
}

/* Engines that capture pieces compile them first, unless they are told to capture none. */
double bp_infer_launches_apart(const struct bp_infer_case *c) {
    const struct bp_engine *e = &c->in.engine;
    return e->graph_pieces && e->graph_tokens > 0 ? c->compiled_launches : c->launches;
}

/* What the host launches in a step, 0 where all of it is one captured graph. */
static double launches_of(const struct bp_infer_case *c, double prompt_tokens, double sequences) {
    const struct bp_engine *e = &c->in.engine;
    double graphs = bp_infer_graph_tokens(c);
    if (prompt_tokens > 0 && !e->graph_prompts) {
        double tokens = prompt_tokens + bp_infer_verified(c, sequences);
        return e->graph_pieces && tokens <= graphs ? c->piece_launches : bp_infer_launches_apart(c);
    }
    if (sequences > graphs) {
        return bp_infer_launches_apart(c);
    }
    return e->graph_whole ? 0 : c->piece_launches;
}

/* What measured steps make of one: the curve of a calibration is of those that decode. */
double bp_infer_measured(const struct bp_infer_case *c, double sequences) {
    return sequences > 0 ? bp_calibrated_step(&c->in.engine.calibration, sequences) : 1;
}

/*
** A captured graph leaves a gap between kernels; without one the host launches them while the device
** works, and the slower of the two is seen.
*/
double bp_infer_host_of(const struct bp_infer_case *c, double device_s, double sequences,
                        double launches) {
    const struct bp_engine *e = &c->in.engine;
    double paced_s = e->slowdown * device_s, fixed = fixed_s(c, sequences);
    return bp_infer_measured(c, sequences) *
           (fixed + fmax(paced_s + e->kernel_s * c->kernels, e->eager_kernel_s * launches));
}

double bp_infer_host(const struct bp_infer_case *c, double device_s, double prompt_tokens,
                     double sequences) {
    return bp_infer_host_of(c, device_s, sequences, launches_of(c, prompt_tokens, sequences));
}

#include "objective.h"

#include <math.h>

BP_DEFINE_ENUM(bp_objective, BP_OBJECTIVE);
BP_DEFINE_SCHEMA(bp_worth, BP_WORTH_FIELDS, "worth", "price, energy and slack of an estimate");

/* ln(measured / estimated) is normal. */
static double chance_in_time(const struct bp_terms *terms, double run_s) {
    if (terms->time_spread <= 0) {
        return run_s <= terms->deadline_s ? 1 : 0;
    }
    return 0.5 * erfc(log(run_s / terms->deadline_s) / (terms->time_spread * sqrt(2.0)));
}

struct bp_worth bp_worth_of(const struct bp_train_case *site, const struct bp_terms *terms,
                            const struct bp_train_memory *memory, const struct bp_train_time *time,
                            double usd_h) {
    const struct bp_network *network = site->network;
    double devices = (double)network->devices;
    struct bp_worth worth = {0};
    worth.usd_h = usd_h;
    worth.step_usd = usd_h * devices * time->step_s / 3600;
    worth.tok_usd = worth.step_usd / ((double)site->job->global_batch * (double)site->job->seq_len);
    worth.step_j = site->device->tdp_w * terms->pue * devices * time->step_s;
    worth.headroom_bytes = memory->capacity_bytes - memory->total_bytes;
    worth.nodes = (network->devices + network->node_size - 1) / network->node_size;
    worth.deadline_probability = 0;
    if (terms->deadline_s > 0) {
        worth.deadline_probability =
            memory->fit_probability *
            chance_in_time(terms, site->job->tokens / time->tokens_per_s / terms->goodput_frac);
    }
    return worth;
}

double bp_objective_value(enum bp_objective objective, const struct bp_train_case *site,
                          const struct bp_train_memory *memory, const struct bp_train_time *time,
                          const struct bp_worth *worth) {
    switch (objective) {
    case BP_OBJECTIVE_STEP_S:
        return time->step_s;
    case BP_OBJECTIVE_TOKENS_PER_S:
        return time->tokens_per_s;
    case BP_OBJECTIVE_MFU_FRAC:
        return time->mfu_frac;
    case BP_OBJECTIVE_STEP_USD:
        return worth->step_usd;
    case BP_OBJECTIVE_TOK_USD:
        return worth->tok_usd;
    case BP_OBJECTIVE_STEP_J:
        return worth->step_j;
    case BP_OBJECTIVE_DEVICES:
        return (double)site->network->devices;
    case BP_OBJECTIVE_HEADROOM_BYTES:
        return (double)worth->headroom_bytes;
    case BP_OBJECTIVE_FIT_PROBABILITY:
        return memory->fit_probability;
    case BP_OBJECTIVE_DEADLINE_PROBABILITY:
        return worth->deadline_probability;
    }
    return 0;
}

double bp_objective_rank(enum bp_objective objective, double value) {
    switch (objective) {
    case BP_OBJECTIVE_TOKENS_PER_S:
    case BP_OBJECTIVE_MFU_FRAC:
    case BP_OBJECTIVE_HEADROOM_BYTES:
    case BP_OBJECTIVE_FIT_PROBABILITY:
    case BP_OBJECTIVE_DEADLINE_PROBABILITY:
        return -value;
    default:
        return value;
    }
}

int bp_objective_follows_time(enum bp_objective objective) {
    switch (objective) {
    case BP_OBJECTIVE_STEP_S:
    case BP_OBJECTIVE_TOKENS_PER_S:
    case BP_OBJECTIVE_STEP_USD:
    case BP_OBJECTIVE_TOK_USD:
    case BP_OBJECTIVE_STEP_J:
    case BP_OBJECTIVE_DEVICES:
        return 1;
    default:
        return 0;
    }
}

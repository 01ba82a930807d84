#include <math.h>

#include "kernel/count/adapters.h"
#include "kernel/time/optimizer_time.h"
#include "kernel/train/train_parts.h"

/*
** Parameters of the fullest end stage: what data-parallel traffic and the optimizer handle. layers: those of
** dense that are in layers.
*/
struct end_params {
    double dense, expert, layers;
};

static struct end_params beside_frozen(const struct bp_train_case *c) {
    double layers = bp_adapter_params(c, bp_stage_mix(c, c->plan->pp > 2 ? 1 : 0));
    struct bp_case_ends ends = bp_case_ends(c);
    double trained = bp_are_ends_frozen(c->plan) ? 0 : ends.embedding + ends.head;
    struct end_params h = {layers + trained, 0, 0};
    return h;
}

static struct end_params end_params(const struct bp_train_case *c) {
    struct bp_case_params p = bp_case_params(c);
    struct bp_case_ends ends = bp_case_ends(c);
    int64_t pp = c->plan->pp;
    double first = (double)bp_case_stage_layers(c, 0);
    double middle = (double)bp_case_stage_layers(c, pp > 2 ? 1 : 0);
    double last = (double)bp_case_stage_layers(c, pp - 1), mtp = (double)c->model->mtp_layers;
    double encoder = bp_encoder_share(c).trained;
    double first_dense = first * p.layer_dense + ends.embedding + encoder;
    double last_layers = last * p.layer_dense + mtp * p.mtp_dense;
    double last_dense = last_layers + ends.head;
    struct end_params h;
    h.layers = fmax(fmax(first, middle) * p.layer_dense, last_layers);
    h.dense = pp > 1 ? fmax(fmax(first_dense, last_dense), middle * p.layer_dense)
                     : last_dense + ends.embedding + encoder;
    h.expert =
        fmax(fmax(first, middle) * p.layer_expert, last * p.layer_expert + mtp * p.mtp_expert);
    return h;
}

static double optimizer_time(const struct bp_train_case *c, struct end_params params) {
    double shards = bp_case_shards(c->plan), expert_shards = bp_case_expert_shards(c->plan);
    double sharded = params.dense / shards + params.expert / expert_shards;
    double whole = params.dense + params.expert;
    double cleared =
        c->plan->zero == 3 || (c->plan->zero == 2 && c->plan->pp == 1) ? sharded : whole;
    if (c->plan->zero == 0) {
        shards = expert_shards = 1;
    }
    if (c->plan->offload != BP_OFFLOAD_NONE) { /* the host updates */
        return bp_optimizer_time(c, 0, cleared);
    }
    return bp_optimizer_time(c, params.dense / shards + params.expert / expert_shards, cleared) +
           bp_muon_time(c, params.layers / shards, params.expert / expert_shards);
}

struct bp_part_sync bp_part_sync(const struct bp_train_case *c) {
    struct end_params params = bp_is_frozen(c->plan) ? beside_frozen(c) : end_params(c);
    struct bp_part_sync sync = {{0, 0}, 0, 0};
    if (c->plan->zero != 3) { /* its traffic belongs to the layers */
        sync.data = bp_data_comm(c, params.dense, params.expert);
    }
    sync.replicas = bp_replica_comm(c, params.dense, params.expert);
    sync.optimizer_s = optimizer_time(c, params);
    return sync;
}

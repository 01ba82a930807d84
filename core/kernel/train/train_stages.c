#include "kernel/train/train_stages.h"

#include "kernel/train/train_parts.h"

BP_DEFINE_SCHEMA(bp_train_stage, BP_TRAIN_STAGE_FIELDS, "stage", "one stage of a pipeline");

static int fill(const struct bp_train_case *c, const struct bp_part_compute *compute,
                const struct bp_part_traffic *traffic, int64_t stage, struct bp_train_stage *out,
                struct bp_error *err) {
    const struct bp_activations of = bp_activations(c);
    struct bp_layer_mix mix = bp_stage_mix(c, stage);
    const struct bp_part_send send = bp_part_send(c);
    struct bp_stage_time t = bp_stage_time(c, compute, traffic, stage);
    out->layers = (int64_t)mix.layers;
    out->forward_s = t.f;
    out->backward_s = t.b;
    out->weight_s = t.weight;
    out->send_s = send.send_s;
    out->send_shown_s = bp_sends_shown(c, &send) / 2;
    out->micro_bytes = bp_activations_kept(c, &of, mix) * (1 - c->plan->offload_activations);
    return bp_stage_memory(c, stage, &out->memory, err);
}

int bp_train_stages(const struct bp_train_case *c, struct bp_train_stage *out,
                    struct bp_error *err) {
    const struct bp_part_compute compute = bp_part_compute(c);
    const struct bp_part_traffic traffic = bp_part_traffic(c);
    int64_t stage;
    for (stage = 0; stage < c->plan->pp; stage++) {
        int code = fill(c, &compute, &traffic, stage, &out[stage], err);
        if (code != BP_OK) {
            return code;
        }
    }
    return BP_OK;
}

#include "kernel/describe/plan_means.h"

#define AT(member) offsetof(struct bp_plan, member)

static int has_experts(const struct bp_model *m) {
    return m->ffn_layers > m->dense_layers;
}

/* Multi-token-prediction layers have experts where any layer has. */
static int has_dense_mlp(const struct bp_model *m) {
    return m->ffn_hidden > 0 && (m->dense_layers > 0 || (m->mtp_layers > 0 && !has_experts(m)));
}

static int has_shared_experts(const struct bp_model *m) {
    return has_experts(m) && m->shared_ffn > 0;
}

int bp_model_has_module(const struct bp_model *model, const struct bp_field *field) {
    switch (field->offset) {
    case AT(recompute_activation):
        return has_dense_mlp(model) || has_experts(model);
    case AT(recompute_up_proj):
        return model->kv_lora_rank > 0;
    case AT(recompute_mlp):
        return has_dense_mlp(model);
    case AT(recompute_moe):
        return has_experts(model);
    case AT(recompute_shared):
        return has_shared_experts(model);
    default:
        return 1;
    }
}

/* A module that is computed again has its activation function. */
static int has_other_activations(const struct bp_train_case *c) {
    const struct bp_plan *p = c->plan;
    return (has_dense_mlp(c->model) && !p->recompute_mlp) ||
           (has_experts(c->model) && !p->recompute_moe);
}

/* Of a module, or what is like one: whether something else has it computed again anyway. */
static int is_covered(const struct bp_train_case *c, const struct bp_field *field) {
    const struct bp_plan *p = c->plan;
    int of_all = p->recompute_share >= 1;
    if (of_all && p->recompute == BP_RECOMPUTE_FULL) {
        return 1;
    }
    switch (field->offset) {
    case AT(recompute_activation):
        return !has_other_activations(c);
    case AT(recompute_up_proj):
        return of_all && p->recompute == BP_RECOMPUTE_SELECTIVE && bp_case_remakes_heads(c);
    case AT(recompute_shared):
        return p->recompute_moe;
    default:
        return 0;
    }
}

int bp_selective_is_up_proj(const struct bp_train_case *c) {
    return bp_case_remakes_heads(c) && c->profile->selective_mlp <= 0;
}

static int is_up_proj_twice(const struct bp_train_case *c) {
    return c->plan->recompute == BP_RECOMPUTE_SELECTIVE && c->plan->recompute_up_proj &&
           bp_selective_is_up_proj(c);
}

static int has_replicas(const struct bp_train_case *c) {
    return bp_case_data_ranks(c->plan) > 1 ||
           (c->model->experts > 0 && bp_case_expert_data_ranks(c->plan) > 1);
}

static int is_quantized(const struct bp_plan *p) {
    return bp_case_dtype(p) > BP_DTYPE_BF16 && p->base_bits == 16;
}

int bp_plan_means(const struct bp_train_case *c, const struct bp_field *field) {
    const struct bp_plan *p = c->plan;
    switch (field->offset) {
    case AT(sequence_parallel):
    case AT(overlap_tp):
        return p->tp > 1;
    case AT(ep):
    case AT(etp):
        return c->model->experts > 0;
    case AT(overlap_ep):
        return p->ep * p->etp > 1;
    case AT(zero):
    case AT(overlap_dp):
        return has_replicas(c);
    case AT(shard):
        return p->zero > 0 && bp_case_data_ranks(p) > 1;
    case AT(vpp):
    case AT(schedule):
    case AT(rank_order):
        return p->pp > 1;
    case AT(split):
        return p->pp > 1 && !bp_plan_is_cut(p);
    case AT(master_bytes):
        return bp_case_element_bytes(p) <= 2;
    case AT(base_bits):
        return p->lora_rank > 0;
    case AT(quantized_params):
        return is_quantized(p);
    case AT(recompute_share):
        return p->recompute != BP_RECOMPUTE_NONE && !is_up_proj_twice(c);
    case AT(recompute_norms):
    case AT(recompute_activation):
    case AT(recompute_up_proj):
    case AT(recompute_mlp):
    case AT(recompute_moe):
    case AT(recompute_shared):
        return bp_model_has_module(c->model, field) && !is_covered(c, field);
    default:
        return 1;
    }
}

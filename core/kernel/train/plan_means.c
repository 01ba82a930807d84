#include "kernel/train/plan_means.h"

#include "kernel/count/adapters.h"

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
    switch ((enum bp_matters)field->matters) {
    case BP_MATTERS_ACTIVATION:
        return has_dense_mlp(model) || has_experts(model);
    case BP_MATTERS_UP_PROJ:
        return model->kv_lora_rank > 0;
    case BP_MATTERS_MLP:
        return has_dense_mlp(model);
    case BP_MATTERS_MOE:
        return has_experts(model);
    case BP_MATTERS_SHARED:
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
    switch ((enum bp_matters)field->matters) {
    case BP_MATTERS_ACTIVATION:
        return !has_other_activations(c);
    case BP_MATTERS_UP_PROJ:
        return of_all && p->recompute == BP_RECOMPUTE_SELECTIVE && bp_case_remakes_heads(c);
    case BP_MATTERS_SHARED:
        return p->recompute_moe;
    default:
        return 0;
    }
}

int bp_selective_is_up_proj(const struct bp_train_case *c) {
    return bp_case_remakes_heads(c) && bp_profile_selective_mlp(c->profile) <= 0;
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
    switch ((enum bp_matters)field->matters) {
    case BP_MATTERS_ALWAYS:
        return 1;
    case BP_MATTERS_TP:
        return p->tp > 1;
    case BP_MATTERS_PP:
        return p->pp > 1;
    case BP_MATTERS_EVEN_STAGES:
        return p->pp > 1 && !bp_plan_is_cut(p);
    case BP_MATTERS_EXPERTS:
        return c->model->experts > 0;
    case BP_MATTERS_EXPERT_RANKS:
        return p->ep * p->etp > 1;
    case BP_MATTERS_REPLICAS:
        return has_replicas(c);
    case BP_MATTERS_STATES:
        return has_replicas(c) || p->offload != BP_OFFLOAD_NONE;
    case BP_MATTERS_SHARDED:
        return p->zero > 0 && bp_case_data_ranks(p) > 1;
    case BP_MATTERS_NARROW_WEIGHTS:
        return bp_case_element_bytes(p) <= 2;
    case BP_MATTERS_ADAPTERS:
        return p->lora_rank > 0;
    case BP_MATTERS_FROZEN:
        return bp_is_frozen(p);
    case BP_MATTERS_NARROW_BASE:
        return p->base_bits < 16;
    case BP_MATTERS_LOW_PRECISION:
        return is_quantized(p);
    case BP_MATTERS_RECOMPUTED:
        return p->recompute != BP_RECOMPUTE_NONE && !is_up_proj_twice(c);
    case BP_MATTERS_NORMS:
    case BP_MATTERS_ACTIVATION:
    case BP_MATTERS_UP_PROJ:
    case BP_MATTERS_MLP:
    case BP_MATTERS_MOE:
    case BP_MATTERS_SHARED:
        return bp_model_has_module(c->model, field) && !is_covered(c, field);
    }
    return 1;
}

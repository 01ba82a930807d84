#include "kernel/describe/plan.h"

BP_DEFINE_ENUM(bp_recompute, BP_RECOMPUTE);
BP_DEFINE_ENUM(bp_precision, BP_PRECISION);
BP_DEFINE_ENUM(bp_optimizer, BP_OPTIMIZER);
BP_DEFINE_ENUM(bp_offload, BP_OFFLOAD);
BP_DEFINE_ENUM(bp_cross_entropy, BP_CROSS_ENTROPY);
BP_DEFINE_ENUM(bp_lora_targets, BP_LORA_TARGETS);
BP_DEFINE_ENUM(bp_base_format, BP_BASE_FORMAT);
BP_DEFINE_ENUM(bp_rank_order, BP_RANK_ORDER);
BP_DEFINE_ENUM(bp_split, BP_SPLIT);

BP_DEFINE_SCHEMA(bp_plan, BP_PLAN_FIELDS, "plan", "how a model is spread over devices");
BP_DEFINE_SCHEMA(bp_job, BP_JOB_FIELDS, "job", "what one training step processes");

void bp_plan_resolve(struct bp_plan *plan, const struct bp_network *network) {
    int64_t rest = plan->tp * plan->pp * plan->cp;
    if (plan->dp == 0 && rest > 0 && network->devices % rest == 0) {
        plan->dp = network->devices / rest;
    }
    if (plan->shard == 0) {
        plan->shard = plan->dp * plan->cp;
    }
}

/* The product is taken in double: four large axes do not fit an int64. */
static enum bp_reject check_devices(const struct bp_network *network, const struct bp_plan *plan,
                                    struct bp_error *err) {
    double used = (double)plan->tp * (double)plan->pp * (double)plan->cp * (double)plan->dp;
    if (plan->dp == 0) {
        bp_fail(err, BP_EPLAN, "plan.tp",
                "tp %lld * pp %lld * cp %lld does not divide %lld devices", (long long)plan->tp,
                (long long)plan->pp, (long long)plan->cp, (long long)network->devices);
        return BP_REJECT_DEVICES;
    }
    if (used != (double)network->devices) {
        bp_fail(err, BP_EPLAN, "plan.dp",
                "tp %lld * pp %lld * cp %lld * dp %lld = %.0f devices, the cluster has %lld",
                (long long)plan->tp, (long long)plan->pp, (long long)plan->cp, (long long)plan->dp,
                used, (long long)network->devices);
        return BP_REJECT_DEVICES;
    }
    return BP_REJECT_NONE;
}

/* Key/value heads are replicated where there are fewer than tensor-parallel ranks. */
static enum bp_reject check_heads(const struct bp_model *model, const struct bp_plan *plan,
                                  struct bp_error *err) {
    if (model->heads % plan->tp != 0) {
        bp_fail(err, BP_EPLAN, "plan.tp", "%lld does not divide %lld attention heads",
                (long long)plan->tp, (long long)model->heads);
        return BP_REJECT_HEADS;
    }
    if (model->kv_heads % plan->tp != 0 && plan->tp % model->kv_heads != 0) {
        bp_fail(err, BP_EPLAN, "plan.tp", "%lld and %lld key/value heads do not divide each other",
                (long long)plan->tp, (long long)model->kv_heads);
        return BP_REJECT_HEADS;
    }
    return BP_REJECT_NONE;
}

/* A stage that runs several chunks has as many layers in each. */
static int is_whole_chunks(const struct bp_plan *plan, int64_t layers) {
    return layers % plan->vpp == 0;
}

/* Megatron-LM cuts so with --decoder-first- and --decoder-last-pipeline-num-layers. */
static enum bp_reject check_cut(const struct bp_model *model, const struct bp_plan *plan,
                                struct bp_error *err) {
    const char *field = plan->first_layers > 0 ? "plan.first_layers" : "plan.last_layers";
    int64_t rest = model->layers - plan->first_layers - plan->last_layers;
    int64_t stages = plan->pp - (plan->first_layers > 0) - (plan->last_layers > 0);
    if (plan->pp == 1) {
        bp_fail(err, BP_EPLAN, field, "cuts a pipeline, and pp is 1");
        return BP_REJECT_LAYERS;
    }
    if (stages == 0 ? rest != 0 : rest < stages || rest % stages != 0) {
        bp_fail(err, BP_EPLAN, field, "leaves %lld of %lld layers to %lld stages of equal layers",
                (long long)rest, (long long)model->layers, (long long)stages);
        return BP_REJECT_LAYERS;
    }
    if (!is_whole_chunks(plan, plan->first_layers) || !is_whole_chunks(plan, plan->last_layers) ||
        !is_whole_chunks(plan, stages > 0 ? rest / stages : 0)) {
        bp_fail(err, BP_EPLAN, field, "makes stages that vpp %lld does not divide",
                (long long)plan->vpp);
        return BP_REJECT_LAYERS;
    }
    return BP_REJECT_NONE;
}

/* Embedding and head may stand in for a layer each (126 layers as 128 slots). */
static enum bp_reject check_layers(const struct bp_model *model, const struct bp_plan *plan,
                                   struct bp_error *err) {
    int64_t chunks = plan->pp * plan->vpp;
    if (plan->vpp > 1 && plan->pp == 1) {
        bp_fail(err, BP_EPLAN, "plan.vpp", "virtual stages need a pipeline, and pp is 1");
        return BP_REJECT_LAYERS;
    }
    if (chunks > model->layers + 2) {
        bp_fail(err, BP_EPLAN, plan->vpp > 1 ? "plan.vpp" : "plan.pp",
                "pp %lld * vpp %lld = %lld chunks, more than %lld layers", (long long)plan->pp,
                (long long)plan->vpp, (long long)chunks, (long long)model->layers);
        return BP_REJECT_LAYERS;
    }
    return bp_plan_is_cut(plan) ? check_cut(model, plan, err) : BP_REJECT_NONE;
}

/* Zigzag context parallelism cuts a sequence into two chunks per rank. */
static enum bp_reject check_sequence(const struct bp_plan *plan, const struct bp_job *job,
                                     struct bp_error *err) {
    int64_t cut = plan->cp > 1 ? 2 * plan->cp : 1;
    if (plan->sequence_parallel && plan->tp > 1 && job->seq_len % plan->cp == 0 &&
        (job->seq_len / plan->cp) < plan->tp) {
        cut = job->seq_len + 1;
    }
    if (job->seq_len % cut != 0) {
        bp_fail(err, BP_EPLAN, "plan.cp",
                "cp %lld (tp %lld) does not cut a sequence of %lld tokens", (long long)plan->cp,
                (long long)plan->tp, (long long)job->seq_len);
        return BP_REJECT_SEQUENCE;
    }
    return BP_REJECT_NONE;
}

static enum bp_reject check_expert_ranks(const struct bp_model *model, const struct bp_plan *plan,
                                         struct bp_error *err) {
    int64_t ranks = plan->tp * plan->cp * plan->dp;
    if (model->experts % plan->ep != 0) {
        bp_fail(err, BP_EPLAN, "plan.ep", "%lld does not divide %lld experts", (long long)plan->ep,
                (long long)model->experts);
        return BP_REJECT_EXPERTS;
    }
    if (ranks % (plan->ep * plan->etp) != 0) {
        bp_fail(err, BP_EPLAN, "plan.ep",
                "ep %lld * etp %lld does not divide %lld ranks of a stage", (long long)plan->ep,
                (long long)plan->etp, (long long)ranks);
        return BP_REJECT_EXPERTS;
    }
    return BP_REJECT_NONE;
}

static enum bp_reject check_experts(const struct bp_model *model, const struct bp_plan *plan,
                                    struct bp_error *err) {
    if (model->experts > 0) {
        return check_expert_ranks(model, plan, err);
    }
    if (plan->ep > 1 || plan->etp > 1) {
        bp_fail(err, BP_EPLAN, plan->ep > 1 ? "plan.ep" : "plan.etp",
                "expert parallelism, but the model has no experts");
        return BP_REJECT_EXPERTS;
    }
    return BP_REJECT_NONE;
}

static enum bp_reject check_sharding(const struct bp_plan *plan, struct bp_error *err) {
    if ((plan->dp * plan->cp) % plan->shard != 0) {
        bp_fail(err, BP_EPLAN, "plan.shard", "%lld does not divide dp * cp = %lld",
                (long long)plan->shard, (long long)(plan->dp * plan->cp));
        return BP_REJECT_SHARDING;
    }
    return BP_REJECT_NONE;
}

static enum bp_reject check_batch(const struct bp_plan *plan, const struct bp_job *job,
                                  struct bp_error *err) {
    int64_t wave = plan->dp * plan->micro_batch;
    if (job->global_batch % wave != 0) {
        bp_fail(err, BP_EPLAN, "plan.micro_batch",
                "dp %lld * micro_batch %lld = %lld does not divide the global batch %lld",
                (long long)plan->dp, (long long)plan->micro_batch, (long long)wave,
                (long long)job->global_batch);
        return BP_REJECT_BATCH;
    }
    if (plan->update_in_backward && job->global_batch != wave) {
        bp_fail(err, BP_EPLAN, "plan.update_in_backward",
                "keeps no gradients that could add up over %lld micro-batches",
                (long long)(job->global_batch / wave));
        return BP_REJECT_BATCH;
    }
    return BP_REJECT_NONE;
}

/*
** Expert traffic runs under the compute of another micro-batch. In a pipeline two are at work on a device where
** stages are interleaved, as Megatron Core asks for (overlap_moe_expert_parallel_comm, recalled), or under
** DualPipe.
*/
static enum bp_reject check_expert_overlap(const struct bp_plan *plan, struct bp_error *err) {
    int both_at_work = plan->vpp > 1 || bp_schedule_facts((enum bp_schedule)plan->schedule)->pairs;
    if (plan->overlap_ep && plan->ep > 1 && plan->pp > 1 && !both_at_work) {
        bp_fail(err, BP_EPLAN, "plan.overlap_ep",
                "needs vpp above 1 in a pipeline of %lld stages, or DualPipe", (long long)plan->pp);
        return BP_REJECT_SCHEDULE;
    }
    return BP_REJECT_NONE;
}

static enum bp_reject check_schedule(const struct bp_plan *plan, const struct bp_job *job,
                                     struct bp_error *err) {
    enum bp_schedule schedule = (enum bp_schedule)plan->schedule;
    const struct bp_schedule_facts *facts = bp_schedule_facts(schedule);
    const char *name = bp_schedule_names[schedule];
    int64_t micro_batches = job->global_batch / (plan->dp * plan->micro_batch);
    switch (bp_schedule_lacks(schedule, plan->pp, micro_batches, plan->vpp)) {
    case BP_SCHEDULE_NEEDS_NO_VPP:
        bp_fail(err, BP_EPLAN, "plan.vpp", "must be 1 under %s, which does not interleave", name);
        return BP_REJECT_SCHEDULE;
    case BP_SCHEDULE_NEEDS_VPP:
        bp_fail(err, BP_EPLAN, "plan.vpp", "must be at least %d under %s, got %lld",
                facts->least_vpp, name, (long long)plan->vpp);
        return BP_REJECT_SCHEDULE;
    case BP_SCHEDULE_NEEDS_EVEN_STAGES:
        bp_fail(err, BP_EPLAN, "plan.pp", "%s needs an even number of stages, got %lld", name,
                (long long)plan->pp);
        return BP_REJECT_SCHEDULE;
    case BP_SCHEDULE_NEEDS_MICRO_BATCHES:
        bp_fail(err, BP_EPLAN, "plan.schedule",
                "%s needs %s micro-batches, at least %d * pp = %lld, got %lld", name,
                facts->even_micro_batches ? "an even number of" : "more",
                facts->least_micro_batches, (long long)(facts->least_micro_batches * plan->pp),
                (long long)micro_batches);
        return BP_REJECT_SCHEDULE;
    case BP_SCHEDULE_NEEDS_NOTHING:
        break;
    }
    return check_expert_overlap(plan, err);
}

static enum bp_reject check_states(const struct bp_plan *plan, struct bp_error *err) {
    if (plan->master_bytes != 0 && plan->master_bytes != 2 && plan->master_bytes != 4) {
        bp_fail(err, BP_EPLAN, "plan.master_bytes", "must be 0, 2 or 4, got %lld",
                (long long)plan->master_bytes);
        return BP_REJECT_PRECISION;
    }
    if (plan->base_bits != 16 && plan->base_bits != 8 && plan->base_bits > 4) {
        bp_fail(err, BP_EPLAN, "plan.base_bits", "must be 16, 8, 4, 3 or 2, got %lld",
                (long long)plan->base_bits);
        return BP_REJECT_PRECISION;
    }
    if (plan->base_bits != 16 && plan->lora_rank == 0) {
        bp_fail(err, BP_EPLAN, "plan.base_bits", "%lld bits need adapters: lora_rank is 0",
                (long long)plan->base_bits);
        return BP_REJECT_PRECISION;
    }
    if (plan->trained_layers > 0 && plan->lora_rank > 0) {
        bp_fail(err, BP_EPLAN, "plan.trained_layers",
                "not together with adapters: lora_rank is %lld", (long long)plan->lora_rank);
        return BP_REJECT_PRECISION;
    }
    return BP_REJECT_NONE;
}

enum bp_reject bp_plan_check(const struct bp_model *model, const struct bp_network *network,
                             const struct bp_plan *plan, const struct bp_job *job,
                             struct bp_error *err) {
    enum bp_reject r = check_devices(network, plan, err);
    r = r ? r : check_heads(model, plan, err);
    r = r ? r : check_layers(model, plan, err);
    r = r ? r : check_sequence(plan, job, err);
    r = r ? r : check_experts(model, plan, err);
    r = r ? r : check_sharding(plan, err);
    r = r ? r : check_batch(plan, job, err);
    r = r ? r : check_schedule(plan, job, err);
    r = r ? r : check_states(plan, err);
    return r;
}

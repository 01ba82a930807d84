#include "launch.h"

/* Plans nearer than this are as good as each other: what is odd costs a plan its place among them. */
#define ODD 0.01

/* What a few per cent of published runs do takes a plan to be this much faster: twice as much (assumption). */
#define SELDOM 0.02

/* What nobody was seen to run takes a plan to be this much faster: half of what such estimates are off by (assumption). */
#define UNSEEN 0.05

int bp_launches_zero(const struct bp_profile *profile, int64_t zero) {
    switch ((enum bp_zero_stages)profile->zero_stages) {
    case BP_ZERO_STAGES_ALL:
        return 1;
    case BP_ZERO_STAGES_FSDP:
        return zero != 1;
    case BP_ZERO_STAGES_WEIGHTS:
        return zero == 0 || zero == 3;
    case BP_ZERO_STAGES_OPTIMIZER:
        return zero <= 1;
    }
    return 1;
}

enum bp_reject bp_launch_check(const struct bp_profile *profile, const struct bp_plan *plan,
                               struct bp_error *err) {
    if (plan->pp > 1 && profile->pipelines == BP_PIPELINES_NONE) {
        bp_fail(err, BP_EPLAN, "plan.pp", "the software has no pipelines");
        return BP_REJECT_SCHEDULE;
    }
    if (plan->vpp > 1 && !profile->interleaves) {
        bp_fail(err, BP_EPLAN, "plan.vpp", "the software does not interleave stages");
        return BP_REJECT_SCHEDULE;
    }
    if (plan->cp > 1 && !profile->cuts_context) {
        bp_fail(err, BP_EPLAN, "plan.cp", "the software has no context parallelism");
        return BP_REJECT_SCHEDULE;
    }
    if (!bp_launches_zero(profile, plan->zero)) {
        bp_fail(err, BP_EPLAN, "plan.zero", "the software has no ZeRO %lld", (long long)plan->zero);
        return BP_REJECT_SCHEDULE;
    }
    if (plan->pp > 1 && plan->zero > profile->pipeline_zero) {
        bp_fail(err, BP_EPLAN, "plan.zero", "the software has stages up to ZeRO %lld, got %lld",
                (long long)profile->pipeline_zero, (long long)plan->zero);
        return BP_REJECT_SCHEDULE;
    }
    return BP_REJECT_NONE;
}

/* Megatron cuts layers evenly, with embedding and head for one more each where it is told so. */
static int is_uneven(const struct bp_model *model, const struct bp_plan *plan) {
    int64_t chunks = plan->pp * plan->vpp;
    return plan->pp > 1 && model->layers % chunks != 0 && (model->layers + 1) % chunks != 0 &&
           (model->layers + 2) % chunks != 0;
}

/* Chunks per stage, by the number of stages, of which published runs have no more (12 on 2 stages of Llama 3.1 on H100,
** DGX Cloud benchmarking). */
#define MOST_CHUNKS 6

/* Micro-batches that do not fill the stages in rounds, or more chunks of a stage than anybody cuts for so few stages. */
static int is_oddly_interleaved(const struct bp_plan *plan, int64_t count) {
    return plan->pp > 1 && plan->vpp > 1 &&
           (count % plan->pp != 0 || plan->vpp > MOST_CHUNKS * plan->pp);
}

/* The handicaps of several add up. */
void bp_launch_unusual(const struct bp_train_case *site, const struct bp_plan *plan,
                       struct bp_worth *worth) {
    const struct bp_profile *profile = site->profile;
    int64_t seq_len = site->job->seq_len;
    int64_t count = site->job->global_batch / (plan->dp * plan->micro_batch);
    worth->uneven_stages = is_uneven(site->model, plan);
    worth->odd_interleaving = is_oddly_interleaved(plan, count);
    worth->deep_pipeline = plan->pp > profile->usual_stages;
    worth->short_context = plan->cp > 1 && (seq_len < profile->seen_cut_tok ||
                                            seq_len / plan->cp < profile->seen_part_tok);
    worth->rare_pipeline = plan->pp > 1 && (profile->pipelines == BP_PIPELINES_RARE ||
                                            plan->zero > profile->seen_pipeline_zero);
    worth->wide_tensors = plan->tp > site->network->domain;
    worth->rare_sharding = plan->pp == 1 && plan->zero > 0 && plan->zero == profile->unseen_zero;
    worth->handicap =
        ODD * (double)(worth->uneven_stages + worth->odd_interleaving) +
        SELDOM * (double)(worth->deep_pipeline + worth->wide_tensors) +
        UNSEEN * (double)(worth->short_context + worth->rare_pipeline + worth->rare_sharding);
}

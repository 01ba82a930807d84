#include "launch.h"

#include <stddef.h>
#include <string.h>

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

/* Interleaving of fewer micro-batches than stages can be estimated, but Megatron Core refuses it. */
static int lacks_micro_batches(const struct bp_train_case *site, const struct bp_plan *plan,
                               struct bp_error *err) {
    int64_t micro_batches = site->job->global_batch / (plan->dp * plan->micro_batch);
    if (plan->vpp == 1 || micro_batches >= plan->pp) {
        return 0;
    }
    bp_fail(err, BP_EPLAN, "plan.vpp",
            "interleaved stages take at least as many micro-batches as pp: %lld for pp %lld",
            (long long)micro_batches, (long long)plan->pp);
    return 1;
}

/* lacks, with what is missing as the error's text where it is so. */
static int missing(int lacks, const char *path, const char *text, struct bp_error *err) {
    if (lacks) {
        bp_fail(err, BP_EPLAN, path, "%s", text);
    }
    return lacks;
}

static int lacks_pipelines(const struct bp_train_case *site, const struct bp_plan *plan,
                           struct bp_error *err) {
    return missing(plan->pp > 1 && site->profile->pipelines == BP_PIPELINES_NONE, "plan.pp",
                   "the software has no pipelines", err);
}

static int lacks_interleaving(const struct bp_train_case *site, const struct bp_plan *plan,
                              struct bp_error *err) {
    return missing(plan->vpp > 1 && !site->profile->interleaves, "plan.vpp",
                   "the software does not interleave stages", err);
}

static int lacks_context(const struct bp_train_case *site, const struct bp_plan *plan,
                         struct bp_error *err) {
    return missing(plan->cp > 1 && !site->profile->cuts_context, "plan.cp",
                   "the software has no context parallelism", err);
}

static int lacks_zero(const struct bp_train_case *site, const struct bp_plan *plan,
                      struct bp_error *err) {
    if (bp_launches_zero(site->profile, plan->zero)) {
        return 0;
    }
    bp_fail(err, BP_EPLAN, "plan.zero", "the software has no ZeRO %lld", (long long)plan->zero);
    return 1;
}

static int lacks_pipeline_zero(const struct bp_train_case *site, const struct bp_plan *plan,
                               struct bp_error *err) {
    if (plan->pp == 1 || plan->zero <= site->profile->pipeline_zero) {
        return 0;
    }
    bp_fail(err, BP_EPLAN, "plan.zero", "the software has stages up to ZeRO %lld, got %lld",
            (long long)site->profile->pipeline_zero, (long long)plan->zero);
    return 1;
}

#define AT(member) offsetof(struct bp_plan, member)

/* What is refused, and the number of the plan that it is said of. */
static const struct {
    int (*refuses)(const struct bp_train_case *site, const struct bp_plan *plan,
                   struct bp_error *err);
    size_t field;
} checks[BP_LAUNCH_CHECKS] = {
    {lacks_micro_batches, AT(vpp)}, {lacks_pipelines, AT(pp)}, {lacks_interleaving, AT(vpp)},
    {lacks_context, AT(cp)},        {lacks_zero, AT(zero)},    {lacks_pipeline_zero, AT(zero)},
};

int bp_launch_refuses(int check, const struct bp_train_case *site, const struct bp_plan *plan,
                      struct bp_error *err) {
    return checks[check].refuses(site, plan, err);
}

static int have_same(const struct bp_plan *a, const struct bp_plan *b, size_t field) {
    return memcmp((const char *)a + field, (const char *)b + field, sizeof(int64_t)) == 0;
}

/* Whether a plan is refused for nothing that a plan which runs has not got as well. */
static int is_launched(int check, const struct bp_train_case *site, const struct bp_plan *plan,
                       const struct bp_plan *launched) {
    return launched && have_same(plan, launched, checks[check].field) &&
           checks[check].refuses(site, launched, NULL);
}

enum bp_reject bp_launch_check(const struct bp_train_case *site, const struct bp_plan *plan,
                               const struct bp_plan *launched, struct bp_error *err) {
    int i;
    for (i = 0; i < BP_LAUNCH_CHECKS; i++) {
        if (!is_launched(i, site, plan, launched) && checks[i].refuses(site, plan, err)) {
            return BP_REJECT_SCHEDULE;
        }
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

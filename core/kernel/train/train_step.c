#include "kernel/train/train_step.h"

#include "kernel/registry.h"

BP_DEFINE_ENUM(bp_bound, BP_BOUND);

BP_DEFINE_SCHEMA(bp_train_memory, BP_TRAIN_MEMORY_FIELDS, "memory",
                 "memory of the fullest stage, per device");
BP_DEFINE_SCHEMA(bp_train_time, BP_TRAIN_TIME_FIELDS, "time", "time of one step by part");
BP_DEFINE_SCHEMA(bp_train_step_in, BP_TRAIN_STEP_IN_FIELDS, "train_step",
                 "model, device, network, plan, job and class of software");
BP_DEFINE_SCHEMA(bp_train_step_out, BP_TRAIN_STEP_OUT_FIELDS, "train_step result",
                 "memory and time of one training step");

/* A network that some group of the plan needs has to have bandwidth. */
static int check_links(const struct bp_train_case *c, struct bp_error *err) {
    const struct bp_network *net = c->network;
    if (net->devices > 1 && net->domain > 1 && net->scaleup.bw_bytes_s <= 0) {
        return bp_fail(err, BP_EDOMAIN, "network.scaleup.bw_bytes_s",
                       "is 0, but %lld devices share a domain", (long long)net->domain);
    }
    if (net->devices > net->domain && net->scaleout.bw_bytes_s <= 0) {
        return bp_fail(err, BP_EDOMAIN, "network.scaleout.bw_bytes_s",
                       "is 0, but %lld devices exceed one domain of %lld", (long long)net->devices,
                       (long long)net->domain);
    }
    return BP_OK;
}

/* Images take places of a sequence. */
static int check_images(const struct bp_train_case *c, struct bp_error *err) {
    double tok = c->model->images * (double)c->model->image_tok;
    if (tok > (double)c->job->seq_len) {
        return bp_fail(err, BP_EDOMAIN, "model.images",
                       "%.15g images of %lld tokens are more than a sequence of %lld",
                       c->model->images, (long long)c->model->image_tok,
                       (long long)c->job->seq_len);
    }
    return BP_OK;
}

int bp_train_prepare(const struct bp_train_case *c, struct bp_error *err) {
    if (!bp_case_has_units(c->device, c->plan)) {
        return bp_fail(err, BP_EDOMAIN, "plan.precision", "the device has no %s arithmetic",
                       bp_precision_names[c->plan->precision]);
    }
    return c->model->images > 0 && check_images(c, err) != BP_OK ? BP_EDOMAIN : check_links(c, err);
}

int bp_train_resolve(const struct bp_train_step_in *in, struct bp_train_resolved *r,
                     struct bp_train_case *c, struct bp_error *err) {
    const struct bp_ready_model *m = &r->ready;
    const struct bp_train_case site = {&m->model, &m->params,   &in->device, &r->network, &r->plan,
                                       &in->job,  &in->profile, &m->layers,  NULL};
    int code = bp_model_ready(&in->model, &r->ready, err);
    if (code != BP_OK) {
        return code;
    }
    r->plan = in->plan;
    r->network = bp_profile_network(&in->profile, &in->network);
    bp_plan_resolve(&r->plan, &r->network);
    if (bp_plan_check(&m->model, &r->network, &r->plan, &in->job, err) != BP_REJECT_NONE) {
        return BP_EPLAN;
    }
    *c = site;
    return bp_train_prepare(c, err);
}

int bp_train_step_of(const struct bp_train_case *c, struct bp_train_step_out *out,
                     struct bp_error *err) {
    int code = bp_train_memory(c, &out->memory, err);
    code = code ? code : bp_train_time(c, &out->time, err);
    if (code != BP_OK) {
        return code;
    }
    out->plan = *c->plan;
    out->fits = bp_memory_over(&out->memory, out->memory.capacity_bytes) <= 0;
    if (!out->fits) {
        out->time.bound = BP_BOUND_MEMORY;
    }
    return BP_OK;
}

int bp_train_step(const struct bp_train_step_in *in, struct bp_train_step_out *out,
                  struct bp_error *err) {
    struct bp_train_resolved resolved;
    struct bp_train_case c;
    int code = bp_train_resolve(in, &resolved, &c, err);
    return code ? code : bp_train_step_of(&c, out, err);
}

BP_DEFINE_KERNEL(
    train_step, "Memory, time and bound of one training step",
    "step_s = micro_batches (forward + backward of the slowest stage) + bubble + exposed "
    "data-parallel traffic + optimizer + offloading + stragglers; memory = states + kept "
    "activations of the micro-batches in flight + logits + overhead, on the fullest stage",
    "layers of different kind are averaged; stages differ by at most one layer unless the plan "
    "cuts them otherwise, the last by what its multi-token-prediction layers weigh; an optimizer "
    "counts as traffic, Muon's matmuls are left out, as are dropout and other balancing by hand",
    "arXiv:2104.04473, arXiv:2205.05198, arXiv:1910.02054; coefficients as `ballpark catalog "
    "profiles` says");

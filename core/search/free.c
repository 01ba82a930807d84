#include "free.h"

#include "space.h"

struct values {
    double *at;
    size_t max, count; /* count goes on beyond max, so that the caller sees it */
};

struct site {
    const struct bp_model *model;
    const struct bp_network *network;
    const struct bp_job *job;
};

static void add(struct values *v, double value) {
    if (v->count < v->max) {
        v->at[v->count] = value;
    }
    v->count++;
}

/* Divisors of n up to limit, ascending: the small ones, then their counterparts. */
static void add_divisors(struct values *v, int64_t n, int64_t limit) {
    int64_t d, root = 0;
    for (d = 1; d <= n / d; d++) {
        root = d;
        if (n % d == 0 && d <= limit) {
            add(v, (double)d);
        }
    }
    for (d = root; d >= 1; d--) {
        int64_t other = n / d;
        if (n % d == 0 && other != d && other <= limit) {
            add(v, (double)other);
        }
    }
}

/* Divisors of n that also divide whole. */
static void add_common_divisors(struct values *v, int64_t n, int64_t whole) {
    while (whole != 0) {
        int64_t rest = n % whole;
        n = whole;
        whole = rest;
    }
    add_divisors(v, n, n);
}

static void tensor(struct values *v, const struct site *site) {
    add_common_divisors(v, site->network->devices, site->model->heads);
}

static void pipeline(struct values *v, const struct site *site) {
    add_divisors(v, site->network->devices, site->model->layers + 2);
}

static void interleave(struct values *v, const struct site *site) {
    int64_t layers = site->model->layers, d;
    for (d = 1; d <= layers + 2; d++) {
        if (layers % d == 0 || (layers + 2) % d == 0) {
            add(v, (double)d);
        }
    }
}

/* Of an end stage; none is given up for 0, which leaves it to split. */
static void end_stage(struct values *v, const struct site *site) {
    int64_t layers;
    for (layers = 0; layers < site->model->layers; layers++) {
        add(v, (double)layers);
    }
}

static void any_width(struct values *v, const struct site *site) {
    add_divisors(v, site->network->devices, site->network->devices);
}

static void context(struct values *v, const struct site *site) {
    add_common_divisors(v, site->network->devices, site->job->seq_len);
}

static void expert(struct values *v, const struct site *site) {
    add_common_divisors(v, site->network->devices,
                        site->model->experts > 0 ? site->model->experts : 1);
}

static void expert_tensor(struct values *v, const struct site *site) {
    if (site->model->experts > 0) {
        tensor(v, site);
    } else {
        add(v, 1);
    }
}

static void micro_batch(struct values *v, const struct site *site) {
    add_divisors(v, site->job->global_batch, site->job->global_batch);
}

static void zero_stage(struct values *v, const struct site *site) {
    int stage;
    (void)site;
    for (stage = 0; stage <= 3; stage++) {
        add(v, stage);
    }
}

static void gradient(struct values *v, const struct site *site) {
    (void)site;
    add(v, 2);
    add(v, 4);
}

/* Megatron-LM sets whole layers per stage; finer shares are between these. A choice of ours. */
static void quarters(struct values *v, const struct site *site) {
    int i;
    (void)site;
    for (i = 1; i <= 4; i++) {
        add(v, i / 4.0);
    }
}

static void none_or_quarters(struct values *v, const struct site *site) {
    add(v, 0);
    quarters(v, site);
}

static void master(struct values *v, const struct site *site) {
    (void)site;
    add(v, 0);
    add(v, 4);
}

static void base(struct values *v, const struct site *site) {
    int bits;
    (void)site;
    for (bits = 4; bits <= 16; bits *= 2) {
        add(v, bits);
    }
}

static void names(struct values *v, const struct bp_field *field) {
    int i;
    for (i = 0; field->names[i]; i++) {
        add(v, i);
    }
}

/* NULL: follows from the kind. */
static void (*const fill[BP_FREE_COUNT])(struct values *v, const struct site *site) = {
    [BP_FREE_WIDTH] = any_width,
    [BP_FREE_TENSOR] = tensor,
    [BP_FREE_PIPELINE] = pipeline,
    [BP_FREE_INTERLEAVE] = interleave,
    [BP_FREE_CONTEXT] = context,
    [BP_FREE_EXPERT] = expert,
    [BP_FREE_EXPERT_TENSOR] = expert_tensor,
    [BP_FREE_MICRO_BATCH] = micro_batch,
    [BP_FREE_ZERO] = zero_stage,
    [BP_FREE_QUARTERS] = quarters,
    [BP_FREE_NONE_OR_QUARTERS] = none_or_quarters,
    [BP_FREE_GRADIENT] = gradient,
    [BP_FREE_MASTER] = master,
    [BP_FREE_BITS] = base,
    [BP_FREE_END_STAGE] = end_stage,
};

int bp_free_values(const struct bp_field *field, const struct bp_model *model,
                   const struct bp_network *network, const struct bp_job *job, double *values,
                   size_t max, size_t *count, struct bp_error *err) {
    struct values v = {values, max, 0};
    struct site site = {model, network, job};
    if (field->kind == BP_FLAG) {
        add(&v, 0);
        add(&v, 1);
    } else if (field->kind == BP_ENUM) {
        names(&v, field);
    } else if (fill[field->free]) {
        fill[field->free](&v, &site);
    }
    if (v.count == 0) {
        return bp_space_fail(
            err, field, "cannot be free, it decides what is learnt: list the values to compare");
    }
    if (v.count > max) {
        return bp_space_fail(err, field, "has too many possible values: list the ones to try");
    }
    *count = v.count;
    return BP_OK;
}

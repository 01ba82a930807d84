#include "serving.h"

#include "serving_load.h"
#include "serving_state.h"

#include <math.h>
#include <string.h>

static void prepare_requests(struct bp_serving_work *w, const struct bp_request *trace) {
    size_t i;
    if (trace) {
        memcpy(w->requests, trace, w->count * sizeof *trace);
    } else {
        bp_serving_draw(&w->in->load, w->requests, w->count);
    }
    for (i = 0; i < w->count; i++) {
        struct bp_request *r = &w->requests[i];
        r->first_s = r->done_s = r->start_s = -1;
        r->context = r->input;
        r->left = r->output;
        r->done = bp_serving_cached(w, r);
    }
}

static void open_gates(struct bp_serving_work *w, int open) {
    size_t clients = open ? w->count : (size_t)w->in->load.concurrency, i;
    for (i = 0; i < clients && i < w->count; i++) {
        bp_serving_submit_next(w, open ? w->requests[i].arrival_s : 0);
    }
}

size_t bp_serving_requests(const struct bp_serving_load *load) {
    if (load->requests > 0) {
        return (size_t)load->requests;
    }
    /* As the public benchmark sends: ten per client. */
    return load->arrivals == BP_ARRIVALS_CLOSED ? 10 * (size_t)load->concurrency : 1000;
}

static size_t rounded(size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

size_t bp_serving_bytes(const struct bp_serving_in *in, size_t requests) {
    (void)in;
    return rounded(sizeof(struct bp_serving_work)) + rounded(requests * sizeof(struct bp_request)) +
           3 * rounded(BP_KEPT_TOKENS * sizeof(double)) + 3 * rounded((requests + 1) * 4) +
           rounded(requests * sizeof(double));
}

static void *cut(char **memory, size_t bytes) {
    void *part = *memory;
    *memory += rounded(bytes);
    return part;
}

static struct bp_serving_work *lay_out(const struct bp_serving_in *in, size_t requests,
                                       char *memory) {
    struct bp_serving_work *w = cut(&memory, sizeof *w);
    size_t i;
    memset(w, 0, sizeof *w);
    w->in = in;
    w->count = requests;
    w->requests = cut(&memory, requests * sizeof *w->requests);
    w->dense = cut(&memory, BP_KEPT_TOKENS * sizeof(double));
    w->experts = cut(&memory, BP_KEPT_TOKENS * sizeof(double));
    w->head = cut(&memory, BP_KEPT_TOKENS * sizeof(double));
    for (i = 0; i < BP_KEPT_TOKENS; i++) {
        w->dense[i] = w->experts[i] = w->head[i] = -1;
    }
    w->waiting.at = cut(&memory, (requests + 1) * 4);
    w->pending.at = cut(&memory, (requests + 1) * 4);
    w->heap = cut(&memory, (requests + 1) * 4);
    w->waiting.capacity = w->pending.capacity = requests + 1;
    w->partial = w->oldest = w->latest = BP_NONE;
    w->last_ready_s = -INFINITY;
    return w;
}

static int set_limits(struct bp_serving_work *w, struct bp_error *err) {
    const struct bp_serving_in *in = w->in;
    double groups = (double)in->plan.dp, longest = 0, sum = 0;
    struct bp_infer_memory_out memory;
    size_t i;
    int code;
    for (i = 0; i < w->count; i++) {
        double tokens = (double)w->requests[i].input + (double)w->requests[i].output;
        longest = fmax(longest, tokens);
        sum += tokens;
    }
    code = bp_infer_memory_of(&w->serve, sum / (double)w->count, &memory, err);
    if (code != BP_OK) {
        return code;
    }
    w->pool = in->pool_tokens > 0 ? in->pool_tokens : memory.pool_tokens;
    w->budget = (double)in->engine.token_budget * groups;
    w->room = (double)in->engine.max_running * groups;
    if (w->pool < bp_serving_blocks(w, longest)) {
        return bp_fail(
            err, BP_EDOMAIN, "memory",
            "the KV pool holds %.0f tokens and a request has %.0f: %.1f GiB of weights on a "
            "device that may use %.1f GiB",
            w->pool, longest, memory.weights_bytes / 0x1p30, memory.usable_bytes / 0x1p30);
    }
    return BP_OK;
}

int bp_serving_run(const struct bp_serving_in *in, const struct bp_request *trace, size_t requests,
                   void *memory, struct bp_serving_out *out, const struct bp_request **answered,
                   struct bp_error *err) {
    struct bp_infer_setup setup = {in->model,  in->device, in->network,
                                   in->curves, in->plan,   in->engine};
    struct bp_serving_work *w = lay_out(in, requests, memory);
    int code = bp_infer_prepare(&setup, &w->serve, err), after_prompt = 1;
    if (code != BP_OK) {
        return code;
    }
    prepare_requests(w, trace);
    code = set_limits(w, err);
    if (code != BP_OK) {
        return code;
    }
    w->step_s = bp_serving_lone_step(w);
    open_gates(w, trace != NULL || !bp_serving_is_closed(w));
    while (w->pending.count + w->waiting.count + w->running > 0 || w->partial != BP_NONE) {
        after_prompt = bp_serving_step(w, after_prompt);
    }
    bp_serving_sum(w->requests, w->count, (size_t)in->load.skip,
                   (double *)(void *)((char *)w->heap + rounded((requests + 1) * 4)), out);
    out->mean_running = out->duration_s > 0 ? w->running_s / out->duration_s : 0;
    out->busy_frac = out->duration_s > 0 ? fmin(1, w->busy_s / out->duration_s) : 0;
    out->pool_tokens = w->pool;
    out->pool_peak_frac = w->peak / w->pool;
    out->preemptions = w->preemptions;
    out->steps = w->steps;
    *answered = w->requests;
    return BP_OK;
}

BP_DEFINE_ENUM(bp_arrivals, BP_ARRIVALS);
BP_DEFINE_ENUM(bp_lengths, BP_LENGTHS);
BP_DEFINE_SCHEMA(bp_serving_load, BP_SERVING_LOAD_FIELDS, "load", "what arrives at a replica");
BP_DEFINE_SCHEMA(bp_serving_in, BP_SERVING_IN_FIELDS, "serving", "a replica under load");
BP_DEFINE_SCHEMA(bp_spread_out, BP_SPREAD_OUT_FIELDS, "spread", "mean and percentiles");
BP_DEFINE_SCHEMA(bp_serving_out, BP_SERVING_OUT_FIELDS, "serving result", "what the requests saw");

#include "kernel/count/train_encoder.h"

#include <math.h>

#include "kernel/count/activations.h"
#include "kernel/count/adapters.h"

static int learns(const struct bp_train_case *c) {
    return !bp_is_frozen(c->plan);
}

/* A mean of inputs that is no whole number is computed as the nearest one, and scaled. */
static void take_batch(const struct bp_train_case *c, struct bp_encoder_case *e) {
    double inputs = (double)c->plan->micro_batch * e->lists.inputs;
    double whole = fmax(1, floor(inputs + 0.5));
    e->plan = *c->plan;
    e->plan.micro_batch = (int64_t)whole;
    e->plan.pp = e->plan.vpp = e->plan.ep = e->plan.etp = 1;
    e->plan.first_layers = e->plan.last_layers = 0;
    e->plan.lora_rank = e->plan.trained_layers = 0; /* what learns is of the decoder */
    e->job = *c->job;
    e->job.seq_len = (int64_t)e->lists.tok;
    e->job.document_tok = 0;
    e->scale = inputs / whole;
}

int bp_encoder_case(const struct bp_train_case *c, struct bp_encoder_case *out) {
    if (!bp_encoder_lists(c->model, &out->lists) || !(out->lists.inputs > 0)) {
        return 0;
    }
    bp_params_count(&out->lists.model, &out->lists.layers, &out->params);
    take_batch(c, out);
    out->c = *c;
    out->c.model = &out->lists.model;
    out->c.params = &out->params;
    out->c.layers = &out->lists.layers;
    out->c.plan = &out->plan;
    out->c.job = &out->job;
    out->learns = learns(c);
    out->trains = out->learns && !c->model->encoder_frozen;
    return 1;
}

double bp_encoder_kept(const struct bp_train_case *c) {
    struct bp_encoder_case e;
    struct bp_activations of;
    struct bp_layer_mix mix;
    double bytes = 0;
    if (!bp_encoder_case(c, &e)) {
        return 0;
    }
    mix = bp_mean_layer(&e.c);
    mix.layers *= (double)e.lists.model.layers;
    mix.mlp *= (double)e.lists.model.layers;
    of = bp_activations(&e.c);
    bytes += e.trains ? bp_activations_kept(&e.c, &of, mix) : 0;
    bytes += e.learns ? bp_activations_list(&e.c, &e.lists.projector) : 0;
    return e.scale * bytes;
}

struct bp_encoder_share bp_encoder_share(const struct bp_train_case *c) {
    const struct bp_params_out *p = c->params;
    double tp = (double)c->plan->tp, all = (double)(p->encoder + p->extra);
    double trained = c->model->encoder_frozen ? (double)p->projector : all;
    struct bp_encoder_share share = {all / tp, learns(c) ? trained / tp : 0};
    return share;
}

#include "kernel/train/memory_rule.h"

#include "kernel/registry.h"

#include <math.h>

/* Fewest devices of size each that hold bytes; 0 when no size is given. */
static double devices_for(double bytes, double each) {
    return each > 0 ? ceil(bytes / each) : 0;
}

int bp_weights(const struct bp_weights_in *in, struct bp_weights_out *out, struct bp_error *err) {
    (void)err;
    out->weights_bytes = in->params * in->bytes_per_param;
    out->footprint_bytes = out->weights_bytes * in->overhead_factor;
    out->devices = devices_for(out->footprint_bytes, in->device_bytes);
    return BP_OK;
}

static double gradient_bytes(int convention) {
    switch (convention) {
    case BP_STATES_CONVENTION_14:
        return 0;
    case BP_STATES_CONVENTION_18:
        return 4;
    default:
        return 2;
    }
}

int bp_states(const struct bp_states_in *in, struct bp_states_out *out, struct bp_error *err) {
    const double weight = 2, optimizer = 4 + 4 + 4; /* bf16; fp32 master, m, v */
    double gradient = gradient_bytes(in->convention);
    double own = in->params / (double)in->split;
    double shared = own / (double)in->shard;
    (void)err;
    out->bytes_per_param = weight + gradient + optimizer;
    out->weights_bytes = weight * (in->zero >= 3 ? shared : own);
    out->gradients_bytes = gradient * (in->zero >= 2 ? shared : own);
    out->optimizer_bytes = optimizer * (in->zero >= 1 ? shared : own);
    out->total_bytes = out->weights_bytes + out->gradients_bytes + out->optimizer_bytes;
    out->model_bytes = out->bytes_per_param * in->params;
    out->devices = devices_for(out->model_bytes, in->device_bytes);
    return BP_OK;
}

/*
** Bytes per sbh of one layer: 34 = 24 in the split regions and 10 between them (mask bytes
** included); 5 a s / h for scores, softmax and its dropout. Korthikanti et al., arXiv:2205.05198,
** section 4.1; all of it divides by tp under sequence parallelism, section 4.2.2.
*/
int bp_activation_rule(const struct bp_activation_rule_in *in, struct bp_activation_rule_out *out,
                       struct bp_error *err) {
    double s = (double)in->seq_len, h = (double)in->hidden, a = (double)in->heads;
    double layers = (double)in->layers, every = (double)in->every;
    double sbh = s * (double)in->batch * h;
    if (in->every > in->layers) {
        return bp_fail(err, BP_EDOMAIN, "every", "must be at most layers (%.0f), got %.0f", layers,
                       every);
    }
    out->layer_whole_bytes = sbh * (34 + (in->flash ? 0 : 5 * a * s / h));
    out->layer_bytes = out->layer_whole_bytes / (double)in->tp;
    out->input_bytes = 2 * sbh;
    out->kept_bytes = layers * out->layer_bytes;
    out->conservative_bytes = (layers / every + every) * out->layer_bytes;
    out->exact_bytes = out->input_bytes * layers / every + every * out->layer_bytes;
    out->best_every_conservative = sqrt(layers);
    out->best_every_exact = sqrt(layers * out->input_bytes / out->layer_bytes);
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_weights_in, BP_WEIGHTS_IN_FIELDS, "weights", "stored parameters");
BP_DEFINE_SCHEMA(bp_weights_out, BP_WEIGHTS_OUT_FIELDS, "weights result", "memory they take");
BP_DEFINE_KERNEL(weights, "Memory of a model's weights, with an overhead",
                 "weights_bytes = params bytes_per_param; footprint_bytes = weights_bytes "
                 "overhead_factor",
                 "a first look: KV cache, activations and engine buffers have kernels of their own",
                 "arithmetic; the overhead factor is an assumption of whoever states it");

BP_DEFINE_ENUM(bp_states_convention, BP_STATES_CONVENTION);
BP_DEFINE_SCHEMA(bp_states_in, BP_STATES_IN_FIELDS, "states", "what training keeps per parameter");
BP_DEFINE_SCHEMA(bp_states_out, BP_STATES_OUT_FIELDS, "states result", "memory it takes");
BP_DEFINE_KERNEL(
    states, "Static memory of mixed-precision training with Adam",
    "per parameter: weights 2, gradients 0, 2 or 4 by the convention, optimizer 4 + 4 + "
    "4; each divided by split, and by shard from ZeRO stage 3, 2, 1 on",
    "Adam with fp32 master weights; gathered layers and buffers not included: "
    "train_step has them",
    "Rajbhandari et al., ZeRO, arXiv:1910.02054 section 3.1");

BP_DEFINE_SCHEMA(bp_activation_rule_in, BP_ACTIVATION_RULE_IN_FIELDS, "activation_rule",
                 "a layer of a classic transformer in training");
BP_DEFINE_SCHEMA(bp_activation_rule_out, BP_ACTIVATION_RULE_OUT_FIELDS, "activation_rule result",
                 "activations kept, with and without checkpointing");
BP_DEFINE_KERNEL(
    activation_rule, "Activation memory by the 34 + 5as/h rule, and with checkpointing",
    "M = s b h (34 + 5 a s / h) / tp; conservative (L/k + k) M; exact 2 s b h L/k + k M; "
    "best k sqrt(L) under the first, sqrt(L 2sbh / M) under the second",
    "16 bit, multi-head attention, ungated MLP with dropout; kept inputs are not split "
    "over tp; train_step counts the tensors of the model at hand instead",
    "Korthikanti et al., arXiv:2205.05198 section 4; Chen et al., arXiv:1604.06174");

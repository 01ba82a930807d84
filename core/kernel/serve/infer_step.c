#include "kernel/serve/infer_step.h"

#include "kernel/registry.h"

#include <math.h>

static double elementwise(const struct bp_infer_case *c, double rows) {
    return bp_infer_copy_time(c, rows * c->elementwise_bytes);
}

double bp_infer_dense(const struct bp_infer_case *c, double rows) {
    if (!(rows > 0)) {
        return 0;
    }
    return bp_infer_dense_matmuls(c, rows) + bp_infer_sums(c, rows) + elementwise(c, rows);
}

double bp_infer_experts(const struct bp_infer_case *c, double tokens) {
    double experts_s;
    if (!(c->moe_layers > 0 && tokens > 0)) {
        return 0;
    }
    experts_s = bp_infer_expert_matmuls(c, tokens);
    return experts_s + bp_infer_exposed_traffic(c, tokens, experts_s);
}

double bp_infer_head(const struct bp_infer_case *c, double rows) {
    return rows > 0 && c->head.n > 0 ? bp_infer_matmul(c, &c->head, bp_infer_share_of(c, rows)) : 0;
}

static double one_layer(const struct bp_infer_case *c, double sequences) {
    return (bp_infer_dense(c, bp_infer_rows(c, 0, 0, sequences)) +
            bp_infer_experts(c, bp_infer_expert_tokens(c, 0, 0, sequences))) /
           c->layers;
}

/* Drafts: a layer (and the head) of the drafting module for each token it proposes. */
static double drafting(const struct bp_infer_case *c, double sequences) {
    double draft_tokens = (double)c->in.plan.draft_tokens;
    if (!(draft_tokens > 0 && sequences > 0)) {
        return 0;
    }
    return draft_tokens * (one_layer(c, sequences) + bp_infer_head(c, sequences));
}

static double device_of(const struct bp_infer_case *c, const struct bp_infer_batch *b) {
    double rows = bp_infer_verified(c, b->sequences);
    return bp_infer_dense(c, bp_infer_rows(c, b->prompts, b->prompt_tokens, rows)) +
           bp_infer_experts(c, bp_infer_expert_tokens(c, b->prompts, b->prompt_tokens, rows)) +
           bp_infer_head(c, rows + b->prompts) +
           bp_infer_decode(c, b->sequences, b->context, b->prompt_tokens > 0) +
           bp_infer_prefill(c, b->prompts, b->prompt_tokens, b->prompt_past) +
           bp_infer_inputs(c, b->starts) + drafting(c, b->sequences);
}

double bp_infer_time(const struct bp_infer_case *c, const struct bp_infer_batch *b) {
    return bp_infer_host(c, device_of(c, b), b->prompt_tokens, b->sequences);
}

double bp_infer_mean_time(const struct bp_infer_case *c, const struct bp_infer_batch *b,
                          double over) {
    double device_s = device_of(c, b);
    return (1 - over) * bp_infer_host_of(c, device_s, b->sequences, c->piece_launches) +
           over * bp_infer_host_of(c, device_s, b->sequences, bp_infer_launches_apart(c));
}

static int check(const struct bp_infer_step_in *in, struct bp_error *err) {
    if ((in->prompts > 0) != (in->prompt_tokens > 0) || in->prompt_tokens < in->prompts) {
        return bp_fail(err, BP_EDOMAIN, "prompt_tokens", "%.15g tokens of %.15g prompts",
                       in->prompt_tokens, in->prompts);
    }
    if (!(in->prompts + in->sequences > 0)) {
        return bp_fail(err, BP_EDOMAIN, "sequences", "nothing is in the step");
    }
    return BP_OK;
}

static struct bp_infer_setup setup_of(const struct bp_infer_step_in *in) {
    struct bp_infer_setup s = {in->model,  in->device, in->network,
                               in->curves, in->plan,   in->engine};
    return s;
}

/* Of prompts with tokens behind them the encoder has run. */
static double starts_of(const struct bp_infer_step_in *in) {
    return in->prompt_past > 0 ? 0 : in->prompts;
}

static void set_device_parts(const struct bp_infer_case *c, const struct bp_infer_step_in *in,
                             struct bp_infer_step_out *out) {
    double checked = bp_infer_verified(c, in->sequences);
    double slowdown = c->in.engine.slowdown * bp_infer_measured(c, in->sequences);
    double rows = bp_infer_rows(c, in->prompts, in->prompt_tokens, checked);
    double all = bp_infer_expert_tokens(c, in->prompts, in->prompt_tokens, checked);
    int has_experts = c->moe_layers > 0, beside = in->prompt_tokens > 0;
    double experts_s = has_experts ? bp_infer_expert_matmuls(c, all) : 0;
    out->matmul_s = slowdown * (bp_infer_dense_matmuls(c, rows) + drafting(c, in->sequences));
    out->moe_s = slowdown * experts_s;
    out->collective_s =
        slowdown *
        (bp_infer_sums(c, rows) + (has_experts ? bp_infer_exposed_traffic(c, all, experts_s) : 0));
    out->elementwise_s = slowdown * elementwise(c, rows);
    out->prefill_s =
        slowdown * bp_infer_prefill(c, in->prompts, in->prompt_tokens, in->prompt_past);
    out->encoder_s = slowdown * bp_infer_inputs(c, starts_of(in));
    out->decode_s = slowdown * bp_infer_decode(c, in->sequences, in->context, beside);
    out->head_s = slowdown * bp_infer_head(c, checked + in->prompts);
}

int bp_infer_step(const struct bp_infer_step_in *in, struct bp_infer_step_out *out,
                  struct bp_error *err) {
    struct bp_infer_setup setup = setup_of(in);
    struct bp_infer_batch batch = {in->prompts,   in->prompt_tokens, in->prompt_past,
                                   in->sequences, in->context,       starts_of(in)};
    struct bp_infer_case c;
    int code = bp_infer_prepare(&setup, &c, err);
    if (code == BP_OK) {
        code = check(in, err);
    }
    if (code != BP_OK) {
        return code;
    }
    set_device_parts(&c, in, out);
    out->time_s = bp_infer_time(&c, &batch);
    /* Where the device takes all but a rounding of the step, the host takes nothing. */
    out->host_s =
        fmax(0, out->time_s - (out->matmul_s + out->moe_s + out->collective_s + out->elementwise_s +
                               out->prefill_s + out->encoder_s + out->decode_s + out->head_s));
    out->tokens = c.advance;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_infer_step_in, BP_INFER_STEP_IN_FIELDS, "infer_step",
                 "one step of a serving engine");
BP_DEFINE_SCHEMA(bp_infer_step_out, BP_INFER_STEP_OUT_FIELDS, "infer_step result",
                 "what the step takes");
BP_DEFINE_KERNEL(
    infer_step, "Time of one serving step",
    "time_s = step_s + sequence_s sequences + device_s + kernel_s kernels (without overlap plan_s + "
    "plan_sequence_s tokens verified more; stages that are planned in turn take these once each); "
    "without a captured graph the larger of that and the host's launches; of steps that decode "
    "times the curve step_1 .. step_512 of a calibrated engine; device_s = matmuls by shape + "
    "experts hit + attention of prompts (bp_attention; those of an indexer as decoding reads them) "
    "+ encoder and cross keys of prompts that start + 3 us per chunk of a scan + the larger of x / "
    "decode_stream + ramp x / (x + ramp), x = keys and values over bandwidth, and scores over "
    "decode_rate peak, + states read and written + head + collectives (tokens to experts in 8 bit "
    "where these multiply in it, once to each domain) + elementwise",
    "one replica; prompts of one step are taken as equally long; expert and attention groups as "
    "evenly filled but for the experts' skew; no communication under arithmetic but of experts "
    "between domains",
    "kernels of this program; engine coefficients fitted to public measurements, see "
    "lua/ballpark/catalog/engines.lua");

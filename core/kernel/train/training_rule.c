#include "kernel/train/training_rule.h"

#include "kernel/registry.h"

int bp_training_rule(const struct bp_training_rule_in *in, struct bp_training_rule_out *out,
                     struct bp_error *err) {
    double flop_per_tok = in->flop_per_param_tok * in->params;
    double rate = in->peak_flop_s * in->mfu_frac * (double)in->devices / in->overhead_factor;
    (void)err;
    out->flop = flop_per_tok * in->tokens;
    out->time_s = out->flop / rate;
    out->device_s = out->time_s * (double)in->devices;
    out->tokens_per_s = rate / flop_per_tok;
    out->step_s = in->batch_tokens / out->tokens_per_s;
    out->tokens_per_param = in->tokens / in->params;
    return BP_OK;
}

int bp_mfu(const struct bp_mfu_in *in, struct bp_mfu_out *out, struct bp_error *err) {
    double flop_per_tok = in->flop_per_param_tok * in->params;
    double peak = in->peak_flop_s * (double)in->devices;
    out->mfu_frac = flop_per_tok * in->tokens_per_s / peak;
    if (out->mfu_frac > 1) {
        return bp_fail(err, BP_EDOMAIN, "tokens_per_s",
                       "%.4g tok/s is %.3g times what %.0f devices can do at their dense peak",
                       in->tokens_per_s, out->mfu_frac, (double)in->devices);
    }
    out->flop_s_device = out->mfu_frac * in->peak_flop_s;
    out->of_target_frac = out->mfu_frac / in->target_frac;
    out->tokens_per_s_target = in->target_frac * peak / flop_per_tok;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_training_rule_in, BP_TRAINING_RULE_IN_FIELDS, "training_rule",
                 "a training run on paper");
BP_DEFINE_SCHEMA(bp_training_rule_out, BP_TRAINING_RULE_OUT_FIELDS, "training_rule result",
                 "FLOP and time by the rule of thumb");
BP_DEFINE_KERNEL(
    training_rule, "FLOP and time of a training run by the 6ND rule",
    "flop = 6 params tokens; time_s = flop overhead_factor / (devices peak_flop_s "
    "mfu_frac)",
    "attention's own FLOP are left out (below 10 % while the sequence is shorter than "
    "about 2 hidden widths); MFU is an input here: train_step predicts it",
    "Kaplan et al., arXiv:2001.08361 section 2.1; tokens per parameter: Hoffmann et al., "
    "arXiv:2203.15556");

BP_DEFINE_SCHEMA(bp_mfu_in, BP_MFU_IN_FIELDS, "mfu", "a measured training speed");
BP_DEFINE_SCHEMA(bp_mfu_out, BP_MFU_OUT_FIELDS, "mfu result", "how good it is");
BP_DEFINE_KERNEL(mfu, "Model FLOP utilisation of a measured speed",
                 "mfu_frac = 6 params tokens_per_s / (devices peak_flop_s)",
                 "dense peaks; recomputation is not counted (that would be hardware utilisation)",
                 "Chowdhery et al., PaLM, arXiv:2204.02311 appendix B");

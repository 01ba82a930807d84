#include "kernel/serve/infer_inputs.h"

#include "kernel/serve/infer_matmul.h"
#include "kernel/serve/infer_ranks.h"
#include "kernel/serve/infer_traffic.h"
#include "kernel/time/attention_time.h"

#include <math.h>

/* Every token of an input sees all others, or those in its window. */
static double encoder_attention(const struct bp_infer_case *c, double inputs) {
    const struct bp_infer_encoder *e = &c->encoder;
    struct bp_attention_shape s = {0};
    double all;
    s.batch = inputs;
    s.heads = s.kv_heads = bp_head_share(e->heads, (double)c->in.plan.tp);
    s.qk_dim = s.v_dim = e->head_dim;
    s.seq_q = s.seq_kv = e->tok;
    s.flash = 1;
    all = (e->layers - e->window_layers) * bp_attention_time(&c->in.device, &s);
    s.window = e->window;
    return all + e->window_layers * bp_attention_time(&c->in.device, &s);
}

/*
** Engines run encoders by themselves before the step, kernel by kernel: no graph is captured of them. The first
** stage of a pipeline does it, tensor-parallel ranks share it.
*/
static double encoder_s(const struct bp_infer_case *c, double prompts) {
    const struct bp_infer_encoder *e = &c->encoder;
    double inputs = prompts * e->inputs / (double)c->in.plan.cp, rows = inputs * e->tok;
    double message = 2 * rows * e->hidden, sum;
    int i;
    sum = 2 * e->layers *
              bp_infer_collective(c, BP_COLLECTIVE_OP_ALL_REDUCE, message, (double)c->in.plan.tp) +
          encoder_attention(c, inputs) + bp_infer_copy_time(c, rows * e->elementwise_bytes);
    for (i = 0; i < e->linears; i++) {
        sum += e->linear[i].times * bp_infer_matmul(c, &e->linear[i], inputs * e->linear[i].others);
    }
    return fmax(sum, e->kernels * c->in.engine.eager_kernel_s);
}

double bp_infer_inputs(const struct bp_infer_case *c, double prompts) {
    double whole, share, group;
    if (!(prompts > 0) || !(c->encoder.layers > 0 || c->in.model.cross_layers > 0)) {
        return 0;
    }
    whole = fmax(1, prompts);
    share = prompts / whole;
    group = whole * bp_infer_fullest_group(c, whole);
    return share * (bp_infer_key_matmuls(c, group / (double)c->in.plan.pp) +
                    (c->encoder.layers > 0 ? encoder_s(c, group) : 0));
}

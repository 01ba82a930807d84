#include "kernel/layer/attention.h"

#include <math.h>

static double triangle(double n) {
    return 0.5 * n * (n + 1);
}

double bp_attention_reach(double window, double selected) {
    return window > 0 ? window : selected;
}

double bp_attention_pairs(const struct bp_attention_shape *s) {
    double first = s->seq_kv - s->seq_q; /* positions before the first query */
    double window = s->window > 0 && s->window < s->seq_kv ? s->window : s->seq_kv;
    double ramp_end, ramp_start;
    if (!s->causal) {
        return s->seq_q * window;
    }
    if (first < 0) {
        first = 0;
    }
    ramp_end = fmin(first + s->seq_q, window);
    ramp_start = fmin(first, window);
    return triangle(ramp_end) - triangle(ramp_start) +
           window * (s->seq_q - (ramp_end - ramp_start));
}

double bp_attention_flop(const struct bp_attention_shape *s) {
    return 2 * (s->qk_dim + s->v_dim) * bp_attention_pairs(s) * s->batch * s->heads;
}

#include "kernel/time/matmul.h"

#include "kernel/registry.h"

/* Bytes of the three matrices, and what lives beside them in inference. */
static void operands(const struct bp_matmul_in *in, struct bp_matmul_out *out) {
    double m = (double)in->m, k = (double)in->k, n = (double)in->n;
    double b = bp_dtype_bytes((enum bp_dtype)in->dtype);
    double sum = bp_dtype_bytes((enum bp_dtype)in->accumulate);
    out->a_bytes = b * m * k;
    out->w_bytes = b * k * n;
    out->y_bytes = b * m * n;
    out->headroom_bytes = in->headroom_frac * (out->a_bytes + out->w_bytes + out->y_bytes);
    out->workspace_bytes = (double)in->workspace_bytes;
    out->partial_bytes = in->split_k > 1 ? (double)in->split_k * sum * m * n : 0;
    out->bias_bytes = in->bias ? b * n : 0;
    out->residual_bytes = in->residual ? b * m * n : 0;
    out->kv_bytes = in->kv_bytes;
    out->flop = (in->training ? 6 : 2) * m * k * n;
    out->intensity = 2 * m * k * n / (out->a_bytes + out->w_bytes + out->y_bytes);
}

/* The input of the micro-batch at work is A itself; of the others, one A each is retained. */
static void training(const struct bp_matmul_in *in, struct bp_matmul_out *out) {
    double on = in->training ? 1 : 0;
    out->gradients_bytes = on * (out->a_bytes + out->w_bytes + out->y_bytes);
    out->optimizer_bytes = on * in->optimizer_bytes_per_param * (double)in->k * (double)in->n;
    out->retained_bytes = on * (double)(in->in_flight - 1) * out->a_bytes;
}

int bp_matmul(const struct bp_matmul_in *in, struct bp_matmul_out *out, struct bp_error *err) {
    (void)err;
    operands(in, out);
    training(in, out);
    out->total_bytes = out->a_bytes + out->w_bytes + out->y_bytes + out->headroom_bytes +
                       out->workspace_bytes + out->partial_bytes + out->bias_bytes +
                       out->residual_bytes + out->kv_bytes + out->gradients_bytes +
                       out->optimizer_bytes + out->retained_bytes;
    out->spare_bytes = (double)in->device_bytes - out->total_bytes;
    out->fits = out->spare_bytes >= 0;
    return BP_OK;
}

/* Ring: an all-gather sends S (t-1)/t per rank, an all-reduce twice that. */
static double wire(int collective, double bytes, double ways) {
    double once = bytes * (ways - 1) / ways;
    switch (collective) {
    case BP_CUT_COLLECTIVE_ALL_GATHER:
        return once;
    case BP_CUT_COLLECTIVE_ALL_REDUCE:
        return 2 * once;
    default:
        return 0;
    }
}

/* Every device has all of A and makes some columns of Y; dA is a sum over devices. */
static void column(const struct bp_matmul_split_in *in, double b, struct bp_matmul_split_out *out) {
    double m = (double)in->m, k = (double)in->k, n = (double)in->n, t = (double)in->ways;
    out->a_bytes = b * m * k;
    out->y_bytes = b * m * n / t;
    out->a_sharded = 0;
    out->y_sharded = 1;
    out->forward = in->chained ? BP_CUT_COLLECTIVE_NONE : BP_CUT_COLLECTIVE_ALL_GATHER;
    out->forward_bytes = in->chained ? 0 : b * m * n;
    out->backward = BP_CUT_COLLECTIVE_ALL_REDUCE;
    out->backward_bytes = b * m * k;
}

/* Every device has some columns of A and a part of the sum for all of Y; dA stays where A is. */
static void row(const struct bp_matmul_split_in *in, double b, struct bp_matmul_split_out *out) {
    double m = (double)in->m, k = (double)in->k, n = (double)in->n, t = (double)in->ways;
    out->a_bytes = b * m * k / t;
    out->y_bytes = b * m * n;
    out->a_sharded = 1;
    out->y_sharded = 0;
    out->forward = BP_CUT_COLLECTIVE_ALL_REDUCE;
    out->forward_bytes = b * m * n;
    out->backward = in->chained ? BP_CUT_COLLECTIVE_NONE : BP_CUT_COLLECTIVE_ALL_GATHER;
    out->backward_bytes = in->chained ? 0 : b * m * k;
}

int bp_matmul_split(const struct bp_matmul_split_in *in, struct bp_matmul_split_out *out,
                    struct bp_error *err) {
    double t = (double)in->ways, b = bp_dtype_bytes((enum bp_dtype)in->dtype);
    int64_t cut = in->cut == BP_CUT_COLUMN ? in->n : in->k;
    if (cut % in->ways != 0) {
        return bp_fail(err, BP_EDOMAIN, "ways", "%.0f does not divide %s = %.0f", t,
                       in->cut == BP_CUT_COLUMN ? "n" : "k", (double)cut);
    }
    if (in->cut == BP_CUT_COLUMN) {
        column(in, b, out);
    } else {
        row(in, b, out);
    }
    out->w_bytes = b * (double)in->k * (double)in->n / t;
    out->forward_wire_bytes = wire(out->forward, out->forward_bytes, t);
    out->backward_wire_bytes = wire(out->backward, out->backward_bytes, t);
    return BP_OK;
}

int bp_ring_rule(const struct bp_ring_rule_in *in, struct bp_ring_rule_out *out,
                 struct bp_error *err) {
    (void)err;
    out->wire_bytes = wire(BP_CUT_COLLECTIVE_ALL_REDUCE, in->bytes, (double)in->ranks);
    out->time_s = in->count * out->wire_bytes / in->bw_bytes_s;
    out->two_way_s = in->count * in->bytes / (2 * in->bw_bytes_s);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_cut, BP_CUT);
BP_DEFINE_ENUM(bp_cut_collective, BP_CUT_COLLECTIVE);

BP_DEFINE_SCHEMA(bp_matmul_in, BP_MATMUL_IN_FIELDS, "matmul", "Y = A W on one device");
BP_DEFINE_SCHEMA(bp_matmul_out, BP_MATMUL_OUT_FIELDS, "matmul result", "memory by consumer");
BP_DEFINE_KERNEL(
    matmul, "Memory of one matmul, consumer by consumer, and whether it fits",
    "b (m k + k n + m n) (1 + headroom_frac) + workspace_bytes + every other line <= "
    "device_bytes; training adds the gradients of A, W and Y, optimizer_bytes_per_param "
    "k n, and A of each further micro-batch in flight",
    "sums are kept in registers in their own precision and take memory only under "
    "split_k; the time of a matmul: gemm",
    "arithmetic; workspace: cuBLAS 12 documentation section 2.1.4; headroom: assumption");

BP_DEFINE_SCHEMA(bp_matmul_split_in, BP_MATMUL_SPLIT_IN_FIELDS, "matmul_split",
                 "a matmul cut over devices");
BP_DEFINE_SCHEMA(bp_matmul_split_out, BP_MATMUL_SPLIT_OUT_FIELDS, "matmul_split result",
                 "what lies where, and which collectives it needs");
BP_DEFINE_KERNEL(
    matmul_split, "A matmul cut by columns or rows: bytes per device and collectives",
    "column: A whole, W and Y over n; forward all_gather of Y (none when chained), "
    "backward all_reduce of dA. row: A and W over k, Y whole; forward all_reduce of Y, "
    "backward none when chained. Ring: all_gather sends S (t-1)/t, all_reduce 2 S (t-1)/t",
    "attention and MLP are one chained column and row pair each: two all-reduces per "
    "block forward, two backward; with sequence parallelism each becomes a "
    "reduce-scatter and an all-gather of the same traffic",
    "Shoeybi et al., Megatron-LM, arXiv:1909.08053 section 3");

BP_DEFINE_SCHEMA(bp_ring_rule_in, BP_RING_RULE_IN_FIELDS, "ring_rule", "an all-reduce on paper");
BP_DEFINE_SCHEMA(bp_ring_rule_out, BP_RING_RULE_OUT_FIELDS, "ring_rule result", "its time");
BP_DEFINE_KERNEL(ring_rule, "Time of ring all-reduces from bandwidth alone",
                 "wire_bytes = 2 bytes (ranks-1)/ranks; time_s = count wire_bytes / bw_bytes_s; "
                 "two_way_s = count bytes / (2 bw_bytes_s)",
                 "no latency, full bandwidth, one tier: collective has all of these; data sheets "
                 "often quote both directions together, here it is one",
                 "Patarasuk and Yuan, JPDC 69 (2009)");

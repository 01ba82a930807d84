#include "kernel/train/pp_or_tp.h"

#include "kernel/registry.h"
#include "kernel/schedule/schedule.h"
#include "kernel/time/collective.h"
#include "kernel/time/gemm.h"

#include <math.h>

/* Query, key and value; attention output; up; down: n and k of each, and which of them tp cuts. */
enum { BLOCK_MATMULS = 4 };

static double block_time(const struct bp_pp_or_tp_in *in, double tokens, double tp) {
    double h = (double)in->hidden, f = (double)in->ffn_hidden;
    enum bp_dtype dtype = (enum bp_dtype)in->dtype;
    double b = bp_dtype_bytes(dtype), time = 0;
    double n[BLOCK_MATMULS] = {3 * h / tp, h, f / tp, h};
    double k[BLOCK_MATMULS] = {h, h / tp, h, f / tp};
    int i;
    for (i = 0; i < BLOCK_MATMULS; i++) {
        time += bp_gemm_time(&in->device, dtype, tokens, n[i], k[i], b, 1);
    }
    return time;
}

static double message_bytes(const struct bp_pp_or_tp_in *in, double tokens) {
    return bp_dtype_bytes((enum bp_dtype)in->dtype) * tokens * (double)in->hidden;
}

static double stack_time(const struct bp_pp_or_tp_in *in, double tokens) {
    return (double)in->layers * block_time(in, tokens, 1);
}

static double send_time(const struct bp_pp_or_tp_in *in, double tokens) {
    return bp_collective_time(&in->network, BP_COLLECTIVE_OP_SEND_RECV, message_bytes(in, tokens),
                              2, 1);
}

/* Two all-reduces per block. */
static double reduce_time(const struct bp_pp_or_tp_in *in, double tokens) {
    return 2 * (double)in->layers *
           bp_collective_time(&in->network, BP_COLLECTIVE_OP_ALL_REDUCE, message_bytes(in, tokens),
                              (double)in->ways, 1);
}

static double tensor_compute(const struct bp_pp_or_tp_in *in, double tokens) {
    return (double)in->layers * block_time(in, tokens, (double)in->ways);
}

static void common(const struct bp_pp_or_tp_in *in, struct bp_split_cost *cost) {
    double h = (double)in->hidden, params = 4 * h * h + 2 * h * (double)in->ffn_hidden;
    cost->weights_bytes =
        bp_dtype_bytes((enum bp_dtype)in->dtype) * params * (double)in->layers / (double)in->ways;
    cost->stream_bytes = message_bytes(in, (double)in->tokens);
    cost->message_bytes = cost->stream_bytes;
}

static void finish(const struct bp_pp_or_tp_in *in, struct bp_split_cost *cost) {
    double all = (double)in->tokens * (double)in->micro_batches;
    cost->tokens_per_s = all / fmin(cost->whole_s, cost->micro_s);
    cost->reached_bytes_s = cost->wire_bytes / cost->network_s;
}

/* A stage works on the next micro-batch while the last one is with its neighbour. */
static void pipeline(const struct bp_pp_or_tp_in *in, struct bp_split_cost *cost) {
    double p = (double)in->ways, m = (double)in->micro_batches, t = (double)in->tokens;
    double send = send_time(in, t), stage = stack_time(in, t) / p + send;
    double bubble = bp_bubble_time(BP_SCHEDULE_1F1B, p, m, 1, stage, 0, 0);
    common(in, cost);
    cost->messages = p - 1;
    cost->wire_bytes = cost->message_bytes;
    cost->network_s = (p - 1) * send;
    cost->latency_s = stack_time(in, t) + cost->network_s;
    cost->whole_s = stack_time(in, m * t) + (p - 1) * send_time(in, m * t);
    cost->micro_s = m * stage + bubble - send; /* the last stage sends nothing */
    cost->bubble_frac = bubble / (m * stage + bubble);
    finish(in, cost);
}

static void tensor(const struct bp_pp_or_tp_in *in, struct bp_split_cost *cost) {
    double m = (double)in->micro_batches, t = (double)in->tokens, ways = (double)in->ways;
    common(in, cost);
    cost->messages = 2 * (double)in->layers;
    cost->wire_bytes =
        cost->messages * bp_collective_wire(BP_COLLECTIVE_OP_ALL_REDUCE, cost->message_bytes, ways);
    cost->network_s = reduce_time(in, t);
    cost->latency_s = tensor_compute(in, t) + cost->network_s;
    cost->whole_s = tensor_compute(in, m * t) + reduce_time(in, m * t);
    cost->micro_s = m * cost->latency_s;
    cost->bubble_frac = 0;
    finish(in, cost);
}

/* What the wire must reach so that `bytes` take just the time that cutting the matmuls saves. */
static double breakeven(double bytes, double saved) {
    return saved > 0 ? bytes / saved : 0;
}

static int check(const struct bp_pp_or_tp_in *in, struct bp_error *err) {
    const struct bp_network *network = &in->network;
    const struct bp_tier *tier =
        in->ways > network->domain ? &network->scaleout : &network->scaleup;
    double ways = (double)in->ways;
    if (in->layers % in->ways || in->hidden % in->ways || in->ffn_hidden % in->ways) {
        return bp_fail(err, BP_EDOMAIN, "ways",
                       "%.0f does not divide layers, hidden and ffn_hidden", ways);
    }
    if (in->network.devices < in->ways) {
        return bp_fail(err, BP_EDOMAIN, "ways", "%.0f is more than the network's %.0f devices",
                       ways, (double)in->network.devices);
    }
    if (!(bp_device_peak(&in->device, (enum bp_dtype)in->dtype) > 0)) {
        return bp_fail(err, BP_EDOMAIN, "dtype", "the device has no %s", bp_dtype_names[in->dtype]);
    }
    if (!(tier->bw_bytes_s > 0)) {
        return bp_fail(err, BP_EDOMAIN, "network", "has no bandwidth between the %.0f devices",
                       ways);
    }
    return BP_OK;
}

int bp_pp_or_tp(const struct bp_pp_or_tp_in *in, struct bp_pp_or_tp_out *out,
                struct bp_error *err) {
    double t = (double)in->tokens, m = (double)in->micro_batches;
    int code = check(in, err);
    if (code != BP_OK) {
        return code;
    }
    pipeline(in, &out->pp);
    tensor(in, &out->tp);
    out->alone_s = stack_time(in, t);
    out->latency_pick = out->tp.latency_s < out->pp.latency_s ? BP_SPLIT_KIND_TP : BP_SPLIT_KIND_PP;
    out->throughput_pick =
        out->tp.tokens_per_s > out->pp.tokens_per_s ? BP_SPLIT_KIND_TP : BP_SPLIT_KIND_PP;
    out->latency_breakeven_bytes_s =
        breakeven(out->tp.wire_bytes, out->pp.latency_s - tensor_compute(in, t));
    out->throughput_breakeven_bytes_s = breakeven(
        m * out->tp.wire_bytes, fmin(out->pp.whole_s, out->pp.micro_s) - tensor_compute(in, m * t));
    return BP_OK;
}

BP_DEFINE_ENUM(bp_split_kind, BP_SPLIT_KIND);
BP_DEFINE_SCHEMA(bp_pp_or_tp_in, BP_PP_OR_TP_IN_FIELDS, "pp_or_tp",
                 "a stack of blocks on few devices");
BP_DEFINE_SCHEMA(bp_split_cost, BP_SPLIT_COST_FIELDS, "split cost", "one way to cut the stack");
BP_DEFINE_SCHEMA(bp_pp_or_tp_out, BP_PP_OR_TP_OUT_FIELDS, "pp_or_tp result",
                 "both ways, and which is better");
BP_DEFINE_KERNEL(
    pp_or_tp, "Pipeline against tensor parallelism for a stack of blocks",
    "pp: latency = stack + (p-1) sends, throughput from (m + p - 1) stages; tp: latency = "
    "cut stack + 2 all-reduces per block, no bubble. tp wins where its all-reduces take "
    "less time than cutting the matmuls saves: bandwidth above 2 layers 2 S (t-1)/t / "
    "(time of pp - matmul time of tp)",
    "forward pass; the four large matmuls of a block, without attention scores and "
    "elementwise work; nothing overlaps; break-even from bandwidth alone",
    "kernels gemm, collective and bubble");

#include "kernel/serve/infer_traffic.h"

#include "kernel/serve/infer_matmul.h"

#include <math.h>

/*
** Engines have kernels of their own for messages inside of a domain whose devices store into each other's memory. They
** start once, however many ranks there are: after 2.7 to 3.2 us on H100, where NCCL takes 4.6 and 0.8 a ring step, 4.6 to
** 5.4 on B200 (7.3 and 1.2), 3.8 to 4.6 on A100 (8.0 and 0.9).
*/
#define OWN_START 0.62

/*
** In an all-reduce each rank then reads the whole message of every other one at this share of the links' bandwidth: 0.43 to
** 0.79 for 0.25 to 1 MB. Of large messages NCCL is the faster one (both: custom all-reduce of TensorRT-LLM,
** ai-dynamo/aiconfigurator@095f58a51c).
*/
#define OWN_SHARE 0.6

/*
** Kernels that post the messages of an all-to-all to the NIC themselves: 128 tokens of 7.3 KB and eight experts each over
** 64 H800 take 173 us, of which their bytes take 147 at 50 GB/s (DeepEP's README, 2025; recalled).
*/
#define DEVICE_START_S 2.6e-5

double bp_infer_collective(const struct bp_infer_case *c, enum bp_collective_op op, double bytes,
                           double ranks) {
    const struct bp_tier *up = &c->in.network.scaleup;
    struct bp_collective_cost cost;
    double nccl_s, start_s;
    if (!(ranks > 1)) {
        return 0;
    }
    cost = bp_collective_cost(&c->in.network, op, bytes, ranks, 1);
    if (op == BP_COLLECTIVE_OP_ALL_TO_ALL && c->in.engine.own_collectives) {
        cost.latency_s = fmin(cost.latency_s, DEVICE_START_S);
    }
    nccl_s = cost.latency_s + cost.bandwidth_s;
    if (cost.tier != BP_COLLECTIVE_TIER_SCALEUP || !up->peer_stores ||
        !c->in.engine.own_collectives) {
        return nccl_s;
    }
    start_s = OWN_START * up->alpha_s;
    if (op != BP_COLLECTIVE_OP_ALL_REDUCE) {
        return start_s + cost.bandwidth_s;
    }
    return fmin(nccl_s, start_s + bytes * (ranks - 1) / (OWN_SHARE * up->bw_bytes_s));
}

/* Domains of fast links that the ranks are in. */
static double domains_of(const struct bp_infer_case *c) {
    return ceil(c->ranks / (double)c->in.network.domain);
}

/*
** Domains of a uniform token's experts, over the experts: between domains it is sent once to each of them and handed on
** inside (DeepEP's README, 2025; recalled).
*/
static double crossings(const struct bp_infer_case *c, double copies) {
    double domains = domains_of(c);
    double met = domains * (1 - pow(1 - 1 / domains, c->moe.topk));
    return domains > 1 ? fmin(1, met / copies) : 1;
}

/* Bytes of a value on its way to experts that multiply in 8 bit or less: it is quantised before it is sent. */
static double sent_bytes(const struct bp_infer_case *c) {
    return fmin(2, fmax(1, bp_dtype_bytes(c->moe_dtype)));
}

/* Tokens to the ranks that hold their experts, and what experts say of them back. */
static double dispatch(const struct bp_infer_case *c, double values) {
    double copies = fmin(c->moe.topk, (double)c->in.plan.ep);
    double each = values * copies * crossings(c, copies) / c->ranks;
    return bp_infer_collective(c, BP_COLLECTIVE_OP_ALL_TO_ALL, sent_bytes(c) * each, c->ranks) +
           bp_infer_collective(c, BP_COLLECTIVE_OP_ALL_TO_ALL, 2 * each, c->ranks);
}

/*
** Where attention is data or context parallel, tokens travel to their experts and back: to the ranks that hold
** them (EP), or to all ranks, which hold slices.
*/
static double expert_traffic(const struct bp_infer_case *c, double tokens) {
    const struct bp_infer_plan *p = &c->in.plan;
    double values = tokens * (double)c->in.model.hidden;
    if (p->dp * p->cp == 1) {
        return 0;
    }
    if (bp_infer_dispatches(c)) {
        return c->moe_layers * dispatch(c, values);
    }
    return 2 * c->moe_layers *
           bp_infer_collective(c, BP_COLLECTIVE_OP_ALL_GATHER, 2 * values, c->ranks);
}

/*
** Of that, what a step waits for, whose experts take so long. Between domains, engines send the tokens of one half of a
** batch under the experts of the other (two micro-batches, DeepSeek-V3, arXiv:2412.19437; SGLang's two-batch and vLLM's
** dual-batch overlap, which their guides to large-scale EP turn on; recalled), where two halves are not slower than the
** whole.
*/
double bp_infer_exposed_traffic(const struct bp_infer_case *c, double tokens, double experts_s) {
    double traffic_s = expert_traffic(c, tokens), halves_s;
    if (!(domains_of(c) > 1) || !bp_infer_is_wide(c)) {
        return traffic_s;
    }
    halves_s = fmax(2 * bp_infer_expert_matmuls(c, 0.5 * tokens), traffic_s);
    return fmax(0, fmin(traffic_s, halves_s - experts_s));
}

/* Tensor parallelism adds up partial sums after the mixer and after the feed-forward part. */
double bp_infer_sums(const struct bp_infer_case *c, double rows) {
    const struct bp_infer_plan *p = &c->in.plan;
    double message = 2 * rows * (double)c->in.model.hidden;
    double second = p->dp * p->cp > 1 ? c->layers - c->moe_layers : c->layers;
    double sum = (c->layers + second) *
                 bp_infer_collective(c, BP_COLLECTIVE_OP_ALL_REDUCE, message, (double)p->tp);
    if (p->pp > 1) {
        sum += ((double)p->pp - 1) * bp_infer_collective(c, BP_COLLECTIVE_OP_SEND_RECV, message, 2);
    }
    return sum;
}

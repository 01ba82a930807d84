#include "kernel/time/collective.h"

#include "kernel/registry.h"

#include <math.h>

/*
** A rank posts the messages of an all-to-all at once instead of waiting for each: a further rank
** adds this share of a ring step (0.0 to 0.25 us against 0.8 to 1.3 us on eight NVIDIA devices,
** ai-dynamo/aiconfigurator@095f58a51c).
*/
#define ALL_TO_ALL_STEP 0.2

/*
** It starts later, though: 7 us against 4.4 on H100, 10.9 against 8.3 on A100, 9.8 against 7.4 on B200
** (same timings, two ranks, smallest messages).
*/
#define ALL_TO_ALL_START 1.4

/*
** A hop of a tree costs this many ring steps: on eight devices of one domain the rings are still the
** faster ones (latency grows linearly from two to eight ranks in the same timings), 6 hops against 14.
** Between nodes it takes 14 us at most, or what a ring's step takes (NCCL's table below, Simple).
*/
#define TREE_HOP 2.5
#define TREE_MOST_S 14e-6

/*
** Steps inside a domain of a ring that leaves it, over NVLink: 1.9 us where one between nodes takes 4.0 (LL128), and 3.4
** in messages of the protocol for networks that do not keep the order of what they carry (Simple; hwLat of NCCL's
** src/graph/tuning.cc, 2.18 to 2.23, recalled). A step of collectives inside a domain, as timed, may take longer.
*/
#define INSIDE_SHARE (1.9 / 4.0)
#define INSIDE_MOST_S 3.4e-6

/* Where the members of a group lie. */
struct layout {
    double ranks, inside, domains; /* inside: members in one domain */
};

static struct layout lay_out(const struct bp_network *net, double ranks, double stride) {
    double domain = (double)net->domain;
    struct layout g;
    g.ranks = ranks;
    g.inside = fmax(1, fmin(ranks, floor(domain / stride)));
    g.domains = ceil(ranks / g.inside);
    return g;
}

/* Ring steps of a collective over n ranks: an all-reduce goes round twice. */
static double steps(enum bp_collective_op op, double n) {
    switch (op) {
    case BP_COLLECTIVE_OP_ALL_REDUCE:
        return 2 * (n - 1);
    case BP_COLLECTIVE_OP_ALL_GATHER:
    case BP_COLLECTIVE_OP_REDUCE_SCATTER:
    case BP_COLLECTIVE_OP_BROADCAST:
        return n - 1;
    case BP_COLLECTIVE_OP_ALL_TO_ALL:
        return ALL_TO_ALL_STEP * (n - 1);
    case BP_COLLECTIVE_OP_SEND_RECV:
        break;
    }
    return 0;
}

double bp_collective_wire(enum bp_collective_op op, double bytes, double ranks) {
    double rest = bytes * (ranks - 1) / ranks;
    switch (op) {
    case BP_COLLECTIVE_OP_ALL_REDUCE:
        return 2 * rest;
    case BP_COLLECTIVE_OP_ALL_GATHER:
    case BP_COLLECTIVE_OP_REDUCE_SCATTER:
    case BP_COLLECTIVE_OP_ALL_TO_ALL:
        return rest;
    case BP_COLLECTIVE_OP_SEND_RECV:
    case BP_COLLECTIVE_OP_BROADCAST:
        break;
    }
    return ranks > 1 ? bytes : 0;
}

/*
** Time of `wire` bytes over a tier of bandwidth bw. The root is what pipelines and protocols lose
** between the latency of a small message and the bandwidth of a large one; a plain alpha-beta line
** misses measured middle sizes by a factor of two.
*/
static double transfer(const struct bp_tier *tier, double bw, double wire) {
    return wire / (tier->util * bw) + tier->ramp * sqrt(wire / bw);
}

static struct bp_collective_cost cost(double latency_s, double bandwidth_s,
                                      enum bp_collective_tier tier,
                                      enum bp_collective_algorithm algorithm) {
    struct bp_collective_cost c;
    c.latency_s = latency_s;
    c.bandwidth_s = bandwidth_s;
    c.tier = tier;
    c.algorithm = algorithm;
    return c;
}

static struct bp_collective_cost faster(struct bp_collective_cost a, struct bp_collective_cost b) {
    return b.latency_s + b.bandwidth_s < a.latency_s + a.bandwidth_s ? b : a;
}

/*
** A switch that reduces (NVLS, SHARP) takes S from each rank and gives S (1 + 1/n) back instead of the
** ring's 2 S (n-1)/n. reduce_gain is the share of that saving a tier realises.
*/
static double ring_wire(const struct bp_tier *tier, enum bp_collective_op op, double bytes,
                        double n) {
    double wire = bp_collective_wire(op, bytes, n);
    double saving = op == BP_COLLECTIVE_OP_ALL_REDUCE ? 1 - (n + 1) / (2 * (n - 1)) : 0;
    return saving > 0 ? wire * (1 - tier->reduce_gain * saving) : wire;
}

static double tree_hop(const struct bp_tier *tier) {
    return fmin(TREE_HOP * tier->step_s, fmax(tier->step_s, TREE_MOST_S));
}

static double start(const struct bp_tier *tier, enum bp_collective_op op) {
    return op == BP_COLLECTIVE_OP_ALL_TO_ALL ? ALL_TO_ALL_START * tier->alpha_s : tier->alpha_s;
}

/* One tier, n ranks of it. */
static struct bp_collective_cost on_tier(const struct bp_tier *tier, enum bp_collective_tier name,
                                         enum bp_collective_op op, double bytes, double n) {
    double bw = tier->bw_bytes_s;
    double ring_s = transfer(tier, bw, ring_wire(tier, op, bytes, n));
    enum bp_collective_algorithm plain =
        op == BP_COLLECTIVE_OP_ALL_TO_ALL || op == BP_COLLECTIVE_OP_SEND_RECV
            ? BP_COLLECTIVE_ALGORITHM_DIRECT
            : BP_COLLECTIVE_ALGORITHM_RING;
    struct bp_collective_cost ring =
        cost(start(tier, op) + tier->step_s * steps(op, n), ring_s, name, plain);
    double hops = ceil(log2(n));
    if (op == BP_COLLECTIVE_OP_ALL_REDUCE) {
        return faster(ring,
                      cost(tier->alpha_s + tree_hop(tier) * 2 * hops, transfer(tier, bw, 2 * bytes),
                           name, BP_COLLECTIVE_ALGORITHM_TREE));
    }
    if (op == BP_COLLECTIVE_OP_BROADCAST) {
        return faster(ring, cost(tier->alpha_s + tree_hop(tier) * hops, ring_s, name,
                                 BP_COLLECTIVE_ALGORITHM_TREE));
    }
    return ring;
}

/*
** Remote and local messages leave at the same time, and only the remote share goes through the NIC: over links of their
** own, or one after the other over the one that a device has.
*/
static struct bp_collective_cost all_to_all(const struct bp_network *net, const struct layout *g,
                                            double bytes) {
    const struct bp_tier *up = &net->scaleup, *out = &net->scaleout;
    double remote = bytes * (g->ranks - g->inside) / g->ranks;
    double local = bytes * (g->inside - 1) / g->ranks;
    double remote_s = transfer(out, out->bw_bytes_s, remote);
    double local_s = g->inside > 1 ? transfer(up, up->bw_bytes_s, local) : 0;
    double latency_s = start(out, BP_COLLECTIVE_OP_ALL_TO_ALL) +
                       out->step_s * ALL_TO_ALL_STEP * (g->ranks - g->inside);
    double all_s = up->shares_link ? remote_s + local_s : fmax(remote_s, local_s);
    return cost(latency_s, all_s, BP_COLLECTIVE_TIER_SCALEOUT, BP_COLLECTIVE_ALGORITHM_DIRECT);
}

/* A ring that leaves domains: time of a step that stays in one. */
static double step_inside(const struct bp_network *net) {
    double out_s = net->scaleout.step_s;
    return fmin(out_s, fmax(net->scaleup.step_s, fmin(INSIDE_SHARE * out_s, INSIDE_MOST_S)));
}

/*
** Collectives that follow each other are in flight together: their messages are posted ahead. Where a computation
** waits for each, no message of the ring is announced before the one it follows has come, and a network that has
** to agree on every one (waited_s) takes so long for each step.
*/
static double least_step(const struct bp_network *net, int waited) {
    return waited ? net->scaleout.waited_s : 0;
}

/*
** One ring through all members (NCCL lays as many rings as there are NICs in a domain, so together
** they use the NICs of all members). Of its steps those between domains are 2 (N - 1) of 2 (n - 1) for
** an all-reduce of n ranks over N domains and N - 1 of n - 1 otherwise (nInterSteps of NCCL's src/graph/tuning.cc).
*/
static struct bp_collective_cost flat(const struct bp_network *net, const struct layout *g,
                                      enum bp_collective_op op, double bytes, int waited) {
    const struct bp_tier *up = &net->scaleup, *out = &net->scaleout;
    double wire = bp_collective_wire(op, bytes, g->ranks);
    double out_s = transfer(out, out->bw_bytes_s * g->inside, wire);
    double up_s = transfer(up, up->bw_bytes_s, wire);
    double crossings = steps(op, g->domains), others = steps(op, g->ranks) - crossings;
    double least_s = least_step(net, waited);
    double steps_s =
        fmax(out->step_s, least_s) * crossings + fmax(step_inside(net), least_s) * others;
    return cost(out->alpha_s + steps_s, fmax(out_s, up_s), BP_COLLECTIVE_TIER_SCALEOUT,
                BP_COLLECTIVE_ALGORITHM_RING);
}

/*
** All-reduce: inside the domain first, then across with 1/inside of the message per device, then inside
** again. All-gather and reduce-scatter have no such form in NCCL (up to 2.23 rings only, whose latency
** grows with every rank: what large FSDP groups pay).
*/
static struct bp_collective_cost hierarchical(const struct bp_network *net, const struct layout *g,
                                              enum bp_collective_op op, double bytes) {
    struct bp_collective_cost inside =
        on_tier(&net->scaleup, BP_COLLECTIVE_TIER_SCALEUP, op, bytes, g->inside);
    struct bp_collective_cost across =
        on_tier(&net->scaleout, BP_COLLECTIVE_TIER_SCALEOUT, op, bytes / g->inside, g->domains);
    return cost(inside.latency_s + across.latency_s, inside.bandwidth_s + across.bandwidth_s,
                BP_COLLECTIVE_TIER_SCALEOUT, BP_COLLECTIVE_ALGORITHM_HIERARCHICAL);
}

static struct bp_collective_cost across_domains(const struct bp_network *net,
                                                const struct layout *g, enum bp_collective_op op,
                                                double bytes, int waited) {
    if (op == BP_COLLECTIVE_OP_ALL_TO_ALL) {
        return all_to_all(net, g, bytes);
    }
    if (g->inside <= 1 || op == BP_COLLECTIVE_OP_SEND_RECV) {
        return on_tier(&net->scaleout, BP_COLLECTIVE_TIER_SCALEOUT, op, bytes, g->ranks);
    }
    if (op != BP_COLLECTIVE_OP_ALL_REDUCE) {
        return flat(net, g, op, bytes, waited);
    }
    return faster(hierarchical(net, g, op, bytes), flat(net, g, op, bytes, waited));
}

static struct bp_collective_cost group_cost(const struct bp_network *network,
                                            enum bp_collective_op op, double bytes, double ranks,
                                            double stride, int waited) {
    struct layout g;
    if (ranks <= 1) {
        return cost(0, 0, BP_COLLECTIVE_TIER_NONE, BP_COLLECTIVE_ALGORITHM_NONE);
    }
    g = lay_out(network, ranks, stride);
    if (g.domains <= 1) {
        return on_tier(&network->scaleup, BP_COLLECTIVE_TIER_SCALEUP, op, bytes, ranks);
    }
    return across_domains(network, &g, op, bytes, waited);
}

struct bp_collective_cost bp_collective_cost(const struct bp_network *network,
                                             enum bp_collective_op op, double bytes, double ranks,
                                             double stride) {
    return group_cost(network, op, bytes, ranks, stride, 0);
}

double bp_collective_waited(const struct bp_network *network, enum bp_collective_op op,
                            double bytes, double ranks, double stride) {
    struct bp_collective_cost c = group_cost(network, op, bytes, ranks, stride, 1);
    return c.latency_s + c.bandwidth_s;
}

double bp_collective_time(const struct bp_network *network, enum bp_collective_op op, double bytes,
                          double ranks, double stride) {
    struct bp_collective_cost c = bp_collective_cost(network, op, bytes, ranks, stride);
    return c.latency_s + c.bandwidth_s;
}

static int check(const struct bp_collective_in *in, struct bp_error *err) {
    double span = ((double)in->ranks - 1) * (double)in->stride + 1;
    struct layout g = lay_out(&in->network, (double)in->ranks, (double)in->stride);
    if (span > (double)in->network.devices) {
        return bp_fail(err, BP_EDOMAIN, "ranks", "%.0f ranks %.0f apart do not fit %.0f devices",
                       (double)in->ranks, (double)in->stride, (double)in->network.devices);
    }
    if (in->ranks > 1 && g.inside > 1 && !(in->network.scaleup.bw_bytes_s > 0)) {
        return bp_fail(err, BP_EDOMAIN, "network.scaleup", "has no bandwidth");
    }
    if (g.domains > 1 && !(in->network.scaleout.bw_bytes_s > 0)) {
        return bp_fail(err, BP_EDOMAIN, "network.scaleout", "has no bandwidth");
    }
    return BP_OK;
}

int bp_collective(const struct bp_collective_in *in, struct bp_collective_out *out,
                  struct bp_error *err) {
    enum bp_collective_op op = (enum bp_collective_op)in->op;
    struct bp_collective_cost c;
    int code = check(in, err);
    if (code != BP_OK) {
        return code;
    }
    c = group_cost(&in->network, op, in->bytes, (double)in->ranks, (double)in->stride,
                   in->waited != 0);
    out->latency_s = c.latency_s;
    out->bandwidth_s = c.bandwidth_s;
    out->time_s = c.latency_s + c.bandwidth_s;
    out->wire_bytes = bp_collective_wire(op, in->bytes, (double)in->ranks);
    out->algbw_bytes_s = out->time_s > 0 ? in->bytes / out->time_s : 0;
    out->busbw_bytes_s = out->time_s > 0 ? out->wire_bytes / out->time_s : 0;
    out->tier = (int)c.tier;
    out->algorithm = (int)c.algorithm;
    return BP_OK;
}

BP_DEFINE_ENUM(bp_collective_op, BP_COLLECTIVE_OP);
BP_DEFINE_ENUM(bp_collective_tier, BP_COLLECTIVE_TIER);
BP_DEFINE_ENUM(bp_collective_algorithm, BP_COLLECTIVE_ALGORITHM);
BP_DEFINE_SCHEMA(bp_collective_in, BP_COLLECTIVE_IN_FIELDS, "collective",
                 "a collective operation of a group of devices");
BP_DEFINE_SCHEMA(bp_collective_out, BP_COLLECTIVE_OUT_FIELDS, "collective result",
                 "what the operation costs");
BP_DEFINE_KERNEL(
    collective, "Time of a collective operation",
    "one tier: time_s = alpha_s (1.4 alpha_s for all_to_all) + step_s steps + wire / (util bw) + "
    "ramp sqrt(wire / bw); ring wire 2 S (n-1)/n for all_reduce, S (n-1)/n for all_gather, "
    "reduce_scatter, all_to_all; across N domains one flat ring, 2 (N-1) of whose steps "
    "for all_reduce, N-1 for others, have the step_s between them, the rest at most 3.4 us or the "
    "step_s inside, all at least the waited_s between them where a computation waits; "
    "all_reduce the faster of that and inside, across on S/inside per device, inside",
    "groups start on a domain boundary; neighbouring groups work at the same time, each "
    "on its own share of the NICs; no congestion beyond that",
    "in-domain parameters fitted to public NCCL timings "
    "(ai-dynamo/aiconfigurator@095f58a51c, Apache-2.0), others as said in the fabric table");

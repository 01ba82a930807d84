/* What a collective operation costs on a network of two tiers. */
#ifndef BP_KERNEL_COLLECTIVE_H
#define BP_KERNEL_COLLECTIVE_H

#include "kernel/describe/network.h"
#include "kernel/field.h"
#include "kernel/status.h"

/*
** `bytes` is always the whole message S of one rank:
**   all_reduce      the buffer every rank holds before and after
**   all_gather      the gathered result (every rank contributes bytes / ranks)
**   reduce_scatter  the input of a rank (it keeps bytes / ranks of the sum)
**   all_to_all      what a rank holds for all ranks, the part for itself included
**   send_recv       what one rank sends to the next one in the group
**   broadcast       what the root has
*/
#define BP_COLLECTIVE_OP(E)                                                                        \
    E(BP_COLLECTIVE_OP_ALL_REDUCE, "all_reduce")                                                   \
    E(BP_COLLECTIVE_OP_ALL_GATHER, "all_gather")                                                   \
    E(BP_COLLECTIVE_OP_REDUCE_SCATTER, "reduce_scatter")                                           \
    E(BP_COLLECTIVE_OP_ALL_TO_ALL, "all_to_all")                                                   \
    E(BP_COLLECTIVE_OP_SEND_RECV, "send_recv")                                                     \
    E(BP_COLLECTIVE_OP_BROADCAST, "broadcast")
BP_DECLARE_ENUM(bp_collective_op, BP_COLLECTIVE_OP);

/* The slowest tier that the group touches. */
#define BP_COLLECTIVE_TIER(E)                                                                      \
    E(BP_COLLECTIVE_TIER_NONE, "none")                                                             \
    E(BP_COLLECTIVE_TIER_SCALEUP, "scaleup")                                                       \
    E(BP_COLLECTIVE_TIER_SCALEOUT, "scaleout")
BP_DECLARE_ENUM(bp_collective_tier, BP_COLLECTIVE_TIER);

#define BP_COLLECTIVE_ALGORITHM(E)                                                                 \
    E(BP_COLLECTIVE_ALGORITHM_NONE, "none")                                                        \
    E(BP_COLLECTIVE_ALGORITHM_RING, "ring")                                                        \
    E(BP_COLLECTIVE_ALGORITHM_TREE, "tree")                                                        \
    E(BP_COLLECTIVE_ALGORITHM_HIERARCHICAL, "hierarchical")                                        \
    E(BP_COLLECTIVE_ALGORITHM_DIRECT, "direct")
BP_DECLARE_ENUM(bp_collective_algorithm, BP_COLLECTIVE_ALGORITHM);

/* A cost with its two parts: what does not depend on the message, and what does. */
struct bp_collective_cost {
    double latency_s, bandwidth_s;
    enum bp_collective_tier tier;
    enum bp_collective_algorithm algorithm;
};

/*
** The group is `ranks` devices that lie `stride` apart (1 = neighbours), starting on the boundary of
** a domain. Groups with the same stride beside it run the same operation at the same time: every
** device has its own share of the NICs and no more. One rank costs nothing.
*/
struct bp_collective_cost bp_collective_cost(const struct bp_network *network,
                                             enum bp_collective_op op, double bytes, double ranks,
                                             double stride);

/* Seconds: the sum of the two parts. */
double bp_collective_time(const struct bp_network *network, enum bp_collective_op op, double bytes,
                          double ranks, double stride);

/* The same where a computation waits for the result, and the next collective for that computation. */
double bp_collective_waited(const struct bp_network *network, enum bp_collective_op op,
                            double bytes, double ranks, double stride);

/* Bytes that leave one rank under a ring (or directly, for all_to_all and send_recv). */
double bp_collective_wire(enum bp_collective_op op, double bytes, double ranks);

#define BP_COLLECTIVE_IN_FIELDS(F, S)                                                              \
    F(S, STRUCT, network, bp_network, "", 0, 0, 0, "what connects the devices")                    \
    F(S, ENUM, op, bp_collective_op, "", BP_COLLECTIVE_OP_ALL_REDUCE, 0, 0, "operation")           \
    F(S, NUM, bytes, , "B", BP_REQUIRED, 0, 1e18, "whole message of one rank")                     \
    F(S, INT, ranks, , "", BP_REQUIRED, 1, 1e8, "devices in the group")                            \
    F(S, INT, stride, , "", 1, 1, 1e8, "distance between neighbours of the group, in devices")     \
    F(S, FLAG, waited, , "", 0, 0, 1, "a computation waits for the result: nothing is posted ahead")
BP_DECLARE_STRUCT(bp_collective_in, BP_COLLECTIVE_IN_FIELDS);

#define BP_COLLECTIVE_OUT_FIELDS(F, S)                                                             \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the operation")                                \
    F(S, NUM, wire_bytes, , "B", 0, 0, BP_ANY, "bytes that leave one rank")                        \
    F(S, NUM, latency_s, , "s", 0, 0, BP_ANY, "part that does not depend on the message")          \
    F(S, NUM, bandwidth_s, , "s", 0, 0, BP_ANY, "part that does")                                  \
    F(S, NUM, algbw_bytes_s, , "B/s", 0, 0, BP_ANY, "bytes / time_s")                              \
    F(S, NUM, busbw_bytes_s, , "B/s", 0, 0, BP_ANY, "wire_bytes / time_s")                         \
    F(S, ENUM, tier, bp_collective_tier, "", 0, 0, 0, "slowest tier the group touches")            \
    F(S, ENUM, algorithm, bp_collective_algorithm, "", 0, 0, 0, "the fastest for this message")
BP_DECLARE_STRUCT(bp_collective_out, BP_COLLECTIVE_OUT_FIELDS);

int bp_collective(const struct bp_collective_in *in, struct bp_collective_out *out,
                  struct bp_error *err);

#endif

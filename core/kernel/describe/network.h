/* What connects: the scale-up domain and the fabric between nodes, as seen by one device. */
#ifndef BP_KERNEL_NETWORK_H
#define BP_KERNEL_NETWORK_H

#include "kernel/field.h"
#include "kernel/status.h"

/*
** One tier. The time of a ring collective that moves `wire` bytes per rank over n ranks is
** alpha_s + step_s*(n-1) + wire/(util*bw) + ramp*sqrt(wire/bw), see bp_collective.
*/
#define BP_TIER_FIELDS(F, S)                                                                       \
    F(S, NUM, bw_bytes_s, , "B/s", 0, 0, 1e15,                                                     \
      "bandwidth of one device, per direction; 0 = no such tier")                                  \
    F(S, NUM, util, , "frac", 0.76, 0.01, 2, "share of it that large messages reach")              \
    F(S, NUM, alpha_s, , "s", 7e-6, 0, 10, "fixed time of a collective")                           \
    F(S, NUM, step_s, , "s", 1.5e-6, 0, 10, "time each further rank adds")                         \
    F(S, NUM, waited_s, , "s", 0, 0, 10,                                                           \
      "least time of a ring's step between domains where a computation waits for the result")      \
    F(S, NUM, ramp, , "s^0.5", 4.5e-3, 0, 10,                                                      \
      "square-root term: how slowly bandwidth ramps up with size")                                 \
    F(S, NUM, reduce_gain, , "frac", 0, 0, 1,                                                      \
      "share realised of what reduction in the switch can save")                                   \
    F(S, FLAG, peer_stores, , "", 1, 0, 1,                                                         \
      "devices store into each other's memory: serving engines run small messages themselves")     \
    F(S, FLAG, shares_link, , "", 0, 0, 1,                                                         \
      "what leaves the domain goes over the same link of a device as what stays inside")
BP_DECLARE_STRUCT(bp_tier, BP_TIER_FIELDS);

#define BP_NETWORK_FIELDS(F, S)                                                                    \
    F(S, NOTE, name, , "", 0, 0, 0, "catalog name")                                                \
    F(S, NOTE, fabric, , "", 0, 0, 0, "kind of scale-out network")                                 \
    F(S, NOTE, source, , "", 0, 0, 0, "where the numbers come from")                               \
    F(S, INT, devices, , "", BP_REQUIRED, 1, 1e8, "devices in all")                                \
    F(S, INT, node_size, , "", 8, 1, 1e6, "devices in one node (one host)")                        \
    F(S, INT, domain, , "", 8, 1, 1e6, "devices in one scale-up domain (may span nodes)")          \
    F(S, INT, host_memory_bytes, , "B", 0, 0, BP_ANY, "memory of one host; 0 = unknown")           \
    F(S, STRUCT, scaleup, bp_tier, "", 0, 0, 0, "inside the domain")                               \
    F(S, STRUCT, scaleout, bp_tier, "", 0, 0, 0, "between domains, share of one device")
BP_DECLARE_STRUCT(bp_network, BP_NETWORK_FIELDS);

#endif

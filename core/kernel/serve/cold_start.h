/* How long a replica takes from its order until it serves. */
#ifndef BP_KERNEL_COLD_START_H
#define BP_KERNEL_COLD_START_H

#include "kernel/field.h"
#include "kernel/status.h"

/*
** Weights: 1.5 GB/s is what 130 GB of Llama-2-70B in 84 s come to, PyTorch's loader from local disks (Fu et
** al., ServerlessLLM, OSDI 2024). Engine: libraries, memory profile and captured graphs of vLLM take half a
** minute to a minute (assumption).
*/
#define BP_COLD_START_IN_FIELDS(F, S)                                                              \
    F(S, NUM, weights_bytes, , "B", BP_REQUIRED, 0, 1e18, "weights of the replica, all devices")   \
    F(S, NUM, machine_s, , "s", 0, 0, 1e7, "until there is a machine; 0 = one stands by")          \
    F(S, NUM, image_bytes, , "B", 0, 0, 1e15, "container image that has to be fetched; 0 = there") \
    F(S, NUM, image_bytes_s, , "B/s", 5e8, 1, 1e15, "how fast it is fetched and unpacked")         \
    F(S, NUM, fetch_bytes_s, , "B/s", 0, 0, 1e15,                                                  \
      "how fast weights come from remote storage to local disks; 0 = they are there")              \
    F(S, NUM, load_bytes_s, , "B/s", 1.5e9, 1, 1e15,                                               \
      "how fast weights come from there to devices")                                               \
    F(S, NUM, engine_s, , "s", 45, 0, 1e6, "libraries, memory profile, captured graphs")
BP_DECLARE_STRUCT(bp_cold_start_in, BP_COLD_START_IN_FIELDS);

#define BP_COLD_START_OUT_FIELDS(F, S)                                                             \
    F(S, NUM, start_s, , "s", 0, 0, BP_ANY, "from the order until the replica serves")             \
    F(S, NUM, image_s, , "s", 0, 0, BP_ANY, "of it, the image")                                    \
    F(S, NUM, fetch_s, , "s", 0, 0, BP_ANY, "of it, weights to local disks")                       \
    F(S, NUM, load_s, , "s", 0, 0, BP_ANY, "of it, weights to the devices")
BP_DECLARE_STRUCT(bp_cold_start_out, BP_COLD_START_OUT_FIELDS);

int bp_cold_start(const struct bp_cold_start_in *in, struct bp_cold_start_out *out,
                  struct bp_error *err);

#endif

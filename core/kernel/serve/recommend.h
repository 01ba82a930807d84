/* Recommendation models: embedding tables that are looked up, and the dense layers on top of them. */
#ifndef BP_KERNEL_RECOMMEND_H
#define BP_KERNEL_RECOMMEND_H

#include "kernel/describe/device.h"
#include "kernel/describe/network.h"
#include "kernel/field.h"
#include "kernel/status.h"
#include "kernel/time/runtime.h"

#define BP_SHARDING(E)                                                                             \
    E(BP_SHARDING_TABLE, "table")                                                                  \
    E(BP_SHARDING_ROW, "row")
BP_DECLARE_ENUM(bp_sharding, BP_SHARDING);

#define BP_RECOMMENDER_FIELDS(F, S)                                                                \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                         \
    F(S, NOTE, source, , "", 0, 0, 0, "where the shape was read")                                  \
    F(S, INT, tables, , "", BP_REQUIRED, 1, 1e7, "embedding tables")                               \
    F(S, NUM, rows, , "", BP_REQUIRED, 1, 1e15, "rows of all tables together")                     \
    F(S, INT, dim, , "", BP_REQUIRED, 1, 1e6, "width of a row")                                    \
    F(S, NUM, lookups, , "", BP_REQUIRED, 0, 1e9, "rows that one item looks up, over all tables")  \
    F(S, NUM, dense_params, , "", BP_REQUIRED, 0, 1e13,                                            \
      "weights of the dense layers: bottom, crosses and top")                                      \
    F(S, INT, dense_layers, , "", BP_REQUIRED, 1, 1e5, "matmuls among them")                       \
    F(S, INT, dense_features, , "", 13, 0, 1e6, "numbers of an item that are no lookups")          \
    F(S, NUM, items, , "", 1, 1, 1e9, "items that one request ranks")
BP_DECLARE_STRUCT(bp_recommender, BP_RECOMMENDER_FIELDS);

#define BP_RECOMMEND_IN_FIELDS(F, S)                                                               \
    F(S, STRUCT, model, bp_recommender, "", 0, 0, 0, "what recommends")                            \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "where it runs")                                  \
    F(S, STRUCT, network, bp_network, "", 0, 0, 0, "what connects the devices")                    \
    F(S, STRUCT, runtime, bp_runtime, "", 0, 0, 0, "by which software")                            \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_FP16, 0, 0, "format of the dense layers")             \
    F(S, NUM, row_value_bytes, , "B", 0, 0, 16, "stored value of a row; 0 = as dtype")             \
    F(S, INT, batch, , "", BP_REQUIRED, 1, 1e12, "items of one call")                              \
    F(S, INT, devices, , "", 1, 1, 1e6, "devices the tables are spread over")                      \
    F(S, ENUM, sharding, bp_sharding, "", BP_SHARDING_TABLE, 0, 0,                                 \
      "whole tables to a device, or the rows of every table to all")                               \
    F(S, NUM, skew, , "", 1, 1, 1000,                                                              \
      "lookups and bytes of the fullest device over the mean (whole tables differ)")
BP_DECLARE_STRUCT(bp_recommend_in, BP_RECOMMEND_IN_FIELDS);

#define BP_RECOMMEND_OUT_FIELDS(F, S)                                                              \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the call")                                     \
    F(S, NUM, per_s, , "1/s", 0, 0, BP_ANY, "items per second, calls back to back")                \
    F(S, NUM, requests_per_s, , "1/s", 0, 0, BP_ANY, "requests of so many items per second")       \
    F(S, NUM, lookup_s, , "s", 0, 0, BP_ANY, "gathering rows")                                     \
    F(S, NUM, dense_s, , "s", 0, 0, BP_ANY, "dense layers")                                        \
    F(S, NUM, exchange_s, , "s", 0, 0, BP_ANY, "rows that travel to the device of their item")     \
    F(S, NUM, host_s, , "s", 0, 0, BP_ANY, "the call, and launches that the device waits for")     \
    F(S, NUM, input_s, , "s", 0, 0, BP_ANY, "bringing features and row numbers in")                \
    F(S, ENUM, bound, bp_inference_bound, "", 0, 0, 0, "the largest part")                         \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "arithmetic of the call")                              \
    F(S, NUM, gather_bytes, , "B", 0, 0, BP_ANY, "rows gathered on the fullest device")            \
    F(S, NUM, table_bytes, , "B", 0, 0, BP_ANY, "all tables")                                      \
    F(S, NUM, memory_bytes, , "B", 0, 0, BP_ANY, "of the fullest device: tables and dense layers") \
    F(S, NUM, devices_needed, , "", 0, 0, BP_ANY, "fewest devices that hold the tables")           \
    F(S, FLAG, fits, , "", 0, 0, 1, "within the memory of the devices given")
BP_DECLARE_STRUCT(bp_recommend_out, BP_RECOMMEND_OUT_FIELDS);

int bp_recommend(const struct bp_recommend_in *in, struct bp_recommend_out *out,
                 struct bp_error *err);

#endif

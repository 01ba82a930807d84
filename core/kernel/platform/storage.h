/* What is stored: embeddings with their index, checkpoints with their retention, daily classes. */
#ifndef BP_KERNEL_STORAGE_H
#define BP_KERNEL_STORAGE_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_VECTOR_INDEX(E)                                                                         \
    E(BP_VECTOR_INDEX_FLAT, "flat")                                                                \
    E(BP_VECTOR_INDEX_PQ, "pq")                                                                    \
    E(BP_VECTOR_INDEX_IVF, "ivf")                                                                  \
    E(BP_VECTOR_INDEX_IVF_PQ, "ivf_pq")                                                            \
    E(BP_VECTOR_INDEX_HNSW, "hnsw")                                                                \
    E(BP_VECTOR_INDEX_HNSW_PQ, "hnsw_pq")                                                          \
    E(BP_VECTOR_INDEX_BINARY, "binary")
BP_DECLARE_ENUM(bp_vector_index, BP_VECTOR_INDEX);

/* Whether the index keeps codes of its vectors. */
int bp_vector_is_coded(int64_t index);

/*
** Bytes of a code, and lists of so many vectors: what is given, or what Faiss advises where that is 0. A binary code has
** the sign of every value.
*/
double bp_vector_code_bytes(int64_t index, int64_t given, int64_t dim);
double bp_vector_lists(int64_t given, double vectors);

#define BP_EMBEDDING_STORE_IN_FIELDS(F, S)                                                         \
    F(S, NUM, entities, , "", BP_REQUIRED, 0, 1e15, "vectors today")                               \
    F(S, INT, dim, , "", BP_REQUIRED, 1, 1e6, "width of a vector")                                 \
    F(S, NUM, bytes_per_value, , "B", 4, 0.125, 16, "stored size of one value (fp32: 4)")          \
    F(S, INT, replication, , "", 1, 1, 100, "copies of everything")                                \
    F(S, INT, versions, , "", 1, 1, 100, "generations kept side by side (2 while re-embedding)")   \
    F(S, ENUM, index, bp_vector_index, "", BP_VECTOR_INDEX_FLAT, 0, 0, "kind of search index")     \
    F(S, FLAG, keep_raw, , "", 1, 0, 1,                                                            \
      "the vectors are kept beside an index that has only codes (pq, ivf_pq, hnsw_pq, binary)")    \
    F(S, INT, lists, , "", 0, 0, 1e9, "ivf, ivf_pq: lists; 0 = 4 sqrt(entities)")                  \
    F(S, INT, code_bytes, , "B", 0, 0, 1e6, "pq, ivf_pq, hnsw_pq: bytes of a code; 0 = dim / 4")   \
    F(S, INT, links, , "", 32, 2, 1e4, "hnsw, hnsw_pq: links M of a vector")                       \
    F(S, NUM, metadata_bytes, , "B", 0, 0, 1e9,                                                    \
      "what is held in memory beside a vector: its key, fields to filter by, payload")             \
    F(S, NUM, growth_per_s, , "1/s", 0, 0, 1e15, "vectors added per second")                       \
    F(S, NUM, horizon_s, , "s", 0, 0, 1e10, "how far ahead to plan")                               \
    F(S, NUM, device_bytes, , "B", 0, 0, 1e15, "memory of one shard; 0 = not asked")
BP_DECLARE_STRUCT(bp_embedding_store_in, BP_EMBEDDING_STORE_IN_FIELDS);

#define BP_EMBEDDING_STORE_OUT_FIELDS(F, S)                                                        \
    F(S, NUM, entities, , "", 0, 0, BP_ANY, "vectors at the horizon")                              \
    F(S, NUM, raw_bytes, , "B", 0, 0, BP_ANY, "the vectors once")                                  \
    F(S, NUM, index_bytes, , "B", 0, 0, BP_ANY, "what the index adds to them, once")               \
    F(S, NUM, copy_bytes, , "B", 0, 0, BP_ANY, "one copy: vectors that are kept, and index")       \
    F(S, NUM, memory_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "of one copy, what a search has to hold in memory")                                          \
    F(S, NUM, total_bytes, , "B", 0, 0, BP_ANY, "all copies and versions")                         \
    F(S, NUM, overhead_frac, , "frac", 0, 0, BP_ANY, "index_bytes over raw_bytes")                 \
    F(S, NUM, shards, , "", 0, 0, BP_ANY, "shards that hold memory_bytes; 0 = not asked")
BP_DECLARE_STRUCT(bp_embedding_store_out, BP_EMBEDDING_STORE_OUT_FIELDS);

int bp_embedding_store(const struct bp_embedding_store_in *in, struct bp_embedding_store_out *out,
                       struct bp_error *err);

#define BP_CHECKPOINTS_IN_FIELDS(F, S)                                                             \
    F(S, NUM, params, , "", BP_REQUIRED, 1, 1e16, "parameters")                                    \
    F(S, NUM, bytes_per_param, , "B", 14, 0.1, 64,                                                 \
      "saved per parameter: weights 2, master and moments 12")                                     \
    F(S, NUM, interval_s, , "s", BP_REQUIRED, 1e-3, 1e9, "time between two checkpoints")           \
    F(S, NUM, run_s, , "s", BP_REQUIRED, 0, 1e10, "how long the run lasts")                        \
    F(S, INT, keep_last, , "", 0, 0, 1e9, "newest checkpoints that are kept; 0 = all")             \
    F(S, NUM, keep_every_s, , "s", 0, 0, 1e10,                                                     \
      "besides, one in this time is kept for good; 0 = none")                                      \
    F(S, INT, replication, , "", 1, 1, 100, "copies of everything")                                \
    F(S, NUM, write_bytes_s, , "B/s", 0, 0, 1e15, "write bandwidth of the store; 0 = not asked")
BP_DECLARE_STRUCT(bp_checkpoints_in, BP_CHECKPOINTS_IN_FIELDS);

#define BP_CHECKPOINTS_OUT_FIELDS(F, S)                                                            \
    F(S, NUM, checkpoint_bytes, , "B", 0, 0, BP_ANY, "one checkpoint")                             \
    F(S, NUM, written, , "", 0, 0, BP_ANY, "checkpoints written during the run")                   \
    F(S, NUM, kept, , "", 0, 0, BP_ANY, "checkpoints there at its end")                            \
    F(S, NUM, stored_bytes, , "B", 0, 0, BP_ANY, "their bytes, all copies")                        \
    F(S, NUM, mean_write_bytes_s, , "B/s", 0, 0, BP_ANY, "mean write bandwidth, all copies")       \
    F(S, NUM, write_s, , "s", 0, 0, BP_ANY, "time to write one (one copy); 0 = not asked")         \
    F(S, NUM, writing_frac, , "frac", 0, 0, BP_ANY, "share of the interval spent writing")
BP_DECLARE_STRUCT(bp_checkpoints_out, BP_CHECKPOINTS_OUT_FIELDS);

int bp_checkpoints(const struct bp_checkpoints_in *in, struct bp_checkpoints_out *out,
                   struct bp_error *err);

#define BP_RETENTION_IN_FIELDS(F, S)                                                               \
    F(S, NUM, write_bytes_s, , "B/s", BP_REQUIRED, 0, 1e18,                                        \
      "written of this class: TB(2.5) * per_day(1)")                                               \
    F(S, NUM, ttl_s, , "s", 0, 0, 1e11, "how long it is kept; 0 = for ever")                       \
    F(S, INT, replication, , "", 1, 1, 100, "copies")                                              \
    F(S, NUM, compression, , "", 1, 1, 1000, "size before over size after compression")            \
    F(S, NUM, horizon_s, , "s", BP_REQUIRED, 0, 1e11, "how far ahead to look")
BP_DECLARE_STRUCT(bp_retention_in, BP_RETENTION_IN_FIELDS);

#define BP_RETENTION_OUT_FIELDS(F, S)                                                              \
    F(S, NUM, per_day_bytes, , "B", 0, 0, BP_ANY, "added per day, all copies")                     \
    F(S, NUM, horizon_bytes, , "B", 0, 0, BP_ANY, "stored at the horizon")                         \
    F(S, NUM, steady_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "stored once as much expires as is written; 0 = it never does")                              \
    F(S, FLAG, steady, , "", 0, 0, 1, "that state is reached within the horizon")
BP_DECLARE_STRUCT(bp_retention_out, BP_RETENTION_OUT_FIELDS);

int bp_retention(const struct bp_retention_in *in, struct bp_retention_out *out,
                 struct bp_error *err);

#endif

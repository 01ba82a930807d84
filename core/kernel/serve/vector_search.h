/* Nearest-neighbour search: memory, latency, throughput and recall of an index on a host. */
#ifndef BP_KERNEL_VECTOR_SEARCH_H
#define BP_KERNEL_VECTOR_SEARCH_H

#include "kernel/field.h"
#include "kernel/platform/storage.h"
#include "kernel/status.h"

/* What searches. A GPU is one thread: all of it works on a batch of queries. */
#define BP_SEARCH_HOST_FIELDS(F, S)                                                                \
    F(S, NOTE, name, , "", 0, 0, 0, "catalog name")                                                \
    F(S, NOTE, source, , "", 0, 0, 0, "where the numbers come from")                               \
    F(S, INT, threads, , "", BP_REQUIRED, 1, 1e6, "queries that are worked on at one time")        \
    F(S, NUM, peak_flop_s, , "FLOP/s", BP_REQUIRED, 1e6, 1e18, "fp32 peak of one thread")          \
    F(S, NUM, thread_bytes_s, , "B/s", BP_REQUIRED, 1e6, 1e16, "bandwidth of one thread")          \
    F(S, NUM, mem_bw_bytes_s, , "B/s", BP_REQUIRED, 1e6, 1e16, "bandwidth of all threads")         \
    F(S, NUM, memory_bytes, , "B", BP_REQUIRED, 1, 1e15, "memory of one shard's host")             \
    F(S, NUM, dense, , "frac", 0.6, 0.001, 1,                                                      \
      "share of peak_flop_s that many-to-many distances reach")                                    \
    F(S, NUM, scan, , "frac", 0.1, 0.001, 1, "share of peak_flop_s that scanning a list reaches")  \
    F(S, NUM, lookup_flop, , "FLOP", 100, 0.1, 1e6, "FLOP whose time a table lookup takes")        \
    F(S, NUM, access_s, , "s", 6e-8, 0, 1, "reading a vector from a random place")                 \
    F(S, NUM, drive_s, , "s", 1e-4, 0, 1, "reading a vector from a drive, 32 at one time")         \
    F(S, NUM, query_s, , "s", 2e-6, 0, 1, "selection and bookkeeping of a query, one result")      \
    F(S, NUM, result_s, , "s", 5e-8, 0, 1, "what every further result adds")                       \
    F(S, NUM, call_s, , "s", 1e-5, 0, 1, "fixed time of a call")
BP_DECLARE_STRUCT(bp_search_host, BP_SEARCH_HOST_FIELDS);

/*
** Recall as a normal distribution function of logarithms, see bp_vector_search. Data sets differ by far
** more than the fit to a few: `spread` (in standard deviations) is the honest range.
*/
#define BP_RECALL_LAW_FIELDS(F, S)                                                                 \
    F(S, NOTE, source, , "", 0, 0, 0, "what it was fitted to, and how well it meets that")         \
    F(S, NUM, probe, , "", -0.05, -10, 10, "ivf: at one probe")                                    \
    F(S, NUM, probe_log2, , "", 0.33, 0, 10, "ivf: by doubling of the probes")                     \
    F(S, NUM, code, , "", -0.13, -10, 10, "codes: at one bit a value, a million vectors")          \
    F(S, NUM, code_log2, , "", 0.56, 0, 10, "codes: by doubling of the bits")                      \
    F(S, NUM, code_log10, , "", -0.12, -10, 10, "codes: by ten times the vectors")                 \
    F(S, NUM, ef, , "", -1.0, -10, 10, "hnsw: at ef 1")                                            \
    F(S, NUM, ef_log2, , "", 0.46, 0, 10, "hnsw: by doubling of ef")                               \
    F(S, NUM, spread, , "", 0.5, 0, 10, "how far data sets lie from it, four in five")
BP_DECLARE_STRUCT(bp_recall_law, BP_RECALL_LAW_FIELDS);

#define BP_VECTOR_SEARCH_IN_FIELDS(F, S)                                                           \
    F(S, STRUCT, host, bp_search_host, "", 0, 0, 0, "what searches: one shard of one replica")     \
    F(S, STRUCT, law, bp_recall_law, "", 0, 0, 0, "what recall to expect")                         \
    F(S, NUM, vectors, , "", BP_REQUIRED, 1, 1e15, "vectors in the index")                         \
    F(S, INT, dim, , "", BP_REQUIRED, 1, 1e6, "width of a vector")                                 \
    F(S, NUM, bytes_per_value, , "B", 4, 0.125, 16, "stored size of one value (fp32: 4)")          \
    F(S, ENUM, index, bp_vector_index, "", BP_VECTOR_INDEX_FLAT, 0, 0, "kind of index")            \
    F(S, INT, lists, , "", 0, 0, 1e9, "ivf, ivf_pq: lists; 0 = 4 sqrt(vectors)")                   \
    F(S, INT, probes, , "", 0, 0, 1e9,                                                             \
      "ivf, ivf_pq: lists that a query looks into; 0 = the fewest that hold the nearest vector "   \
      "95 times in a hundred")                                                                     \
    F(S, INT, code_bytes, , "B", 0, 0, 1e6, "pq, ivf_pq, hnsw_pq: bytes of a code; 0 = dim / 4")   \
    F(S, INT, hamming, , "", 0, 0, 1e6,                                                            \
      "pq: codes that differ from the query's in more bits are skipped (polysemous); 0 = none "    \
      "are")                                                                                       \
    F(S, INT, rescored, , "", 0, 0, 1e6,                                                           \
      "pq, ivf_pq, hnsw_pq, binary: candidates that are ranked again by their whole vectors, "     \
      "which are read from a drive; 0 = none")                                                     \
    F(S, INT, links, , "", 32, 2, 1e4, "hnsw, hnsw_pq: links M of a vector")                       \
    F(S, INT, ef, , "", 64, 1, 1e6, "hnsw, hnsw_pq: candidates that a query keeps")                \
    F(S, INT, ef_construction, , "", 200, 1, 1e6, "hnsw, hnsw_pq: the same while building")        \
    F(S, NUM, metadata_bytes, , "B", 0, 0, 1e9,                                                    \
      "what is held in memory beside a vector: its key, fields to filter by, payload")             \
    F(S, INT, results, , "", 10, 1, 1e6, "neighbours asked for")                                   \
    F(S, INT, batch, , "", 1, 1, 1e9, "queries of one call")                                       \
    F(S, INT, segments, , "", 1, 1, 1e6,                                                           \
      "hnsw, hnsw_pq: graphs that a shard has until they are merged; a query goes through all")    \
    F(S, INT, shards, , "", 1, 1, 1e6, "hosts that each search a part of the vectors")             \
    F(S, INT, replicas, , "", 1, 1, 1e6,                                                           \
      "copies of all shards; a call is dealt over them, or over fewer where that is faster")       \
    F(S, INT, build_threads, , "", 0, 0, 1e6, "threads that build a shard; 0 = all of the host")
BP_DECLARE_STRUCT(bp_vector_search_in, BP_VECTOR_SEARCH_IN_FIELDS);

#define BP_SEARCH_BOUND(E)                                                                         \
    E(BP_SEARCH_BOUND_COMPUTE, "compute")                                                          \
    E(BP_SEARCH_BOUND_MEMORY, "memory")                                                            \
    E(BP_SEARCH_BOUND_FIXED, "fixed")
BP_DECLARE_ENUM(bp_search_bound, BP_SEARCH_BOUND);

#define BP_VECTOR_SEARCH_OUT_FIELDS(F, S)                                                          \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the call")                                     \
    F(S, NUM, per_s, , "1/s", 0, 0, BP_ANY, "queries per second, calls back to back")              \
    F(S, NUM, busy_per_s, , "1/s", 0, 0, BP_ANY, "the same with as many calls as threads take")    \
    F(S, INT, probes, , "", 0, 0, BP_ANY, "ivf, ivf_pq: lists that a query looks into")            \
    F(S, NUM, scanned, , "", 0, 0, BP_ANY, "vectors that a query is compared with, on a shard")    \
    F(S, NUM, recall, , "frac", 0, 0, 1, "share of queries whose nearest vector is found first")   \
    F(S, NUM, recall_low, , "frac", 0, 0, 1, "four data sets in five are above")                   \
    F(S, NUM, recall_high, , "frac", 0, 0, 1, "and below")                                         \
    F(S, NUM, memory_bytes, , "B", 0, 0, BP_ANY, "of one shard")                                   \
    F(S, NUM, merging_bytes, , "B", 0, 0, BP_ANY,                                                  \
      "of one shard while its segments are merged into one that is written beside them")           \
    F(S, NUM, total_bytes, , "B", 0, 0, BP_ANY, "of all shards and replicas")                      \
    F(S, NUM, shards_needed, , "", 0, 0, BP_ANY, "fewest shards that hold the index")              \
    F(S, FLAG, fits, , "", 0, 0, 1, "a shard within the memory of its host")                       \
    F(S, NUM, build_s, , "s", 0, 0, BP_ANY, "building the index of one shard, within 3 times")     \
    F(S, ENUM, bound, bp_search_bound, "", 0, 0, 0, "the largest part")
BP_DECLARE_STRUCT(bp_vector_search_out, BP_VECTOR_SEARCH_OUT_FIELDS);

int bp_vector_search(const struct bp_vector_search_in *in, struct bp_vector_search_out *out,
                     struct bp_error *err);

#endif

#include "kernel/serve/vector_search.h"

#include "kernel/registry.h"

#include <math.h>

#define CODE_ENTRIES 256.0 /* of a codebook, one byte a code: Jegou et al., TPAMI 33 (2011) */
#define BYTE_BITS 8.0

/*
** Polysemous codes (Douze et al., arXiv:1609.01882): Hamming distances of codes scatter around half of
** their bits. Fitted to the published times of one index of 16-byte codes (facebookresearch/faiss
** @02dbb4e42f, benchs/README.md): a standard deviation of 8.7 bits at 128 (5.7 if bits were
** independent), a seventh of a lookup per code byte for the filter, and 2.3 times the lookups for a
** code that passes, whose branch nobody can predict. Codes of true neighbours differ in a quarter of
** their bits, by a standard deviation of 7.4.
*/
#define HAMMING_SPREAD 0.77 /* times sqrt(bits) */
#define HAMMING_COST 0.17
#define PASSED_COST 2.3
#define HAMMING_TRUE 0.25        /* times bits */
#define HAMMING_TRUE_SPREAD 0.65 /* times sqrt(bits) */

/*
** HNSW (Malkov and Yashunin, arXiv:1603.09320): a search expands about ef vectors; of the 2 M links of
** each on the lowest level about half lead to vectors not seen before.
*/
#define NEW_LINKS 0.5

/*
** Binary codes are compared eight bytes at a time, an exclusive or and a count of bits: a third of a table lookup
** (assumption: one cycle against three).
*/
#define WORD_BYTES 8.0
#define WORD_LOOKUPS (1.0 / 3)

/*
** Every doubling of the candidates that are ranked again moves the recall of codes by a third of a standard deviation:
** codes of 64 bits found the nearest of a million SIFT vectors at rank 1, 10 and 100 in 22, 60 and 92 % (Jegou et al.,
** TPAMI 33 (2011); recalled). Reads from a drive overlap (assumption: the depth of an NVMe queue that one query keeps).
*/
#define RESCORED_LOG2 0.33
#define DRIVE_READS 32.0

/*
** Building: k-means on 64 to 256 points a list in 10 to 25 rounds (Faiss documentation: 25
** rounds of at most 256; 10 are usual for large indexes), then every vector finds its list.
*/
#define TRAIN_POINTS 256.0
#define TRAIN_ROUNDS 10.0

/*
** Where nobody says how many lists to probe: so many that the nearest vector is in one of them 95
** times in a hundred (assumption: what services aim at), as quantile of a normal distribution.
*/
#define PROBED 1.645

/* Faiss's distance_compute_blas_threshold: fewer queries are compared one by one (faiss/utils/distances.cpp; recalled). */
#define BLOCKED_QUERIES 20.0

/* What one query and one call take on one shard. */
struct search_work {
    double dense_flop, scan_flop, lookups; /* of a query */
    double visits;                         /* random vectors of a query */
    double scanned, vectors, lists, code;
    double query_bytes; /* streamed by a query that is alone */
    double call_bytes;  /* streamed by a call: lists that several queries share are read once */
};

static double resolve_lists(const struct bp_vector_search_in *in) {
    return bp_vector_lists(in->lists, in->vectors);
}

static double resolve_probes(const struct bp_vector_search_in *in) {
    const struct bp_recall_law *law = &in->law;
    if (in->probes > 0) {
        return (double)in->probes;
    }
    return fmin(resolve_lists(in), law->probe_log2 > 0
                                       ? ceil(exp2((PROBED - law->probe) / law->probe_log2))
                                       : INFINITY);
}

static double code_bytes(const struct bp_vector_search_in *in) {
    return bp_vector_code_bytes(in->index, in->code_bytes, in->dim);
}

static int has_lists(const struct bp_vector_search_in *in) {
    return in->index == BP_VECTOR_INDEX_IVF || in->index == BP_VECTOR_INDEX_IVF_PQ;
}

static int has_graph(const struct bp_vector_search_in *in) {
    return in->index == BP_VECTOR_INDEX_HNSW || in->index == BP_VECTOR_INDEX_HNSW_PQ;
}

static int has_codes(const struct bp_vector_search_in *in) {
    return bp_vector_is_coded(in->index);
}

static double normal(double z) {
    return 0.5 * erfc(-z / sqrt(2));
}

/* Lookups of one code of a list that a query walks over. */
static double lookups_of_code(const struct bp_vector_search_in *in, double code) {
    double bits = BYTE_BITS * code, passed;
    if (in->hamming == 0) {
        return code;
    }
    passed = normal(((double)in->hamming - bits / 2) / (HAMMING_SPREAD * sqrt(bits)));
    return code * (HAMMING_COST + PASSED_COST * passed);
}

static void count_lists(const struct bp_vector_search_in *in, double queries,
                        struct search_work *w) {
    double probes = resolve_probes(in), share = probes / w->lists;
    double dim = (double)in->dim;
    double touched = 1 - pow(1 - fmin(1, share), queries); /* of all lists, by the whole call */
    double entry = has_codes(in) ? w->code : dim * in->bytes_per_value;
    w->scanned = w->vectors * share;
    w->dense_flop = 2 * w->lists * dim;
    w->query_bytes = w->scanned * entry;
    w->call_bytes = touched * w->vectors * entry;
    if (has_codes(in)) {
        w->dense_flop += 2 * probes * CODE_ENTRIES * dim;
        w->lookups = w->scanned * w->code;
    } else {
        w->scan_flop = 2 * w->scanned * dim;
    }
}

static struct search_work count(const struct bp_vector_search_in *in, double queries) {
    struct search_work w = {0};
    double dim = (double)in->dim, links = (double)in->links, segments = (double)in->segments;
    w.vectors = in->vectors / (double)in->shards;
    w.lists = resolve_lists(in);
    w.code = code_bytes(in);
    switch ((enum bp_vector_index)in->index) {
    case BP_VECTOR_INDEX_FLAT:
        w.scanned = w.vectors;
        w.dense_flop = 2 * w.vectors * dim;
        w.query_bytes = w.call_bytes = w.vectors * dim * in->bytes_per_value;
        break;
    case BP_VECTOR_INDEX_PQ:
        w.scanned = w.vectors;
        w.dense_flop = 2 * CODE_ENTRIES * dim;
        w.lookups = w.vectors * lookups_of_code(in, w.code);
        w.query_bytes = w.call_bytes = w.vectors * w.code;
        break;
    case BP_VECTOR_INDEX_BINARY:
        w.scanned = w.vectors;
        w.lookups = w.vectors * ceil(w.code / WORD_BYTES) * WORD_LOOKUPS;
        w.query_bytes = w.call_bytes = w.vectors * w.code;
        break;
    case BP_VECTOR_INDEX_IVF:
    case BP_VECTOR_INDEX_IVF_PQ:
        count_lists(in, queries, &w);
        break;
    case BP_VECTOR_INDEX_HNSW:
    case BP_VECTOR_INDEX_HNSW_PQ:
        w.visits = segments * NEW_LINKS * 2 * links *
                   ((double)in->ef + log(fmax(1, w.vectors / segments)) / log(links));
        w.scanned = fmin(w.visits, w.vectors);
        w.visits = w.scanned;
        if (has_codes(in)) {
            w.dense_flop = 2 * CODE_ENTRIES * dim;
            w.lookups = w.scanned * w.code;
        } else {
            w.scan_flop = 2 * w.scanned * dim;
        }
        break;
    }
    w.scan_flop += 2 * (double)in->rescored * dim;
    return w;
}

/* Seconds of arithmetic of one query on one thread. */
static double query_compute(const struct bp_search_host *h, const struct search_work *w) {
    return (w->dense_flop / h->dense + w->scan_flop / h->scan + w->lookups * h->lookup_flop) /
           h->peak_flop_s;
}

/* What a graph has at a vector that a query visits. */
static double visited_bytes(const struct bp_vector_search_in *in) {
    return has_codes(in) ? code_bytes(in) : (double)in->dim * in->bytes_per_value;
}

/*
** Queries are dealt to threads, each of which reads what its own need; only whole vectors are, from so many queries on,
** multiplied in blocks that all threads take parts of.
*/
static int in_blocks(const struct bp_vector_search_in *in, double queries) {
    return in->index == BP_VECTOR_INDEX_FLAT && queries >= BLOCKED_QUERIES;
}

/* Threads that share one pass over what a call reads. */
static double passes_shared(const struct bp_vector_search_in *in, double queries) {
    return in_blocks(in, queries) ? (double)in->host.threads : 1;
}

/* What calls of so many queries take: each part, of which the computing and the reading go on at the same time. */
struct search_time {
    double queries, compute_s, memory_s, fixed_s;
};

static double total_s(struct search_time t) {
    return t.fixed_s + fmax(t.compute_s, t.memory_s);
}

/*
** `calls` of `queries` each on one replica at one time, whose queries take so many turns on the threads: those of one call
** share what they read, all calls the bandwidth.
*/
static struct search_time timed(const struct bp_vector_search_in *in, double queries, double calls,
                                double turns) {
    const struct bp_search_host *h = &in->host;
    struct search_work w = count(in, queries);
    double width = visited_bytes(in);
    double visits_s = turns * w.visits * (h->access_s + width / h->thread_bytes_s);
    double stream = fmin(turns * w.query_bytes, w.call_bytes / passes_shared(in, queries));
    double visited_s = calls * queries * w.visits * width / h->mem_bw_bytes_s;
    struct search_time t;
    t.queries = queries;
    t.compute_s = turns * query_compute(h, &w);
    t.memory_s = fmax(visits_s, visited_s) +
                 fmax(stream / h->thread_bytes_s, calls * w.call_bytes / h->mem_bw_bytes_s);
    t.fixed_s = h->call_s + turns * (h->query_s + h->result_s * ((double)in->results - 1) +
                                     ceil((double)in->rescored / DRIVE_READS) * h->drive_s);
    return t;
}

/* A call that has a replica to itself. */
static struct search_time alone(const struct bp_vector_search_in *in, double queries) {
    double turns = queries / (double)in->host.threads;
    return timed(in, queries, 1, in_blocks(in, queries) ? turns : ceil(turns));
}

/* The slowest part of a call that is dealt evenly: where the smaller ones lack the blocks, one of those. */
static struct search_time dealt(const struct bp_vector_search_in *in, double parts) {
    double each = (double)in->batch / parts;
    struct search_time large = alone(in, ceil(each)), small = alone(in, fmax(1, floor(each)));
    return total_s(small) > total_s(large) ? small : large;
}

/* A call is dealt over all replicas, or over so many that each part is still multiplied in blocks where that is faster. */
static struct search_time dealt_best(const struct bp_vector_search_in *in) {
    double replicas = (double)in->replicas;
    double blocked = fmax(1, floor((double)in->batch / BLOCKED_QUERIES));
    struct search_time all = dealt(in, replicas), fewer = dealt(in, fmin(replicas, blocked));
    return total_s(fewer) < total_s(all) ? fewer : all;
}

/*
** Queries answered in a second by one replica that never lacks calls: threads that one call leaves free take another's
** queries.
*/
static double busy_of(const struct bp_vector_search_in *in, double queries) {
    double threads = (double)in->host.threads;
    double calls = in_blocks(in, queries) ? 1 : fmax(1, threads / queries);
    return calls * queries / total_s(timed(in, queries, calls, calls * queries / threads));
}

static enum bp_search_bound bound_of(struct search_time t) {
    if (t.fixed_s > t.compute_s && t.fixed_s > t.memory_s) {
        return BP_SEARCH_BOUND_FIXED;
    }
    return t.memory_s > t.compute_s ? BP_SEARCH_BOUND_MEMORY : BP_SEARCH_BOUND_COMPUTE;
}

/* Recall `shift` standard deviations of data sets away from the law. */
static double recall(const struct bp_vector_search_in *in, double shift) {
    const struct bp_recall_law *law = &in->law;
    double found = 1, bits = BYTE_BITS * code_bytes(in) / (double)in->dim;
    if (has_lists(in) && resolve_probes(in) < resolve_lists(in)) {
        found *= normal(law->probe + law->probe_log2 * log2(resolve_probes(in)) + shift);
    }
    if (has_codes(in)) {
        found *= normal(law->code + law->code_log2 * log2(bits) +
                        law->code_log10 * log10(in->vectors / 1e6) +
                        RESCORED_LOG2 * log2(fmax(1, (double)in->rescored)) + shift);
    }
    if (in->hamming > 0) {
        double all = BYTE_BITS * code_bytes(in);
        found *=
            normal(((double)in->hamming - HAMMING_TRUE * all) / (HAMMING_TRUE_SPREAD * sqrt(all)));
    }
    if (has_graph(in)) {
        found *= normal(law->ef + law->ef_log2 * log2((double)in->ef) + shift);
    }
    return found;
}

static double build_time(const struct bp_vector_search_in *in) {
    const struct bp_search_host *h = &in->host;
    double threads = (double)(in->build_threads > 0 ? in->build_threads : h->threads);
    double n = in->vectors / (double)in->shards, lists = resolve_lists(in), dim = (double)in->dim;
    double flop = 0, width = dim * in->bytes_per_value;
    struct bp_vector_search_in insert = *in;
    struct search_work w;
    if (has_graph(in)) {
        double visited = visited_bytes(in);
        insert.ef = in->ef_construction;
        insert.segments = 1;
        insert.rescored = 0;
        w = count(&insert, 1);
        return n * fmax((query_compute(h, &w) +
                         w.visits * (h->access_s + visited / h->thread_bytes_s)) /
                            threads,
                        w.visits * visited / h->mem_bw_bytes_s);
    }
    if (has_lists(in)) {
        flop += 2 * lists * dim * (n + TRAIN_ROUNDS * fmin(n, TRAIN_POINTS * lists));
    }
    if (has_codes(in) && in->index != BP_VECTOR_INDEX_BINARY) {
        flop += 2 * CODE_ENTRIES * dim * n;
    }
    return flop / (h->dense * h->peak_flop_s * threads) + n * width / h->mem_bw_bytes_s;
}

static int answer_memory(const struct bp_vector_search_in *in, struct bp_vector_search_out *out,
                         struct bp_error *err) {
    struct bp_embedding_store_in store;
    struct bp_embedding_store_out bytes;
    int code;
    bp_defaults(&bp_embedding_store_in_schema, &store);
    store.entities = in->vectors / (double)in->shards;
    store.dim = in->dim;
    store.bytes_per_value = in->bytes_per_value;
    store.index = in->index;
    store.lists = (int64_t)resolve_lists(in);
    store.code_bytes = (int64_t)code_bytes(in);
    store.links = in->links;
    store.metadata_bytes = in->metadata_bytes;
    code = bp_embedding_store(&store, &bytes, err);
    if (code != BP_OK) {
        return code;
    }
    out->memory_bytes = bytes.memory_bytes;
    out->merging_bytes = bytes.memory_bytes * (in->segments > 1 ? 2 : 1);
    out->total_bytes = bytes.memory_bytes * (double)(in->shards * in->replicas);
    out->shards_needed = ceil(bytes.memory_bytes * (double)in->shards / in->host.memory_bytes);
    out->fits = bytes.memory_bytes <= in->host.memory_bytes;
    return BP_OK;
}

static int check(const struct bp_vector_search_in *in, struct bp_error *err) {
    if (has_lists(in) && resolve_lists(in) > in->vectors) {
        return bp_fail(err, BP_EDOMAIN, "lists", "%.0f are more than the %.0f vectors",
                       resolve_lists(in), in->vectors);
    }
    if (has_lists(in) && (double)in->probes > resolve_lists(in)) {
        return bp_fail(err, BP_EDOMAIN, "probes", "%lld are more than the %.0f lists",
                       (long long)in->probes, resolve_lists(in));
    }
    if (in->rescored > 0 && !has_codes(in)) {
        return bp_fail(err, BP_EDOMAIN, "rescored", "is for an index of codes");
    }
    if (in->segments > 1 && !has_graph(in)) {
        return bp_fail(err, BP_EDOMAIN, "segments", "is for an index of graphs (hnsw, hnsw_pq)");
    }
    if (in->hamming > 0 && in->index != BP_VECTOR_INDEX_PQ) {
        return bp_fail(err, BP_EDOMAIN, "hamming", "is for a pq index");
    }
    return BP_OK;
}

int bp_vector_search(const struct bp_vector_search_in *in, struct bp_vector_search_out *out,
                     struct bp_error *err) {
    struct search_time call;
    int code = check(in, err);
    if (code != BP_OK || (code = answer_memory(in, out, err)) != BP_OK) {
        return code;
    }
    call = dealt_best(in);
    out->time_s = total_s(call);
    out->per_s = (double)in->batch / out->time_s;
    /* Replicas that are all busy have nobody to deal a call to: each takes whole ones. */
    out->busy_per_s = (double)in->replicas * busy_of(in, (double)in->batch);
    out->probes = has_lists(in) ? (int64_t)resolve_probes(in) : 0;
    out->scanned = count(in, call.queries).scanned;
    out->recall = recall(in, 0);
    out->recall_low = recall(in, -in->law.spread);
    out->recall_high = recall(in, in->law.spread);
    out->build_s = build_time(in);
    out->bound = (int)bound_of(call);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_search_bound, BP_SEARCH_BOUND);
BP_DEFINE_SCHEMA(bp_search_host, BP_SEARCH_HOST_FIELDS, "search_host", "what searches vectors");
BP_DEFINE_SCHEMA(bp_recall_law, BP_RECALL_LAW_FIELDS, "recall_law", "recall by search effort");
BP_DEFINE_SCHEMA(bp_vector_search_in, BP_VECTOR_SEARCH_IN_FIELDS, "vector_search",
                 "queries to an index of vectors");
BP_DEFINE_SCHEMA(bp_vector_search_out, BP_VECTOR_SEARCH_OUT_FIELDS, "vector_search result",
                 "what they take, find and need");
BP_DEFINE_KERNEL(
    vector_search, "Latency, throughput, recall and memory of a nearest-neighbour search",
    "a query: flat 2 n dim FLOP; ivf 2 lists dim + 2 dim n probes / lists; ivf_pq 2 lists dim + "
    "512 "
    "dim probes and code_bytes n probes / lists lookups; hnsw links (ef + log n / log links) "
    "random "
    "vectors, hnsw_pq with code_bytes lookups at each; n = vectors / shards; against the bytes that a call touches, by each thread its own, "
    "of flat from 20 queries on a part; busy: that calls on all threads touch, each for itself; recall = Phi(probe + "
    "probe_log2 log2 probes) Phi(code + code_log2 log2(bits a value) + code_log10 log10(n / 1e6)) "
    "or "
    "Phi(ef + ef_log2 log2 ef)",
    "nearest neighbour at rank one, lists evenly filled and known to every shard; recall depends "
    "on "
    "the data: four sets in five within spread; a service around the library comes on top",
    "Faiss: arXiv:1702.08734; IVF-PQ: Jegou et al., TPAMI 33 (2011); HNSW: arXiv:1603.09320; "
    "coefficients fitted to published times, see lua/ballpark/catalog/fitted/vector_search.lua");

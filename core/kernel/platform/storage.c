#include "kernel/platform/storage.h"

#include "kernel/registry.h"

#include <math.h>

#define DAY_S 86400.0

/*
** Sizes inside an index, as Faiss lays them out (facebookresearch/faiss wiki, "Faiss indexes" and
** "Guidelines to choose an index", 2024): an id is 8 bytes, a link 4, a PQ codebook has 256
** entries per sub-vector and together they are as wide as the vector, in fp32; 4 sqrt(n) lists
** is the smallest number advised. HNSW has 2 M links on the lowest level and M on each above,
** which a vector reaches with probability 1/M (Malkov and Yashunin, arXiv:1603.09320): M/(M-1) more.
*/
#define ID_BYTES 8.0
#define LINK_BYTES 4.0
#define CENTROID_BYTES 4.0
#define CODEBOOK_ENTRIES 256.0
#define LISTS_PER_ROOT 4.0
#define BYTE_BITS 8.0
#define CODE_SHRINKS 4.0 /* default code: one byte for four values, 16 times smaller than fp32 */

int bp_vector_is_coded(int64_t index) {
    return index == BP_VECTOR_INDEX_PQ || index == BP_VECTOR_INDEX_IVF_PQ ||
           index == BP_VECTOR_INDEX_HNSW_PQ || index == BP_VECTOR_INDEX_BINARY;
}

double bp_vector_code_bytes(int64_t index, int64_t given, int64_t dim) {
    if (index == BP_VECTOR_INDEX_BINARY) {
        return ceil((double)dim / BYTE_BITS);
    }
    return given > 0 ? (double)given : ceil((double)dim / CODE_SHRINKS);
}

double bp_vector_lists(int64_t given, double vectors) {
    return given > 0 ? (double)given : ceil(LISTS_PER_ROOT * sqrt(vectors));
}

static double centroid_bytes(const struct bp_embedding_store_in *in, double n) {
    return bp_vector_lists(in->lists, n) * (double)in->dim * CENTROID_BYTES;
}

static double code_bytes(const struct bp_embedding_store_in *in) {
    return bp_vector_code_bytes(in->index, in->code_bytes, in->dim);
}

static double link_bytes(const struct bp_embedding_store_in *in) {
    double links = (double)in->links;
    return LINK_BYTES * (2 * links + links / (links - 1));
}

static double index_bytes(const struct bp_embedding_store_in *in, double n) {
    double codebook = CODEBOOK_ENTRIES * (double)in->dim * CENTROID_BYTES;
    switch (in->index) {
    case BP_VECTOR_INDEX_PQ:
        return n * code_bytes(in) + codebook;
    case BP_VECTOR_INDEX_BINARY:
        return n * code_bytes(in);
    case BP_VECTOR_INDEX_IVF:
        return n * ID_BYTES + centroid_bytes(in, n);
    case BP_VECTOR_INDEX_IVF_PQ:
        return n * (code_bytes(in) + ID_BYTES) + centroid_bytes(in, n) + codebook;
    case BP_VECTOR_INDEX_HNSW:
        return n * link_bytes(in);
    case BP_VECTOR_INDEX_HNSW_PQ:
        return n * (code_bytes(in) + link_bytes(in)) + codebook;
    default:
        return 0;
    }
}

int bp_embedding_store(const struct bp_embedding_store_in *in, struct bp_embedding_store_out *out,
                       struct bp_error *err) {
    double n = in->entities + in->growth_per_s * in->horizon_s;
    int coded = bp_vector_is_coded(in->index);
    if (coded && code_bytes(in) > (double)in->dim * in->bytes_per_value) {
        return bp_fail(err, BP_EDOMAIN, "code_bytes", "must not be larger than a vector, got %.0f",
                       code_bytes(in));
    }
    out->entities = n;
    out->raw_bytes = n * (double)in->dim * in->bytes_per_value;
    out->index_bytes = index_bytes(in, n);
    out->copy_bytes =
        out->index_bytes + n * in->metadata_bytes + (coded && !in->keep_raw ? 0 : out->raw_bytes);
    out->memory_bytes = out->index_bytes + n * in->metadata_bytes + (coded ? 0 : out->raw_bytes);
    out->total_bytes = out->copy_bytes * (double)in->replication * (double)in->versions;
    out->overhead_frac = out->raw_bytes > 0 ? out->index_bytes / out->raw_bytes : 0;
    out->shards = in->device_bytes > 0 ? ceil(out->memory_bytes / in->device_bytes) : 0;
    return BP_OK;
}

/* Those kept for good may be among the newest: together never more than were written. */
static double kept_checkpoints(const struct bp_checkpoints_in *in, double written) {
    double for_good = in->keep_every_s > 0 ? floor(in->run_s / in->keep_every_s) : 0;
    if (in->keep_last == 0) {
        return written;
    }
    return fmin(written, (double)in->keep_last + for_good);
}

int bp_checkpoints(const struct bp_checkpoints_in *in, struct bp_checkpoints_out *out,
                   struct bp_error *err) {
    double copies = (double)in->replication;
    if (in->keep_every_s > 0 && in->keep_every_s < in->interval_s) {
        return bp_fail(err, BP_EDOMAIN, "keep_every_s",
                       "must be at least interval_s (%g s), got %g", in->interval_s,
                       in->keep_every_s);
    }
    out->checkpoint_bytes = in->params * in->bytes_per_param;
    out->written = floor(in->run_s / in->interval_s);
    out->kept = kept_checkpoints(in, out->written);
    out->stored_bytes = out->kept * out->checkpoint_bytes * copies;
    out->mean_write_bytes_s = out->checkpoint_bytes * copies / in->interval_s;
    out->write_s = in->write_bytes_s > 0 ? out->checkpoint_bytes / in->write_bytes_s : 0;
    out->writing_frac = out->write_s / in->interval_s;
    return BP_OK;
}

int bp_retention(const struct bp_retention_in *in, struct bp_retention_out *out,
                 struct bp_error *err) {
    double rate = in->write_bytes_s * (double)in->replication / in->compression;
    (void)err;
    out->per_day_bytes = rate * DAY_S;
    out->steady = in->ttl_s > 0 && in->ttl_s <= in->horizon_s;
    out->steady_bytes = rate * in->ttl_s;
    out->horizon_bytes = rate * (out->steady ? in->ttl_s : in->horizon_s);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_vector_index, BP_VECTOR_INDEX);
BP_DEFINE_SCHEMA(bp_embedding_store_in, BP_EMBEDDING_STORE_IN_FIELDS, "embedding_store",
                 "vectors that are searched");
BP_DEFINE_SCHEMA(bp_embedding_store_out, BP_EMBEDDING_STORE_OUT_FIELDS, "embedding_store result",
                 "bytes they take");
BP_DEFINE_KERNEL(embedding_store, "Bytes of an embedding store with its index and copies",
                 "n = entities + growth_per_s horizon_s; raw_bytes = n dim bytes_per_value; index: "
                 "flat 0; pq n code_bytes + 1024 dim; ivf 8 n + 4 lists dim; ivf_pq n (code_bytes "
                 "+ 8) + 4 (lists + 256) dim; "
                 "hnsw 4 n (2 M + M/(M-1)), hnsw_pq the same and that of pq; n metadata_bytes "
                 "beside it; total_bytes = copy_bytes replication versions",
                 "layouts of Faiss; free space of a database comes on top",
                 "facebookresearch/faiss wiki (2024); HNSW arXiv:1603.09320; IVF-PQ: Jegou et al., "
                 "TPAMI 33 (2011)");

BP_DEFINE_SCHEMA(bp_checkpoints_in, BP_CHECKPOINTS_IN_FIELDS, "checkpoints", "saving a run");
BP_DEFINE_SCHEMA(bp_checkpoints_out, BP_CHECKPOINTS_OUT_FIELDS, "checkpoints result",
                 "bytes and bandwidth it takes");
BP_DEFINE_KERNEL(checkpoints, "Size, number, storage and write time of checkpoints",
                 "checkpoint_bytes = params bytes_per_param; written = floor(run_s / interval_s); "
                 "kept = min(written, keep_last + floor(run_s / keep_every_s)), all when keep_last "
                 "is 0; write_s = checkpoint_bytes / write_bytes_s",
                 "no compression or deduplication",
                 "arithmetic; 14 B: states kernel without gradients");

BP_DEFINE_SCHEMA(bp_retention_in, BP_RETENTION_IN_FIELDS, "retention", "a class of stored data");
BP_DEFINE_SCHEMA(bp_retention_out, BP_RETENTION_OUT_FIELDS, "retention result",
                 "what it takes in the long run");
BP_DEFINE_KERNEL(retention, "Storage of a class of data with an expiry",
                 "rate = write_bytes_s replication / compression; steady_bytes = rate ttl_s; "
                 "horizon_bytes = rate min(ttl_s, horizon_s)",
                 "constant rate, starting from empty", "arithmetic");

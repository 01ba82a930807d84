#include "kernel/serve/recommend.h"

#include "kernel/registry.h"
#include "kernel/time/collective.h"
#include "kernel/time/gemm.h"

#include <math.h>

/* A gathered row costs whole bursts: 64 B in HBM2 and later (JEDEC specification JESD235). */
#define BURST_BYTES 64.0

#define INDEX_BYTES 8.0   /* a row number is sent as int64 */
#define FEATURE_BYTES 4.0 /* a dense feature as fp32 */
#define POOLED_BYTES 2.0  /* pooled rows travel in 16 bit */

/* Share of a device's memory that tables may fill: the rest is context, activations and buffers. */
#define TABLE_SHARE 0.9 /* assumption */

static double value_bytes(const struct bp_recommend_in *in) {
    return in->row_value_bytes > 0 ? in->row_value_bytes : bp_dtype_bytes((enum bp_dtype)in->dtype);
}

static double gather_bytes(const struct bp_recommend_in *in) {
    double row = (double)in->model.dim * value_bytes(in);
    double bursts = ceil(row / BURST_BYTES) * BURST_BYTES;
    return in->model.lookups * (double)in->batch / (double)in->devices * in->skew * bursts;
}

/* Dense layers as equal square ones; every device computes its share of the items. */
static void add_dense(const struct bp_recommend_in *in, struct bp_forward_time *sum) {
    enum bp_dtype dtype = (enum bp_dtype)in->dtype;
    double layers = (double)in->model.dense_layers;
    double width = sqrt(in->model.dense_params / layers);
    double rows = ceil((double)in->batch / (double)in->devices);
    struct bp_gemm_parts p;
    if (!(width > 0)) {
        return;
    }
    p = bp_gemm_parts(&in->device, dtype, rows, width, width, bp_runtime_activation_bytes(dtype),
                      1);
    p.quantize_s = 0; /* models in 8 bit keep their activations in 8 bit */
    bp_runtime_matmul(&in->runtime, &in->device, &p, 1, layers, sum);
}

/*
** Whole tables: a device sends the pooled rows of its tables to the devices of their items. Rows cut
** up: every device has a part of every sum, which are added on the way.
*/
static double exchange(const struct bp_recommend_in *in) {
    double pooled = (double)in->batch * (double)(in->model.tables * in->model.dim) * POOLED_BYTES;
    double ranks = (double)in->devices;
    if (in->devices == 1) {
        return 0;
    }
    if (in->sharding == BP_SHARDING_ROW) {
        return bp_collective_time(&in->network, BP_COLLECTIVE_OP_REDUCE_SCATTER, pooled, ranks, 1);
    }
    return bp_collective_time(&in->network, BP_COLLECTIVE_OP_ALL_TO_ALL, in->skew * pooled / ranks,
                              ranks, 1);
}

static void answer_memory(const struct bp_recommend_in *in, struct bp_recommend_out *out) {
    double room = TABLE_SHARE * (double)in->device.memory_bytes;
    double dense = in->model.dense_params * bp_dtype_bytes((enum bp_dtype)in->dtype);
    out->table_bytes = in->model.rows * (double)in->model.dim * value_bytes(in);
    out->memory_bytes = out->table_bytes / (double)in->devices * in->skew + dense;
    out->devices_needed = room > dense ? ceil(out->table_bytes * in->skew / (room - dense)) : 0;
    out->fits = out->memory_bytes <= room;
}

static int check(const struct bp_recommend_in *in, struct bp_error *err) {
    if (in->devices > in->network.devices) {
        return bp_fail(err, BP_EDOMAIN, "devices", "%lld are more than the network's %lld",
                       (long long)in->devices, (long long)in->network.devices);
    }
    if (in->sharding == BP_SHARDING_TABLE && in->devices > in->model.tables) {
        return bp_fail(err, BP_EDOMAIN, "devices",
                       "%lld are more than the %lld tables: cut rows (sharding row)",
                       (long long)in->devices, (long long)in->model.tables);
    }
    if (!(bp_device_peak(&in->device, (enum bp_dtype)in->dtype) > 0)) {
        return bp_fail(err, BP_EDOMAIN, "dtype", "the device has no %s arithmetic",
                       bp_dtype_names[in->dtype]);
    }
    return BP_OK;
}

int bp_recommend(const struct bp_recommend_in *in, struct bp_recommend_out *out,
                 struct bp_error *err) {
    const struct bp_runtime *runtime = &in->runtime;
    double batch = (double)in->batch;
    double sent =
        INDEX_BYTES * in->model.lookups + FEATURE_BYTES * (double)in->model.dense_features;
    struct bp_forward_time sum = {0};
    int code = check(in, err);
    if (code != BP_OK) {
        return code;
    }
    out->gather_bytes = gather_bytes(in);
    bp_runtime_stream(&in->device, out->gather_bytes, runtime->gather, &sum);
    out->lookup_s = sum.kernels_s;
    add_dense(in, &sum);
    out->dense_s = sum.kernels_s - out->lookup_s;
    sum.network_s = out->exchange_s = exchange(in);
    /* A launch per dense layer, two for the bags of all tables and what joins them. */
    sum.host_s = runtime->host_kernel_s * ((double)in->model.dense_layers + 2) *
                 (double)runtime->conv_kernels;
    sum.input_s = runtime->input_bytes_s > 0 ? batch * sent / runtime->input_bytes_s : 0;
    out->input_s = sum.input_s;
    out->time_s = bp_runtime_total(runtime, &sum);
    out->host_s = fmax(0, out->time_s - sum.kernels_s - sum.input_s - sum.network_s);
    out->per_s = batch / out->time_s;
    out->requests_per_s = out->per_s / in->model.items;
    out->flop = 2 * batch * in->model.dense_params;
    out->bound = (int)bp_runtime_bound(runtime, &sum);
    answer_memory(in, out);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_sharding, BP_SHARDING);
BP_DEFINE_SCHEMA(bp_recommender, BP_RECOMMENDER_FIELDS, "recommender",
                 "a recommendation model by its totals");
BP_DEFINE_SCHEMA(bp_recommend_in, BP_RECOMMEND_IN_FIELDS, "recommend", "a batch of items to rank");
BP_DEFINE_SCHEMA(bp_recommend_out, BP_RECOMMEND_OUT_FIELDS, "recommend result",
                 "what the call takes");
BP_DEFINE_KERNEL(
    recommend, "Latency, throughput and memory of a recommendation model with embedding tables",
    "lookup_s = lookups batch / devices skew ceil(row / 64 B) 64 B / (gather bandwidth); dense: "
    "dense_layers matmuls of batch / devices rows, sqrt(dense_params / dense_layers) wide; "
    "exchange "
    "of pooled rows, tables dim 2 B an item: all-to-all of whole tables, reduce-scatter of cut "
    "ones; "
    "memory_bytes = rows dim value / devices skew + dense_params",
    "tables in the memory of the devices; no cache of hot rows; layers of very different width are "
    "averaged; lookup, exchange and dense layers of one call follow each other",
    "Naumov et al., arXiv:1906.00091 (DLRM); Mudigere et al., arXiv:2104.05158 section 4 "
    "(sharding); "
    "coefficients of runtimes fitted, see lua/ballpark/catalog/runtimes.lua");

#include "kernel/serve/forward.h"

#include "kernel/time/attention_time.h"
#include "kernel/time/gemm.h"

struct bp_forward bp_forward_of(const struct bp_device *device, const struct bp_runtime *runtime,
                                enum bp_dtype dtype) {
    struct bp_forward f = {0};
    f.device = device;
    f.runtime = runtime;
    f.dtype = dtype;
    return f;
}

static int is_there(double times, double rows, double n, double k) {
    return times > 0 && rows > 0 && n > 0 && k > 0;
}

static struct bp_gemm_parts parts_of(const struct bp_forward *f, double rows, double n, double k) {
    return bp_gemm_parts(f->device, f->dtype, rows, n, k, bp_runtime_activation_bytes(f->dtype), 1);
}

void bp_forward_matmul(struct bp_forward *f, double times, double rows, double n, double k) {
    struct bp_gemm_parts p;
    if (!is_there(times, rows, n, k)) {
        return;
    }
    p = parts_of(f, rows, n, k);
    bp_runtime_matmul(f->runtime, f->device, &p, 1, times, &f->sum);
    f->flop += times * p.flop;
}

/* An input value is read once, not once for every tap: kernels gather neighbours on the chip. */
void bp_forward_convolution(struct bp_forward *f, double times, double rows, double n, double k,
                            double taps) {
    struct bp_gemm_parts p;
    double moved, weight = bp_dtype_bytes(f->dtype), value = bp_runtime_activation_bytes(f->dtype);
    if (!is_there(times, rows, n, k)) {
        return;
    }
    p = parts_of(f, rows, n, k);
    moved = weight * n * k + value * rows * (k / taps + n);
    p.memory_s *= moved / p.bytes;
    p.quantize_s /= taps;
    p.bytes = moved;
    bp_runtime_matmul(f->runtime, f->device, &p, f->runtime->conv, times, &f->sum);
    f->flop += times * p.flop;
}

/* Two batched matmuls, and the softmax over scores that lie in memory. */
static void add_stored(struct bp_forward *f, const struct bp_attention_shape *s, double layers) {
    enum bp_dtype dtype = f->dtype; /* in 8 bit as well, where there is no kernel of its own */
    double bytes = bp_dtype_bytes(dtype), calls = s->batch * s->heads;
    struct bp_gemm_parts scores =
        bp_gemm_parts(f->device, dtype, s->seq_q, s->seq_kv, s->qk_dim, bytes, calls);
    struct bp_gemm_parts values =
        bp_gemm_parts(f->device, dtype, s->seq_q, s->v_dim, s->seq_kv, bytes, calls);
    bp_runtime_matmul(f->runtime, f->device, &scores, 1, layers, &f->sum);
    bp_runtime_matmul(f->runtime, f->device, &values, 1, layers, &f->sum);
    bp_forward_stream(f, layers * f->runtime->score_passes * bytes * calls * s->seq_q * s->seq_kv);
}

static void add_fused(struct bp_forward *f, const struct bp_attention_shape *s, double layers) {
    struct bp_device device = bp_attention_device(f->device, f->dtype);
    double empty = device.attention.t0_s;
    double seconds = (bp_attention_time(&device, s) - empty) / f->runtime->matmul;
    f->sum.kernels_s += layers * (f->runtime->launch * empty + seconds);
    f->sum.fixed_s += layers * f->runtime->launch * empty;
    f->sum.compute_s += layers * seconds;
}

void bp_forward_attention(struct bp_forward *f, const struct bp_attention_shape *shape,
                          double layers, int fused) {
    double before = f->sum.kernels_s;
    if (fused) {
        add_fused(f, shape, layers);
    } else {
        add_stored(f, shape, layers);
    }
    f->attention_s += f->sum.kernels_s - before;
}

void bp_forward_stream(struct bp_forward *f, double bytes) {
    bp_runtime_stream(f->device, bytes, BP_COPY_SHARE, &f->sum);
}

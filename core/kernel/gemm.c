#include "gemm.h"

#include "registry.h"

#include <math.h>

/*
** Rows below one half tile cost as much as half a tile, and a tile is 128 x 128: the tile of the
** large matmul kernels of cuBLAS and CUTLASS on tensor cores since Volta.
*/
#define MIN_ROWS 64.0
#define TILE_ELEMENTS (128.0 * 128.0)

/* A quantisation pass reads a 16-bit element and writes one byte. */
#define QUANTIZE_BYTES 3.0

struct parts {
    double flop, bytes, compute_s, memory_s, quantize_s, launch_s;
};

/*
** Utilisation saturates with the number of tiles (few tiles leave cores idle, and the tail wave is
** partly empty) and with depth (prologue and epilogue of every tile). Explicit wave counting was
** tried on the measurements and did not beat this smooth form.
*/
static struct parts split(const struct bp_device *device, enum bp_dtype dtype, double m, double n,
                          double k, double out_bytes, double batch) {
    const struct bp_gemm_curve *curve = bp_device_gemm(device, dtype);
    double rows = m > MIN_ROWS ? m : MIN_ROWS;
    double tiles = batch * rows * n / TILE_ELEMENTS;
    double peak = bp_device_peak(device, dtype) * curve->u * tiles / (tiles + curve->tiles0);
    struct parts p;
    p.flop = 2 * batch * m * n * k;
    p.bytes = batch * (bp_dtype_bytes(dtype) * (m * k + k * n) + out_bytes * m * n);
    p.compute_s = 2 * batch * rows * n * (k + curve->k0) / peak;
    p.memory_s = p.bytes / (device->mem_bw_bytes_s * curve->w);
    p.quantize_s = curve->q * QUANTIZE_BYTES * batch * m * k / device->mem_bw_bytes_s;
    p.launch_s = curve->t0_s;
    return p;
}

/* Arithmetic and traffic overlap, but not perfectly where they are alike: a 3-norm of the two. */
static double total(const struct parts *p) {
    double c = p->compute_s, b = p->memory_s;
    return p->launch_s + cbrt(c * c * c + b * b * b) + p->quantize_s;
}

double bp_gemm_time(const struct bp_device *device, enum bp_dtype dtype, double m, double n,
                    double k, double out_bytes_per_element, double batch) {
    struct parts p = split(device, dtype, m, n, k, out_bytes_per_element, batch);
    return total(&p);
}

static enum bp_gemm_bound bound_of(const struct parts *p) {
    double memory_s = p->memory_s + p->quantize_s;
    if (p->launch_s > p->compute_s && p->launch_s > memory_s) {
        return BP_GEMM_BOUND_LAUNCH;
    }
    return memory_s > p->compute_s ? BP_GEMM_BOUND_MEMORY : BP_GEMM_BOUND_COMPUTE;
}

int bp_gemm(const struct bp_gemm_in *in, struct bp_gemm_out *out, struct bp_error *err) {
    enum bp_dtype dtype = (enum bp_dtype)in->dtype;
    double peak = bp_device_peak(&in->device, dtype);
    struct parts p;
    if (!(peak > 0)) {
        return bp_fail(err, BP_EDOMAIN, "dtype", "the device has no %s arithmetic",
                       bp_dtype_names[dtype]);
    }
    p = split(&in->device, dtype, (double)in->m, (double)in->n, (double)in->k, in->out_bytes,
              (double)in->batch);
    out->time_s = total(&p);
    out->flop = p.flop;
    out->bytes = p.bytes;
    out->compute_s = p.compute_s;
    out->memory_s = p.memory_s;
    out->quantize_s = p.quantize_s;
    out->launch_s = p.launch_s;
    out->bound = (int)bound_of(&p);
    out->util_frac = p.flop / (out->time_s * peak);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_gemm_bound, BP_GEMM_BOUND);
BP_DEFINE_SCHEMA(bp_gemm_in, BP_GEMM_IN_FIELDS, "gemm", "a matmul on a device");
BP_DEFINE_SCHEMA(bp_gemm_out, BP_GEMM_OUT_FIELDS, "gemm result", "what the matmul costs");
BP_DEFINE_KERNEL(gemm, "Time of a matrix multiplication",
                 "time_s = t0_s + (compute_s^3 + memory_s^3)^(1/3) + quantize_s, "
                 "compute_s = 2 batch max(m,64) n (k + k0) / (peak u tiles / (tiles + tiles0)), "
                 "tiles = batch max(m,64) n / 128^2, memory_s = bytes / (w bandwidth), "
                 "quantize_s = q 3 B batch m k / bandwidth",
                 "dense operands, one device, warm clocks; median error by device and format beside "
                 "the curve in the catalog",
                 "fitted to public kernel timings (ai-dynamo/aiconfigurator@095f58a51c, Apache-2.0), "
                 "see tools/fit");

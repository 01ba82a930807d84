#include "kernel/time/gemm.h"

#include "kernel/registry.h"

#include <math.h>

/*
** A tile is 128 x 128, that of the large matmul kernels of cuBLAS and CUTLASS on tensor cores since
** Volta; fewer rows than half of it cost as much as half of it. A core works on two tiles at a time
** (kernels of 256 x 128): a wave is two tiles per core.
*/
#define MIN_ROWS 64.0
#define TILE_ELEMENTS (128.0 * 128.0)
#define TILES_PER_WAVE 2.0

/*
** Work, in seconds at the dense peak, at which half of the power limit's slow-down has set in. Timings
** of 1 us to 10 ms kernels show it on every device whose peak its board power does not carry; the
** fits hardly care for anything from 40 us to 1 ms.
*/
#define THROTTLE_S 100e-6

/* A quantisation pass reads a 16-bit element and writes one byte. */
#define QUANTIZE_BYTES 3.0

/*
** How many times longer than evenly spread the tiles take because the last wave is partly empty.
** Libraries choose among tile sizes and split depth, so that only a share `wave` of it is left.
*/
static double wave_loss(double tiles, double cores, double wave) {
    double waves;
    if (!(wave > 0 && cores > 0)) {
        return 1;
    }
    waves = tiles / (TILES_PER_WAVE * cores);
    return waves > 1 ? 1 + wave * (ceil(waves) / waves - 1) : 1;
}

double bp_gemm_ends(const struct bp_device *device, enum bp_dtype dtype) {
    double k0 = bp_device_gemm(device, dtype)->k0;
    double peak = bp_device_peak(device, dtype), peak16 = device->bf16_flop_s;
    if (dtype == BP_DTYPE_FP32 && peak16 > 0) {
        k0 *= fmin(1, bp_dtype_bytes(dtype) / bp_dtype_bytes(BP_DTYPE_FP16) * peak / peak16);
    }
    return k0;
}

struct bp_gemm_parts bp_gemm_parts(const struct bp_device *device, enum bp_dtype dtype, double m,
                                   double n, double k, double out_bytes, double batch) {
    const struct bp_gemm_curve *curve = bp_device_gemm(device, dtype);
    double peak = bp_device_peak(device, dtype);
    double rows = m > MIN_ROWS ? m : MIN_ROWS;
    double tiles = batch * rows * n / TILE_ELEMENTS;
    double loss =
        (1 + curve->tiles0 / tiles) * wave_loss(tiles, (double)device->cores, curve->wave);
    struct bp_gemm_parts p;
    double length;
    p.flop = 2 * batch * m * n * k;
    p.bytes = batch * (bp_dtype_bytes(dtype) * (m * k + k * n) + out_bytes * m * n);
    length = p.flop / (peak * THROTTLE_S);
    loss *= 1 + curve->throttle * length / (1 + length);
    p.compute_s =
        2 * batch * rows * n * (k + bp_gemm_ends(device, dtype)) * loss / (peak * curve->u);
    p.memory_s = p.bytes / (device->mem_bw_bytes_s * curve->w);
    p.quantize_s = curve->q * QUANTIZE_BYTES * batch * m * k / device->mem_bw_bytes_s;
    p.launch_s = curve->t0_s;
    p.depth_s = curve->depth_s * k;
    return p;
}

/* Arithmetic and traffic overlap, but not perfectly where they are alike: a 4-norm of the two. */
double bp_gemm_kernel_time(const struct bp_gemm_parts *p) {
    double c = p->compute_s * p->compute_s, b = p->memory_s * p->memory_s;
    return p->depth_s + sqrt(sqrt(c * c + b * b));
}

static double total(const struct bp_gemm_parts *p) {
    return p->launch_s + bp_gemm_kernel_time(p) + p->quantize_s;
}

double bp_gemm_time(const struct bp_device *device, enum bp_dtype dtype, double m, double n,
                    double k, double out_bytes_per_element, double batch) {
    struct bp_gemm_parts p = bp_gemm_parts(device, dtype, m, n, k, out_bytes_per_element, batch);
    return total(&p);
}

static enum bp_gemm_bound bound_of(const struct bp_gemm_parts *p) {
    double memory_s = p->memory_s + p->quantize_s;
    double fixed_s = p->launch_s + p->depth_s;
    if (fixed_s > p->compute_s && fixed_s > memory_s) {
        return BP_GEMM_BOUND_LAUNCH;
    }
    return memory_s > p->compute_s ? BP_GEMM_BOUND_MEMORY : BP_GEMM_BOUND_COMPUTE;
}

int bp_gemm(const struct bp_gemm_in *in, struct bp_gemm_out *out, struct bp_error *err) {
    enum bp_dtype dtype = (enum bp_dtype)in->dtype;
    double peak = bp_device_peak(&in->device, dtype);
    struct bp_gemm_parts p;
    if (!(peak > 0)) {
        return bp_fail(err, BP_EDOMAIN, "dtype", "the device has no %s arithmetic",
                       bp_dtype_names[dtype]);
    }
    p = bp_gemm_parts(&in->device, dtype, (double)in->m, (double)in->n, (double)in->k,
                      in->out_bytes, (double)in->batch);
    p.memory_s /= 1 + in->cached * bp_device_gemm(&in->device, dtype)->cached;
    out->time_s = total(&p);
    out->flop = p.flop;
    out->bytes = p.bytes;
    out->compute_s = p.compute_s;
    out->memory_s = p.memory_s;
    out->quantize_s = p.quantize_s;
    out->launch_s = p.launch_s + p.depth_s;
    out->bound = (int)bound_of(&p);
    out->util_frac = p.flop / (out->time_s * peak);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_gemm_bound, BP_GEMM_BOUND);
BP_DEFINE_SCHEMA(bp_gemm_in, BP_GEMM_IN_FIELDS, "gemm", "a matmul on a device");
BP_DEFINE_SCHEMA(bp_gemm_out, BP_GEMM_OUT_FIELDS, "gemm result", "what the matmul costs");
BP_DEFINE_KERNEL(
    gemm, "Time of a matrix multiplication",
    "time_s = t0_s + depth_s k + (compute_s^4 + memory_s^4)^(1/4) + quantize_s; "
    "compute_s = 2 batch r n (k + k0) (1 + tiles0/tiles) (1 + wave (ceil(v)/v - 1)) (1 + "
    "throttle x/(1+x)) / (u peak), r = max(m, 64), tiles = batch r n / 128^2, waves v = "
    "tiles / (2 cores), x = flop / (peak 100 us); memory_s = bytes / (w bandwidth); "
    "quantize_s = q 3 B batch m k / bandwidth",
    "dense operands, one device, called alone; median error by device and format beside "
    "the curve in the catalog",
    "fitted to public kernel timings (ai-dynamo/aiconfigurator@095f58a51c, Apache-2.0), "
    "see tools/fit");

#include "kernel/time/runtime.h"

#include <math.h>

double bp_runtime_activation_bytes(enum bp_dtype dtype) {
    return fmax(2, bp_dtype_bytes(dtype));
}

/*
** The empty time of a measured 8-bit matmul has the launch of its quantisation in it; where that is
** fused into other kernels, what is left is that of a 16-bit one.
*/
static double empty_time(const struct bp_runtime *runtime, const struct bp_device *device,
                         const struct bp_gemm_parts *p) {
    double plain = fmin(p->launch_s, device->gemm16.t0_s);
    return runtime->launch *
           (plain + fmin(1, runtime->quantize) * (p->launch_s - plain) + p->depth_s);
}

void bp_runtime_matmul(const struct bp_runtime *runtime, const struct bp_device *device,
                       const struct bp_gemm_parts *parts, double speed, double times,
                       struct bp_forward_time *sum) {
    struct bp_gemm_parts p = *parts;
    double fixed = empty_time(runtime, device, parts);
    p.compute_s /= runtime->matmul * speed;
    p.depth_s = 0;
    p.quantize_s *= runtime->quantize;
    sum->kernels_s += times * (fixed + bp_gemm_kernel_time(&p) + p.quantize_s);
    sum->compute_s += times * p.compute_s;
    sum->memory_s += times * (p.memory_s + p.quantize_s);
    sum->fixed_s += times * fixed;
}

void bp_runtime_stream(const struct bp_device *device, double bytes, double share,
                       struct bp_forward_time *sum) {
    double seconds = bytes / (device->mem_bw_bytes_s * share);
    sum->kernels_s += seconds;
    sum->memory_s += seconds;
}

double bp_runtime_total(const struct bp_runtime *runtime, const struct bp_forward_time *sum) {
    return runtime->call_s + sum->input_s + sum->network_s + fmax(sum->kernels_s, sum->host_s);
}

enum bp_inference_bound bp_runtime_bound(const struct bp_runtime *runtime,
                                         const struct bp_forward_time *sum) {
    double waits = fmax(0, sum->host_s - sum->kernels_s);
    double part[] = {sum->compute_s, sum->memory_s, runtime->call_s + sum->fixed_s + waits,
                     sum->input_s, sum->network_s};
    int most = 0, i;
    for (i = 1; i < (int)(sizeof part / sizeof *part); i++) {
        if (part[i] > part[most]) {
            most = i;
        }
    }
    return (enum bp_inference_bound)most;
}

BP_DEFINE_ENUM(bp_inference_bound, BP_INFERENCE_BOUND);
BP_DEFINE_SCHEMA(bp_runtime, BP_RUNTIME_FIELDS, "runtime",
                 "how software runs encoders, image networks and recommendation models");

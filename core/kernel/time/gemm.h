/* What a matrix multiplication costs: time by shape, number format and device. */
#ifndef BP_KERNEL_GEMM_H
#define BP_KERNEL_GEMM_H

#include "kernel/describe/device.h"
#include "kernel/field.h"
#include "kernel/status.h"

/*
** Seconds of `batch` independent matmuls (m x k) * (k x n) as one launch. Operands are stored in
** dtype, the result in out_bytes_per_element bytes (wgrad with fp32 accumulation reads and writes: 8).
** The device must have a peak for dtype; m, n, k and batch must be positive.
*/
double bp_gemm_time(const struct bp_device *device, enum bp_dtype dtype, double m, double n,
                    double k, double out_bytes_per_element, double batch);

/* The same in parts: time = launch_s + depth_s + (compute_s^4 + memory_s^4)^(1/4) + quantize_s. */
struct bp_gemm_parts {
    double flop, bytes;         /* work and traffic */
    double compute_s, memory_s; /* what either alone would take; they overlap */
    double quantize_s;          /* making 8- or 4-bit activations */
    double launch_s, depth_s;   /* empty call; the walk along k that cores cannot share */
};
struct bp_gemm_parts bp_gemm_parts(const struct bp_device *device, enum bp_dtype dtype, double m,
                                   double n, double k, double out_bytes_per_element, double batch);

/*
** Depth that prologue and epilogue cost, in elements of k. They move operands, which takes as long whatever
** units work in between: beside fp32 on vector units, at a fraction of the rate of matrix units, they are
** less of the whole than the 16-bit curve says.
*/
double bp_gemm_ends(const struct bp_device *device, enum bp_dtype dtype);

/* The kernel proper: the parts without launch and quantisation. */
double bp_gemm_kernel_time(const struct bp_gemm_parts *parts);

#define BP_GEMM_BOUND(E)                                                                           \
    E(BP_GEMM_BOUND_COMPUTE, "compute")                                                            \
    E(BP_GEMM_BOUND_MEMORY, "memory")                                                              \
    E(BP_GEMM_BOUND_LAUNCH, "launch")
BP_DECLARE_ENUM(bp_gemm_bound, BP_GEMM_BOUND);

#define BP_GEMM_IN_FIELDS(F, S)                                                                    \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "what runs it")                                   \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_BF16, 0, 0, "format of the operands")                 \
    F(S, INT, m, , "", BP_REQUIRED, 1, 1e12, "rows of the result (tokens)")                        \
    F(S, INT, n, , "", BP_REQUIRED, 1, 1e12, "columns of the result (output features)")            \
    F(S, INT, k, , "", BP_REQUIRED, 1, 1e12, "depth (input features)")                             \
    F(S, INT, batch, , "", 1, 1, 1e9, "independent matmuls of this shape in one launch")           \
    F(S, NUM, out_bytes, , "B", 2, 0, 16, "bytes moved per element of the result")                 \
    F(S, NUM, cached, , "frac", 0, 0, 1,                                                           \
      "share of the weights in the last-level cache, as in benchmarks that repeat a call")
BP_DECLARE_STRUCT(bp_gemm_in, BP_GEMM_IN_FIELDS);

#define BP_GEMM_OUT_FIELDS(F, S)                                                                   \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the call")                                     \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "2 m n k batch")                                       \
    F(S, NUM, bytes, , "B", 0, 0, BP_ANY, "operands and result, each moved once")                  \
    F(S, NUM, compute_s, , "s", 0, 0, BP_ANY, "time the arithmetic alone would take")              \
    F(S, NUM, memory_s, , "s", 0, 0, BP_ANY, "time the traffic alone would take")                  \
    F(S, NUM, quantize_s, , "s", 0, 0, BP_ANY, "time of quantising the activations")               \
    F(S, NUM, launch_s, , "s", 0, 0, BP_ANY, "time of an empty call")                              \
    F(S, ENUM, bound, bp_gemm_bound, "", 0, 0, 0, "the largest of the parts")                      \
    F(S, NUM, util_frac, , "frac", 0, 0, BP_ANY, "share of the dense peak that is reached")
BP_DECLARE_STRUCT(bp_gemm_out, BP_GEMM_OUT_FIELDS);

int bp_gemm(const struct bp_gemm_in *in, struct bp_gemm_out *out, struct bp_error *err);

#endif

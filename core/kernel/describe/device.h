/* What computes: one accelerator, its data-sheet numbers and the measured curves of its kernels. */
#ifndef BP_KERNEL_DEVICE_H
#define BP_KERNEL_DEVICE_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_DTYPE(E)                                                                                \
    E(BP_DTYPE_FP32, "fp32")                                                                       \
    E(BP_DTYPE_TF32, "tf32")                                                                       \
    E(BP_DTYPE_FP16, "fp16")                                                                       \
    E(BP_DTYPE_BF16, "bf16")                                                                       \
    E(BP_DTYPE_FP8, "fp8")                                                                         \
    E(BP_DTYPE_MXFP8, "mxfp8")                                                                     \
    E(BP_DTYPE_INT8, "int8")                                                                       \
    E(BP_DTYPE_FP4, "fp4")
BP_DECLARE_ENUM(bp_dtype, BP_DTYPE);

/*
** Matmul time curve, see bp_gemm. A field is left at 0 where the effect was not measured. w above 1
** happens where a device's data sheet understates what cached operands see.
*/
#define BP_GEMM_CURVE_FIELDS(F, S)                                                                 \
    F(S, NOTE, from, , "", 0, 0, 0, "whose measurements, and how well the curve meets them")       \
    F(S, NUM, u, , "frac", 0.72, 0.01, 2,                                                          \
      "share of the dense peak a large matmul reaches on cool silicon")                            \
    F(S, NUM, w, , "frac", 0.8, 0.01, 4, "share of memory bandwidth a memory-bound matmul sees")   \
    F(S, NUM, t0_s, , "s", 4e-6, 0, 1, "time of an empty matmul: launch and ramp")                 \
    F(S, NUM, depth_s, , "s", 0, 0, 1, "time per element of k that no number of cores shortens")   \
    F(S, NUM, k0, , "", 100, 0, 1e5, "depth that prologue and epilogue cost, in elements of k")    \
    F(S, NUM, tiles0, , "", 10, 0, 1e6, "tiles of 128x128 at which utilisation is halved")         \
    F(S, NUM, wave, , "frac", 0, 0, 1,                                                             \
      "share of the idle part of a last wave of tiles that is lost")                               \
    F(S, NUM, throttle, , "frac", 0, 0, 10, "slow-down of long matmuls by the power limit")        \
    F(S, NUM, q, , "", 0, 0, 100, "passes over the activations spent on quantising them")          \
    F(S, NUM, cached, , "frac", 0, 0, 100,                                                         \
      "bandwidth gained when the weights are in the cache already")
BP_DECLARE_STRUCT(bp_gemm_curve, BP_GEMM_CURVE_FIELDS);

/* Flash attention forward, see bp_attention. */
#define BP_ATTENTION_CURVE_FIELDS(F, S)                                                            \
    F(S, NOTE, from, , "", 0, 0, 0, "whose measurements, and how well the curve meets them")       \
    F(S, NUM, u, , "frac", 0.5, 0.01, 2, "share of the 16-bit peak long sequences reach")          \
    F(S, NUM, w, , "frac", 0.5, 0.01, 4, "share of memory bandwidth")                              \
    F(S, NUM, t0_s, , "s", 12e-6, 0, 1, "time of an empty call")                                   \
    F(S, NUM, walk_s, , "s", 5e-9, 0, 1,                                                           \
      "time per key of the longest walk, whatever runs beside it")                                 \
    F(S, NUM, s0, , "tok", 200, 0, 1e6,                                                            \
      "keys' worth of work that every block of 128 queries costs extra")                           \
    F(S, NUM, throttle, , "frac", 0, 0, 10, "slow-down of long calls by the power limit")          \
    F(S, NUM, cached, , "frac", 0, 0, 100, "bandwidth gained when the operands fit the cache")
BP_DECLARE_STRUCT(bp_attention_curve, BP_ATTENTION_CURVE_FIELDS);

#define BP_DEVICE_FIELDS(F, S)                                                                     \
    F(S, NOTE, name, , "", 0, 0, 0, "catalog name")                                                \
    F(S, NOTE, vendor, , "", 0, 0, 0, "who makes it")                                              \
    F(S, NOTE, architecture, , "", 0, 0, 0, "generation of the chip, whose kernels it shares")     \
    F(S, NOTE, source, , "", 0, 0, 0, "data sheet or table the numbers were read from")            \
    F(S, NOTE, date, , "", 0, 0, 0, "when it was read")                                            \
    F(S, NOTE, die_of, , "", 0, 0, 0,                                                              \
      "package of two dies of which software sees each as a device")                               \
    F(S, NOTE, from_memory, , "", 0, 0, 0, "fields not read from a source")                        \
    F(S, NOTE, curves_from, , "", 0, 0, 0, "whose kernel measurements the curves come from")       \
    F(S, NOTE, notes, , "", 0, 0, 0, "what else a reader should know")                             \
    F(S, NOTE, link, , "", 0, 0, 0, "kind of scale-up link, a name of the fabric table")           \
    F(S, NOTE, node_size, , "", 0, 0, 0, "devices in one host, as usually sold")                   \
    F(S, INT, memory_bytes, , "B", BP_REQUIRED, 1e6, 1e15, "memory that software sees")            \
    F(S, NUM, reserved_frac, , "frac", 0.015, 0, 0.9,                                              \
      "of it what the driver keeps from programs: 0.011 of an A100, 0.017 of an RTX 3090")         \
    F(S, NUM, mem_bw_bytes_s, , "B/s", BP_REQUIRED, 1e6, 1e18, "memory bandwidth, data sheet")     \
    F(S, NUM, fp32_flop_s, , "FLOP/s", 0, 0, 1e21, "dense peak, fp32 on vector units; 0 = none")   \
    F(S, NUM, tf32_flop_s, , "FLOP/s", 0, 0, 1e21, "dense peak, tf32; 0 = none")                   \
    F(S, NUM, bf16_flop_s, , "FLOP/s", BP_REQUIRED, 1e9, 1e21, "dense peak, bf16 and fp16")        \
    F(S, FLAG, has_bf16, , "", 1, 0, 1, "computes in bf16, not in fp16 alone (before Ampere)")     \
    F(S, NUM, fp8_flop_s, , "FLOP/s", 0, 0, 1e21, "dense peak, fp8; 0 = none")                     \
    F(S, NUM, int8_flop_s, , "FLOP/s", 0, 0, 1e21, "dense peak, int8 operations; 0 = none")        \
    F(S, NUM, fp4_flop_s, , "FLOP/s", 0, 0, 1e21, "dense peak, fp4; 0 = none")                     \
    F(S, INT, l2_bytes, , "B", 0, 0, 1e12, "last-level cache; 0 = unknown")                        \
    F(S, NUM, link_bytes_s, , "B/s", 0, 0, 1e15, "scale-up link, per direction; 0 = none")         \
    F(S, INT, domain, , "", 1, 1, 1e6, "devices in one scale-up domain")                           \
    F(S, NUM, nic_bytes_s, , "B/s", 0, 0, 1e15, "scale-out share of one device, per direction")    \
    F(S, NUM, host_bytes_s, , "B/s", 31.5e9, 1e6, 1e15,                                            \
      "link to the host, per direction; PCIe 4 x16 unless said")                                   \
    F(S, FLAG, shared_memory, , "", 0, 0, 1, "memory is the host's, too")                          \
    F(S, INT, cores, , "", 0, 0, 1e6, "matmul cores (SMs, CUs, MXUs); 0 = unknown")                \
    F(S, NUM, tdp_w, , "W", 0, 0, 1e6, "board power; 0 = unknown")                                 \
    F(S, STRUCT, gemm16, bp_gemm_curve, "", 0, 0, 0,                                               \
      "matmul curve, bf16 and fp16 (fp32, tf32 too)")                                              \
    F(S, STRUCT, gemm8, bp_gemm_curve, "", 0, 0, 0, "matmul curve, fp8 and int8")                  \
    F(S, STRUCT, gemm8_block, bp_gemm_curve, "", 0, 0, 0,                                          \
      "matmul curve, 8 bit with a scale per block (mxfp8)")                                        \
    F(S, STRUCT, gemm4, bp_gemm_curve, "", 0, 0, 0, "matmul curve, fp4")                           \
    F(S, STRUCT, attention, bp_attention_curve, "", 0, 0, 0, "flash attention forward")
BP_DECLARE_STRUCT(bp_device, BP_DEVICE_FIELDS);

/* Dense peak of dtype in FLOP/s, 0 when the device has none. */
double bp_device_peak(const struct bp_device *device, enum bp_dtype dtype);

/*
** The peak of 16 bit where sums are 16 bit, too. Matrix units of GeForce run sums in fp32 at half the rate (NVIDIA's white
** papers of Turing, GA102, Ada and Blackwell, which give both); int8 at twice it tells. Elsewhere there is one peak.
*/
double bp_device_peak16(const struct bp_device *device);

/* The 16-bit arithmetic of a device: bf16, or fp16 before Ampere. */
enum bp_dtype bp_device_16_bit(const struct bp_device *device);

/* The matmul curve that serves dtype. */
const struct bp_gemm_curve *bp_device_gemm(const struct bp_device *device, enum bp_dtype dtype);

/* Bytes of one stored element. */
double bp_dtype_bytes(enum bp_dtype dtype);

#endif

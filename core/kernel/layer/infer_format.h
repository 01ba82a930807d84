/* In which number format a part of a served model is stored, and in which one it is multiplied. */
#ifndef BP_KERNEL_INFER_FORMAT_H
#define BP_KERNEL_INFER_FORMAT_H

#include "kernel/describe/device.h"
#include "kernel/field.h"

/* fp8_block carries a scale per block of 128 x 128 weights, the mx formats one per 32, nvfp4 per 16. */
#define BP_FORMAT(E)                                                                               \
    E(BP_FORMAT_AUTO, "auto")                                                                      \
    E(BP_FORMAT_BF16, "bf16")                                                                      \
    E(BP_FORMAT_FP8, "fp8")                                                                        \
    E(BP_FORMAT_FP8_BLOCK, "fp8_block")                                                            \
    E(BP_FORMAT_INT8, "int8")                                                                      \
    E(BP_FORMAT_INT4, "int4")                                                                      \
    E(BP_FORMAT_NVFP4, "nvfp4")                                                                    \
    E(BP_FORMAT_MXFP4, "mxfp4")
BP_DECLARE_ENUM(bp_format, BP_FORMAT);

/* Bytes of one stored element, its share of the scales included. */
double bp_format_bytes(enum bp_format format);

/*
** What the matrix units multiply when weights are stored in `weights` and activations in
** `activations` (auto: as the weights where a format has activations of its own, else 16 bit). A
** device without that arithmetic unpacks the weights and multiplies in 16 bit.
*/
enum bp_dtype bp_format_compute(const struct bp_device *device, enum bp_format weights,
                                enum bp_format activations);

/* Whether weights of so many bytes are unpacked before they are multiplied in `dtype`. */
int bp_format_unpacks(double stored_bytes, enum bp_dtype dtype);

/*
** The next wider format that the device multiplies, which weights can be unpacked to once and for all: 8 bit of 4, 16
** bit of 8-bit integers. The same of other formats, whose kernels are the faster ones wherever they exist.
*/
enum bp_dtype bp_format_wider(const struct bp_device *device, enum bp_dtype dtype);

#endif

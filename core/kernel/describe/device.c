#include "kernel/describe/device.h"

BP_DEFINE_ENUM(bp_dtype, BP_DTYPE);

BP_DEFINE_SCHEMA(bp_gemm_curve, BP_GEMM_CURVE_FIELDS, "gemm_curve",
                 "time of a matmul on one device in one number format");
BP_DEFINE_SCHEMA(bp_attention_curve, BP_ATTENTION_CURVE_FIELDS, "attention_curve",
                 "time of flash attention, forward, on one device");
BP_DEFINE_SCHEMA(bp_device, BP_DEVICE_FIELDS, "device",
                 "one accelerator: data-sheet numbers and measured kernel curves");

double bp_device_peak(const struct bp_device *device, enum bp_dtype dtype) {
    switch (dtype) {
    case BP_DTYPE_FP32:
        return device->fp32_flop_s;
    case BP_DTYPE_TF32:
        return device->tf32_flop_s;
    case BP_DTYPE_FP16:
        return device->bf16_flop_s;
    case BP_DTYPE_BF16:
        return device->has_bf16 ? device->bf16_flop_s : 0;
    case BP_DTYPE_FP8:
    case BP_DTYPE_MXFP8:
        return device->fp8_flop_s;
    case BP_DTYPE_INT8:
        return device->int8_flop_s;
    case BP_DTYPE_FP4:
        return device->fp4_flop_s;
    }
    return 0;
}

double bp_device_peak16(const struct bp_device *device) {
    int matrix = device->bf16_flop_s > device->fp32_flop_s; /* units of their own for it */
    double half = device->int8_flop_s / 2;
    return matrix && half > device->bf16_flop_s ? half : device->bf16_flop_s;
}

enum bp_dtype bp_device_16_bit(const struct bp_device *device) {
    return device->has_bf16 ? BP_DTYPE_BF16 : BP_DTYPE_FP16;
}

const struct bp_gemm_curve *bp_device_gemm(const struct bp_device *device, enum bp_dtype dtype) {
    switch (dtype) {
    case BP_DTYPE_FP8:
    case BP_DTYPE_INT8:
        return &device->gemm8;
    case BP_DTYPE_MXFP8:
        return &device->gemm8_block;
    case BP_DTYPE_FP4:
        return &device->gemm4;
    case BP_DTYPE_FP32:
    case BP_DTYPE_TF32:
    case BP_DTYPE_FP16:
    case BP_DTYPE_BF16:
        break;
    }
    return &device->gemm16;
}

double bp_dtype_bytes(enum bp_dtype dtype) {
    switch (dtype) {
    case BP_DTYPE_FP32:
    case BP_DTYPE_TF32:
        return 4;
    case BP_DTYPE_FP16:
    case BP_DTYPE_BF16:
        return 2;
    case BP_DTYPE_FP8:
    case BP_DTYPE_INT8:
        return 1;
    case BP_DTYPE_MXFP8:
        return 1 + 1.0 / 32; /* an 8-bit scale for every 32 elements (OCP MX 1.0, 2023) */
    case BP_DTYPE_FP4:
        /* Two elements in a byte plus an 8-bit scale for every 16 of them (NVFP4). */
        return 0.5 + 1.0 / 16;
    }
    return 0;
}

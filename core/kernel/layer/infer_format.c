#include "kernel/layer/infer_format.h"

BP_DEFINE_ENUM(bp_format, BP_FORMAT);

double bp_format_bytes(enum bp_format format) {
    switch (format) {
    case BP_FORMAT_FP8:
    case BP_FORMAT_INT8:
        return 1;
    case BP_FORMAT_FP8_BLOCK:
        return 1 + 4.0 / (128 * 128); /* an fp32 scale per block (DeepSeek-V3, arXiv:2412.19437) */
    case BP_FORMAT_INT4:
        return 0.5 +
               2.5 / 128; /* fp16 scale, 4-bit zero per group of 128 (GPTQ, arXiv:2210.17323) */
    case BP_FORMAT_NVFP4:
        return 0.5 + 1.0 / 16; /* an fp8 scale per 16 elements (NVIDIA, 2025) */
    case BP_FORMAT_MXFP4:
        return 0.5 + 1.0 / 32; /* an 8-bit scale per 32 elements (OCP MX 1.0, 2023) */
    case BP_FORMAT_AUTO:
    case BP_FORMAT_BF16:
        break;
    }
    return 2;
}

/* The arithmetic of a format; there is none for 4-bit integers. */
static enum bp_dtype arithmetic(enum bp_format format) {
    switch (format) {
    case BP_FORMAT_FP8:
        return BP_DTYPE_FP8;
    case BP_FORMAT_FP8_BLOCK:
        return BP_DTYPE_MXFP8;
    case BP_FORMAT_INT8:
        return BP_DTYPE_INT8;
    case BP_FORMAT_NVFP4:
    case BP_FORMAT_MXFP4:
        return BP_DTYPE_FP4;
    case BP_FORMAT_AUTO:
    case BP_FORMAT_BF16:
    case BP_FORMAT_INT4:
        break;
    }
    return BP_DTYPE_BF16;
}

enum bp_dtype bp_format_compute(const struct bp_device *device, enum bp_format weights,
                                enum bp_format activations) {
    enum bp_dtype dtype = arithmetic(activations == BP_FORMAT_AUTO ? weights : activations);
    return bp_device_peak(device, dtype) > 0 ? dtype : bp_device_16_bit(device);
}

/* Of the bytes that are multiplied: scales beside 8-bit weights are no narrower format. */
#define NARROW 0.75

int bp_format_unpacks(double stored_bytes, enum bp_dtype dtype) {
    return stored_bytes < NARROW * bp_dtype_bytes(dtype);
}

enum bp_dtype bp_format_wider(const struct bp_device *device, enum bp_dtype dtype) {
    enum bp_dtype wider = dtype;
    if (dtype == BP_DTYPE_FP4) {
        wider = BP_DTYPE_FP8;
    } else if (dtype == BP_DTYPE_INT8) {
        wider = bp_device_16_bit(device);
    }
    return bp_device_peak(device, wider) > 0 ? wider : dtype;
}

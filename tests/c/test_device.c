/* Devices: which peak, curve and width serve a number format. */
#include "kernel/describe/device.h"
#include "near.h"

#include <string.h>

static struct bp_device example(void) {
    struct bp_device d;
    bp_defaults(&bp_device_schema, &d);
    d.fp32_flop_s = 1e12;
    d.tf32_flop_s = 2e12;
    d.bf16_flop_s = 4e12;
    d.fp8_flop_s = 8e12;
    d.int8_flop_s = 7e12;
    return d;
}

static void test_peaks(void **state) {
    struct bp_device d = example();
    (void)state;
    assert_near(bp_device_peak(&d, BP_DTYPE_FP32), 1e12, 0);
    assert_near(bp_device_peak(&d, BP_DTYPE_TF32), 2e12, 0);
    assert_near(bp_device_peak(&d, BP_DTYPE_FP16), 4e12, 0);
    assert_near(bp_device_peak(&d, BP_DTYPE_BF16), 4e12, 0);
    assert_near(bp_device_peak(&d, BP_DTYPE_FP8), 8e12, 0);
    assert_near(bp_device_peak(&d, BP_DTYPE_INT8), 7e12, 0);
    assert_true(bp_device_peak(&d, BP_DTYPE_FP4) == 0);
}

static void test_curves(void **state) {
    struct bp_device d = example();
    (void)state;
    assert_ptr_equal(bp_device_gemm(&d, BP_DTYPE_FP32), &d.gemm16);
    assert_ptr_equal(bp_device_gemm(&d, BP_DTYPE_BF16), &d.gemm16);
    assert_ptr_equal(bp_device_gemm(&d, BP_DTYPE_FP8), &d.gemm8);
    assert_ptr_equal(bp_device_gemm(&d, BP_DTYPE_INT8), &d.gemm8);
    assert_ptr_equal(bp_device_gemm(&d, BP_DTYPE_FP4), &d.gemm4);
}

static void test_bytes(void **state) {
    static const double bytes[] = {4, 4, 2, 2, 1, 1.03125, 1, 0.5625};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        assert_near(bp_dtype_bytes((enum bp_dtype)i), bytes[i], 0);
        assert_non_null(bp_dtype_names[i]);
    }
    assert_null(bp_dtype_names[i]);
    assert_string_equal(bp_dtype_names[BP_DTYPE_FP4], "fp4");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peaks),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Convolutional networks by their totals: arithmetic, traffic, images of another size. */
#include "inference_fixture.h"
#include "kernel/serve/convnet.h"
#include "near.h"

static struct bp_convnet_forward_in resnet_in(void) {
    struct bp_convnet_forward_in in;
    bp_defaults(&bp_convnet_forward_in_schema, &in);
    in.network.image_flop = 8.178e9; /* ResNet-50 */
    in.network.params = 25.56e6;
    in.network.activations = 11.11e6;
    in.network.layers = 54;
    in.device = ideal_device();
    in.runtime = ideal_runtime();
    return in;
}

static struct bp_convnet_forward_out forward(struct bp_convnet_forward_in in) {
    struct bp_convnet_forward_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_convnet_forward(&in, &out, &err), BP_OK);
    return out;
}

static void test_compute(void **state) {
    struct bp_convnet_forward_in in = resnet_in();
    struct bp_convnet_forward_out out;
    (void)state;
    in.batch = 64;
    out = forward(in);
    assert_near(out.time_s, 64 * 8.178e9 / PEAK16, 1e-9);
    assert_near(out.util_frac, 1, 1e-9);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_COMPUTE);
    in.runtime.conv = 0.5;
    assert_near(forward(in).time_s, 2 * out.time_s, 1e-9);
    in.image = 448; /* four times the pixels */
    assert_near(forward(in).item_flop, 4 * 8.178e9, 1e-12);
}

/* Weights once and every activation out and in, at 1 GB/s. */
static void test_memory(void **state) {
    struct bp_convnet_forward_in in = resnet_in();
    struct bp_convnet_forward_out out;
    (void)state;
    in.batch = 8;
    in.device.mem_bw_bytes_s = 1e9;
    out = forward(in);
    assert_near(out.time_s, 2 * (25.56e6 + 8 * 2 * 11.11e6) / 1e9, 1e-6);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_MEMORY);
    in.dtype = BP_DTYPE_INT8;
    assert_near(forward(in).time_s, out.time_s / 2, 1e-6);
    assert_near(out.weights_bytes, 2 * 25.56e6, 1e-12);
}

/* Norms, activation functions and sums pass over the activations where each is a kernel, at 0.8 of 1 GB/s. */
static void test_apart(void **state) {
    struct bp_convnet_forward_in in = resnet_in();
    double fused;
    (void)state;
    in.batch = 8;
    in.device.mem_bw_bytes_s = 1e9;
    in.network.apart_passes = 5.5;
    fused = forward(in).time_s;
    assert_near(forward(in).elementwise_s, 0, 1e-12);
    in.runtime.conv_kernels = 3;
    in.runtime.host_kernel_s = 0;
    assert_near(forward(in).elementwise_s, 8 * 5.5 * 2 * 11.11e6 / 0.8e9, 1e-6);
    assert_near(forward(in).time_s, fused + forward(in).elementwise_s, 1e-9);
    in.image = 448;
    assert_near(forward(in).elementwise_s, 4 * 8 * 5.5 * 2 * 11.11e6 / 0.8e9, 1e-6);
}

static void test_host_and_input(void **state) {
    struct bp_convnet_forward_in in = resnet_in();
    struct bp_convnet_forward_out out;
    (void)state;
    in.runtime.host_kernel_s = 1e-5;
    in.runtime.conv_kernels = 3;
    in.runtime.call_s = 1e-3;
    out = forward(in);
    assert_near(out.time_s, 1e-3 + 54 * 3 * 1e-5, 1e-9);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_LAUNCH);
    in.runtime.input_bytes_s = 1e6; /* 3 x 224 x 224 values in fp32 */
    assert_near(forward(in).input_s, 602112 / 1e6, 1e-12);
}

static void test_refused(void **state) {
    struct bp_convnet_forward_in in = resnet_in();
    struct bp_convnet_forward_out out;
    struct bp_error err = {0};
    (void)state;
    in.device.fp4_flop_s = 0;
    in.dtype = BP_DTYPE_FP4;
    assert_int_equal(bp_convnet_forward(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "dtype");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compute), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_apart),   cmocka_unit_test(test_host_and_input),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

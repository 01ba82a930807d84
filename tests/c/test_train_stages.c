/* Stages of a pipeline by hand, and against the estimate of the fullest and the slowest of them. */
#include "kernel/train/train_stages.h"

#include "ideal.h"

enum { MAX_STAGES = 16 };

static void stages_of(const struct bp_train_step_in *in, struct bp_train_stage *stages) {
    struct ready_case r;
    struct bp_error err = {0};
    assert_int_equal(bp_train_stages(make_ready(&r, in), stages, &err), BP_OK);
}

/* Llama 70B in four: 20 layers each, the last with the head; backward of the core 2.5 * 1.18 as long. */
static void test_times(void **state) {
    struct bp_train_step_in in = ideal(1, 4, 1, 8);
    struct bp_train_stage s[MAX_STAGES];
    int i;
    (void)state;
    stages_of(&in, s);
    for (i = 0; i < 4; i++) {
        double head = i == 3 ? HEAD : 0;
        assert_int_equal(s[i].layers, 20);
        assert_near(s[i].forward_s, 20 * (LAYER + CORE) + head, 1e-9);
        assert_near(s[i].backward_s, 20 * (2 * LAYER + CORE_BOTH - CORE) + 2 * head, 1e-9);
        assert_near(s[i].weight_s, 20 * LAYER + head, 1e-9);
        assert_near(s[i].micro_bytes, 20 * 4096 * 274688.0, 1e-14);
        assert_int_equal(s[i].memory.in_flight, 4 - i);
    }
}

/* Uneven, with experts in front or not: one of them is what the estimate of the step names. */
static void check_fullest(const struct bp_train_step_in *in) {
    struct bp_train_stage s[MAX_STAGES];
    struct ready_case r;
    struct bp_train_memory whole;
    struct bp_error err = {0};
    int64_t layers = 0, most = 0, i;
    assert_int_equal(bp_train_memory(make_ready(&r, in), &whole, &err), BP_OK);
    stages_of(in, s);
    for (i = 0; i < in->plan.pp; i++) {
        layers += s[i].layers;
        most = s[i].memory.total_bytes > most ? s[i].memory.total_bytes : most;
    }
    assert_int_equal(layers, in->model.layers);
    assert_int_equal(most, whole.total_bytes);
    assert_memory_equal(&s[whole.stage].memory, &whole, sizeof whole);
}

static void test_fullest(void **state) {
    static const int64_t widths[] = {2, 4, 6, 8, 16};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct bp_train_step_in in = spread(llama_model(), 1, widths[i], 1, 16, 4096);
        check_fullest(&in);
        in = spread(moe_model(), 1, widths[i], 1, 16, 4096);
        check_fullest(&in);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_fullest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* What runs in the pipeline: passes of the slowest stage, its waits, sends and bubble. */
static double in_pipeline(const struct bp_train_time *t, const struct bp_profile *p) {
    return t->matmul_s + t->attention_s + t->elementwise_s + t->recompute_s + t->tp_s + t->cp_s +
           t->ep_s + t->host_s - p->host_step_s + t->pp_s + t->bubble_s;
}

/* A simulation keeps most on stage 5 of 8, of weights twice, and takes 100 s in all. */
static void test_simulated(void **state) {
    static const double in_flight[] = {3, 1, 1, 1, 2, 9.5, 1, 1};
    struct bp_train_step_in in = spread(llama_model(), 1, 8, 1, 16, 4096);
    struct bp_simulated simulated = {100, 2, in_flight};
    struct bp_train_stage s[MAX_STAGES], once[MAX_STAGES];
    struct bp_train_step_out built, got;
    struct ready_case r;
    struct bp_error err = {0};
    int i;
    (void)state;
    assert_int_equal(bp_train_step_of(make_ready(&r, &in), &built, &err), BP_OK);
    assert_int_equal(bp_train_stages(&r.c, once, &err), BP_OK);
    r.c.simulated = &simulated;
    assert_int_equal(bp_train_step_of(&r.c, &got, &err), BP_OK);
    assert_int_equal(got.memory.stage, 5);
    assert_int_equal(got.memory.in_flight, 10);
    assert_int_equal(got.memory.weights_bytes, 2 * once[5].memory.weights_bytes);
    assert_near(got.time.step_s - got.time.straggler_s,
                built.time.step_s - built.time.straggler_s - in_pipeline(&built.time, &in.profile) +
                    100,
                1e-12);
    assert_int_equal(bp_train_stages(&r.c, s, &err), BP_OK);
    assert_memory_equal(&s[5].memory, &got.memory, sizeof got.memory);
    for (i = 0; i < 8; i++) {
        assert_near((double)s[i].memory.activations_bytes, in_flight[i] * s[i].micro_bytes, 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_fullest),
        cmocka_unit_test(test_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Weights, states and activations by their rules of thumb. */
#include "kernel/train/memory_rule.h"
#include "near.h"

static void test_weights(void **state) {
    struct bp_weights_in in;
    struct bp_weights_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_weights_in_schema, &in);
    in.params = 7e9;
    in.overhead_factor = 1.2;
    assert_int_equal(bp_weights(&in, &out, &err), BP_OK);
    assert_near(out.weights_bytes, 14e9, 1e-15);
    assert_near(out.footprint_bytes, 16.8e9, 1e-15);
    assert_near(out.devices, 0, 0);
    in.device_bytes = 16e9;
    assert_int_equal(bp_weights(&in, &out, &err), BP_OK);
    assert_near(out.devices, 2, 0);
}

static struct bp_states_out states_of(double params, int convention, int64_t zero, int64_t split,
                                      int64_t shard) {
    struct bp_states_in in;
    struct bp_states_out out;
    struct bp_error err;
    bp_defaults(&bp_states_in_schema, &in);
    in.params = params;
    in.convention = convention;
    in.zero = zero;
    in.split = split;
    in.shard = shard;
    in.device_bytes = 80e9;
    assert_int_equal(bp_states(&in, &out, &err), BP_OK);
    return out;
}

static void test_conventions(void **state) {
    static const double totals[] = {112e9, 98e9, 126e9};
    int convention;
    (void)state;
    for (convention = 0; convention < 3; convention++) {
        assert_near(states_of(7e9, convention, 0, 1, 1).total_bytes, totals[convention], 1e-15);
    }
    assert_string_equal(bp_states_convention_names[BP_STATES_CONVENTION_14], "2+0+12");
}

static void test_sharding(void **state) {
    struct bp_states_out out = states_of(70e9, BP_STATES_CONVENTION_16, 0, 1, 1);
    double last = 1e30;
    int64_t zero;
    (void)state;
    assert_near(out.weights_bytes, 140e9, 1e-15);
    assert_near(out.gradients_bytes, 140e9, 1e-15);
    assert_near(out.optimizer_bytes, 840e9, 1e-15);
    assert_near(out.devices, 14, 0);
    /* Each stage shards one more part. */
    for (zero = 0; zero <= 3; zero++) {
        out = states_of(70e9, BP_STATES_CONVENTION_16, zero, 2, 8);
        assert_true(out.total_bytes < last);
        last = out.total_bytes;
    }
    /* Stage 3: every device holds its share of everything. */
    assert_near(out.total_bytes * 16, out.model_bytes, 1e-12);
    out = states_of(13e9, BP_STATES_CONVENTION_16, 3, 4, 8);
    assert_near(out.weights_bytes, 0.8125e9, 1e-15);
    assert_near(out.optimizer_bytes, 4.875e9, 1e-15);
    assert_near(out.total_bytes, 6.5e9, 1e-15);
}

static struct bp_activation_rule_in layer(int64_t tp, int64_t every) {
    struct bp_activation_rule_in in;
    bp_defaults(&bp_activation_rule_in_schema, &in);
    in.batch = 8;
    in.seq_len = 4096;
    in.hidden = 5120;
    in.heads = 40;
    in.layers = 40;
    in.tp = tp;
    in.every = every;
    return in;
}

static struct bp_activation_rule_out activations(struct bp_activation_rule_in in) {
    struct bp_activation_rule_out out;
    struct bp_error err;
    assert_int_equal(bp_activation_rule(&in, &out, &err), BP_OK);
    return out;
}

/* bsh = 167,772,160; 34 + 5*40*4096/5120 = 194. */
static void test_activations_by_hand(void **state) {
    struct bp_activation_rule_out out = activations(layer(4, 4));
    (void)state;
    assert_near(out.layer_whole_bytes, 194 * 167772160.0, 1e-15);
    assert_near(out.layer_bytes, 48.5 * 167772160.0, 1e-15);
    assert_near(out.kept_bytes, 40 * 48.5 * 167772160.0, 1e-15);
    assert_near(out.conservative_bytes, 14 * 48.5 * 167772160.0, 1e-15);
    assert_near(out.exact_bytes, (20 + 4 * 48.5) * 167772160.0, 1e-15);
    assert_near(out.best_every_conservative, 6.32455532, 1e-8);
    assert_near(out.best_every_exact, 1.2843226, 1e-7);
}

static void test_activation_limits(void **state) {
    struct bp_activation_rule_in in = layer(1, 1);
    struct bp_activation_rule_out out;
    struct bp_error err;
    (void)state;
    in.flash = 1;
    out = activations(in);
    assert_near(out.layer_bytes, 34 * 167772160.0, 1e-15);
    /* What flash attention does not store is not kept while a segment is recomputed either. */
    in.every = 2;
    assert_true(activations(in).exact_bytes < activations(layer(1, 2)).exact_bytes);
    in.every = 41;
    assert_int_equal(bp_activation_rule(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "every");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),           cmocka_unit_test(test_conventions),
        cmocka_unit_test(test_sharding),          cmocka_unit_test(test_activations_by_hand),
        cmocka_unit_test(test_activation_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The closed forms of serving against the simulation where both apply, and their limits. */
#include "kernel/serve/infer_load.h"
#include "serving_fixture.h"
#include "sim/serving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    double concurrency, rate, input, output, prefix, pool, cv, think_s;
};

static struct bp_infer_load_out formula(const struct bp_infer_setup *s, const struct asked *a) {
    struct bp_infer_case c = prepared(s);
    struct bp_infer_demand d = {a->concurrency, a->rate, a->input, a->output,
                                a->cv,          a->pool, a->cv,    0,
                                a->prefix,      0,       0,        {0, 1, a->think_s, 1}};
    struct bp_infer_load_out out;
    bp_defaults(&bp_infer_load_out_schema, &out);
    bp_infer_load_of(&c, &d, &out);
    return out;
}

static struct bp_infer_load_out with_prefix(const struct bp_infer_setup *s, double concurrency,
                                            double rate, double input, double output,
                                            double prefix) {
    struct asked a = {concurrency, rate, input, output, prefix, 1e7, 0.2, 0};
    return formula(s, &a);
}

static struct bp_infer_load_out closed_form(const struct bp_infer_setup *s, double concurrency,
                                            double rate, double input, double output) {
    return with_prefix(s, concurrency, rate, input, output, 0);
}

/* Lengths are lognormal with the deviation over mean that is asked. */
static struct bp_serving_out simulation(const struct bp_infer_setup *s, const struct asked *a) {
    struct bp_serving_in in;
    struct bp_serving_out out;
    const struct bp_request *answered;
    struct bp_serving_source source = {0};
    struct bp_error err;
    void *memory;
    bp_defaults(&bp_serving_in_schema, &in);
    in.model = s->model;
    in.device = s->device;
    in.network = s->network;
    in.plan = s->plan;
    in.engine = s->engine;
    in.pool_tokens = a->pool;
    in.load.arrivals = a->concurrency > 0 ? BP_ARRIVALS_CLOSED : BP_ARRIVALS_OPEN;
    in.load.concurrency = a->concurrency > 0 ? (int64_t)a->concurrency : 1;
    in.load.rate_per_s = a->rate > 0 ? a->rate : 1;
    in.load.requests = 20000;
    in.load.skip = 2000;
    in.load.spread = sqrt(log1p(a->cv * a->cv));
    in.load.input_tokens = a->input;
    in.load.output_tokens = a->output;
    in.load.prefix_tokens = a->prefix;
    in.load.think_s = a->think_s;
    in.load.lengths = a->output > 1 ? BP_LENGTHS_LOGNORMAL : BP_LENGTHS_FIXED;
    source.count = 20000;
    memory = malloc(bp_serving_bytes(&in, &source));
    bp_defaults(&bp_serving_out_schema, &out);
    assert_int_equal(bp_serving_run(&in, &source, memory, &out, &answered, &err), BP_OK);
    free(memory);
    return out;
}

static struct bp_serving_out simulated_prefix(const struct bp_infer_setup *s, int64_t concurrency,
                                              double rate, double input, double output,
                                              double prefix) {
    struct asked a = {(double)concurrency, rate, input, output, prefix, 1e7, 0.2, 0};
    return simulation(s, &a);
}

static struct bp_serving_out simulated(const struct bp_infer_setup *s, int64_t concurrency,
                                       double rate, double input, double output) {
    return simulated_prefix(s, concurrency, rate, input, output, 0);
}

static void test_closed_loop(void **state) {
    static const double cases[][3] = {{1, 500, 100},    {8, 500, 200},   {32, 1000, 500},
                                      {128, 1000, 500}, {64, 200, 1000}, {16, 6000, 500}};
    struct bp_infer_setup s = usual_setup();
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        double c = cases[i][0], input = cases[i][1], output = cases[i][2];
        struct bp_infer_load_out form = closed_form(&s, c, 0, input, output);
        struct bp_serving_out sim = simulated(&s, (int64_t)c, 0, input, output);
        assert_near(form.tpot_s, sim.tpot.mean_s, 0.05);
        assert_near(form.ttft_s, sim.ttft.mean_s, 0.15);
        assert_near(form.requests_per_s, sim.requests_per_s, 0.05);
        assert_true(form.stable);
    }
}

/* The curves of a sweep mean the same in closed form and simulated. */
static void test_measured_curves(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct bp_infer_load_out before = closed_form(&s, 32, 0, 1000, 500), form;
    struct bp_infer_load_out alone = closed_form(&s, 1, 0, 1000, 500);
    struct bp_serving_out sim;
    (void)state;
    s.engine.calibration.first_1 = 2;
    s.engine.calibration.first_8 = 2;
    s.engine.calibration.first_64 = 2;
    form = closed_form(&s, 1, 0, 1000, 500); /* alone it waits for no step */
    assert_near(form.ttft_s, 2 * alone.ttft_s, 1e-9);
    assert_near(form.e2e_s, alone.e2e_s + alone.ttft_s, 1e-9);
    assert_near(form.tpot_s, alone.tpot_s, 1e-12);
    form = closed_form(&s, 32, 0, 1000, 500);
    sim = simulated(&s, 32, 0, 1000, 500);
    assert_near(form.ttft_s, sim.ttft.mean_s, 0.15);
    assert_true(form.ttft_s < 2 * before.ttft_s && form.requests_per_s < before.requests_per_s);
    s.engine.calibration.step_8 = 1.5;
    s.engine.calibration.step_64 = 1.5;
    form = closed_form(&s, 32, 0, 1000, 500);
    sim = simulated(&s, 32, 0, 1000, 500);
    assert_near(form.tpot_s, 1.5 * before.tpot_s, 0.05);
    assert_near(form.tpot_s, sim.tpot.mean_s, 0.05);
    assert_near(form.ttft_s, sim.ttft.mean_s, 0.15);
}

/* Little's law: clients are in flight or think, whatever first tokens take. Ramps of the simulation apart. */
static void test_clients_kept(void **state) {
    static const double factors[] = {0.6, 1, 3}, outputs[] = {1, 20, 300}, pauses[] = {0, 2},
                        clients[] = {1, 16, 300};
    size_t f, o, p, c;
    (void)state;
    for (f = 0; f < 3; f++) {
        struct bp_infer_setup s = usual_setup();
        s.engine.max_running = 128;
        s.engine.calibration.first_1 = s.engine.calibration.first_8 =
            s.engine.calibration.first_64 = s.engine.calibration.first_512 = factors[f];
        for (o = 0; o < 3; o++) {
            for (p = 0; p < 2; p++) {
                for (c = 0; c < 3; c++) {
                    struct asked a = {clients[c], 0, 1000, outputs[o], 0, 1e7, 0.2, pauses[p]};
                    struct bp_infer_load_out form = formula(&s, &a);
                    struct bp_serving_out sim = simulation(&s, &a);
                    assert_near(form.requests_per_s * (form.e2e_s + pauses[p]), clients[c], 1e-9);
                    assert_near(sim.requests_per_s * (sim.e2e.mean_s + pauses[p]), clients[c],
                                0.02);
                    assert_true(form.ttft_s > 0 && form.ttft_s <= form.e2e_s);
                }
            }
        }
    }
}

/* Where a curve is 1 nothing moves, to the last bit. */
static void test_level_curve(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct bp_infer_load_out before = closed_form(&s, 8, 0, 1000, 500), form;
    (void)state;
    s.engine.calibration.first_512 = 2;
    form = closed_form(&s, 8, 0, 1000, 500);
    assert_memory_equal(&before, &form, sizeof form);
}

/* From an idle replica, where a request runs alone, to one nearly full. */
static void test_open_loop(void **state) {
    struct bp_infer_setup s = usual_setup();
    double capacity = closed_form(&s, 0, 1, 1000, 300).capacity_per_s;
    double load;
    (void)state;
    for (load = 0.01; load < 0.85; load += 0.1) {
        struct bp_infer_load_out form = closed_form(&s, 0, load * capacity, 1000, 300);
        struct bp_serving_out sim = simulated(&s, 0, load * capacity, 1000, 300);
        assert_true(form.stable);
        assert_near(form.tpot_s, sim.tpot.mean_s, 0.03);
        assert_near(form.running, sim.mean_running, 0.06);
        assert_near(form.ttft_s, sim.ttft.mean_s, 0.03);
    }
}

/*
** A pool that is full all the time: what it holds is decided by the long answers, and what it does by prompts
** that run among decoding or by themselves.
*/
static void test_full_pool(void **state) {
    static const enum bp_policy policies[] = {BP_POLICY_MIXED, BP_POLICY_PREFILL_FIRST};
    double capacity[2][2];
    size_t p, v;
    (void)state;
    for (p = 0; p < 2; p++) {
        for (v = 0; v < 2; v++) {
            struct bp_infer_setup s = usual_setup();
            struct asked a = {600, 0, 1000, 500, 0, 2e5, v ? 1 : 0.1, 0};
            struct bp_serving_out sim;
            s.engine.policy = policies[p];
            sim = simulation(&s, &a);
            capacity[p][v] = formula(&s, &a).capacity_per_s;
            assert_near(capacity[p][v], sim.requests_per_s, 0.08);
            assert_near(formula(&s, &a).tpot_s, sim.tpot.mean_s, 0.08);
        }
        assert_true(capacity[p][1] < 0.9 * capacity[p][0]);
    }
}

/* A cached half, and a whole prompt that another replica has sent. */
static void test_prefix(void **state) {
    static const double prefixes[] = {500, 1e6};
    struct bp_infer_setup s = usual_setup();
    double rate = 0.4 * closed_form(&s, 0, 1, 1000, 300).capacity_per_s, last = 1e9;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct bp_infer_load_out form = with_prefix(&s, 0, rate, 1000, 300, prefixes[i]);
        struct bp_serving_out sim = simulated_prefix(&s, 0, rate, 1000, 300, prefixes[i]);
        assert_near(form.tpot_s, sim.tpot.mean_s, 0.08);
        assert_near(form.ttft_s, sim.ttft.mean_s, 0.25);
        assert_true(form.ttft_s < last && form.capacity_per_s > rate / 0.4);
        last = form.ttft_s;
    }
}

/* Prompts alone, as in the first of two disaggregated pools. */
static void test_prompts_only(void **state) {
    struct bp_infer_setup s = usual_setup();
    double capacity = closed_form(&s, 0, 1, 1000, 1).capacity_per_s, load;
    (void)state;
    for (load = 0.1; load < 0.75; load += 0.2) {
        struct bp_infer_load_out form = closed_form(&s, 0, load * capacity, 1000, 1);
        struct bp_serving_out sim = simulated(&s, 0, load * capacity, 1000, 1);
        assert_true(form.stable);
        assert_near(form.ttft_s, sim.ttft.mean_s, 0.25);
        assert_near(sim.busy_frac, load, 0.25);
    }
    assert_false(closed_form(&s, 0, 1.01 * capacity, 1000, 1).stable);
    assert_near(closed_form(&s, 64, 0, 1000, 1).requests_per_s,
                simulated(&s, 64, 0, 1000, 1).requests_per_s, 0.1);
}

/* With one place and nothing but a step of 1 ms per token it is the textbook's queue. */
static void test_one_place(void **state) {
    struct bp_infer_setup s = clockwork(1e-3);
    struct bp_infer_load_out out;
    (void)state;
    s.engine.max_running = 1;
    out = closed_form(&s, 0, 7, 1, 100);
    assert_near(out.capacity_per_s, 10, 0.02);
    assert_near(out.queue_s, 0.7 / (1 - 0.7) * 0.1 * (1 + 0.04) / 2, 0.05);
    assert_near(out.running, 0.7, 0.02); /* of the time */
}

static void test_unstable(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct bp_infer_load_out out = closed_form(&s, 0, 1e6, 1000, 300);
    (void)state;
    assert_false(out.stable);
    assert_near(out.ttft_s, 0, 0);
    assert_near(out.requests_per_s, out.capacity_per_s, 1e-9);
    assert_near(out.running, out.places, 0);
}

/* More clients than places wait for one; Little's law holds for all of them. */
static void test_places(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct bp_infer_load_out out;
    (void)state;
    s.engine.max_running = 16;
    out = closed_form(&s, 64, 0, 500, 200);
    assert_near(out.places, 16, 0);
    assert_near(out.running, 16, 0);
    assert_near(out.requests_per_s * out.e2e_s, 64, 1e-9);
}

static void test_refused(void **state) {
    struct bp_infer_setup s = tiny_setup();
    struct bp_infer_load_in in;
    struct bp_infer_load_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_infer_load_in_schema, &in);
    in.model = s.model;
    in.device = s.device;
    in.network = s.network;
    assert_int_equal(bp_infer_load(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "concurrency");
    in.concurrency = 4;
    assert_int_equal(bp_infer_load(&in, &out, &err), BP_OK);
    in.pool_tokens = 100;
    assert_int_equal(bp_infer_load(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "memory");
}

/* Mean of what is longer than a cached prefix, by the distributions' own integrals. */
static void test_fresh(void **state) {
    static const struct {
        double input, prefix, cv, fresh;
    } cases[] = {
        {1000, 500, 1, 1000 * 0.60653066},              /* exponential: mean times e^-x */
        {1000, 500, 0.70710678, 919.69860 - 367.87944}, /* of two: 1000 (2.5 / e) - 500 (2 / e) */
        {1000, 1000, 0.2, 200 * 0.39894228},            /* normal: deviation over sqrt(2 pi) */
        {1000, 300, 0, 700},
        {1000, 0, 1, 1000},
        {1000, 60000, 1, 1},
        {1000, 60000, 0.4, 1},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bp_infer_demand d = {0};
        d.input = cases[i].input;
        d.prefix = cases[i].prefix;
        d.input_cv = cases[i].cv;
        assert_true(fabs(bp_infer_fresh(&d) / cases[i].fresh - 1) < 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_loop),  cmocka_unit_test(test_measured_curves),
        cmocka_unit_test(test_clients_kept), cmocka_unit_test(test_level_curve),
        cmocka_unit_test(test_open_loop),    cmocka_unit_test(test_one_place),
        cmocka_unit_test(test_unstable),     cmocka_unit_test(test_places),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_full_pool),
        cmocka_unit_test(test_prefix),       cmocka_unit_test(test_prompts_only),
        cmocka_unit_test(test_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

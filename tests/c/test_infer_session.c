/* Sessions: what waits in the cache by hand, and closed forms against the simulation under load. */
#include "kernel/serve/infer_load.h"
#include "serving_fixture.h"
#include "sim/serving.h"

#include <math.h>
#include <stdlib.h>

#define INPUT 500.0
#define OUTPUT 200.0
#define POOL 100000.0

/* Prompts and answers of one length, n turns, exponential times to think. */
struct chat {
    double turns, think_s;
};

static struct bp_infer_load_out closed_form(const struct bp_infer_setup *s, struct chat chat,
                                            double concurrency, double rate, double same) {
    struct bp_infer_case c = prepared(s);
    double history = 0.5 * (chat.turns - 1) * (INPUT + OUTPUT);
    struct bp_infer_demand d = {concurrency, rate, INPUT + history,
                                OUTPUT,      0.5,  POOL,
                                0.5,         0,    0,
                                0,           0,    {history, chat.turns, chat.think_s, same}};
    struct bp_infer_load_out out;
    bp_defaults(&bp_infer_load_out_schema, &out);
    bp_infer_load_of(&c, &d, &out);
    return out;
}

static struct bp_serving_out simulated(const struct bp_infer_setup *s, struct chat chat,
                                       int64_t concurrency, double rate, int64_t replicas) {
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
    in.engine = s->engine;
    in.pool_tokens = POOL;
    in.replicas = replicas;
    in.load.arrivals = concurrency > 0 ? BP_ARRIVALS_CLOSED : BP_ARRIVALS_OPEN;
    in.load.concurrency = concurrency > 0 ? concurrency : 1;
    in.load.rate_per_s = rate > 0 ? rate : 1;
    in.load.lengths = BP_LENGTHS_LOGNORMAL;
    in.load.spread = 0.2;
    in.load.input_tokens = INPUT;
    in.load.output_tokens = OUTPUT;
    in.load.turns = (int64_t)chat.turns;
    in.load.think_s = chat.think_s;
    in.load.trim_frac = concurrency > 0 ? 0 : 0.1;
    source.count = 20000;
    memory = malloc(bp_serving_bytes(&in, &source));
    bp_defaults(&bp_serving_out_schema, &out);
    assert_int_equal(bp_serving_run(&in, &source, memory, &out, &answered, &err), BP_OK);
    free(memory);
    return out;
}

/*
** Two turns of 100 tokens (50 of history in the mean), one request per second, 10 s to think: at an age T
** there are 0.5 * 100 * 10 (1 - exp(-T/10)) that come back and 0.5 * 200 T that do not.
*/
static void test_age_by_hand(void **state) {
    struct bp_infer_session s = {50, 2, 10, 1};
    double room = 500 * (1 - exp(-1)) + 100 * 10;
    (void)state;
    assert_near(bp_infer_history_found(&s, 1, room), 1 - exp(-1), 1e-9);
    assert_near(bp_infer_history_found(&s, 2, 2 * room), 1 - exp(-1), 1e-9);
    assert_near(bp_infer_history_found(&s, 1, 1e9), 1, 1e-9);
    assert_near(bp_infer_history_found(&s, 1, 0), 0, 0);
    s.same = 0.5; /* 0.25 of the requests come back, and the others stay */
    assert_near(bp_infer_history_found(&s, 1, 250 * (1 - exp(-1)) + 125 * 10), 0.5 * (1 - exp(-1)),
                1e-9);
    s.think_s = 0;
    assert_near(bp_infer_history_found(&s, 1, 100), 0.5, 0);
    assert_near(bp_infer_pause_s(&s), 0, 0);
    s.think_s = 10;
    assert_near(bp_infer_pause_s(&s), 5, 0);
    s.turns = 1;
    assert_near(bp_infer_pause_s(&s), 10, 0);
}

static void agree(struct bp_infer_load_out form, struct bp_serving_out sim, double turns) {
    double history = 0.5 * (turns - 1) * (INPUT + OUTPUT);
    assert_near(form.found_frac * history / (history + INPUT), sim.cached_frac, 0.12);
    assert_near(form.tpot_s, sim.tpot.mean_s, 0.13);
    assert_near(form.ttft_s, sim.ttft.mean_s, 0.25);
    assert_near(form.requests_per_s, sim.requests_per_s, 0.08);
}

/* From caches that hold everybody to caches that hold one in two. */
static void test_open_sessions(void **state) {
    static const struct chat chats[] = {{4, 5}, {8, 20}};
    struct bp_infer_setup s = usual_setup();
    double least = 1;
    size_t i, j;
    (void)state;
    for (i = 0; i < sizeof chats / sizeof *chats; i++) {
        double capacity = closed_form(&s, chats[i], 0, 1, 1).capacity_per_s;
        for (j = 0; j < 3; j++) {
            double rate = (0.3 + 0.25 * (double)j) * capacity;
            struct bp_infer_load_out form = closed_form(&s, chats[i], 0, rate, 1);
            assert_true(form.stable);
            agree(form, simulated(&s, chats[i], 0, rate, 1), chats[i].turns);
            least = fmin(least, form.found_frac);
        }
    }
    assert_true(least < 0.7);
}

/* The rate that is named as the capacity is one that the simulation loses its pace at. */
static void test_capacity_of_sessions(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct chat chat = {8, 20};
    double capacity = closed_form(&s, chat, 0, 1, 1).capacity_per_s;
    struct bp_infer_load_out beyond = closed_form(&s, chat, 0, 1.02 * capacity, 1);
    (void)state;
    assert_false(beyond.stable);
    assert_true(closed_form(&s, chat, 0, 0.98 * capacity, 1).stable);
    assert_true(capacity < 0.8 * closed_form(&s, (struct chat){8, 0}, 0, 1, 1).capacity_per_s);
    assert_near(simulated(&s, chat, 0, 2 * capacity, 1).requests_per_s, capacity, 0.15);
}

/* Clients that think between their requests run less often; so do those of sessions. */
static void test_pauses(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct chat alone = {1, 5}, chat = {5, 5};
    int64_t clients;
    (void)state;
    for (clients = 4; clients <= 64; clients *= 4) {
        agree(closed_form(&s, alone, (double)clients, 0, 1), simulated(&s, alone, clients, 0, 1),
              1);
        agree(closed_form(&s, chat, (double)clients, 0, 1), simulated(&s, chat, clients, 0, 1), 5);
    }
}

/* A turn that may come to any of four replicas finds a quarter, and now and then what is older still. */
static void test_other_replicas(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct chat chat = {4, 5};
    double rate = 0.4 * closed_form(&s, chat, 0, 1, 0.25).capacity_per_s;
    struct bp_serving_out sim = simulated(&s, chat, 0, 4 * rate, 4);
    struct bp_infer_load_out form = closed_form(&s, chat, 0, rate, 0.25);
    (void)state;
    assert_true(sim.cached_frac > form.found_frac * 1050 / 1550);
    assert_near(form.found_frac * 1050 / 1550, sim.cached_frac, 0.25);
    assert_near(form.ttft_s, sim.ttft.mean_s, 0.2);
    assert_near(form.tpot_s, sim.tpot.mean_s, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_age_by_hand),          cmocka_unit_test(test_open_sessions),
        cmocka_unit_test(test_capacity_of_sessions), cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_other_replicas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

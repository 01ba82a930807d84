/*
** Many replicas in one simulation: routes against queues whose answer is known, and hand-run starts,
** failures and transfers.
*/
#include "queue_wait.h"
#include "serving_run.h"

/* Replicas that serve one request at a time; the step is 1 ms, an answer 100 of them. */
static struct bp_serving_in servers(int64_t count, double rate, enum bp_routing routing) {
    struct bp_serving_in in = queue_like(1, rate, BP_LENGTHS_EXPONENTIAL);
    in.replicas = count;
    in.routing = (int)routing;
    return in;
}

/* A queue that all share is M/M/c; lots drawn split it into queues of M/M/1. */
static void test_shared_and_split(void **state) {
    struct bp_serving_in in = servers(4, 32, BP_ROUTING_SHARED_QUEUE);
    (void)state;
    assert_near(summary(&in).queue.mean_s, expected_wait(4, 32, 0.1, 1), 0.06);
    in.routing = BP_ROUTING_RANDOM;
    assert_near(summary(&in).queue.mean_s, expected_wait(1, 8, 0.1, 1), 0.06);
}

/* Round robin splits as evenly as it can, the shortest queue does better, one queue best. */
static void test_order_of_routes(void **state) {
    const enum bp_routing worse_first[] = {BP_ROUTING_RANDOM, BP_ROUTING_ROUND_ROBIN,
                                           BP_ROUTING_LEAST_REQUESTS, BP_ROUTING_SHARED_QUEUE};
    double last = INFINITY;
    size_t i;
    (void)state;
    for (i = 0; i < 4; i++) {
        struct bp_serving_in in = servers(4, 32, worse_first[i]);
        double wait = summary(&in).queue.mean_s;
        assert_true(wait < 0.95 * last);
        last = wait;
    }
}

/* Many queues of which the shorter of two drawn ones gets a request: the supermarket model, sum of r^(2^i - 2). */
static void test_two_choices(void **state) {
    struct bp_serving_in in = servers(200, 1400, BP_ROUTING_TWO_CHOICES);
    double expected = pow(0.7, 2) + pow(0.7, 6) + pow(0.7, 14) + pow(0.7, 30);
    (void)state;
    assert_near(summary(&in).queue.mean_s, 0.1 * expected, 0.03);
}

static double late_first(enum bp_routing routing, int64_t requests) {
    struct bp_infer_setup s = usual_setup();
    struct bp_serving_in in = serving_in(&s);
    in.replicas = 4;
    in.routing = routing;
    in.load.arrivals = BP_ARRIVALS_OPEN;
    in.load.rate_per_s = 70;
    in.load.input_tokens = 1000;
    in.load.output_tokens = 200;
    in.load.requests = requests;
    return summary(&in).ttft.p90_s;
}

/* Of equal lengths, what ends in one step leaves an empty replica that gets all that comes next, and so on. */
static void test_herds(void **state) {
    (void)state;
    assert_near(late_first(BP_ROUTING_TWO_CHOICES, 30000), late_first(BP_ROUTING_TWO_CHOICES, 3000),
                0.1);
    assert_true(late_first(BP_ROUTING_LEAST_REQUESTS, 30000) >
                1.3 * late_first(BP_ROUTING_LEAST_REQUESTS, 3000));
}

/* Little's law over the fleet; all replicas are paid all the time and busy for the load's share. */
static void test_little(void **state) {
    struct bp_serving_in in = servers(8, 60, BP_ROUTING_LEAST_REQUESTS);
    struct bp_serving_out out = summary(&in);
    (void)state;
    assert_near(out.mean_running, out.requests_per_s * (out.e2e.mean_s - out.queue.mean_s), 0.01);
    assert_near(out.requests_per_s, 60, 0.01);
    assert_near(out.busy_frac, 60 * 0.1 / 8, 0.02);
    assert_near(out.replica_s, 8 * out.duration_s, 1e-3);
    assert_near(out.mean_replicas, 8, 1e-6);
    assert_int_equal(out.peak_replicas, 8);
    assert_int_equal(out.starts + out.failed + out.lost + out.retried, 0);
}

static void test_same_seed(void **state) {
    struct bp_serving_in in = servers(5, 40, BP_ROUTING_RANDOM);
    struct bp_serving_out a, b;
    (void)state;
    in.load.requests = 3000;
    in.failures.mtbf_s = 20;
    in.failures.repair_s = 1;
    a = summary(&in);
    b = summary(&in);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.failed > 0);
    in.load.seed = 2;
    b = summary(&in);
    assert_true(b.e2e.mean_s != a.e2e.mean_s);
}

static struct bp_serving_in seconds(int64_t replicas) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in = serving_in(&s);
    in.replicas = replicas;
    in.routing = BP_ROUTING_ROUND_ROBIN;
    return in;
}

/* Requests come at 0, 0, 3 and 3: in turn to replicas 0, 1, 0, 1, where two share steps. */
static void test_round_robin(void **state) {
    struct bp_serving_in in = seconds(2);
    struct bp_request trace[4];
    struct run r;
    size_t i;
    (void)state;
    for (i = 0; i < 4; i++) {
        trace[i] = request(i < 2 ? 0 : 3, 5, 10);
    }
    r = simulate(&in, trace, 4);
    for (i = 0; i < 4; i++) {
        assert_int_equal(r.requests[i].group, i % 2);
        assert_near(r.requests[i].done_s, trace[i].arrival_s + 10, 1e-9);
    }
    free(r.requests);
}

/*
** Two in flight per replica are wanted. Six come at 0: looks at 10 order two more, which serve from 30
** on; what they had to do is over by then, and from 60 on one is enough. Drained ones are paid no more.
*/
static void test_autoscale(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[7];
    struct run r;
    size_t i;
    (void)state;
    in.autoscale.target = 2;
    in.autoscale.max = 3;
    in.autoscale.interval_s = 10;
    in.autoscale.down_delay_s = 20;
    in.start_s = 20;
    for (i = 0; i < 6; i++) {
        trace[i] = request(0, 5, 15);
    }
    trace[6] = request(100, 5, 10);
    r = simulate(&in, trace, 7);
    assert_int_equal(r.out.starts, 2);
    assert_int_equal(r.out.peak_replicas, 3);
    /* At 20 the answers are out: fewer are wanted, at 40 for 20 s: both go after 30 s each. */
    assert_near(r.out.replica_s, 110 + 2 * 30, 1e-6);
    assert_near(r.requests[6].done_s, 110, 1e-9);
    free(r.requests);
}

/* What is before the first request is no part of a trace: looks, failures, pay and rates begin with it. */
static void test_lead_in(void **state) {
    struct bp_serving_in in = seconds(2);
    struct bp_request trace[8];
    struct run at_once, later;
    size_t i;
    (void)state;
    in.load.speed = 2;
    in.autoscale.target = 1;
    in.autoscale.max = 4;
    in.autoscale.interval_s = 5;
    in.start_s = 3;
    in.failures.mtbf_s = 20;
    in.failures.repair_s = 4;
    for (i = 0; i < 8; i++) {
        trace[i] = request(6 * (double)i, 5, 10);
    }
    at_once = simulate(&in, trace, 8);
    for (i = 0; i < 8; i++) {
        trace[i].arrival_s += 3600;
    }
    later = simulate(&in, trace, 8);
    assert_true(at_once.out.starts > 0 && at_once.out.failed > 0);
    assert_memory_equal(&at_once.out, &later.out, sizeof later.out);
    for (i = 0; i < 8; i++) {
        assert_near(later.requests[i].arrival_s, 3 * (double)i, 1e-12);
        assert_near(later.requests[i].done_s, at_once.requests[i].done_s, 1e-12);
    }
    free(at_once.requests);
    free(later.requests);
}

/* Replicas that tie take turns. */
static void test_ties(void **state) {
    static const enum bp_routing routes[] = {BP_ROUTING_LEAST_REQUESTS, BP_ROUTING_SHARED_QUEUE};
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[4];
    size_t k, i;
    (void)state;
    in.replicas = 3;
    for (i = 0; i < 4; i++) {
        trace[i] = request(10 * (double)i, 5, 5); /* each after the last is answered */
    }
    for (k = 0; k < 2; k++) {
        struct run r;
        in.routing = routes[k];
        r = simulate(&in, trace, 4);
        for (i = 0; i < 4; i++) {
            assert_int_equal(r.requests[i].group, i % 3);
        }
        free(r.requests);
    }
}

/* A new replica takes requests only when it is up. */
static void test_cold_start(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[4];
    struct run r;
    (void)state;
    in.routing = BP_ROUTING_LEAST_REQUESTS;
    in.autoscale.target = 1;
    in.autoscale.max = 2;
    in.autoscale.interval_s = 10;
    in.start_s = 20;
    trace[0] = request(0, 5, 60);
    trace[1] = request(1, 5, 60);
    trace[2] = request(25, 5, 5); /* ordered at 10, up at 30 */
    trace[3] = request(31, 5, 5);
    r = simulate(&in, trace, 4);
    assert_int_equal(r.requests[2].group, 0);
    assert_int_equal(r.requests[3].group, 1);
    free(r.requests);
}

/* Down to none: the next request waits for the look at 20 and a start of 20. */
static void test_scale_to_zero(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[2];
    struct run r;
    (void)state;
    in.autoscale.target = 1;
    in.autoscale.min = 0;
    in.autoscale.interval_s = 10;
    in.autoscale.down_delay_s = 30;
    in.start_s = 20;
    trace[0] = request(0, 5, 5);
    trace[1] = request(195, 5, 5);
    r = simulate(&in, trace, 2);
    assert_near(r.requests[1].start_s, 220, 1e-9); /* looked at 200 */
    assert_int_equal(r.out.starts, 1);
    /* Off from the look at 40 on, which is the first after 30 s without a request; on again at 200. */
    assert_near(r.out.replica_s, 40 + 25, 1e-6);
    free(r.requests);
}

/* Failures as often as asked; requests in flight start over, or are lost and counted. */
static void test_failures(void **state) {
    struct bp_serving_in in = servers(4, 10, BP_ROUTING_LEAST_REQUESTS);
    struct bp_serving_out out, calm = summary(&in);
    (void)state;
    in.failures.mtbf_s = 100;
    in.failures.repair_s = 10;
    out = summary(&in);
    /* Up for 100 s and down for 10, four of them. */
    assert_near((double)out.failed, 4 * out.duration_s / 110, 0.1);
    assert_true(out.retried > 0 && out.lost == 0);
    assert_int_equal(out.counted, 400000);
    assert_true(out.e2e.p99_s > calm.e2e.p99_s);
    in.failures.lose = 1;
    out = summary(&in);
    assert_true(out.lost > 0 && out.retried == 0);
    assert_int_equal(out.counted, 400000 - out.lost);
    /* Those in flight at a failure: the mean number in the system per replica. */
    assert_near((double)out.lost / (double)out.failed, out.requests_per_s * out.e2e.mean_s / 4,
                0.25);
}

/* Prompts of 10 tokens in a pool of their own; their keys move at one token a second, one by one. */
static void test_transfer(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[2];
    struct run r;
    double token_bytes = 1024; /* 2 heads of 128, keys and values, 16 bit, one layer */
    (void)state;
    trace[0] = request(0, 10, 5);
    trace[1] = request(0, 10, 5);
    in.prefill_pool.replicas = 1;
    in.prefill_pool.plan = in.plan;
    in.prefill_pool.link_bytes_s = token_bytes;
    in.prefill_pool.link_latency_s = 0.5;
    r = simulate(&in, trace, 2);
    /* Both prompts in the first second; the link has the first until 11, the second until 21. */
    assert_near(r.requests[0].first_s, 1, 1e-9);
    assert_near(r.requests[1].first_s, 1, 1e-9);
    assert_near(r.requests[0].moved_s, 11.5, 1e-9);
    assert_near(r.requests[1].moved_s, 21.5, 1e-9);
    assert_near(r.requests[0].done_s, 15.5, 1e-9); /* four more tokens */
    assert_near(r.requests[1].done_s, 25.5, 1e-9);
    assert_near(r.out.transfer.mean_s, 15.5, 1e-9);
    assert_near(r.out.link_busy_frac, 20 / 25.5, 1e-6);
    assert_near(r.out.prefill_replica_s, 25.5, 1e-6);
    free(r.requests);
}

/*
** Four layers, a prompt a second, half a second to send one: the first layer is there after a quarter of a second,
** the last share of an eighth follows the prompt; the second prompt's keys have to wait for the link.
*/
static void test_layer_wise(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[2];
    struct run r;
    (void)state;
    trace[0] = request(0, 10, 5);
    trace[1] = request(0, 10, 5);
    in.model.layers = 4;
    in.prefill_pool.replicas = 1;
    in.prefill_pool.plan = in.plan;
    in.prefill_pool.link_bytes_s = 20 * 4096;
    in.prefill_pool.layer_wise = 1;
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].first_s, 1, 1e-6);
    assert_near(r.requests[0].moved_s, 1.125, 1e-6);
    assert_near(r.requests[1].moved_s, 1.625, 1e-6);
    free(r.requests);
    in.pool_tokens = 20; /* room for one: what waits for it moves as a whole, at 5.125 */
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].moved_s, 1.125, 1e-6);
    assert_near(r.requests[1].moved_s, 5.125 + 0.5, 1e-6);
    free(r.requests);
    in.pool_tokens = 1e9;
    in.model.layers = 1; /* nothing to overlap with */
    in.prefill_pool.link_bytes_s = 20 * 1024;
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].moved_s, 1.5, 1e-6);
    assert_near(r.requests[1].moved_s, 2, 1e-6);
    free(r.requests);
}

/*
** Pools that hold one request each. The second prompt is computed while the first is answered, waits for the
** room in the other pool, and keeps the third prompt from being computed until then.
*/
static void test_back_pressure(void **state) {
    static const double first_s[] = {1, 2, 6}, moved_s[] = {1, 5, 9}, done_s[] = {5, 9, 13};
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[3];
    struct run r;
    int i;
    (void)state;
    for (i = 0; i < 3; i++) {
        trace[i] = request(0, 10, 5);
    }
    in.pool_tokens = 20;
    in.prefill_pool.replicas = 1;
    in.prefill_pool.plan = in.plan;
    in.prefill_pool.link_bytes_s = 1e18;
    r = simulate(&in, trace, 3);
    for (i = 0; i < 3; i++) {
        assert_near(r.requests[i].first_s, first_s[i], 1e-9);
        assert_near(r.requests[i].moved_s, moved_s[i], 1e-9);
        assert_near(r.requests[i].done_s, done_s[i], 1e-9);
    }
    free(r.requests);
}

/* With a link that takes no time a lone request sees what one replica would have given it. */
static void test_pools_without_link(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[1];
    struct run one, two;
    (void)state;
    trace[0] = request(0, 30, 8);
    one = simulate(&in, trace, 1);
    in.prefill_pool.replicas = 1;
    in.prefill_pool.plan = in.plan;
    in.prefill_pool.link_bytes_s = 1e18;
    two = simulate(&in, trace, 1);
    assert_near(two.requests[0].first_s, one.requests[0].first_s, 1e-9);
    assert_near(two.requests[0].done_s, one.requests[0].done_s, 1e-9);
    free(one.requests);
    free(two.requests);
}

static void test_refused(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_serving_source source = {0};
    struct bp_serving_out out;
    const struct bp_request *answered;
    struct bp_error err;
    void *memory;
    (void)state;
    source.count = 10;
    in.prefill_pool.replicas = 1;
    in.autoscale.target = 1;
    memory = malloc(2 * bp_serving_bytes(&in, &source));
    assert_int_equal(bp_serving_run(&in, &source, memory, &out, &answered, &err), BP_EPLAN);
    assert_string_equal(err.field, "autoscale");
    in.prefill_pool.replicas = 0;
    in.autoscale.min = 5;
    in.autoscale.max = 2;
    assert_int_equal(bp_serving_run(&in, &source, memory, &out, &answered, &err), BP_EPLAN);
    assert_string_equal(err.field, "autoscale.min");
    free(memory);
}

/* A lone replica that fails faster than it answers: the clients give up, and the run ends. */
static void test_hopeless(void **state) {
    struct bp_serving_in in = seconds(1);
    struct bp_request trace[1];
    struct run r;
    (void)state;
    trace[0] = request(0, 10, 1000);
    in.failures.mtbf_s = 10;
    in.failures.repair_s = 5;
    r = simulate(&in, trace, 1);
    assert_int_equal(r.out.lost, 1);
    assert_int_equal(r.out.counted, 0);
    assert_int_equal(r.out.retried, 100);
    assert_int_equal(r.out.failed, 101);
    free(r.requests);
}

/* What holds of any request of any fleet. */
static void check_requests(const struct run *r) {
    size_t i;
    for (i = 0; i < r->count; i++) {
        const struct bp_request *q = &r->requests[i];
        if (q->lost) {
            continue;
        }
        assert_true(q->start_s >= q->arrival_s);
        assert_true(q->first_s > q->start_s);
        assert_true(q->done_s >= q->first_s);
        assert_true(q->moved_s < 0 || (q->moved_s >= q->first_s && q->moved_s <= q->done_s));
        assert_true(q->cached >= 0 && q->cached < q->input);
    }
    assert_int_equal(r->out.counted + r->out.lost, (int64_t)r->count);
    assert_true(r->out.pool_peak_frac <= 1 + 1e-9);
    assert_true(r->out.busy_s <= r->out.replica_s * (1 + 1e-9));
}

/* A fleet with everything at one time: sessions, a tight pool, failures, scaling or two pools. */
static struct bp_serving_in mixture(int64_t seed) {
    struct bp_infer_setup s = clockwork(2e-3);
    struct bp_serving_in in;
    s.engine.max_running = 1 + seed * 5 % 16;
    s.engine.block_tokens = seed % 2 ? 1 : 16;
    s.engine.reserve_output = seed % 5 == 0;
    s.engine.chunked_prefill = seed % 7 != 0;
    s.engine.token_budget = 512;
    s.engine.policy = seed % 3 ? BP_POLICY_MIXED : BP_POLICY_PREFILL_FIRST;
    in = serving_in(&s);
    in.pool_tokens = 6000;
    in.replicas = 1 + seed % 4;
    in.routing = (int)(seed % 6);
    in.load.arrivals = (int)(seed % 3);
    in.load.concurrency = 40;
    in.load.rate_per_s = 30;
    in.load.period_s = 60;
    in.load.requests = 1500;
    in.load.seed = seed;
    in.load.lengths = BP_LENGTHS_LOGNORMAL;
    in.load.spread = 0.5;
    in.load.input_tokens = 120;
    in.load.output_tokens = 40;
    in.load.turns = 1 + seed % 4;
    in.load.think_s = 0.5;
    in.failures.mtbf_s = seed % 4 == 1 ? 20 : 0;
    in.failures.repair_s = 2;
    in.failures.lose = seed % 8 == 1;
    in.start_s = 1;
    in.prefill_pool.replicas = seed % 4 == 2 ? 2 : 0;
    in.prefill_pool.plan = in.plan;
    in.prefill_pool.link_bytes_s = 1e6;
    in.autoscale.target = seed % 4 == 3 ? 6 : 0;
    in.autoscale.max = 5;
    in.autoscale.interval_s = 2;
    in.autoscale.down_delay_s = 5;
    return in;
}

static void test_anything(void **state) {
    int64_t seed;
    (void)state;
    for (seed = 1; seed <= 60; seed++) {
        struct bp_serving_in in = mixture(seed);
        struct run r = simulate(&in, NULL, 0);
        check_requests(&r);
        free(r.requests);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_and_split),
        cmocka_unit_test(test_order_of_routes),
        cmocka_unit_test(test_two_choices),
        cmocka_unit_test(test_herds),
        cmocka_unit_test(test_lead_in),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_little),
        cmocka_unit_test(test_same_seed),
        cmocka_unit_test(test_round_robin),
        cmocka_unit_test(test_autoscale),
        cmocka_unit_test(test_cold_start),
        cmocka_unit_test(test_scale_to_zero),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_layer_wise),
        cmocka_unit_test(test_back_pressure),
        cmocka_unit_test(test_pools_without_link),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_hopeless),
        cmocka_unit_test(test_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

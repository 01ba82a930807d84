/*
** The serving simulation against queues whose answer is known, Little's law, hand-run loops, and what
** happens when the pool is too small.
*/
#include "kernel/serve/infer_attention.h"
#include "kernel/serve/infer_host.h"
#include "kernel/serve/infer_ranks.h"
#include "queue_wait.h"
#include "serving_run.h"

/* M/M/1: waits as the formula says. Lengths are whole, which makes service 0.5 % shorter at most. */
static void test_mm1(void **state) {
    struct bp_serving_in in = queue_like(1, 7, BP_LENGTHS_EXPONENTIAL);
    (void)state;
    in.load.input_tokens = 1e-9 + 1;
    assert_near(summary(&in).queue.mean_s, expected_wait(1, 7, 0.1, 1), 0.05);
}

/* M/D/1 waits half as long: the Pollaczek-Khinchine formula in another variance. */
static void test_mg1(void **state) {
    struct bp_serving_in in = queue_like(1, 7, BP_LENGTHS_FIXED);
    double sigma = 0.5, cv = sqrt(exp(sigma * sigma) - 1);
    (void)state;
    assert_near(summary(&in).queue.mean_s, expected_wait(1, 7, 0.1, 0), 0.03);
    in.load.lengths = BP_LENGTHS_LOGNORMAL;
    in.load.input_tokens = 1;
    in.load.spread = sigma;
    assert_near(summary(&in).queue.mean_s, expected_wait(1, 7, 0.1, cv), 0.05);
}

/* M/M/4 at 80 %: sequences share steps but none slows another. */
static void test_mmc(void **state) {
    struct bp_serving_in in = queue_like(4, 32, BP_LENGTHS_EXPONENTIAL);
    (void)state;
    assert_near(summary(&in).queue.mean_s, expected_wait(4, 32, 0.1, 1), 0.06);
}

/* Little's law holds for anything: running = rate * (time in the system - time in the queue). */
static void test_little(void **state) {
    struct bp_serving_in in = queue_like(8, 60, BP_LENGTHS_LOGNORMAL);
    struct bp_serving_out out;
    (void)state;
    in.engine.max_running = 64;
    out = summary(&in);
    assert_near(out.mean_running, out.requests_per_s * (out.e2e.mean_s - out.queue.mean_s), 0.01);
    assert_near(out.requests_per_s, 60, 0.01);
}

/* Two clients, three requests each of 5 steps: in lock-step, no waiting but for the step itself. */
static void test_closed_loop(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in = serving_in(&s);
    struct run r;
    (void)state;
    in.load.concurrency = 2;
    in.load.requests = 6;
    in.load.input_tokens = 10;
    in.load.output_tokens = 5;
    r = simulate(&in, NULL, 0);
    assert_near(r.out.ttft.mean_s, 1, 1e-6);
    assert_near(r.out.ttft.p99_s, 1, 1e-6);
    assert_near(r.out.tpot.mean_s, 1, 1e-6);
    assert_near(r.out.duration_s, 15,
                1e-6); /* three of each client are a burst, all of which counts */
    assert_near(r.out.output_tok_s, 2, 1e-6);
    assert_near(r.out.busy_frac, 1, 1e-9);
    free(r.requests);
    in.load.requests = 8;
    r = simulate(&in, NULL, 0);
    assert_near(r.out.duration_s, 15, 1e-6); /* of four each, until the last two begin */
    assert_near(r.out.requests_per_s, 0.4, 1e-6);
    assert_near(r.out.output_tok_s, 2, 1e-6);
    free(r.requests);
    in.load.requests = 9; /* the last begins with the end of others, at the same moment */
    r = simulate(&in, NULL, 0);
    assert_near(r.out.requests_per_s, 0.4, 1e-6);
    free(r.requests);
}

/*
** A hundred clients of a replica whose steps take a second each say a hundred tokens in a second while all of them ask, and
** however few of their answers end in that time; with the drain, in which the longest answers are said by themselves, fewer.
*/
static void test_drain(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in = serving_in(&s);
    struct bp_serving_out out;
    (void)state;
    in.load.concurrency = 100;
    in.load.input_tokens = 10;
    in.load.output_tokens = 400;
    in.load.lengths = BP_LENGTHS_EXPONENTIAL;
    out = summary(&in);
    assert_int_equal(out.requests, 1000);
    assert_near(out.output_tok_s, 100, 0.01);
    assert_near(out.mean_running, 100, 0.01);
    assert_near(out.requests_per_s, 0.25, 0.08);
    in.load.drains = 1;
    out = summary(&in);
    assert_true(out.output_tok_s < 80);
    in.load.drains = 0;
    in.load.requests = 150; /* a burst: not two of each client */
    out = summary(&in);
    assert_true(out.output_tok_s < 60);
}

/* Ten of each client, and so many at least that what is drawn has its mean. */
static void test_requests(void **state) {
    struct bp_serving_load load;
    (void)state;
    bp_defaults(&bp_serving_load_schema, &load);
    load.concurrency = 10;
    assert_int_equal(bp_serving_requests(&load), 100);
    load.lengths = BP_LENGTHS_LOGNORMAL;
    assert_int_equal(bp_serving_requests(&load), 1000);
    load.think_s = 60;
    load.lengths = BP_LENGTHS_FIXED;
    assert_int_equal(bp_serving_requests(&load), 10000);
    load.concurrency = 2000;
    assert_int_equal(bp_serving_requests(&load), 20000);
    load.turns = 4; /* ten sessions of each */
    assert_int_equal(bp_serving_requests(&load), 80000);
}

/* First tokens after three times as long, the rest of the answers as far behind them as before. */
static void test_measured_first(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in = serving_in(&s);
    struct run r;
    (void)state;
    in.engine.calibration.first_1 = in.engine.calibration.first_8 = 3;
    in.load.concurrency = 2;
    in.load.requests = 6;
    in.load.input_tokens = 10;
    in.load.output_tokens = 5;
    r = simulate(&in, NULL, 0);
    assert_near(r.out.ttft.mean_s, 3, 1e-6);
    assert_near(r.out.ttft.p99_s, 3, 1e-6);
    assert_near(r.out.tpot.mean_s, 1, 1e-6);
    assert_near(r.out.e2e.mean_s, 7, 1e-6);
    assert_near(r.out.queue.mean_s, 0, 1e-6);
    assert_near(r.out.duration_s, 21, 1e-6); /* the next request waits for the whole answer */
    assert_near(r.out.requests_per_s * r.out.e2e.mean_s, 2, 1e-6);
    free(r.requests);
    in.load.input_tokens =
        25; /* three steps of 10, of which one is seen: two tokens are said by then */
    in.load.concurrency = 1;
    in.engine.token_budget = 10;
    in.engine.calibration.first_1 = in.engine.calibration.first_8 = 1.0 / 3;
    r = simulate(&in, NULL, 0);
    assert_near(r.out.ttft.mean_s, 1, 1e-6);
    assert_near(r.out.tpot.mean_s, 1, 1e-6);
    assert_near(r.out.requests_per_s * r.out.e2e.mean_s, 1, 1e-6);
    free(r.requests);
    in.load.output_tokens =
        1; /* nothing is left to say: the client has it sooner, the engine has not */
    in.load.think_s =
        1e6; /* no time to think is as short as the two seconds that the engine takes longer */
    r = simulate(&in, NULL, 0);
    assert_near(r.out.e2e.mean_s, 1, 1e-6);
    free(r.requests);
    in.load.think_s = 0;
    r = simulate(&in, NULL, 0);
    assert_near(r.requests[5].done_s, 5 * 3 + 1, 1e-6);
    free(r.requests);
}

/* What waits for a place is no slower by the curve: of two clients with one place, only the time that has it is. */
static void test_measured_first_queued(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in = serving_in(&s);
    struct bp_request trace[2];
    struct run r;
    (void)state;
    memset(trace, 0, sizeof trace);
    trace[0].input = trace[1].input = 10;
    trace[0].output = trace[1].output = 5;
    in.engine.max_running = 1;
    in.engine.calibration.first_1 = in.engine.calibration.first_8 = 3;
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].first_s, 3, 1e-6);
    assert_near(r.requests[1].first_s, 5 + 3, 1e-6);
    assert_near(r.requests[1].done_s, 5 + 7, 1e-6);
    free(r.requests);
}

/* Where the curve is 1 nothing moves, to the last bit. */
static void test_measured_level(void **state) {
    struct bp_serving_in in = queue_like(8, 60, BP_LENGTHS_LOGNORMAL);
    struct bp_serving_out plain, level;
    (void)state;
    in.load.arrivals = BP_ARRIVALS_CLOSED;
    in.load.concurrency = 8;
    plain = summary(&in);
    in.engine.calibration.first_512 = 2;
    level = summary(&in);
    assert_memory_equal(&plain, &level, sizeof plain);
}

/* A prompt of 25 in a budget of 10 takes three steps; a mixed one lets the running go on. */
static void test_chunks(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[2];
    struct bp_serving_in in;
    struct run r;
    (void)state;
    memset(trace, 0, sizeof trace);
    trace[0].input = 5;
    trace[0].output = 20;
    trace[1].arrival_s = 2.5;
    trace[1].input = 25;
    trace[1].output = 3;
    s.engine.token_budget = 10;
    in = serving_in(&s);
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].done_s, 20, 1e-6);
    assert_near(r.requests[1].first_s, 6, 1e-6); /* steps at 3, 4, 5 with 9, 9 and 7 tokens */
    assert_near(r.requests[1].done_s, 8, 1e-6);
    free(r.requests);
    in.engine.policy = BP_POLICY_PREFILL_FIRST;
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].done_s, 23, 1e-6); /* three steps without it */
    assert_near(r.requests[1].first_s, 6, 1e-6);
    free(r.requests);
    in.engine.policy = BP_POLICY_MIXED;
    in.engine.chunked_prefill = 0; /* whole, although it is longer than the budget */
    r = simulate(&in, trace, 2);
    assert_near(r.requests[1].first_s, 4, 1e-6);
    free(r.requests);
}

/* Two equal requests, the second while the first one's answer is written. */
static void two_apart(struct bp_request trace[2]) {
    memset(trace, 0, 2 * sizeof trace[0]);
    trace[0].input = trace[1].input = 5;
    trace[0].output = trace[1].output = 30;
    trace[1].arrival_s = 2.5;
}

/* A look for requests every ten decode steps: the one that comes at 2.5 is seen at 11. */
static void test_interval(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[2];
    struct bp_serving_in in;
    struct run r;
    (void)state;
    two_apart(trace);
    s.engine.recv_interval = 10;
    in = serving_in(&s);
    r = simulate(&in, trace, 2);
    assert_near(r.requests[1].start_s, 11, 1e-6); /* the prompt's step, and ten */
    free(r.requests);
}

/*
** Keys and values of a token take 10 ms to read, so that an answer of 1000 tokens slows from a second a token to ten: who
** comes anywhere within waits for the step under way, and no longer.
*/
static void test_slowing(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[2];
    struct bp_serving_in in;
    int i;
    (void)state;
    s.model.hidden = s.model.ffn_hidden = s.model.vocab = 8;
    s.model.kv_heads = 8;
    s.model.head_dim = 128;
    s.device.mem_bw_bytes_s = 2 * 8 * 128 * 2 / 0.01;
    in = serving_in(&s);
    two_apart(trace);
    trace[0].output = 1000;
    for (i = 1; i < 20; i++) {
        struct run r;
        double wait;
        trace[1].arrival_s = 250.0 * i;
        r = simulate(&in, trace, 2);
        wait = r.requests[1].start_s - trace[1].arrival_s;
        assert_true(r.requests[1].start_s < r.requests[0].done_s);
        assert_true(wait >= 0 && wait < 12);
        free(r.requests);
    }
}

/* A prompt that is seen at 3 waits three steps for company that does not come. */
static void test_wait(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[2];
    struct bp_serving_in in;
    struct run r;
    (void)state;
    two_apart(trace);
    s.engine.batch_wait = 3;
    in = serving_in(&s);
    r = simulate(&in, trace, 2);
    assert_near(r.requests[1].start_s, 6, 1e-6);
    free(r.requests);
    in.engine.batch_wait = 0;
    r = simulate(&in, trace, 2);
    assert_near(r.requests[1].start_s, 3, 1e-6);
    free(r.requests);
}

/* Two groups, one of which has a request: the second goes to the other one and waits; with a third each has one. */
static void test_wait_of_groups(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[3];
    struct bp_serving_in in;
    struct run r;
    int i;
    (void)state;
    memset(trace, 0, sizeof trace);
    for (i = 0; i < 3; i++) {
        trace[i].input = 5;
        trace[i].output = 30;
        trace[i].arrival_s = i > 0 ? 2.5 : 0;
    }
    s.plan.dp = 2;
    s.engine.batch_wait = 10;
    in = serving_in(&s);
    r = simulate(&in, trace, 2);
    assert_near(r.requests[1].start_s, 13, 1e-6);
    free(r.requests);
    r = simulate(&in, trace, 3);
    assert_near(r.requests[1].start_s, 3, 1e-6);
    assert_near(r.requests[2].start_s, 3, 1e-6);
    free(r.requests);
}

static void three_at_once(struct bp_request trace[3], struct bp_request each) {
    trace[0] = trace[1] = trace[2] = each;
}

/*
** Two groups with 32 tokens each. The third of three requests of 20 tokens waits for the end of the first, though both
** pools together have room for it: with steps of 1 s from 0 to 10, then its own ten. In one pool of 64 all run together.
*/
static void test_pool_of_group(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[3];
    struct bp_serving_in in;
    struct run r;
    (void)state;
    three_at_once(trace, request(0, 10, 10));
    s.engine.block_tokens = 1;
    s.engine.reserve_output = 1;
    in = serving_in(&s);
    in.pool_tokens = 64;
    r = simulate(&in, trace, 3);
    assert_near(r.requests[2].start_s, 0, 1e-6);
    assert_near(r.requests[2].done_s, 10, 1e-6);
    free(r.requests);
    in.plan.dp = 2;
    r = simulate(&in, trace, 3);
    assert_int_equal(r.requests[0].group, 0);
    assert_int_equal(r.requests[1].group, 1);
    assert_int_equal(r.requests[2].group, 0);
    assert_near(r.requests[1].done_s, 10, 1e-6);
    assert_near(r.requests[2].start_s, 10, 1e-6);
    assert_near(r.requests[2].done_s, 20, 1e-6);
    assert_near(r.out.pool_peak_frac, 20 / 32.0, 1e-9);
    free(r.requests);
}

/* A group throws out its own: two of 6 + 10 tokens outgrow the 24 of their pool at nine each, while the other group's half-empty pool keeps one. */
static void test_preempts_in_group(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[3];
    struct bp_serving_in in;
    struct run r;
    (void)state;
    three_at_once(trace, request(0, 6, 10));
    s.engine.block_tokens = 1;
    s.plan.dp = 2;
    in = serving_in(&s);
    in.pool_tokens = 48;
    r = simulate(&in, trace, 3);
    assert_int_equal(r.out.preemptions, 1);
    assert_near(r.requests[0].done_s, 10, 1e-6);
    assert_near(r.requests[1].done_s, 10, 1e-6);
    assert_true(r.requests[2].done_s > 10);
    free(r.requests);
}

/*
** Groups that share experts step together: of a prompt of 4,096 tokens in one group and one of 64 in the other both end when
** the larger does. Dense layers, attention and head take what two such as the larger take, experts what there is in all.
*/
static void test_lock_step(void **state) {
    struct bp_infer_setup s = usual_setup();
    struct bp_request trace[2] = {request(0, 4096, 1), request(0, 64, 1)};
    struct bp_infer_case c;
    struct bp_serving_in in;
    struct run r;
    double device;
    (void)state;
    s.model.experts = 8;
    s.model.topk = 2;
    s.model.moe_ffn = 2048;
    s.plan.dp = s.plan.ep = 2;
    s.engine.submit_s = s.engine.front_token_s = 0;
    c = prepared(&s);
    device = bp_infer_dense(&c, bp_infer_rows(&c, 2, 8192, 0)) + bp_infer_experts(&c, 4160) +
             bp_infer_head(&c, 2) + bp_infer_prefill(&c, 2, 8192, 0);
    in = serving_in(&s);
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].done_s - r.requests[0].start_s, bp_infer_host(&c, device, 8192, 0),
                1e-9);
    assert_near(r.requests[1].done_s, r.requests[0].done_s, 1e-9);
    free(r.requests);
}

/*
** A request at 2.5 is in the step at 3; planned one ahead, in that at 4; a quarter of a step more is too
** late for it. An idle engine has planned nothing, and the front end reads a prompt token by token.
*/
static void test_planned(void **state) {
    static const double lags[] = {0, 0, 0.75}, starts[] = {3, 4, 5};
    struct bp_infer_setup s = clockwork(1);
    struct bp_request trace[2];
    struct bp_serving_in in;
    struct run r;
    size_t i;
    (void)state;
    two_apart(trace);
    for (i = 0; i < 3; i++) {
        s.engine.overlap = i > 0;
        s.engine.lag_steps = lags[i];
        in = serving_in(&s);
        r = simulate(&in, trace, 2);
        assert_near(r.requests[0].start_s, 0, 1e-6);
        assert_near(r.requests[1].start_s, starts[i], 1e-6);
        free(r.requests);
    }
    in.engine.front_token_s = 0.1;
    r = simulate(&in, trace, 1);
    assert_near(r.requests[0].start_s, 0.5, 1e-6);
    free(r.requests);
}

/* Room for 100 tokens: reserving lets one of two run; on demand both start and the later is undone. */
static void test_pool(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in;
    struct run r;
    (void)state;
    s.engine.block_tokens = 1;
    s.engine.reserve_output = 1;
    in = serving_in(&s);
    in.pool_tokens = 100;
    in.load.concurrency = 2;
    in.load.requests = 2;
    in.load.input_tokens = 30;
    in.load.output_tokens = 40;
    r = simulate(&in, NULL, 0);
    assert_near(r.requests[0].done_s, 40, 1e-6);
    assert_near(r.requests[1].start_s, 40, 1e-6);
    assert_int_equal(r.out.preemptions, 0);
    free(r.requests);
    in.engine.reserve_output = 0;
    r = simulate(&in, NULL, 0);
    assert_near(r.requests[0].done_s, 40, 1e-6);
    assert_near(r.requests[1].start_s, 0, 0);
    assert_true(r.out.preemptions >= 1);
    assert_true(r.requests[1].done_s > 45);
    assert_true(r.out.pool_peak_frac <= 1);
    free(r.requests);
}

/* Two draft_tokens, each taken in half of the cases: a step gains 1 + 1/2 + 1/4 tokens. */
static void test_drafts(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in;
    struct run r;
    (void)state;
    s.plan.draft_tokens = 2;
    s.plan.acceptance = 0.5;
    in = serving_in(&s);
    in.load.requests = 1;
    in.load.input_tokens = 10;
    in.load.output_tokens = 1 + 175;
    r = simulate(&in, NULL, 0);
    assert_near(r.out.tpot.mean_s, 1 / 1.75, 1e-6);
    assert_near(r.out.duration_s, 101, 1e-6);
    free(r.requests);
}

static void test_same_seed(void **state) {
    struct bp_serving_in in = queue_like(8, 60, BP_LENGTHS_LOGNORMAL);
    struct bp_serving_out a, b;
    (void)state;
    in.load.requests = 1000;
    in.load.burstiness = 3;
    a = summary(&in);
    b = summary(&in);
    assert_memory_equal(&a, &b, sizeof a);
    in.load.seed = 2;
    b = summary(&in);
    assert_true(b.e2e.mean_s != a.e2e.mean_s);
}

/* A run in slices is the run in one. */
static void test_slices(void **state) {
    struct bp_serving_in in = queue_like(8, 60, BP_LENGTHS_LOGNORMAL);
    struct bp_serving_source source = {0};
    struct bp_serving_out whole, sliced;
    struct bp_serving_work *work;
    struct bp_error err;
    const struct bp_request *answered;
    void *memory;
    int slices = 0;
    (void)state;
    in.load.requests = 1000;
    whole = summary(&in);
    source.count = 1000;
    memory = malloc(bp_serving_bytes(&in, &source));
    bp_defaults(&bp_serving_out_schema, &sliced);
    assert_int_equal(bp_serving_open(&in, &source, memory, &work, &err), BP_OK);
    while (bp_serving_go(work, 100)) {
        slices++;
    }
    bp_serving_close(work, &sliced, &answered);
    assert_memory_equal(&whole, &sliced, sizeof whole);
    assert_true(slices > 5);
    free(memory);
}

/* Burstier arrivals wait longer at the same rate. */
static void test_bursts(void **state) {
    struct bp_serving_in in = queue_like(1, 7, BP_LENGTHS_FIXED);
    double last = 0;
    (void)state;
    for (in.load.burstiness = 0.5; in.load.burstiness < 5; in.load.burstiness *= 2) {
        double wait = summary(&in).queue.mean_s;
        assert_true(wait > last);
        last = wait;
    }
}

static void test_no_room(void **state) {
    struct bp_infer_setup s = clockwork(1);
    struct bp_serving_in in = serving_in(&s);
    struct bp_serving_out out;
    const struct bp_request *answered;
    struct bp_error err;
    struct bp_serving_source source = {0};
    void *memory;
    (void)state;
    source.count = 10;
    memory = malloc(bp_serving_bytes(&in, &source));
    in.pool_tokens = 100;
    assert_int_equal(bp_serving_run(&in, &source, memory, &out, &answered, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "memory");
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mm1),
        cmocka_unit_test(test_mg1),
        cmocka_unit_test(test_mmc),
        cmocka_unit_test(test_little),
        cmocka_unit_test(test_closed_loop),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_measured_first),
        cmocka_unit_test(test_measured_first_queued),
        cmocka_unit_test(test_measured_level),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_slowing),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_wait_of_groups),
        cmocka_unit_test(test_pool_of_group),
        cmocka_unit_test(test_preempts_in_group),
        cmocka_unit_test(test_lock_step),
        cmocka_unit_test(test_planned),
        cmocka_unit_test(test_drafts),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_same_seed),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

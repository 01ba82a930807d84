/* Runs and budgets: hand-computed, consistent in every direction, contradictions named. */
#include "kernel/train/run.h"
#include "near.h"

static void test_run_by_hand(void **state) {
    struct bp_run_in in;
    struct bp_run_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_run_in_schema, &in);
    in.step_s = 8;
    in.batch_tokens = 4e6;
    in.tokens = 1.001e9; /* 250.25 steps: the last one is run as well */
    in.devices = 16;
    in.goodput_frac = 0.8;
    in.overhead_factor = 1.5;
    in.price_usd_h = 2;
    in.power_w = 700;
    in.pue = 1.2;
    assert_int_equal(bp_run(&in, &out, &err), BP_OK);
    assert_near(out.steps, 251, 0);
    assert_near(out.productive_s, 2008, 1e-15);
    assert_near(out.wall_s, 3765, 1e-12);
    assert_near(out.device_s, 60240, 1e-12);
    assert_near(out.cost_usd, 33.4666666667, 1e-10);
    assert_near(out.energy_j, 60240 * 840.0, 1e-12);
    assert_near(out.tokens_per_s, 1.001e9 / 3765, 1e-12);
    assert_near(out.usd_per_tok * 1.001e9, out.cost_usd, 1e-12);
}

static struct bp_budget_in ask(double budget, double deadline, double mfu, int64_t devices) {
    struct bp_budget_in in;
    bp_defaults(&bp_budget_in_schema, &in);
    in.flop = 1.08e23; /* 30e9 parameters, 600e9 tokens */
    in.peak_flop_s = 989e12;
    in.price_usd_h = 4;
    in.budget_usd = budget;
    in.deadline_s = deadline;
    in.mfu_frac = mfu;
    in.devices = devices;
    return in;
}

static struct bp_budget_out solve(struct bp_budget_in in) {
    struct bp_budget_out out;
    struct bp_error err;
    assert_int_equal(bp_budget(&in, &out, &err), BP_OK);
    return out;
}

static const double MONTH = 30 * 86400.0;

static void test_budget_and_deadline_give_mfu(void **state) {
    struct bp_budget_in in = ask(2e6, MONTH, 0, 0);
    struct bp_budget_out out;
    (void)state;
    in.multiple = 64;
    out = solve(in);
    assert_near(out.devices_exact, 2e6 / (4 * 720), 1e-12);
    assert_near(out.devices, 640, 0);
    assert_near(out.mfu_frac, 1.08e23 / (640 * MONTH * 989e12), 1e-12);
    assert_near(out.cost_usd, 640 * 720 * 4, 1e-12);
    assert_true(out.feasible);
    in.mfu_frac = 0.06; /* less than the 6.58 % it takes */
    assert_false(solve(in).feasible);
    assert_near(solve(in).deadline_s, 1.08e23 / (640 * 989e12 * 0.06), 1e-12);
    in.mfu_frac = 0.07;
    assert_true(solve(in).feasible);
}

static void test_the_other_directions(void **state) {
    struct bp_budget_out out;
    (void)state;
    /* deadline and MFU give devices and cost, rounded up */
    out = solve(ask(0, MONTH, 0.4, 0));
    assert_near(out.devices, 106, 0);
    assert_near(out.devices_exact, 105.32526, 1e-6);
    /* held until the work is done: what a day more leaves idle costs nothing */
    assert_near(out.deadline_s, 1.08e23 / (106 * 989e12 * 0.4), 1e-12);
    assert_near(out.cost_usd, 105.32526 * 720 * 4, 1e-6);
    assert_near(solve(ask(0, MONTH + 86400, 0.4, 0)).cost_usd, out.cost_usd, 1e-12);
    /* budget and devices give the time and the MFU it needs */
    out = solve(ask(2e6, 0, 0, 500));
    assert_near(out.deadline_s, 1000 * 3600, 1e-12);
    assert_near(out.mfu_frac, 1.08e23 / (500 * 3.6e6 * 989e12), 1e-12);
    /* MFU and devices give the time; the budget is then checked */
    out = solve(ask(0, 0, 0.4, 128));
    assert_near(out.deadline_s, 1.08e23 / (128 * 989e12 * 0.4), 1e-12);
    assert_true(out.feasible);
    assert_false(solve(ask(200000, 0, 0.4, 128)).feasible);
    assert_true(solve(ask(2e6, 0, 0.4, 128)).feasible);
    /* a deadline that needs more than the peak */
    assert_false(solve(ask(0, 3600, 0, 128)).feasible);
}

/* What one direction answers, the other confirms. */
static void test_round_trip(void **state) {
    struct bp_budget_out first = solve(ask(0, MONTH, 0.37, 0));
    struct bp_budget_out second = solve(ask(first.cost_usd, 0, 0, (int64_t)first.devices));
    (void)state;
    assert_true(first.deadline_s <= MONTH);
    assert_near(second.deadline_s, first.deadline_s, 1e-12);
    assert_near(second.mfu_frac, 0.37, 1e-12);
}

static void expect_error(struct bp_budget_in in, const char *field) {
    struct bp_budget_out out;
    struct bp_error err;
    assert_int_equal(bp_budget(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

static void test_contradictions(void **state) {
    (void)state;
    expect_error(ask(0, MONTH, 0, 0), "budget_usd");
    expect_error(ask(0, 0, 0, 64), "budget_usd");
    expect_error(ask(2e6, 0, 0.4, 0), "devices");
    expect_error(ask(100, MONTH, 0, 0), "budget_usd"); /* buys no device at all */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_by_hand),
        cmocka_unit_test(test_budget_and_deadline_give_mfu),
        cmocka_unit_test(test_the_other_directions),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

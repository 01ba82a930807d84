/* Loads, replicas and backlogs by hand, with their limits. */
#include "kernel/fleet/fleet.h"
#include "near.h"

static struct bp_load_in load_in(void) {
    struct bp_load_in in;
    bp_defaults(&bp_load_in_schema, &in);
    in.peak_ratio = 4;
    return in;
}

static void test_load(void **state) {
    struct bp_load_in in = load_in();
    struct bp_load_out out;
    struct bp_error err;
    (void)state;
    in.average_per_s = 10e3;
    in.window_s = 5e-3;
    assert_int_equal(bp_load(&in, &out, &err), BP_OK);
    assert_near(out.peak_per_s, 40e3, 1e-15);
    assert_near(out.in_window, 200, 1e-12);
    assert_near(out.per_day, 864e6, 1e-12);
    in.users = 5;
    assert_int_equal(bp_load(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "average_per_s");
    in = load_in();
    in.users = 2e9;
    in.active_frac = 0.05;
    assert_int_equal(bp_load(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "interval_s");
    in.interval_s = 30;
    assert_int_equal(bp_load(&in, &out, &err), BP_OK);
    assert_near(out.average_per_s, 1e8 / 30, 1e-12);
}

static void test_request_rule(void **state) {
    struct bp_request_rule_in in;
    struct bp_request_rule_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_request_rule_in_schema, &in);
    in.params = 7e9;
    in.tokens = 100;
    in.peak_flop_s = 312e12;
    in.mfu_frac = 0.4;
    assert_int_equal(bp_request_rule(&in, &out, &err), BP_OK);
    assert_near(out.flop, 1.4e12, 1e-15);
    assert_near(out.per_s, 89.142857, 1e-7);
    assert_near(out.time_s, 0.0112179487, 1e-8);
    assert_near(out.decode_token_s, 0, 0);
    in.mem_bw_bytes_s = 2e12;
    in.devices = 2;
    assert_int_equal(bp_request_rule(&in, &out, &err), BP_OK);
    assert_near(out.decode_token_s, 14e9 / 4e12, 1e-15);
    assert_near(out.per_s, 178.285714, 1e-7);
}

static struct bp_replicas_in fleet_in(double peak, double capacity, double target) {
    struct bp_replicas_in in;
    bp_defaults(&bp_replicas_in_schema, &in);
    in.peak_per_s = peak;
    in.capacity_per_s = capacity;
    in.utilization_frac = target;
    return in;
}

static struct bp_replicas_out fleet(struct bp_replicas_in in) {
    struct bp_replicas_out out;
    struct bp_error err;
    assert_int_equal(bp_replicas(&in, &out, &err), BP_OK);
    return out;
}

static void test_replicas(void **state) {
    struct bp_replicas_in in = fleet_in(50e3, 4000, 0.7);
    struct bp_replicas_out out = fleet(in);
    (void)state;
    assert_near(out.exact, 17.857142857, 1e-9);
    assert_near(out.replicas, 18, 0);
    assert_near(out.utilization_frac, 50.0 / 72, 1e-12);
    in.spares = 1;
    in.devices_per_replica = 8;
    in.price_usd_h = 2.5;
    in.surge_frac = 0.1;
    out = fleet(in);
    assert_near(out.needed, 18, 0);
    assert_near(out.replicas, 19, 0);
    assert_near(out.surge_replicas, 21, 0);
    assert_near(out.devices, 152, 0);
    assert_near(out.cost_usd_h, 380, 1e-12);
    /* Of spot devices a fifth may go at one time: 18 / 0.8, up. */
    in.loss_frac = 0.2;
    assert_near(fleet(in).replicas, 24, 0);
    /* Exactly at the target no replica is added. */
    assert_near(fleet(fleet_in(28000, 4000, 0.7)).replicas, 10, 0);
    assert_near(fleet(fleet_in(0, 4000, 0.7)).replicas, 0, 0);
}

static double sized(int64_t needed, int64_t zones, int64_t spares) {
    struct bp_replicas_in in = fleet_in((double)needed, 1, 1);
    in.zones = zones;
    in.spares = spares;
    return fleet(in).replicas;
}

/* By hand: 4 needed and 1 spare in 3 zones are 8, of 3, 3 and 2: with a zone lost 5, and one of those may fail. */
static void test_zones(void **state) {
    static const struct {
        int64_t needed, zones, spares;
        double replicas;
    } rows[] = {
        {4, 3, 1, 8}, {4, 3, 0, 6}, {3, 3, 0, 5},  {5, 3, 0, 8}, {1, 2, 0, 2},   {1, 3, 1, 3},
        {3, 2, 1, 8}, {1, 9, 0, 2}, {7, 4, 2, 12}, {4, 1, 1, 5}, {18, 3, 0, 27}, {0, 3, 0, 0},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_near(sized(rows[i].needed, rows[i].zones, rows[i].spares), rows[i].replicas, 0);
    }
}

/* The least number found by counting: replicas dealt to zones one after the other, the fullest zone lost. */
static int64_t counted(int64_t needed, int64_t zones, int64_t spares) {
    int64_t all;
    for (all = needed + spares; zones > 1 && all - (all + zones - 1) / zones - spares < needed;) {
        all++;
    }
    return all;
}

static void test_zones_are_least(void **state) {
    int64_t needed, zones, spares;
    (void)state;
    for (needed = 1; needed <= 40; needed++) {
        for (zones = 1; zones <= 7; zones++) {
            for (spares = 0; spares <= 3; spares++) {
                assert_near(sized(needed, zones, spares), (double)counted(needed, zones, spares),
                            0);
            }
        }
    }
}

/* Of spot devices the loss is made up for before zones and spares: 18 / 0.8 = 22.5, 23 and 1, then half as many. */
static void test_zones_of_spot(void **state) {
    struct bp_replicas_in in = fleet_in(18, 1, 1);
    (void)state;
    in.loss_frac = 0.2;
    in.spares = 1;
    in.zones = 3;
    assert_near(fleet(in).replicas, 36, 0);
}

static void test_backlog(void **state) {
    struct bp_backlog_in in;
    struct bp_backlog_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_backlog_in_schema, &in);
    in.burst_per_s = 700;
    in.burst_s = 1200;
    in.base_per_s = 100;
    in.capacity_per_s = 400;
    in.limit_s = 600;
    assert_int_equal(bp_backlog(&in, &out, &err), BP_OK);
    assert_near(out.backlog, 360e3, 1e-15);
    assert_near(out.wait_s, 900, 1e-15);
    assert_near(out.drain_s, 1200, 1e-15);
    assert_false(out.within_limit);
    assert_near(out.capacity_needed_per_s, 700 * 1200 / 1800.0, 1e-12);
    /* With just that capacity the wait is the limit. */
    in.capacity_per_s = out.capacity_needed_per_s;
    assert_int_equal(bp_backlog(&in, &out, &err), BP_OK);
    assert_near(out.wait_s, 600, 1e-9);
    in.capacity_per_s = 800;
    assert_int_equal(bp_backlog(&in, &out, &err), BP_OK);
    assert_near(out.backlog, 0, 0);
    assert_true(out.within_limit);
    in.capacity_per_s = 100;
    assert_int_equal(bp_backlog(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "capacity_per_s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_request_rule),
        cmocka_unit_test(test_replicas),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_zones_are_least),
        cmocka_unit_test(test_zones_of_spot),
        cmocka_unit_test(test_backlog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

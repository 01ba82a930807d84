/* What the closed form of queues says, for simulations to be held against. */
#ifndef BP_TESTS_QUEUE_WAIT_H
#define BP_TESTS_QUEUE_WAIT_H

#include "kernel/serve/queue.h"
#include "near.h"

/* Mean wait of M/M/c, or M/G/c with the coefficient of variation of the service. */
static inline double expected_wait(int64_t servers, double rate, double service_s, double cv) {
    struct bp_queue_in in;
    struct bp_queue_out out;
    struct bp_error err;
    bp_defaults(&bp_queue_in_schema, &in);
    in.servers = servers;
    in.rate_per_s = rate;
    in.service_s = service_s;
    in.service_cv = cv;
    assert_int_equal(bp_queue(&in, &out, &err), BP_OK);
    return out.wait_s;
}

#endif

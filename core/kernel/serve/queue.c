#include "kernel/serve/queue.h"

#include "kernel/registry.h"

#include <math.h>

/* Erlang B by its recursion, which never overflows; once it is that small it stays 0. */
double bp_erlang_c(double servers, double load) {
    double blocked = 1, n;
    if (!(load > 0)) {
        return 0;
    }
    for (n = 1; n <= servers && blocked > 0; n++) {
        blocked = load * blocked / (n + load * blocked);
    }
    return blocked / (1 - load / servers * (1 - blocked));
}

/* exp(-mean) is taken in parts of this, so that no term is too small or too large for a number. */
#define PART 500.0

double bp_fewer_than(double count, double mean) {
    double left = fmax(0, mean - PART), term = exp(left - mean), sum = 0, k;
    for (k = 0; k < count && term > 0; k++) {
        sum += term;
        term *= mean / (k + 1);
        if (term > 1 && left > 0) {
            double part = fmin(left, PART);
            left -= part;
            sum *= exp(-part);
            term *= exp(-part);
        }
    }
    return sum * exp(-left);
}

/* Of fewer than so many it is no longer told from 0. */
#define NONE_MORE 1e-9

double bp_poisson_of_some(double mean) {
    double n = 2 * (mean - 1);
    int i;
    if (!(mean > 1 + NONE_MORE)) {
        return 0;
    }
    for (i = 0; i < 4; i++) {
        n -= (n + mean * expm1(-n)) / (1 - mean * exp(-n));
    }
    return n;
}

#define EULER_GAMMA 0.57721566490153286

/* Of more places the harmonic sum is a logarithm, to a millionth. */
#define MANY_PLACES 500.0

double bp_until_all(double places) {
    double sum = 0;
    int n;
    if (places > MANY_PLACES) {
        return places * (log(places) + EULER_GAMMA) + 0.5;
    }
    for (n = 1; n <= (int)places; n++) {
        sum += 1.0 / n;
    }
    return places * sum;
}

int bp_queue(const struct bp_queue_in *in, struct bp_queue_out *out, struct bp_error *err) {
    double servers = (double)in->servers;
    double load = in->rate_per_s * in->service_s;
    double variability = (in->arrival_cv * in->arrival_cv + in->service_cv * in->service_cv) / 2;
    double tail = 1 - in->percentile / 100;
    double drain;
    if (!(load < servers)) {
        return bp_fail(
            err, BP_EDOMAIN, "servers",
            "must be above the load of %.6g (rate_per_s * service_s), got %.0f: the queue "
            "would grow without end",
            load, servers);
    }
    drain = (servers - load) / in->service_s;
    out->utilization_frac = load / servers;
    out->wait_probability = bp_erlang_c(servers, load);
    out->wait_s = out->wait_probability / drain * variability;
    out->wait_percentile_s =
        out->wait_probability > tail ? log(out->wait_probability / tail) / drain * variability : 0;
    out->waiting = in->rate_per_s * out->wait_s;
    out->total_s = out->wait_s + in->service_s;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_queue_in, BP_QUEUE_IN_FIELDS, "queue", "arrivals at several servers");
BP_DEFINE_SCHEMA(bp_queue_out, BP_QUEUE_OUT_FIELDS, "queue result", "how long they wait");
BP_DEFINE_KERNEL(
    queue, "Wait for one of several servers",
    "a = rate_per_s service_s; wait_probability = ErlangC(servers, a); wait_s = "
    "wait_probability service_s / (servers - a) (arrival_cv^2 + service_cv^2)/2; "
    "percentile p: ln(wait_probability / (1-p/100)) in place of wait_probability",
    "steady state, one queue, first come first served; exact for Poisson arrivals and "
    "exponential service, an approximation for other variability, best at high load",
    "Erlang (1917); Allen and Cunneen's correction: Allen, Probability, Statistics, and "
    "Queueing Theory (1990), section 5.3");

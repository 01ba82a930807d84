#include "serving_load.h"

#include "random.h"
#include "serving.h"

#include <math.h>

/* Shares of the distributions' shapes whose mean is the given length. */
static double draw(const struct bp_serving_load *load, struct bp_random *random, double length) {
    switch ((enum bp_lengths)load->lengths) {
    case BP_LENGTHS_UNIFORM: {
        double least = length * fmin(load->spread, 1);
        return floor(least + (length - least + 1) * (1 - bp_random_unit(random)));
    }
    case BP_LENGTHS_LOGNORMAL:
        return length *
               exp(load->spread * bp_random_normal(random) - 0.5 * load->spread * load->spread);
    case BP_LENGTHS_EXPONENTIAL:
        return length * bp_random_exponential(random);
    case BP_LENGTHS_FIXED:
    case BP_LENGTHS_EMPIRICAL:
        break;
    }
    return length;
}

static int32_t whole(double length) {
    return (int32_t)fmin(fmax(1, floor(length + 0.5)), 1e9);
}

/* Prompt and answer of a sample belong together. */
static void set_lengths(const struct bp_serving_load *load, const struct bp_serving_source *source,
                        struct bp_random *random, struct bp_request *q) {
    if (load->lengths == BP_LENGTHS_EMPIRICAL && source->sample_count > 0) {
        double at = (1 - bp_random_unit(random)) * (double)source->sample_count;
        q->input = source->samples[(size_t)at].input;
        q->output = source->samples[(size_t)at].output;
        return;
    }
    q->input = whole(draw(load, random, load->input_tokens));
    q->output = whole(draw(load, random, load->output_tokens));
}

static double gap(const struct bp_serving_load *load, struct bp_random *random) {
    double cv = load->burstiness;
    return cv == 1 ? bp_random_exponential(random) : bp_random_gamma(random, 1 / (cv * cv));
}

/* Rates of a period by slot, and how far the arrivals have come in it. */
struct day {
    double weights[BP_DAY_SLOTS];
    size_t slots;
    double slot_s, rate_per_s, now_s;
    size_t slot;
};

/* exp(-k cos) over its mean, at noon: the largest there is. */
static double peak_of(double k) {
    double sum = 0;
    size_t i;
    for (i = 0; i < BP_DAY_SLOTS; i++) {
        sum += exp(k * (-cos(6.283185307179586 * ((double)i + 0.5) / BP_DAY_SLOTS) - 1));
    }
    return (double)BP_DAY_SLOTS / sum;
}

void bp_serving_day(double peak_over_mean, double weights[BP_DAY_SLOTS]) {
    double low = 0, high = 1, k;
    size_t i;
    int halvings;
    while (peak_of(high) < peak_over_mean) {
        high *= 2;
    }
    for (halvings = 0; halvings < 50; halvings++) {
        k = 0.5 * (low + high);
        *(peak_of(k) < peak_over_mean ? &low : &high) = k;
    }
    k = 0.5 * (low + high);
    for (i = 0; i < BP_DAY_SLOTS; i++) {
        double angle = 6.283185307179586 * ((double)i + 0.5) / BP_DAY_SLOTS; /* 2 pi */
        weights[i] = peak_over_mean * exp(k * (-cos(angle) - 1));
    }
}

static void open_day(struct day *d, const struct bp_serving_load *load,
                     const struct bp_serving_source *source) {
    double sum = 0;
    size_t i;
    d->slots = source->rate_count > 0 ? source->rate_count : BP_DAY_SLOTS;
    d->slot_s = load->period_s / (double)d->slots;
    d->rate_per_s = load->rate_per_s / (double)load->turns;
    d->now_s = 0;
    d->slot = 0;
    if (source->rate_count == 0) {
        bp_serving_day(load->peak_over_mean, d->weights);
        return;
    }
    for (i = 0; i < d->slots; i++) {
        sum += source->rates[i];
    }
    for (i = 0; i < d->slots; i++) {
        d->weights[i] = source->rates[i] / sum * (double)d->slots;
    }
}

/* The gap is counted in expected arrivals, which pass as fast as the rate of each slot. */
static double next_of_day(struct day *d, double left) {
    double of_a_period = d->rate_per_s * d->slot_s * (double)d->slots;
    double periods = floor(left / of_a_period);
    if (periods > 0) { /* of rare requests, at once */
        d->slot += (size_t)periods * d->slots;
        d->now_s += periods * d->slot_s * (double)d->slots;
        left = fmax(0, left - periods * of_a_period);
    }
    for (;;) {
        double rate = d->rate_per_s * d->weights[d->slot % d->slots];
        double end = (double)(d->slot + 1) * d->slot_s;
        if (rate > 0 && d->now_s + left / rate <= end) {
            d->now_s += left / rate;
            return d->now_s;
        }
        left -= (end - d->now_s) * rate;
        d->now_s = end;
        d->slot++;
    }
}

static void draw_arrivals(const struct bp_serving_load *load,
                          const struct bp_serving_source *source, struct bp_random *random,
                          struct bp_request *requests) {
    int by_day = load->arrivals == BP_ARRIVALS_DIURNAL;
    double now = 0;
    struct day day;
    size_t i;
    if (by_day) {
        open_day(&day, load, source);
    }
    for (i = 0; i < source->count; i++) {
        struct bp_request *q = &requests[i];
        if (q->opens && load->arrivals != BP_ARRIVALS_CLOSED) {
            double units = gap(load, random);
            now = by_day ? next_of_day(&day, units)
                         : now + units * (double)load->turns / load->rate_per_s;
            q->arrival_s = now;
        }
        set_lengths(load, source, random, q);
    }
}

/* Turns of a session in a row; a prompt holds all that was said before. */
static void join_turns(const struct bp_serving_load *load, struct bp_request *requests,
                       size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        struct bp_request *q = &requests[i];
        q->session = (int32_t)(i / (size_t)load->turns);
        if (!q->opens) {
            q->input += q[-1].input + q[-1].output;
        }
    }
}

/*
** Times to think, after the answer before: of later turns, and of all requests in a closed loop without turns,
** whose clients come out of thinking at first.
*/
static void draw_thinking(const struct bp_serving_load *load, struct bp_random *random,
                          struct bp_request *requests, size_t count) {
    int all = load->turns == 1 && load->arrivals == BP_ARRIVALS_CLOSED;
    size_t i;
    for (i = 0; load->think_s > 0 && i < count; i++) {
        if (all || !requests[i].opens) {
            requests[i].arrival_s = load->think_s * bp_random_exponential(random);
        }
    }
}

/* The first requests of the clients of a closed loop: later by a part of the time in which they begin. */
static void draw_beginnings(const struct bp_serving_load *load, struct bp_random *random,
                            struct bp_request *requests, size_t count) {
    int64_t clients =
        load->arrivals == BP_ARRIVALS_CLOSED && load->ramp_s > 0 ? load->concurrency : 0;
    size_t i;
    for (i = 0; clients > 0 && i < count; i++) {
        if (requests[i].opens) {
            requests[i].arrival_s += load->ramp_s * bp_random_unit(random);
            clients--;
        }
    }
}

void bp_serving_draw(const struct bp_serving_load *load, const struct bp_serving_source *source,
                     struct bp_request *requests) {
    struct bp_random random;
    size_t i, turns = (size_t)load->turns;
    bp_random_seed(&random, (uint64_t)load->seed);
    for (i = 0; i < source->count; i++) {
        struct bp_request *q = &requests[i];
        q->opens = i % turns == 0;
        q->goes_on = i % turns + 1 < turns && i + 1 < source->count;
        q->session = -1;
        q->arrival_s = 0;
    }
    draw_arrivals(load, source, &random, requests);
    if (turns > 1) {
        join_turns(load, requests, source->count);
    }
    draw_thinking(load, &random, requests, source->count);
    draw_beginnings(load, &random, requests, source->count);
}

BP_DEFINE_ENUM(bp_arrivals, BP_ARRIVALS);
BP_DEFINE_ENUM(bp_lengths, BP_LENGTHS);
BP_DEFINE_SCHEMA(bp_serving_load, BP_SERVING_LOAD_FIELDS, "load", "what arrives at a service");

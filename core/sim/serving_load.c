#include "serving_load.h"

#include "random.h"

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
        break;
    }
    return length;
}

static int32_t whole(double length) {
    return (int32_t)fmin(fmax(1, floor(length + 0.5)), 1e9);
}

static double gap(const struct bp_serving_load *load, struct bp_random *random) {
    double cv = load->burstiness;
    return cv == 1 ? bp_random_exponential(random) : bp_random_gamma(random, 1 / (cv * cv));
}

void bp_serving_draw(const struct bp_serving_load *load, struct bp_request *requests,
                     size_t count) {
    struct bp_random random;
    double now = 0;
    size_t i;
    bp_random_seed(&random, (uint64_t)load->seed);
    for (i = 0; i < count; i++) {
        struct bp_request *r = &requests[i];
        r->arrival_s = 0;
        if (load->arrivals == BP_ARRIVALS_OPEN) {
            now += gap(load, &random) / load->rate_per_s;
            r->arrival_s = now;
        }
        r->input = whole(draw(load, &random, load->input_tokens));
        r->output = whole(draw(load, &random, load->output_tokens));
    }
}

/* The k-th smallest of values, which it reorders (Hoare's selection). */
static double nth(double *values, size_t count, size_t k) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2], swap;
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < pivot) {
                i++;
            }
            while (values[j] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (values[j] > pivot) {
            j--;
        }
        if (k <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return values[k];
}

/* Between neighbours as NumPy's default does, so that benchmarks' percentiles are the same. */
static double percentile(double *values, size_t count, double share) {
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    double low = nth(values, count, below);
    return below + 1 < count ? low + (at - (double)below) * (nth(values, count, below + 1) - low)
                             : low;
}

static struct bp_spread_out spread(double *values, size_t count) {
    struct bp_spread_out out = {0, 0, 0, 0};
    double sum = 0;
    size_t i;
    if (count == 0) {
        return out;
    }
    for (i = 0; i < count; i++) {
        sum += values[i];
    }
    out.mean_s = sum / (double)count;
    out.p50_s = percentile(values, count, 0.5);
    out.p90_s = percentile(values, count, 90.0 / 100);
    out.p99_s = percentile(values, count, 99.0 / 100);
    return out;
}

static void sum_tpot(const struct bp_request *requests, size_t count, size_t skip, double *values,
                     struct bp_serving_out *out) {
    size_t i, n = 0;
    for (i = skip; i < count; i++) {
        const struct bp_request *r = &requests[i];
        if (r->output > 1) {
            values[n++] = (r->done_s - r->first_s) / (double)(r->output - 1);
        }
    }
    out->tpot = spread(values, n);
}

static void sum_rates(const struct bp_request *requests, size_t count, struct bp_serving_out *out) {
    double first = INFINITY, last = 0, input = 0, output = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        first = fmin(first, requests[i].arrival_s);
        last = fmax(last, requests[i].done_s);
        input += requests[i].input;
        output += requests[i].output;
    }
    out->duration_s = last - first;
    out->requests = (int64_t)count;
    if (out->duration_s > 0) {
        out->requests_per_s = (double)count / out->duration_s;
        out->output_tok_s = output / out->duration_s;
        out->total_tok_s = (input + output) / out->duration_s;
    }
}

void bp_serving_sum(const struct bp_request *requests, size_t count, size_t skip, double *values,
                    struct bp_serving_out *out) {
    size_t i, n = 0;
    skip = skip < count ? skip : 0;
    for (i = skip; i < count; i++) {
        values[n++] = requests[i].first_s - requests[i].arrival_s;
    }
    out->ttft = spread(values, n);
    for (i = skip, n = 0; i < count; i++) {
        values[n++] = requests[i].done_s - requests[i].arrival_s;
    }
    out->e2e = spread(values, n);
    for (i = skip, n = 0; i < count; i++) {
        values[n++] = requests[i].start_s - requests[i].arrival_s;
    }
    out->queue = spread(values, n);
    sum_tpot(requests, count, skip, values, out);
    sum_rates(requests, count, out);
}

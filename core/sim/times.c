#include "times.h"

/* Hoare's selection. */
double bp_times_nth(double *values, size_t count, size_t k) {
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
    double low = bp_times_nth(values, count, below);
    return below + 1 < count
               ? low + (at - (double)below) * (bp_times_nth(values, count, below + 1) - low)
               : low;
}

struct bp_spread_out bp_times_sum(double *values, size_t count, double asked) {
    struct bp_spread_out out = {0, 0, 0, 0, 0};
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
    out.at_s = percentile(values, count, asked / 100);
    return out;
}

BP_DEFINE_SCHEMA(bp_spread_out, BP_SPREAD_OUT_FIELDS, "spread", "mean and percentiles");

#include "quantile.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bp_median(double *values, size_t count) {
    size_t half = count / 2;
    if (count == 0) {
        return 0;
    }
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

static int compare_weighted(const void *a, const void *b) {
    const struct bp_weighted *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

double bp_weighted_quantile(struct bp_weighted *items, size_t count, double share, double total) {
    /* Sums of weights carry rounding errors: a value that misses its share by so little has it. */
    const double slack = 1e-12;
    double sum = 0;
    size_t i;
    qsort(items, count, sizeof *items, compare_weighted);
    for (i = 0; i < count; i++) {
        sum += items[i].weight;
        if (sum >= share * total * (1 - slack)) {
            return items[i].value;
        }
    }
    return INFINITY;
}

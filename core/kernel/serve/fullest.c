#include "kernel/serve/fullest.h"

#include <math.h>

#define HALF_ROOT 0.70710678118654752440

/* Further than this from its mean, in deviations, is nothing. */
#define FAR_OFF 4.0

/* What happens less often than this is left out. */
#define RARELY 1e-3

/* So many are counted one by one, of more their number adds to the spread of their sum. */
#define MANY_COUNTED 12.0

/* Parts that a distribution is summed up in (assumption: finer than the formulas are). */
enum { PARTS = 24 };

/* Wilson and Hilferty's cube root (1931). */
double bp_gamma_above(double mean, double off, double limit) {
    double v = off * off / 9, by = limit / mean - 1;
    if (fabs(by) >= FAR_OFF * off * (1 + off)) {
        return by < 0;
    }
    return limit > 0 ? 0.5 * erfc((cbrt(1 + by) - (1 - v)) / sqrt(v) * HALF_ROOT) : 1;
}

static double spread_of(double count, double spread2) {
    return sqrt((1 + spread2) / count);
}

/* Chance that the sum of one group is above `limit`. */
static double above(double count, double spread2, double limit) {
    double chance = exp(-count), left = 1 - chance, sum = 0, n;
    if (count > MANY_COUNTED) {
        return bp_gamma_above(count, spread_of(count, spread2), limit);
    }
    for (n = 1; left > RARELY; n++) {
        chance *= count / n;
        left -= chance;
        sum += chance * (spread2 > 0 ? bp_gamma_above(n, sqrt(spread2 / n), limit) : n > limit);
    }
    return sum;
}

/* Chance that one of the groups has something that each has with this chance. */
static double any(double groups, double chance) {
    return chance < 1 ? -expm1(groups * log1p(-chance)) : 1;
}

double bp_fullest_above(double groups, double count, double spread2, double limit) {
    return any(groups, limit > 0 ? above(count, spread2, limit) : -expm1(-count));
}

/* Where hardly a sum is larger. */
static double largest(double count, double spread2) {
    return count + 2 * FAR_OFF * fmax(1, spread_of(count, spread2) * count);
}

double bp_fullest_sum(double groups, double count, double spread2, double most) {
    double end = fmin(most, largest(count, spread2)), part = end / PARTS, sum = 0;
    int i;
    for (i = 0; i < PARTS; i++) {
        sum += part * any(groups, above(count, spread2, (i + 0.5) * part));
    }
    return sum;
}

double bp_fullest_steps(double groups, double count, double spread2, double held) {
    double sum = any(groups, -expm1(-count)), chance = 1, steps;
    if (largest(count, spread2) > PARTS * held) {
        return sum * 0.5 + bp_fullest_sum(groups, count, spread2, INFINITY) / held;
    }
    for (steps = 1; chance > RARELY; steps++) {
        chance = any(groups, above(count, spread2, steps * held));
        sum += chance;
    }
    return sum;
}

double bp_fullest_gamma(double groups, double off) {
    double end = 1 + 2 * FAR_OFF * off, sum = 0;
    int i;
    for (i = 0; i < PARTS; i++) {
        sum += end / PARTS * any(groups, bp_gamma_above(1, off, (i + 0.5) * end / PARTS));
    }
    return off > 0 ? sum : 1;
}

#include "spread.h"

#include <math.h>

/* Ratio of two polynomials of degree 7, coefficients from the constant on. */
static double ratio(const double *above, const double *below, double x) {
    double p = above[7], q = below[7];
    int i;
    for (i = 6; i >= 0; i--) {
        p = p * x + above[i];
        q = q * x + below[i];
    }
    return p / q;
}

double bp_normal_quantile(double u) {
    static const double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                1.9715909503065514427e3, 1.3731693765509461125e4,
                                4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e1,
                                6.8718700749205790830e2,
                                5.3941960214247511077e3,
                                2.1213794301586595867e4,
                                3.9307895800092710610e4,
                                2.8729085735721942674e4,
                                5.2264952788528545610e3};
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    double q = u - 0.5, r;
    if (fabs(q) <= 0.425) {
        return q * ratio(a, b, 0.180625 - q * q);
    }
    r = sqrt(-log(q < 0 ? u : 1 - u));
    r = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
    return q < 0 ? -r : r;
}

double bp_normal_below(double z) {
    return 0.5 * erfc(-z * 0.70710678118654752440);
}

static double triangular(const struct bp_spread *s, double u) {
    double width = s->c - s->a, mode = width > 0 ? (s->b - s->a) / width : 0;
    if (u < mode) {
        return s->a + width * sqrt(u * mode);
    }
    return s->c - width * sqrt((1 - u) * (1 - mode));
}

/* The continued fraction of the incomplete beta function by Lentz's method (Abramowitz and Stegun 26.5.8). */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    int m;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    h = d;
    for (m = 1; m <= 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step;
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-15) {
            break;
        }
    }
    return h;
}

static double beta_below(double a, double b, double log_scale, double x) {
    double front;
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    front = exp(log_scale + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) {
        return front * beta_fraction(a, b, x) / a;
    }
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/*
** The value of a beta distribution from 0 to 1, by Newton's steps from x inside of an interval that holds the root,
** halved where a step would leave it.
*/
static double beta_value(const struct bp_spread *s, double u, double x) {
    double a = s->a, b = s->b, low = 0, high = 1;
    double log_scale = lgamma(a + b) - lgamma(a) - lgamma(b);
    int i;
    for (i = 0; i < 100; i++) {
        double off = beta_below(a, b, log_scale, x) - u, next;
        if (off > 0) {
            high = x;
        } else {
            low = x;
        }
        next = x - off / exp(log_scale + (a - 1) * log(x) + (b - 1) * log1p(-x));
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (fabs(next - x) <= 1e-15 * next) {
            break;
        }
        x = next;
    }
    return x;
}

/* The part that u falls into; *inside is how far u is through it, between 0 and 1. */
static const struct bp_spread *part_of(const struct bp_spread *s, double u, double *inside) {
    double before = 0;
    size_t i;
    for (i = 0; i + 1 < s->count && u >= before + s->values[i]; i++) {
        before += s->values[i];
    }
    *inside = (u - before) / s->values[i];
    /* Rounding must not put it on an end, where distributions without bounds are infinite. */
    *inside = fmin(fmax(*inside, 0x1p-33), 1 - 0x1p-33);
    return &s->parts[i];
}

double bp_spread_value(const struct bp_spread *spread, double u) {
    double inside;
    const struct bp_spread *part;
    switch (spread->kind) {
    case BP_SPREAD_UNIFORM:
        return spread->a + (spread->b - spread->a) * u;
    case BP_SPREAD_NORMAL:
        return spread->a + spread->b * bp_normal_quantile(u);
    case BP_SPREAD_LOGNORMAL:
        return exp(spread->a + spread->b * bp_normal_quantile(u));
    case BP_SPREAD_TRIANGULAR:
        return triangular(spread, u);
    case BP_SPREAD_BETA:
        return spread->c +
               (spread->d - spread->c) * beta_value(spread, u, spread->a / (spread->a + spread->b));
    case BP_SPREAD_EMPIRICAL:
        return spread->values[(size_t)(u * (double)spread->count)];
    case BP_SPREAD_MIXTURE:
        part = part_of(spread, u, &inside);
        return bp_spread_value(part, inside);
    }
    return spread->a;
}

/* Kinds whose quantile function is smooth and takes longer than an interpolation. */
static int has_knots(enum bp_spread_kind kind) {
    return kind == BP_SPREAD_NORMAL || kind == BP_SPREAD_LOGNORMAL ||
           kind == BP_SPREAD_TRIANGULAR || kind == BP_SPREAD_BETA;
}

/* The value at u; *last, which the one before it has left there, is where the search for it begins. */
static double knot(const struct bp_spread *spread, double u, double *last) {
    if (spread->kind != BP_SPREAD_BETA) {
        return bp_spread_value(spread, u);
    }
    *last = beta_value(spread, u, *last);
    return spread->c + (spread->d - spread->c) * *last;
}

/* 2^-16: what a cell at the ends is wide. */
static const double END_CELL = 1.0 / (64.0 * BP_SPREAD_END_CELLS);

void bp_sampled_init(struct bp_sampled *sampled, const struct bp_spread *spread) {
    double start = spread->a / (spread->a + spread->b), last = start;
    int i;
    sampled->spread = *spread;
    if (!has_knots(spread->kind)) {
        return;
    }
    for (i = BP_SPREAD_CELLS / 2; i > 0; i--) {
        sampled->knots[i] = knot(spread, (double)i / BP_SPREAD_CELLS, &last);
    }
    for (i = BP_SPREAD_END_CELLS + 1, last = start; i > 0; i--) {
        sampled->low[i] = knot(spread, i * END_CELL, &last);
    }
    for (i = BP_SPREAD_CELLS / 2 + 1, last = start; i < BP_SPREAD_CELLS; i++) {
        sampled->knots[i] = knot(spread, (double)i / BP_SPREAD_CELLS, &last);
    }
    for (i = BP_SPREAD_END_CELLS + 1, last = start; i > 0; i--) {
        sampled->high[i] = knot(spread, 1 - i * END_CELL, &last);
    }
}

/*
** Through four knots; the error falls with the fourth power of the distance from the end of the interval, where
** quantile functions bend: from 32 cells on it is below 1e-7 of a deviation.
*/
enum { EXACT_CELLS = 32, CELL_BITS = 21, END_CELL_BITS = 16 };

static double interpolated(const double *knots, uint32_t x, int bits, double cell) {
    const double *k = knots + (x >> bits);
    double t = ((double)(x & ((1U << bits) - 1)) + 0.5) * cell;
    double ahead = t - 1, beyond = t - 2, behind = t + 1;
    return k[0] * (0.5 * behind * ahead * beyond) - k[1] * (0.5 * behind * t * beyond) +
           (k[2] * (behind * ahead) - k[-1] * (ahead * beyond)) * (t * (1.0 / 6));
}

/* Values of the outer 64th at either end. */
static double at_end(const struct bp_sampled *sampled, uint32_t x) {
    int is_high = x >> 31 != 0;
    uint32_t inwards = is_high ? ~x : x;
    if (inwards >> END_CELL_BITS < EXACT_CELLS) {
        return bp_spread_value(&sampled->spread, ((double)x + 0.5) * 0x1p-32);
    }
    return interpolated(is_high ? sampled->high : sampled->low, inwards, END_CELL_BITS, 0x1p-16);
}

static void by_function(const struct bp_spread *spread, const uint32_t *x, size_t count,
                        double *out) {
    size_t i;
    if (spread->kind == BP_SPREAD_UNIFORM) {
        double low = spread->a, width = spread->b - spread->a;
        for (i = 0; i < count; i++) {
            out[i] = low + width * (((double)x[i] + 0.5) * 0x1p-32);
        }
        return;
    }
    for (i = 0; i < count; i++) {
        out[i] = bp_spread_value(spread, ((double)x[i] + 0.5) * 0x1p-32);
    }
}

void bp_sampled_values(const struct bp_sampled *sampled, const uint32_t *x, size_t count,
                       double *out) {
    size_t i;
    if (!has_knots(sampled->spread.kind)) {
        by_function(&sampled->spread, x, count, out);
        return;
    }
    for (i = 0; i < count; i++) {
        uint32_t cell = x[i] >> CELL_BITS;
        if (cell - EXACT_CELLS < BP_SPREAD_CELLS - 2 * EXACT_CELLS) {
            out[i] = interpolated(sampled->knots, x[i], CELL_BITS, 0x1p-21);
        } else {
            out[i] = at_end(sampled, x[i]);
        }
    }
}

/* Distributions of uncertain numbers, by their quantile functions. */
#ifndef BP_STATS_SPREAD_H
#define BP_STATS_SPREAD_H

#include <stddef.h>
#include <stdint.h>

enum bp_spread_kind {
    BP_SPREAD_UNIFORM,    /* from a to b */
    BP_SPREAD_NORMAL,     /* mean a, deviation b */
    BP_SPREAD_LOGNORMAL,  /* of the logarithm: mean a, deviation b */
    BP_SPREAD_TRIANGULAR, /* from a over the mode b to c */
    BP_SPREAD_BETA,       /* shapes a and b, scaled to c .. d */
    BP_SPREAD_EMPIRICAL,  /* each of the values with the same chance */
    BP_SPREAD_MIXTURE,    /* each of the parts with its weight */
};

struct bp_spread {
    enum bp_spread_kind kind;
    double a, b, c, d;
    const double *values; /* EMPIRICAL: sorted; MIXTURE: the weights, which sum up to 1 */
    size_t count;         /* of values and parts */
    const struct bp_spread *parts;
};

/* The normal quantile function, to 1e-15: Wichura, Applied Statistics 37 (1988), algorithm AS 241. */
double bp_normal_quantile(double u);

/* The share of the standard normal distribution below z. */
double bp_normal_below(double z);

/*
** The value that a uniform number u, 0 < u < 1, stands for. It grows with u but for mixtures, where u chooses
** the part first and then the value in it.
*/
double bp_spread_value(const struct bp_spread *spread, double u);

/*
** Cells between which a quantile function is interpolated: over all of the unit interval, and finer ones over
** the 64th part at either end, where it bends.
*/
enum { BP_SPREAD_CELLS = 2048, BP_SPREAD_END_CELLS = 1024 };

/* A distribution with its quantile function at the knots, for kinds that have a smooth one. */
struct bp_sampled {
    struct bp_spread spread;
    double knots[BP_SPREAD_CELLS + 1];
    double low[BP_SPREAD_END_CELLS + 2], high[BP_SPREAD_END_CELLS + 2]; /* from the end inwards */
};

void bp_sampled_init(struct bp_sampled *sampled, const struct bp_spread *spread);

/* Values of the uniform numbers x, in units of 2^-32 as bp_lattice_points has them. */
void bp_sampled_values(const struct bp_sampled *sampled, const uint32_t *x, size_t count,
                       double *out);

#endif

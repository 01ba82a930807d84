/*
** The distribution of a sum of independent positive parts, such as the times a request spends in one
** place after another: each part on a grid of equal cells, the sum by convolution.
*/
#ifndef BP_STATS_PART_SUM_H
#define BP_STATS_PART_SUM_H

#include <stddef.h>

/*
** A part by points of its quantile function: standard normal score and logarithm of the value, rising.
** Between the points, and beyond them with the outer slopes, the logarithm is linear in the score: two
** points are a lognormal.
*/
enum { BP_PART_POINTS = 4 };
struct bp_part {
    double score[BP_PART_POINTS], log_value[BP_PART_POINTS];
    size_t points; /* at least 2 */
};

/* Value at a standard normal score; chance of at most a value; mean. */
double bp_part_value(const struct bp_part *part, double score);
double bp_part_below(const struct bp_part *part, double value);
double bp_part_mean(const struct bp_part *part);

/* Score of a share of a normal distribution, 0 < share < 1. */
double bp_normal_score(double share);

enum { BP_SUM_CELLS = 2048 };
struct bp_sum {
    double cells[BP_SUM_CELLS]; /* chance of each; the last has all that is beyond */
    double width;               /* of a cell */
    size_t parts;               /* that were added: each is off by half a cell */
    size_t used;                /* cells up to the last that is not empty */
};

/* Cell width that holds all but a few in 100,000 of the sum. */
double bp_sum_width(const struct bp_part *parts, size_t count);

/* The sum of no part; the same of one part; adds two sums of the same width (out is neither). */
void bp_sum_none(struct bp_sum *out, double width);
void bp_sum_part(struct bp_sum *out, const struct bp_part *part, double width);
void bp_sum_add(const struct bp_sum *a, const struct bp_sum *b, struct bp_sum *out);

/* Value that a share of the sums stays below; chance of at most a value. */
double bp_sum_quantile(const struct bp_sum *sum, double share);
double bp_sum_below(const struct bp_sum *sum, double value);

/* The sum of all parts on cells of a width; room is for two. */
void bp_sum_of(const struct bp_part *parts, size_t count, double width, struct bp_sum *room,
               struct bp_sum *out);

/*
** The same of parts whose sum is there on coarse cells, added again on finer ones where the value is among the first: of
** a heavy tail the width that holds the tail has the rest in one cell. Room is for three sums.
*/
double bp_sum_quantile_of(const struct bp_part *parts, size_t count, const struct bp_sum *coarse,
                          double share, struct bp_sum *room);
double bp_sum_below_of(const struct bp_part *parts, size_t count, const struct bp_sum *coarse,
                       double value, struct bp_sum *room);

#endif

#include "part_sum.h"

#include <math.h>
#include <string.h>

#define HALF_ROOT 0.70710678118654752440 /* 1 / sqrt(2) */

/* Scores between which nearly all of a part is, for its mean and for the grid: 3 in 100,000 beyond. */
#define MEAN_SCORE 8.0
#define GRID_SCORE 4.0

static double chance_below(double score) {
    return 0.5 * erfc(-score * HALF_ROOT);
}

double bp_normal_score(double share) {
    double low = -MEAN_SCORE, high = MEAN_SCORE;
    int i;
    for (i = 0; i < 60; i++) { /* 16 / 2^60 is below rounding */
        double middle = 0.5 * (low + high);
        if (chance_below(middle) < share) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

double bp_part_value(const struct bp_part *part, double score) {
    size_t i = 0;
    double slope;
    while (i + 2 < part->points && score > part->score[i + 1]) {
        i++;
    }
    slope = (part->log_value[i + 1] - part->log_value[i]) / (part->score[i + 1] - part->score[i]);
    return exp(part->log_value[i] + slope * (score - part->score[i]));
}

double bp_part_below(const struct bp_part *part, double value) {
    double log_value, slope;
    size_t i = 0;
    if (!(value > 0)) {
        return 0;
    }
    log_value = log(value);
    while (i + 2 < part->points && log_value > part->log_value[i + 1]) {
        i++;
    }
    slope = (part->score[i + 1] - part->score[i]) / (part->log_value[i + 1] - part->log_value[i]);
    return chance_below(part->score[i] + slope * (log_value - part->log_value[i]));
}

/* Simpson's rule over the normal density. */
double bp_part_mean(const struct bp_part *part) {
    enum { STEPS = 800 };
    const double density = 0.39894228040143267794; /* 1 / sqrt(2 pi) */
    const double step = 2 * MEAN_SCORE / STEPS;
    double sum = 0;
    int i;
    for (i = 0; i <= STEPS; i++) {
        double score = -MEAN_SCORE + i * step;
        double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * density * exp(-0.5 * score * score) * bp_part_value(part, score);
    }
    return sum * step / 3;
}

double bp_sum_width(const struct bp_part *parts, size_t count) {
    double total = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        total += bp_part_value(&parts[i], GRID_SCORE);
    }
    return total / BP_SUM_CELLS;
}

void bp_sum_none(struct bp_sum *out, double width) {
    memset(out->cells, 0, sizeof out->cells);
    out->cells[0] = 1;
    out->width = width;
    out->parts = 0;
    out->used = 1;
}

static void count_used(struct bp_sum *sum) {
    sum->used = BP_SUM_CELLS;
    while (sum->used > 1 && !(sum->cells[sum->used - 1] > 0)) {
        sum->used--;
    }
}

void bp_sum_part(struct bp_sum *out, const struct bp_part *part, double width) {
    double before = 0;
    size_t i;
    for (i = 0; i < BP_SUM_CELLS; i++) {
        double below = i + 1 < BP_SUM_CELLS ? bp_part_below(part, (double)(i + 1) * width) : 1;
        out->cells[i] = below - before;
        before = below;
    }
    out->width = width;
    out->parts = 1;
    count_used(out);
}

void bp_sum_add(const struct bp_sum *a, const struct bp_sum *b, struct bp_sum *out) {
    size_t i, j;
    memset(out->cells, 0, sizeof out->cells);
    for (i = 0; i < a->used; i++) {
        size_t room = BP_SUM_CELLS - 1 - i, end = b->used < room ? b->used : room;
        for (j = 0; j < end; j++) {
            out->cells[i + j] += a->cells[i] * b->cells[j];
        }
        for (; j < b->used; j++) {
            out->cells[BP_SUM_CELLS - 1] += a->cells[i] * b->cells[j];
        }
    }
    out->width = a->width;
    out->parts = a->parts + b->parts;
    count_used(out);
}

/* Where the middle of a cell is, in cells: each part's own middle has moved it by a half. */
static double shift(const struct bp_sum *sum) {
    return 0.5 * (double)sum->parts;
}

double bp_sum_quantile(const struct bp_sum *sum, double share) {
    double before = 0;
    size_t i;
    if (sum->parts == 0) {
        return 0;
    }
    for (i = 0; i + 1 < sum->used && before + sum->cells[i] < share; i++) {
        before += sum->cells[i];
    }
    return fmax(0, ((double)i - 0.5 + shift(sum) +
                    (sum->cells[i] > 0 ? (share - before) / sum->cells[i] : 0.5)) *
                       sum->width);
}

double bp_sum_below(const struct bp_sum *sum, double value) {
    double at = value / sum->width + 0.5 - shift(sum), below = 0;
    size_t i;
    if (sum->parts == 0) {
        return value >= 0 ? 1 : 0;
    }
    for (i = 0; i < sum->used && (double)i < at; i++) {
        below += sum->cells[i] * fmin(1, at - (double)i);
    }
    return fmin(1, below);
}

void bp_sum_of(const struct bp_part *parts, size_t count, double width, struct bp_sum *room,
               struct bp_sum *out) {
    struct bp_sum *one = &room[0], *before = &room[1];
    size_t i;
    bp_sum_none(out, width);
    for (i = 0; i < count; i++) {
        *before = *out;
        bp_sum_part(one, &parts[i], width);
        bp_sum_add(before, one, out);
    }
}

/* A quantile in the first sixteenth of the cells is sought again on a grid of eight times it. */
#define LOW_FRAC 16.0
#define REFINED_RANGE 8.0
#define REFINEMENTS 32

double bp_sum_quantile_of(const struct bp_part *parts, size_t count, const struct bp_sum *coarse,
                          double share, struct bp_sum *room) {
    const struct bp_sum *sum = coarse;
    double at = 0;
    int i;
    for (i = 0; i < REFINEMENTS; i++) {
        at = fmax(bp_sum_quantile(sum, share), sum->width);
        if (at >= sum->width * (BP_SUM_CELLS / LOW_FRAC)) {
            return at;
        }
        bp_sum_of(parts, count, REFINED_RANGE * at / BP_SUM_CELLS, room, &room[2]);
        sum = &room[2];
    }
    return at;
}

double bp_sum_below_of(const struct bp_part *parts, size_t count, const struct bp_sum *coarse,
                       double value, struct bp_sum *room) {
    double width = REFINED_RANGE * value / BP_SUM_CELLS;
    if (!(value > 0) || count == 0) {
        return count == 0 && value >= 0 ? 1 : 0;
    }
    if (width >= coarse->width) {
        return bp_sum_below(coarse, value);
    }
    bp_sum_of(parts, count, width, room, &room[2]);
    return bp_sum_below(&room[2], value);
}

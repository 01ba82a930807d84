#include "joint.h"

#include <math.h>

#include "spread.h"

/* What is left of a variance by rounding alone. */
static const double NOTHING = 1e-12;

void bp_joint_factor(double *m, size_t n) {
    size_t i, j, k;
    for (i = 0; i < n; i++) {
        double own = m[i * n + i];
        for (j = 0; j <= i; j++) {
            double sum = m[i * n + j], pivot = m[j * n + j];
            for (k = 0; k < j; k++) {
                sum -= m[i * n + k] * m[j * n + k];
            }
            if (i == j) {
                m[i * n + j] = sum > NOTHING * own ? sqrt(sum) : 0;
            } else {
                m[i * n + j] = pivot > 0 ? sum / pivot : 0;
            }
        }
        for (j = i + 1; j < n; j++) {
            m[i * n + j] = 0;
        }
    }
}

/* The output function of splitmix64 (Steele, Lea and Flood, OOPSLA 2014) of a counter. */
static uint64_t mixed(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* The centre of one of 2^52 cells of the unit interval: never 0 or 1. */
static double unit(uint64_t seed, uint64_t pair, uint64_t k) {
    uint64_t bits = mixed(mixed(mixed(seed) ^ pair) ^ k);
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

void bp_joint_draw(const struct bp_joint *joint, uint64_t i, double *scores, double *out) {
    size_t n = joint->n, j, k;
    double side = i % 2 ? -1 : 1;
    for (j = 0; j < n; j++) {
        scores[j] = side * bp_normal_quantile(unit(joint->seed, i / 2, j));
    }
    for (j = 0; j < n; j++) {
        double sum = 0;
        for (k = 0; k <= j; k++) {
            sum += joint->factor[j * n + k] * scores[k];
        }
        out[j] = joint->mean[j] + sum;
    }
}

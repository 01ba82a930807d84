#include "random.h"

#include <math.h>

/* Constants of splitmix64 and xoshiro256** as their authors publish them (prng.di.unimi.it). */
static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

void bp_random_seed(struct bp_random *r, uint64_t seed) {
    int i;
    for (i = 0; i < 4; i++) {
        r->s[i] = splitmix(&seed);
    }
}

static uint64_t rotate(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

static uint64_t next(struct bp_random *r) {
    uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double bp_random_unit(struct bp_random *r) {
    return ((double)(next(r) >> 11) + 1) * 0x1p-53;
}

double bp_random_exponential(struct bp_random *r) {
    return -log(bp_random_unit(r));
}

double bp_random_normal(struct bp_random *r) {
    const double turn = 6.283185307179586; /* 2 pi; Box and Muller, 1958 */
    double radius = sqrt(-2 * log(bp_random_unit(r)));
    return radius * cos(turn * bp_random_unit(r));
}

/* Marsaglia and Tsang, ACM TOMS 26 (2000); below shape 1 by their power of a uniform. */
double bp_random_gamma(struct bp_random *r, double shape) {
    double boost = shape < 1 ? pow(bp_random_unit(r), 1 / shape) : 1;
    double k = shape < 1 ? shape + 1 : shape;
    double d = k - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = bp_random_normal(r), v = 1 + c * x;
        v = v * v * v;
        if (v > 0 && log(bp_random_unit(r)) < 0.5 * x * x + d - d * v + d * log(v)) {
            return boost * d * v / shape;
        }
    }
}

/* Random numbers of the simulations: the same on every machine for the same seed. */
#ifndef BP_SIM_RANDOM_H
#define BP_SIM_RANDOM_H

#include <stdint.h>

/* xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64. */
struct bp_random {
    uint64_t s[4];
};

void bp_random_seed(struct bp_random *r, uint64_t seed);

double bp_random_unit(struct bp_random *r);        /* in (0, 1] */
double bp_random_exponential(struct bp_random *r); /* mean 1 */
double bp_random_normal(struct bp_random *r);
double bp_random_gamma(struct bp_random *r, double shape); /* mean 1 */

#endif

/*
** Draws of uncertain inputs, an expression worked out for each, and what that says: quantiles, the chance of
** breaking a limit, and Sobol indices. The same seed gives the same bits for any number of threads.
*/
#ifndef BP_STATS_DRAWS_H
#define BP_STATS_DRAWS_H

#include "spread.h"
#include "tape.h"

/*
** Inputs, and how they hang together: `factor` is the lower Cholesky factor, row by row, of the correlations of
** the normal scores of all inputs, NULL where they are independent (a Gaussian copula).
*/
struct bp_inputs {
    const struct bp_sampled *sampled;
    size_t count;
    const double *factor;
    uint64_t seed;
};

/* Coordinates of the lattice that inputs use: the first are of one matrix of draws, the next of the other. */
enum bp_matrix { BP_MATRIX_A, BP_MATRIX_B };

/*
** The Cholesky factor of the correlations (row by row, count * count) in place; 0 where no such numbers can be
** correlated like this.
*/
int bp_cholesky(double *matrix, size_t count);

/*
** Values of the inputs in the draws first .. first + samples, samples at most BP_TAPE_BLOCK: input k at
** out + k * BP_TAPE_BLOCK. Input `swapped` comes from the other matrix; none does where it is -1.
*/
void bp_draw_block(const struct bp_inputs *inputs, enum bp_matrix matrix, long swapped,
                   uint32_t first, size_t samples, double *out);

/*
** Works out the tape for draws 0 .. samples: outputs[k][i] is value result[k] of the tape in draw i. Returns
** BP_DRAWS_MEMORY where there is no memory to work in, and else BP_DRAWS_OK.
*/
enum bp_draws { BP_DRAWS_OK, BP_DRAWS_MEMORY };

struct bp_draws_request {
    const struct bp_inputs *inputs;
    const struct bp_tape *tape;
    const uint32_t *result;
    size_t results, samples;
    enum bp_matrix matrix;
    long swapped;
    int threads; /* at least 1 */
};

enum bp_draws bp_draws_run(const struct bp_draws_request *request, double *const *outputs);

/*
** Sobol indices of one input from the values of n draws: f of matrix A, of matrix B, and of A with this input
** from B. First order: Saltelli et al., Comput. Phys. Commun. 181 (2010), table 2 (b); total: Jansen (1999), (f).
** Both are 0 where f does not vary.
*/
void bp_sobol_indices(const double *a, const double *b, const double *ab, size_t n, double *first,
                      double *total);

/*
** The quantile of n values at `share`, between the two nearest in order by their distance (type 7 of Hyndman
** and Fan, 1996). Reorders the values.
*/
double bp_quantile(double *values, size_t n, double share);

#endif

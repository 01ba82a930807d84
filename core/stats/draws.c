#include "draws.h"

#include <math.h>
#include <stdlib.h>

#include "lattice.h"
#include "threads/crew.h"

int bp_cholesky(double *m, size_t n) {
    size_t i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++) {
            double sum = m[i * n + j];
            for (k = 0; k < j; k++) {
                sum -= m[i * n + k] * m[j * n + k];
            }
            if (i == j && !(sum > 1e-12)) {
                return 0;
            }
            m[i * n + j] = i == j ? sqrt(sum) : sum / m[j * n + j];
        }
        for (j = i + 1; j < n; j++) {
            m[i * n + j] = 0;
        }
    }
    return 1;
}

static void lattice_block(const struct bp_inputs *inputs, size_t k, enum bp_matrix matrix,
                          uint32_t first, size_t samples, uint32_t *x) {
    size_t at = matrix == BP_MATRIX_B ? inputs->count + k : k;
    bp_lattice_points(at, bp_lattice_shift(inputs->seed, at), first, samples, x);
}

/* Row k of the factor is that of an input by itself. */
static int is_alone(const double *factor, size_t count, size_t k) {
    size_t j;
    for (j = 0; j < count; j++) {
        if (j != k && (factor[k * count + j] != 0 || factor[j * count + k] != 0)) {
            return 0;
        }
    }
    return 1;
}

/* Normal scores made to hang together, then turned back into values: input by input from the last on. */
static void correlate(const struct bp_inputs *inputs, uint32_t (*x)[BP_TAPE_BLOCK], size_t samples,
                      double *out) {
    size_t n = inputs->count, i, j, k;
    for (k = 0; k < n; k++) {
        if (is_alone(inputs->factor, n, k)) {
            continue;
        }
        for (i = 0; i < samples; i++) {
            double z = 0, u;
            for (j = 0; j <= k; j++) {
                double weight = inputs->factor[k * n + j];
                if (weight != 0) {
                    z += weight * bp_normal_quantile(((double)x[j][i] + 0.5) * 0x1p-32);
                }
            }
            u = fmin(fmax(bp_normal_below(z), 0x1p-33), 1 - 0x1p-33);
            out[k * BP_TAPE_BLOCK + i] = bp_spread_value(&inputs->sampled[k].spread, u);
        }
    }
}

void bp_draw_block(const struct bp_inputs *inputs, enum bp_matrix matrix, long swapped,
                   uint32_t first, size_t samples, double *out) {
    uint32_t x[BP_LATTICE_DIMENSIONS][BP_TAPE_BLOCK];
    enum bp_matrix other = matrix == BP_MATRIX_A ? BP_MATRIX_B : BP_MATRIX_A;
    size_t k;
    for (k = 0; k < inputs->count; k++) {
        lattice_block(inputs, k, (long)k == swapped ? other : matrix, first, samples, x[k]);
        if (!inputs->factor || is_alone(inputs->factor, inputs->count, k)) {
            bp_sampled_values(&inputs->sampled[k], x[k], samples, out + k * BP_TAPE_BLOCK);
        }
    }
    if (inputs->factor) {
        correlate(inputs, x, samples, out);
    }
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static void run_block(const struct bp_draws_request *request, size_t block, double *room,
                      double *const *outputs) {
    size_t first = block * BP_TAPE_BLOCK, count = least(BP_TAPE_BLOCK, request->samples - first);
    size_t k, i;
    bp_draw_block(request->inputs, request->matrix, request->swapped, (uint32_t)first, count, room);
    bp_tape_run(request->tape, room, count);
    for (k = 0; k < request->results; k++) {
        const double *values = bp_tape_value(room, request->result[k]);
        for (i = 0; i < count; i++) {
            outputs[k][first + i] = values[i];
        }
    }
}

/* A request, and a room of so many numbers for each member of the crew. */
struct shift {
    const struct bp_draws_request *request;
    double *const *outputs;
    double *rooms;
    size_t room;
};

static void work_block(void *data, size_t member, uint64_t block) {
    const struct shift *shift = data;
    run_block(shift->request, (size_t)block, shift->rooms + member * shift->room, shift->outputs);
}

/* Blocks from which on threads are worth their start. */
enum { BLOCKS_OF_ONE = 16 };

enum bp_draws bp_draws_run(const struct bp_draws_request *request, double *const *outputs) {
    size_t blocks = (request->samples + BP_TAPE_BLOCK - 1) / BP_TAPE_BLOCK;
    size_t count = blocks > BLOCKS_OF_ONE ? (size_t)request->threads : 1, i;
    struct shift shift = {request, outputs, NULL, bp_tape_room(request->tape)};
    shift.rooms = malloc(count * shift.room * sizeof *shift.rooms);
    if (!shift.rooms) {
        return BP_DRAWS_MEMORY;
    }
    for (i = 0; i < count; i++) {
        bp_tape_prepare(request->tape, shift.rooms + i * shift.room);
    }
    bp_crew_run(count, blocks, work_block, &shift);
    free(shift.rooms);
    return BP_DRAWS_OK;
}

void bp_sobol_indices(const double *a, const double *b, const double *ab, size_t n, double *first,
                      double *total) {
    double mean = 0, variance = 0, own = 0, all = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        mean += a[i] + b[i];
    }
    mean /= 2 * (double)n;
    for (i = 0; i < n; i++) {
        variance += (a[i] - mean) * (a[i] - mean) + (b[i] - mean) * (b[i] - mean);
        own += (b[i] - mean) * (ab[i] - a[i]);
        all += (a[i] - ab[i]) * (a[i] - ab[i]);
    }
    variance /= 2;
    *first = variance > 0 ? own / variance : 0;
    *total = variance > 0 ? 0.5 * all / variance : 0;
}

static void swap(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Hoare's selection: afterwards values[k] is the one that sorting would put there, none before it is larger. */
static void select(double *values, size_t n, size_t k) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < pivot) {
                i++;
            }
            while (pivot < values[j]) {
                j--;
            }
            if (i >= j) {
                break;
            }
            swap(&values[i++], &values[j--]);
        }
        /* Where both stand on the pivot, it belongs to the lower part. */
        if (k <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
}

double bp_quantile(double *values, size_t n, double share) {
    double place = share * (double)(n - 1), above;
    size_t k = (size_t)place, i;
    select(values, n, k);
    above = values[k];
    if (k + 1 < n) {
        above = values[k + 1];
        for (i = k + 2; i < n; i++) {
            above = values[i] < above ? values[i] : above;
        }
    }
    return values[k] + (place - (double)k) * (above - values[k]);
}

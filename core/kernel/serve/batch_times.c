#include "kernel/serve/batch_times.h"

#include <math.h>
#include <string.h>

/* Shares that do not show in a percentile. */
#define RARE 1e-9
#define NOTHING 1e-12

/*
** Share of a span of time that so many have come in it, in seconds: the integral of Poisson(rate t)
** from from_s to to_s, which is what the chance of more than so many grows by.
*/
static void seconds_of(double rate, double from_s, double to_s, int count, double *seconds) {
    double before[BP_BATCH_UNITS], after[BP_BATCH_UNITS], more = 0;
    int k;
    bp_poisson(rate * from_s, count, before);
    bp_poisson(rate * to_s, count, after);
    for (k = 0; k < count; k++) {
        more += before[k] - after[k];
        seconds[k] = fmax(0, more) / rate;
    }
}

/* A window in parts, to sum over when it began: half of them while a batch may be under way. */
#define WINDOW_PARTS 64

static double part_from_s(const struct bp_batch_chain *chain, int part) {
    double busy_s = fmin(chain->window_s, chain->full_s), half = WINDOW_PARTS / 2.0;
    return part < half ? busy_s * part / half
                       : busy_s + (chain->window_s - busy_s) * (part - half) / half;
}

/*
** Mean number that collects, summed over the time since the first came: it lasts beyond the batch
** before it with the share bp_batch_first, and then there are 1 + Poisson(rate time) below a full batch.
*/
static double collecting(const struct bp_batch_chain *chain) {
    double seconds[BP_BATCH_UNITS], sum = 0;
    int i, k;
    for (i = 0; i < WINDOW_PARTS && chain->window_s > 0; i++) {
        double from_s = part_from_s(chain, i), to_s = part_from_s(chain, i + 1), there = 0;
        seconds_of(chain->rate, from_s, to_s, chain->batch - 1, seconds);
        for (k = 0; k < chain->batch - 1; k++) {
            there += (k + 1) * seconds[k];
        }
        sum += there * bp_batch_first(chain, (from_s + to_s) / 2);
    }
    return sum;
}

/* The same behind a full batch that left some. */
static double company(const struct bp_batch_chain *chain) {
    double seconds[BP_BATCH_UNITS], sum = 0, full_s = chain->full_s;
    int left, k;
    for (left = 1; left < chain->batch; left++) {
        double weight = chain->batches[chain->batch + left], there = 0;
        double company_s = bp_batch_company_s(chain, left);
        if (company_s > 0 && weight > RARE) {
            seconds_of(chain->rate, full_s, full_s + company_s, chain->batch - left, seconds);
            for (k = 0; k < chain->batch - left; k++) {
                there += (left + k) * seconds[k];
            }
            sum += weight * there;
        }
    }
    return sum;
}

/* By Little's law: requests that are there over those that come. */
static double mean_of(const struct bp_batch_chain *chain) {
    double there = collecting(chain) + company(chain), beyond = 1 / expm1(chain->decay);
    double own = 0, wait_s;
    int n;
    for (n = 1; n <= chain->last; n++) {
        double service_s = n < chain->batch ? bp_batch_service(chain, n) : chain->full_s;
        double waiting = n < chain->last ? n : n + beyond;
        there += chain->batches[n] * service_s * (waiting + chain->rate * service_s / 2);
        own += chain->batches[n] * service_s * (n < chain->batch ? n : chain->batch);
    }
    if (chain->replicas == 1) {
        return there / chain->mean_batch;
    }
    wait_s = chain->wait_factor * fmax(0, there - own) / chain->mean_batch;
    return chain->waiting * (wait_s + chain->replicas * own / chain->mean_batch) +
           (1 - chain->waiting) * chain->alone_s;
}

/* A sum of spans over which times are spread evenly, kept as the bends of its distribution. */
#define BINS 4096

struct spread {
    double bin_s, bend[BINS + 2];
};

static void bend(struct spread *times, double at_s, double by) {
    double at = at_s / times->bin_s, whole = floor(at);
    if (whole < BINS) {
        int i = (int)whole;
        times->bend[i] += by * (1 - (at - whole));
        times->bend[i + 1] += by * (at - whole);
    }
}

static void add(struct spread *times, double from_s, double to_s, double weight) {
    double thin = times->bin_s - (to_s - from_s);
    if (weight == 0) {
        return;
    }
    if (thin > 0) { /* all at once, or nearly */
        from_s = fmax(0, from_s - thin / 2);
        to_s = from_s + times->bin_s;
    }
    bend(times, from_s, weight / (to_s - from_s));
    bend(times, to_s, -weight / (to_s - from_s));
}

/*
** Batches that start below a full one, behind one that left nothing. Either the window of the first
** request is over after the batch before: it waited for the window, the others for a part of it. Or it
** is over earlier: all came during the batch before, without those cases in which all came in its last
** window.
*/
static void below_full(const struct bp_batch_chain *chain, struct spread *times) {
    double share[BP_BATCH_UNITS + 1], window_s = chain->window_s;
    double late = bp_batch_first(chain, window_s), shorter = 0;
    int batch = chain->batch, n, k;
    for (n = 1; n <= batch; n++) {
        double service_s = bp_batch_service(chain, n);
        if (service_s > window_s && chain->batches[n] > 0) {
            struct bp_counts came = bp_poisson(chain->rate * service_s, batch, share);
            shorter += chain->batches[n] * exp(-chain->rate * (service_s - window_s));
            for (k = came.from; k < came.to; k++) {
                double own_s = bp_batch_own_s(chain, k);
                add(times, own_s, own_s + service_s, chain->batches[n] * share[k] * k);
            }
        }
    }
    bp_poisson(chain->rate * window_s, batch + 1, share);
    for (k = 1; k < batch; k++) {
        double own_s = bp_batch_own_s(chain, k), first = late * share[k - 1];
        add(times, own_s + window_s, own_s + window_s, first);
        add(times, own_s, own_s + window_s, first * (k - 1) - shorter * share[k] * k);
    }
}

/* Batches that are full before the window of their first request is over, after the batch before. */
static void filled(const struct bp_batch_chain *chain, struct spread *times) {
    double share[BP_BATCH_UNITS], before = 0;
    double own_s = bp_batch_own_s(chain, chain->batch);
    int batch = chain->batch, i, k;
    if (batch == 1) {
        add(times, own_s, own_s, bp_batch_first(chain, 0));
        return;
    }
    for (i = 0; i < WINDOW_PARTS && chain->window_s > 0; i++) {
        double from_s = part_from_s(chain, i), to_s = part_from_s(chain, i + 1);
        double middle_s = (from_s + to_s) / 2;
        double fewer = 0, weight;
        bp_poisson(chain->rate * to_s, batch - 1, share);
        for (k = 0; k < batch - 1; k++) {
            fewer += share[k];
        }
        weight = (1 - fewer - before) * bp_batch_first(chain, middle_s);
        before = 1 - fewer;
        add(times, own_s + from_s, own_s + to_s, weight);
        add(times, own_s, own_s + middle_s, weight * (batch - 2));
        add(times, own_s, own_s, weight);
    }
}

/*
** Requests that come while a batch is under way, cell by cell of the time that it still takes: how many
** are ahead of them, behind a batch that left nothing, and behind one that left some.
*/
#define CELLS 32
#define AHEAD (5 * BP_BATCH_UNITS)

struct ahead {
    double alone[AHEAD], left[AHEAD];
};

struct grid {
    const struct bp_batch_chain *chain;
    struct spread *times;
    struct ahead now, then, during;
    double cell[AHEAD]; /* shares of what comes in a cell */
    struct bp_counts in_cell;
    double cell_s;
    int waves, count; /* full batches ahead and one more, and requests in so many */
};

static void come(const struct grid *grid, const double *now, double *then) {
    int count = grid->count, i, j;
    memset(then, 0, (size_t)count * sizeof *then);
    for (j = 0; j < count; j++) {
        if (now[j] > NOTHING) {
            int to = grid->in_cell.to < count - j ? grid->in_cell.to : count - j;
            for (i = grid->in_cell.from; i < to; i++) {
                then[j + i] += now[j] * grid->cell[i];
            }
        }
    }
}

/* Batches of n that end in this cell have begun: nobody is ahead. */
static void begin(struct grid *grid, int n, double since_s) {
    double share[AHEAD], weight = grid->chain->batches[n];
    struct bp_counts came = bp_poisson(grid->chain->rate * since_s, grid->count, share);
    int j;
    for (j = came.from; j < came.to; j++) {
        grid->then.alone[j] += weight * share[j];
        grid->during.alone[j] += weight * share[j] * since_s / 2;
    }
    grid->during.alone[0] += weight * since_s / 2;
}

/* Parts of a wait for company: small batches are filled by few, at times that vary more. */
static int company_parts(const struct bp_batch_chain *chain) {
    return chain->batch < 64 ? 12 + 84 / chain->batch : 12;
}

/* Of requests with fewer than a batch ahead: how many see their batch full within `within_s`. */
static double full_within(const struct bp_batch_chain *chain, const double *ahead,
                          double within_s) {
    double share[BP_BATCH_UNITS], fewer = 0, full = 0;
    int batch = chain->batch, more;
    bp_poisson(chain->rate * within_s, batch, share);
    for (more = 0; more < batch; more++) {
        full += ahead[batch - 1 - more] * (fewer < 1 ? 1 - fewer : 0);
        fewer += share[more];
    }
    return full;
}

/* Those whose batch starts below a full one after `within_s`, which varies by `spread_s`. */
static void below(const struct grid *grid, const double *ahead, double within_s, double spread_s) {
    const struct bp_batch_chain *chain = grid->chain;
    double share[BP_BATCH_UNITS], size[BP_BATCH_UNITS] = {0};
    struct bp_counts more = bp_poisson(chain->rate * within_s, chain->batch, share);
    int own, j, i;
    for (j = 0; j < chain->batch - 1; j++) {
        int to = more.to < chain->batch - 1 - j ? more.to : chain->batch - 1 - j;
        for (i = more.from; i < to && ahead[j] > 0; i++) {
            size[j + 1 + i] += ahead[j] * share[i];
        }
    }
    for (own = 1; own < chain->batch; own++) {
        double middle_s = within_s + bp_batch_own_s(chain, own);
        add(grid->times, middle_s - spread_s / 2, middle_s + spread_s / 2, size[own] * chain->rate);
    }
}

/* Those that wait for `from_s`, and for company at most `company_s` beyond it. */
static void serve(const struct grid *grid, const double *ahead, double from_s, double spread_s,
                  double company_s) {
    const struct bp_batch_chain *chain = grid->chain;
    double full = full_within(chain, ahead, from_s);
    double own_s = from_s + bp_batch_own_s(chain, chain->batch);
    int parts = company_parts(chain), i;
    double part_s = company_s / parts;
    add(grid->times, own_s - spread_s / 2, own_s + spread_s / 2, full * chain->rate);
    for (i = 0; i < parts && part_s > 0; i++) {
        double now = full_within(chain, ahead, from_s + (i + 1) * part_s);
        add(grid->times, own_s + i * part_s, own_s + (i + 1) * part_s, (now - full) * chain->rate);
        full = now;
    }
    below(grid, ahead, from_s + company_s, spread_s);
}

/* Company of those with full batches ahead: the oldest of theirs came somewhat before them. */
static double behind_s(const struct bp_batch_chain *chain, const double *ahead, double from_s) {
    double all = 0, sum = 0;
    int j;
    if (chain->window_s <= from_s) {
        return 0;
    }
    for (j = 0; j < chain->batch; j++) {
        all += ahead[j];
        sum += ahead[j] * j / (chain->batch + j + 2.0);
    }
    return all > 0 ? fmax(0, chain->window_s - from_s - chain->full_s * sum / all) : 0;
}

static double mean_company_s(const struct bp_batch_chain *chain) {
    double all = 0, sum = 0;
    int left;
    for (left = 1; left < chain->batch; left++) {
        double weight = chain->batches[chain->batch + left];
        all += weight;
        sum += weight * bp_batch_company_s(chain, left);
    }
    return all > 0 ? sum / all : 0;
}

static void in_cell(struct grid *grid, double from_s, double company_s) {
    const struct bp_batch_chain *chain = grid->chain;
    const struct ahead *during = &grid->during;
    double both[BP_BATCH_UNITS];
    int batch = chain->batch, wave, j;
    double middle_s = from_s + grid->cell_s / 2;
    double own_s = from_s + bp_batch_own_s(chain, batch);
    add(grid->times, own_s, own_s + grid->cell_s,
        chain->rate * full_within(chain, during->alone, middle_s));
    serve(grid, during->left, middle_s, grid->cell_s, company_s);
    for (wave = 1; wave < grid->waves; wave++) {
        double all = 0;
        for (j = 0; j < batch; j++) {
            both[j] = during->alone[wave * batch + j] + during->left[wave * batch + j];
            all += both[j];
        }
        middle_s += chain->full_s;
        if (all > RARE * grid->cell_s) {
            serve(grid, both, middle_s, grid->cell_s, behind_s(chain, both, middle_s));
        }
    }
}

/* Those that come while some that were left wait for company. */
static void as_company(struct grid *grid, double company_s) {
    const struct bp_batch_chain *chain = grid->chain;
    int parts = company_parts(chain), i, j, k;
    double part_s = company_s / parts, seconds[BP_BATCH_UNITS];
    for (i = 0; i < parts && part_s > 0; i++) {
        double there[BP_BATCH_UNITS] = {0};
        seconds_of(chain->rate, i * part_s, (i + 1) * part_s, chain->batch, seconds);
        for (j = 0; j < chain->batch; j++) {
            for (k = 0; k < chain->batch - j; k++) {
                there[j + k] += grid->now.left[j] * seconds[k];
            }
        }
        serve(grid, there, 0, 0, company_s - (i + 0.5) * part_s);
    }
}

static void under_way(struct grid *grid) {
    const struct bp_batch_chain *chain = grid->chain;
    double company_s = mean_company_s(chain);
    int n = chain->batch, cell, j;
    for (cell = CELLS - 1; cell >= 0; cell--) {
        double left_s = cell * grid->cell_s;
        come(grid, grid->now.alone, grid->then.alone);
        come(grid, grid->now.left, grid->then.left);
        for (j = 0; j < grid->count; j++) {
            grid->during.alone[j] = grid->cell_s * (grid->now.alone[j] + grid->then.alone[j]) / 2;
            grid->during.left[j] = grid->cell_s * (grid->now.left[j] + grid->then.left[j]) / 2;
        }
        for (; n > 0 && bp_batch_service(chain, n) > left_s; n--) {
            begin(grid, n, bp_batch_service(chain, n) - left_s);
        }
        in_cell(grid, left_s, company_s);
        grid->now = grid->then;
    }
    as_company(grid, company_s);
}

/*
** What all but `share` of the requests keep. Far out the share of later times falls at the rate of the
** queue: rate (exp(decay) - 1).
*/
static double read_off(const struct bp_batch_chain *chain, const struct spread *times,
                       double known_s, double share) {
    double below = 0, slope = 0, sought = (1 - share) * chain->mean_batch;
    int bins = (int)fmin(BINS, floor(known_s / times->bin_s)), i;
    for (i = 0; i < bins; i++) {
        slope += times->bend[i];
        if (below + slope * times->bin_s >= sought) {
            return (i + (sought - below) / (slope * times->bin_s)) * times->bin_s;
        }
        below += slope * times->bin_s;
    }
    return known_s + log((chain->mean_batch - below) / (share * chain->mean_batch)) /
                         (chain->rate * expm1(chain->decay));
}

/* Waves of full batches that are looked at one by one: the geometric tail is reached within them. */
#define WAVES 3
#define UNITS 40

/* Full batches after which all times are known, windows included. */
static double known_waves(const struct bp_batch_chain *chain) {
    double waves = fmax(WAVES, ceil(UNITS / (double)chain->batch));
    return fmax(waves, ceil(chain->window_s / chain->full_s) + 2);
}

/* Those that a full batch left when it started, and room for as many as may be ahead of a request. */
static void open_grid(struct grid *grid, const struct bp_batch_chain *chain, struct spread *times,
                      double known) {
    double came = chain->rate * chain->full_s, batch = chain->batch;
    double most = 30 / chain->decay + came + 8 * sqrt(came) + 20; /* hardly ever more */
    int room = AHEAD / chain->batch, j;
    memset(grid, 0, sizeof *grid);
    grid->chain = chain;
    grid->times = times;
    grid->cell_s = chain->full_s / CELLS;
    grid->waves = (int)fmin(fmin(known, room), ceil(1 + most / batch));
    grid->count = grid->waves * chain->batch;
    grid->in_cell = bp_poisson(chain->rate * grid->cell_s, grid->count, grid->cell);
    for (j = 1; j < grid->count; j++) {
        int from = chain->batch + j;
        double beyond = -expm1(-chain->decay) * chain->batches[chain->last];
        grid->now.left[j] = from < chain->last ? chain->batches[from]
                                               : beyond * exp(-chain->decay * (from - chain->last));
    }
}

/* A request that finds a replica free takes the time of one alone; only the others are in `times`. */
static double percentile(const struct bp_batch_chain *chain, const struct spread *times,
                         double known_s, double share) {
    double of_waiting = share / chain->waiting;
    if (chain->replicas == 1) {
        return read_off(chain, times, known_s, share);
    }
    return of_waiting < 1 ? fmax(chain->alone_s, read_off(chain, times, known_s, of_waiting))
                          : chain->alone_s;
}

void bp_batch_times(const struct bp_batch_chain *chain, struct bp_batch_times *out) {
    struct spread times;
    struct grid grid;
    double known = known_waves(chain), known_s;
    memset(&times, 0, sizeof times);
    times.bin_s = (known + chain->replicas - 1) * chain->full_s / BINS;
    open_grid(&grid, chain, &times, known);
    if (grid.waves == AHEAD / chain->batch) {
        known = grid.waves; /* no room for more */
    }
    known_s = (known + chain->replicas - 1) * chain->full_s;
    below_full(chain, &times);
    filled(chain, &times);
    under_way(&grid);
    out->mean_s = mean_of(chain);
    out->p50_s = percentile(chain, &times, known_s, 0.5);
    out->p99_s = percentile(chain, &times, known_s, 0.01);
}

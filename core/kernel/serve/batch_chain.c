#include "kernel/serve/batch_chain.h"

#include "kernel/serve/queue.h"

#include <math.h>
#include <string.h>

/* Shares below this are left out. */
#define NOTHING 1e-14
#define RARE 1e-9

struct bp_counts bp_poisson(double mean, int count, double *share) {
    int mode = (int)fmin(floor(mean), count - 1.0), i;
    struct bp_counts kept = {mode, mode + 1};
    memset(share, 0, (size_t)count * sizeof *share);
    share[mode] = mean > 0 ? exp(mode * log(mean) - mean - lgamma(mode + 1.0)) : 1;
    for (i = mode; i > 0 && share[i] > NOTHING; i--) {
        share[i - 1] = share[i] * (i / mean);
        kept.from = i - 1;
    }
    for (i = mode + 1; i < count && share[i - 1] > NOTHING; i++) {
        share[i] = share[i - 1] * (mean / i);
        kept.to = i + 1;
    }
    return kept;
}

double bp_batch_service(const struct bp_batch_chain *chain, double units) {
    return chain->one_s + chain->slope_s * (units - 1);
}

double bp_batch_own_s(const struct bp_batch_chain *chain, double units) {
    return chain->replicas * bp_batch_service(chain, units);
}

double bp_batch_first(const struct bp_batch_chain *chain, double waited_s) {
    double sum = 0;
    int n;
    for (n = 1; n <= chain->batch; n++) {
        double before = fmax(0, bp_batch_service(chain, n) - waited_s);
        sum += chain->batches[n] * exp(-chain->rate * before);
    }
    return sum;
}

double bp_batch_company_s(const struct bp_batch_chain *chain, double left) {
    double ago_s = chain->full_s * left / (chain->batch + left + 1);
    double company_s = chain->window_s - chain->full_s - ago_s;
    return left < chain->batch && company_s > 0 ? company_s : 0;
}

/*
** Batches a replica has without a limit: what comes during one, or in the window, and far more than
** that by chance. Each batch feeds back to the next one, b' ~ Poisson(rate service(b)): variance
** b / (1 - (rate slope)^2), and a tail like exp(-2 (1 - rate slope) b). Beyond six deviations and
** twenty lengths of that tail is less than one in a hundred million. Units of several requests vary
** more than requests, which takes some rounds to settle.
*/
static double largest_batch(const struct bp_batching_in *in, double slope_s) {
    double full = (double)in->max_batch, feedback = in->rate_per_s * slope_s;
    double windowed = 1 + in->rate_per_s * in->window_s;
    double served = in->rate_per_s * (in->one_s + slope_s * (windowed - 1));
    double busy = in->rate_per_s * (in->one_s - slope_s) / (1 - feedback);
    double mean = fmax(busy, fmax(windowed, served));
    double variance = mean / (1 - feedback * feedback), largest = mean;
    int round;
    if (feedback >= 1) {
        return full;
    }
    for (round = 0; round < 10; round++) {
        double unit = fmax(1, largest / BP_BATCH_UNITS);
        largest = fmin(full, ceil(mean + 6 * sqrt(variance * unit) + 10 / (1 - feedback)));
    }
    return largest;
}

/*
** Far out only full batches leave: the root of came (exp(decay) - 1) = batch decay, from above. It is
** kept from zero, where a replica is as good as full for ever.
*/
#define LEAST_DECAY 1e-12

static double decay_of(double came, double batch) {
    double decay = 2 * log(batch / came), steep = came * exp(decay) - batch;
    int i;
    for (i = 0; i < 100 && steep > 0; i++) {
        double step = (came * expm1(decay) - batch * decay) / steep;
        if (!(step > 1e-14 * decay)) {
            break;
        }
        decay -= step;
        steep = came * exp(decay) - batch;
    }
    return fmax(decay, LEAST_DECAY);
}

static void describe(const struct bp_batching_in *in, struct bp_batch_chain *chain) {
    double slope_s = in->max_batch > 1 ? (in->full_s - in->one_s) / ((double)in->max_batch - 1) : 0;
    double largest = largest_batch(in, slope_s), full_by;
    chain->unit = fmax(1, largest / BP_BATCH_UNITS);
    chain->batch = (int)fmin(largest, BP_BATCH_UNITS);
    chain->rate = in->rate_per_s / chain->unit;
    chain->one_s = in->max_batch > 1 ? in->one_s + slope_s * (chain->unit - 1) : in->full_s;
    chain->slope_s = slope_s * chain->unit;
    chain->full_s = bp_batch_service(chain, chain->batch);
    /* A batch is full by then, whatever the window; a batch of one always is. */
    full_by = chain->batch + 5 * sqrt(chain->batch) + 8;
    chain->window_s = chain->batch > 1 ? fmin(in->window_s, full_by / chain->rate) : 0;
    chain->last = 2 * chain->batch + BP_BATCH_FEW;
    chain->decay = decay_of(chain->rate * chain->full_s, chain->batch);
}

/* What many rows share: shares of what comes while a full batch is under way, and in a window. */
struct rows {
    const struct bp_batch_chain *chain;
    double full[BP_BATCH_STATES], window[BP_BATCH_UNITS];
    struct bp_counts came;
};

/*
** Where a batch of n leaves nothing, the next one is what came during its service, and more only if
** the first of them came later than a window before its end: then it is the first and what comes in
** its window, up to a full batch.
*/
static struct bp_counts nothing_left(const struct rows *rows, int n, double *row) {
    const struct bp_batch_chain *chain = rows->chain;
    double service_s = bp_batch_service(chain, n), others = 0;
    double late = exp(-chain->rate * fmax(0, service_s - chain->window_s));
    struct bp_counts to = bp_poisson(chain->rate * service_s, chain->last + 1, row);
    int batch = chain->batch, whole = chain->window_s >= service_s, k;
    row[0] = row[batch] = 0;
    for (k = 1; k < batch; k++) {
        double meanwhile = whole ? row[k] : rows->window[k];
        double later = row[k] + late * (rows->window[k - 1] - meanwhile);
        row[k] = later > 0 ? later : 0;
    }
    to.from = 1;
    to.to = to.to > batch + 1 ? to.to : batch + 1;
    for (k = 1; k < to.to; k++) {
        others += row[k];
    }
    row[batch] = fmax(0, 1 - others);
    return to;
}

/* What a full batch leaves waits with what comes during it, and for company if its window is long. */
static struct bp_counts some_left(const struct rows *rows, int left, double *row) {
    const struct bp_batch_chain *chain = rows->chain;
    double share[BP_BATCH_UNITS], company_s = bp_batch_company_s(chain, left), others = 0;
    int last = chain->last, batch = chain->batch, k;
    struct bp_counts to = {left, last + 1};
    for (k = left; k < last; k++) {
        row[k] = rows->full[k - left];
        others += row[k];
    }
    row[last] = fmax(0, 1 - others);
    if (company_s > 0) {
        bp_poisson(chain->rate * (chain->full_s + company_s), batch - left, share);
        for (k = left; k < batch; k++) {
            row[batch] += row[k] - share[k - left];
            row[k] = share[k - left];
        }
    } else if (left + rows->came.from < last) {
        to.from = left + rows->came.from;
    }
    return to;
}

/* The last state stands for all beyond it, each exp(-decay) as likely as the one before. */
static struct bp_counts from_last(const struct rows *rows, double *row) {
    int last = rows->chain->last, k;
    struct bp_counts to = {last - rows->chain->batch, last + 1};
    double ratio = exp(-rows->chain->decay), sum = 0, others = 0;
    for (k = to.from; k < last; k++) {
        sum = ratio * sum + (1 - ratio) * rows->full[k - to.from];
        row[k] = sum;
        others += sum;
    }
    row[last] = fmax(0, 1 - others);
    return to;
}

static struct bp_counts row_of(const struct rows *rows, int state, double *row) {
    int batch = rows->chain->batch;
    if (state <= batch) {
        return nothing_left(rows, state, row);
    }
    return state < rows->chain->last ? some_left(rows, state - batch, row) : from_last(rows, row);
}

/*
** Groups of neighbours, and the last state by itself: a chain of groups is solved directly, then one
** step of the whole chain mends the shares within them, and so on until nothing changes.
*/
#define GROUPS 128
#define LARGE_GROUPS 64 /* a queue in so many groups, and small ones where few wait */
#define SMALL 16
#define ROUNDS 60
#define SETTLED 2e-4

struct groups {
    int count, of[BP_BATCH_STATES];
    double move[GROUPS][GROUPS];
    double share[GROUPS], weight[GROUPS];
};

static void divide(const struct bp_batch_chain *chain, struct groups *groups) {
    int largest = (chain->last - 2) / LARGE_GROUPS + 1, state, in_group = 0;
    groups->count = 0;
    for (state = 1; state < chain->last; state++) {
        int size = 1 + state / SMALL < largest ? 1 + state / SMALL : largest;
        if (in_group >= size) {
            groups->count++;
            in_group = 0;
        }
        groups->of[state] = groups->count;
        in_group++;
    }
    groups->of[chain->last] = groups->count + 1;
    groups->count += 2;
}

static void weigh(const struct bp_batch_chain *chain, struct groups *groups) {
    int state;
    memset(groups->weight, 0, sizeof groups->weight);
    for (state = 1; state <= chain->last; state++) {
        groups->weight[groups->of[state]] += chain->batches[state];
    }
}

/* Gaussian elimination without a subtraction (Grassmann, Taksar and Heyman): the last group first. */
static void solve(struct groups *groups) {
    int n = groups->count, first = 0, i, j, k;
    double sum = 1;
    for (k = n - 1; k > 0; k--) {
        double down = 0;
        for (j = 0; j < k; j++) {
            down += groups->move[k][j];
        }
        if (!(down > 0)) {
            first = k; /* nothing goes below it */
            break;
        }
        for (i = 0; i < k; i++) {
            double through = groups->move[i][k] / down;
            groups->move[i][k] = through;
            if (through > 0) {
                for (j = 0; j < k; j++) {
                    groups->move[i][j] += through * groups->move[k][j];
                }
            }
        }
    }
    memset(groups->share, 0, sizeof groups->share);
    groups->share[first] = 1;
    for (k = first + 1; k < n; k++) {
        for (i = first; i < k; i++) {
            groups->share[k] += groups->share[i] * groups->move[i][k];
        }
        sum += groups->share[k];
    }
    for (k = first; k < n; k++) {
        groups->share[k] /= sum;
    }
}

static void gather(const struct rows *rows, struct groups *groups) {
    const struct bp_batch_chain *chain = rows->chain;
    double row[BP_BATCH_STATES];
    int state, k;
    memset(groups->move, 0, sizeof groups->move);
    for (state = 1; state <= chain->last; state++) {
        double of_group = chain->batches[state] / groups->weight[groups->of[state]];
        double *move = groups->move[groups->of[state]];
        struct bp_counts to;
        if (of_group > RARE) {
            to = row_of(rows, state, row);
            for (k = to.from; k < to.to; k++) {
                move[groups->of[k]] += of_group * row[k];
            }
        }
    }
}

/* One step of the chain from the shares of groups, spread within each as before; how much changed. */
static double step(const struct rows *rows, const struct groups *groups, double *share) {
    const struct bp_batch_chain *chain = rows->chain;
    double row[BP_BATCH_STATES], next[BP_BATCH_STATES] = {0}, changed = 0;
    int state, k;
    for (state = 1; state <= chain->last; state++) {
        int group = groups->of[state];
        struct bp_counts to;
        share[state] *= groups->share[group] / groups->weight[group];
        if (share[state] > NOTHING) {
            to = row_of(rows, state, row);
            for (k = to.from; k < to.to; k++) {
                next[k] += share[state] * row[k];
            }
        }
    }
    for (state = 1; state <= chain->last; state++) {
        changed += fabs(next[state] - share[state]);
        share[state] = next[state] + NOTHING * NOTHING; /* no group without weight */
    }
    return changed;
}

/*
** The share of requests that wait, and how long they do, where c replicas serve one queue. One replica c times as
** fast keeps a share of `busy` waiting, c replicas keep Erlang C. Cosmetatos' factor is the mean wait of M/D/c over
** half that of M/M/c; in light traffic it is 2 c / (c + 1), which bounds it here. With a window every request waits.
*/
static void share_waits(const struct bp_batching_in *in, struct bp_batch_chain *chain) {
    double count = chain->replicas, load = in->rate_per_s * chain->alone_s, busy = load / count;
    chain->waiting = chain->wait_factor = 1;
    if (count > 1 && busy < 1 && !(in->window_s > 0 && in->max_batch > 1)) {
        double more = (1 - busy) * (count - 1) * (sqrt(4 + 5 * count) - 2) / (16 * load);
        chain->waiting = bp_erlang_c(count, load) / busy;
        chain->wait_factor = 1 + fmin(more, (count - 1) / (count + 1));
    }
}

void bp_batch_chain(const struct bp_batching_in *in, struct bp_batch_chain *chain) {
    struct bp_batching_in fast = *in;
    struct rows rows;
    struct groups groups;
    double mean = 0;
    int n, round;
    chain->replicas = (double)in->replicas;
    chain->alone_s = in->max_batch > 1 ? in->one_s : in->full_s;
    fast.one_s = in->one_s / chain->replicas;
    fast.full_s = in->full_s / chain->replicas;
    describe(&fast, chain);
    share_waits(in, chain);
    rows.chain = chain;
    rows.came = bp_poisson(chain->rate * chain->full_s, chain->last + 1, rows.full);
    bp_poisson(chain->rate * chain->window_s, chain->batch, rows.window);
    divide(chain, &groups);
    for (n = 1; n <= chain->last; n++) {
        chain->batches[n] = 1;
    }
    chain->batches[0] = 0;
    for (round = 0; round < ROUNDS; round++) {
        weigh(chain, &groups);
        gather(&rows, &groups);
        solve(&groups);
        if (step(&rows, &groups, chain->batches) < SETTLED) {
            break;
        }
    }
    for (n = 1; n <= chain->last; n++) {
        mean += chain->batches[n] * (n < chain->batch ? n : chain->batch);
    }
    chain->mean_batch = mean;
    chain->service_s = bp_batch_service(chain, mean);
}

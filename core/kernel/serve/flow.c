#include "kernel/serve/flow.h"

#include "kernel/serve/fullest.h"
#include "kernel/serve/infer_step.h"
#include "kernel/serve/queue.h"

#include <math.h>

/*
** Answers whose lengths differ by less than this many steps end together and begin together, for ever: the prompts
** that were computed in one step stay together (counted in simulations, tests/lua/capacity_spec.lua).
*/
#define TOGETHER_STEPS 0.1

/* Share of its answer that a sequence has said when it is thrown out (counted in simulations, as above). */
#define THROWN_SHARE 0.125

/* Deviation over mean from which lengths are skewed rather than normal (assumption). */
#define SKEWED 0.3

/* Terms of the series below: lengths of SKEWED up to 20 times the mean need 450. */
enum { TERMS = 500 };

/*
** Share of a gamma distribution of this shape and of scale 1 that lies below x: the series of the incomplete gamma
** function (Abramowitz and Stegun 6.5.29).
*/
static double gamma_below(double shape, double x) {
    double term = 1, sum = 1;
    int n;
    for (n = 1; n < TERMS && term > 1e-12 * sum; n++) {
        term *= x / (shape + n);
        sum += term;
    }
    return fmin(1, exp(shape * log(x) - x - lgamma(shape + 1) + log(sum)));
}

/*
** Mean, and mean square, of what prompts have beyond so many tokens, and the share that is shorter.
** Lengths are taken as normal, or where they differ much as of a gamma distribution, which exponential ones have.
*/
struct excess {
    double mean, square, none;
};

static struct excess gamma_excess(const struct bp_infer_demand *d, double from) {
    double shape = 1 / (d->input_cv * d->input_cv), x = shape * from / d->input;
    double above = 1 - gamma_below(shape, x), first = d->input * (1 - gamma_below(shape + 1, x));
    double second =
        d->input * d->input * (1 + d->input_cv * d->input_cv) * (1 - gamma_below(shape + 2, x));
    struct excess e = {first - from * above, second - from * (2 * first - from * above), 1 - above};
    return e;
}

static struct excess normal_excess(double more, double deviation) {
    double at = more / deviation, above = 0.5 * erfc(-at / sqrt(2));
    double density = exp(-0.5 * at * at) / sqrt(2 * acos(-1));
    struct excess e = {more * above + deviation * density,
                       (more * more + deviation * deviation) * above + more * deviation * density,
                       1 - above};
    return e;
}

static struct excess excess_of(const struct bp_infer_demand *d, double from) {
    double more = d->input - from, deviation = d->input_cv * d->input;
    struct excess e = {fmax(0, more), fmax(0, more) * fmax(0, more) + deviation * deviation, 0};
    if (!(from > 0 && deviation > 0)) {
        return e;
    }
    return d->input_cv >= SKEWED ? gamma_excess(d, from) : normal_excess(more, deviation);
}

double bp_infer_fresh(const struct bp_infer_demand *d) {
    return fmax(1, excess_of(d, d->prefix).mean);
}

/* Square of the deviation over mean of the same, of which a prompt has one token at least. */
static double fresh_spread2(const struct bp_infer_demand *d) {
    struct excess e = excess_of(d, d->prefix);
    return e.mean > 1 ? fmax(0, e.square / (e.mean * e.mean) - 1) : 0;
}

double bp_infer_met_output(const struct bp_infer_demand *d) {
    return d->output * (1 + d->length_cv * d->length_cv);
}

double bp_infer_held(const struct bp_infer_case *c, const struct bp_infer_demand *d) {
    double said = c->in.engine.reserve_output ? 1 : BP_FLOW_SAID;
    return bp_flow_prompt_room(d) + said * bp_infer_met_output(d);
}

double bp_flow_prompt_room(const struct bp_infer_demand *d) {
    return excess_of(d, d->shared).mean + d->beside;
}

double bp_flow_whole_room(const struct bp_infer_demand *d) {
    return bp_flow_prompt_room(d) + d->output;
}

/*
** Where memory is taken on demand, the next is let in beside those that run while a share of its group's pool is free
** beyond its prompt and a token for each of them.
*/
double bp_flow_fit(const struct bp_infer_case *c, const struct bp_infer_demand *d) {
    double held = bp_infer_held(c, d), fit = d->pool_tokens / held;
    double groups = (double)c->in.plan.dp;
    if (c->in.engine.reserve_output) {
        return fit;
    }
    return fmin(
        fit, groups + ((1 - BP_FLOW_WATERMARK) * d->pool_tokens - groups * bp_flow_prompt_room(d)) /
                          (held + 1));
}

double bp_flow_pool_for(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                        double fit) {
    double held = bp_infer_held(c, d), pool = fit * held, groups = (double)c->in.plan.dp;
    if (c->in.engine.reserve_output) {
        return pool;
    }
    return fmax(pool, ((fit - groups) * (held + 1) + groups * bp_flow_prompt_room(d)) /
                          (1 - BP_FLOW_WATERMARK));
}

/* Who is thrown out is computed again: its tokens, and not what it holds beside them. */
static void throw_out(struct bp_flow *f, const struct bp_infer_demand *d, double room) {
    double prompts = room / (bp_flow_prompt_room(d) + THROWN_SHARE * d->output);
    f->prompts += prompts;
    f->fresh += prompts * (bp_infer_fresh(d) + THROWN_SHARE * d->output);
}

/*
** Sequences that begin together take the pool with their prompts and outgrow it: while each has n tokens, pool / n find
** room, and who is thrown out then has n tokens to be computed again, in all the pool times the logarithm of what they
** grow by, less what they hold beside their tokens. So much of that: those that come back stay apart (counted in
** simulations).
*/
#define STAY_TOGETHER 0.5
static void set_cohort(struct bp_flow *f, const struct bp_infer_demand *d, double pool) {
    double whole = bp_flow_whole_room(d), grown, again;
    f->begin = fmin(f->room, pool / bp_flow_prompt_room(d));
    f->end = fmin(f->begin, pool / whole);
    grown = whole * f->begin / pool;
    again = grown > 1 ? pool * log(grown) - d->beside * (f->begin - f->end) : 0;
    f->prompts += STAY_TOGETHER * (f->begin - f->end) / f->places;
    f->fresh += STAY_TOGETHER * again / f->places;
}

/*
** Memory on demand: what runs grows by a token a step each, what ends gives its tokens back, and a prompt is let in
** when more than a cushion is free. The free tokens are a random walk between none and the cushion, its drift the
** prompts let in: at its lower end the latest are thrown out and computed again (Brownian motion between two barriers,
** and never more than what grows). Answers of one length begin together where they come so, and where prompts go before
** answers, however they come.
*/
static void set_on_demand(struct bp_flow *f, const struct bp_infer_demand *d, double pool) {
    double size = bp_flow_whole_room(d), spread2 = 1 + d->length_cv * d->length_cv;
    double cushion = (BP_FLOW_WATERMARK * pool + f->places) / f->groups;
    double thrown;
    double excursion = 0.5 * size * size * spread2 / bp_flow_prompt_room(d);
    if (!f->varied || (!(d->length_cv > 0) && !(f->rows > 0))) {
        set_cohort(f, d, pool);
        return;
    }
    thrown = bp_flow_prompt_room(d) / expm1(cushion / excursion);
    thrown = thrown * d->output / (thrown + d->output);
    throw_out(f, d, thrown);
}

/* Square of the deviation over mean of the tokens of a request; more than that of exponential ones counts as those. */
static double size_spread2(const struct bp_infer_demand *d) {
    double input = d->input_cv * d->input, output = d->length_cv * d->output;
    double size = bp_flow_whole_room(d);
    return fmin(1, (input * input + output * output) / (size * size));
}

/*
** Where memory decides, the next prompt waits until what ends has left it the room that it needs, and others behind it
** find what it does not: the mean excess of a renewal process over a level, in tokens. Of sequences that are all alike
** and keep what they take one is let in for one that ends, of exponential ones two at every second end, and many short
** prompts where memory is taken on demand.
*/
double bp_flow_let_in(const struct bp_infer_demand *d, double need) {
    double spread2 = size_spread2(d);
    return 1 + 0.5 * ((1 + spread2) * bp_flow_whole_room(d) / need - (1 - spread2));
}

/* The first of them is longer than the others, which are gaps of two Poisson processes together. */
static void set_crowded(struct bp_flow *f, const struct bp_infer_demand *d, int reserved) {
    double size = bp_flow_whole_room(d);
    double prompt = bp_flow_prompt_room(d) + (1 - 1 / f->prompts) * THROWN_SHARE * d->output;
    double need = reserved ? size : prompt;
    f->at_once = bp_flow_let_in(d, need);
    f->follow = 1 - size_spread2(d) * need / (size + need);
}

/* Steps until nothing runs any more: of exponential answers the longest of n is ln n times as long as the mean. */
static double longest(const struct bp_flow *f, const struct bp_infer_demand *d) {
    return f->steps * (1 + d->length_cv * fmax(0, log(f->places) - 1));
}

struct bp_flow bp_flow_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                          const struct bp_flow_room *room) {
    const struct bp_engine *e = &c->in.engine;
    struct bp_flow f;
    double decoded = (d->output - 1) / c->advance;
    f.varied = d->concurrency <= 0 || d->length_cv * decoded > TOGETHER_STEPS;
    /* The last step says what is left: of all lengths half of what a step says, of one length what makes a whole step. */
    f.steps = d->length_cv > 0 ? decoded + 0.5 * (1 - 1 / c->advance) : ceil(decoded);
    f.steps = d->output > 1 ? f.steps : 0;
    f.fresh = bp_infer_fresh(d);
    f.prompts = 1;
    f.groups = (double)c->in.plan.dp;
    f.budget = (double)e->token_budget * bp_infer_batches(c);
    f.rows = e->policy == BP_POLICY_MIXED ? 1 + (double)c->in.plan.draft_tokens : 0;
    f.places = room->places;
    f.wait = c->in.plan.dp > 1 ? 0 : fmin((double)e->batch_wait, longest(&f, d));
    f.memoryless = fmin(1, d->length_cv * d->length_cv);
    f.room = (double)(e->max_running * c->in.plan.dp);
    f.spread2 = fresh_spread2(d);
    f.none = excess_of(d, d->prefix).none;
    f.one_token = fmin(d->one_token, 0.9);
    f.cut = e->chunked_prefill;
    f.begin = f.end = room->places;
    if (f.steps > 0 && !e->reserve_output && isfinite(room->pool)) {
        set_on_demand(&f, d, room->pool);
    }
    f.at_once = f.follow = 1;
    if (room->crowded) {
        set_crowded(&f, d, e->reserve_output);
    }
    return f;
}

/* Tokens of prompts that a step has budget for beside so many that decode. */
static double left_for_prompts(const struct bp_flow *f, double decoding) {
    return f->budget - f->rows * decoding;
}

/* More prompts than this in a step are counted by the mean of a renewal process, fewer one by one. */
#define MANY_PROMPTS 16

/* Deviations of their sum within which it is not sure whether so many prompts fit. */
#define SURELY 6.0

/*
** Prompts of random lengths that run whole in a step whose budget fits so many: one begins it however long it is, others
** join as long as they fit, the one that did not begins the next. So many fit as often as a normal sum of their lengths
** is below the budget, made smaller by 0.4 deviations since the first of them is one that did not fit before (counted in
** 40,000 drawn lengths: within 3 % of lengths that are nearly alike, 10 % of all). Toward exponential lengths, whose sum
** is not normal, by the fourth power of the deviation over mean.
*/
static double uncut(double fit, double spread2) {
    double share = fmin(1, spread2), off = sqrt(share), last = fit + SURELY * off * sqrt(fit) + 2;
    double exponential = 1 + fit * fit / (fit + 2 + 1 / (1 + 0.02 * fit * fit)), sum = 1;
    int k;
    if (fit > MANY_PROMPTS) {
        sum = fit - 0.4 * off + 0.5 * share - 0.5;
    } else {
        for (k = 2; k < last; k++) {
            sum += 0.5 * erfc(-(fit - k - 0.4 * off) / (off * sqrt(2.0 * k)));
        }
    }
    return (1 - share * share) * sum + share * share * exponential;
}

/* Prompts that are in the cache already take no budget: each run of them shares a step. */
static double with_cached(const struct bp_flow *f, double held) {
    return fmax(held, 1 / (1 - f->none * f->none));
}

/* Requests whose prompts a step of a group holds. One that is not cut runs whole as soon as any budget is left. */
static double of_group(const struct bp_flow *f, double left) {
    double fit = left / f->fresh;
    if (f->cut) {
        return fmax(0, fit);
    }
    if (left < 1) {
        return 0;
    }
    return f->spread2 > 0 ? with_cached(f, uncut(fmax(0, fit), f->spread2)) : fmax(1, floor(fit));
}

double bp_flow_prompts(const struct bp_flow *f, double decoding) {
    return f->groups * of_group(f, left_for_prompts(f, decoding) / f->groups);
}

double bp_flow_whole_held(const struct bp_flow *f, double held) {
    double each = held / f->groups;
    return f->cut && !(f->spread2 > 0) && each > 1 ? f->groups * floor(each) : held;
}

/* What happens less often than this is left out. */
#define RARELY 1e-3

/* So many prompts are counted one by one, of more their number adds to the spread of their sum. */
#define MANY_COUNTED 12.0

#define TWO_PI_SQUARED 19.739208802178716

/*
** Steps that n prompts take which are let in together, in a step that holds so many. Cut, each but the last is full: of
** lengths that are alike a whole number, of exponential ones 1 / (1 - exp(-held / n)). The more the sum of their lengths
** spreads, counted in steps, the less do whole numbers matter (the first wave of what rounding up adds, under a normal
** sum).
*/
static double steps_cut(double n, double spread2, double held) {
    double sure = exp(-TWO_PI_SQUARED * spread2 * n / (held * held));
    return sure * ceil(n / held) - (1 - sure) / expm1(-held / n);
}

/* Whole, a step is left by those that do not fit. */
static double steps_whole(double n, double spread2, double held) {
    return spread2 > 0 ? fmax(1, n / held + 0.5 * (1 - 1 / held)) : ceil(n / held);
}

static double steps_of(const struct bp_flow *f, double n, double spread2, double held) {
    return f->cut ? steps_cut(n, spread2, held) : steps_whole(n, spread2, held);
}

double bp_flow_steps_of(const struct bp_flow *f, double held) {
    return steps_of(f, f->at_once, f->spread2, held / f->groups);
}

double bp_flow_steps_of_some(const struct bp_flow *f, double prompts, double held) {
    double mean = prompts / f->at_once, each = f->at_once / f->prompts, sum = 0, n;
    double chance = exp(-mean), left = 1 - chance;
    if (f->groups > 1) {
        return bp_fullest_steps(f->groups, mean / f->groups, f->cut ? f->spread2 / each : 0,
                                held / f->groups / each);
    }
    if (mean > MANY_COUNTED) {
        return steps_of(f, prompts / f->prompts, f->spread2 + each, held);
    }
    for (n = 1; left > RARELY; n++) {
        chance *= mean / n;
        left -= chance;
        sum += chance * steps_of(f, n * each, f->spread2, held);
    }
    return sum + left * steps_of(f, n * each, f->spread2, held);
}

/* A step with so many pieces of prompts, whose tokens look back on `seen` others of their sequence in the mean. */
static struct bp_infer_batch whole_of(const struct bp_flow *f, double pieces, double tokens,
                                      double seen, double decoding, double context) {
    double all = fmax(pieces, tokens);
    struct bp_infer_batch b = {pieces,   all,     fmax(0, seen - 0.5 * all / pieces),
                               decoding, context, all / f->fresh};
    return b;
}

double bp_flow_whole(const struct bp_infer_case *c, const struct bp_flow *f, double pieces,
                     double tokens, double seen, double decoding, double context) {
    struct bp_infer_batch b = whole_of(f, pieces, tokens, seen, decoding, context);
    return bp_infer_time(c, &b);
}

/* Chance that the tokens of so many prompts in the mean, of a Poisson number that is not 0, are more than `limit`. */
static double some_above(double mean, double length, double spread2, double limit) {
    double rate = bp_poisson_of_some(mean), chance = rate > 0 ? rate / expm1(rate) : 1;
    double left = 1, sum = 0, n;
    for (n = 1; left > RARELY; n++) {
        sum += chance * bp_gamma_above(n * length, sqrt(spread2 / n), limit);
        left -= chance;
        chance *= rate / (n + 1);
    }
    return sum;
}

/* Groups that share experts wait for the fullest. Answers of one length begin and end in all of them together. */
static int waits_for_fullest(const struct bp_infer_case *c, const struct bp_infer_demand *d) {
    return c->in.plan.dp > 1 && c->moe_layers > 0 && d->length_cv > 0;
}

/*
** Prompts of a step as they are dealt to groups, each as places become free in it: so many in the mean to each, in steps
** with any, let in together; of such a length, and of which each group holds so many tokens.
*/
struct dealt {
    double count, some; /* some: share of the steps that have any */
    double length, spread2, most;
};

static struct dealt dealt_of(const struct bp_flow *f, double pieces, double tokens, double left) {
    double times = fmax(1, pieces / f->at_once), rate = bp_poisson_of_some(times);
    struct dealt t = {rate / f->groups, -expm1(-rate), tokens / times, f->spread2 / f->at_once,
                      f->cut ? left / f->groups : INFINITY};
    return t;
}

/*
** Groups that share experts wait for the fullest. So many equal pieces, one to a group, as keep it as busy.
*/
static double as_dealt(const struct bp_flow *f, double pieces, double tokens, double left,
                       double stages) {
    struct dealt t = dealt_of(f, pieces, tokens, left);
    double share = fmin(t.length, t.most) / tokens, whole;
    if (t.some > 0) {
        share = bp_fullest_sum(f->groups, t.count, t.spread2, t.most / t.length) / t.some *
                t.length / tokens;
    }
    share = fmin(1, fmax(share, 1 / f->groups));
    share = fmin(1, fmax(share / stages, 1 / fmax(1, pieces)));
    whole = floor(1 / share);
    return whole + (1 - whole * share) * (whole + 1);
}

/*
** Chance that a step's tokens, of this mean and deviation over mean, are more than graphs cut at attention hold beside
** what decodes, none where they hold the budget that prompts are cut to; EVERY_STEP where no step is cut so, or all are
** as large. Few prompts, which the budget does not cut, are more by whole ones.
*/
#define EVERY_STEP (-1.0)
static double over_graphs(const struct bp_infer_case *c, const struct bp_flow *f, double prompts,
                          double tokens, double off, double decoding) {
    const struct bp_engine *e = &c->in.engine;
    double graphs = bp_infer_graph_tokens(c);
    double room = graphs - bp_infer_verified(c, decoding);
    if (!e->graph_pieces || e->graph_prompts || !(off > 1e-3) || !(tokens > 0)) {
        return EVERY_STEP;
    }
    if (f->cut && f->budget <= graphs) {
        return 0;
    }
    if (f->varied && f->follow >= 1 && prompts < MANY_COUNTED) {
        return some_above(prompts, tokens / prompts, f->spread2, room);
    }
    return bp_gamma_above(tokens, off, room);
}

/* The same where the fullest group decides. */
static double fullest_over(const struct bp_infer_case *c, const struct bp_flow *f, double pieces,
                           double tokens, double left, double decoding) {
    double room = (bp_infer_graph_tokens(c) - bp_infer_verified(c, decoding)) / f->groups;
    struct dealt t = dealt_of(f, pieces, tokens, left);
    if (f->cut && f->budget <= bp_infer_graph_tokens(c)) {
        return 0;
    }
    if (!(t.some > 0)) {
        return bp_gamma_above(t.length, sqrt(f->spread2) + 1e-3, room);
    }
    return fmin(1, bp_fullest_above(f->groups, t.count, t.spread2, room / t.length) / t.some);
}

static double mean_whole(const struct bp_infer_case *c, const struct bp_infer_batch *b,
                         double over) {
    return over < 0 ? bp_infer_time(c, b) : bp_infer_mean_time(c, b, over);
}

/*
** Groups and stages share whole pieces: between two numbers of them, some steps have the one and some the other. Pieces
** that are cut as the step is full fill the same budget, and so do few long ones and many short ones; others that are alike
** bring their tokens.
*/
static double with_pieces(const struct bp_infer_case *c, const struct bp_flow *f, double pieces,
                          double tokens, double full, double seen, double decoding, double context,
                          double over) {
    double low = floor(fmax(1, pieces)), share = fmax(1, pieces) - low;
    double alike = (f->cut ? 1 - full : 1) * (1 - fmin(1, f->spread2)),
           each = alike / (low + share), low_s;
    struct bp_infer_batch b;
    if (!(share > 0) || c->in.plan.dp * c->in.plan.pp == 1) {
        b = whole_of(f, fmax(1, pieces), tokens, seen, decoding, context);
        return mean_whole(c, &b, over);
    }
    b = whole_of(f, low, tokens * (1 - alike + each * low), seen, decoding, context);
    low_s = mean_whole(c, &b, over);
    b = whole_of(f, low + 1, tokens * (1 - alike + each * (low + 1)), seen, decoding, context);
    return (1 - share) * low_s + share * mean_whole(c, &b, over);
}

/* Deviation over mean up to which the larger of the two steps below has at most `most` times the mean. */
static double within(double most) {
    return most > 1 ? (most - 1) / sqrt(2 * most - 1) : 0;
}

/* Less uneven than this, pieces are the more like equal ones (assumption). */
#define UNEVEN 0.1

/* Most pieces whose numbers are summed up one by one; of more the fullest part is as full as the others. */
#define MOST_PIECES 500.0

/*
** A step that is full holds many short prompts or few long ones, and groups and stages share whole ones. So many equal
** pieces keep the fullest part as busy in the mean as pieces of exponential lengths, of which a Poisson number beside
** the first, or beside answers the first of each group, is in a step; of other lengths by the square of the deviation over mean, and half as much again where
** prompts are not cut, since a long one is then alone (a fit within 15 % to steps filled with 60,000 drawn lengths).
*/
static double as_even(const struct bp_infer_case *c, const struct bp_flow *f, double pieces,
                      double full) {
    double parts = (double)(c->in.plan.dp * c->in.plan.pp), first = f->rows > 0 ? f->groups : 1;
    double others = fmax(0, pieces - first);
    double even = fmax(1 / pieces, 1 / parts), chance = exp(-others), fullest = 1 / parts, uneven,
           sure;
    double spread = full * fmin(f->spread2, 1.5) * (f->cut ? 1 : 1.5);
    int k;
    if (parts <= 1 || !(spread > 0) || pieces > MOST_PIECES) {
        return pieces;
    }
    for (k = 0; k + first < parts && k < 2 * MOST_PIECES; k++) {
        fullest += chance * (1 / (k + first) - 1 / parts);
        chance *= others / (k + 1);
    }
    uneven = spread * (fullest / even - 1);
    sure = fmax(0, fmin(1, uneven / UNEVEN));
    return pow(pieces, 1 - sure) * pow(even * (1 + uneven), -sure);
}

/*
** Deviation over mean of the prompts that begin in a step with any, so many in the mean: of a Poisson number, or where
** memory lets several in at once between it and a geometric one.
*/
static double count_off(const struct bp_flow *f, double whole) {
    double others = 1 - 1 / whole;
    return others / sqrt(whole) + fmin(1, f->at_once - 1) * (sqrt(others) - others / sqrt(whole));
}

/*
** Pieces of prompts in such a step: those that begin in it, and of those that are cut the one that goes on, or of each group
** one. No piece is larger than the budget of its group.
*/
static double pieces_of(const struct bp_flow *f, double each, double held, double left,
                        double full) {
    double begin = each * f->prompts, steps, on;
    if (!f->cut) {
        return fmax(1, begin);
    }
    steps = bp_flow_steps_of(f, held);
    if (f->groups <= 1) {
        return fmax(1, begin + fmax(full, 1 - 1 / steps));
    }
    on = fmin(f->groups, fmax(full * f->groups, begin / f->at_once * (steps - 1)));
    return fmax(fmax(1, begin + on), each * f->fresh / left * f->groups);
}

/*
** Seconds of a step with so many pieces of prompts of `each` requests in the mean, beside those that decode. Number and
** lengths of the prompts differ from step to step: the mean over two steps whose tokens have mean, variance and skewness of
** a gamma distribution (Gauss-Laguerre quadrature). full: the chance that the step is.
*/
static double with_some(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                        const struct bp_flow *f, double each, double pieces, double full,
                        double decoding, double context) {
    double left = left_for_prompts(f, decoding), tokens = each * f->fresh;
    double whole = fmax(1, each * f->prompts), length = f->fresh / f->prompts;
    double seen = d->input - bp_infer_fresh(d) + 0.5 * length * (1 + f->spread2);
    double count = f->varied ? count_off(f, whole) : 0;
    double off = f->follow < 1 ? count : sqrt(count * count + f->spread2 / whole);
    double root, low, high, share, over, most = f->cut ? within(left / tokens) : INFINITY;
    over = over_graphs(c, f, off < most ? whole : INFINITY, tokens, f->follow * fmin(off, most),
                       decoding);
    if (over >= 0 && waits_for_fullest(c, d)) {
        over = fullest_over(c, f, pieces, tokens, left, decoding);
    }
    if (waits_for_fullest(c, d)) {
        double stages = (double)c->in.plan.pp, past;
        double even = as_even(c, f, pieces, full);
        pieces = pow(as_dealt(f, pieces, tokens, left, stages), 1 - full) * pow(even, full);
        past = fmin(1, pieces / f->groups);
        seen *= 1 + past * (bp_fullest_gamma(f->groups, sqrt((1 + 2 * f->spread2) / 3)) - 1);
    } else {
        pieces = as_even(c, f, pieces, full);
    }
    off = fmin(off, most);
    if (off < 0.05) {
        return with_pieces(c, f, pieces, tokens, full, seen, decoding, context, over);
    }
    count = waits_for_fullest(c, d) ? 0 : (f->cut ? 1 : 1 - full) * fmin(count / off, 1);
    root = off * sqrt(1 + off * off);
    low = off * off - root;
    high = off * off + root;
    share = 0.5 * (1 + off / sqrt(1 + off * off));
    return share * with_pieces(c, f, pieces * (1 + count * low), tokens * (1 + f->follow * low),
                               full, seen, decoding, context, over) +
           (1 - share) * with_pieces(c, f, pieces * (1 + count * high),
                                     tokens * (1 + f->follow * high), full, seen, decoding, context,
                                     over);
}

/* company: the chance that others wait when one is cut, and begin behind its end. */
double bp_flow_with_prompts(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                            const struct bp_flow *f, double each, double company, double decoding,
                            double context) {
    double left = left_for_prompts(f, decoding), held = bp_flow_prompts(f, decoding);
    double filled = fmin(1, each / held);
    double full = company * (f->cut || f->follow < 1 ? fmax(0, 2 * filled - 1) : filled);
    double pieces = pieces_of(f, each, held, left, full);
    return with_some(c, d, f, each, pieces, full, decoding, context);
}

/* However many steps it takes, each has one piece of it: stages and groups share nothing. */
double bp_flow_with_one(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                        const struct bp_flow *f, double part, double decoding, double context) {
    return with_some(c, d, f, part, 1, 0, decoding, context);
}

/* Places with which never more decode than a captured graph holds. */
double bp_flow_graph_places(const struct bp_infer_case *c) {
    return fmax(1, bp_infer_graph_tokens(c));
}

/*
** Share of the steps in which more sequences run than a captured graph holds, though `most` in the mean do not: they outgrow
** the pool, which n of them fill after a time that goes with 1 / n.
*/
static double outgrown(const struct bp_flow *f, double most, double graphs) {
    double above = most + (graphs - most) / STAY_TOGETHER;
    return above < f->begin ? fmin(1, (1 / above - 1 / f->begin) / (1 / f->end - 1 / f->begin)) : 0;
}

static double sequences_s(const struct bp_infer_case *c, double sequences, double context) {
    struct bp_infer_batch b = {0, 0, 0, sequences, context, 0};
    return bp_infer_time(c, &b);
}

/*
** Seconds of a step without prompts. Places that are taken decode, all of them, or where prompts wait for company fewer
** from step to step; some of these steps may be without a captured graph.
*/
double bp_flow_plain(const struct bp_infer_case *c, const struct bp_flow *f, double most,
                     double each, double context) {
    double least = fmax(1, most - f->wait * each), graphs = bp_flow_graph_places(c);
    double high = most, low = most, above;
    if (least < most) {
        above = fmin(1, fmax(0, (most - graphs) / (most - least)));
        high = 0.5 * (most + fmax(least, fmin(most, graphs)));
        low = 0.5 * (least + fmax(least, fmin(most, graphs)));
    } else if (most <= graphs && f->begin > f->end) {
        above = outgrown(f, most, graphs);
        high = 0.5 * (graphs + most + STAY_TOGETHER * (f->begin - most));
        low = above < 1 ? (most - above * high) / (1 - above) : most;
    } else {
        above = 1;
    }
    return (above > 0 ? above * sequences_s(c, high, context) : 0) +
           (above < 1 ? (1 - above) * sequences_s(c, low, context) : 0);
}

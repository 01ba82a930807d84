#include "kernel/serve/saturated.h"

#include "kernel/serve/infer_step.h"

#include <math.h>

/* Share of an answer that a running sequence has said in the mean: arithmetic. */
#define SAID_SHARE 0.5

/* Halvings of the search for the requests that begin in a step: 2^-30 of the places is exact enough. */
enum { HALVINGS = 30 };

/* Of the search for the steps with prompts: to 2^-20 of the time that prompts take. */
enum { SHARE_HALVINGS = 20 };

/*
** Answers whose lengths differ by less than this many steps end together and begin together, for ever: the prompts
** that were computed in one step stay together (counted in simulations, tests/lua/capacity_spec.lua).
*/
#define TOGETHER_STEPS 0.1

/* Share of the pool that stays free for sequences that run when a new one asks (vLLM's watermark). */
#define WATERMARK 0.01

/* Share of its answer that a sequence has said when it is thrown out (counted in simulations, as above). */
#define THROWN_SHARE 0.125

/* Places that are taken where memory or the engine's own limit decides, and not the budget of a step (assumption). */
#define FULL 0.95

/* From one number of places to the next that capacity is known at. */
#define STRIDE 2.0

/* Fewer places than those that bring less than this share of the best bring even less (assumption). */
#define FAR_BELOW 0.4

/* A replica in units of its steps. */
struct flow {
    double steps;   /* of decoding that an answer takes */
    double prompt;  /* tokens of a prompt */
    double fresh;   /* of them, computed; again where sequences are thrown out */
    double prompts; /* computed for a request: 1, and those of sequences thrown out */
    double budget;  /* tokens of a step */
    double rows;    /* of the budget that a decoding sequence takes */
    double wait;    /* steps that prompts wait for company */
    double places;
    double room;      /* sequences that run at one time at most, whatever the memory */
    double one_token; /* share of the answers that end with their prompt */
    double at_once;   /* prompts let in together, in the mean of those times that any is */
    double follow;    /* length of those behind the first of them, over the mean of all */
    double spread2;   /* square of the deviation over mean of the prompts' lengths */
    int cut;          /* prompts are cut to fit the budget */
    int varied;       /* lengths differ: prompts come one by one */
};

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
** Where lengths differ some prompts are shorter than what is cached: mean of what a longer one has more of. Lengths are
** taken as normal, or where they differ much as of a gamma distribution, which exponential ones have.
*/
double bp_infer_fresh(const struct bp_infer_demand *d) {
    double more = d->input - d->prefix, deviation = d->input_cv * d->input, at;
    if (!(d->prefix > 0 && deviation > 0)) {
        return fmax(1, more);
    }
    if (d->input_cv >= SKEWED) {
        double shape = 1 / (d->input_cv * d->input_cv), x = shape * d->prefix / d->input;
        return fmax(1, d->input * (1 - gamma_below(shape + 1, x)) -
                           d->prefix * (1 - gamma_below(shape, x)));
    }
    at = more / deviation;
    return fmax(1, 0.5 * more * erfc(-at / sqrt(2)) +
                       deviation * exp(-0.5 * at * at) / sqrt(2 * acos(-1)));
}

double bp_infer_met_output(const struct bp_infer_demand *d) {
    return d->output * (1 + d->length_cv * d->length_cv);
}

double bp_infer_held(const struct bp_infer_case *c, const struct bp_infer_demand *d) {
    return d->input + (c->in.engine.reserve_output ? 1 : SAID_SHARE) * bp_infer_met_output(d);
}

double bp_infer_front_serial_s(const struct bp_infer_case *c, const struct bp_infer_demand *d) {
    const struct bp_engine *e = &c->in.engine;
    return d->prefix < d->input ? e->submit_s + e->front_token_s * d->input : 0;
}

static void throw_out(struct flow *f, const struct bp_infer_demand *d, double tokens) {
    f->prompts += tokens / (d->input + THROWN_SHARE * d->output);
    f->fresh += tokens;
}

/*
** Sequences that begin together take the pool with their prompts and outgrow it: half of what does not find room at
** the end has to be computed again, with half of its answer (counted in simulations: those that come back stay apart).
*/
static void set_cohort(struct flow *f, const struct bp_infer_demand *d, double pool) {
    double begin = fmin(f->room, pool / d->input);
    double end = fmin(begin, pool / (d->input + d->output));
    double again = 0.5 * (begin - end) / f->places;
    f->prompts += again;
    f->fresh += again * (d->input + SAID_SHARE * d->output);
}

/*
** Memory on demand: what runs grows by a token a step each, what ends gives its tokens back, and a prompt is let in
** when more than a cushion is free. The free tokens are a random walk between none and the cushion, its drift the
** prompts let in: at its lower end the latest are thrown out and computed again (Brownian motion between two barriers,
** and never more than what grows).
*/
static void set_on_demand(struct flow *f, const struct bp_infer_demand *d, double pool) {
    double size = d->input + d->output, spread2 = 1 + d->length_cv * d->length_cv;
    double cushion = WATERMARK * pool + f->places;
    double thrown;
    double excursion = 0.5 * size * size * spread2 / d->input;
    if (!f->varied) {
        set_cohort(f, d, pool);
        return;
    }
    thrown = d->input / expm1(cushion / excursion);
    thrown = thrown * d->output / (thrown + d->output);
    throw_out(f, d, thrown);
}

/* Square of the deviation over mean of the tokens of a request; more than that of exponential ones counts as those. */
static double size_spread2(const struct bp_infer_demand *d) {
    double input = d->input_cv * d->input, output = d->length_cv * d->output;
    double size = d->input + d->output;
    return fmin(1, (input * input + output * output) / (size * size));
}

/*
** Where memory decides, the next prompt waits until what ends has left it the room that it needs, and others behind it
** find what it does not: the mean excess of a renewal process over a level, in tokens. Of sequences that are all alike
** and keep what they take one is let in for one that ends, of exponential ones two at every second end, and many short
** prompts where memory is taken on demand.
*/
static double let_in_at_once(const struct bp_infer_demand *d, double need) {
    double spread2 = size_spread2(d);
    return 1 + 0.5 * ((1 + spread2) * (d->input + d->output) / need - (1 - spread2));
}

/* The first of them is longer than the others, which are gaps of two Poisson processes together. */
static void set_crowded(struct flow *f, const struct bp_infer_demand *d, int reserved) {
    double size = d->input + d->output;
    double prompt = d->input + (1 - 1 / f->prompts) * THROWN_SHARE * d->output;
    double need = reserved ? size : prompt;
    f->at_once = let_in_at_once(d, need);
    f->follow = 1 - size_spread2(d) * need / (size + need);
}

/* Fewer that are let in at once change little (assumption). */
#define SOME_AT_ONCE 1.2

/*
** How places are taken: `pool` tokens are shared by them, INFINITY where they never lack memory; `crowded`: memory decides
** when a prompt is let in, and which with it.
*/
struct room {
    double places, pool;
    int crowded;
};

static struct flow flow_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                           const struct room *room) {
    const struct bp_engine *e = &c->in.engine;
    struct flow f;
    double decoded = (d->output - 1) / c->advance;
    f.varied = d->concurrency <= 0 || d->length_cv * decoded > TOGETHER_STEPS;
    /* The last step says what is left. */
    f.steps = d->output > 1 ? decoded + 0.5 * (1 - 1 / c->advance) : 0;
    f.prompt = d->input;
    f.fresh = bp_infer_fresh(d);
    f.prompts = 1;
    f.budget = (double)(e->token_budget * c->in.plan.dp);
    f.rows = e->policy == BP_POLICY_MIXED ? 1 + (double)c->in.plan.draft_tokens : 0;
    /* It is over when nothing runs any more. */
    f.wait = c->in.plan.dp > 1 ? 0 : fmin((double)e->batch_wait, f.steps);
    f.places = room->places;
    f.room = (double)(e->max_running * c->in.plan.dp);
    f.spread2 = d->input_cv * d->input / f.fresh;
    f.spread2 *= f.spread2;
    f.one_token = fmin(d->one_token, 0.9);
    f.cut = e->chunked_prefill;
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
static double left_for_prompts(const struct flow *f, double decoding) {
    return f->budget - f->rows * decoding;
}

/*
** Prompts of random lengths that run whole in a step whose budget fits so many: one begins it however long it is,
** others join as long as they fit, the one that did not begins the next. Of lengths that are nearly equal half of one
** is left out in the mean, of exponential ones a whole one where many fit; between these two by the square of the
** deviation over mean (a fit within 5 % to bins filled with 200,000 drawn lengths).
*/
static double uncut(double fit, double spread2) {
    double alike = fmax(1, fit - 0.5), share = fmin(1, spread2);
    double exponential = 1 + fit * fit / (fit + 2 + 1 / (1 + 0.02 * fit * fit));
    return (1 - share) * alike + share * exponential;
}

/* Requests whose prompts a step holds. One that is not cut runs whole as soon as any budget is left. */
static double held_of(const struct flow *f, double decoding) {
    double left = left_for_prompts(f, decoding);
    if (f->cut) {
        return fmax(0, left / f->fresh);
    }
    if (left < 1) {
        return 0;
    }
    return f->spread2 > 0 ? uncut(fmax(0, (left - f->prompt) / f->fresh + 1), f->spread2)
                          : fmax(1, floor((left - f->prompt) / f->fresh) + 1);
}

/*
** Steps from one look for prompts to the end of those it finds, and of these the steps with prompts. One look takes
** what a step holds; where prompts are cut the last one goes on in the next step, and others with it.
*/
struct cycle {
    double steps, with;
};

static struct cycle cycle_of(const struct flow *f, double each, double held) {
    double load = each / held;
    struct cycle c = {f->wait + 1, 1};
    if (f->wait > 0 && f->cut && load < 1) {
        c.with = fmax(1, load * f->wait / (1 - load));
        c.steps = f->wait + c.with;
    }
    return c;
}

/* Places that are taken while `each` requests begin in a step; INFINITY where the budget does not hold so many. */
static double taken(const struct flow *f, double each) {
    double decoding = each * f->steps, held = held_of(f, decoding), load, queue;
    struct cycle c;
    if (!(held > 0) || each > held) {
        return INFINITY;
    }
    c = cycle_of(f, each, held);
    load = each * c.steps / (c.with * held);
    if (load > 1) {
        return INFINITY;
    }
    /* Prompts that end in different steps queue up for the budget (M/G/1). */
    queue = f->varied && load < 1 ? 0.5 * (1 + f->spread2) * load / (1 - load) / held : 0;
    return decoding + each * (fmax(1, 1 / held) + queue + 0.5 * f->wait * f->wait / c.steps);
}

/* Requests that begin in a step of an engine whose prompts and answers share steps. */
static double begin_mixed(const struct flow *f) {
    double low = 0, high = f->places / (f->steps + 1);
    int i;
    if (taken(f, high) <= f->places) {
        return high;
    }
    for (i = 0; i < HALVINGS; i++) {
        double each = 0.5 * (low + high);
        if (taken(f, each) <= f->places) {
            low = each;
        } else {
            high = each;
        }
    }
    return low;
}

/* The budget of a step does not let places fill. */
static int is_short(const struct flow *f, double each) {
    return each * (f->steps + 1) < FULL * f->places;
}

/*
** Steps that prompts let in together take, cut to the budget: of lengths that are alike one where they fit, of exponential
** ones 1 / (1 - exp(-budget / tokens)); between these two by the square of the deviation over mean.
*/
static double steps_of_those(const struct flow *f, double held) {
    double varied = f->cut ? fmin(1, f->spread2) : 0;
    return 1 + varied * (-1 / expm1(-held / f->at_once) - 1);
}

/*
** Of the steps that may have prompts, those that do: as many as hold them. Where prompts come one by one, more; where
** all came at once, one more, since the first comes alone. A budget that does not let places fill is used in each.
*/
static double share_with(const struct flow *f, double each, double gathered, double held) {
    double least = gathered / held;
    if (is_short(f, each)) {
        return fmin(1, fmax(least, gathered));
    }
    if (!f->varied) {
        return fmin(1, least + 1 / (f->steps + 1));
    }
    double come = gathered * f->prompts / f->at_once * steps_of_those(f, held);
    return fmin(1, fmax(least, -expm1(-come)));
}

/* A step with so many pieces of prompts, whose tokens look back on `seen` others of their sequence in the mean. */
static double with_whole(const struct bp_infer_case *c, const struct flow *f, double pieces,
                         double tokens, double seen, double decoding, double context) {
    double all = fmax(pieces, tokens);
    struct bp_infer_batch b = {pieces,   all,     fmax(0, seen - 0.5 * all / pieces),
                               decoding, context, all / f->fresh};
    return bp_infer_time(c, &b);
}

/* Groups and stages share whole pieces: between two numbers of them, some steps have the one and some the other. */
static double with_pieces(const struct bp_infer_case *c, const struct flow *f, double pieces,
                          double tokens, double seen, double decoding, double context) {
    double low = floor(fmax(1, pieces)), share = fmax(1, pieces) - low;
    if (!(share > 0) || c->in.plan.dp * c->in.plan.pp == 1) {
        return with_whole(c, f, fmax(1, pieces), tokens, seen, decoding, context);
    }
    return (1 - share) * with_whole(c, f, low, tokens, seen, decoding, context) +
           share * with_whole(c, f, low + 1, tokens, seen, decoding, context);
}

/* Deviation over mean up to which the larger of the two steps below has at most `most` times the mean. */
static double within(double most) {
    return most > 1 ? (most - 1) / sqrt(2 * most - 1) : 0;
}

/* Most pieces whose numbers are summed up one by one; of more the fullest part is as full as the others. */
#define MOST_PIECES 500.0

/*
** A step that is full holds many short prompts or few long ones, and groups and stages share whole ones. So many equal
** pieces keep the fullest part as busy in the mean as pieces of exponential lengths, of which a Poisson number beside
** the first is in a step; of other lengths by the square of the deviation over mean, and half as much again where
** prompts are not cut, since a long one is then alone (a fit within 15 % to steps filled with 60,000 drawn lengths).
*/
static double as_even(const struct bp_infer_case *c, const struct flow *f, double pieces,
                      double full) {
    double parts = (double)(c->in.plan.dp * c->in.plan.pp), others = pieces - 1;
    double even = fmax(1 / pieces, 1 / parts), chance = exp(-others), fullest = 1 / parts, uneven;
    double spread = full * fmin(f->spread2, 1.5) * (f->cut ? 1 : 1.5);
    int k;
    if (parts <= 1 || !(spread > 0) || pieces > MOST_PIECES) {
        return pieces;
    }
    for (k = 0; k + 1 < parts && k < 2 * MOST_PIECES; k++) {
        fullest += chance * (1 / (k + 1.0) - 1 / parts);
        chance *= others / (k + 1);
    }
    uneven = spread * (fullest / even - 1);
    return uneven > 0.01 ? 1 / (even * (1 + uneven)) : pieces;
}

/*
** Deviation over mean of the prompts that begin in a step with any, so many in the mean: of a Poisson number, or where
** memory lets several in at once between it and a geometric one.
*/
static double count_off(const struct flow *f, double whole) {
    double others = 1 - 1 / whole;
    return others / sqrt(whole) + fmin(1, f->at_once - 1) * (sqrt(others) - others / sqrt(whole));
}

/*
** Seconds of a step with prompts of `each` requests in the mean, beside those that decode. Number and lengths of the
** prompts differ from step to step: the mean over two steps whose tokens have mean, variance and skewness of a gamma
** distribution (Gauss-Laguerre quadrature). company: the chance that others wait when one is cut, and begin behind its
** end.
*/
static double with_prompts(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                           const struct flow *f, double each, double company, double decoding,
                           double context) {
    double left = left_for_prompts(f, decoding), tokens = each * f->fresh;
    double whole = fmax(1, each * f->prompts), length = f->fresh / f->prompts;
    double held = held_of(f, decoding), filled = fmin(1, each / held);
    double full = company * (f->cut || f->follow < 1 ? fmax(0, 2 * filled - 1) : filled);
    double cut = f->cut ? fmax(full, 1 - 1 / steps_of_those(f, held)) : 0;
    double pieces = as_even(c, f, fmax(1, each * f->prompts + cut), full);
    double seen = d->input - bp_infer_fresh(d) + 0.5 * length * (1 + f->spread2);
    double count = f->varied ? count_off(f, whole) : 0;
    double off = f->follow < 1 ? count : sqrt(count * count + f->spread2 / whole);
    double root, low, high, share;
    off = f->cut ? fmin(off, within(left / tokens)) : off;
    if (off < 0.05) {
        return with_pieces(c, f, pieces, tokens, seen, decoding, context);
    }
    count = (f->cut ? 1 : 1 - full) * fmin(count / off, 1);
    root = off * sqrt(1 + off * off);
    low = off * off - root;
    high = off * off + root;
    share = 0.5 * (1 + off / sqrt(1 + off * off));
    return share * with_pieces(c, f, pieces * (1 + count * low), tokens * (1 + f->follow * low),
                               seen, decoding, context) +
           (1 - share) * with_pieces(c, f, pieces * (1 + count * high),
                                     tokens * (1 + f->follow * high), seen, decoding, context);
}

/* Places with which never more decode than a captured graph holds. */
static double graph_places(const struct bp_infer_case *c) {
    return fmax(1, (double)(c->in.engine.graph_tokens * c->in.plan.dp * c->in.plan.cp));
}

/*
** Seconds of a step without prompts. Places that are taken decode, all of them, or where prompts wait for company fewer
** from step to step; some of these steps may be without a captured graph.
*/
static double plain_step(const struct bp_infer_case *c, const struct flow *f, double most,
                         double each, double context) {
    double least = fmax(1, most - f->wait * each), graphs = graph_places(c);
    double parts[2] = {most, most}, above = fmin(1, fmax(0, (most - graphs) / (most - least)));
    struct bp_infer_batch b = {0, 0, 0, 0, context, 0};
    double sum = 0;
    int i;
    if (!(least < most)) {
        above = 1;
    } else {
        parts[0] = 0.5 * (most + fmax(least, fmin(most, graphs)));
        parts[1] = 0.5 * (least + fmax(least, fmin(most, graphs)));
    }
    for (i = 0; i < 2; i++) {
        double share = i == 0 ? above : 1 - above;
        b.sequences = parts[i];
        sum += share > 0 ? share * bp_infer_time(c, &b) : 0;
    }
    return sum;
}

/*
** The same where requests come by chance and answers have one length: the steps in which they began are those in which
** others begin, and a step with prompts takes longer, so that more come during it (Poisson). By halving of the mean step.
*/
static double share_come(double plain_s, double with_s, double gathered) {
    double low = plain_s, high = fmax(plain_s, with_s), share = 1;
    int i;
    for (i = 0; i < SHARE_HALVINGS; i++) {
        double step_s = 0.5 * (low + high), after_plain = -expm1(-gathered * plain_s / step_s);
        share = after_plain / (after_plain + exp(-gathered * with_s / step_s));
        if (plain_s + share * (with_s - plain_s) > step_s) {
            low = step_s;
        } else {
            high = step_s;
        }
    }
    return share;
}

static struct bp_saturated mixed_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                    const struct flow *f, double context) {
    double each = begin_mixed(f), decoding = each * f->steps, held = held_of(f, decoding);
    struct cycle y = cycle_of(f, each, held);
    double gathered = each * y.steps / y.with;
    double share = f->steps > 0 ? share_with(f, each, gathered, held) : 1;
    double part = share * y.with / y.steps;
    double company = is_short(f, each) ? 1 : fmin(1, gathered / held);
    double most = fmax(1, is_short(f, each) ? decoding : f->places);
    double plain_s = part < 1 ? plain_step(c, f, most, each, context) : 0, step_s;
    struct bp_saturated out;
    if (part < 1 && f->varied && !(d->length_cv > 0) && !is_short(f, each)) {
        double prompts = fmax(1, gathered / share);
        double with_s = with_whole(c, f, prompts, prompts * f->fresh, d->input - 0.5 * f->fresh,
                                   decoding, context);
        share = fmax(gathered / held, fmin(share, share_come(plain_s, with_s, gathered)));
        part = share * y.with / y.steps;
    }
    step_s = part * with_prompts(c, d, f, gathered / share, company, decoding, context) +
             (1 - part) * plain_s;
    out.per_s = each / step_s;
    out.places = f->places;
    out.running = decoding + each * fmax(1, 1 / held);
    out.filled = is_short(f, each) ? out.running : f->places;
    return out;
}

/*
** Steps of prompts between two steps of decoding, of so many ended ones: a last one is half full in the mean, and
** answers that end with their prompt make room for more.
*/
static double prompt_steps_of(const struct flow *f, double ended, double held) {
    double full = ended / held, some = -expm1(-ended * f->prompts / f->at_once), steps;
    if (!f->varied) {
        return full;
    }
    steps = fmax(some * steps_of_those(f, held), full > 0.5 ? full + 0.5 : full);
    return steps - expm1(-ended * f->one_token) / (1 - f->one_token);
}

/*
** Groups of prompts for each answer where all answers have one length, beside steps of decoding that take step_s:
** those whose prompts were computed without a step of decoding between them begin together and end together, for
** ever. Clients that start at once come one after another; an engine that plans a step ahead sees those who came
** during a step of prompts one step of decoding later. Groups are whole: half of one less in the mean.
*/
static double groups_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                        const struct flow *f, double step_s) {
    double come_s = f->places * bp_infer_front_serial_s(c, d);
    double one_s = with_prompts(c, d, f, 1, 1, 0, 0);
    return bp_engine_ahead(&c->in.engine) < 1
               ? 1
               : fmin(1 + fmax(0, come_s / (one_s + step_s) - 0.5), fmax(1, f->steps));
}

/*
** Prompts before answers: what ends in a step of decoding is replaced before the next one. Of answers of one length
** there are fewer groups than steps; where requests come by chance, as many as came while the first answers were said.
*/
static struct bp_saturated apart_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                    const struct flow *f, double context) {
    double decoding = f->places * f->steps / (f->steps + 0.5 * f->wait), held = held_of(f, 0);
    double ended = f->steps > 0 ? decoding / f->steps : fmin(f->places, held);
    double gathered = f->steps > 0 ? ended * (f->wait + 1) : ended;
    double steps = f->steps > 0 ? prompt_steps_of(f, gathered, held) : 1, fewest = 1;
    double step_s = plain_step(c, f, f->places, ended, context);
    double decode_s = (f->wait + 1) * step_s, prompt_s;
    struct bp_saturated out;
    if (f->steps > 0) {
        fewest = gathered / decoding * ceil(decoding / held);
    }
    if (f->steps > 0 && !f->varied) {
        steps = fmax(fewest, gathered / decoding * groups_of(c, d, f, step_s));
    }
    prompt_s = with_prompts(c, d, f, gathered / steps, fmin(1, gathered), 0, 0);
    if (f->steps > 0 && f->varied && !(d->length_cv > 0)) {
        steps = fmax(fewest, steps * decode_s / (steps * prompt_s + decode_s));
        prompt_s = with_prompts(c, d, f, gathered / steps, fmin(1, gathered), 0, 0);
    }
    out.running = out.filled = f->steps > 0 ? f->places : ended;
    out.places = f->places;
    out.per_s = gathered / (steps * prompt_s + (f->steps > 0 ? decode_s : 0));
    return out;
}

static struct bp_saturated with_room(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                     const struct room *room) {
    struct flow f = flow_of(c, d, room);
    double context = d->input + SAID_SHARE * bp_infer_met_output(d);
    return f.rows > 0 ? mixed_of(c, d, &f, context) : apart_of(c, d, &f, context);
}

static struct bp_saturated better(struct bp_saturated a, struct bp_saturated b) {
    return b.per_s > a.per_s ? b : a;
}

/* Tokens of the pool with which so many places never lack memory. */
static double enough_pool(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                          double places) {
    double kept = c->in.engine.reserve_output ? 0 : WATERMARK;
    return (places + 1) * bp_infer_held(c, d) / (1 - kept);
}

static int lacks_pool(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                      double places) {
    return d->pool_tokens < enough_pool(c, d, places);
}

/* With so many places, in a pool that they just fill or never do. */
static struct bp_saturated node(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                double places, int crowded) {
    int lacks = crowded || lacks_pool(c, d, places);
    struct room room = {places, lacks ? places * bp_infer_held(c, d) : INFINITY, crowded};
    return with_room(c, d, &room);
}

/* The best that so many places bring, or half of them, or of that, and `least` at least. */
static struct bp_saturated best_to(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                   double places, double least, int crowded) {
    struct bp_saturated best = node(c, d, places, crowded), fewer = best;
    while (places > 1 && places >= STRIDE * least && fewer.per_s > FAR_BELOW * best.per_s) {
        places /= STRIDE;
        fewer = node(c, d, places, crowded);
        best = better(best, fewer);
    }
    return best;
}

/* Between two numbers of places, a straight line of the time per request over 1 / places; it never falls. */
static struct bp_saturated between(struct bp_saturated low, struct bp_saturated high,
                                   double share_low) {
    high = better(low, high);
    low.per_s = 1 / (share_low / low.per_s + (1 - share_low) / high.per_s);
    low.running = share_low * low.running + (1 - share_low) * high.running;
    return low;
}

/* Fewer places that bring no more than this over all of them are not worth being told (assumption). */
#define WORTH_TELLING 1.03

/* As many more than a captured graph holds that steps are surely without it, prompts that queue up among them. */
#define JUST_ABOVE 1.02

/*
** More places may bring less: where a captured graph does not hold them, or where steps with prompts do more for each.
** An engine may be told to fill fewer, so that capacity is the best up to so many: known at the numbers that a captured
** graph holds, half of it, twice as many and so on.
*/
static struct bp_saturated up_to(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                 double places) {
    double graphs = graph_places(c);
    double low = graphs * pow(STRIDE, floor(log(places / graphs) / log(STRIDE)));
    struct bp_saturated below = best_to(c, d, low, 0, 0), above, line;
    above = low >= graphs ? node(c, d, graphs * JUST_ABOVE, 0) : below;
    if (low > graphs) {
        below = above = better(below, above);
    }
    if (places <= low) {
        return below;
    }
    line = between(above, node(c, d, STRIDE * low, 0), (STRIDE * low / places - 1) / (STRIDE - 1));
    line.places = line.per_s > WORTH_TELLING * below.per_s ? places : below.places;
    return better(below, line);
}

/*
** The same where memory decides what is let in, so that nobody is told to fill fewer: of numbers that are all within a
** captured graph, or all above it.
*/
static struct bp_saturated crowded_to(const struct bp_infer_case *c,
                                      const struct bp_infer_demand *d, double places, int above) {
    double graphs = graph_places(c), least = above ? graphs * JUST_ABOVE : 0;
    double low = graphs * pow(STRIDE, floor(log(places / graphs) / log(STRIDE)));
    struct bp_saturated below = best_to(c, d, fmax(low, least), least, 1);
    if (places <= fmax(low, least)) {
        return below;
    }
    return better(below, between(below, node(c, d, STRIDE * low, 1),
                                 (STRIDE * low / places - 1) / (STRIDE - 1)));
}

/*
** What memory lets in at once shares steps with prompts, which may bring more than as many places whose memory never
** lacks: but no more than the engine would with more memory.
*/
static struct bp_saturated or_crowded(const struct bp_infer_case *c,
                                      const struct bp_infer_demand *d, double places,
                                      struct bp_saturated out) {
    const struct bp_engine *e = &c->in.engine;
    struct bp_infer_demand roomy = *d;
    struct bp_saturated crowded;
    double graphs = graph_places(c), most = (double)(e->max_running * c->in.plan.dp);
    int above = !lacks_pool(c, d, graphs);
    if (let_in_at_once(d, e->reserve_output ? d->input + d->output : d->input) < SOME_AT_ONCE) {
        return out;
    }
    if (!above) {
        most = fmin(most, graphs);
    }
    crowded = crowded_to(c, d, fmin(places, most), above);
    if (crowded.per_s <= out.per_s) {
        return out;
    }
    roomy.pool_tokens = enough_pool(c, d, most);
    crowded.per_s = fmin(crowded.per_s, up_to(c, &roomy, most).per_s);
    crowded.places = places;
    return better(out, crowded);
}

struct bp_saturated bp_saturated_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                    double places) {
    double front_s = bp_infer_front_serial_s(c, d);
    int lacks = lacks_pool(c, d, places);
    struct room all = {places, lacks ? d->pool_tokens : INFINITY, 0};
    struct bp_saturated out = up_to(c, d, places), here = with_room(c, d, &all);
    out = lacks ? or_crowded(c, d, places, out) : better(out, here);
    out.filled = here.filled;
    if (WORTH_TELLING * here.per_s >= out.per_s || out.places > places) {
        out.places = places;
    }
    /* Bound by its front end it runs as few as that leaves. */
    if (out.per_s * front_s > 1) {
        out.running /= out.per_s * front_s;
        out.per_s = 1 / front_s;
    }
    return out;
}

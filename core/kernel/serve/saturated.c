#include "kernel/serve/saturated.h"

#include "kernel/serve/infer_step.h"
#include "kernel/serve/queue.h"

#include <math.h>

/* Halvings of the search for the requests that begin in a step: 2^-30 of the places is exact enough. */
enum { HALVINGS = 30 };

/* Places that are taken where memory or the engine's own limit decides, and not the budget of a step (assumption). */
#define FULL 0.95

/* Of the search for the steps with prompts: to 2^-20 of the time that prompts take. */
enum { SHARE_HALVINGS = 20 };

/* From one number of places to the next that capacity is known at. */
#define STRIDE 2.0

/* Fewer places than those that bring less than this share of the best bring even less (assumption). */
#define FAR_BELOW 0.4

double bp_infer_front_serial_s(const struct bp_infer_case *c, const struct bp_infer_demand *d) {
    const struct bp_engine *e = &c->in.engine;
    return d->prefix < d->input ? e->submit_s + e->front_token_s * d->input : 0;
}

/* Fewer that are let in at once change little (assumption). */
#define SOME_AT_ONCE 1.2

/*
** Steps from one look for prompts to the end of those it finds, and of these the steps with prompts. One look takes
** what a step holds; where prompts are cut the last one goes on in the next step, and others with it.
*/
struct cycle {
    double steps, with;
};

static struct cycle cycle_of(const struct bp_flow *f, double each, double held) {
    double load = each / held;
    struct cycle c = {f->wait + 1, 1};
    if (f->wait > 0 && f->cut && load < 1) {
        c.with = fmax(1, load * f->wait / (1 - load));
        c.steps = f->wait + c.with;
    }
    return c;
}

/*
** Places for each request that begins in a step which are empty while prompts wait: answers that are alike leave one
** after another, of exponential ones ever fewer, for as many of those that are left end in each step.
*/
static double emptied(const struct bp_flow *f, double steps) {
    double alike = 0.5 * f->wait * f->wait / steps;
    double slower = f->wait > 0 ? -steps / expm1(-steps / f->steps) - f->steps - 0.5 * steps : 0;
    return alike + f->memoryless * slower;
}

/* Places that are taken while `each` requests begin in a step; INFINITY where the budget does not hold so many. */
static double taken(const struct bp_flow *f, double each) {
    double decoding = each * f->steps, held = bp_flow_prompts(f, decoding), load, queue;
    struct cycle c;
    if (!(held > 0) || each > held) {
        return INFINITY;
    }
    c = cycle_of(f, each, held);
    load = each * c.steps / (c.with * held);
    if (load > 1) {
        return INFINITY;
    }
    /* Prompts that end in different steps queue up for the budget of their group (M/G/1). */
    held /= f->groups;
    queue = f->varied && load < 1 ? 0.5 * (1 + f->spread2) * load / (1 - load) / held : 0;
    return decoding + each * (fmax(1, 1 / held) + queue + emptied(f, c.steps));
}

/* Requests that begin in a step of an engine whose prompts and answers share steps. */
static double begin_mixed(const struct bp_flow *f) {
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
static int is_short(const struct bp_flow *f, double each) {
    double steps = cycle_of(f, each, bp_flow_prompts(f, each * f->steps)).steps;
    return each * (f->steps + 1 + emptied(f, steps)) < FULL * f->places;
}

/*
** Prompts of one length whose answers have one length too: of those that are cut in a step the rest is computed with
** others in the next, and who then began together ends together. From answer to answer the steps that share a prompt are
** one more, until each holds whole ones. The first comes alone.
*/
static double share_alike(const struct bp_flow *f, double gathered, double held) {
    double whole = bp_flow_whole_held(f, held);
    return fmin(1, gathered / whole + (1 - fmin(1, 1 / whole)) / (f->steps + 1));
}

/* Chance that one of the groups has a prompt, which each has with this chance. */
static double any_group(const struct bp_flow *f, double chance) {
    return chance < 1 ? -expm1(f->groups * log1p(-chance)) : 1;
}

/*
** Of the steps that may have prompts, those that do: as many as hold them. Where prompts come one by one, more; where
** all came at once, one more. A budget that does not let places fill is used in each.
*/
static double share_with(const struct bp_flow *f, double each, double gathered, double held) {
    double least = gathered / held, come;
    if (is_short(f, each)) {
        return f->groups > 1 ? any_group(f, fmin(1, least)) : fmin(1, fmax(least, gathered));
    }
    if (!f->varied) {
        return share_alike(f, gathered, held);
    }
    come = gathered * f->prompts / f->at_once * bp_flow_steps_of(f, held);
    return fmin(1, fmax(least, -expm1(-come)));
}

/*
** The same where requests come by chance and answers have one length: the steps in which they began are those in which
** others begin, and a step with prompts takes longer, so that more come during it (Poisson). Until each attention group
** has one they wait for company. By halving of the mean step.
*/
static double share_come(const struct bp_infer_case *c, double plain_s, double with_s,
                         double gathered) {
    double low = plain_s, high = fmax(plain_s, with_s), share = 1;
    int64_t groups = c->in.plan.dp;
    double wait = groups > 1 ? (double)c->in.engine.batch_wait : 0;
    double company = wait > 0 ? bp_until_all((double)groups) : 0;
    int i;
    for (i = 0; i < SHARE_HALVINGS; i++) {
        double step_s = 0.5 * (low + high), after_plain = -expm1(-gathered * plain_s / step_s);
        double come = gathered * with_s / step_s;
        double plain = exp(-come) / after_plain + wait * bp_fewer_than(company, come);
        share = 1 / (1 + plain);
        if (plain_s + share * (with_s - plain_s) > step_s) {
            low = step_s;
        } else {
            high = step_s;
        }
    }
    return share;
}

/*
** Seconds of a step with the prompts of a group, of so many in the mean. Groups differ in size, so that partly filled tiles
** of a matmul even out over them: a straight line between powers of two. Twice the prompts never take more than twice the
** time, so that larger groups of faster steps never answer less.
*/
static double group_s(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                      const struct bp_flow *f, double mean, double company, double decoding,
                      double context) {
    double low = exp2(floor(log2(mean))), share = mean / low - 1;
    double low_s = bp_flow_with_prompts(c, d, f, low, company, decoding, context);
    return share > 0 ? (1 - share) * low_s + share * bp_flow_with_prompts(c, d, f, 2 * low, company,
                                                                          decoding, context)
                     : low_s;
}

/* Seconds by which such a group lengthens a step beside all other places; less than one is the chance of one. */
static double group_adds_s(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                           const struct bp_flow *f, double mean, double plain_s, double context) {
    double some = fmax(1, mean), with_s = group_s(c, d, f, some, 0, f->places - some, context);
    return fmin(1, mean) * fmax(0, with_s - plain_s);
}

/* Groups of a start that are followed one by one; those behind them are as large as the last (assumption). */
enum { MOST_GROUPS = 16 };

/* How places fill with clients that start at once and come one after another: groups, of so many each. */
struct start {
    double groups[MOST_GROUPS];
    int count;
    double taken; /* places, by these */
};

/*
** Each step takes those who have come until it is planned, a step ahead or not, as many as it holds and there are places
** for; while it runs others come. Parts of one count as such: when the next one comes is a matter of chance.
*/
static void set_start(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                      const struct bp_flow *f, double context, struct start *s) {
    double come_s = bp_infer_front_serial_s(c, d), ahead = bp_engine_ahead(&c->in.engine);
    double now = 0, last = 0, before = 0;
    int steps;
    s->count = 0;
    s->taken = 0;
    for (steps = 0; s->count < MOST_GROUPS && s->taken < f->places && steps <= f->steps; steps++) {
        double until = now - fmin(ahead, 1) * last - fmax(0, ahead - 1) * before;
        double come = come_s > 0 ? fmax(0, until) / come_s + 1 : f->places;
        double whole = bp_flow_whole_held(f, bp_flow_prompts(f, s->taken));
        double group = fmin(whole, fmin(come, f->places) - s->taken);
        double plain_s = bp_flow_plain(c, f, s->taken, 0, context);
        if (!(group > 0) && come > s->taken) {
            break; /* the budget holds no more */
        }
        before = last;
        last = plain_s;
        if (group > 0) {
            last += fmin(1, group) *
                    fmax(0, bp_flow_with_prompts(c, d, f, fmax(1, group), 0, s->taken, context) -
                                plain_s);
            s->groups[s->count++] = group;
            s->taken += group;
        }
        now += last;
    }
}

/*
** Answers of one length of clients that start at once: the groups that began together, in steps of their own, begin
** together for ever. Answers per second of a round of all. Where that is no longer than the places fill, some begin in each
** step.
*/
static double one_by_one(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                         const struct bp_flow *f, double plain_s, double context) {
    struct start s;
    double adds_s = 0, added_s = 0, last, groups, left;
    int i;
    set_start(c, d, f, context, &s);
    last = s.count > 0 ? s.groups[s.count - 1] : 0;
    left = (f->places - s.taken) / last;
    groups = s.count + left;
    if (groups >= f->steps + 1) {
        double each = f->places / (f->steps + 1);
        return each / (plain_s + group_adds_s(c, d, f, each, plain_s, context));
    }
    for (i = 0; i < s.count; i++) {
        if (i == 0 || s.groups[i] != s.groups[i - 1]) {
            added_s = group_adds_s(c, d, f, s.groups[i], plain_s, context);
        }
        adds_s += added_s;
    }
    adds_s += left * added_s;
    return f->places / ((f->steps + 1) * plain_s + adds_s);
}

/* Answers of one length whose prompts wait for company, and fit a step: those that waited together begin and end together. */
static int in_company(const struct bp_infer_demand *d, const struct bp_flow *f) {
    return f->steps > 0 && f->wait > 0 && !(d->length_cv > 0) && f->places <= bp_flow_prompts(f, 0);
}

/* Rounds until what is answered and how places fill at that rate agree: each is closer by far (assumption). */
enum { FILL_ROUNDS = 12 };

/* Answers per second in so many groups, each of which waits before it begins; of a single one nobody does. */
static double in_groups(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                        const struct bp_flow *f, double groups, double plain_s, double context) {
    double each = f->places / groups, wait = groups > 1 ? f->wait : 0;
    double with_s = bp_flow_with_prompts(c, d, f, each, 0, f->places - each, context);
    return f->places / (groups * with_s + (f->steps + wait + 1 - groups) * plain_s);
}

/*
** Where an answer is over before the next prompts have waited nobody runs then, and all places fill at once. Else the
** first comes alone and those who come while it begins, and while they wait, are the next group, and so on until all
** places are taken: one after another, or by chance at the rate of what is answered.
*/
static struct bp_saturated company_of(const struct bp_infer_case *c,
                                      const struct bp_infer_demand *d, const struct bp_flow *f,
                                      double context) {
    struct bp_flow no_wait = *f;
    struct bp_saturated out = {0, f->places, f->places, f->places};
    double most = fmin(f->places, ceil(f->steps / (f->wait + 1))), come_s, alone_s, plain_s;
    int i;
    no_wait.wait = 0;
    plain_s = bp_flow_plain(c, &no_wait, f->places, 0, context);
    out.per_s = in_groups(c, d, f, 1, plain_s, context);
    if (!(most > 1)) {
        return out;
    }
    come_s = bp_infer_front_serial_s(c, d);
    alone_s = bp_flow_with_prompts(c, d, f, 1, 0, f->places - 1, context);
    if (d->concurrency > 0) {
        double more = (f->places - 1) * come_s / (alone_s + f->wait * plain_s);
        out.per_s = in_groups(c, d, f, fmin(most, 1 + fmax(1, more)), plain_s, context);
        return out;
    }
    for (i = 0; i < FILL_ROUNDS; i++) {
        double none_s = exp(-out.per_s * alone_s) / out.per_s;
        double come = out.per_s * (alone_s + none_s + f->wait * plain_s);
        out.per_s = in_groups(c, d, f, fmin(most, 1 + (f->places - 1) / come), plain_s, context);
    }
    return out;
}

static struct bp_saturated mixed_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                    const struct bp_flow *f, double context) {
    double each = begin_mixed(f), decoding = each * f->steps, held = bp_flow_prompts(f, decoding);
    struct cycle y = cycle_of(f, each, held);
    double gathered = each * y.steps / y.with;
    double share = f->steps > 0 ? share_with(f, each, gathered, held) : 1;
    double part;
    double company = is_short(f, each) ? 1 : fmin(1, gathered / held);
    /* Those that wait for company come together and leave one by one: half of them above the mean at first. */
    double most = fmax(1, is_short(f, each) ? decoding + 0.5 * f->wait * each : f->places);
    double plain_s = bp_flow_plain(c, f, most, each, context), step_s;
    struct bp_saturated out;
    part = share * y.with / y.steps;
    if (part < 1 && f->varied && !(d->length_cv > 0) && !is_short(f, each)) {
        double prompts = fmax(1, gathered / share), alike = share_alike(f, gathered, held);
        double with_s = bp_flow_whole(c, f, prompts, prompts * f->fresh, d->input - 0.5 * f->fresh,
                                      decoding, context);
        share = fmax(alike, fmin(share, share_come(c, plain_s, with_s, gathered)));
        part = share * y.with / y.steps;
        step_s = part * group_s(c, d, f, gathered / share, company, decoding, context);
    } else {
        step_s = part * bp_flow_with_prompts(c, d, f, gathered / share, company, decoding, context);
    }
    step_s += (1 - part) * plain_s;
    out.per_s = each / step_s;
    if (f->steps > 0 && !f->varied && !is_short(f, each)) {
        out.per_s = fmin(out.per_s, one_by_one(c, d, f, plain_s, context));
    }
    out.places = f->places;
    out.running = decoding + each * fmax(1, 1 / held);
    out.filled = is_short(f, each) ? out.running : f->places;
    return out;
}

/*
** Steps of prompts between two steps of decoding, of so many requests that ended in one or with their prompt: those whose
** prompts the first ones hold, and those behind them. What ends with its prompt makes
** room for more, of which some end with theirs, and so on.
*/
struct prompt_steps {
    double first, first_each; /* steps, and requests whose prompts one of them holds */
    double after, after_each;
};

/* Fewer requests than this are in no step. */
#define NO_REQUESTS 1e-3

static struct prompt_steps prompt_steps_of(const struct bp_flow *f, double ended, double held) {
    double again = f->one_token, open = fmin(held, ended * (1 - again)), more = open * again;
    double after = 0, full;
    struct prompt_steps p = {0, 0, 0, 0};
    full = (ended - more / (1 - again)) / held;
    p.first = fmax(full, bp_flow_steps_of_some(f, full * held * f->prompts, held));
    p.first_each = full * held / p.first;
    while (more > NO_REQUESTS) {
        p.after -= expm1(-more);
        after += more;
        more *= again;
    }
    p.after_each = p.after > 0 ? after / p.after : 0;
    return p;
}

static double steps_s(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                      const struct bp_flow *f, const struct prompt_steps *p, double company) {
    double first_s = p->first * bp_flow_with_prompts(c, d, f, p->first_each, company, 0, 0);
    return p->after > 0
               ? first_s + p->after * bp_flow_with_prompts(c, d, f, p->after_each, company, 0, 0)
               : first_s;
}

/* As many requests in so many steps. */
static struct prompt_steps in_steps(double requests, double steps) {
    struct prompt_steps p = {steps, requests / steps, 0, 0};
    return p;
}

/* A replica that fills with answers of one length. */
struct fill {
    double places, steps, held;
    int ahead;       /* an engine plans a step ahead, so that whoever comes first is alone */
    int by_chance;   /* requests come by chance, and not one after another */
    double decode_s; /* of a step of decoding with all places taken, when groups no longer change */
    double one_s,
        more_s; /* of a step with one prompt or the part it holds, and what each further one adds */
};

static struct fill fill_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                           const struct bp_flow *f, double held, double decode_s) {
    double some = fmin(held, fmax(2, 0.5 * f->places));
    struct fill l = {f->places,
                     fmax(1, f->steps),
                     held,
                     bp_engine_ahead(&c->in.engine) >= 1,
                     d->concurrency <= 0,
                     0,
                     0,
                     0};
    l.decode_s = decode_s;
    l.one_s = bp_flow_with_prompts(c, d, f, fmin(1, held), 1, 0, 0);
    if (some > 1) {
        l.more_s = (bp_flow_with_prompts(c, d, f, some, 1, 0, 0) - l.one_s) / (some - 1);
    }
    return l;
}

static double prompts_s_of(const struct fill *l, double prompts) {
    return l->one_s + l->more_s * (fmax(1, prompts) - 1);
}

/* Chance that none come in so long. */
static double none_come(const struct fill *l, double rate, double seconds) {
    return l->by_chance ? exp(-rate * seconds) : fmax(0, 1 - rate * seconds);
}

/*
** Chance that a step with prompts leaves some to the next, since it does not hold all that wait: that more are there than
** so many servers have, of exponential times (Erlang), where times alike have it within 0.08 (a Markov chain of the
** requests in steps that hold 1 to 8, up to 0.95 of what they can). What further prompts add to a step is left out, so that
** a device which computes only these faster has no more groups.
*/
static double left_waiting(const struct fill *l, double rate) {
    double busy = fmin(1, rate * l->one_s / l->held);
    return busy < 1 ? busy * bp_erlang_c(l->held, busy * l->held) : 1;
}

/*
** Groups that begin together until all places are taken. A step has prompts where some came during the one before, or of
** an engine that plans ahead during the one before that: share = after one of decoding / (that + none after one with
** prompts). A group ends where a step with prompts is followed by one without.
*/
static double groups_filled(const struct fill *l, double rate) {
    double with_s = prompts_s_of(l, fmin(l->held, rate * l->one_s)), left = left_waiting(l, rate);
    double some = 1 - none_come(l, rate, l->decode_s);
    double none = (1 - left) * none_come(l, rate, with_s);
    double share = some / (some + none), step_s = share * with_s + (1 - share) * l->decode_s;
    double ends = share * (l->ahead ? (1 - left) * (1 - share) : none);
    double groups = (l->ahead && l->places > 1 ? 2 : 1) + l->places / rate / step_s * ends;
    return fmin(groups, fmin(l->places, l->steps));
}

/* Answers of one length begin in so many groups, whose prompts take so many steps. */
struct groups {
    double count, steps;
};

/*
** Steps of prompts of so many groups, each as many as hold it. Whoever comes first to an engine that plans ahead has a step
** of its own, which others do not fill, unless all are one group.
*/
static double steps_filled(const struct fill *l, double groups) {
    double alone = l->ahead && l->held > 1 ? fmin(1, groups - 1) : 0;
    double rest = (l->places - alone) / l->held, others = fmax(1, groups - alone);
    return alone + fmax(others, fmax(ceil(rest), rest + 0.5 * (others - 1)));
}

/*
** Groups of answers that all have one length: those whose prompts no step of decoding parts end together
** for ever, and as others wait the next ones begin together. How many groups there are is settled while the places fill:
** with clients that come one after another, or by chance at the least rate that is not more than they answer.
*/
static struct groups groups_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                               const struct bp_flow *f, double held, double decode_s) {
    struct fill l = fill_of(c, d, f, held, decode_s);
    double come_s = bp_infer_front_serial_s(c, d);
    struct groups g = {l.steps, 0};
    int i;
    if (!l.by_chance) {
        g.count = come_s > 0 ? groups_filled(&l, 1 / come_s) : 1;
        g.steps = steps_filled(&l, g.count);
        return g;
    }
    for (i = 0; i < FILL_ROUNDS; i++) {
        g.steps = steps_filled(&l, g.count);
        g.count = groups_filled(
            &l, l.places / (f->steps * decode_s + g.steps * prompts_s_of(&l, l.places / g.steps)));
    }
    return g;
}

/*
** Prompts before answers: what ends in a step of decoding is replaced before the next one. Of answers of one length
** there are fewer groups than steps.
*/
static struct bp_saturated apart_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                    const struct bp_flow *f, double context) {
    double decoding = f->places * f->steps / (f->steps + 0.5 * f->wait),
           held = bp_flow_prompts(f, 0);
    double ended = f->steps > 0 ? decoding / f->steps : fmin(f->places, held);
    double gathered = f->steps > 0 ? ended * (f->wait + 1) : ended, company = fmin(1, gathered);
    double step_s = bp_flow_plain(c, f, f->places, ended, context);
    double decode_s = f->steps > 0 ? (f->wait + 1) * step_s : 0, prompts_s;
    int alike = !f->varied || !(d->length_cv > 0);
    struct bp_saturated out;
    if (f->steps > 0 && alike) {
        double steps = gathered / decoding * groups_of(c, d, f, held, step_s).steps;
        prompts_s = steps * group_s(c, d, f, gathered / steps, 1, 0, 0);
    } else {
        struct prompt_steps p =
            f->steps > 0 ? prompt_steps_of(f, gathered, held) : in_steps(gathered, 1);
        prompts_s = steps_s(c, d, f, &p, company);
    }
    out.running = out.filled = f->steps > 0 ? f->places : ended;
    out.places = f->places;
    out.per_s = gathered / (prompts_s + decode_s);
    return out;
}

static struct bp_saturated with_room(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                     const struct bp_flow_room *room) {
    struct bp_flow f = bp_flow_of(c, d, room);
    double context = d->input + BP_FLOW_SAID * bp_infer_met_output(d);
    if (f.rows > 0) {
        return in_company(d, &f) ? company_of(c, d, &f, context) : mixed_of(c, d, &f, context);
    }
    return apart_of(c, d, &f, context);
}

static struct bp_saturated better(struct bp_saturated a, struct bp_saturated b) {
    return b.per_s > a.per_s ? b : a;
}

/* So many places never lack memory where each group has room for one more. */
static int lacks_pool(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                      double places) {
    return d->pool_tokens < bp_flow_pool_for(c, d, places + (double)c->in.plan.dp);
}

/*
** With so many places, in a pool that they just fill or never do. Where they outgrow it, they bring no more than in one that
** they do not.
*/
static struct bp_saturated node(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                double places, int crowded) {
    int lacks = crowded || lacks_pool(c, d, places);
    struct bp_flow_room room = {places, lacks ? places * bp_infer_held(c, d) : INFINITY, crowded};
    struct bp_flow_room ample = {places, INFINITY, 0};
    struct bp_saturated out = with_room(c, d, &room);
    if (lacks && !crowded) {
        out.per_s = fmin(out.per_s, with_room(c, d, &ample).per_s);
    }
    return out;
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
    double graphs = bp_flow_graph_places(c);
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
    double graphs = bp_flow_graph_places(c), least = above ? graphs * JUST_ABOVE : 0;
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
    double graphs = bp_flow_graph_places(c), most = (double)(e->max_running * c->in.plan.dp);
    int above = !lacks_pool(c, d, graphs);
    if (bp_flow_let_in(d, e->reserve_output ? bp_flow_whole_room(d) : bp_flow_prompt_room(d)) <
        SOME_AT_ONCE) {
        return out;
    }
    if (!above) {
        most = fmin(most, graphs);
    }
    crowded = crowded_to(c, d, fmin(places, most), above);
    if (crowded.per_s <= out.per_s) {
        return out;
    }
    roomy.pool_tokens = bp_flow_pool_for(c, d, most + (double)c->in.plan.dp);
    crowded.per_s = fmin(crowded.per_s, up_to(c, &roomy, most).per_s);
    crowded.places = places;
    return better(out, crowded);
}

/* With all of so many places taken. */
static struct bp_saturated all_taken(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                     double places) {
    struct bp_flow_room all = {places, lacks_pool(c, d, places) ? d->pool_tokens : INFINITY, 0};
    return with_room(c, d, &all);
}

double bp_saturated_taken(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                          double places) {
    return all_taken(c, d, places).per_s;
}

struct bp_saturated bp_saturated_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                    double places) {
    double front_s = bp_infer_front_serial_s(c, d);
    struct bp_saturated out = up_to(c, d, places), here = all_taken(c, d, places);
    out = lacks_pool(c, d, places) ? or_crowded(c, d, places, out) : better(out, here);
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

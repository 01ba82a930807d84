#include "kernel/serve/pace.h"

#include "kernel/serve/infer_step.h"
#include "kernel/serve/queue.h"

#include <math.h>

/* Rounds until the prompts of a step and what it takes agree: a straight line is followed, without a step's time. */
enum { ROUNDS = 40 };

/* Nearer to each other than this, two rounds agree. */
#define AGREED 1e-6

/* Nearer to all of the time prompts would queue up for ever. */
#define BUSIEST 0.999

/* Clients' second number of prompts that a step is timed with: so many times what it holds in the mean (assumption). */
#define BEYOND 1.5

/* Steps with prompts and without, of so many that run. */
struct mix {
    struct bp_flow flow;
    double context;
    double steps;                   /* of decoding that an answer takes, 1 at least */
    double held;                    /* prompts that a step holds */
    double own;                     /* of them those of one attention group */
    double least;                   /* how much of one is in a step with prompts */
    double first_s;                 /* time of a step with `least` prompts */
    double alone_s;                 /* of one with as much of a single prompt */
    double full_s;                  /* of a full one, where that is as many */
    double from, from_s;            /* prompts of a step, and its time */
    double more;                    /* what each prompt beyond those adds */
    double plain_s, with_s, mean_s; /* of a step without prompts, with them, of all */
    double begun, together; /* prompts that begin in a step in the mean, and in one with prompts */
    double share;           /* of the steps, those with prompts */
    double rate;            /* prompts per second */
    double waits;           /* steps that one waits for company */
    int mixed;              /* prompts share steps with answers */
    int turns;              /* they take turns with them, one step each */
    int ahead;              /* the next step is planned while one runs */
    double split;           /* of a step: its end is left to the look after the next */
};

double bp_pace_together(const struct bp_infer_case *c, const struct bp_infer_demand *d) {
    double budget = (double)c->in.engine.token_budget * bp_infer_batches(c);
    return fmax(1, floor(budget / bp_infer_fresh(d)));
}

/*
** Chance that a request finds others running, if in the mean k run while it does, itself among them: of clients those
** that do not think, else Poisson.
*/
static double met_of(const struct bp_infer_demand *d, double k) {
    return d->concurrency > 0 ? fmin(1, k - 1) : -expm1(1 - k);
}

/* The fuller a step, the more likely are others behind it. */
static double with_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                      const struct mix *m, double prompts, double k) {
    return bp_flow_with_prompts(c, d, &m->flow, prompts, prompts / m->held, m->mixed ? k : 0,
                                m->context);
}

/* Prompts of others that begin in a step of decoding: in a closed loop one for every answer that ends. */
static double replaced(const struct mix *m, double k) {
    return (k - 1) / (m->steps + m->mixed);
}

/* A step that holds no more than one prompt is full with it: others wait for so much of the time as theirs take. */
static double behind_one(const struct bp_infer_demand *d, const struct mix *m, double k) {
    double steps = replaced(m, k) / m->held;
    if (d->concurrency <= 0) {
        return fmin(1, d->rate_per_s * m->full_s / m->held);
    }
    return fmin(1, m->mixed ? steps : steps / (1 + steps));
}

/* A step with the fewest prompts: one alone, or where it fills the step others behind it. */
static void set_first(const struct bp_infer_case *c, const struct bp_infer_demand *d, struct mix *m,
                      double k) {
    m->first_s = bp_flow_with_one(c, d, &m->flow, m->least, m->mixed ? k : 0, m->context);
    m->alone_s = m->first_s;
    m->full_s = 0;
    if (m->held <= m->least) {
        m->full_s = with_of(c, d, m, m->held, k);
        m->first_s += behind_one(d, m, k) * (m->full_s - m->first_s);
    }
}

/*
** Of the steps those that have prompts at least: all would be full, or any group has one, where each takes several steps of
** its own group.
*/
static double least_share(const struct mix *m) {
    double full = m->begun / m->held, groups = m->flow.groups;
    return groups > 1 && m->own < 1 ? -expm1(groups * log1p(-fmin(full, 1 - 1e-9))) : full;
}

static void set_share(struct mix *m, double share) {
    m->share = fmin(1, fmax(share, least_share(m)));
    m->mean_s = (1 - m->share) * m->plain_s + m->share * m->with_s;
}

static double line(const struct mix *m, double prompts) {
    return m->from_s + m->more * (prompts - m->from);
}

/*
** A closed loop: a prompt comes for every answer that ends, as many in each step of decoding whatever it takes (Poisson).
** Where prompts run by themselves, there may be several steps of them for one of decoding.
*/
static void set_closed(struct mix *m, double k) {
    double each = replaced(m, k);
    double steps = fmax(-expm1(-each), each / m->held);
    m->together = steps > 0 ? fmin(m->held, fmax(m->least, each / steps)) : m->least;
    m->with_s = line(m, m->together);
    m->begun = m->mixed ? each : each / (1 + steps);
    set_share(m, m->mixed ? steps : steps / (1 + steps));
    m->rate = m->begun / m->mean_s;
}

/* A straight line through the times of two steps. */
static void set_line(struct mix *m, double from, double from_s, double to, double to_s) {
    m->from = from;
    m->from_s = from_s;
    m->more = to > from ? fmax(0, to_s - from_s) / (to - from) : 0;
}

/* Halvings of the search for a share: finer than the formulas are (assumption). */
enum { SHARE_HALVINGS = 24 };

/* Chance that prompts come during a part of one step and of another: that the step planned then has some. */
static double some_come(const struct mix *m, double one_s, double other_s) {
    return -expm1(-m->rate * ((1 - m->split) * one_s + m->split * other_s));
}

/*
** Share of steps with prompts, where an engine plans a step once the one before it is over: a chain of pairs of steps, in
** closed form.
*/
static double share_chained(const struct mix *m) {
    double with = some_come(m, m->with_s, m->with_s), plain = some_come(m, m->plain_s, m->plain_s);
    double both = some_come(m, m->with_s, m->plain_s) / fmax(1e-12, 1 - with);
    double none = (1 - some_come(m, m->plain_s, m->with_s)) / fmax(1e-12, plain);
    return (1 + both) / (2 + both + none);
}

/*
** The same where it plans a step ahead. What it finds came during parts of two steps, each of which may have had prompts.
** A step with prompts takes longer, so that more come during it.
*/
static double share_open(const struct mix *m) {
    double plain = some_come(m, m->plain_s, m->plain_s), with = some_come(m, m->with_s, m->with_s);
    double mixed = some_come(m, m->with_s, m->plain_s) + some_come(m, m->plain_s, m->with_s);
    double low = 0, high = 1;
    int i;
    for (i = 0; i < SHARE_HALVINGS; i++) {
        double x = 0.5 * (low + high), y = 1 - x;
        if (x * x * with + x * y * mixed + y * y * plain > x) {
            low = x;
        } else {
            high = x;
        }
    }
    return high;
}

/*
** Prompts that come by chance, until those of a step and its time agree. Where they wait for company, those that come
** meanwhile join the first.
*/
static void set_open(struct mix *m) {
    double before = 0;
    int i;
    m->together = m->from;
    for (i = 0; i < ROUNDS && fabs(m->together - before) > AGREED * before; i++) {
        before = m->together;
        m->with_s = line(m, m->together);
        set_share(m, m->ahead ? share_open(m) : share_chained(m));
        m->begun = m->rate * m->mean_s;
        set_share(m, fmin(m->share, m->begun / (m->waits > 0 ? 1 + m->rate * m->waits * m->plain_s
                                                             : m->begun)));
        m->begun = m->rate * m->mean_s;
        m->together = fmin(m->held, fmax(m->least, m->begun / m->share));
    }
}

/*
** Steps are timed with ever twice as many prompts, until no more come than the larger of two holds: they lie on the line
** between both, and others about as many on the line from the fewest to them.
*/
static void set_timed(const struct bp_infer_case *c, const struct bp_infer_demand *d, struct mix *m,
                      double k, void (*set)(struct mix *)) {
    double to = m->least, to_s = m->first_s;
    do {
        double from = to, from_s = to_s;
        to = fmin(m->held, 2 * from);
        to_s = to > from ? fmax(from_s, with_of(c, d, m, to, k)) : from_s;
        set_line(m, from, from_s, to, to_s);
        set(m);
    } while (m->together > to && to < m->held);
    if (m->together > m->least) {
        set_line(m, m->least, m->first_s, m->together, m->with_s);
    }
}

/*
** Answers of one step that all end with it: then the engine idles and looks at all that have come. Where it plans a step
** ahead, it has seen none of those when it plans the one after their prompts: steps with prompts and without take turns.
*/
static int may_take_turns(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                          const struct mix *m) {
    return !m->mixed && m->flow.steps <= 1 && !(d->length_cv > 0) && m->held >= 1 &&
           bp_engine_ahead(&c->in.engine) >= 1;
}

/* Prompts that come during both steps of a turn. */
static double come_in_turns(const struct mix *m, double with_s) {
    return m->rate * (m->plain_s + with_s);
}

/* They begin in the next turn, or if there are none the first that comes afterwards. */
static double begin_turn(const struct mix *m, double with_s) {
    double come = come_in_turns(m, with_s);
    return come + exp(-come);
}

/* Of the time, what turns take: the rest is until one comes. */
static double taking_turns(const struct mix *m) {
    double come = come_in_turns(m, m->with_s);
    return come / begin_turn(m, m->with_s);
}

static void set_turns(struct mix *m) {
    double low = m->from, high = m->held;
    int i;
    for (i = 0; i < ROUNDS && high - low > AGREED * high; i++) {
        double half = 0.5 * (low + high);
        if (begin_turn(m, line(m, half)) > half) {
            low = half;
        } else {
            high = half;
        }
    }
    m->turns = 1;
    m->together = high;
    m->with_s = line(m, high);
    m->begun = 0.5 * m->together;
    set_share(m, 0.5);
}

/* Halvings of the search for the prompts that a budget keeps for answers: finer than the formulas are (assumption). */
enum { BALANCE_HALVINGS = 30 };

/*
** Prompts that a step holds with so many answers under way, and no fewer than begin where the budget alone decides how many
** run: answers that end make room for prompts, and there are never so many that none gets in.
*/
static double held_of(const struct bp_flow *f, double decoding) {
    double held = bp_flow_prompts(f, decoding), low = 0, high = decoding;
    int i;
    for (i = 0; held < decoding / f->steps && i < BALANCE_HALVINGS; i++) {
        double half = 0.5 * (low + high), begin = half / f->steps;
        if (bp_flow_prompts(f, half) >= begin) {
            low = half;
        } else {
            high = half;
        }
    }
    return fmax(held, low / f->steps);
}

static struct mix mix_of(const struct bp_infer_case *c, const struct bp_infer_demand *d, double k) {
    struct bp_flow_room room = {k, INFINITY, 0};
    struct mix m;
    /* The request's own answer, and those of others, which are long ones more often. */
    double answer = (d->output + (k - 1) * bp_infer_met_output(d)) / k;
    struct bp_infer_batch plain = {0, 0, 0, k, 0, 0};
    m.mixed = c->in.engine.policy == BP_POLICY_MIXED;
    m.flow = bp_flow_of(c, d, &room);
    m.context = plain.context = d->input + BP_FLOW_SAID * answer;
    m.steps = fmax(1, m.flow.steps);
    m.held = fmax(1e-9, m.mixed ? held_of(&m.flow, k) : bp_flow_prompts(&m.flow, 0));
    m.own = m.held / m.flow.groups;
    m.least = fmin(1, m.own);
    m.plain_s = bp_infer_time(c, &plain);
    set_first(c, d, &m, k);
    m.rate = d->rate_per_s;
    m.begun = 0;
    m.turns = 0;
    m.ahead = bp_engine_ahead(&c->in.engine) >= 1;
    m.split = fmod(bp_engine_ahead(&c->in.engine), 1);
    m.waits = d->concurrency > 0 || k <= 1 ? 0 : m.flow.wait;
    if (d->concurrency > 0) {
        double next = fmin(m.held, fmax(2, 1 + BEYOND * k / (m.steps + m.mixed)));
        set_line(&m, m.least, m.first_s, next, next > m.least ? with_of(c, d, &m, next, k) : 0);
        set_closed(&m, k);
    } else {
        set_timed(c, d, &m, k, set_open);
    }
    return m;
}

/* Steps with prompts that an answer meets beyond their share of all steps, and how soon they come. */
struct late {
    double steps, first;
};

/*
** While the own prompt is computed others come, whose prompts are computed while the answer is said. Where a step holds
** many they are in one step, during which again others come: the excess of a chain of steps with and without, per step, or
** where prompts run by themselves per step of decoding. Where prompts need several steps it is the queue that one leaves
** behind (M/G/1).
*/
static struct late late_of(const struct mix *m, double load, double queue) {
    double again = exp(-m->rate * m->plain_s) - exp(-m->rate * m->with_s);
    double left = load + queue;
    double excess = again / fmax(1e-9, 1 - again);
    double part = fmax(1e-9, 1 - m->share);
    struct late l = {(m->mixed ? excess * part : excess / part) + queue / m->held / (1 - load), 1};
    if (m->own < 1) {
        l.steps = left / m->own / (1 - load);
    }
    if (m->mixed) {
        l.first = fmax(1, l.steps);
    }
    return l;
}

/* Of a step with prompts what they take: all of it, where they run by themselves. */
static double prompts_part(const struct mix *m) {
    return m->mixed ? fmax(0, m->with_s - m->plain_s) : m->with_s;
}

/* A step with all the prompts that come during one with prompts: none of an answer takes longer in the mean. */
static double longest_of(const struct mix *m) {
    return line(m, fmin(m->held, fmax(m->together, m->rate * m->with_s)));
}

/*
** Of an answer of n steps l->steps (1 - exp(-n / first)) are late; of exponential lengths the mean of that, and of its share
** of the steps, has a closed form. Between both by the square of the deviation over mean.
*/
static void set_answer(struct bp_pace *p, const struct bp_infer_case *c,
                       const struct bp_infer_demand *d, const struct mix *m, struct late l) {
    double n = m->steps, varied = fmin(1, d->length_cv * d->length_cv);
    double each_s = m->mixed   ? m->mean_s
                    : m->turns ? m->plain_s
                               : m->mean_s / fmax(1e-9, 1 - m->share);
    double prompt_s = prompts_part(m);
    double alike = -expm1(-n / l.first);
    double late = (1 - varied) * alike + varied * n / (n + l.first);
    double late_each = ((1 - varied) * alike + varied * log1p(n / l.first)) / n;
    double most_s = m->mixed ? longest_of(m) : INFINITY;
    p->answer_s = fmin(n * each_s + late * l.steps * prompt_s, n * most_s);
    p->tpot_s = fmin(each_s + late_each * l.steps * prompt_s, most_s) / c->advance;
}

/*
** Variance of the prompts' work in a step that has some, in prompts: that of the lengths, and of the number, which is a
** Poisson one that is not 0. A full step holds what it holds.
*/
static double spread_of(const struct mix *m) {
    double mean = m->together;
    if (!(mean > 1)) {
        return m->held > 1 ? mean * m->flow.spread2 : 0;
    }
    return mean * m->flow.spread2 + mean * fmax(0, 1 + bp_poisson_of_some(mean) - mean);
}

/*
** Share of the time that prompts would need by themselves. Where requests come by chance it is no more than the replica's
** share of what it can answer: at all of that prompts or places are used up, whichever are first.
*/
static double load_of(const struct bp_infer_demand *d, const struct mix *m, double k, double each_s,
                      double capacity_per_s) {
    double load = m->rate * each_s;
    return d->concurrency > 0 ? fmin(1 - 1 / (k + 1), load)
                              : fmin(fmin(BUSIEST, load), m->rate / capacity_per_s);
}

/*
** A step that is planned when a request comes: of those that take turns the one of the answers, if it comes during one with
** prompts, and none during that.
*/
static double planned_of(const struct mix *m) {
    return m->turns ? m->share * m->with_s * m->plain_s / m->mean_s : fmax(m->plain_s, m->mean_s);
}

/* A step with all the prompts that it holds. */
static double full_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                      const struct mix *m, double k) {
    if (m->held <= m->least) {
        return m->full_s;
    }
    return d->concurrency > 0 ? line(m, m->held) : fmax(m->with_s, with_of(c, d, m, m->held, k));
}

static struct bp_pace pace_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                              double k, double capacity_per_s, const struct mix *m) {
    struct bp_pace p;
    double full_s = full_of(c, d, m, k), each_s = full_s / m->held, pieces = fmax(1, 1 / m->own);
    double load = load_of(d, m, k, each_s, capacity_per_s);
    double queue = 0.5 * (1 + m->flow.spread2) * load / (1 - load);
    double queue_s = queue * (m->own < 1 ? full_s / m->own : each_s); /* that of its group */
    double others, square;
    struct late none = {0, 1};
    p.step_s = m->plain_s;
    p.planned_s = planned_of(m);
    p.met = m->turns ? taking_turns(m) : met_of(d, k);
    p.share = fmin(1, m->share * prompts_part(m) / m->mean_s);
    set_answer(&p, c, d, m, d->concurrency > 0 || m->turns ? none : late_of(m, load, queue * load));
    /* Longer steps are met more often: half of the mean square over the mean. */
    square = (1 - m->share) * m->plain_s * m->plain_s +
             m->share * (m->with_s * m->with_s + m->more * m->more * spread_of(m));
    p.rest_s = fmax(0.5 * m->plain_s, 0.5 * square / m->mean_s);
    /* Those that come in the same step are computed together, of clients no more than there are. */
    others = 2 * m->rate * p.rest_s * p.met;
    if (d->concurrency > 0) {
        others = fmin(others, k - 1);
    }
    /* Others that share its stages take none of its own time away. */
    p.own_s = pieces * fmax(m->alone_s, fmin(m->first_s + m->more * others, full_s));
    if (d->concurrency > 0) {
        queue_s = fmin(queue_s, 0.5 * (k - 1) * each_s);
    }
    /* Where a step holds several, only what it does not hold waits for another one. */
    p.rest_s += m->own < 1 ? fmax(0, queue_s - 0.5 * load * m->with_s)
                           : queue_s * load * m->together / m->held;
    p.rest_s += m->waits * m->plain_s;
    return p;
}

/*
** Share of the requests that see steps with prompts follow each other: those who come during a turn with more others than
** a step holds beside them (Poisson), and those who come during such a step.
*/
static double out_of_turn(const struct mix *m) {
    double come = come_in_turns(m, m->with_s);
    double over = taking_turns(m) * (1 - bp_fewer_than(floor(m->held), come));
    double during = m->rate * m->with_s;
    return over * (1 + during) / (1 + over * during);
}

static double raised(double low, double other, double share) {
    return low + share * fmax(0, other - low);
}

/* What all see, and so much of all something longer. */
static struct bp_pace lengthened(const struct bp_pace *all, const struct bp_pace *some,
                                 double share) {
    struct bp_pace p = *all;
    p.met = raised(all->met, some->met, share);
    p.planned_s = raised(all->planned_s, some->planned_s, share);
    p.rest_s = raised(all->rest_s, some->rest_s, share);
    p.own_s = raised(all->own_s, some->own_s, share);
    p.answer_s = raised(all->answer_s, some->answer_s, share);
    p.tpot_s = raised(all->tpot_s, some->tpot_s, share);
    p.share = raised(all->share, some->share, share);
    return p;
}

struct bp_pace bp_pace_of(const struct bp_infer_case *c, const struct bp_infer_demand *d, double k,
                          double capacity_per_s) {
    struct mix m = mix_of(c, d, k);
    struct bp_pace by_chance = pace_of(c, d, k, capacity_per_s, &m), in_turns;
    if (d->concurrency > 0 || !may_take_turns(c, d, &m)) {
        return by_chance;
    }
    set_timed(c, d, &m, k, set_turns);
    in_turns = pace_of(c, d, k, capacity_per_s, &m);
    return lengthened(&in_turns, &by_chance, out_of_turn(&m));
}

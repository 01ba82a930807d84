/*
** The configuration search: every plan of a space is checked, sized, timed and judged, the best are
** kept and every rejection is counted.
**
** A run works on a range of indices and adds to what it is given, so that a caller can cut a space
** into blocks (to be interrupted), threads or shards and get the same answer.
*/
#ifndef BP_SEARCH_SEARCH_H
#define BP_SEARCH_SEARCH_H

#include "found.h"
#include "memo.h"
#include "objective.h"
#include "space.h"

/* One plan on its way through the search. */
struct bp_candidate {
    uint64_t index;
    struct bp_plan plan; /* resolved */
    struct bp_train_memory memory;
    struct bp_train_time time;
    struct bp_worth worth;
    int scored;   /* a rule gave a score: it replaces the objective, higher is better */
    double score; /* value of the objective, or that score */
    double rank;  /* the score, turned so that lower is better */
    size_t rule;  /* of a rejection by rule: which one */
};

/*
** Rules: called with a feasible candidate. BP_JUDGE_REJECT sets candidate->rule, a price goes
** through bp_candidate_price, a score sets scored and score; BP_JUDGE_STOP ends the search.
*/
enum bp_judgement { BP_JUDGE_KEEP, BP_JUDGE_REJECT, BP_JUDGE_STOP };
typedef enum bp_judgement bp_judge_fn(void *data, struct bp_candidate *candidate);

struct bp_search {
    struct bp_train_case site; /* all but the plan; everything resolved, params counted */
    const struct bp_space *space;
    enum bp_objective objectives[BP_FRONT_OBJECTIVES];
    size_t objectives_count; /* 0 or 1: the best by the first; more: their Pareto front as well */
    const struct bp_plan *launched; /* runs as it is, see bp_launch_check; may be NULL */
    struct bp_terms terms;
    double reserve; /* share of memory that an estimate must leave free, see bp_search_reserve */
    const struct bp_field *differ[BP_SPACE_DIMS]; /* plans that are kept differ in one of these */
    size_t differ_count;
    double threshold; /* plans whose rank is sure to be above need no look; INFINITY: look at all */
    bp_judge_fn *judge; /* may be NULL */
    void *judge_data;
};

/* Fills in what makes the plainest search: the shortest step, no price, no rules, all plans. */
void bp_search_init(struct bp_search *search);

/*
** Adds the plans at positions begin <= position < end of the walk through the space to found. memo
** was set up for that walk and may serve many runs; NULL: every plan is estimated from nothing.
** Returns BP_OK, or what a kernel failed with (field and text in err), or -1 when the judge said stop;
** found is then incomplete.
*/
int bp_search_run(const struct bp_search *search, struct bp_memo *memo, uint64_t begin,
                  uint64_t end, struct bp_found *found, struct bp_error *err);

/*
** Share of memory that an estimate must leave free to fit with the given chance, from the spread of
** the memory model: ln(measured / estimated) is normal. 0 at half a chance, negative below.
*/
double bp_search_reserve(const struct bp_profile *profile, double chance);

/* Estimates above this many bytes do not fit. */
int64_t bp_search_limit(const struct bp_search *search);

/*
** Fills in the derived fields of the plan and checks its structure: BP_REJECT_NONE, or the first check
** that fails; err (may be NULL) explains it.
*/
enum bp_reject bp_search_check(const struct bp_search *search, struct bp_plan *plan,
                               struct bp_error *err);

/*
** Takes candidate->plan (derived fields may be open) through the search: structure, memory, time,
** objective. *reason is BP_REJECT_NONE for a feasible plan, which is not judged by rules yet; err
** (may be NULL) explains a structural reason. Returns BP_OK or what a kernel failed with.
*/
int bp_search_weigh(const struct bp_search *search, struct bp_candidate *candidate,
                    enum bp_reject *reason, struct bp_error *err);

/* Judges a feasible candidate: BP_REJECT_NONE or BP_REJECT_RULE in *reason; -1 to stop. */
int bp_search_judge(const struct bp_search *search, struct bp_candidate *candidate,
                    enum bp_reject *reason);

/* Prices the candidate anew. */
void bp_candidate_price(const struct bp_search *search, struct bp_candidate *candidate,
                        double usd_h);

/* Adds a candidate that was judged and kept. */
void bp_search_keep(const struct bp_search *search, const struct bp_candidate *candidate,
                    struct bp_found *found);

/* No plan of this case whose step takes step_s or longer has a lower rank; -INFINITY: not known. */
double bp_search_floor(const struct bp_search *search, double step_s);

#endif

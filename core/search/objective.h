/* What plans are judged by, and what follows from an estimate, a price and a deadline. */
#ifndef BP_SEARCH_OBJECTIVE_H
#define BP_SEARCH_OBJECTIVE_H

#include "kernel/train/train_step.h"

#define BP_OBJECTIVE(E)                                                                            \
    E(BP_OBJECTIVE_STEP_S, "step_s")                                                               \
    E(BP_OBJECTIVE_TOKENS_PER_S, "tokens_per_s")                                                   \
    E(BP_OBJECTIVE_MFU_FRAC, "mfu_frac")                                                           \
    E(BP_OBJECTIVE_STEP_USD, "step_usd")                                                           \
    E(BP_OBJECTIVE_TOK_USD, "tok_usd")                                                             \
    E(BP_OBJECTIVE_STEP_J, "step_j")                                                               \
    E(BP_OBJECTIVE_DEVICES, "devices")                                                             \
    E(BP_OBJECTIVE_HEADROOM_BYTES, "headroom_bytes")                                               \
    E(BP_OBJECTIVE_FIT_PROBABILITY, "fit_probability")                                             \
    E(BP_OBJECTIVE_DEADLINE_PROBABILITY, "deadline_probability")
BP_DECLARE_ENUM(bp_objective, BP_OBJECTIVE);

/* What follows from an estimate. */
#define BP_WORTH_FIELDS(F, S)                                                                      \
    F(S, NUM, usd_h, , "USD/h", 0, 0, BP_ANY, "price of one device for an hour; 0 = not known")    \
    F(S, NUM, step_usd, , "USD", 0, 0, BP_ANY, "price of one step, all devices")                   \
    F(S, NUM, tok_usd, , "USD/tok", 0, 0, BP_ANY, "price of one token")                            \
    F(S, NUM, step_j, , "J", 0, 0, BP_ANY,                                                         \
      "energy of one step: board power of all devices, times PUE")                                 \
    F(S, INT, headroom_bytes, , "B", 0, 0, BP_ANY, "memory of the device that stays free")         \
    F(S, INT, nodes, , "", 0, 0, BP_ANY, "nodes the devices fill")                                 \
    F(S, NUM, deadline_probability, , "frac", 0, 0, 1,                                             \
      "chance that it fits and the run meets the deadline; 0 without one")                         \
    F(S, FLAG, uneven_stages, , "", 0, 0, 1, "stages whose layers have to be cut by hand")         \
    F(S, FLAG, odd_interleaving, , "", 0, 0, 1,                                                    \
      "interleaved stages of micro-batches that are no multiple of pp")                            \
    F(S, FLAG, deep_pipeline, , "", 0, 0, 1, "more stages than nearly all published runs have")    \
    F(S, FLAG, wide_tensors, , "", 0, 0, 1,                                                        \
      "tensor parallelism across the network between domains")                                     \
    F(S, FLAG, short_context, , "", 0, 0, 1,                                                       \
      "context parallelism of shorter sequences than published runs cut")                          \
    F(S, FLAG, rare_pipeline, , "", 0, 0, 1,                                                       \
      "a pipeline of software, or with ZeRO, that no published run has")                           \
    F(S, FLAG, rare_sharding, , "", 0, 0, 1, "a ZeRO stage that no published run of it has")       \
    F(S, NUM, handicap, , "frac", 0, 0, 1,                                                         \
      "share by which it has to be better than a plain plan to stand before it")
BP_DECLARE_STRUCT(bp_worth, BP_WORTH_FIELDS);

/* What worth is reckoned with; 0 = not known, no deadline. */
struct bp_terms {
    double usd_h;        /* of one device */
    double pue;          /* power of the data centre over that of the devices */
    double deadline_s;   /* for the whole run of job.tokens */
    double goodput_frac; /* share of that time which makes progress */
    double time_spread;  /* standard deviation of ln(measured / estimated) step time */
};

/* Worth of an estimate, priced at usd_h. */
struct bp_worth bp_worth_of(const struct bp_train_case *site, const struct bp_terms *terms,
                            const struct bp_train_memory *memory, const struct bp_train_time *time,
                            double usd_h);

/* The figure people see. */
double bp_objective_value(enum bp_objective objective, const struct bp_train_case *site,
                          const struct bp_train_memory *memory, const struct bp_train_time *time,
                          const struct bp_worth *worth);

/* The same so that less is better. */
double bp_objective_rank(enum bp_objective objective, double value);

/* Whether, on one site and at one price, a plan with a shorter step is never worse. */
int bp_objective_follows_time(enum bp_objective objective);

#endif

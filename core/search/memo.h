/*
** Parts of estimates that are kept while a search walks through a space, so that each is made once
** for all plans that share it. One memo belongs to one thread; its size does not depend on the space.
*/
#ifndef BP_SEARCH_MEMO_H
#define BP_SEARCH_MEMO_H

#include "kernel/train_parts.h"
#include "walk.h"

enum { BP_MEMO_BYTES = 19 << 18 };

struct bp_memo_term {
    size_t place; /* of the walk's dimensions */
    uint64_t weight;
};

/* The parts of one kind. What a part depends on, as a number, says where it is. */
struct bp_memo_table {
    char *entries; /* a key plus one, then the part; key 0: empty */
    size_t size, slots;
    size_t slow, count; /* terms: those of checked dimensions come first */
    struct bp_memo_term terms[BP_SPACE_DIMS];
    uint64_t base; /* of the key, from the slow terms */
};

enum { BP_MEMO_LEAST = BP_PART_COUNT, BP_MEMO_TABLES };

struct bp_memo {
    struct bp_memo_table
        tables[BP_MEMO_TABLES]; /* the parts, then the least work of checked fields */
    int tp_hides, ep_hides;     /* overlap may be on in some plan of the space */
    union {
        double align;
        char bytes[BP_MEMO_BYTES];
    } room;
};

/* Empties the memo and sets it up for one space on one site. */
void bp_memo_init(struct bp_memo *memo, const struct bp_walk *walk);

/* To be called whenever one of the walk's checked dimensions has changed. */
void bp_memo_turn(struct bp_memo *memo, const struct bp_walk *walk);

/* bp_train_memory and bp_train_time of the plan at which the walk stands. */
int bp_memo_memory(struct bp_memo *memo, const struct bp_walk *walk, const struct bp_train_case *c,
                   struct bp_train_memory *out, struct bp_error *err);
int bp_memo_time(struct bp_memo *memo, const struct bp_walk *walk, const struct bp_train_case *c,
                 struct bp_train_time *out, struct bp_error *err);

/*
** A step that no plan with the same checked fields as the one at which the walk stands undercuts; c is
** the case of one of them.
*/
double bp_memo_least_step(struct bp_memo *memo, const struct bp_walk *walk,
                          const struct bp_train_case *c);

#endif

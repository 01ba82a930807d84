/*
** Parts of estimates that are kept while a search walks through a space, so that each is made once
** for all plans that share it. One memo belongs to one thread; its size does not depend on the space.
*/
#ifndef BP_SEARCH_MEMO_H
#define BP_SEARCH_MEMO_H

#include "kernel/train/train_parts.h"
#include "walk.h"

enum { BP_MEMO_FEW = 4096, BP_MEMO_MANY = 8192 };

/*
** K(kind, C type, most of them that are kept), the last the least work of checked fields. Plans differ
** most in how a micro-batch goes through the pipeline.
*/
#define BP_MEMO_KINDS(K)                                                                           \
    K(BP_PART_SITE, struct bp_part_site, 1)                                                        \
    K(BP_PART_COMPUTE, struct bp_part_compute, BP_MEMO_FEW)                                        \
    K(BP_PART_TRAFFIC, struct bp_part_traffic, BP_MEMO_FEW)                                        \
    K(BP_PART_PIPE, struct bp_part_pipe, BP_MEMO_MANY)                                             \
    K(BP_PART_SYNC, struct bp_part_sync, BP_MEMO_FEW)                                              \
    K(BP_PART_SEND, struct bp_part_send, BP_MEMO_FEW)                                              \
    K(BP_PART_FLIGHT, struct bp_part_flight, BP_MEMO_FEW)                                          \
    K(BP_PART_STATES, struct bp_part_states, BP_MEMO_FEW)                                          \
    K(BP_PART_KEPT, struct bp_part_kept, BP_MEMO_FEW)                                              \
    K(BP_MEMO_LEAST, struct bp_least_work, BP_MEMO_FEW)

enum { BP_MEMO_LEAST = BP_PART_COUNT, BP_MEMO_TABLES };

/* An entry is a key, which no part has as 0, and the part. */
#define BP_MEMO_ENTRY(type) (sizeof(uint64_t) + sizeof(type))
#define BP_MEMO_ADD_BYTES(kind, type, slots) +(slots)*BP_MEMO_ENTRY(type)
enum { BP_MEMO_BYTES = 0 BP_MEMO_KINDS(BP_MEMO_ADD_BYTES) };

struct bp_memo_term {
    size_t place; /* of the walk's dimensions */
    uint64_t weight;
};

/* The parts of one kind. What a part depends on, as a number, says where it is. */
struct bp_memo_table {
    char *entries; /* key 0: empty */
    size_t size, slots;
    size_t slow, count; /* terms: those of checked dimensions come first */
    struct bp_memo_term terms[BP_SPACE_DIMS];
    uint64_t base; /* of the key, from the slow terms */
};

struct bp_memo {
    struct bp_memo_table tables[BP_MEMO_TABLES];
    int tp_hides, ep_hides; /* overlap may be on in some plan of the space */
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

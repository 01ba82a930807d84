/*
** The best k of a stream, in memory the caller gives: a heap with the worst kept entry on top.
** Lower rank is better; equal ranks go by step time, then by index, so what is kept does not depend on
** the order in which entries are offered. With groups only the best of each group counts: k plans that differ.
*/
#ifndef BP_SEARCH_TOPK_H
#define BP_SEARCH_TOPK_H

#include <stddef.h>
#include <stdint.h>

struct bp_topk_entry {
    double rank;
    uint64_t index;
    double score;   /* what people see: the objective, or a rule's score */
    double usd_h;   /* price the entry was judged at */
    uint64_t group; /* 0: in a group of its own */
    double step_s;  /* with the handicap of the plan */
};

struct bp_topk {
    struct bp_topk_entry *entries; /* borrowed, room for capacity >= 1 */
    size_t capacity, count;
};

void bp_topk_init(struct bp_topk *topk, struct bp_topk_entry *room, size_t capacity);

/* Keeps the entry if it is among the best so far; the rank must not be NaN. */
void bp_topk_offer(struct bp_topk *topk, const struct bp_topk_entry *entry);

/* The rank an entry has to stay below to be kept for sure: INFINITY while there is room. */
double bp_topk_worst(const struct bp_topk *topk);

/* Orders entries from best to worst; nothing may be offered afterwards. */
void bp_topk_sort(struct bp_topk *topk);

#endif

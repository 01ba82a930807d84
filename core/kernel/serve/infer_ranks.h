/* What of a step falls on the fullest rank, and what its micro-batches hold. Groups of attention share sequences and whole prompts, stages of a pipeline micro-batches. */
#ifndef BP_KERNEL_INFER_RANKS_H
#define BP_KERNEL_INFER_RANKS_H

#include "kernel/serve/infer_case.h"

/* Rows, and sequences that a rank attends to; of context-parallel ones each has a part of every sequence. */
double bp_infer_share_of(const struct bp_infer_case *c, double rows);
double bp_infer_attended(const struct bp_infer_case *c, double sequences);
/* The share of so many prompts that the fullest attention group has, and the fullest micro-batch of a group. */
double bp_infer_fullest_group(const struct bp_infer_case *c, double prompts);
double bp_infer_fullest_batch(const struct bp_infer_case *c, double prompts);
/*
** Batches that are under way at one time, each with the engine's budget of tokens and captured graphs: one of each
** attention group in each stage of the pipeline (max_num_batched_tokens is of a virtual engine in vLLM, max_num_tokens
** of a micro-batch in TensorRT-LLM).
*/
double bp_infer_batches(const struct bp_infer_case *c);
/* Tokens of all of them that run as captured graphs. */
double bp_infer_graph_tokens(const struct bp_infer_case *c);
/* Tokens of a step that so many sequences decode in: with draft_tokens, every one that is verified. */
double bp_infer_verified(const struct bp_infer_case *c, double sequences);
/* Rows that the fullest rank computes: every token that is verified is one. */
double bp_infer_rows(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                     double decode_rows);
/* Tokens of a micro-batch, of all its groups. */
double bp_infer_expert_tokens(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                              double decode_rows);

#endif

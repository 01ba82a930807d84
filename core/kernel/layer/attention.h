/* The softmax attention of one layer: its shape, and what is counted of it. */
#ifndef BP_KERNEL_ATTENTION_H
#define BP_KERNEL_ATTENTION_H

/*
** The attention of one layer on one device. Queries are the last seq_q positions of seq_kv. window
** (0 = none) counts the positions a query sees, itself included: looking back when causal, around
** itself when not. qk_dim and v_dim differ under MLA only.
*/
struct bp_attention_shape {
    double batch, heads, kv_heads, qk_dim, v_dim, seq_q, seq_kv, window;
    double score_passes; /* unfused: 16-bit passes over the scores; see BP_SCORE_PASSES */
    int causal, flash;
    int trained; /* as a training step calls the fused kernel, see flash_time */
};

/*
** Without fusion: passes of 16 bit over the scores for scale, mask, softmax and dropout (fitted to
** whole training steps of unfused attention: 5.1); the two matmuls' own traffic is not in it.
*/
#define BP_SCORE_PASSES 5.0

/* Score pairs (query, key) of one head and one sequence that the mask leaves to be computed. */
double bp_attention_pairs(const struct bp_attention_shape *shape);

/* Multiply-adds counted as two, masked pairs not credited: 2 (qk_dim + v_dim) pairs batch heads. */
double bp_attention_flop(const struct bp_attention_shape *shape);

/*
** Where an indexer selects keys, a query computes as many pairs as within a window of that size, which lie
** elsewhere.
*/
double bp_attention_reach(double window, double selected);

#endif

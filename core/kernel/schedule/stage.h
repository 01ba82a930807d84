/* Which layers live where: how a pipeline cuts the stack. */
#ifndef BP_KERNEL_STAGE_H
#define BP_KERNEL_STAGE_H

#include <stdint.h>

/*
** Layers of one stage (0-based) when `layers` are spread over pp stages as evenly as whole layers
** allow. Left-over layers go to the middle stages first, then to the first, then to the last, which
** carry the embedding and the head already.
*/
int64_t bp_stage_layers(int64_t layers, int64_t pp, int64_t stage);

/*
** The same when stages get equal matmul work, the head counting as `head` layers on the last: a stage
** ends with the layer that carries it past its share (nanotron, models/base.py, 2024).
*/
int64_t bp_stage_layers_by_work(int64_t layers, int64_t pp, int64_t stage, double head);

/*
** The same when the first and the last stage have so many (0: as many as the others), and all others
** the same number.
*/
int64_t bp_stage_layers_by_ends(int64_t layers, int64_t pp, int64_t stage, int64_t first,
                                int64_t last);

/*
** The same with equal stages but the last, which has work of its own worth `tail` layers and takes what
** layers are left: as many on each as make the slowest stage shortest. So are models with
** multi-token-prediction layers laid out, which have to lie behind all others.
*/
int64_t bp_stage_layers_before(int64_t layers, int64_t pp, int64_t stage, double tail);

#endif

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

#endif

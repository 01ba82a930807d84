#include "stage.h"

/* Order in which stages take a left-over layer: 1, 2, ..., pp-2, then 0, then pp-1. */
static int64_t turn(int64_t pp, int64_t stage) {
    if (stage == pp - 1) {
        return pp - 1;
    }
    return stage == 0 ? pp - 2 : stage - 1;
}

int64_t bp_stage_layers(int64_t layers, int64_t pp, int64_t stage) {
    int64_t even = layers / pp;
    return even + (turn(pp, stage) < layers % pp ? 1 : 0);
}

#include "kernel/schedule/stage.h"

#include <math.h>

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

/* First layer of a stage: one after the layer that reaches the share of all stages before it. */
static int64_t first_by_work(int64_t layers, int64_t pp, int64_t stage, double head) {
    double share = (double)stage * ((double)layers + head) / (double)pp;
    if (stage == 0) {
        return 0;
    }
    return stage < pp && share < (double)layers ? (int64_t)share + 1 : layers;
}

int64_t bp_stage_layers_by_work(int64_t layers, int64_t pp, int64_t stage, double head) {
    return first_by_work(layers, pp, stage + 1, head) - first_by_work(layers, pp, stage, head);
}

int64_t bp_stage_layers_by_ends(int64_t layers, int64_t pp, int64_t stage, int64_t first,
                                int64_t last) {
    if (stage == 0 && first > 0) {
        return first;
    }
    if (stage == pp - 1 && last > 0) {
        return last;
    }
    return (layers - first - last) / (pp - (first > 0) - (last > 0));
}

/* Work of the slowest stage when all but the last have `each`. */
static double slowest(int64_t layers, int64_t pp, int64_t each, double tail) {
    return fmax((double)each, (double)(layers - each * (pp - 1)) + tail);
}

int64_t bp_stage_layers_before(int64_t layers, int64_t pp, int64_t stage, double tail) {
    int64_t most, each;
    if (pp == 1) {
        return layers;
    }
    most = layers / (pp - 1);
    each = (int64_t)fmin(floor(((double)layers + tail) / (double)pp), (double)most);
    if (each < most && slowest(layers, pp, each + 1, tail) < slowest(layers, pp, each, tail)) {
        each++;
    }
    return stage < pp - 1 ? each : layers - each * (pp - 1);
}

/* How long requests take with the batches of a chain: waiting, the batches ahead, and their own. */
#ifndef BP_KERNEL_BATCH_TIMES_H
#define BP_KERNEL_BATCH_TIMES_H

#include "kernel/serve/batch_chain.h"

struct bp_batch_times {
    double mean_s, p50_s, p99_s;
};

/* Mean, median and 99th percentile of the time of a request, from its coming to the end of its batch. */
void bp_batch_times(const struct bp_batch_chain *chain, struct bp_batch_times *times);

#endif

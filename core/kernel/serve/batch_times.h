/* How long requests take with the batches of a chain: waiting, the batches ahead, and their own. */
#ifndef BP_KERNEL_BATCH_TIMES_H
#define BP_KERNEL_BATCH_TIMES_H

#include "kernel/serve/batch_chain.h"

/* Mean time of a request, by Little's law: requests that are there over those that come. */
double bp_batch_mean(const struct bp_batch_chain *chain);

/* What all but `share` of the requests keep. */
double bp_batch_percentile(const struct bp_batch_chain *chain, double share);

#endif

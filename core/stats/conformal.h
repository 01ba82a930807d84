/*
** Split conformal bands (Vovk, Gammerman, Shafer 2005; Lei et al., arXiv:1604.04173): a band that
** held for `coverage` of the cases apart holds for a further one of the same kind with that chance,
** whatever the errors are distributed like.
*/
#ifndef BP_STATS_CONFORMAL_H
#define BP_STATS_CONFORMAL_H

#include "quantile.h"

/*
** Half width of the band, in the unit of the scores. Cases come in groups that weigh alike
** (weight 1 / size of the group each, `groups` in all); what is asked for is a case of a further
** group, which counts as one more with an infinite score. INFINITY when the groups are too few for
** the coverage. Sorts the items.
*/
double bp_conformal_width(struct bp_weighted *items, size_t count, double groups, double coverage);

#endif

#include "conformal.h"

double bp_conformal_width(struct bp_weighted *items, size_t count, double groups, double coverage) {
    return bp_weighted_quantile(items, count, coverage, groups + 1);
}

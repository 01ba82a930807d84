/* The fullest of groups that random lengths are dealt to: a step of all groups takes as long as its. */
#ifndef BP_KERNEL_FULLEST_H
#define BP_KERNEL_FULLEST_H

/* Chance that a sum is above `limit` which has a gamma distribution with this mean and deviation over mean. */
double bp_gamma_above(double mean, double off, double limit);

/*
** Lengths of mean 1, `spread2` the square of their deviation over mean, of which each of so many groups has a Poisson
** number with the mean `count`. Mean of the largest of the groups' sums, of which no more than `most` counts.
*/
double bp_fullest_sum(double groups, double count, double spread2, double most);

/* Chance that one of these sums is larger. */
double bp_fullest_above(double groups, double count, double spread2, double limit);

/* Mean of the steps that such lengths take until all are done, where a step of each group holds `held`. */
double bp_fullest_steps(double groups, double count, double spread2, double held);

/* Mean of the largest of so many sums of a gamma distribution with the mean 1 and this deviation. */
double bp_fullest_gamma(double groups, double off);

#endif

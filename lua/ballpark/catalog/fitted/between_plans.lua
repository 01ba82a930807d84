-- How plans of one job are off against each other, written by tools/fit/between_plans.lua; do not edit. coefficients:
-- what the fit leaves open of them (training_range.lua) times this, for sources differ by more than one fit tells;
-- plan: deviation of ln(measured / estimated) that is a plan's own; reach: how far plans are from each other
-- (doublings, and settings that differ) where they share an e-th of it; own: what is of one plan alone; freedom: degrees of freedom of the scale of all
-- that, which differs from source to source. 164 jobs with 975 plans, each family left out.
return {
  coefficients = 3,
  freedom = 3,
  own = 0.03,
  plan = 0.08,
  reach = 12,
}

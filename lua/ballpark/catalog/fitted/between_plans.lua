-- How plans of one job are off against each other, written by tools/fit/between_plans.lua; do not edit. coefficients:
-- what the fit leaves open of them (training_range.lua) times this, for sources differ by more than one fit tells;
-- plan: deviation of ln(measured / estimated) that is a plan's own; reach: how far plans are from each other
-- (doublings, and settings that differ) where they share an e-th of it. 164 jobs with 974 plans, each family left out.
return {
  coefficients = 4.5,
  plan = 0.11,
  reach = 12,
  freedom = 4,
}

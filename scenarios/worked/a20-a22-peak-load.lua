-- A20, A22: From a vague prompt to a peak rate.
title "Peak load"

local users = kernel.load { users = billion(2), active_frac = 0.05, interval_s = 30, peak_ratio = 1 }
facts("2 billion users, 5 % active, one request per 30 s", {
  { "users_per_s", users.average_per_s, "1/s", "Requests per second" },
  { "users_per_day", users.per_day, "1/day", "Requests per day" },
})
expect("A20", users.average_per_s, { equals = 3.33e6, rel = 1.1e-3 })
assume "5 % of the users are active at one time, each sends every 30 s."

local load = kernel.load { average_per_s = 10e3, peak_ratio = 4 }
local capacity = 100 -- of one replica
local at_peak = kernel.replicas {
  peak_per_s = load.peak_per_s, capacity_per_s = capacity, utilization_frac = 0.65, zones = 3,
}
local on_average = kernel.replicas {
  peak_per_s = load.average_per_s, capacity_per_s = capacity, utilization_frac = 1,
}
facts("10,000 requests/s on average", {
  { "peak_per_s", load.peak_per_s, "1/s", "Peak" },
  { "needed", at_peak.needed, "", "Replicas at 65 %" },
  { "replicas", at_peak.replicas, "", "In three zones, one of which may be lost" },
  { "average_sizing", on_average.needed, "", "Sized for the average without headroom" },
})
expect("A22", load.peak_per_s, { equals = 40e3 })
expect("A22 replicas", at_peak.needed, { equals = 616 })
expect("A22 the average would be far too few", at_peak.needed / on_average.needed, { least = 6 })
assume "Peak is 4 times the mean, replicas serve 100/s and are planned at 65 %."
note "Ratio and target are assumptions whichever way they are chosen: say both."
accept("mean_for_peak", "the first load asks for the mean alone, the second for the peak")
accept("no_headroom", "a fleet for the average at 100 % is there to show what it lacks")

-- D6, D7: Tokenising 10M examples, and how often workflows start.
title "Preprocessing and workflow starts"

local slow = kernel.throughput { items = million(10), rate_per_s = 10e3 }
local fast = kernel.throughput { items = million(10), rate_per_s = 50e3 }
local many = kernel.throughput {
  items = million(10), rate_per_s = 10e3, workers = 16, parallel_frac = 0.8, deadline_s = minutes(1),
}
facts("Tokenising 10M examples", {
  { "slow_s", slow.time_s, "s", "At 10,000/s" },
  { "fast_s", fast.time_s, "s", "At 50,000/s" },
  { "many_s", many.time_s, "s", "16 workers of 10,000/s" },
  { "workers_needed", many.workers_needed, "", "Workers for one minute" },
})
assume "Workers side by side reach 80 % of their sum."
expect("D6 slow", slow.time_s, { equals = 1000 })
expect("D6 fast", fast.time_s, { equals = 200 })

local starts = kernel.jobs { rate_per_s = per_day(500), duration_s = hours(1), activities_per_job = 12 }
facts("500 workflows a day", {
  { "starts_per_s", starts.starts_per_s, "1/s", "Starts per second" },
  { "starts_per_minute", starts.starts_per_s * minutes(1), "", "Starts per minute" },
  { "activities_per_s", starts.activities_per_s, "1/s", "Activities per second, 12 each" },
})
expect("D7", starts.starts_per_s, { equals = 0.00579, rel = 6e-4 })
expect("D7 per minute", starts.starts_per_s * minutes(1), { equals = 0.347, rel = 7e-4 })
note("500 a day are 0.35 per minute, not per second: 0.35/s would be 30,000 a day. per_day(500) keeps the unit.")
slip("D7: starts of 500 workflows a day", 0.35, starts.starts_per_s, "1/s",
  "We start 500 workflows a day, which is 0.35/s.")

-- D4: 500 CPU jobs of an hour each per day.
title "CPU cores"

local jobs = kernel.jobs { rate_per_s = per_day(500), duration_s = hours(1), utilization_frac = 0.6, burst = 3 }
facts("500 jobs a day", {
  { "core_s_per_day", jobs.device_s_per_day, "device s", "CPU time per day" },
  { "cores", jobs.sustained_devices, "", "Cores busy on average" },
  { "planned", jobs.planned_devices, "", "Cores at 60 %" },
  { "burst", jobs.burst_devices, "", "Cores for three times the mean" },
})
assume "One core per job, planned at 60 %, bursts of three times the mean."
expect("D4", jobs.device_s_per_day / hours(1), { equals = 500 })
expect("D4 cores", jobs.sustained_devices, { equals = 20.8, rel = 2e-3 })

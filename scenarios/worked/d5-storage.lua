-- D5: 8.775 TB a day: growth without end, or a steady state with an expiry per class?
title "Storage of a training platform"

local horizon = days(365)
local list, per_day, month, for_ever, steady = {}, 0, 0, 0, 0
for i, class in ipairs {
  { "fine-tune checkpoints", TB(2.5), days(14) },
  { "sweep checkpoints", TB(5), days(3) },
  { "RLHF checkpoints", TB(1.25), days(30) },
  { "logs and metrics", TB(0.025), days(90) },
} do
  local rate = class[2] / days(1)
  local kept = kernel.retention { write_bytes_s = rate, ttl_s = class[3], horizon_s = horizon }
  local first = kernel.retention { write_bytes_s = rate, horizon_s = days(30) }
  local grown = kernel.retention { write_bytes_s = rate, horizon_s = horizon }
  per_day, month = per_day + kept.per_day_bytes, month + first.horizon_bytes
  for_ever, steady = for_ever + grown.horizon_bytes, steady + kept.horizon_bytes
  list[i] = { class[1], kept.per_day_bytes, class[3], grown.horizon_bytes, kept.steady_bytes }
end
rows {
  name = "classes", title = "By class",
  columns = { { name = "class" }, { name = "per_day_bytes", unit = "B", title = "per day" },
    { name = "ttl_s", unit = "s", title = "kept for" },
    { name = "year_bytes", unit = "B", title = "after a year, nothing deleted" },
    { name = "steady_bytes", unit = "B", title = "steady state" } },
  rows = list,
}
facts("All classes", {
  { "per_day_bytes", per_day, "B", "Per day" },
  { "month_bytes", month, "B", "In 30 days" },
  { "year_bytes", for_ever, "B", "After a year, nothing deleted" },
  { "steady_bytes", steady, "B", "With an expiry per class" },
})
assume "Fine-tunes are kept two weeks, sweeps three days, RLHF a month, logs three months; one copy."
note(string.format("In decimal terabytes: %.3f TB a day, %.0f TB a month, %.2f TB in the steady state.",
  per_day / TB(1), month / TB(1), steady / TB(1)))
expect("D5 per day", per_day, { equals = TB(8.775) })
expect("D5 per month", month, { equals = TB(263), rel = 2e-3 })
expect("D5 steady state", steady, { equals = TB(35 + 15 + 37.5 + 2.25) })
expect("D5 a year without expiry", for_ever / steady, { least = 30 })

-- Where the 2.5 TB come from: a checkpoint's size, and what keeping fewer of them saves.
local saves = kernel.checkpoints {
  params = billion(7), interval_s = minutes(30), run_s = hours(6), keep_last = 2, write_bytes_s = GB_s(2),
}
facts("One fine-tune of 7B", {
  { "checkpoint_bytes", saves.checkpoint_bytes, "B", "One checkpoint" },
  { "written", saves.written, "", "Written in 6 h" },
  { "kept", saves.kept, "", "Kept" },
  { "write_s", saves.write_s, "s", "Time to write one at 2 GB/s" },
})
expect("checkpoint of 7B", saves.checkpoint_bytes, { equals = GB(98) })

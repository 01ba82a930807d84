-- D5: 8.775 TB a day: growth without end, or a steady state with an expiry per class?
title "Storage of a training platform"

local function kept(expires)
  local function class(name, per_day, duration, bytes, ttl_s)
    return { name = name, per_day = per_day, duration = duration, bytes = bytes, ttl_s = expires and ttl_s or nil }
  end
  return platform {
    classes = {
      class("fine-tunes", 50, hours(6), GB(50), days(14)),
      class("sweeps", 10, hours(48), GB(500), days(3)),
      class("RLHF", 5, hours(16), GB(250), days(30)),
      class("evaluations", 100, hours(1), GB(0.25), days(90)),
    },
    horizon_s = days(365),
  }
end
local steady, grown = kept(true), kept(false)
show(steady)
facts("Nothing deleted", {
  { "month_bytes", 30 * grown.storage.per_day_bytes, "stored", "After 30 days" },
  { "year_bytes", grown.storage.bytes, "stored", "After a year" },
})
assume "Fine-tunes are kept two weeks, sweeps three days, RLHF a month, evaluations three months; one copy."
expect("D5 per day", steady.storage.per_day_bytes, { equals = TB(8.775) })
expect("D5 per month", 30 * steady.storage.per_day_bytes, { equals = TB(263), rel = 2e-3 })
expect("D5 steady state", steady.storage.bytes, { equals = TB(35 + 15 + 37.5 + 2.25) })
expect("D5 a year without expiry", grown.storage.bytes / steady.storage.bytes, { least = 30 })
expect("D5 grows without expiry", grown.storage.grows, { equals = true })

-- Where the 50 GB come from: a checkpoint's size, and what keeping fewer of them saves.
local saves = kernel.checkpoints {
  params = billion(7), interval_s = minutes(30), run_s = hours(6), keep_last = 2, write_bytes_s = GB_s(2),
}
facts("One fine-tune of 7B", {
  { "checkpoint_bytes", saves.checkpoint_bytes, "stored", "One checkpoint" },
  { "written", saves.written, "", "Written in 6 h" },
  { "kept", saves.kept, "", "Kept" },
  { "write_s", saves.write_s, "s", "Time to write one at 2 GB/s" },
})
expect("checkpoint of 7B", saves.checkpoint_bytes, { equals = GB(98) })

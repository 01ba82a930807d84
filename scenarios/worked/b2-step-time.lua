-- B2: A step of 1M tokens of a 70B model on 128 H100 at 45 % MFU.
title "Step of a 70B model on paper"

local h100 = device "H100-SXM-80GB"
local run = kernel.training_rule {
  params = billion(70), tokens = trillion(2), batch_tokens = million(1),
  peak_flop_s = TFLOP_s(989), mfu_frac = 0.45, devices = 128,
}
facts("70B on 128 H100", {
  { "step_s", run.step_s, "s", "Step of 1M tokens" },
  { "tokens_per_s", run.tokens_per_s, "tok/s", "Throughput" },
  { "time_s", run.time_s, "s", "2T tokens" },
})
expect("B2 step", run.step_s, { equals = 7.37, rel = 7e-4 })
expect("B2 throughput", run.tokens_per_s, { equals = 135.6e3, rel = 4e-4 })
expect("B2 run in days", run.time_s / days(1), { equals = 170.7, rel = 3e-4 })
expect("the peak is the catalog's dense one", h100.bf16_flop_s, { equals = TFLOP_s(989), rel = 1e-3 })

-- The same run as a plan: days and money with failures and checkpoints.
local losses = kernel.goodput { devices = 128, checkpoint_s = 60, restart_s = minutes(10) }
local whole = kernel.run {
  step_s = run.step_s, batch_tokens = million(1), tokens = trillion(2), devices = 128,
  goodput_frac = losses.goodput_frac, price_usd_h = price("H100-SXM-80GB"), power_w = 700 * 1.3, pue = 1.2,
}
facts("With failures, money and energy", {
  { "goodput_frac", losses.goodput_frac, "frac", "Share of the time that is progress" },
  { "wall_s", whole.wall_s, "s", "From start to end" },
  { "cost_usd", whole.cost_usd, "USD", "Cost" },
  { "energy_j", whole.energy_j, "J", "Energy" },
})
assume "A minute to save, 10 to restart; hosts draw 30 % on top of the devices; PUE 1.2."
expect("failures cost little at this size", losses.goodput_frac, { least = 0.97, most = 0.995 })

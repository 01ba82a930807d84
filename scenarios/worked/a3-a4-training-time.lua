-- A3, A4: How many FLOP does it take to train a 7B model on 1T tokens, and how long on 1000 A100?
title "Training time of a 7B model on paper"

local a100 = device "A100-80GB-SXM"
local run = kernel.training_rule {
  params = param("params", billion(7), "parameters"),
  tokens = param("tokens", trillion(1), "training tokens"),
  peak_flop_s = a100.bf16_flop_s,
  mfu_frac = param("mfu", 0.40, "share of the dense peak that is reached"),
  devices = 1000,
}

facts("Training run", {
  { "flop", run.flop, "FLOP", "FLOP of the run, 6 N D" },
  { "time_s", run.time_s, "s", "Time on 1000 devices" },
  { "device_s", run.device_s, "device s", "Device time" },
  { "tokens_per_param", run.tokens_per_param, "", "Tokens per parameter" },
})

expect("A3", run.flop, { equals = 4.2e22 })
expect("A4", run.time_s, { equals = 3.365e5, rel = 1.5e-4 })
expect("A4 in hours", run.time_s / hours(1), { equals = 93.5, rel = 5e-4 })
note("It is 93.5 h. Rounding 124.8 TFLOP/s up and the quotient down on the way gives about 80 h: "
  .. "keep all digits until the end.")
slip("A4: 80 hours", hours(80), run.time_s, "s",
  "6ND at 40% MFU on 1000 A100 for 7B on 1T tokens takes 80 hours.")

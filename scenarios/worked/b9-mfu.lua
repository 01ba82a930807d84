-- B9: How good are 150k tokens/s of a 7B model on 64 H100?
title "MFU of a measured speed"

local speed = kernel.mfu {
  params = billion(7), tokens_per_s = 150e3, devices = 64, peak_flop_s = TFLOP_s(989), target_frac = 0.45,
}
facts("150,000 tokens/s on 64 H100", {
  { "mfu_frac", speed.mfu_frac, "frac", "MFU of the dense peak" },
  { "flop_s_device", speed.flop_s_device, "FLOP/s", "Model FLOP/s of one device" },
  { "of_target_frac", speed.of_target_frac, "frac", "Of what 45 % would give" },
  { "tokens_per_s_target", speed.tokens_per_s_target, "tok/s", "At 45 %" },
})
expect("B9", speed.mfu_frac, { equals = 0.0995, rel = 5e-4 })
expect("B9 against 45 %", speed.of_target_frac, { equals = 0.221, rel = 1e-3 })
note("Peaks are dense: 989 TFLOP/s. Against the sparse peak of 1,979 the same speed looks half as good, "
  .. "11 % of the target instead of 22.1 %.")
slip("B9: the peak of an H100", TFLOP_s(1979), TFLOP_s(989), "FLOP/s",
  "150k tokens/s of 7B on 64 H100 of 1,979 TFLOP/s.")
slip("B9: 11 % of what 45 % would give", 0.11, speed.of_target_frac, "frac",
  "150k tokens/s of 7B on 64 H100 is 5% MFU.")

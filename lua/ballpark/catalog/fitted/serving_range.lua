-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  -- Of the ends, in e-folds: made with one family left out at a time, they held 72 % with a third of the (family,
  -- device) groups out of sight; of a normal law, four in five are inside of ends so much wider.
  wider = 1.186,
  dense = { ttft_ms = { 0.726, 3.407 }, tpot_ms = { 0.788, 1.236 }, e2e_ms = { 0.831, 1.463 } },
  experts = { ttft_ms = { 0.735, 2.724 }, tpot_ms = { 0.783, 1.298 }, e2e_ms = { 0.805, 1.388 } },
}

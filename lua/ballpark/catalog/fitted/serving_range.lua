-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.671, 3.376 }, tpot_ms = { 0.813, 1.245 }, e2e_ms = { 0.856, 1.422 } },
  experts = { ttft_ms = { 0.695, 3.116 }, tpot_ms = { 0.762, 1.313 }, e2e_ms = { 0.791, 1.407 } },
}

-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.722, 3.341 }, tpot_ms = { 0.892, 1.223 }, e2e_ms = { 0.926, 1.402 }, full_ms = { 0.810, 1.200 } },
  experts = { ttft_ms = { 0.779, 2.854 }, tpot_ms = { 0.788, 1.295 }, e2e_ms = { 0.818, 1.381 }, full_ms = { 0.730, 1.690 } },
}

-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.693, 3.312 }, tpot_ms = { 0.845, 1.262 }, e2e_ms = { 0.891, 1.411 } },
  experts = { ttft_ms = { 0.805, 3.083 }, tpot_ms = { 0.794, 1.318 }, e2e_ms = { 0.821, 1.412 } },
}

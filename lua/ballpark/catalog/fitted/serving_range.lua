-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.656, 3.320 }, tpot_ms = { 0.819, 1.263 }, e2e_ms = { 0.871, 1.427 } },
  experts = { ttft_ms = { 0.774, 3.116 }, tpot_ms = { 0.765, 1.317 }, e2e_ms = { 0.799, 1.405 } },
}

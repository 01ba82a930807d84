-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.706, 3.352 }, tpot_ms = { 0.820, 1.268 }, e2e_ms = { 0.864, 1.439 } },
  experts = { ttft_ms = { 0.791, 3.140 }, tpot_ms = { 0.791, 1.316 }, e2e_ms = { 0.823, 1.409 } },
}

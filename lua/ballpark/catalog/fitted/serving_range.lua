-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.741, 3.208 }, tpot_ms = { 0.884, 1.220 }, e2e_ms = { 0.921, 1.391 } },
  experts = { ttft_ms = { 0.793, 2.767 }, tpot_ms = { 0.788, 1.281 }, e2e_ms = { 0.817, 1.370 } },
}

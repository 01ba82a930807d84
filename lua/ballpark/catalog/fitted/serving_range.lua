-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.741, 3.387 }, tpot_ms = { 0.887, 1.268 }, e2e_ms = { 0.921, 1.452 } },
  experts = { ttft_ms = { 0.812, 3.137 }, tpot_ms = { 0.793, 1.330 }, e2e_ms = { 0.821, 1.416 } },
}

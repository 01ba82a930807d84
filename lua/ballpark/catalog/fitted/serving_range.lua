-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by
-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see
-- lua/ballpark/range/serving.lua.
return {
  dense = { ttft_ms = { 0.715, 3.189 }, tpot_ms = { 0.873, 1.209 }, e2e_ms = { 0.911, 1.380 } },
  experts = { ttft_ms = { 0.783, 2.801 }, tpot_ms = { 0.793, 1.292 }, e2e_ms = { 0.821, 1.377 } },
}

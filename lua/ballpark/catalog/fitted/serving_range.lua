-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_range.lua,
-- never by hand, from aiconfigurator's silicon table (Apache-2.0). Of rows whose settings are all
-- known; others are wider, see lua/ballpark/range/serving.lua.
return {
  sglang = { ttft_ms = { 0.826, 3.604 }, tpot_ms = { 0.877, 1.270 }, e2e_ms = { 0.898, 1.396 } },
  trtllm = { ttft_ms = { 0.754, 2.061 }, tpot_ms = { 0.871, 1.177 }, e2e_ms = { 0.890, 1.186 } },
  vllm = { ttft_ms = { 0.763, 1.402 }, tpot_ms = { 0.869, 1.195 }, e2e_ms = { 0.873, 1.205 } },
}

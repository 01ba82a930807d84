-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,
-- never by hand, from aiconfigurator's silicon table (Apache-2.0). Of rows whose settings are all
-- known; others are wider, see lua/ballpark/serving/range.lua.
return {
  sglang = { ttft_ms = { 0.808, 3.728 }, tpot_ms = { 0.869, 1.246 }, e2e_ms = { 0.876, 1.426 } },
  trtllm = { ttft_ms = { 0.787, 2.168 }, tpot_ms = { 0.867, 1.185 }, e2e_ms = { 0.883, 1.188 } },
  vllm = { ttft_ms = { 0.802, 1.487 }, tpot_ms = { 0.861, 1.192 }, e2e_ms = { 0.871, 1.223 } },
}

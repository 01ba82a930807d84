-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,
-- never by hand, from aiconfigurator's silicon table (Apache-2.0). Of rows whose settings are all
-- known; others are wider, see lua/ballpark/serving/range.lua.
return {
  sglang = { ttft_ms = { 0.829, 3.759 }, tpot_ms = { 0.865, 1.250 }, e2e_ms = { 0.876, 1.424 } },
  trtllm = { ttft_ms = { 0.777, 2.154 }, tpot_ms = { 0.866, 1.182 }, e2e_ms = { 0.880, 1.187 } },
  vllm = { ttft_ms = { 0.787, 1.476 }, tpot_ms = { 0.862, 1.196 }, e2e_ms = { 0.869, 1.218 } },
}

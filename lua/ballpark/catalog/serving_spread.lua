-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,
-- never by hand, from aiconfigurator's silicon table (Apache-2.0).
return {
  sglang = { ttft_ms = { 0.786, 3.724 }, tpot_ms = { 0.833, 1.339 }, e2e_ms = { 0.853, 1.528 } },
  trtllm = { ttft_ms = { 0.790, 2.367 }, tpot_ms = { 0.830, 1.209 }, e2e_ms = { 0.842, 1.216 } },
  vllm = { ttft_ms = { 0.777, 1.445 }, tpot_ms = { 0.873, 1.194 }, e2e_ms = { 0.881, 1.195 } },
}

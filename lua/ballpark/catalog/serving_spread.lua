-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,
-- never by hand, from aiconfigurator's silicon table (Apache-2.0).
return {
  sglang = { ttft_ms = { 0.802, 3.318 }, tpot_ms = { 0.850, 1.344 }, e2e_ms = { 0.865, 1.571 } },
  trtllm = { ttft_ms = { 0.669, 2.473 }, tpot_ms = { 0.816, 1.211 }, e2e_ms = { 0.825, 1.210 } },
  vllm = { ttft_ms = { 0.726, 1.577 }, tpot_ms = { 0.843, 1.207 }, e2e_ms = { 0.846, 1.223 } },
}

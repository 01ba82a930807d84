-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,
-- never by hand, from aiconfigurator's silicon table (Apache-2.0).
return {
  sglang = { ttft_ms = { 0.802, 3.318 }, tpot_ms = { 0.850, 1.344 }, e2e_ms = { 0.865, 1.571 } },
  trtllm = { ttft_ms = { 0.673, 2.352 }, tpot_ms = { 0.824, 1.215 }, e2e_ms = { 0.841, 1.211 } },
  vllm = { ttft_ms = { 0.726, 1.577 }, tpot_ms = { 0.843, 1.207 }, e2e_ms = { 0.846, 1.223 } },
}

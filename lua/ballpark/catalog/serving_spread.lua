-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,
-- never by hand, from aiconfigurator's silicon table (Apache-2.0).
return {
  sglang = { ttft_ms = { 0.796, 3.317 }, tpot_ms = { 0.843, 1.339 }, e2e_ms = { 0.864, 1.570 } },
  trtllm = { ttft_ms = { 0.680, 2.342 }, tpot_ms = { 0.816, 1.205 }, e2e_ms = { 0.832, 1.205 } },
  vllm = { ttft_ms = { 0.722, 1.569 }, tpot_ms = { 0.849, 1.204 }, e2e_ms = { 0.851, 1.220 } },
}

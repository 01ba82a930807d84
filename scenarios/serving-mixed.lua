-- Chat turns, documents and long contexts for an 8B model: each length on the devices that serve it for least.
local rate = param("rate", 400, "requests per second")

local answer = serve_search {
  model = model "llama-3.1-8b",
  devices = { { device = "H100", price = "AWS" }, { device = "L40S", price = "AWS" }, { device = "L4", price = "AWS" } },
  gpus = 256,
  engine = "vllm",
  load = { rate_per_s = rate, buckets = {
    { share = 0.85, input_tokens = 300, output_tokens = 150 },
    { share = 0.1, input_tokens = 2000, output_tokens = 250 },
    { share = 0.05, input_tokens = 12000, output_tokens = 400 },
  } },
  sla = { ttft_s = 0.8, tpot_s = 0.06, percentile = 90 },
  space = { tp = { 1, 2 }, pp = 1, format = "fp8" },
}
show(answer)
expect("the deal is exact", answer.gap_frac, { equals = 0 })
expect("long prompts need faster devices than the others", #answer.pools, { equals = 2 })
expect("cheaper than one kind of replica", answer.planned_usd_h / answer.alone_usd_h, { most = 0.97 })
expect("devices", answer.devices, { most = 256 })

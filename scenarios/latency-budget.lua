-- What nine requests in ten and ninety-nine in a hundred wait for an answer with retrieved context: the first token
-- of a served model, with everything before and after it.
local rate = param("rate", 12, "requests per second")

local served = serve {
  model = model "llama-3.1-8b",
  cluster = cluster { device = "H100", devices = 1 },
  engine = "vllm",
  plan = { weights = "fp8" },
  load = { arrivals = "open", rate_per_s = rate, lengths = "lognormal", spread = 0.6, input_tokens = 800,
    output_tokens = 200, requests = 5000 },
}
local budget = latency {
  sla_s = ms(400),
  percentile = 99,
  parts = {
    { name = "network", median_s = ms(20), p99_s = ms(80) },
    { name = "features", mean_s = ms(10), cv = 0.5 },
    { name = "tokenisation", fixed_s = ms(2) },
    { name = "vector search", median_s = ms(8), p99_s = ms(25) },
    { name = "TTFT", answer = served, time = "ttft" },
    { name = "post-processing", fixed_s = ms(5) },
  },
}
show(budget)
expect("the SLO holds", budget.fits, { equals = true })
expect("percentiles do not add up", budget.value_s / budget.stacked_s, { most = 0.95 })
expect("means do", budget.mean_s, { equals = ms(7 + 10) + budget.parts[1].mean_s + budget.parts[4].mean_s
  + budget.parts[5].mean_s, rel = 1e-3 })

-- One replica of a 70B model under a load with an SLO: the first token within half a second for nine
-- requests in ten.
local rate = param("rate", 2, "requests per second")

local answer = serve {
  model = model "llama-3.1-70b",
  cluster = cluster { device = "H100", devices = 4 },
  engine = "vllm",
  plan = { tp = 4, weights = "fp8", kv = "fp8" },
  load = { arrivals = "open", rate_per_s = rate, lengths = "lognormal", spread = 0.6, input_tokens = 1500,
    output_tokens = 300, requests = 5000 },
}
show(answer)
expect("the load is stable", answer.steady.stable, { equals = true })
if not answer.seen then return end -- too much: there is nothing to see
expect("P90 of the first token", answer.seen.ttft.p90_s, { most = 0.5 })
-- What is answered is what arrives, and Little's law holds of what runs.
expect("throughput", answer.seen.requests_per_s, { equals = rate, rel = 0.05 })
expect("running", answer.seen.mean_running,
  { equals = answer.seen.requests_per_s * (answer.seen.e2e.mean_s - answer.seen.queue.mean_s), rel = 0.1 })

-- The cheapest fleet of at most 32 devices for a 70B model under an SLO for nine requests in ten.
local rate = param("rate", 8, "requests per second")

local answer = serve_search {
  model = model "llama-3.1-70b",
  devices = { "H100", "A100", "L40S" },
  gpus = 32,
  engine = "vllm",
  load = { rate_per_s = rate, lengths = "lognormal", spread = 0.6, input_tokens = 1500, output_tokens = 300 },
  sla = { ttft_s = 1, tpot_s = 0.05, percentile = 90 },
  space = { tp = { 1, 2, 4, 8 }, pp = { 1, 2 }, format = { "bf16", { weights = "fp8", kv = "fp8" } },
    max_running = { 128, 1024 } },
}
show(answer)
local fleet = answer.winner
if fleet then
  expect("first token of nine in ten", fleet.seen.ttft.p90_s, { most = 1 })
  expect("time per token of nine in ten", fleet.seen.tpot.p90_s, { most = 0.05 })
  expect("one replica is spare", fleet.replicas - fleet.up, { equals = 1 })
  expect("load at 70 % at most", rate / fleet.up / fleet.steady.capacity_per_s, { most = 0.7 })
  expect("devices", fleet.devices, { most = 32 })
end

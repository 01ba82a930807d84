-- A day of a served 8B model: as many replicas as the peak takes all day, or as many as each hour takes.
local rate = param("rate", 4, "requests per second, mean of the day")

local answer = serve_search {
  model = model "llama-3.1-8b",
  devices = "L40S",
  gpus = 16,
  engine = "vllm",
  load = { arrivals = "diurnal", rate_per_s = rate, peak_over_mean = 2.5, lengths = "lognormal", spread = 0.6,
    input_tokens = 1500, output_tokens = 200 },
  sla = { ttft_s = 1, tpot_s = 0.06, percentile = 90 },
  space = { pp = 1, format = "fp8", pattern = "aggregated" },
}
show(answer)
if answer.day then
  local static, scaled = answer.day.rows[1], answer.day.rows[2]
  expect("scaling saves", scaled.cost_usd_day / static.cost_usd_day, { most = 0.85 })
  expect("it costs no less than the mean load", scaled.mean, { least = static.mean / 2.5 })
  expect("nine first tokens in ten in time, all day", static.seen.ttft.p90_s, { most = 1 })
  expect("and with replicas that come and go", scaled.seen.ttft.p90_s, { most = 1 })
  expect("closed forms and simulation pay for as many", scaled.seen.mean_replicas,
    { equals = scaled.mean - (static.most - answer.winner.up), rel = 0.1 })
end

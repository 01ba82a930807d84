-- A day of a chat service, busy at noon and quiet at night: as many replicas as the peak needs all day long,
-- against replicas that start and stop with the load. Replicas fail now and then, and sessions go back to where
-- their history is.
local function day(changes)
  local input = {
    model = model "llama-3.1-8b",
    cluster = cluster { device = "L40S", devices = 1 },
    engine = "vllm",
    plan = { weights = "fp8", kv = "fp8" },
    routing = "session",
    start_s = 180, -- machine, image, weights, graphs
    failures = { mtbf_s = days(7), repair_s = 600 },
    load = { arrivals = "diurnal", rate_per_s = 6, peak_over_mean = 2, turns = 3, think_s = 30, lengths = "lognormal",
      spread = 0.7, input_tokens = 400, output_tokens = 250 },
  }
  for key, value in pairs(changes) do input[key] = value end
  return serve(input)
end

local fixed = day { replicas = 4 }
local scaled = day { replicas = 2, autoscale = { target = 24, max = 5 } }
show(scaled)

rows { name = "ways", title = "Two ways through the day",
  columns = { { name = "way", title = "" }, { name = "replicas", title = "Replicas, mean" },
    { name = "cost", title = "Cost", unit = "USD/h" }, { name = "ttft", title = "TTFT, P99", unit = "s" },
    { name = "tpot", title = "TPOT, P99", unit = "s" } },
  { "fixed", fixed.bill.replicas, fixed.bill.usd_h, fixed.seen.ttft.p99_s, fixed.seen.tpot.p99_s },
  { "scaled", scaled.bill.replicas, scaled.bill.usd_h, scaled.seen.ttft.p99_s, scaled.seen.tpot.p99_s } }

expect("every request is answered", scaled.seen.lost, { equals = 0 })
expect("what arrives is answered", scaled.seen.requests_per_s, { equals = 6, rel = 0.02 })
expect("scaling costs less", scaled.bill.usd_h / fixed.bill.usd_h, { most = 0.9 })
-- Prompts of 400, 1050 and 1700 tokens in the mean, of which 0, 650 and 1300 have been said before.
expect("most of a prompt has been said before", scaled.seen.cached_frac, { least = 0.5, most = 1950 / 3150 })
expect("the first token at P99", scaled.seen.ttft.p99_s, { most = 2 })

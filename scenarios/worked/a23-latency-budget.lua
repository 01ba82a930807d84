-- A23: What is left of 50 ms?
title "Latency budget"

local budget = kernel.latency_budget {
  sla_s = ms(50), network_s = ms(5), features_s = ms(10), inference_s = ms(20), postprocess_s = ms(5),
}
facts("50 ms", {
  { "used_s", budget.used_s, "s", "Used" },
  { "left_s", budget.left_s, "s", "Left for queueing and surprises" },
  { "inference_frac", budget.inference_frac, "frac", "The model's share" },
  { "other_frac", budget.other_frac, "frac", "Everything else's share" },
})
expect("A23", budget.left_s, { equals = ms(10) })

-- The same parts as distributions: medians as above, one request in a hundred takes thrice as long.
local parts = {}
for i, part in ipairs { { "network", 5 }, { "features", 10 }, { "inference", 20 }, { "post-processing", 5 } } do
  parts[i] = { name = part[1], median_s = ms(part[2]), p99_s = ms(3 * part[2]) }
end
local tail = latency { sla_s = ms(50), percentile = 99, parts = parts }
facts("At the 99th percentile", {
  { "p99_s", tail.value_s, "s", "P99 of the sum" },
  { "stacked_s", tail.stacked_s, "s", "Sum of the parts' P99" },
  { "within_frac", tail.within_frac, "frac", "Requests within 50 ms" },
})
expect("medians that fit say nothing of one in a hundred", tail.fits, { equals = false })
expect("P99 of the sum is not the sum of the P99s", tail.value_s / tail.stacked_s, { most = 0.75 })

-- What is left pays for queueing: a replica of 8 slots at 20 ms each.
local list = {}
for i, load in ipairs { 0.5, 0.6, 0.7, 0.9 } do
  local wait = kernel.queue {
    servers = 8, rate_per_s = load * 8 / ms(20), service_s = ms(20), service_cv = 0.3,
  }
  list[i] = { load, wait.wait_s, wait.wait_percentile_s, wait.wait_percentile_s <= budget.left_s }
end
rows {
  name = "queue", title = "Waiting by utilisation",
  columns = { { name = "utilization_frac", unit = "frac", title = "utilisation" },
    { name = "wait_s", unit = "s", title = "mean wait" },
    { name = "wait_p99_s", unit = "s", title = "P99 wait" }, { name = "holds", title = "within the rest" } },
  rows = list,
}
assume "Poisson arrivals; service times scatter by 30 %."
expect("P99 at 50 % utilisation keeps the budget", list[1][4], { equals = true })
expect("P99 at 70 % does not", list[3][4], { equals = false })
note "Inference alone is 40 % of the budget: a plan that looks at the model only is off by the other 60 %."

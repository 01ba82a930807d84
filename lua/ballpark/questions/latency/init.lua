-- latency{}: the percentile of a sum of times.
return {
  name = "latency",
  title = "the percentile of a sum of times",
  inputs = {
    { "sla_s", "the SLO, seconds", type = "number", required = true },
    { "percentile", "99", type = "number" },
    { "parts", "each with a name and fixed_s; median_s and p99_s; mean_s and cv; p50_s, p90_s and p99_s; or answer "
      .. "of serve and time (ttft, tpot, e2e, queue), or of encode, recommend, vector_search or latency", is = "group", type = "table[]", required = true },
  },
  needs = {
    { "sla_s", such = "0.4", option = "sla" },
    { "parts", such = '{ { name = "network", fixed_s = 0.02 } }', option = "part", words = "network=fixed:0.02" },
  },
  outputs = {
    { "fits", "boolean", "whether the percentile of the sum meets the SLO" },
    { "value_s", "number", "the percentile of the sum" },
    { "left_s", "number", "what the SLO leaves" },
    { "within_frac", "number", "requests that keep it" },
    { "mean_s", "number", "mean of the sum" },
    { "stacked_s", "number", "sum of the parts' percentiles" },
    { "parts", "table[]", "each with mean_s, percentile_s, saves_s" },
    { "dominant", "string", "the part that saves most" },
  },
  command = "latency",
  contradiction = function() return "the parts take longer than the SLO allows" end,
  reason = function() return "the parts take longer than the SLO allows" end,
}

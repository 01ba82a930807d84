-- cost{}: what fleets of any kind cost by the month and the year, and over a horizon as they grow.
return {
  name = "cost",
  title = "what fleets cost by the month, the year, and over a horizon as they grow",
  inputs = {
    { "fleets", "each with a name and answer (of serve, serve_search, encode, recommend, rerank, diffusion, "
      .. "vector_search, platform, ask), or usd_h and replicas; "
      .. "growth_month_frac of its own", is = "group", type = "table[]", required = true },
    { "growth_month_frac", "how much the load grows a month, compound; 0", type = "number" },
    { "horizon_s", "time to add up over; a year", type = "number" },
    { "budget_usd_month", "what may be spent a month", type = "number" },
  },
  needs = { { "fleets", such = '{ { name = "chat", usd_h = 31.2 } }' } },
  outputs = {
    { "fits", "boolean", "whether the first month keeps the budget" },
    { "usd_month", "number", "all fleets, the first month" },
    { "usd_year", "number", "the first year" },
    { "usd_horizon", "number", "the horizon" },
    { "usd_last_month", "number", "its last month" },
    { "fleets", "table[]", "each with name, usd_h, usd_month, usd_horizon, share" },
  },
  notes = { "Growth is in the mean: of a small fleet that grows replica by replica it comes in steps." },
  reason = function() return "the first month costs more than the budget" end,
}

-- Nightly uploads to an image classifier: twenty times the base for two hours, nothing may wait longer than 10 minutes.
title "Classifying uploads in the background"

local one = encode { model = "vit-b-16-224", device = "L4", runtime = "tensorrt", dtype = "fp16", batch = 128 }
local function queue(limit)
  return kernel.batch_queue {
    base_per_s = 1000, burst_per_s = 20e3, burst_s = hours(2), every_s = hours(24), replica_per_s = one.out.per_s,
    limit_s = limit, utilization_frac = 0.9, price_usd_h = price "L4",
  }
end

local list = {}
for i, limit in ipairs { 0, minutes(10), minutes(60), hours(8) } do
  local q = queue(limit)
  list[i] = { limit, q.needed, q.backlog, q.wait_s, q.drain_s, q.utilization_frac, q.cost_usd_h, q.bound }
end
rows {
  name = "limits", title = "By the longest wait",
  columns = { { name = "limit_s", unit = "s", title = "limit" }, { name = "replicas" }, { name = "backlog" },
    { name = "wait_s", unit = "s", title = "longest wait" }, { name = "drain_s", unit = "s", title = "to empty" },
    { name = "utilization_frac", unit = "frac", title = "used" }, { name = "cost_usd_h", unit = "USD/h", title = "cost" },
    { name = "bound", title = "bound by" } },
  rows = list,
}
assume "Bursts of two hours once a day at twenty times the base; replicas planned at 90 %."
expect("no wait is the size of the peak", list[1][2], { equals = queue(0).for_peak })
expect("every limit holds", list[2][4] <= minutes(10) and list[3][4] <= minutes(60) and list[4][4] <= hours(8),
  { equals = true })
expect("waiting saves replicas", list[4][2] < list[2][2] and list[2][2] <= list[1][2], { equals = true })

-- Ranking with DLRM-DCNv2 (MLPerf): 100 GB of tables in fp32, lookups and dense layers, one device or eight.
title "Ranking advertisements"

local nodes = cluster { device = "H100", devices = 8 }
local function ask(changes)
  local input = { model = "dlrm-dcnv2", cluster = nodes, requests = 256, dtype = "int8", devices = 1 }
  for key, value in pairs(changes) do input[key] = value end
  return recommend(input)
end

local one = ask { load = { rate_per_s = 200e3, sla_s = ms(20), utilization_frac = 0.8, spares = 1 } }
show(one)
-- Eight H100 of MLPerf inference v4.1 answered 591,000 to 602,000 samples/s offline.
expect("MLPerf offline, eight of them", 8 * one.out.requests_per_s, { equals = 595e3, rel = 0.25 })
expect("the tables fit one device in 8 bit", one.fits, { equals = true })

-- In fp32 they take two; cutting rows makes every device send parts of all sums.
local list = {}
for i, sharding in ipairs { "table", "row" } do
  local at = ask { row_value_bytes = 4, devices = 8, sharding = sharding, requests = 2048 }
  list[i] = { sharding, at.out.memory_bytes, at.out.lookup_s, at.out.exchange_s, at.out.time_s, at.out.bound }
end
rows {
  name = "sharding", title = "Tables in fp32 over eight devices, 2,048 requests",
  columns = { { name = "sharding" }, { name = "memory_bytes", unit = "B", title = "a device" },
    { name = "lookup_s", unit = "s", title = "lookups" }, { name = "exchange_s", unit = "s", title = "exchange" },
    { name = "time_s", unit = "s", title = "call" }, { name = "bound", title = "bound by" } },
  rows = list,
}
expect("fp32 tables are 104.5 GB", ask({ row_value_bytes = 4 }).out.table_bytes, { equals = GB(104.5), rel = 1e-3 })
expect("one device cannot hold them", ask({ row_value_bytes = 4 }).fits, { equals = false })
expect("cut rows exchange more", list[2][4] / list[1][4], { least = 2 })

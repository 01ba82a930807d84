-- Published systems that answers are set beside, of every kind in one list: trainings, services, calls of encoders,
-- image networks and recommendation models, fine-tuning, and stores of vectors.
local calls = require("ballpark.catalog.published_calls")
local errors = require("ballpark.errors")
local finetunes = require("ballpark.catalog.published_finetunes")
local served = require("ballpark.catalog.served_published")
local stores = require("ballpark.catalog.published_stores")
local tables = require("ballpark.tables")
local trainings = require("ballpark.catalog.published_trainings")

local comparables = {}

local entries = {}

local function add(name, entry)
  local unique, n = name, 1
  while entries[unique] do
    n = n + 1
    unique = name .. " " .. n
  end
  entry.name = unique
  entries[unique] = entry
end

for _, row in ipairs(trainings) do
  add("training: " .. row.name, { kind = "training", device = row.device, devices = row.devices,
    figure = row.device_hours and ("%.0f device-hours"):format(row.device_hours)
      or ("%.4g TFLOP/s a device"):format(row.flop_s_device / 1e12), params = row.params, active = row.active,
    tokens = row.tokens, date = row.date, source = row.source .. (row.recalled and " (recalled)" or "") })
end
for _, source in ipairs(served) do
  for _, row in ipairs(source.rows) do
    add(("service: %s %s on %d x %s, %d in, %d out"):format(row[1], row[4], row[3], row[2], row[5], row[6]), {
      kind = "service", device = row[2], devices = row[3], figure = ("%.0f output tok/s"):format(row[7]),
      date = source.date, source = source.source })
  end
end
for _, row in ipairs(calls) do
  add(("%s: %s on %d x %s"):format(row.kind, row.model, row.devices, row.device), { kind = row.kind, device = row.device,
    devices = row.devices, tokens = row.tokens, figure = ("%.0f per s"):format(row.per_s), date = row.date,
    source = row.source })
end
for _, row in ipairs(finetunes) do
  add(("fine-tuning: %s, %s on %d x %s"):format(row.name, row.method, row.devices, row.device), { kind = "fine-tuning",
    device = row.device, devices = row.devices, tokens = row.seq_len, figure = ("%.0f tok/s"):format(row.tok_s),
    params = row.params, date = row.date, source = row.source })
end
for _, row in ipairs(stores) do
  add(("storage: %s"):format(row.name), { kind = "storage", figure = ("%.3g GB in memory"):format(row.memory_bytes / 1e9),
    date = row.date, source = row.source .. (row.recalled and " (recalled)" or "") })
end

--- Names of all, sorted.
function comparables.names() return tables.sorted_keys(entries) end

--- { name, kind, device, devices, figure, date, source, … } of a published system.
function comparables.get(name)
  return entries[name] and tables.with(entries[name]) or errors.choice("comparables", tostring(name), comparables.names())
end

return comparables

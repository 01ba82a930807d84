-- What tells apart the systems and jobs that one search went over: columns of its tables, and words for
-- the one that a rejection or a suggestion is about.
local units = require("ballpark.units")

local systems = {}

-- Resolved values by the field of the system or job that a scenario varies; a price and a number of
-- nodes are shown as what they come to.
local OF_SYSTEM = {
  { name = "device", value = function(cluster) return cluster.device.name end, words = "%s" },
  { name = "devices", value = function(cluster) return cluster.network.devices end, field = "nodes",
    count = "device" },
  { name = "node_size", value = function(cluster) return cluster.network.node_size end, title = "node",
    words = "nodes of %s" },
  { name = "domain", value = function(cluster) return cluster.network.domain end, words = "domains of %s" },
  { name = "fabric", value = function(cluster) return cluster.network.fabric end },
  { name = "nic_bytes_s", unit = "B/s", title = "NIC", words = "NIC %s GB/s", amount = "%s GB/s",
    divisor = units.GB_s(1),
    value = function(cluster) return cluster.network.scaleout.bw_bytes_s end },
  { name = "usd_h", unit = "USD/h", title = "price", field = "price", words = "price %s USD/h",
    value = function(cluster) return cluster.usd_h end },
}
local OF_JOB = {
  { name = "global_batch", title = "batch", words = "batch %s" },
  { name = "seq_len", title = "length", words = "length %s" },
  { name = "tokens", unit = "tok", words = "%s tokens" },
}

local function varied(axes)
  local set = {}
  for _, axis in ipairs(axes) do
    if #axis.values > 1 then set[axis.field] = true end
  end
  return set
end

-- Every column that such a search has, each with a function of the input of a plan.
local function all_columns()
  local list = {}
  for _, about in ipairs(OF_SYSTEM) do
    list[#list + 1] = { about = about, of = function(input) return about.value(input.cluster) end }
  end
  for _, about in ipairs(OF_JOB) do
    list[#list + 1] = { about = about, of = function(input) return input.job[about.name] end }
  end
  return list
end

--- Columns { name, unit, title, hide } for the systems and jobs of a search over `axes`, and a function
--- that puts the values of an input into a row. Those that the search does not vary are hidden.
function systems.columns(axes)
  local columns, all, set = {}, all_columns(), varied(axes)
  for i, column in ipairs(all) do
    local about = column.about
    columns[i] = { name = about.name, unit = about.unit, title = about.title or about.name,
      hide = not (set[about.name] or set[about.field or about.name]) }
  end
  return columns, function(row, input)
    for _, column in ipairs(all) do row[column.about.name] = column.of(input) end
  end
end

local function plain(value)
  if math.type(value) ~= "float" then return tostring(value) end
  return ("%.6g"):format(value)
end

--- A value that a search varies, as its report says it: devices by name, bandwidths with their unit.
function systems.value(field, value)
  if type(value) == "table" then return value.name end
  for _, about in ipairs(OF_SYSTEM) do
    if about.name == field and about.divisor then return about.amount:format(plain(value / about.divisor)) end
  end
  return tostring(value)
end

local function words_of(about, value)
  local title = about.title or about.name
  if value == nil then return title .. " unknown" end
  if about.count then return units.count(value, about.count) end
  return (about.words or (title .. " %s")):format(plain(about.divisor and value / about.divisor or value))
end

--- "H100-SXM-80GB, 16 devices, batch 256": of what the search varies.
function systems.words(axes, input)
  local set, texts = varied(axes), {}
  for _, column in ipairs(all_columns()) do
    local about = column.about
    if set[about.name] or set[about.field or about.name] then texts[#texts + 1] = words_of(about, column.of(input)) end
  end
  return table.concat(texts, ", ")
end

return systems

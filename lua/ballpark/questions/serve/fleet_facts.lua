-- Facts that reports of fleets have in common: load, devices, and what they cost and draw.
local ranges = require("ballpark.range")

local fleet_facts = {}

--- A list of facts, and what adds one to it: fact(name, value, unit, title or nothing to hide it, more fields).
function fleet_facts.list(name, title)
  local list = { name = name, title = title }
  return list, function(key, value, unit, called, more)
    local fact = { name = key, value = value, unit = unit, title = called, hide = called == nil }
    for field, item in pairs(more or {}) do fact[field] = item end
    list[#list + 1] = fact
  end
end

--- The load at the peak, beside the capacity of the replicas that are up where it is known.
function fleet_facts.add_load(fact, ask, capacity_per_s)
  fact("mean_per_s", ask.mean_per_s, "1/s")
  fact("capacity_per_s", capacity_per_s, "1/s")
  fact("utilization_frac", capacity_per_s and ask.load.rate_per_s / capacity_per_s, "frac")
  local users = ask.users
  fact("rate_per_s", ask.load.rate_per_s, "1/s", "Peak load", { text = (users and ("%.0f users: "):format(users.count) or "") .. "{rate_per_s}"
    .. (capacity_per_s and ", {utilization_frac} of the {capacity_per_s} that the replicas can do with the spares down"
    or "") .. (ask.mean_per_s ~= ask.load.rate_per_s and "; {mean_per_s} in the mean" or "") })
end

-- Devices and their cost were boards with fast links rented by whole nodes, which groups of one pool share.
local function in_nodes(groups)
  local pools, used, devices, usd_h = {}, {}, 0, 0
  for _, group in ipairs(groups) do
    local pool = group.candidate.pool
    if not used[pool] then pools[#pools + 1] = pool end
    used[pool] = (used[pool] or 0) + group.devices
  end
  for _, pool in ipairs(pools) do
    local node = (pool.device.domain or 1) > 1 and pool.device.node_size or 1
    local whole = (used[pool] + node - 1) // node * node
    devices, usd_h = devices + whole, usd_h + whole * pool.usd_h
  end
  return devices, usd_h
end

--- Devices of a fleet of groups, of those there are, while it is rolled out, and were whole nodes to be paid.
---@param gpus integer|nil nil where no limit was given
function fleet_facts.add_devices(fact, groups, devices, most, gpus)
  local whole, usd_h = in_nodes(groups)
  fact("gpus", gpus, "")
  fact("most_devices", most, "")
  fact("whole_devices", whole, "")
  fact("whole_usd_h", usd_h, "USD/h")
  fact("devices", devices, "", "Devices", { text = (gpus and "{devices} of {gpus} at most" or "{devices}")
    .. (most > devices and ", {most_devices} while a new version is rolled out" or "")
    .. (whole > devices and "; where nodes are rented whole {whole_devices}, {whole_usd_h}" or "") })
end

--- What the fleet costs and draws, as bill.of says; `range` is that of cost_usd_h, where there is one.
function fleet_facts.add_bill(fact, costs, range)
  local function beside(name, value, unit)
    fact(name, value, unit, nil, { as_sure = ranges.along(range, value) })
  end
  beside("cost_usd_month", costs.cost_usd_month, "USD")
  beside("cost_usd_year", costs.cost_usd_year, "USD")
  fact("cost_usd_h", costs.cost_usd_h, "USD/h", "Cost", { range = range,
    text = "{cost_usd_h}; {cost_usd_month} a month, {cost_usd_year} a year" })
  beside("usd_per_request", costs.usd_per_request, "USD")
  beside("usd_per_million_all", costs.usd_per_million_all, "USD")
  fact("usd_per_million", costs.usd_per_million, "USD", "Cost per million tokens",
    { as_sure = ranges.along(range, costs.usd_per_million), text = "{usd_per_million} of output, {usd_per_million_all} of input and output; "
      .. "{usd_per_request} a request" })
  if not costs.power_w then return end
  beside("month_j", costs.month_j, "J")
  beside("request_j", costs.request_j, "J")
  fact("power_w", costs.power_w, "W", "Energy",
    { text = "{power_w} at board power; {month_j} a month, {request_j} a request" })
end

return fleet_facts

-- Plans of several systems and jobs, told apart by fields of what they are plans for: of those that agree in all of
-- them, and in fields of the plan, the best one.
local best = require("ballpark.search.best")

local differ = {}

-- Fields of a system or job and where the input of a plan has them.
local OF <const> = {
  device = function(input) return input.cluster.device.name end,
  devices = function(input) return input.cluster.network.devices end,
  nodes = function(input) return input.cluster.network.devices / input.cluster.network.node_size end,
  node_size = function(input) return input.cluster.network.node_size end,
  domain = function(input) return input.cluster.network.domain end,
  fabric = function(input) return input.cluster.network.fabric end,
  nic_bytes_s = function(input) return input.cluster.network.scaleout.bw_bytes_s end,
  price = function(input) return input.cluster.usd_h end,
  global_batch = function(input) return input.job.global_batch end,
  seq_len = function(input) return input.job.seq_len end,
  tokens = function(input) return input.job.tokens end,
}

--- What `differ` of a search names, as a list; and those of it that are fields of plans, nil where there are none.
---@param given string|string[]|nil
function differ.split(given)
  if given == nil then return nil end
  local all, plan = type(given) == "table" and given or { given }, {}
  for _, name in ipairs(all) do
    if not OF[name] then plan[#plan + 1] = name end
  end
  return all, plan[1] and plan or nil
end

local function key_of(plan, names)
  local values = {}
  for i, name in ipairs(names) do
    local value = plan.plan[name]
    if OF[name] then value = OF[name](plan.input) end
    values[i] = tostring(value)
  end
  return table.concat(values, "\n")
end

--- The first of those plans that agree in the fields; all where `names` is nil.
function differ.first(plans, names)
  if not names then return plans end
  return best.of_each(plans, function(plan) return key_of(plan, names) end)
end

return differ

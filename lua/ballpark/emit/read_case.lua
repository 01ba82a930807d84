-- The case of settings that are read: what the rows look at, as far as a file says it.
local engines = require("ballpark.catalog.engines")
local launch = require("ballpark.emit.launch")

local read_case = {}

local Case = setmetatable({}, { __index = launch.Case })
Case.__index = Case

--- Devices that tensor, pipeline and context parallelism leave to data-parallel ranks; nil where nobody said how many
--- devices there are.
function Case:left_over()
  local devices = self.network.devices
  return devices and math.max(1, devices // (self.plan.tp * self.plan.pp * self.plan.cp))
end

--- Brings up to date what follows from the plan.
function Case:follow()
  local plan = self.plan
  self.ranks = math.max(1, plan.dp) * plan.cp
  local batch = self.job and self.job.global_batch
  if batch and plan.dp > 0 then self.time.micro_batches = math.max(1, batch // (plan.dp * plan.micro_batch)) end
end

-- The default of a field as scenarios write it.
local function default_of(field)
  local value = field.default
  if field.kind == "flag" and type(value) == "number" then return value ~= 0 end
  if field.kind == "enum" and type(value) == "number" then return field.names[math.tointeger(value) + 1] end
  return field.kind == "int" and math.tointeger(value) or value
end

--- Fields of a group with their defaults.
function read_case.defaults(list)
  local group = {}
  for _, field in ipairs(list) do group[field.name] = default_of(field) end
  return group
end

--- The case of training: model and job as they were read, devices where they were said.
---@param read { model: table|nil, job: table, devices: integer|nil }
function read_case.training(read)
  local model = read.model and launch.shape_of(read.model) or { layers = 1, experts = 0 }
  local c = setmetatable({ model = model, job = read.job, plan = read_case.defaults(launch.plan_fields()),
    network = { devices = read.devices }, time = { micro_batches = 1 }, device = {},
    estimate = { input = { model = model } } }, Case)
  c:follow()
  return c
end

--- The case of a replica.
---@param groups table<string, table[]> descriptions of the fields of plan and of engine
---@param engine string its name
function read_case.serving(groups, engine)
  local set = engines.get(engine)
  local c = { plan = read_case.defaults(groups.plan), engine = read_case.defaults(groups.engine) }
  for name in pairs(c.engine) do
    if set[name] ~= nil then c.engine[name] = set[name] end
  end
  c.engine.reserve = set.reserve
  function c.follow() end
  return c
end

return read_case

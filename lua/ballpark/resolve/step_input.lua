-- What the core is asked about one plan: the input of core.train_step and of all that takes the same.
local schedules = require("ballpark.schedules")
local simulated = require("ballpark.resolve.simulated")
local tables = require("ballpark.tables")

local step_input = {}

-- Answers have the name of a schedule that the scenario wrote; the input has the schedule.
local function with_schedule(input, plan)
  local own = (input.plan or {}).schedule
  return schedules.is_own(own) and plan.schedule == own.name and tables.with(plan, { schedule = own }) or plan
end

--- {model=, device=, network=, plan=, job=, profile=} of an input with its cluster; without a plan the one of defaults.
--- For ballpark.resolve.simulated, which takes schedules of scenarios, too.
---@param input table
---@param plan? table
---@return table
function step_input.of(input, plan)
  return { model = input.model, device = input.cluster.device, network = input.cluster.network,
    plan = with_schedule(input, plan or {}), job = input.job, profile = input.profile }
end

--- The same for the core itself, which has a stand-in for the schedule of a scenario.
function step_input.plain(input, plan)
  local asked = step_input.of(input, plan)
  asked.plan = simulated.plain(asked.plan)
  return asked
end

return step_input

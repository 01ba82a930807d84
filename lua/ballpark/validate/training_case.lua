-- A row of measured training as an estimate: its input, what was assumed, the prediction and the measurement.
local rules = require("ballpark.validate.rules")
local target = require("ballpark.validate.target")

local training_case = {}

--- The case of rules.resolve with `input` (of train_step), `out` (the estimate), `time` (of target.time),
--- step_s and measured_step_s; errors of the row are raised.
---@param row table
---@param context table see rules.resolve
---@return table
function training_case.of(row, context)
  local case = rules.resolve(row, context)
  case.input = { model = case.model, device = case.device, network = case.network,
    plan = case.plan, job = case.job, profile = case.profile }
  case.time = target.time(case)
  if case.time and case.time.said then case.assumed[#case.assumed + 1] = case.time.said end
  case.out = context.estimate(case.input)
  case.step_s = case.out.time.step_s
  case.measured_step_s = case.time and case.time.measured_step_s
  return case
end

return training_case

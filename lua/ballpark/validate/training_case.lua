-- A row of measured training as an estimate: its facts, its input, what was assumed, the prediction, the measurement.
local device_could_hold = require("ballpark.validate.device_could_hold")
local profiles = require("ballpark.catalog.profiles")
local resolve = require("ballpark.resolve.training")
local target = require("ballpark.validate.target")
local training_facts = require("ballpark.measured.training_facts")

local training_case = {}

-- The facts with the coefficients that a study forces on all rows: a table, or the name of a class.
local function with_profile(facts, forced)
  facts.profile = type(forced) == "string" and profiles.named(forced) or forced
  return facts
end

--- The case of ballpark.resolve.training with `row`, `input` (of train_step), `out` (the estimate), `time` (of
--- target.time), step_s and measured_step_s; errors of the row are raised.
---@param row table
---@param context table estimate(input) -> result with memory and time; and may force a profile
---@return table
function training_case.of(row, context)
  local facts, said = training_facts.of(row)
  return training_case.resolved(row, with_profile(facts, context.profile), said, context)
end

--- The same of a row whose facts are known.
function training_case.resolved(row, facts, said, context)
  local case = resolve.resolve(facts, { estimate = context.estimate })
  case.row, case.context = row, context
  table.move(case.assumed, 1, #case.assumed, #said + 1, case.assumed)
  table.move(said, 1, #said, 1, case.assumed)
  case.input = resolve.input(case)
  device_could_hold.check(case)
  case.out = context.estimate(case.input)
  case.time = target.time(case)
  if case.time and case.time.said then case.assumed[#case.assumed + 1] = case.time.said end
  case.step_s = case.out.time.step_s
  case.measured_step_s = case.time and case.time.measured_step_s
  return case
end

return training_case

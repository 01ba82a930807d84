-- Pipeline schedules simulated: built in by name, or a function that says what every device does.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local questions = require("ballpark.questions")
local schedules = require("ballpark.schedules")
local tables = require("ballpark.tables")

local pipeline = {}

--- The order of a schedule given as a function: asked once per device.
---@param order function (device, p, m, v) -> list of {kind = "F"|"B"|"W", chunk =, micro_batch =}
local function lists_of(order, input)
  for _, field in ipairs({ "stages", "micro_batches" }) do
    if math.type(input[field]) ~= "integer" or input[field] < 1 then
      errors.input("pipeline." .. field, "must be a whole number, at least 1")
    end
  end
  return schedules.lists(order, input.stages, input.micro_batches, input.vpp or 1, "pipeline.schedule")
end

local function request(input)
  local asked = tables.with(input)
  asked.name = nil
  if type(asked.schedule) == "function" then
    asked.order, asked.schedule = lists_of(asked.schedule, input), nil
  end
  asked.steps = true
  return asked
end

local function fullest(answer)
  local most = answer.devices[1]
  for _, device in ipairs(answer.devices) do
    if device.peak > most.peak then most = device end
  end
  return most
end

--- Simulates one step of a pipeline.
---
--- `schedule` is a name of the plan's schedules or a function (device, p, m, v) -> list of
--- {kind =, chunk =, micro_batch =, with_next =}: everything counts from 0; B is the whole backward
--- unless the same device has a W for it; with_next runs an operation together with the next one.
--- `layout` says where the stages of such a schedule lie: "loop", "v" or "both_ways".
---
--- Times are seconds per device and micro-batch, or lists by stage in the order of the model.
---
--- The answer: makespan_s; span_s, the longest that one device takes; work_s of the busiest device;
--- bubble_s = span_s - work_s; closed_s, the bubble of the closed form where it applies; devices =
--- { { device, busy_s, idle_s, in_flight, peak, peak_at_s, steps = { { kind, chunk, micro_batch,
--- start_s, end_s, kept }, ... } }, ... }, where peak and kept are bytes when activation_bytes is given
--- and micro-batches otherwise.
---@param input table stages, micro_batches and, optional, schedule, vpp, group, forward_s, backward_s,
--- weight_s, send_s, activation_bytes, weight_frac, pair_frac, layout, name
function pipeline.run(input)
  questions.check_known("pipeline", input)
  local answer = core.pipeline(request(input))
  answer.kind = "pipeline"
  answer.stages, answer.micro_batches, answer.vpp = input.stages, input.micro_batches, input.vpp or 1
  answer.schedule = type(input.schedule) == "string" and input.schedule or nil
  if input.schedule == nil then answer.schedule = "1f1b" end
  answer.name = input.name or answer.schedule or "own schedule"
  answer.in_bytes = input.activation_bytes ~= nil
  answer.fullest = fullest(answer)
  return answer
end

return pipeline

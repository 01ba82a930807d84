-- Plans whose pipeline is simulated: the step of a schedule that a scenario writes, which has no closed form, and when
-- in a step each stage of any plan is fullest.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local schedules = require("ballpark.schedules")
local tables = require("ballpark.tables")

local simulated = {}

-- What the core takes in place of a schedule that it does not know: nothing of its closed form is used then.
local STAND_IN <const> = "1f1b"

--- The plan as the core takes it.
function simulated.plain(plan)
  return schedules.is_own(plan.schedule) and tables.with(plan, { schedule = STAND_IN }) or plan
end

-- Parts of the model on a device.
local function chunks_of(plan)
  local facts = schedules.of(plan.schedule)
  return facts.interleaves and plan.vpp or facts.chunks
end

-- The values of stages by the way of a micro-batch, whose parts lie on the devices one after the other (loop) or back
-- and forth (v). Of two directions (both_ways) each passes every stage once.
local function by_way(values, plan)
  local layout, list = schedules.of(plan.schedule).layout, {}
  local parts = layout == "both_ways" and 1 or chunks_of(plan)
  for part = 0, parts - 1 do
    local back = layout == "v" and part % 2 == 1
    for i = 1, plan.pp do list[#list + 1] = values[back and plan.pp + 1 - i or i] / parts end
  end
  return list
end

local function each(stages, value_of)
  local list = {}
  for i, stage in ipairs(stages) do list[i] = value_of(stage) end
  return list
end

-- What core.pipeline takes of the times of stages, with `more` seconds for the sends of every pass.
local function request(stages, plan, micro_batches, more)
  local function way(value_of) return by_way(each(stages, value_of), plan) end
  return { stages = plan.pp, micro_batches = micro_batches,
    forward_s = way(function(stage) return stage.forward_s + more end),
    backward_s = way(function(stage) return stage.backward_s + more end),
    weight_s = way(function(stage) return stage.weight_s end),
    activation_bytes = way(function(stage) return stage.micro_bytes end) }
end

-- Sends hold up both of their ends, as in the closed forms, so that they are part of the passes.
local function run_own(own, stages, plan, micro_batches, steps)
  local chunks = chunks_of(plan)
  local count = 2 * plan.pp * chunks * micro_batches
  if count > core.pipeline_units_max then
    errors.input("plan.schedule", ("makes %d operations of a step, more than the %d that are simulated"):format(count,
      core.pipeline_units_max))
  end
  local asked = request(stages, plan, micro_batches, stages[1].send_shown_s)
  asked.vpp, asked.layout, asked.steps = chunks, own.layout, steps
  asked.order = schedules.lists(own.order, plan.pp, micro_batches, chunks, "plan.schedule")
  return core.pipeline(asked)
end

--- One step of a plan's pipeline, as core.pipeline answers it. nil where a built-in schedule has too many operations.
---@param stages table[] of core.train_stages
---@param plan table resolved
---@param micro_batches integer
---@param steps boolean|nil with the operations of every device
function simulated.pipeline(stages, plan, micro_batches, steps)
  local own = plan.schedule
  if schedules.is_own(own) then return run_own(own, stages, plan, micro_batches, steps) end
  if 2 * plan.pp * plan.vpp * micro_batches > core.pipeline_units_max then return nil end
  local asked = request(stages, plan, micro_batches, 0)
  asked.schedule, asked.vpp, asked.send_s, asked.steps = own, plan.vpp, stages[1].send_s, steps
  return core.pipeline(asked)
end

-- The input as the core takes it, and what the simulation of its own schedule says, with the core's estimate under
-- another one; no simulation without a pipeline.
local function run_of(asked)
  local own, plain = asked.plan.schedule, tables.with(asked, { plan = simulated.plain(asked.plan) })
  if not own.interleaves and (plain.plan.vpp or 1) > 1 then
    errors.input("plan.vpp", ("must be 1 under %s: layout %s has two chunks on each device"):format(own.name, own.layout))
  end
  local base = core.train_step(plain)
  if base.plan.pp == 1 then return plain, nil, base end
  local plan = tables.with(base.plan, { schedule = own })
  local ran = simulated.pipeline(core.train_stages(plain), plan, base.time.micro_batches)
  return plain, { makespan_s = ran.makespan_s, weight_copies = own.weight_copies,
    in_flight = each(ran.devices, function(device) return device.in_flight end) }, base
end

--- What core.train_step says of its input; the plan's schedule may be one of the scenario.
function simulated.step(asked)
  if not schedules.is_own(asked.plan.schedule) then return core.train_step(asked) end
  local plain, ran, base = run_of(asked)
  if not ran then return base end
  local step = core.simulated_step(plain, ran)
  step.plan.schedule = asked.plan.schedule.name
  return step
end

--- What core.train_stages says of its input; the plan's schedule may be one of the scenario.
function simulated.stages(asked)
  if not schedules.is_own(asked.plan.schedule) then return core.train_stages(asked) end
  local plain, ran = run_of(asked)
  return core.train_stages(plain, ran)
end

return simulated

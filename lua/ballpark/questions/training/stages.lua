-- The stages of an estimate's pipeline: memory of each, and when in a step it is fullest, by the simulation of
-- the plan's schedule.
local core = require("ballpark.core")
local schedules = require("ballpark.schedules")
local step_input = require("ballpark.resolve.step_input")

local stages = {}

-- Where the parts of a stage lie on the way of a micro-batch: `chunks` of each device, one after the other (loop) or
-- back and forth (v). Of two directions (both_ways) each passes every stage once.
local function by_way(list, plan, field)
  local facts, values = schedules.of(plan.schedule), {}
  local chunks = facts.interleaves and plan.vpp or facts.layout ~= "both_ways" and facts.chunks or 1
  for chunk = 0, chunks - 1 do
    local back = facts.layout == "v" and chunk % 2 == 1
    for i = 1, plan.pp do
      values[#values + 1] = list[back and plan.pp + 1 - i or i][field] / chunks
    end
  end
  return values
end

-- Peaks by device, or nil where there is no simulation: too many operations, or nothing to order.
local function simulated(list, answer)
  local plan, micro_batches = answer.plan, answer.time.micro_batches
  if 2 * plan.pp * plan.vpp * micro_batches > core.pipeline_units_max then return nil end
  return core.pipeline({ stages = plan.pp, micro_batches = micro_batches, vpp = plan.vpp, schedule = plan.schedule,
    forward_s = by_way(list, plan, "forward_s"), backward_s = by_way(list, plan, "backward_s"),
    weight_s = by_way(list, plan, "weight_s"), activation_bytes = by_way(list, plan, "micro_bytes"),
    send_s = list[1].send_s }).devices
end

-- What is there all through a step.
local function standing(memory)
  return memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes + memory.overhead_bytes
end

--- What the core says of every stage of an answer's plan: layers (multi-token-prediction layers are the last's),
--- times and memory.
function stages.by_core(answer)
  return core.train_stages(step_input.of(answer.input, answer.plan))
end

--- Every stage: what the core says of it, its memory by field (stage, activations_bytes, in_flight, ...),
--- standing_bytes (weights, gradients, states, overhead), peak_bytes (all of it), and of the simulated step
--- peak_at_s and pipeline_idle_frac. Empty without a pipeline.
---@param answer table of an estimate, or a plan of a search
---@return table[]
function stages.of(answer)
  if answer.plan.pp == 1 then return {} end
  local list = stages.by_core(answer)
  local devices = simulated(list, answer) or {}
  for i, stage in ipairs(list) do
    local memory, device = stage.memory, devices[i]
    for name, value in pairs(memory) do stage[name] = value end
    stage.standing_bytes, stage.peak_bytes = standing(memory), memory.total_bytes
    stage.peak_at_s = device and device.peak_at_s
    stage.pipeline_idle_frac = device and device.idle_s / (device.idle_s + device.busy_s)
  end
  return list
end

-- More stages than this are shown by the first, the last, the fullest and the slowest.
local MOST_SHOWN <const> = 8

local function fullest(list)
  local most = 1
  for i, stage in ipairs(list) do
    if stage.peak_bytes > list[most].peak_bytes then most = i end
  end
  return most
end

-- Rows that people do not see; `slowest` is the stage, 0-based.
local function left_out(list, slowest)
  local skip = {}
  if #list <= MOST_SHOWN then return skip end
  local shown = { [1] = true, [2] = true, [#list] = true, [#list - 1] = true, [fullest(list)] = true,
    [slowest + 1] = true }
  for i = 1, #list do skip[i] = not shown[i] end
  return skip
end

-- What the short titles mean.
local WORDS <const> = "Stages: always there are weights, gradients, optimizer states and overhead, kept are "
  .. "activations of the micro-batches in flight; a stage waits for other stages in the simulated pipeline, where "
  .. "its own waits for the host and for copies count as work."

--- The table of the stages of a pipeline; `hide` leaves it to machine formats.
function stages.show(r, answer, hide)
  if r.numbers_only or answer.plan.pp == 1 then return end
  local list = stages.of(answer)
  local skip = left_out(list, answer.time.slowest_stage)
  if not hide then r:note(WORDS) end
  r:table({ name = "stages", title = next(skip) and ("Stages (of %d)"):format(#list) or "Stages", rows = list,
    skip = skip, hide = hide, columns = {
      { name = "stage" }, { name = "layers" },
      { name = "standing_bytes", unit = "B", title = "always", scale = "bytes" },
      { name = "activations_bytes", unit = "B", title = "kept", scale = "bytes" },
      { name = "working_bytes", unit = "B", title = "working", scale = "bytes" },
      { name = "logits_bytes", unit = "B", title = "logits", scale = "bytes" },
      { name = "host_bytes", unit = "B", title = "on host", scale = "bytes", hide = answer.memory.host_bytes == 0 },
      { name = "nvme_bytes", unit = "B", title = "on drives", scale = "bytes", hide = answer.memory.nvme_bytes == 0 },
      { name = "peak_bytes", unit = "B", title = "peak", scale = "bytes" },
      { name = "in_flight", title = "in flight" },
      { name = "peak_at_s", unit = "s", title = "peak from", hide = true },
      { name = "pipeline_idle_frac", unit = "frac", title = "waits" },
      { name = "forward_s", unit = "s", title = "forward", hide = true },
      { name = "backward_s", unit = "s", title = "backward", hide = true },
      { name = "fit_probability", unit = "frac", title = "fits", hide = true },
    } })
end

return stages

-- The stages of an estimate's pipeline: memory of each, and when in a step it is fullest, by the simulation of
-- the plan's schedule.
local pipeline_show = require("ballpark.questions.pipeline.show")
local simulated = require("ballpark.resolve.simulated")
local step_input = require("ballpark.resolve.step_input")

local stages = {}

-- What is there all through a step.
local function standing(memory)
  return memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes + memory.overhead_bytes
end

--- What the core says of every stage of an answer's plan: layers (multi-token-prediction layers are the last's),
--- times and memory.
function stages.by_core(answer)
  return simulated.stages(step_input.of(answer.input, answer.plan))
end

--- Every stage: what the core says of it, its memory by field (stage, activations_bytes, in_flight, ...),
--- standing_bytes (weights, gradients, states, overhead), peak_bytes (all of it), and of the simulated step
--- peak_at_s and pipeline_idle_frac. Empty without a pipeline.
---@param answer table of an estimate, or a plan of a search
---@param steps boolean|nil whether the list is to have the simulated step too, with its operations, as `ran`
---@return table[]
function stages.of(answer, steps)
  if answer.plan.pp == 1 then return {} end
  local list = stages.by_core(answer)
  local ran = simulated.pipeline(list, step_input.of(answer.input, answer.plan).plan, answer.time.micro_batches, steps)
  list.ran = steps and ran
  local devices = ran and ran.devices or {}
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
  local list = stages.of(answer, r.illustrated)
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
      { name = "weights_bytes", unit = "B", title = "weights", hide = true },
      { name = "gradients_bytes", unit = "B", title = "gradients", hide = true },
      { name = "optimizer_bytes", unit = "B", title = "optimizer states", hide = true },
      { name = "overhead_bytes", unit = "B", title = "context, fragmentation", hide = true },
    } })
  if r.illustrated and list.ran then
    local operations = pipeline_show.operations(r, { devices = list.ran.devices, in_bytes = true })
    operations.title, operations.hide = "The pipeline of the plan", true
  end
end

return stages

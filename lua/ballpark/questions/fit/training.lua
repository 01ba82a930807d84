-- Memory of training on one's own examples, by the kernel and the changes of finetune{}.
local case = require("ballpark.questions.finetune.case")
local catalog = require("ballpark.catalog")
local changes = require("ballpark.questions.finetune.changes")
local largest = require("ballpark.questions.finetune.largest")
local plan_text = require("ballpark.questions.training.plan_text")
local profiles = require("ballpark.catalog.profiles")

local training = {}

-- The input of finetune{} that a setup is.
local function input_of(setup)
  return { model = setup.model, cluster = catalog.cluster({ device = setup.device, devices = setup.devices }),
    method = setup.purpose, seq_len = setup.context_tok, batch = setup.batch * setup.devices, micro_batch = setup.batch,
    software = setup.software, rank = setup.rank, targets = setup.targets, plan = setup.plan }
end

local PARTS <const> = { { "weights_bytes", "weights" }, { "gradients_bytes", "gradients" },
  { "optimizer_bytes", "optimizer states" }, { "activations_bytes", "activations" }, { "working_bytes", "working set" },
  { "logits_bytes", "logits" }, { "overhead_bytes", "context, fragmentation" } }

local function parts_of(memory)
  local list = {}
  for i, part in ipairs(PARTS) do list[i] = { part[2], memory[part[1]] } end
  return list
end

--- The row of a setup with its device, see questions/fit/run.lua; without the largest batch and the longest sequence.
function training.row(setup)
  local input = input_of(setup)
  local answer = case.of(input)
  local memory, usd_h = answer.memory, input.cluster.usd_h
  return { format = answer.plan.precision, software = setup.software or profiles.USUAL_FINETUNING, need_bytes = memory.total_bytes,
    usable_bytes = memory.capacity_bytes, fits_chance = memory.fit_probability, parts = parts_of(memory),
    assumed = setup.devices > 1 and { ("%d devices: %s"):format(setup.devices, plan_text.short(answer.plan)) } or nil,
    usd_h = usd_h and usd_h * setup.devices, plan = answer.plan, answer = answer, input = input,
    step_s = answer.step_s, need_range = answer.range.total_bytes }
end

--- Adds what takes several estimates: the largest batch and the longest sequence that surely fit.
function training.complete(row)
  local found = largest.of(row.input, row.answer)
  local most = (row.setup.model.max_seq or 0) > 0 and row.setup.model.max_seq or math.huge
  row.max_batch, row.max_context_tok = found.micro_batch or 0, math.min(most, found.seq_len or 0)
end

--- Single changes of a row, those of finetune{}: { what, need_bytes, usable_bytes, fits_chance, usd_h, host_bytes,
--- times_step }.
function training.changes(row)
  local list = {}
  for i, change in ipairs(changes.of(row.input, row.answer, case.of)) do
    list[i] = { what = change.words, need_bytes = change.total_bytes, usable_bytes = change.capacity_bytes,
      fits_chance = change.fit_probability, usd_h = change.usd_h, host_bytes = change.host_bytes,
      hardware = change.hardware, another = change.another,
      times_step = change.times }
  end
  return list
end

--- Changes of the run itself, one upon the other until it surely fits: a change as above, or nil where none is enough.
function training.together(row)
  local found = changes.together(row.input, row.answer, case.of)
  return found and { what = found.words, need_bytes = found.total_bytes, usable_bytes = found.capacity_bytes,
    fits_chance = found.fit_probability, usd_h = row.usd_h, host_bytes = found.host_bytes,
    times_step = found.times }
end

return training

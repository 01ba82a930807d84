-- What is to be launched, as the targets look at it: the plan with every field filled in, model, job
-- and cluster, and which fields of the plan mean anything in this case.
local core = require("ballpark.core")
local step_input = require("ballpark.resolve.step_input")
local fields = require("ballpark.fields")
local plan_text = require("ballpark.questions.training.plan_text")
local stages = require("ballpark.questions.training.stages")
local versions = require("ballpark.emit.versions")

local launch = {}

--- Resolved shape of a model where the scenario left a field to follow from others.
function launch.shape_of(model)
  local shape = setmetatable({}, { __index = model })
  shape.kv_heads = (model.kv_heads or 0) > 0 and model.kv_heads or model.heads
  shape.head_dim = (model.head_dim or 0) > 0 and model.head_dim or model.hidden // model.heads
  shape.experts = model.experts or 0
  shape.moe_ffn = (model.moe_ffn or 0) > 0 and model.moe_ffn or model.ffn_hidden
  shape.shared_ffn = (model.shared_ffn or 0) > 0 and model.shared_ffn
    or (model.shared_experts or 0) * (shape.moe_ffn or 0)
  return shape
end

local LOW = { fp8 = true, fp8_block = true, mxfp8 = true, int8 = true, nvfp4 = true }

local Launch = {}
Launch.__index = Launch
launch.Case = Launch

--- Whether the field of the plan makes a difference here.
function Launch:means(field) return self.meant[field] end

--- Whether the plan says how many layers the end stages have.
function Launch:is_cut() return self.plan.first_layers > 0 or self.plan.last_layers > 0 end

-- Chunks of stages of which the ends have a number of their own.
local function cut_chunks(plan, layers)
  local chunks = {}
  local first, last = plan.first_layers, plan.last_layers
  local others = plan.pp - (first > 0 and 1 or 0) - (last > 0 and 1 or 0)
  local even = others > 0 and (layers - first - last) // others or 0
  for i = 1, plan.pp * plan.vpp do
    local stage = (i - 1) % plan.pp + 1
    local given = stage == 1 and first or stage == plan.pp and last or 0
    chunks[i] = (given > 0 and given or even) // plan.vpp
  end
  return chunks
end

-- Of a pipeline without virtual stages, as the estimate has them.
local function estimated_chunks(c)
  local chunks = {}
  for i, stage in ipairs(stages.by_core(c.estimate)) do chunks[i] = stage.layers end
  chunks[#chunks] = chunks[#chunks] - (c.model.mtp_layers or 0)
  return chunks
end

--- Layers of every pipeline chunk: of stages as the estimate has them, of virtual ones as even as they can be, where
--- the first take what is left over.
function Launch:chunks()
  if self:is_cut() then return cut_chunks(self.plan, self.model.layers) end
  local chunks, count = {}, self.plan.pp * self.plan.vpp
  if self.plan.vpp == 1 and self.model.layers % count > 0 then return estimated_chunks(self) end
  for i = 1, count do
    chunks[i] = self.model.layers // count + (i <= self.model.layers % count and 1 or 0)
  end
  return chunks
end

--- Micro-batches of one virtual stage in a row.
function Launch:group()
  return core.bubble({ stages = self.plan.pp, vpp = self.plan.vpp, micro_batches = self.time.micro_batches }).group
end

--- The case of an estimate.
function launch.new(estimate)
  local input, network = estimate.input, estimate.input.cluster.network
  local node = math.min(network.node_size or 8, network.devices)
  local c = setmetatable({
    estimate = estimate, plan = estimate.plan, model = launch.shape_of(input.model), job = input.job, network = network,
    device = input.cluster.device, time = estimate.time, memory = estimate.memory,
    steps = math.tointeger(estimate.run.steps), ranks = estimate.plan.dp * estimate.plan.cp,
    meant = core.plan_means(step_input.plain(input, estimate.plan)),
    low_precision = LOW[estimate.plan.precision] or false,
    devices_per_node = node, nodes = (network.devices + node - 1) // node,
  }, Launch)
  return c
end

--- Descriptions of the plan's fields that are settings, in the core's order: {name =, kind =, default =}.
function launch.plan_fields()
  local list = {}
  for _, field in ipairs(fields.input("train_step", "plan")) do
    if field.kind ~= "note" then list[#list + 1] = field end
  end
  return list
end

--- What stands on top of every file: subject, plan, what is expected of it, what is not expressed.
function launch.header(c, target, missing)
  local lines = {
    (c.model.name or "model") .. " on " .. c.network.devices .. " x " .. (c.device.name or "device")
      .. ", for " .. versions.title(target),
    "Plan: " .. plan_text.words(c.plan),
    ("Expected: %.4g s per step, %.4g GiB of memory on the fullest stage"):format(c.time.step_s,
      c.memory.total_bytes / (1 << 30)),
  }
  if #missing > 0 then lines[#lines + 1] = "Not expressed here:" end
  for _, text in ipairs(missing) do lines[#lines + 1] = "  " .. text end
  return lines
end

return launch

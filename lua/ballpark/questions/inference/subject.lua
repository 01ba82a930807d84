-- What an inference procedure is asked about, brought to one form: a stack of transformer layers, stages of
-- such stacks, or a convolutional network; and the call that times a batch of it.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local near = require("ballpark.near")
local networks = require("ballpark.catalog.networks")
local shared_memory = require("ballpark.resolve.shared_memory")
local tables = require("ballpark.tables")

local subject = {}

local function by_name(name)
  if networks.resolve(name) then return networks.get(name) end
  local known, e = errors.attempt(catalog.model, name)
  if known then return e end
  local meant = near.name(tostring(name), networks.names())
  if meant then errors.input("model." .. tostring(name), ("unknown model, did you mean '%s'?"):format(meant)) end
  error(e, 0)
end

--- { kind = "convnet" | "stages" | "stack", spread = kind of network, name, network | stages | model } of a
--- catalog name, the totals of a convolutional network, or the fields of a model.
function subject.of(value)
  local spec = type(value) == "string" and by_name(value) or value
  if type(spec) ~= "table" then errors.input("model", "must be a name or a table, got " .. type(value)) end
  if spec.image_flop then
    local network = tables.with(spec, {})
    network.kind = nil
    return { kind = "convnet", spread = "convnet", name = spec.name, network = network }
  end
  if spec.stages then
    return { kind = "stages", spread = "vision", name = spec.name, stages = spec.stages, item_bytes = spec.item_bytes,
      image = spec.image }
  end
  return { kind = "stack", spread = spec.arch == "vision" and "vision" or "encoder", name = spec.name, model = spec }
end

local SUMMED <const> = { "flop", "item_flop", "matmul_s", "attention_s", "elementwise_s", "host_s", "input_s",
  "weights_bytes" }

-- Stages follow each other: one call, whose inputs come in once.
local function stages_forward(what, input)
  local sum
  if input.image and input.image ~= what.image then
    errors.input("image", ("%s is known at %d pixels only"):format(what.name, what.image))
  end
  for i, stage in ipairs(what.stages) do
    local runtime = input.runtime
    if i > 1 then runtime = tables.with(runtime, { call_s = 0, input_bytes_s = 0 }) end
    local out = core.encode(tables.with(input, { model = stage.model, tokens = stage.tokens, runtime = runtime,
      item_bytes = input.item_bytes or what.item_bytes }))
    if not sum then
      sum = out
    else
      if out.time_s > sum.longest_s then sum.bound = out.bound end
      for _, name in ipairs(SUMMED) do sum[name] = sum[name] + out[name] end
      sum.time_s = sum.time_s + out.time_s
      sum.memory_bytes = math.max(sum.memory_bytes, out.memory_bytes)
    end
    sum.longest_s = math.max(sum.longest_s or 0, out.time_s)
  end
  sum.memory_bytes = sum.memory_bytes + sum.weights_bytes
  sum.per_s, sum.longest_s, sum.tokens = input.batch / sum.time_s, nil, nil
  sum.fits = sum.memory_bytes <= shared_memory.usable(input.device)
  sum.util_frac = nil
  return sum
end

--- Times a batch: fields of core.encode or core.convnet_forward.
---@param what table of subject.of
---@param input table device, runtime, dtype, batch and what encode{} takes besides
function subject.forward(what, input)
  if what.kind == "stages" then return stages_forward(what, input) end
  if what.kind == "convnet" then
    if input.tokens then errors.input("tokens", "are for transformers; a convolutional network sees images") end
    return core.convnet_forward({ network = what.network, device = input.device, runtime = input.runtime,
      dtype = input.dtype, batch = input.batch, image = input.image, item_bytes = input.item_bytes })
  end
  return core.encode(tables.with(input, { model = what.model }))
end

return subject

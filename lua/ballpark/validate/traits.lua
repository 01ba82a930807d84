-- What an estimate says of a row, to group errors by beside the columns of its table: the largest part of the
-- predicted step, what it waits for beside computing, and classes of size.
local core = require("ballpark.core")
local shapes = require("ballpark.resolve.shapes")
local show = require("ballpark.questions.estimate.show")

local traits = {}

local part = { "part", "largest part of the predicted step" }
local size = { "size", "class of parameters" }
local devices = { "devices", "class of devices" }

--- Names and meanings of the derived groups, by kind of table.
traits.of = {
  training = { part, { "beside", "largest part of the predicted step beside computing, of 5 % or more" }, size,
    devices },
  serving = { { "part", "largest part of a predicted step that only decodes" }, size, devices,
    { "clients", "class of requests in flight per replica" } },
}

--- { table, name, meaning } of all of them, for explain.
function traits.reference()
  local list = {}
  for _, kind in ipairs({ "training", "serving" }) do
    for _, trait in ipairs(traits.of[kind]) do list[#list + 1] = { kind, trait[1], trait[2] } end
  end
  return list
end

-- Ends of classes.
local BILLIONS <const>, COUNTS <const> = { 1, 3, 10, 30, 100 }, { 1, 8, 64, 512 }

-- "3 to 10 B" of 7 and { 1, 3, 10 }: from each end to below the next.
local function size_class(billions)
  local low = 0
  for _, high in ipairs(BILLIONS) do
    if billions < high then return ("%d to %d B"):format(low, high) end
    low = high
  end
  return ("%d B and more"):format(low)
end

-- "2 to 8" of 5 and { 1, 8 }: from above each end to the next.
local function count_class(count)
  local low = 0
  for _, high in ipairs(COUNTS) do
    if count <= high then return low + 1 == high and tostring(high) or ("%d to %d"):format(low + 1, high) end
    low = high
  end
  return ("%d and more"):format(low + 1)
end

-- Least share of a step that names it beside computing.
local LEAST <const> = 0.05

local function largest(time, wanted)
  local title, most
  for _, entry in ipairs(show.time_parts) do
    local value = time[entry[1]]
    if value and wanted(entry[3]) and (not most or value > most) then title, most = entry[2], value end
  end
  return title, most
end

local function any() return true end
local function idle(kind) return kind ~= "compute" end

local function beside(time)
  local title, most = largest(time, idle)
  return most and most < LEAST * time.step_s and "nothing" or title
end

--- Traits of a training run: input and output of train_step.
---@return table<string, string>
function traits.training(input, out, count)
  return { part = largest(out.time, any), beside = beside(out.time),
    size = size_class(shapes.params(input.model) / 1e9), devices = count_class(count) }
end

local serving_parts = {
  { "matmul_s", "dense matmuls" }, { "moe_s", "experts" }, { "decode_s", "attention" }, { "head_s", "vocabulary head" },
  { "collective_s", "traffic between ranks" }, { "elementwise_s", "elementwise" }, { "host_s", "host" },
}

local function largest_of_decoding(input)
  local load, plan = input.load, input.plan
  local step = core.infer_step({ model = input.model, device = input.device, network = input.network,
    curves = input.curves, plan = plan, engine = input.engine, sequences = load.concurrency,
    context = load.input_tokens + load.output_tokens / 2 })
  local title, most
  for _, entry in ipairs(serving_parts) do
    if not most or step[entry[1]] > most then title, most = entry[2], step[entry[1]] end
  end
  return title
end

--- Traits of a point of a serving benchmark: input of serve.
---@return table<string, string>
function traits.serving(input)
  local plan = input.plan
  return { part = largest_of_decoding(input), size = size_class(shapes.params(input.model) / 1e9),
    devices = count_class(plan.tp * plan.pp * plan.dp), clients = count_class(input.load.concurrency) }
end

return traits

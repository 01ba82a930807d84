-- What would make a run fit, or what else could be had: single changes of the input, each estimated.
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local prices = require("ballpark.catalog.prices")
local tables = require("ballpark.tables")

local changes = {}

-- Chance of fitting that a search asks for.
local SURE <const> = 0.9

local function of_plan(words, fields)
  return { words = words, apply = function(input)
    return tables.with(input, { plan = tables.with(input.plan or {}, fields) })
  end }
end

local function of_input(words, fields)
  return { words = words, apply = function(input) return tables.with(input, fields) end }
end

local function clustered(input, spec)
  local catalog = require("ballpark.catalog")
  local changed = tables.with(input.cluster.spec or {}, spec)
  changed.nodes = nil
  return tables.with(input, { cluster = catalog.cluster(changed) })
end

-- Devices of the same vendor with more memory that have a price, cheapest first.
local function larger_devices(answer)
  local own, list = answer.input.cluster.device, {}
  for _, name in ipairs(devices.names()) do
    local device, price = devices.get(name), (prices.get(name))
    if price and device.vendor == own.vendor and device.memory_bytes > 1.05 * own.memory_bytes then
      list[#list + 1] = { name = name, price = price, memory = device.memory_bytes }
    end
  end
  table.sort(list, function(a, b)
    if a.price ~= b.price then return a.price < b.price end
    return a.name < b.name
  end)
  return list
end

-- The first of them that surely holds the run, else the one with the most memory.
local function next_device(input, answer, evaluate)
  local most
  for _, device in ipairs(larger_devices(answer)) do
    local ok, other = pcall(evaluate, clustered(input, { device = device.name }))
    if ok and other.memory.fit_probability >= SURE then return device.name end
    most = (not most or device.memory > most.memory) and device or most
  end
  return most and most.name
end

-- Changes that differ from what the answer has, cheapest first.
local function list_of(input, answer, evaluate)
  local plan, list = answer.plan, {}
  local frozen = (plan.lora_rank or 0) > 0
  local function add(wanted, change) if wanted then list[#list + 1] = change end end
  add(plan.recompute ~= "full", of_plan("full recomputation (gradient checkpointing)", { recompute = "full" }))
  add(plan.cross_entropy == "plain", of_plan("loss without copies of the logits (Liger, cut cross-entropy)",
    { cross_entropy = "chunked" }))
  add(plan.micro_batch > answer.sequences, of_input("micro-batch of one example", { micro_batch = 1 }))
  add(not frozen and plan.optimizer ~= "adam_8bit", of_plan("8-bit AdamW", { optimizer = "adam_8bit" }))
  add(not frozen and plan.optimizer ~= "paged_adam_8bit", of_plan("8-bit AdamW, paged to the host",
    { optimizer = "paged_adam_8bit" }))
  add(not frozen, of_plan("states of the optimizer in host memory", { offload = "optimizer" }))
  add(plan.offload_activations == 0 and plan.recompute == "full",
    of_plan("checkpoints in host memory", { offload_activations = 1 }))
  add(not frozen, of_input("LoRA", { method = "lora" }))
  add(plan.base_bits == 16, of_input("QLoRA: frozen weights in 4 bit", { method = "qlora" }))
  add(answer.seq_len > 512 and not answer.generation, of_input("sequences of half the length",
    { seq_len = answer.seq_len // 2 }))
  local count = answer.input.cluster.network.devices
  if answer.memory.fit_probability >= SURE then return list end
  list[#list + 1] = { words = ("%d devices, states sharded (ZeRO 3)"):format(2 * count), apply = function(given)
    local wider = clustered(given, { devices = 2 * count })
    return tables.with(wider, { plan = tables.with(given.plan or {}, { zero = 3 }) })
  end }
  local other = next_device(input, answer, evaluate)
  add(other, { words = "on " .. tostring(other), apply = function(given) return clustered(given, { device = other }) end })
  return list
end

--- Each change with what it makes of the run: { words, total_bytes, capacity_bytes, fit_probability, step_s,
--- tokens_per_s }; what the core refuses is left out.
---@param input table of finetune{}
---@param answer table of case.of
---@param evaluate fun(input: table): table
function changes.of(input, answer, evaluate)
  local held = tables.with(input, { micro_batch = answer.plan.micro_batch // answer.sequences })
  local rows = {}
  for _, change in ipairs(list_of(held, answer, evaluate)) do
    local ok, other = pcall(evaluate, change.apply(held))
    if ok then
      rows[#rows + 1] = { words = change.words, total_bytes = other.memory.total_bytes,
        capacity_bytes = other.memory.capacity_bytes, fit_probability = other.memory.fit_probability,
        step_s = other.step_s }
    elseif not errors.is(other) then
      error(other, 0)
    end
  end
  return rows
end

return changes

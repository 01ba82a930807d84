-- What would make a run fit, or what else could be had: single changes of the input, each estimated.
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local prices = require("ballpark.catalog.prices")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")

local changes = {}

local function of_plan(words, fields)
  return { words = words, apply = function(input)
    return tables.with(input, { plan = tables.with(input.plan or {}, fields) })
  end }
end

local function of_input(words, fields)
  return { words = words, apply = function(input) return tables.with(input, fields) end }
end

-- A change after which it is another run: another method, shorter samples.
local function another(change)
  change.another = true
  return change
end

-- Software beside another, of adapters on one card.
local UNLIKE <const> = { transformers = "unsloth", unsloth = "transformers" }

-- The core's word for adapters on all matrices, which a plan that says none has.
local ALL <const> = "all"

-- Other software for the same adapters: by its own defaults it would train others, which take another time.
local function by(software, answer)
  local plan = answer.plan
  return of_input(("with %s, the same adapters"):format(software), { software = software, method = answer.method,
    rank = plan.lora_rank, targets = plan.lora_targets or ALL })
end

-- As many devices as there are, or another number, in nodes as they come; or another device, for which a price in numbers
-- that was stated is none.
local function clustered(input, spec)
  local catalog = require("ballpark.catalog")
  local changed = tables.with(input.cluster.spec or {}, spec)
  changed.nodes, changed.devices = nil, spec.devices or input.cluster.network.devices
  if spec.device and type(changed.price) == "number" then changed.price = nil end
  return tables.with(input, { cluster = catalog.cluster(changed) })
end

-- What a change makes of the run; nil where it cannot be, or the core refuses it.
local function tried(change, input, evaluate)
  return errors.try(function() return evaluate(change.apply(input)) end)
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

local function on(device, count)
  return { words = ("on %d x %s"):format(count, device), hardware = true,
    apply = function(given) return clustered(given, { device = device }) end }
end

-- The first of them that surely holds the run, else the one with the most memory.
local function next_device(input, answer, evaluate)
  local count, most = answer.input.cluster.network.devices, nil
  for _, device in ipairs(larger_devices(answer)) do
    local change = on(device.name, count)
    local other = tried(change, input, evaluate)
    if other and other.memory.fit_probability >= fits.SURE then return change end
    most = (not most or device.memory > most.memory) and device or most
  end
  return most and on(most.name, count)
end

-- Devices that are tried at most: a run that needs more is no fine-tuning of few devices.
local MOST_DEVICES <const> = 256

-- States over more devices: twice as many, or as often twice as a run surely fits.
local function sharded(input, count, evaluate)
  local function over(ranks)
    return { words = ("%d devices, states sharded (ZeRO 3)"):format(ranks), hardware = true, apply = function(given)
      local wider = clustered(given, { devices = ranks })
      return tables.with(wider, { plan = tables.with(given.plan or {}, { zero = 3 }),
        batch = given.batch and math.max(given.batch, ranks * given.micro_batch) })
    end }
  end
  local wider = 2 * count
  while wider <= MOST_DEVICES do
    local other = tried(over(wider), input, evaluate)
    if other and other.memory.fit_probability >= fits.SURE then return over(wider) end
    wider = 2 * wider
  end
  return over(2 * count)
end

-- Weights, gradients and moments in 16 bit, with no copy in fp32; an optimizer of 8-bit moments stays.
local function in_16_bit(answer)
  local pure = profiles.PURE_BF16
  return { words = "weights, gradients and moments in bf16", apply = function(given)
    local plan = given.plan or {}
    local is_adam = (plan.optimizer or answer.plan.optimizer) == "adam"
    return tables.with(given, { plan = tables.with(plan, { master_bytes = pure.master_bytes, grad_bytes = pure.grad_bytes,
      optimizer = is_adam and pure.optimizer or plan.optimizer }) })
  end }
end

-- Gradients that are used as they come cannot add up: a step is one micro-batch then.
local function one_micro_batch()
  return { words = "optimizer in backward, one micro-batch a step", apply = function(given)
    return tables.with(given, { batch = given.micro_batch * given.cluster.network.devices,
      plan = tables.with(given.plan or {}, { update_in_backward = true }) })
  end }
end

-- Changes that differ from what the answer has, cheapest first.
local function list_of(input, answer, evaluate)
  local plan, list = answer.plan, {}
  local frozen = (plan.lora_rank or 0) > 0
  local function add(wanted, change) if wanted then list[#list + 1] = change end end
  add(plan.recompute ~= "full", of_plan("full recomputation (gradient checkpointing)", { recompute = "full" }))
  add(plan.cross_entropy == "plain" and answer.input.model.lm_head ~= false, of_plan("fused loss (Liger)",
    { cross_entropy = "chunked" }))
  add(plan.micro_batch > answer.sequences, of_input("micro-batch of one example", { micro_batch = 1 }))
  add(not frozen and plan.optimizer ~= "adam_8bit", of_plan("8-bit AdamW", { optimizer = "adam_8bit" }))
  add(not frozen and plan.optimizer ~= "paged_adam_8bit", of_plan("8-bit AdamW, paged to the host",
    { optimizer = "paged_adam_8bit" }))
  add(not frozen and plan.master_bytes > 0 and plan.precision == "bf16", in_16_bit(answer))
  add(not frozen, of_plan("states of the optimizer in host memory", { offload = "optimizer" }))
  add(plan.offload == "none" and answer.memory.fit_probability < fits.SURE, of_plan(frozen
    and "weights in host memory, layer by layer on the device (FSDP or ZeRO-3 offload)"
    or "weights and optimizer in host memory (FSDP or ZeRO-3 offload)", { zero = 3, offload = "optimizer_weights" }))
  add(not frozen and not plan.update_in_backward and answer.time.micro_batches == 1,
    of_plan("optimizer in backward (gradients of one layer at a time)", { update_in_backward = true }))
  add(not frozen and not plan.update_in_backward and answer.time.micro_batches > 1 and plan.tp * plan.pp * plan.cp == 1,
    another(one_micro_batch()))
  add(plan.offload_activations == 0 and plan.recompute == "full",
    of_plan("checkpoints in host memory", { offload_activations = 1 }))
  add(not frozen, another(of_input("LoRA", { method = "lora" })))
  add(not frozen or plan.base_bits == 16, another(of_input("QLoRA: frozen weights in 4 bit", { method = "qlora" })))
  local software = UNLIKE[input.software or profiles.USUAL_FINETUNING]
  local is_alone = answer.input.cluster.network.devices == 1 and answer.input.cluster.device.vendor == "NVIDIA"
  add(software and frozen and is_alone and not answer.generation, another(by(software, answer)))
  add(answer.seq_len > 512 and not answer.generation, another(of_input("sequences of half the length",
    { seq_len = answer.seq_len // 2 })))
  local count = answer.input.cluster.network.devices
  if answer.memory.fit_probability >= fits.SURE then return list end
  list[#list + 1] = sharded(input, count, evaluate)
  -- Weights of 16 bit alone are cut by such software (tp_plan of Transformers and torchtune, 2025; recalled), not those under adapters.
  local cuts = not (frozen and answer.input.case.traits.data_parallel_only)
  add(cuts and answer.input.model.heads % (2 * plan.tp) == 0, { words = ("TP %d, on %d devices"):format(2 * plan.tp, 2 * count), hardware = true,
    apply = function(given)
      local wider = clustered(given, { devices = 2 * count })
      return tables.with(wider, { plan = tables.with(given.plan or {}, { tp = 2 * plan.tp }) })
    end })
  list[#list + 1] = next_device(input, answer, evaluate)
  return list
end

-- The row of another way to run what has an answer. Steps may have other numbers of examples: times are those of one.
local function row_of(words, other, answer)
  local cluster = other.input.cluster
  return { words = words, total_bytes = other.memory.total_bytes, capacity_bytes = other.memory.capacity_bytes,
    fit_probability = other.memory.fit_probability, step_s = other.step_s, times = other.example_s / answer.example_s,
    host_bytes = other.memory.host_node_bytes, usd_h = cluster.usd_h and cluster.usd_h * cluster.network.devices }
end

-- The row of a change; nil where there is none.
local function evaluated(change, input, answer, evaluate)
  local other = tried(change, input, evaluate)
  return other and row_of(change.words, other, answer)
end

-- A recipe that steps in backward has a batch of its own, which a change keeps.
local function with_micro_batch(input, answer)
  local batch = answer.plan.update_in_backward and answer.input.job.global_batch // answer.sequences or input.batch
  return tables.with(input, { micro_batch = answer.plan.micro_batch // answer.sequences, batch = batch })
end

--- Each change with what it makes of the run: { words, total_bytes, capacity_bytes, fit_probability, step_s, times (of the
--- time of an example), usd_h, host_bytes (of a host), hardware (true of other or more devices), another (of another method
--- or shorter samples) }; what the core refuses is left out. The first is the way that was nearly taken.
---@param input table of finetune{}
---@param answer table of case.of
---@param evaluate fun(input: table): table
function changes.of(input, answer, evaluate)
  local held, beside = with_micro_batch(input, answer), answer.beside
  local rows = { beside and row_of(beside.words, beside.answer, answer) }
  for _, change in ipairs(list_of(held, answer, evaluate)) do
    local row = evaluated(change, held, answer, evaluate)
    if row then
      row.hardware, row.another = change.hardware, change.another
      rows[#rows + 1] = row
    end
  end
  return rows
end

-- Less than this share of the memory saved is no change.
local LEAST_SAVED <const> = 0.01

-- Changes of a list, one upon the other, each that needs less than before, until the run surely fits; nil where all are
-- not enough.
local function piled(list, held, answer, evaluate)
  local taken, best = {}, { total_bytes = answer.memory.total_bytes }
  for _, change in ipairs(list) do
    local row = evaluated(change, held, answer, evaluate)
    if row and row.total_bytes < (1 - LEAST_SAVED) * best.total_bytes then
      taken[#taken + 1], held, best = change, change.apply(held), row
      if row.fit_probability >= fits.SURE then return taken end
    end
  end
end

-- The changes of a list as one, but for one that is left out.
local function all_of(list, left_out)
  local words = {}
  for i, change in ipairs(list) do
    if i ~= left_out then words[#words + 1] = change.words end
  end
  return { words = table.concat(words, "; "), apply = function(held)
    for i, change in ipairs(list) do
      if i ~= left_out then held = change.apply(held) end
    end
    return held
  end }
end

--- Several changes that make a run fit surely together, none of which can be left out: a row as above, or nil where all
--- of them are not enough. Method, lengths and devices stay.
---@param input table of finetune{}
---@param answer table of case.of
---@param evaluate fun(input: table): table
function changes.together(input, answer, evaluate)
  local held, own = with_micro_batch(input, answer), {}
  for _, change in ipairs(list_of(held, answer, evaluate)) do
    if not change.hardware and not change.another then own[#own + 1] = change end
  end
  local taken = piled(own, held, answer, evaluate)
  if not taken then return nil end
  for i = #taken - 1, 1, -1 do
    local row = evaluated(all_of(taken, i), held, answer, evaluate)
    if row and row.fit_probability >= fits.SURE then table.remove(taken, i) end
  end
  return evaluated(all_of(taken), held, answer, evaluate)
end

return changes

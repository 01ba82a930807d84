-- What a row of an engine's printed memory states, in the words of replica{}: cells become fields, and what is blank
-- stays blank.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local formats = require("ballpark.resolve.serving.formats")
local model_shapes = require("ballpark.measured.model_shapes")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local memory_facts = {}

-- Formats of 4 bits by libraries that name no format: bitsandbytes.
local OTHER <const> = { ["4-bit"] = "int4", ["8-bit"] = "int8" }
-- What engines call checkpoints whose own config says the format.
local AS_PUBLISHED <const> = { compressed = true, ["compressed-tensors"] = true, modelopt = true, auto = true }

-- The first word of a cell that is a format; nil where it is the checkpoint's.
local function format_of(column, text)
  if AS_PUBLISHED[text:lower()] then return nil end
  for word in text:gmatch("[^%s/]+") do
    local named = OTHER[word:lower()] or formats.is_named(word) and word
    if named then return named end
  end
  return formats.named(column, text)
end

local function plan_of(row)
  local kv = row.kv_dtype and row.kv_dtype ~= "auto" and formats.named("kv_dtype", row.kv_dtype) or nil
  return { tp = row.tp, pp = row.pp, kv = kv,
    checkpoint = row.dtype_or_quant and format_of("dtype_or_quant", row.dtype_or_quant) or nil }
end

-- Rank that vLLM has room for where unsloth starts it and no rank is said: `max_lora_rank` of its from_pretrained()
-- (recalled); vLLM's own is the engine's default.
local UNSLOTH_RANK <const> = 64

-- Adapters that a row's engine has room for, and their rank; notes may say that there are some.
local function adapters_of(row)
  local served = (row.notes or ""):lower():find("lora serving on", 1, true) ~= nil
  local loras = row.max_loras or served and 1 or nil
  local inside = loras and row.engine:lower():find("unsloth", 1, true)
  return loras, row.max_lora_rank or inside and UNSLOTH_RANK or nil
end

local function engine_of(row)
  local loras, rank = adapters_of(row)
  local eager = row.enforce_eager and row.enforce_eager:lower() == "true"
  return { name = row.engine, published = true, version = row.engine_version, year = row.year,
    memory_frac = row.gpu_memory_utilization, max_running = row.max_num_seqs, token_budget = row.max_num_batched_tokens,
    block_tokens = row.block_size, max_loras = loras, max_lora_rank = rank,
    graph_bytes = eager and 0 or nil }
end

-- What stands for a device of which only the memory is known: nothing else of it counts for what is kept there.
local ANY <const> = "H100"

-- Name of the device in the catalog, and what the row changes of it: the memory that its program saw.
local function device_of(row)
  local changes = row.device_mem_gib and { memory_bytes = math.floor(units.GiB(row.device_mem_gib)), reserved_frac = 0 }
  local known = row.device and (not changes or errors.attempt(catalog.device, row.device))
  return known and row.device or changes and ANY or errors.input("device", "is blank"), changes
end

--- The facts of a row as replica{} takes them, the device { name, changes = what of it is stated }, and whether the
--- model is of a config.
---@param row table
---@param models string|nil a folder of configs
function memory_facts.of(row, models)
  if row.wrong then errors.input("row", row.wrong) end
  for _, name in ipairs({ "model", "engine" }) do
    if row[name] == nil then errors.input(name, "is blank") end
  end
  local model, read = model_shapes.of(row.model, models)
  local name, changes = device_of(row)
  local device = tables.with(catalog.device(name), changes or {})
  local cluster = catalog.cluster({ device = device, devices = row.gpus or (row.tp or 1) * (row.pp or 1) })
  return { model = model, cluster = cluster, engine = engine_of(row), plan = plan_of(row),
    max_model_len = row.max_model_len, curve = false }, { name = name, changes = changes }, read
end

return memory_facts

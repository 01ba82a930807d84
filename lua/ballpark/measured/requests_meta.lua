-- What served a log of requests: a JSON object whose keys are those of vLLM's arguments, as the facts of serve{}.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local formats = require("ballpark.resolve.serving.formats")
local json = require("ballpark.json")
local layout = require("ballpark.resolve.serving.layout")
local model_shapes = require("ballpark.measured.model_shapes")
local tables = require("ballpark.tables")

local requests_meta = {}

-- Key of the object -> kind of its value; "count" is a whole number above 0. What is only told (source, note) is
-- read by people.
local KINDS <const> = {
  model = "string", device = "string", engine = "string", dtype = "string", quantization = "string",
  kv_cache_dtype = "string", clock = "string", device_total_memory_bytes = "count", tensor_parallel = "count",
  pipeline_parallel = "count", data_parallel = "count", expert_parallel = "boolean", max_num_seqs = "count",
  max_num_batched_tokens = "count", block_size = "count", kv_tokens = "number", gpu_memory_utilization = "number",
  prefix_caching = "boolean", chunked_prefill = "boolean", async_scheduling = "boolean",
  enforce_eager = "boolean", source = "any", note = "any", notes = "any", date = "any", hardware = "any",
}

--- Names of the keys, sorted.
requests_meta.keys = tables.sorted_keys(KINDS)

-- Whose clock the times of a log are of: the client's, from sending a request; the engine's, from taking it up.
local CLOCKS <const> = { "client", "engine" }

local function check(key, value)
  local kind = KINDS[key]
  local path = "meta." .. key
  if kind == "count" then
    if math.type(value) == nil or not math.tointeger(value) or value < 1 then
      errors.input(path, "must be a whole number of at least 1")
    end
    return math.tointeger(value)
  end
  if kind ~= "any" and type(value) ~= kind then errors.input(path, "must be a " .. kind) end
  if kind == "number" and not (value > 0) then errors.input(path, "must be above 0") end
  return value
end

-- The object without what is blank; every key is one that is known.
local function checked(meta)
  if type(meta) ~= "table" then errors.input("meta", "must be a JSON object") end
  errors.only("meta", meta, requests_meta.keys, "key")
  local plain = {}
  for _, key in ipairs(tables.sorted_keys(meta)) do
    if meta[key] ~= json.null then plain[key] = check(key, meta[key]) end
  end
  for _, key in ipairs({ "model", "device" }) do
    if not plain[key] then errors.input("meta." .. key, "is missing") end
  end
  return plain
end

local SETTINGS <const> = { max_running = "max_num_seqs", token_budget = "max_num_batched_tokens",
  block_tokens = "block_size", memory_frac = "gpu_memory_utilization" }
local FLAGS <const> = { prefix_cache = "prefix_caching", chunked_prefill = "chunked_prefill",
  overlap = "async_scheduling" }

local function engine_of(meta)
  local engine = { name = meta.engine, published = true }
  for field, key in pairs(SETTINGS) do engine[field] = meta[key] end
  for field, key in pairs(FLAGS) do engine[field] = meta[key] end
  if meta.enforce_eager then engine.graph_tokens = 0 end
  return engine
end

-- Values of vLLM's dtype that say how a checkpoint is computed, and leave its weights as they are published.
local COMPUTED <const> = { auto = true, half = true, float16 = true, bfloat16 = true, fp16 = true, bf16 = true }

local function plan_of(meta, model)
  local stored = meta.quantization or not COMPUTED[meta.dtype or "auto"] and meta.dtype or nil
  local plan = { tp = meta.tensor_parallel or 1, pp = meta.pipeline_parallel, dp = meta.data_parallel,
    checkpoint = stored, kv = meta.kv_cache_dtype and formats.named("meta.kv_cache_dtype", meta.kv_cache_dtype) }
  if not stored and meta.dtype and not formats.published(model) then plan.weights = "bf16" end
  -- vLLM deals experts to all ranks of a stage.
  if meta.expert_parallel and (model.experts or 0) > 0 then plan.ep = plan.tp * (plan.dp or 1) end
  layout.check_heads(model, plan, "meta.tensor_parallel")
  return plan
end

--- The facts that an object states of a run, as resolve.serving takes them; the clock it names, or nil.
function requests_meta.facts(object, models)
  local meta = checked(object)
  if meta.clock and meta.clock ~= "client" and meta.clock ~= "engine" then
    errors.choice("meta.clock", meta.clock, CLOCKS)
  end
  local model = model_shapes.of(meta.model, models)
  local plan = plan_of(meta, model)
  local cluster = catalog.cluster({ device = meta.device, devices = plan.tp * (plan.pp or 1) * (plan.dp or 1) })
  if meta.device_total_memory_bytes then
    cluster.device.memory_bytes, cluster.device.reserved_frac = meta.device_total_memory_bytes, 0
  end
  return { model = model, cluster = cluster, engine = engine_of(meta), plan = plan, pool_tokens = meta.kv_tokens },
    meta.clock
end

return requests_meta

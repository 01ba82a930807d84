-- Inputs that several questions take, as rows of their records: name, what it is, and
--   is        how a scenario makes it (scenario/inputs.lua); a plain value unless said
--   type      its type for editors (LuaCATS)
--   of        of a group: the kernel and its input that has the fields, so that a misspelt one is not taken for missing
--   required  whether a question cannot do without it
--   kernel    of a field of a kernel that carries the question's name: `explain` lists those once, with the kernel
-- and what must be there as rows of `needs`: path, such (a value to propose, as Lua source), option (of the command
-- line), words (its value there, where that is no Lua), met (function(input): whether it may be missing), options_only
-- (only the command line asks for it).
local fields = require("ballpark.fields")

local inputs = {}

inputs.model = { "model", "name of the catalog, config.json, or a table of fields: ballpark explain model",
  is = "model", type = "string|ballpark.model", required = true }
inputs.cluster = { "cluster", "device, devices or nodes, node_size, domain, network, fabric, nic_bytes_s, "
  .. "host_memory_bytes, price", is = "cluster", type = "string|ballpark.cluster|ballpark.cluster_spec", required = true }
inputs.engine = { "engine", "vllm, sglang, trtllm, vllm_v0 (before 0.8; vllm_v0_rocm, vllm_v0_xpu), trtllm_v0 (before 0.14), generic, a table "
  .. "with name and what is different, or a file of 'ballpark calibrate serving': ballpark explain engine",
  is = "engine", type = "string|ballpark.engine" }

inputs.plan = { "plan", "fields of the plan that are fixed: ballpark explain plan; lists stage_layers and "
  .. "recompute_modules", is = "group", type = "ballpark.plan" }

--- What every question about training takes.
inputs.training = {
  inputs.model,
  inputs.cluster,
  { "job", "global_batch, seq_len, tokens: ballpark explain job", is = "group", type = "ballpark.job",
    of = { "train_step", "job" }, required = true },
  inputs.plan,
  { "software", "name of the training software, or { name =, year = } and more (explain software): what it does unasked "
    .. "follows from its class and year; the newest year unless said", is = "either", type = "string|table" },
  { "ran", "true: the run is known to have run, so that memory held it; false: to have failed, so that it did not "
    .. "recompute unasked", type = "boolean" },
  { "assume", "true: sequence length and batch may be assumed where they are missing", type = "boolean" },
  { "profile", "class of software: ballpark catalog profiles; by default what the device's vendor is used with",
    is = "profile", type = "string|ballpark.profile" },
  { "price", "USD per device-hour, instead of the cluster's", type = "number" },
  { "goodput", "share of a run that is progress, or inputs of the kernel goodput: { checkpoint_s, restart_s, "
    .. "device_mtbf_s, evaluation_frac, stall_frac, interval_s }", is = "either",
    type = "number|ballpark.goodput_in" },
  { "pue", "power of the data centre over that of its computers, 1.1", type = "number" },
  { "token_bytes", "stored bytes of one token of the training data, 2 or 4 by the vocabulary", type = "number" },
}

--- The rows of `first`, then those of `second`.
function inputs.joined(first, second)
  local all = table.move(first, 1, #first, 1, {})
  return table.move(second, 1, #second, #all + 1, all)
end

-- An image's length follows from its shape.
local function is_vision(input) return type(input.model) == "table" and input.model.arch == "vision" end

local function may_assume(input) return input.assume == true end

local function has(group, ...)
  for _, field in ipairs(type(group) == "table" and { ... } or {}) do
    if group[field] ~= nil then return true end
  end
  return false
end

-- A system of the catalog, or one that is made already.
local function is_system(input)
  return type(input.cluster) == "string" or has(input.cluster, "network")
end

--- What questions cannot do without.
inputs.needs = {
  model = { "model", such = '"llama-3.1-8b"' },
  device = { "cluster.device", such = '"H100"', met = is_system },
  devices = { "cluster.devices", such = "64",
    met = function(input) return is_system(input) or has(input.cluster, "nodes") end },
  global_batch = { "job.global_batch", such = "512", met = may_assume },
  seq_len = { "job.seq_len", such = "4096",
    met = function(input) return is_vision(input) or may_assume(input) end },
  tokens = { "job.tokens", such = "trillion(1)" },
  -- A scenario that says no rate is one client, or one request per second; whoever asks on a command line has one.
  rate = { "load.rate_per_s", such = "8", option = "rate", options_only = true, met = function(input)
    return has(input.load, "concurrency", "buckets") or has(input, "trace")
  end },
}

local TYPES <const> = { int = "integer", num = "number", flag = "boolean", enum = "string" }

--- Rows for the fields of the kernel `name` that are numbers, names or flags, but for those named in `without`.
---@param name string
---@param without table<string, boolean>|nil
---@param counted table<string, boolean>|nil numbers that count although the kernel takes any, as more than an int holds
function inputs.of_kernel(name, without, counted)
  local rows = {}
  for _, field in ipairs(fields.input(name)) do
    if TYPES[field.kind] and not (without or {})[field.name] then
      rows[#rows + 1] = { field.name, field.doc, type = TYPES[field.kind], kernel = true, names = field.names,
        kind = field.kind, whole = (counted or {})[field.name] and { field.name } or nil }
    end
  end
  return rows
end

--- Options of requests that are batched in front of replicas: option, path of the input, what it is.
inputs.load_options = {
  { "rate", "load.rate_per_s", "Requests per second, as 700 or 'per_minute(500)': answers the replicas." },
  { "window", "load.window_s", "Seconds that a batch waits for company, as 'ms(20)'." },
  { "max-batch", "load.max_batch", "Requests of a batch at most." },
  { "sla", "load.sla_s", "SLO: seconds for 99 requests in a hundred." },
  { "utilization", "load.utilization_frac", "Share of the capacity to plan with; 0.7 unless said." },
  { "spares", "load.spares", "Replicas that may fail." },
}

return inputs

-- The inputs that scenarios describe: models, devices, clusters, software. Each is made from a name
-- or a table, has the overrides of the command line put over it and is checked at once, so that a
-- mistake is reported at the line that makes it.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local engine_file = require("ballpark.calibrate.serving.file")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local profile_file = require("ballpark.calibrate.profile_file")
local tables = require("ballpark.tables")
local trace = require("ballpark.questions.serve.trace")

local inputs = {}

-- A catalog name or a table, with the fields of `changes` put over it.
local function from_name(group, value, changes, get)
  local base
  if type(value) == "string" then
    base = get(value)
  elseif type(value) == "table" then
    base = tables.copy(value)
  else
    errors.input(group, "must be a name of the catalog or a table, got " .. type(value))
  end
  for key, item in pairs(changes or {}) do base[key] = tables.copy(item) end
  return base
end

-- The model of a config.json in Hugging Face's format, or of a folder that holds one.
local function read_config(state, path)
  local model, assumed = require("ballpark.hf").read(files.beside(state.folder, path))
  for _, text in ipairs(assumed) do state.result:assume("Model: " .. text .. ".") end
  return model
end

--- A model from a name, a table or a config.json path; checked by counting its parameters.
function inputs.model(state, value, changes)
  value = state.overrides:whole("model", value)
  local function get(name)
    if files.is_config(name) then return read_config(state, name) end
    return catalog.model(name)
  end
  local model = state.overrides:fields("model", from_name("model", value, changes, get))
  core.params({ model = model })
  return model
end

--- The model of a config.json at `path`, unless the command line names another model.
function inputs.hf(state, path)
  if type(path) ~= "string" then errors.input("hf", "takes a path, got " .. type(path)) end
  return inputs.model(state, files.is_config(path) and path or (path .. "/config.json"))
end

--- A device; checked by timing one small matmul.
function inputs.device(state, value, changes)
  value = state.overrides:whole("device", value)
  local device = from_name("device", value, changes, catalog.device)
  device = state.overrides:fields("device", device)
  core.gemm({ device = device, dtype = "fp16", m = 1, n = 1, k = 1 })
  return device
end

-- Giving the one on the command line replaces the other of the scenario.
local INSTEAD = { nodes = "devices", devices = "nodes" }

local function cluster_spec(state, spec)
  local changed = state.overrides:fields("cluster", spec)
  if changed ~= spec then
    for field, other in pairs(INSTEAD) do
      if changed[field] ~= spec[field] and changed[other] == spec[other] then changed[other] = nil end
    end
  end
  return changed
end

--- A cluster from cluster{device=, devices= or nodes=, ...} or the name of a known system.
function inputs.cluster(state, spec, changes)
  if type(spec) == "string" then
    return catalog.cluster(spec, state.overrides:fields("cluster", tables.copy(changes or {})))
  end
  if type(spec) ~= "table" then
    errors.input("cluster", "must be a table or the name of a system, got " .. type(spec))
  end
  local full = tables.copy(cluster_spec(state, spec))
  if full.device ~= nil then full.device = inputs.device(state, full.device) end
  return catalog.cluster(full)
end

--- Coefficients of a class of software, a file of `ballpark calibrate`, or a table of them.
function inputs.profile(state, value, changes)
  value = state.overrides:whole("profile", value)
  local function get(name)
    if profile_file.is_path(name) then return profile_file.read(files.beside(state.folder, name)) end
    return catalog.profile(name)
  end
  local profile = from_name("profile", value, changes, get)
  return state.overrides:fields("profile", profile)
end

-- Plan and job have no function of their own: they are tables inside estimate{} and search{}.
local function plain_group(state, group, value)
  if value ~= nil and type(value) ~= "table" then
    errors.input(group, "must be a table, got " .. type(value))
  end
  return state.overrides:fields(group, value)
end

-- What was made by cluster{} already has a network.
local function made_cluster(state, value)
  if type(value) == "table" and value.network then return value end
  if value == nil then errors.input("cluster", "is missing") end
  return inputs.cluster(state, value)
end

local function made_model(state, value)
  if value == nil then errors.input("model", "is missing") end
  if state.made[value] then return value end
  return inputs.model(state, value)
end

local function made_profile(state, value)
  if state.made[value] then return value end
  if value == nil and not state.overrides:whole("profile", nil) then return nil end
  return inputs.profile(state, value)
end

-- A share, or the losses it is made of: -D goodput=0.97, -D goodput.stall_frac=0.02.
local function goodput(state, value)
  value = state.overrides:whole("goodput", value)
  if type(value) == "number" then return value end
  return state.overrides:fields("goodput", value)
end

-- What all questions about training share, the cluster apart.
local function of_training(state, what, input)
  if type(input) ~= "table" then errors.input(what, "takes a table, got " .. type(input)) end
  local full = tables.with(input)
  full.model = made_model(state, input.model)
  full.profile = made_profile(state, input.profile)
  full.job = plain_group(state, "job", input.job)
  full.plan = plain_group(state, "plan", input.plan)
  for _, name in ipairs({ "price", "pue", "token_bytes" }) do
    full[name] = state.overrides:whole(name, input[name])
  end
  full.goodput = goodput(state, input.goodput)
  return full
end

--- The input of an estimate or search with everything resolved.
function inputs.complete(state, what, input)
  local full = of_training(state, what, input)
  full.cluster = made_cluster(state, input.cluster)
  return full
end

-- The same cluster with another number of devices.
local function resized(state, cluster, devices)
  if type(cluster) == "string" then return inputs.cluster(state, cluster, { devices = devices }) end
  local spec = tables.copy(cluster)
  spec.devices, spec.nodes = devices, nil
  return inputs.cluster(state, spec)
end

--- The input of budget{} with everything resolved: site(devices) makes the cluster, whose size may be open.
function inputs.budget(state, input)
  local full = of_training(state, "budget", input)
  local cluster = input.cluster
  if type(cluster) ~= "string" and type(cluster) ~= "table" then
    errors.input("cluster", "must be { device = ... }, with devices or nodes where they are given")
  end
  for _, name in ipairs({ "budget_usd", "deadline_s", "mfu_frac" }) do
    full[name] = state.overrides:whole(name, input[name])
  end
  if type(cluster) == "table" and cluster.network then
    full.devices, full.site = cluster.network.devices, function() return cluster end
    return full
  end
  local sized = type(cluster) == "table" and (cluster.devices or cluster.nodes)
  full.devices = sized and inputs.cluster(state, cluster).network.devices or nil
  function full.site(devices) return resized(state, cluster, devices or full.devices or 1024) end
  return full
end

-- An engine's name, table, or file of `ballpark calibrate serving`.
local function made_engine(state, value)
  value = state.overrides:whole("engine", value)
  if engine_file.is_path(value) then return engine_file.read(files.beside(state.folder, value)) end
  return value
end

-- Requests of a CSV file beside the scenario, or a list that the scenario made.
local function made_requests(state, name, value)
  value = state.overrides:whole(name, value)
  if type(value) == "string" then
    local path = files.beside(state.folder, value)
    return trace.read(csv.read(path), path)
  end
  if value ~= nil and type(value) ~= "table" then
    errors.input(name, "must be the path of a CSV file or a list of requests, got " .. type(value))
  end
  return value
end

--- The input of serve{} with everything resolved.
function inputs.serving(state, input)
  if type(input) ~= "table" then errors.input("serve", "takes a table, got " .. type(input)) end
  local full = tables.with(input)
  full.model = made_model(state, input.model)
  full.cluster = made_cluster(state, input.cluster)
  full.engine = made_engine(state, input.engine)
  for _, group in ipairs({ "load", "plan", "autoscale", "failures", "prompt_pool" }) do
    full[group] = plain_group(state, group, input[group])
  end
  for _, name in ipairs({ "replicas", "routing", "start_s" }) do
    full[name] = state.overrides:whole(name, input[name])
  end
  for _, name in ipairs({ "trace", "samples" }) do full[name] = made_requests(state, name, input[name]) end
  return full
end

-- Engines to choose from are told apart by their names, which a file shares with the engine that it changes.
local function check_engines(list)
  for _, name in ipairs(type(list) == "table" and list or { list }) do
    if engine_file.is_path(name) then
      errors.input("space.engine", ("'%s' is a file, and a list takes names: give the file alone, as engine")
        :format(name))
    end
  end
end

--- The input of serve_search{} with everything resolved.
function inputs.serving_search(state, input)
  if type(input) ~= "table" then errors.input("serve_search", "takes a table, got " .. type(input)) end
  local full = tables.with(input)
  full.model = made_model(state, input.model)
  full.engine = made_engine(state, input.engine)
  for _, group in ipairs({ "load", "sla", "space" }) do full[group] = plain_group(state, group, input[group]) end
  check_engines(type(full.space) == "table" and full.space.engine)
  return full
end

-- A table of plain fields, with those of the command line over them.
local function group(state, what, input)
  if type(input) ~= "table" then errors.input(what, "takes a table, got " .. type(input)) end
  return state.overrides:fields(what, input)
end

--- The input of encode{} with everything resolved; the model stays what inference knows by name.
function inputs.encode(state, input)
  local full = tables.copy(group(state, "encode", input))
  full.model = state.overrides:whole("model", full.model)
  if type(full.model) == "table" then full.model = state.overrides:fields("model", full.model) end
  if full.device ~= nil then full.device = inputs.device(state, full.device) end
  full.load = plain_group(state, "load", full.load)
  return full
end

--- The input of recommend{} with everything resolved.
function inputs.recommend(state, input)
  local full = {}
  for key, value in pairs(group(state, "recommend", input)) do full[key] = value end
  full.model = state.overrides:whole("model", full.model)
  full.cluster = made_cluster(state, full.cluster)
  full.load = plain_group(state, "load", full.load)
  return full
end

--- The input of vector_search{} with everything resolved.
function inputs.vector_search(state, input) return group(state, "vector_search", input) end

return inputs

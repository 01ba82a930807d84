-- The inputs of questions as a scenario or the command line describes them: names become models, devices, clusters and
-- software, -D goes over what is written, and what is missing is named at once. A model or cluster is checked where it
-- is made, so that a mistake is reported at the line that makes it.
local calibration = require("ballpark.resolve.training.calibration")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local device_of_memory = require("ballpark.catalog.device_of_memory")
local devices = require("ballpark.catalog.devices")
local engine_file = require("ballpark.calibrate.serving.file")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local files = require("ballpark.files")
local formats = require("ballpark.resolve.serving.formats")
local job_trace = require("ballpark.measured.job_trace")
local mlp = require("ballpark.resolve.mlp")
local models = require("ballpark.catalog.models")
local local_format = require("ballpark.resolve.local_inference.format")
local local_names = require("ballpark.resolve.local_inference.names")
local model_of_size = require("ballpark.resolve.model_of_size")
local name_length = require("ballpark.name_length")
local needs = require("ballpark.scenario.needs")
local plain = require("ballpark.scenario.plain")
local plausible = require("ballpark.resolve.plausible")
local profile_file = require("ballpark.calibrate.profile_file")
local profiles = require("ballpark.catalog.profiles")
local questions = require("ballpark.questions")
local samples = require("ballpark.questions.finetune.samples")
local tables = require("ballpark.tables")
local trace = require("ballpark.questions.serve.trace")
local types = require("ballpark.questions.types")
local variants = require("ballpark.catalog.models.variants")

local inputs = {}

-- The value with every quantity as the number that its field takes.
local function without_units(state, path, value, own)
  return plain.inputs(path, value, function(text) state.result:warn(text) end, own)
end

-- A copy in which fields of inner tables may stand by their paths ("attention.t0_s"): so an entry of the catalog is printed.
local function by_paths(value)
  local base = tables.copy(value)
  for key, item in pairs(value) do
    local group, field = tostring(key):match("^(%l[%w_]*)%.(%l[%w_]*)$")
    if group then
      base[key], base[group] = nil, base[group] or {}
      if type(base[group]) ~= "table" or base[group][field] ~= nil then errors.input(key, "is given twice") end
      base[group][field] = item
    end
  end
  return base
end

-- A catalog name or a table, with the fields of `changes` put over it.
local function from_name(group, value, changes, get)
  local base
  if type(value) == "string" then
    base = get(value)
  elseif type(value) == "table" then
    base = by_paths(value)
  else
    errors.input(group, "must be a name of the catalog or a table, got " .. type(value))
  end
  if changes ~= nil and type(changes) ~= "table" then
    errors.input(group, "takes its changes as a table, got " .. type(changes))
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

-- A path rather than a name, whether or not something is there.
local function is_path(name) return name:find("%.json$") or name:find("^/") or name:find("^%.%.?/") end

-- A format that only engines of one sequence read cannot be left out of what is counted.
local function check_format(name)
  local_names.check(name)
  local _, said = local_names.read(name)
  if said and local_format.is_local(said) and not variants.format(name) then
    errors.input("model", ("'%s' says %s, which only engines of one sequence read: ask ballpark local or fit, or name it without and say another format")
      :format(name, said))
  end
end

-- A config.json or a folder with one; else a name of the catalog, Hugging Face's included.
local function named_model(state, name)
  local path = files.beside(state.folder, name)
  if is_path(name) or files.exists(path .. "/config.json") then return read_config(state, name) end
  name_length.check("model", name)
  check_format(name)
  local stand_in, why
  if not models.resolve(name) then stand_in, why = model_of_size.get(name) end
  if stand_in then
    state.result:assume("Model: " .. why .. ".")
    return stand_in
  end
  if not models.resolve(name) and name:find("/", 1, true) and not models.unrepresented(name) then
    errors.input("model", ("no folder '%s' with a config.json is here, and %s; fetch "
      .. "https://huggingface.co/%s/resolve/main/config.json and give that file"):format(name, models.missing(name),
      name))
  end
  local model = catalog.model(name)
  if variants.leaves_format_open(name) then
    state.result:assume(("Model: '%s' says that it is quantised, not to which format, so that weights count 16 bit "
      .. "unless the plan says their format."):format(name))
  end
  if name:find("/", 1, true) then
    state.result:assume(("Model: %s is %s of the catalog."):format(name, model.name))
  end
  return model
end

--- A model from a name, a table or a config.json path; checked by counting its parameters.
function inputs.model(state, value, changes)
  value = without_units(state, "model", state.overrides:whole("model", value))
  changes = without_units(state, "model", changes)
  local model = state.overrides:fields("model", from_name("model", value, changes, function(name)
    return named_model(state, name)
  end))
  local assumed
  if type(value) == "table" then model, assumed = mlp.filled(model) end
  types.check("model", model, "ballpark.model")
  core.params({ model = model })
  if assumed then state.result:assume("Model: " .. assumed .. ".") end
  if type(value) == "string" then state.stated[model] = variants.format(value) and value or nil end
  return model
end

--- The model of a config.json at `path`, unless the command line names another model.
function inputs.hf(state, path)
  if type(path) ~= "string" then errors.input("hf", "takes a path, got " .. type(path)) end
  return inputs.model(state, path:find("%.json$") and path or (path .. "/config.json"))
end

-- A device of the catalog, where it is not known at the input that names it.
local function named_device(place)
  return function(name)
    local ok, device = errors.attempt(catalog.device, name)
    if ok then return device end
    device.path = place
    error(device, 0)
  end
end

--- A device; checked by timing one small matmul.
---@param state table of a run
---@param value string|table
---@param changes table|nil
---@param place string|nil the input that it is, "device" unless said
function inputs.device(state, value, changes, place)
  place = place or "device"
  value = without_units(state, place, state.overrides:whole(place, value))
  changes = without_units(state, place, changes)
  local device = from_name(place, value, changes, named_device(place))
  device = state.overrides:fields(place, device)
  types.check(place, device, "ballpark.device")
  core.gemm({ device = device, dtype = "fp16", m = 1, n = 1, k = 1 })
  local stands_for = device_of_memory.words(device)
  if stands_for then state.result:assume(stands_for) end
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
  spec = without_units(state, "cluster", state.overrides:whole("cluster", spec))
  changes = without_units(state, "cluster", changes)
  if type(spec) == "string" then
    return catalog.cluster(spec, state.overrides:fields("cluster", tables.copy(changes or {})))
  end
  if type(spec) ~= "table" then
    errors.input("cluster", "must be a table or the name of a system, got " .. type(spec))
  end
  local full = tables.copy(cluster_spec(state, spec))
  if full.network ~= nil then types.check("cluster.network", full.network, "string|ballpark.network") end
  if type(full.device) == "string" and not (full.devices or full.nodes) then
    full.devices = devices.count_said(full.device)
  end
  if full.device ~= nil then full.device = inputs.device(state, full.device) end
  return catalog.cluster(full)
end

--- Coefficients of a class of software, a file of `ballpark calibrate`, or a table of them.
function inputs.profile(state, value, changes)
  value = without_units(state, "profile", state.overrides:whole("profile", value))
  changes = without_units(state, "profile", changes)
  local function get(name)
    if profile_file.is_path(name) then return profile_file.read(files.beside(state.folder, name)) end
    return catalog.profile(name)
  end
  local profile = state.overrides:fields("profile", from_name("profile", value, changes, get))
  types.check("profile", profile, "ballpark.profile")
  calibration.check(profile, "profile")
  return profile.class and profiles.named(profile.class, profile) or profile
end

-- Ranks of training whose change leaves another number of data-parallel ones.
local OTHER_RANKS <const> = { "tp", "pp", "cp" }

-- A plan of training without the data-parallel ranks of the scenario, where the command line changes others: they follow
-- from the devices.
local function with_dp_open(state, plan, changed)
  if not plan or plan.dp == nil or state.overrides:written("plan.dp") then return changed end
  for _, name in ipairs(OTHER_RANKS) do
    if changed[name] ~= plan[name] then
      state.result:assume(("Plan: dp follows from the devices, as %s is another than the scenario's."):format(name))
      changed = tables.copy(changed)
      changed.dp = nil
      return changed
    end
  end
  return changed
end

-- A table inside a question, such as plan and job.
local function group(state, name, value, full, row)
  if value ~= nil and type(value) ~= "table" then
    errors.input(name, "must be a table, got " .. type(value))
  end
  local stated = value
  value = state.overrides:fields(name, value)
  if name == "plan" and full.job then value = with_dp_open(state, stated, value) end
  if row.of and value then
    errors.only(name, value, tables.sorted_keys(fields.by_name(fields.input(table.unpack(row.of)))))
  end
  return value
end

-- A value, or a table whose fields can be overridden one by one: goodput = 0.97, goodput = { stall_frac = 0.02 }.
local function either(state, name, value)
  value = state.overrides:whole(name, value)
  if value ~= nil and type(value) ~= "table" and type(value) ~= "string" then return value end
  local base = type(value) == "string" and { name = value } or value
  local changed = state.overrides:fields(name, base)
  return changed ~= base and changed or value
end

-- Plan fields that the command line fixes are no longer searched.
local function space_of_plans(state, name, value, full, row)
  local space = group(state, name, value, full, row)
  local plan = state.overrides:fields("plan", nil)
  if not plan or type(space) ~= "table" then return space end
  local open = {}
  for field, values in pairs(space) do
    if full.plan[field] == nil then open[field] = values end
  end
  return open
end

-- Engines to choose from are told apart by their names, which a file shares with the engine that it changes.
local function space_of_fleets(state, name, value, full, row)
  local space = group(state, name, value, full, row)
  local engines = space and space.engine
  for _, engine in ipairs(type(engines) == "table" and engines or { engines }) do
    if engine_file.is_path(engine) then
      errors.input("space.engine", ("'%s' is a file, and a list takes names: give the file alone, as engine")
        :format(engine))
    end
  end
  -- Who names a checkpoint in 8 bit asks for that one, not for the best format.
  local stated = full.model and state.stated[full.model]
  if stated and (not space or space.format == nil) then
    local format = formats.published(full.model)
    if format then
      state.result:assume(("Weights in %s%s, as the name %s says."):format(format.weights,
        format.experts and ", experts in " .. format.experts or "", stated))
      space = tables.with(space, { format = format })
    end
  end
  return space
end

local function rules(state, _, value)
  state.takes_rules = true
  local list = {}
  for _, path in ipairs(type(value) == "table" and value or { value }) do
    list[#list + 1] = type(path) == "string" and files.beside(state.folder, path) or path
  end
  return table.move(state.rules, 1, #state.rules, #list + 1, list)
end

-- What an input is before anything is made of it: as it is written, with -D over it.
local READ = {
  model = function(state, _, value)
    if value ~= nil and state.made[value] then return value end
    if value == nil and not state.overrides:whole("model", nil) then return nil end
    return inputs.model(state, value)
  end,
  cluster = function(state, _, value)
    if type(value) == "table" and value.network then return value end
    value = state.overrides:whole("cluster", value)
    if value ~= nil and type(value) ~= "table" then return value end
    local spec = cluster_spec(state, value or {})
    return (value or next(spec) ~= nil) and spec or nil
  end,
  device = function(state, name, value) return state.overrides:whole(name, value) end,
  devices = function(state, name, value) return state.overrides:whole(name, value) end,
  profile = function(_, _, value) return value end, -- profile{} has put -D over it
  network = function(state, name, value)
    value = state.overrides:whole(name, value)
    if type(value) ~= "table" then return value end
    local network, assumed = mlp.filled(state.overrides:fields(name, value))
    if assumed then state.result:assume("Model: " .. assumed .. ".") end
    return network
  end,
  group = group, either = either, lengths = either, engine = either, space = space_of_plans, fleet_space = space_of_fleets, rules = rules,
}
READ.site = READ.cluster

-- What was made by cluster{} already has a network.
local function made_cluster(state, value)
  if value == nil then return nil end
  if type(value) == "table" and type(value.network) == "table" then
    types.check_whole("cluster.device", value.device, "ballpark.device")
    types.check_whole("cluster.network", value.network, "ballpark.network")
    return value
  end
  return inputs.cluster(state, value)
end

-- The same cluster with another number of devices.
local function resized(state, cluster, count)
  if type(cluster) == "string" then return inputs.cluster(state, cluster, { devices = count }) end
  local spec = tables.copy(cluster)
  spec.devices, spec.nodes = count, nil
  return inputs.cluster(state, spec)
end

-- A cluster whose size may be open: full.site(devices) makes it, full.devices says how many there are where it is
-- known.
local function add_site(state, cluster, full)
  if type(cluster) ~= "string" and type(cluster) ~= "table" then
    errors.input("cluster", "must be { device = ... }, with devices or nodes where they are given")
  end
  if type(cluster) == "table" and type(cluster.network) == "table" then
    full.devices, full.site = cluster.network.devices, function() return cluster end
    return cluster
  end
  local sized = type(cluster) == "table" and (cluster.devices or cluster.nodes)
  full.devices = sized and inputs.cluster(state, cluster).network.devices or nil
  function full.site(count) return resized(state, cluster, count or full.devices or 1024) end
  return cluster
end

-- Requests of a CSV file beside the scenario, or a list that the scenario made.
local function made_requests(state, name, value)
  if type(value) == "string" then
    local path = files.beside(state.folder, value)
    return trace.read(csv.read(path), path)
  end
  if value ~= nil and type(value) ~= "table" then
    errors.input(name, "must be the path of a CSV file or a list of requests, got " .. type(value))
  end
  return value
end

-- One device or a list of them; a table with a name is one.
local function made_devices(state, value)
  if value == nil then return nil end
  if type(value) ~= "table" or value.name ~= nil then value = { value } end
  local list = {}
  for i, item in ipairs(value) do list[i] = inputs.device(state, item) end
  return list
end

-- Jobs of a log beside the scenario.
local function made_jobs(state, path, full)
  if path == nil then return nil end
  if type(path) ~= "string" then errors.input("jobs", "must be the path of a log of jobs, got " .. type(path)) end
  path = files.beside(state.folder, path)
  return job_trace.read(csv.read(path), path, { by = full.by, skip_damaged = full.skip_damaged })
end

-- What is made of an input once nothing is missing.
local MAKE = {
  cluster = function(state, _, value) return made_cluster(state, value) end,
  site = function(state, _, value, full) return add_site(state, value, full) end,
  device = function(state, name, value) return value ~= nil and inputs.device(state, value, nil, name) or nil end,
  devices = function(state, _, value) return made_devices(state, value) end,
  profile = function(state, _, value)
    if value ~= nil and state.made[value] then return value end
    if value == nil and not state.overrides:whole("profile", nil) then return nil end
    return inputs.profile(state, value)
  end,
  engine = function(state, _, value)
    local name = type(value) == "table" and value.name or value
    if not engine_file.is_path(name) then return value end
    local engine = engine_file.read(files.beside(state.folder, name))
    return type(value) == "table" and tables.with(engine, tables.with(value, { name = engine.name })) or engine
  end,
  lengths = function(state, _, value)
    local said = type(value) == "table" and value or { name = value }
    local file = said.name or said.samples
    if type(file) ~= "string" or not samples.is_path(file) then return value end
    local path, read = files.beside(state.folder, file), tables.with(said, {})
    read.name, read.samples = nil, samples.read(csv.read(path), path)
    return read
  end,
  requests = function(state, name, value) return made_requests(state, name, value) end,
  jobs = function(state, _, value, full) return made_jobs(state, value, full) end,
}

-- A number, name or list, which -D replaces.
local function simple(state, name, value) return state.overrides:input(name, value) end

local own_of = setmetatable({}, { __mode = "k" })

-- What a question states of its inputs by name: units, which of them are whole numbers, and limits.
local function stated_of(record)
  if own_of[record] then return own_of[record] end
  local own = { units = {}, whole = {}, limits = {} }
  for _, row in ipairs(record.inputs) do
    own.units[row[1]], own.whole[row[1]] = row.unit, row.type == "integer" or nil
    for name, unit in pairs(row.units or {}) do own.units[name] = unit end
    for _, name in ipairs(row.whole or {}) do own.whole[name] = true end
    for name, limits in pairs(row.limits or {}) do own.limits[name] = limits end
  end
  own_of[record] = own
  return own
end

--- The input of a question with plain numbers for quantities.
function inputs.plain(state, record, input)
  if type(input) ~= "table" then return input end
  return without_units(state, "", input, stated_of(record))
end

-- What stands between two kinds of device in a text; a sign in a name has no space before it ("Ryzen AI Max+ 395").
local BESIDE <const> = "^%s*(.-)%s+%+%s+(.-)%s*$"

local function asks(record, name)
  for _, row in ipairs(record.inputs) do
    if row[1] == name then return true end
  end
  return false
end

-- Two kinds of device where the question has one place for them.
local function refuse_other(full)
  for _, label in ipairs(type(full.on) == "table" and full.on or { full.device or full.on }) do
    if type(label) == "string" and label:find(BESIDE) then
      errors.input("device", ("'%s' is two kinds: such share a model on one's own machine, which ballpark local asks about"):format(label))
    end
  end
end

-- "RTX 3090 + RTX 3060" says a second kind of device, where the question asks for one.
local function take_other(record, full)
  if not asks(record, "other") then return refuse_other(full) end
  local first, second = tostring(full.device):match(BESIDE)
  if not first or type(full.device) ~= "string" then return end
  if full.other ~= nil then errors.input("other", "device says a second kind already, " .. second) end
  if second:match(BESIDE) then errors.input("device", "says more than two kinds: layers are dealt between two at most") end
  full.device, full.other, full.others = first, second, full.others or devices.count_said(second)
end

-- The labels of the devices that a question is asked of.
local function labels_of(full)
  local kinds = type(full.devices) ~= "number" and full.devices or full.device or full.on
  local labels = {}
  for i, kind in ipairs(type(kinds) == "table" and kinds[1] and kinds or { kinds }) do
    labels[i] = type(kind) == "table" and kind.device or kind
  end
  return labels
end

-- "2x RTX 3090" says how many devices there are, where the question asks it; a count that it has no place for, or that is
-- another than is said beside it, is refused.
local function take_count(record, full)
  local labels = labels_of(full)
  local place = asks(record, "gpus") and "gpus" or asks(record, "devices") and "devices"
  for _, label in ipairs(labels) do
    local count = type(label) == "string" and devices.count_said(label)
    if count and not place and count > 1 then
      errors.input("device", ("'%s' says %d devices, and this is asked of one: say %s"):format(label, count, devices.resolve(label)))
    elseif count and place and #labels > 1 then
      errors.input(place, ("'%s' says %d devices, and there are several kinds to choose from: name them alone, and give %s (--%s)"):format(
        label, count, place, place))
    elseif count and place and full[place] == nil then
      full[place] = count
    elseif count and place and type(full[place]) == "number" and full[place] ~= count then
      errors.input(place, ("'%s' says %d devices, and %s %g: give one"):format(label, count, place, full[place]))
    end
  end
end

--- The input of a question with everything resolved.
---@param state table of a run
---@param name string of the question
---@param input table
function inputs.complete(state, name, input)
  local record = questions.record(name)
  questions.check_known(name, input)
  local full = tables.with(state.overrides:fields(name, input) or {}, state.asked[name] or {})
  full = without_units(state, "", full, stated_of(record))
  questions.check_types(name, full)
  for _, row in ipairs(record.inputs) do
    full[row[1]] = (READ[row.is] or simple)(state, row[1], full[row[1]], full, row)
  end
  questions.check_types(name, full)
  needs.check(record, full, state.command)
  take_other(record, full)
  take_count(record, full)
  for _, row in ipairs(record.inputs) do
    if MAKE[row.is] then full[row[1]] = MAKE[row.is](state, row[1], full[row[1]], full) end
  end
  plausible.check(full, function(text) state.result:warn(text) end)
  return full
end

return inputs

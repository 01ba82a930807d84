-- A launch file of training software or of a serving engine, as what a scenario needs. The tables that `emit` writes by
-- are read the other way (emit/backwards.lua).
local backwards = require("ballpark.emit.backwards")
local case = require("ballpark.emit.serving.case")
local core = require("ballpark.core")
local devices_of = require("ballpark.catalog.devices")
local edited = require("ballpark.from.edited")
local emit = require("ballpark.emit")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local heading = require("ballpark.from.heading")
local known = require("ballpark.emit.known")
local launch = require("ballpark.emit.launch")
local models = require("ballpark.catalog.models")
local read_case = require("ballpark.emit.read_case")
local settings_of = require("ballpark.from.settings")
local tables = require("ballpark.tables")
local untaken = require("ballpark.from.untaken")
local variants = require("ballpark.catalog.models.variants")
local versions = require("ballpark.emit.versions")

local from = {}

-- A launch file is some pages. Patterns that look for the end of something begin anew wherever it may begin.
local MOST_BYTES <const> = 64 << 10

-- What people call files that hold a command line, and the targets that they are of.
local NAMES <const> = { ["megatron-args"] = "megatron", ["vllm-args"] = "vllm", ["sglang-args"] = "sglang",
  ["trtllm-args"] = "trtllm" }
local COMMAND_LINES <const> = { megatron = "megatron-args", vllm = "vllm-args", sglang = "sglang-args",
  trtllm = "trtllm-args" }

--- Names of all formats, sorted.
function from.names()
  local names = {}
  for _, name in ipairs(emit.names()) do names[#names + 1] = COMMAND_LINES[name] or name end
  table.sort(names)
  return names
end

local function target_of(name)
  if not tables.contains(from.names(), name) and not tables.contains(emit.names(), (versions.split(name))) then
    errors.choice("format", name, from.names())
  end
  return NAMES[name] or name
end

-- Which settings of the file say something here: those that the target's table has.
local function unread(set, name, version)
  local list, declared = {}, known.of(name, version)
  for _, setting in ipairs(tables.sorted_keys(set)) do
    local is_ours = setting == "extra_llm_api_options" and type(set[setting]) ~= "string" -- behind $OPTIONS, of the script itself
    if not declared[setting] and not settings_of.is_around(setting, name) and not is_ours then list[#list + 1] = setting end
  end
  return list
end

local function whole_number(value, what)
  if value == nil or math.type(value) == "integer" and value > 0 then return value end
  errors.input(what, "must be a whole number above 0, not " .. tostring(value))
end

-- What the command and the file both say has to be the same.
local function check_same(option, wanted, said)
  if wanted == nil or said == nil or wanted == said then return end
  errors.usage(("%s %s: the file says %s; leave the option out, or change the file"):format(option, wanted, said))
end

-- Sizes that a file may state of its model, in which one of the catalog has to be the same.
local SIZES <const> = { "layers", "hidden", "heads", "experts", "ffn_hidden", "kv_heads", "head_dim", "vocab", "kv_lora_rank",
  "q_lora_rank", "qk_nope_dim", "qk_rope_dim", "v_head_dim", "dense_layers", "topk", "moe_ffn", "shared_ffn", "mtp_layers",
  "route_groups", "route_top" }

-- What a file says by silence too, as { field, of the file, of the model }: with the size of its MLP whether that has gates
-- or experts and how many heads its keys have, with its vocabulary whether the last matrix is that of the embedding.
local function said_by_silence(shape, model)
  local list = {}
  if shape.ffn_hidden and not shape.kv_heads and (shape.kv_lora_rank or model.kv_lora_rank or 0) == 0 then
    list[1] = { "kv_heads", shape.heads, model.kv_heads }
  end
  if shape.ffn_hidden and not shape.experts then list[#list + 1] = { "experts", 0, model.experts } end
  if shape.ffn_hidden and shape.gated_mlp ~= nil then
    list[#list + 1] = { "gated_mlp", shape.gated_mlp, model.gated_mlp ~= false }
  end
  if shape.vocab then list[#list + 1] = { "tied_embeddings", shape.tied_embeddings == true, model.tied_embeddings == true } end
  return list
end

-- The first of what a file says of its model that is otherwise in another, of both.
local function differing(shape, model)
  for _, field in ipairs(SIZES) do
    local said, wanted = shape[field], model[field] or 0
    if said ~= nil and said ~= wanted then return field, said, wanted end
  end
  for _, row in ipairs(said_by_silence(shape, model)) do
    if row[2] ~= row[3] then return table.unpack(row) end
  end
end

-- A catalog model of the name that the head, the file or the command gives, where what was read of its shape agrees; of the
-- command it has to.
local function model_of(name, shape, is_wanted)
  local found = name and models.resolve(name)
  if not found then return shape and tables.with(shape, { name = name }), name end
  local model = models.get(found)
  local field, said, wanted = differing(shape or {}, launch.shape_of(model))
  if not field then return model, found, found end
  if is_wanted then check_same("--model " .. name .. " with", ("%s %s"):format(field, wanted), ("%s %s"):format(field, said)) end
  return tables.with(shape, { name = name }), name
end

-- Degrees multiply to the devices where the file does not count them.
local function count_devices(c, devices)
  local plan = c.plan
  return devices or plan.dp > 0 and plan.tp * plan.pp * plan.cp * plan.dp or nil
end

-- What the file could not say and its head says, of a group of fields.
local function said_of(head, group)
  local said = {}
  for path, value in pairs(head.missing) do
    local name = path:match("^" .. group .. "%.(.*)$")
    if name then said[name] = value end
  end
  return said
end

-- The stated fields that make a difference to a plan of such a model on such devices: all where one of them is not known.
local function with_meaning(stated, c, model, device)
  local known_device = device and devices_of.resolve(device)
  local is_whole = type(model) == "table" and known_device and c.network.devices and c.job.seq_len and c.job.global_batch
  if not is_whole then return stated end
  local meant, kept = core.plan_means({ model = model, device = devices_of.get(known_device), network = c.network,
    plan = c.plan, job = { seq_len = c.job.seq_len, global_batch = c.job.global_batch } }), {}
  for name in pairs(stated) do kept[name] = meant[name] end
  return kept
end

local function training(target, set, head, options)
  local read = { devices = options.devices or settings_of.devices(set) or head.devices, job = {}, model = nil }
  for field, value in pairs(target.job(set, read.devices)) do read.job[field] = value end
  check_same("--seq-len", options.seq_len, read.job.seq_len)
  check_same("--devices", options.devices, settings_of.devices(set))
  read.job.seq_len = read.job.seq_len or options.seq_len or head.missing["job.seq_len"]
  local shape = options.shape or target.model and target.model(set)
  backwards.check(fields.input("train_step", "model"), shape or {})
  backwards.check(fields.input("train_step", "job"), read.job)
  if read.job.steps and read.job.steps < 1 then
    errors.input("steps", ("is read from the file as '%d': must be a whole number of at least 1"):format(read.job.steps))
  end
  local wanted = options.model or head.model or target.named and target.named(set)
  local model, name, is_known = model_of(wanted, shape, options.model ~= nil)
  read.model = model
  local c, list = read_case.training(read), launch.plan_fields()
  c.is_ours = head.model ~= nil
  local stated = backwards.fill(target.read_rows or target.rows, list, set, c.plan, c, said_of(head, "plan"))
  read.devices = count_devices(c, read.devices)
  c.network.devices = read.devices
  return { kind = "training", case = c, shape = target.model and target.model(set), model = model, model_name = name, catalog_model = is_known, job = read.job, plan = c.plan,
    stated = { plan = with_meaning(stated, c, model, options.device or head.device) }, devices = read.devices, node_size = settings_of.node_size(set) }
end

-- Whether a checkpoint's name says how its weights are stored: an engine reads them so unless it is told otherwise.
local function says_format(name) return variants.format(name) or variants.leaves_format_open(name) end

-- The longest request; none where the engine works it out, as for vLLM's -1.
local function longest_of(value) return value and value > 0 and value or nil end

local function serving(target, set, head, options)
  local groups = case.described()
  local c, stated = read_case.serving(groups, target.engine), {}
  c.is_ours = head.model ~= nil
  for _, group in ipairs({ "plan", "engine" }) do
    stated[group] = backwards.fill(target.rows, groups[group], set, c[group], c, said_of(head, group))
  end
  local wanted, said = models.resolve(options.model or ""), models.resolve(set.model or "")
  check_same("--model", wanted, said)
  if options.seq_len then errors.usage("--seq-len is of training: a file of serving says its own longest request") end
  local named = options.model or set.model or head.model
  local model, name, is_known = model_of(named, options.shape)
  local engine = tables.with(c.engine, { name = target.engine })
  engine.reserve = nil
  return { kind = "serving", case = c, model = model, model_name = name, catalog_model = is_known,
    checkpoint = is_known and says_format(named) and named or nil, plan = c.plan, engine = engine, stated = stated,
    devices = c.plan.tp * c.plan.dp * c.plan.pp, max_model_len = longest_of(set[target.length]),
    pool_tokens = target.pool(set, c) }
end

-- fn(...), whose errors about a setting say the file that it is in.
local function of_file(file, fn, ...)
  local results = table.pack(errors.attempt(fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local e = results[2]
  if e.kind == "input" then e.where = e.where or (file == "-" and "stdin" or file) end
  error(e, 0)
end

--- What a launch file says.
---@param format string one of from.names(), or a target of emit
---@param text string
---@param options { file: string, model: string|nil, shape: table|nil a model of that shape, device: string|nil, devices: integer|nil, seq_len: integer|nil,
---  role: string|nil }
---@return table { target, version, kind = "training" or "serving", model, checkpoint = its name where that says the
--- format of weights, job, plan, engine, stated = { plan, engine }, fields that the file states, device, devices, unread, left_open (settings whose value the file does not say), untaken (settings that may matter and are not in what was read) }
function from.read(format, text, options)
  if #text > MOST_BYTES then
    errors.usage(("%s has %d bytes, more than the %d that are read as a launch file"):format(options.file, #text, MOST_BYTES))
  end
  local wanted = target_of(format)
  local name = versions.split(wanted)
  local set, left_open, version = of_file(options.file, settings_of.read, name, text, options)
  local target = emit.target(wanted:find("@", 1, true) and wanted or version and name .. "@" .. version or name)
  local head = heading.read(text)
  local is_served = tables.contains(emit.serving_targets, name)
  local checked = { model = options.model, shape = options.shape, device = options.device,
    devices = whole_number(options.devices, "--devices"), seq_len = whole_number(options.seq_len, "--seq-len") }
  local function as_flags(settings) return target.as_flags and target.as_flags(settings, checked.devices) or settings end
  local function read_of(settings, heading_of)
    return of_file(options.file, is_served and serving or training, target, as_flags(settings), heading_of, checked)
  end
  local read = read_of(set, head)
  local kept = next(head.missing) and edited.without(head, target, set, read, as_flags) or head
  if kept ~= head then head, read = kept, read_of(set, kept) end
  -- What our head says of the plan goes over its settings, as long as they are those that we wrote; they are understood
  -- nonetheless.
  local bare = tables.with(head, { missing = { ["job.seq_len"] = head.missing["job.seq_len"] } })
  local function by_settings(settings) return read_of(settings, bare) end
  return tables.with(read, { untaken = untaken.of(target, name, set, read, by_settings), target = name, title = versions.title(target), software = target.software or target.title, version = target.version.name,
    device = options.device or head.device,
    unread = unread(set, name, target.version.name), left_open = left_open })
end

return from

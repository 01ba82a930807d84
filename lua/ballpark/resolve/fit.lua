-- "Does it fit?" where little is said: which model and format a name means, for what, by which software, on what.
local catalog = require("ballpark.catalog")
local devices = require("ballpark.catalog.devices")
local diffusion = require("ballpark.catalog.diffusion")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local format = require("ballpark.resolve.local_inference.format")
local formats = require("ballpark.resolve.serving.formats")
local lengths = require("ballpark.resolve.training.lengths")
local local_engines = require("ballpark.catalog.local_engines")
local local_inference = require("ballpark.resolve.local_inference")
local models = require("ballpark.catalog.models")
local names = require("ballpark.resolve.local_inference.names")
local networks = require("ballpark.catalog.networks")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local fit = {}

--- What a model may be wanted for.
fit.purposes = { "inference", "full", "lora", "qlora" }

-- Tokens of a request and its answer where nobody says them (assumption).
local CONTEXT <const> = 4096

-- Tokens of a text of an encoder where nobody says them: a long paragraph (assumption).
local TEXT <const> = 512

-- The model of images that a name means, and the format behind a colon or, of a file, at its end: "flux.1-dev:Q4_K_S".
local function drawn(name)
  if diffusion.resolve(name) then return diffusion.resolve(name) end
  local bare, word = name:match("^(.+):([%w_]+)$")
  if not bare then bare, word = name:lower():gsub("[%-%.]gguf$", ""):match("^(.+)%-(q%d[%w_]*)$") end
  return bare and diffusion.resolve(bare), word and word:upper()
end

-- What one call of a model does that writes no text: "diffusion", "encode" or "transcribe", its shape, and a format that its
-- name says; nil of one that writes text.
local function called(value)
  if type(value) ~= "string" and type(value) ~= "table" then return nil end
  if type(value) == "string" then
    local name = value:match("([^/]+)$") or value
    local image_model, word = drawn(value)
    if image_model then return "diffusion", { name = image_model }, word end
    if networks.resolve(name) then return "encode", networks.get(name) end
    local known = models.resolve(value)
    if not known then return nil end
    value = catalog.model(known)
  end
  if (value.encoder or {}).mel_bins and (value.cross_layers or 0) > 0 then return "transcribe", value end
  if value.arch == "encoder" or value.arch == "vision" then return "encode", value end
end

--- The model that a name means, as people write it, the format it says, and sentences about both.
---@param value string|table
---@return table model
---@return string|nil format of resolve/local_inference/format.lua
---@return string[] assumed
function fit.model(value)
  if type(value) ~= "string" and type(value) ~= "table" then
    errors.input("model", "must be a name, a folder with a config.json or a table of fields, got " .. type(value))
  end
  local model, said, assumed = local_inference.model(value)
  assumed = table.move(assumed or {}, 1, #(assumed or {}), 1, {})
  if type(value) == "table" then return model, nil, assumed end
  -- The catalog's entry of a name whose format only publishers use keeps that format.
  if not said and models.resolve(value) then model = catalog.model(value) end
  return model, said, assumed
end

-- The word that publishers of served checkpoints have for a format.
local SERVED_WORDS <const> = { F16 = "bf16", BF16 = "bf16", gptq8 = "int8", nf4 = "int4", nf4_double = "int4" }

--- The format of weights by the word of publishers, or nil where engines that serve many do not read it.
---@param word string|nil
function fit.checkpoint(word)
  if not word then return nil end
  local own = SERVED_WORDS[word] or word
  return formats.is_named(own) and own:lower() or nil
end

local function read_format(word)
  if word == nil then return nil end
  if type(word) ~= "string" then errors.input("format", "must be the name of a format") end
  return format.named(word) or formats.is_named(word) and word:lower() or errors.choice("format", word, format.names())
end

-- Whether a model is published in a type of llama.cpp's files (mxfp4) for which the device has a kernel there alone.
local function is_of_file_alone(setup)
  local published = setup.format == nil and formats.published(setup.model)
  local word = published and format.named(published.experts or published.weights)
  return word and format.is_gguf(word) and not errors.attempt(units.check, published, setup.device, setup.software or "vllm")
end

-- By which engine: of several sequences (serving) or of one (local).
local function way_of_inference(setup)
  if setup.software then
    local family = local_engines.family(setup.software)
    if family and family ~= "vllm" then return "local" end
    if not engines.named(setup.software) then
      errors.choice("software", setup.software, tables.sorted_keys(tables.with(tables.set(engines.fitted()),
        tables.set(local_engines.names()))))
    end
    if setup.format and not fit.checkpoint(setup.format) then
      errors.input("format", ("'%s' is none that %s reads: say another, or leave the software open"):format(setup.format, setup.software))
    end
    return "serving"
  end
  if setup.device_layers or setup.host_experts or setup.host then return "local" end
  if setup.format and format.is_local(setup.format) or setup.pulled then return "local" end
  return engines.run_on(setup.device) and not is_of_file_alone(setup) and "serving" or "local"
end

-- llama.cpp and its like run on GPUs and processors: of the catalog what has a generation of such chips.
local function check_local(setup)
  local device = setup.device
  if setup.adapters then errors.input("adapters", "is of serving engines: vllm, sglang, trtllm") end
  if device.architecture == nil and device.name and devices.resolve(device.name) == device.name then
    errors.input("on", ("%s does not run %s"):format(device.name, setup.software or "llama.cpp"))
  end
  return "local"
end

--- How a setup is run: "call" (a network that writes no text), "serving" (an engine that serves many), "local" (one sequence on one machine) or "training".
---@param setup table of fit.setup, with its device
function fit.way(setup)
  if setup.call then return "call" end
  if setup.purpose ~= "inference" then return "training" end
  local way = way_of_inference(setup)
  return way == "local" and check_local(setup) or way
end

local function whole(input, name, least)
  local value = input[name]
  if value ~= nil and not (math.type(value) == "integer" and value >= (least or 1)) then
    errors.input(name, ("must be a whole number of at least %d, got %s"):format(least or 1, tostring(value)))
  end
  return value
end

-- Adapters beside a served model have ranks; the rest of these is of training.
local function check_inference(input)
  if input.plan and next(input.plan) then errors.input("plan", "is of training: say purpose, full, lora or qlora") end
  if input.adapters and input.targets ~= nil then
    errors.input("targets", "is of training: engines make room for adapters on all matrices, whatever they adapt; leave it out")
  end
  for _, name in ipairs(input.adapters and {} or { "rank", "targets" }) do
    if input[name] ~= nil then errors.input(name, "is of adapters: say how many, or a purpose, lora or qlora") end
  end
end

-- Training has formats of its own: its method says that of frozen weights.
local function check_training(input, setup, assumed)
  for _, name in ipairs({ "format", "kv", "memory_frac", "device_layers", "host_experts", "adapters", "host" }) do
    if input[name] ~= nil then
      errors.input(name, "is of inference; of training the purpose says how frozen weights are kept: lora or qlora")
    end
  end
  if setup.format then
    assumed[#assumed + 1] = ("training starts from 16-bit weights, not from %s"):format(setup.format)
    setup.format = nil
  end
end

local function share(input, name)
  local value = input[name]
  if value ~= nil and not (type(value) == "number" and value > 0 and value <= 1) then
    errors.input(name, "must be a share above 0 and at most 1, got " .. tostring(value))
  end
  return value
end

-- What only models that write text have.
local OF_TEXT <const> = { "kv", "memory_frac", "host", "device_layers", "host_experts", "adapters", "rank", "targets", "plan" }

-- The setup of a model that is called once for an answer.
local function setup_of_call(input, call, shape)
  for _, name in ipairs(OF_TEXT) do
    if input[name] ~= nil then errors.input(name, ("%s has none: it writes no text"):format(shape.name)) end
  end
  if (input.purpose or "inference") ~= "inference" then
    errors.input("purpose", ("%s: training is answered for models that write text"):format(shape.name))
  end
  local setup = { model = shape, call = call, purpose = "inference", format = input.format, software = input.software,
    context_tok = whole(input, "context_tok"), batch = whole(input, "batch") or 1, devices = whole(input, "devices") or 1 }
  local words = {}
  if call == "encode" and shape.arch == "encoder" and not setup.context_tok then
    setup.context_tok = math.min(TEXT, (shape.max_seq or 0) > 0 and shape.max_seq or TEXT)
    words[1] = ("texts of %d tokens"):format(setup.context_tok)
  end
  if not input.batch then words[#words + 1] = "one at a time" end
  return setup, { words[1] and table.concat(words, ", ") or nil }
end

-- A tag of Ollama is run by it, even in a format that engines of many sequences read, too (MXFP4).
local function is_pulled(input, said)
  return type(input.model) == "string" and names.is_tag(input.model) and said ~= nil and format.is_gguf(said)
    and not input.format and not input.adapters
end

--- What is asked of every device: model, purpose, format (nil where it is as published), kv, context_tok, batch, devices,
--- memory_frac, software, host, device_layers, host_experts, adapters, rank, targets,
--- plan; and what was assumed, as sentences without a full stop.
---@param input table of fit{}
---@return table setup
---@return string[] assumed
function fit.setup(input)
  local call, shape, word = called(input.model)
  -- An encoder of texts is trained as what writes text is.
  local is_trained = call == "encode" and shape.arch == "encoder" and (input.purpose or "inference") ~= "inference"
  if call and not is_trained then return setup_of_call(tables.with({ format = word }, input), call, shape) end
  local model, said, assumed
  if is_trained then model, assumed = shape, {} else model, said, assumed = fit.model(input.model) end
  local purpose = input.purpose or "inference"
  if not tables.contains(fit.purposes, purpose) then errors.choice("purpose", tostring(purpose), fit.purposes) end
  local setup = { model = model, purpose = purpose, format = read_format(input.format) or said,
    context_tok = whole(input, "context_tok"), batch = whole(input, "batch") or 1, devices = whole(input, "devices") or 1,
    memory_frac = share(input, "memory_frac"), device_layers = whole(input, "device_layers", 0),
    host_experts = whole(input, "host_experts", 0), adapters = whole(input, "adapters") }
  for _, name in ipairs({ "kv", "software", "host", "rank", "targets", "plan" }) do setup[name] = input[name] end
  setup.pulled = is_pulled(input, said)
  assumed[#assumed + 1] = input.format and setup.format and format.instead(input.format, setup.format) or nil
  if purpose == "inference" then check_inference(input) else check_training(input, setup, assumed) end
  local words = {}
  if not setup.context_tok then
    local usual = purpose == "inference" and CONTEXT or lengths.USUAL
    local most = (model.max_seq or 0) > 0 and model.max_seq or usual
    setup.context_tok = math.min(usual, most)
    words[1] = ("%s of %d tokens"):format(purpose == "inference" and "a prompt and its answer" or "sequences",
      setup.context_tok)
  end
  if not input.batch then words[#words + 1] = "one sequence at a time on each device" end
  if words[1] then assumed[#assumed + 1] = table.concat(words, ", ") end
  return setup, assumed
end

-- A slice is a part of a card that somebody else has cut, a bridge a second entry of its card, and a processor holds what
-- its memory banks have room for.
-- Weights in 4 bit are trained beside where bitsandbytes runs: on cards of these vendors (its documentation of 2025, recalled).
local BITSANDBYTES <const> = tables.set({ "NVIDIA", "AMD", "Intel" })

local function is_offered(device, purpose)
  if purpose == "qlora" and not BITSANDBYTES[device.vendor] then return false end
  if device.name:find("%-MIG%-") or device.name:find("%-NVLink$") or local_engines.is_processor(device) then return false end
  return purpose == "inference" or not device.shared_memory
end

--- Devices of the catalog that a question without one goes over: no slices of cards and no processors, and for training
--- none that share their memory with the host.
---@param purpose string
---@return table[]
function fit.catalog(purpose)
  local list = {}
  for _, name in ipairs(devices.names()) do
    local device = devices.get(name)
    if is_offered(device, purpose) then list[#list + 1] = device end
  end
  return list
end

return fit

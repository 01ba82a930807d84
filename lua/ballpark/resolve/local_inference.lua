-- One sequence on one machine, or some in lock-step: from what is stated to the input of the kernel local_inference, with what was assumed.
local catalog = require("ballpark.catalog")
local devices = require("ballpark.catalog.devices")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local fitted = require("ballpark.catalog.fitted.local")
local format = require("ballpark.resolve.local_inference.format")
local hf = require("ballpark.hf")
local local_engines = require("ballpark.catalog.local_engines")
local model_of_size = require("ballpark.resolve.model_of_size")
local names = require("ballpark.resolve.local_inference.names")
local shared_memory = require("ballpark.resolve.shared_memory")
local tables = require("ballpark.tables")
local variants = require("ballpark.catalog.models.variants")
local weights = require("ballpark.resolve.local_inference.weights")

local local_inference = {}

-- What is taken where nobody says it (assumption).
local PROMPT <const>, CONTEXT <const>, HOST <const> = 512, 4096, "Ryzen-9-7950X"

-- Values of the cache, bytes of an element: blocks of 32 with an fp16 scale, q4_1 and q5_1 with a minimum too
-- (ggml/src/ggml-common.h).
local KV_BYTES <const> = { f32 = 4, f16 = 2, bf16 = 2, q8_0 = 34 / 32, q5_1 = 24 / 32, q5_0 = 22 / 32, q4_1 = 20 / 32,
  q4_0 = 18 / 32, fp8 = 1, int8 = 1 }

--- Formats of the KV cache, sorted.
function local_inference.kv_formats() return tables.sorted_keys(KV_BYTES) end

-- Bytes of a device's context and libraries: about 0.4 GB of CUDA (nvidia-smi, recalled), little where memory is shared.
local RESERVE <const>, SHARED_RESERVE <const> = 4e8, 1e8

-- Share of the memory of a card that also drives a display (assumption).
local CARD_FRAC <const> = 0.97

-- Coefficients of an engine on an architecture: those of the base, moved by the engine's and the architecture's factors.
local BY_ARCHITECTURE <const> = {
  stream16 = "stream", stream8 = "stream", stream4 = "stream", stream_plain = "stream", fused_kv = "cache", matmul16 = "matmul", matmul8 = "matmul",
  attention = "matmul", op_j = "energy", stream_kv = "cache", score = "cache", gap_s = "launch", pass_s = "launch",
  unpack = "vector", unpack_plain = "vector", convert = "vector", scaling = "vector",
}

-- What generations issue of work on vector units, most of it integer, over what the fp32 rate says. Those whose multiprocessors
-- have int32 units beside as many fp32 units issue twice that (NVIDIA's white papers of V100, Turing and A100; later ones count
-- both as fp32); before them shifts ran at half the rate and conversions at a quarter (CUDA C programming guide, table of
-- throughputs), which is some third of that work (assumption).
local ISSUES <const> = { volta = 2, turing = 2, ["ampere-hbm"] = 2, maxwell = 2 / 3, pascal = 2 / 3 }

-- What the processor of the machine moves: it launches what a GPU runs. 1 of x86, by which engines are measured.
local BY_HOST <const> = { gap_s = true, pass_s = true, host_s = true }

local function submit(fit, host, on_cpu)
  local architecture = not on_cpu and host and host.architecture or ""
  return not architecture:find("^x86") and (fit.architectures[architecture] or {}).submit or 1
end

-- What the device, the machine and the fit make of a coefficient.
local function factor_of(name, architecture, chip, launches)
  local part = BY_ARCHITECTURE[name] or ""
  local factor = chip[part] or 1
  if part == "vector" then factor = factor / (ISSUES[architecture] or 1) end
  return BY_HOST[name] and factor * launches or factor
end

-- Share of the nominal bandwidth that no kernel goes beyond: refresh and turns of the bus take some hundredths
-- (assumption).
local MOST_STREAM <const> = 0.95

local STREAMS <const> = { "stream16", "stream8", "stream4", "stream_plain", "stream_kv" }
local OF_WEIGHTS <const> = { stream16 = true, stream8 = true, stream4 = true, stream_plain = true }

--- Coefficients of an engine of the catalog for an architecture: fields of bp_local_engine.
---@param key string
---@param architecture string|nil
---@param fit table|nil { engines, architectures }, those of the catalog unless given
---@param flash boolean|nil whether attention is fused
---@param launcher table|nil the machine's processor, where it launches for a card; a device with the host's memory has its own
function local_inference.engine(key, architecture, fit, flash, launcher)
  fit = fit or fitted
  local about = local_engines.get(key)
  local own = fit.engines[key] or fit.engines[about.like or ""] or {}
  local chip = fit.architectures[architecture or ""] or {}
  local launches = submit(fit, launcher, about.on == "cpu")
  local engine = { name = key, source = about.source, split = about.split, int8 = about.int8, ubatch = about.ubatch, k0 = about.k0,
    latent_prompts = about.latent_prompts, activation_bytes = about.activation_bytes, accumulate16 = about.accumulate16, stride = about.stride, host_embedding = about.host_embedding }
  for name, value in pairs(local_engines.base) do
    local as = about.one_stream and OF_WEIGHTS[name] and about.one_stream or name
    engine[name] = ((about.start or {})[as] or value) * (own[as] or 1) * factor_of(name, architecture, chip, launches)
  end
  if about.reads_fused and flash then engine.stream_kv = engine.fused_kv end
  engine.fused_kv = nil
  for _, name in ipairs(STREAMS) do engine[name] = math.min(engine[name], MOST_STREAM) end
  engine.pipelined = math.min(engine.pipelined, 1)
  return engine
end

--- The processor that launches what a device runs, nil where they are one chip.
function local_inference.launcher(device, host) return not device.shared_memory and host or nil end

--- The same of the processor that has what the device has not.
function local_inference.host_engine(host, fit, flash)
  return local_inference.engine("llamacpp-cpu", host.architecture, fit, flash)
end

-- The file that people run where nobody says one.
local USUAL_FILE <const> = "Q4_K_M"

local function is_read(family, named) return local_engines.reads(family, named, format.is_gguf(named)) end

-- What people take where 16 bit have no room, of an engine without a format of its own.
local NARROWER <const> = "awq"

-- What people run where nobody says a format: a file of llama.cpp, what an engine has that has a format of its own, or 16 bit,
-- and beside it what is narrower.
local function usual_format(family)
  if not family or family == "llamacpp" then return USUAL_FILE, ("format %s, none was given"):format(USUAL_FILE) end
  local own, called = local_engines.own_format(family), local_engines.called(family)
  if own then return own, ("format %s, which models of %s mostly have; none was given"):format(own, called) end
  return "F16", ("weights in 16 bit, as %s runs what is published; no format was given"):format(called), NARROWER
end

-- The format in which a model is published, where it has one here and the engine reads it, else the usual one.
local function format_as_published(model, family)
  local known, words = format.as_published(model, family)
  if known and is_read(family, known) then return known, "weights as published, in " .. known end
  local named, why, narrower = usual_format(family)
  if not words then return named, why, narrower end
  return named, ("format %s in place of %s, in which it is published and which %s"):format(named, words,
    known and local_engines.called(family) .. " does not read" or "is not estimated here"), narrower
end

-- What Ollama pulls of a model whose experts are published in such a type: it keeps all else as published, where files of
-- llama.cpp have Q8_0.
local AS_PUBLISHED <const> = { MXFP4 = "MXFP4_BF16" }

-- Whether an engine is Ollama and no other: tables write "ollama or llama.cpp" where nobody noted which.
local function is_ollama(engine)
  local lower = tostring(engine):lower()
  return lower:find("^ollama") ~= nil and not lower:find("llama%.cpp")
end

local function format_of(spec, said, model, family)
  if spec.format then
    local named = format.get("format", spec.format, family)
    if AS_PUBLISHED[named] and is_ollama(spec.engine) then
      return AS_PUBLISHED[named], ("experts in %s and all else in 16 bit, as Ollama has them"):format(named)
    end
    return named, format.instead(spec.format, named)
  end
  if said then return said end
  local stated = type(spec.model) == "string" and variants.format(spec.model)
  if stated and not format.named(stated, family) then
    errors.input("model", ("'%s' says %s, which engines that serve read: ask 'ballpark fit' or 'serve', or say another format here"):format(
      spec.model, stated))
  end
  return format_as_published(model, family)
end

-- A folder or file of a config.json, whose own words may say a format.
local function read_config(path)
  local model, assumed = hf.read(path)
  for i, text in ipairs(assumed) do assumed[i] = "model: " .. text end
  return model, nil, assumed
end

-- The format that a text says, or its being a tag where llama.cpp runs it; and what was assumed.
local function said_by(value, model, said, assumed, family)
  local open, packing = names.open_format(value)
  if not said and open and not variants.format(value) then
    assumed = assumed or {}
    assumed[#assumed + 1] = ("weights in %s: the name says %s, and not of how many bits"):format(open, packing)
    return open, assumed
  end
  if said or not names.is_tag(value) or (family or "llamacpp") ~= "llamacpp" then return said, assumed end
  local pulled = format.published(model) or names.pulled(value) or USUAL_FILE
  pulled = AS_PUBLISHED[pulled] or pulled
  assumed = assumed or {}
  assumed[#assumed + 1] = ("weights in %s, as Ollama pulls %s"):format(pulled, value)
  return pulled, assumed
end

--- The model that a name means as people write it, the format that the name says, and what was assumed of it.
---@param value string|table catalog name, Hugging Face id, Ollama tag, GGUF file or folder; fields of a model are it
---@param family string|nil of the engine that is named
---@return table model
---@return string|nil format of resolve/local_inference/format.lua
---@return string[]|nil assumed
function local_inference.model(value, family)
  if type(value) == "table" then return value end
  if value:find("%.json$") or files.exists(value .. "/config.json") then return read_config(value) end
  names.check(tostring(value))
  local name, said, bare, word = names.read(tostring(value))
  local model, why
  if name then model = catalog.model(name) else model, why = model_of_size.get(bare) end
  model = model or catalog.model(value)
  local assumed = { why and "model: " .. why or nil }
  assumed[#assumed + 1] = said and word and format.instead(word, said) or nil
  return model, said_by(tostring(value), model, said, assumed[1] and assumed, family)
end

local function device_of(path, value)
  if type(value) == "string" then return catalog.device(value) end
  if type(value) ~= "table" then errors.input(path, "must be a name or a table") end
  return value
end

-- A machine around cards, by its processor.
local function host_of(spec)
  local host = device_of("host", spec.host or HOST)
  if not local_engines.is_processor(host) and not host.shared_memory then
    errors.input("host", ("%s is a card, and a host is named by its processor"):format(host.name or "this device"))
  end
  return host
end

-- Devices that share the memory of their host, and processors, have no layers beside a card.
local function other_of(spec, device)
  if not spec.other then return device, 0 end
  local other = device_of("other", spec.other)
  for _, kind in ipairs({ device, other }) do
    if kind.shared_memory or local_engines.is_processor(kind) then
      errors.input("other", ("%s is no card with a memory of its own: layers are dealt between cards, and with a host")
        :format(kind.name or "one of them"))
    end
  end
  return other, spec.others or 1
end

local function kv_bytes(word)
  return KV_BYTES[tostring(word):lower()] or errors.choice("kv", tostring(word), local_inference.kv_formats())
end

-- Files of llama.cpp beside checkpoints of engines that do not run on a device.
local NEAREST_FILE <const> = { awq = "Q4_K_M", gptq = "Q4_K_M", gptq8 = "Q8_0", fp8 = "Q8_0", int8 = "Q8_0" }
local OF_MLX <const> = { mlx3 = "Q3_K_M", mlx4 = "Q4_K_M", mlx6 = "Q6_K", mlx8 = "Q8_0" }

-- Whether what is only published has no room on the devices: then people take a file, which may lie with the host in part.
local function is_too_large(spec, model, named, device, other, others)
  local room = device.memory_bytes * (spec.devices or 1) + others * other.memory_bytes
  return weights.file_bytes(model, weights.of(model, named)) > room
end

-- What a device runs in place of a checkpoint of engines that do not run on it, and why: the nearest file of what is said, of
-- what is only published that which people take of models in 16 bit, too.
local function runnable(spec, named, device, is_said, is_large)
  local of_mlx = OF_MLX[named]
  local file = of_mlx or NEAREST_FILE[named]
  if file and not of_mlx and not is_said then file = USUAL_FILE end
  local runs = of_mlx and device.vendor == "Apple" or not of_mlx and engines.run_on(device)
  if spec.engine or not file then return named end
  if runs and is_large then
    return file, ("%s in place of %s as published, of which %s has no room: a file may lie with the host in part"):format(file, named,
      (spec.devices or 1) > 1 and "all devices together" or device.name or "the device")
  end
  if runs then return named end
  return file, ("%s in place of %s, which %s reads and %s does not run"):format(file, named, of_mlx and "MLX" or "vLLM",
    device.name or "the device")
end

local function family_of(spec, named)
  if not spec.engine then return local_engines.usual(format.is_gguf(named), named) end
  return local_engines.family(spec.engine) or errors.choice("engine", spec.engine, local_engines.names())
end

-- Share of a device's memory that a model may take; of Apple's chips more where the limit of macOS is raised.
local function usable_of(spec, device)
  if spec.raised_limit then return shared_memory.raised(device) / device.memory_bytes end
  return device.shared_memory and shared_memory.frac(device) or CARD_FRAC
end

-- Layers and experts stay with the host where the engine can leave them there.
local function check_offload(spec, key)
  for _, name in ipairs({ "device_layers", "host_experts" }) do
    if (spec[name] or 0) > 0 and not local_engines.get(key).offloads then
      errors.input(name, ("is llama.cpp's: %s keeps all of a model on the device"):format(local_engines.said(key)))
    end
  end
end

--- What the model of a setup means, read once for all setups that differ in something else: the results of local_inference.model,
--- as { model, format, assumed }.
---@param spec table model, engine
function local_inference.read(spec)
  local model, said, assumed = local_inference.model(spec.model, spec.engine and local_engines.family(spec.engine))
  return { model = model, format = said, assumed = assumed }
end

--- { input (of core.local_inference), key and architecture of the engine, format, narrower (format where the taken one has no
--- room; nil of one that was given), assumed, model }.
---@param spec table model, read (of local_inference.read, where that is done), device, devices, other, others (a second kind of device), format, file_bytes, engine, year (of the software), backend, host, sequences, context_tok, prompt_tok,
--- depth_tok, at_tok, kv, flash, device_layers, host_experts, ubatch_tok
---@param fit table|nil as of local_inference.engine
function local_inference.of(spec, fit)
  local assumed = {}
  local function assume(text) assumed[#assumed + 1] = text end
  local engine_family = spec.engine and local_engines.family(spec.engine)
  local read = spec.read or local_inference.read(spec)
  local model, said = read.model, read.format
  table.move(read.assumed or {}, 1, #(read.assumed or {}), 1, assumed)
  if (spec.host_experts or 0) > 0 and (model.experts or 0) == 0 then
    errors.input("host_experts", ("'%s' has no experts; its layers stay with the host by device_layers"):format(model.name or "the model"))
  end
  local device = device_of("device", spec.device)
  local other, others = other_of(spec, device)
  local named, why, narrower = format_of(spec, said, model, engine_family)
  if why then assume(why) end
  local is_said = spec.format or said
  named, why = runnable(spec, named, device, is_said,
    not is_said and NEAREST_FILE[named] ~= nil and is_too_large(spec, model, named, device, other, others))
  if why then assume(why) end
  local family = family_of(spec, named)
  local in_name = spec.engine and family == "llamacpp" and local_engines.backend_in(spec.engine) or nil
  local backend = spec.backend and (local_engines.backend(spec.backend)
    or errors.choice("backend", spec.backend, { "cpu", "cuda", "metal", "rocm", "sycl", "vulkan" })) or in_name
  if spec.backend and in_name and backend ~= in_name then
    errors.input("backend", ("%s, and the engine is %s"):format(spec.backend, spec.engine))
  end
  if spec.engine or family == "exllama" then local_engines.check("engine", family, device) end
  if spec.engine then local_engines.check_format(family, named, format.is_gguf(named)) end
  if backend then local_engines.check(spec.backend and "backend" or "engine", backend, device) end
  if not backend and family == "llamacpp" and other.vendor ~= device.vendor then
    backend = "vulkan"
    assume(("llama.cpp over Vulkan, which cards of %s and %s both run"):format(device.vendor, other.vendor))
  end
  local key = local_engines.key(family, device, named, backend, spec.engine, spec.year)
  if not spec.engine then assume(("engine %s, none was given"):format(key)) end
  check_offload(spec, key)
  if shared_memory.words(device) then assume(shared_memory.words(device)) end
  local host = host_of(spec)
  devices.check_group("devices", device, spec.devices or 1)
  local longest = (model.max_seq or 0) > 0 and model.max_seq or CONTEXT
  local context = spec.context_tok or math.max(math.min(CONTEXT, longest), (spec.prompt_tok or 0) + (spec.depth_tok or 0))
  local prompt = spec.prompt_tok or math.min(PROMPT, context)
  local flash = spec.flash
  if flash == nil then flash = local_engines.get(key).flash end
  local input = {
    model = model, device = device, devices = spec.devices or 1, host = host,
    weights = weights.of(model, named, spec.file_bytes),
    engine = local_inference.engine(key, device.architecture, fit, flash, local_inference.launcher(device, host)),
    other = other, others = others, other_engine = local_inference.engine(key, other.architecture, fit, flash, host),
    host_engine = local_inference.host_engine(host, fit, flash),
    device_layers = spec.device_layers, host_experts = spec.host_experts, ubatch_tok = spec.ubatch_tok,
    sequences = spec.sequences or 1, prompt_tok = prompt, depth_tok = spec.depth_tok, at_tok = spec.at_tok or context, context_tok = context,
    kv_value_bytes = kv_bytes(spec.kv or "f16"), flash = flash,
    reserve_bytes = device.shared_memory and SHARED_RESERVE or RESERVE, usable_frac = usable_of(spec, device),
  }
  -- Nobody noted of a measured speed that it was Ollama's, which has another server and older kernels: some are, unsaid. So it
  -- is where nobody says which of the two it will be.
  return { input = input, key = key, family = family, architecture = device.architecture, format = named, narrower = narrower,
    unsaid_engine = is_ollama(spec.engine) or not (spec.engine or spec.backend) and family == "llamacpp",
    assumed = assumed, model = model, host_assumed = not spec.host }
end

return local_inference

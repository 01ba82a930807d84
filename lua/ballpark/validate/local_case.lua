-- A row of measured local inference as a question, and what it measured.
local csv = require("ballpark.csv")
local devices = require("ballpark.catalog.devices")
local dealt = require("ballpark.resolve.local_inference.dealt")
local errors = require("ballpark.errors")
local labels = require("ballpark.measured.labels")
local local_engines = require("ballpark.catalog.local_engines")
local names = require("ballpark.resolve.local_inference.names")
local resolve = require("ballpark.resolve.local_inference")
local tables = require("ballpark.tables")

local local_case = {}

-- llama-bench's lengths, where a row does not say them (tools/llama-bench, 2025).
local PROMPT <const>, GENERATED <const> = 512, 128

-- The year from which llama.cpp fuses attention unless told (2025).
local FLASH_YEAR <const> = 2025

local GiB <const> = 1 << 30

-- The model by its own name, or by that of its file: llama-bench prints an architecture in its place.
local function model_of(row)
  local name, said = names.read(row.model)
  local file = (row.notes or ""):match("^file (%S+)")
  if file then
    local of_file = names.read(file)
    name = of_file or name
  end
  return name or row.model, said
end

-- Files of EXL2 have any number of bits a weight, which a column of its own may say.
local function format_of(row)
  local bare = row.quant and row.quant:lower():match("^exl[23]$")
  return bare and row.bits_per_weight and ("%s-%g"):format(bare, row.bits_per_weight) or row.quant
end

local function is_on_cpu(row) return row.device_type == "cpu" or (row.notes or ""):find("^CPU only") ~= nil end

-- Notes of tables say where llama.cpp left the matrix units of a GPU of Apple idle ("Metal only").
local function device_of(row)
  local name = labels.resolve(row.device)
  if not (name and (row.notes or ""):find("Metal only", 1, true)) then return name or row.device end
  local device = devices.get(name)
  return tables.with(device, { bf16_flop_s = device.fp32_flop_s })
end

-- The processor of a row's machine, where the label begins with what the catalog knows.
local function host_of(row)
  local label = (row.host or ""):gsub("%b()", " "):gsub("%s+%-%s.*$", "")
  local found = labels.resolve(label)
  return found and local_engines.is_processor(devices.get(found)) and found or nil
end

local function is_on_x86(row)
  local host = host_of(row)
  return not host or devices.get(host).architecture:find("^x86") ~= nil
end

-- Tables with one row for a machine say in notes which of them ran llama.cpp over Vulkan: those whose host ends in a 1. The
-- others ran Ollama, which has HIP and no Vulkan for cards of AMD (2025), on x86.
local function backend_of(row)
  if is_on_cpu(row) then return "cpu" end
  local marks = (row.notes or ""):find("a suffix 1 in host = llama.cpp Vulkan", 1, true)
  if row.backend or not marks then return row.backend end
  if (row.host or ""):find("1%)") then return "vulkan" end
  local card = labels.resolve(row.device)
  return card and devices.get(card).vendor == "AMD" and is_on_x86(row) and "rocm" or nil
end

local function layers_of(row)
  local text = row.ngl or "all"
  local count = math.tointeger(csv.number(text))
  return count and count < 99 and count or nil
end

-- llama-bench times prompt and generation apart, each from an empty cache; any other engine generates behind the prompt.
local function starts_empty(row, family) return family == "llamacpp" and row.pp_tokens_per_s ~= nil end

-- Without these a row is no measurement of anything.
local NEEDED <const> = { "engine", "model", "device" }

local function spec_of(row)
  for _, column in ipairs(NEEDED) do
    if not row[column] then errors.input(column, "is blank") end
  end
  local family = local_engines.family(row.engine)
  if not family then errors.input("engine", ("'%s' is none of ours"):format(row.engine)) end
  local model, said = model_of(row)
  local prompt, generated, depth = row.prompt_tokens or PROMPT, row.gen_tokens or GENERATED, row.depth_tokens or 0
  local behind = (starts_empty(row, family) or not row.prompt_tokens) and 0 or prompt
  local flash = row.flash_attn
  if flash == nil and family == "llamacpp" then flash = (row.year or FLASH_YEAR) >= FLASH_YEAR end
  return {
    model = model, device = device_of(row), devices = row.devices or 1, format = format_of(row) or said,
    file_bytes = row.model_size_gib and row.model_size_gib * GiB or nil, engine = row.engine, year = row.year, host = host_of(row),
    backend = backend_of(row), sequences = row.batch, prompt_tok = prompt, depth_tok = depth,
    at_tok = depth + behind + generated / 2, context_tok = depth + behind + prompt + generated, kv = row.kv_dtype,
    flash = flash, device_layers = layers_of(row), host_experts = row.n_cpu_moe, ubatch_tok = row.n_ubatch,
  }, family
end

-- Generation whose row says the prompt but not its speed is of a whole request, where the engine does not print it apart: the
-- prompt counts in its time.
local function is_whole(row, family)
  return not local_engines.times_apart(family) and row.tg_tokens_per_s and not row.pp_tokens_per_s and (row.prompt_tokens or 1) > 1
end

--- { row, resolved (of resolve.local_inference), metrics = list of { metric, measured, predict = function(out) } }.
---@param row table
function local_case.of(row)
  if row.wrong then errors.input("row", row.wrong) end
  local spec, family = spec_of(row)
  local resolved = resolve.of(spec)
  if (row.notes or ""):find("^split between GPU and CPU") then
    resolved.input = tables.with(resolved.input, dealt.of({}, resolved))
  end
  local case = { row = row, resolved = resolved, metrics = {} }
  local generated = row.gen_tokens or GENERATED
  if row.pp_tokens_per_s then
    case.metrics[1] = { metric = "prompt", measured = row.pp_tokens_per_s,
      predict = function(out) return out.prompt_tokens_per_s end }
  end
  if row.tg_tokens_per_s then
    local whole = is_whole(row, family)
    case.metrics[#case.metrics + 1] = { metric = "generation", measured = row.tg_tokens_per_s, predict = function(out)
      if not whole then return out.tokens_per_s end
      return (row.batch or 1) * generated / (out.prompt_s + generated * out.token_s)
    end }
  end
  if #case.metrics == 0 then errors.input("row", "nothing measured") end
  return case
end

return local_case

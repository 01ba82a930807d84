-- Reads a model from a config.json in Hugging Face's format. What cannot be represented is refused
-- with a reason; what is filled in without being written is said.
local lfs = require("lfs")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local encoder_decoder = require("ballpark.hf.encoder_decoder")
local families = require("ballpark.hf.families")
local is_harmless = require("ballpark.hf.harmless")
local json = require("ballpark.hf.json")
local near = require("ballpark.near")
local launch = require("ballpark.hf.launch")
local quantization = require("ballpark.hf.quantization")
local Reader = require("ballpark.hf.reader")
local refused = require("ballpark.hf.refused")
local tables = require("ballpark.tables")
local tower = require("ballpark.hf.tower")

local hf = {}

-- Keys of nested configs that hold the language model of a vision-language (or audio) model.
local TEXT_KEYS = { "text_config", "llm_config", "language_config" }
local TOWER_KEYS = { "vision_config", "audio_config", "visual", "vision_tower" }

-- Words in keys that nobody understood which mean that the shape is not what it looks like.
local SHAPE_WORDS = { "expert", "moe", "lora_rank", "mamba", "ssm", "linear_", "block_type", "layer_types",
  "compress", "shared_", "conv_", "cross_attention", "kv_sharing", "num_layers" }

-- As the field `layers` of a model allows.
local MOST_LAYERS = 100000

local function is_object(value) return type(value) == "table" and value ~= json.null end

-- Nothing: null, false, zero, an empty list.
local function is_trivial(value)
  return value == json.null or value == false or value == 0
    or (type(value) == "table" and next(value) == nil)
end

-- Architecture classes by family, for configs whose model_type is not one of Hugging Face's:
-- "DeepseekV4ForCausalLM" is deepseek_v4.
local function by_class(class)
  local wanted = class:gsub("For.*$", ""):gsub("Model$", ""):lower()
  for _, name in ipairs(tables.sorted_keys(families)) do
    if name:gsub("[_-]", "") == wanted then return name end
  end
end

local function known_types()
  local names = tables.sorted_keys(families)
  for _, name in ipairs(tables.sorted_keys(refused)) do names[#names + 1] = name end
  return names
end

local function refuse_unknown(config, where, key)
  local model_type = tostring(config.model_type or "(none)")
  local meant = near.name(model_type, known_types())
  errors.input(where, ("unknown model_type '%s'%s%s"):format(model_type,
    meant and (", nearest is '" .. meant .. "'") or "",
    key and ("; its key '" .. key .. "' is not one of a LLaMA-like model") or ""))
end

-- A model_type nobody knows may pass as LLaMA-like; `strict` then asks that every key is known.
local function choose_family(config, where, assumed)
  local model_type = config.model_type
  if type(model_type) ~= "string" then model_type = nil end
  if refused[model_type] then errors.input(where, "cannot be represented: " .. model_type .. " is "
    .. refused[model_type]) end
  if config.is_encoder_decoder == true and not encoder_decoder[model_type] then
    errors.input(where, "cannot be represented: an encoder-decoder of another kind than T5 and Whisper")
  end
  if families[model_type] then return families[model_type], model_type, false end
  for _, class in ipairs(is_object(config.architectures) and config.architectures or {}) do
    local name = by_class(tostring(class))
    if name then
      assumed[#assumed + 1] = ("model_type '%s' is unknown; read as '%s', after its class %s")
        :format(tostring(model_type), name, class)
      return families[name], name, false
    end
  end
  if not model_type then refuse_unknown(config, where) end
  assumed[#assumed + 1] = ("model_type '%s' is unknown; read as 'llama', whose keys are all it has")
    :format(model_type)
  return families.llama, model_type, true
end

local function fill_flags(reader, family, model)
  for _, field in ipairs(tables.sorted_keys(family.flags)) do
    local key = family.flags[field]
    if key and reader:get(key) ~= nil then model[field] = reader:flag(key) end
  end
end

-- Sizes that a config may leave open and that no model has as 0; those of experts where there are some.
local SIZES <const> = tables.set({ "ffn_hidden", "head_dim", "heads", "kv_heads", "max_seq", "qk_nope_dim", "qk_rope_dim",
  "v_head_dim", "vocab" })
local OF_EXPERTS <const> = tables.set({ "moe_ffn", "topk" })

local function fill_counts(reader, family, model)
  local needed = tables.set(family.needed)
  for _, field in ipairs(tables.sorted_keys(family.keys)) do -- experts before what is of them
    local key = family.keys[field]
    if key and needed[field] then
      model[field] = reader:needed(key)
    elseif key and (SIZES[field] or OF_EXPERTS[field] and (model.experts or 0) > 0) then
      model[field] = reader:size(key)
    elseif key then
      model[field] = reader:count(key)
    end
  end
  -- Rules walk over the layers: a number that no model has must not keep them busy.
  if model.layers > MOST_LAYERS then
    reader:fail("number of layers", ("must be at most %d, got %d"):format(MOST_LAYERS, model.layers))
  end
end

-- What every transformer has even where its config leaves it out.
local function fill_heads(reader, family, model)
  if model.attention_layers == 0 then return end
  if not model.kv_heads then
    model.kv_heads = model.heads
    if family.keys.kv_heads and not model.kv_lora_rank then
      reader:assume("%s is not given: as many as attention heads, %d", family.keys.kv_heads, model.heads)
    end
  end
  if model.head_dim or model.kv_lora_rank then return end
  if model.hidden % model.heads ~= 0 then
    reader:fail("num_attention_heads", ("%d does not divide hidden_size %d, and head_dim is not given")
      :format(model.heads, model.hidden))
  end
  model.head_dim = model.hidden // model.heads
end

-- Keys that no part of the family looked at: shape words refuse, the rest is named.
local function check_leftovers(reader, family, strict)
  local harmless, unread = {}, {}
  for _, key in ipairs(family.harmless) do harmless[key] = true end
  for _, key in ipairs(tables.sorted_keys(reader.config)) do
    local known = reader.seen[key] or harmless[key] or is_harmless(key)
    if not known and not is_trivial(reader.config[key]) then
      if strict then refuse_unknown(reader.config, reader.where, key) end
      for _, word in ipairs(SHAPE_WORDS) do
        if key:find(word, 1, true) then
          reader:refuse("key '" .. key .. "' changes the shape in a way that is not known here")
        end
      end
      unread[#unread + 1] = key
    end
  end
  if #unread > 0 then
    reader:assume("not understood and left out: %s", table.concat(unread, ", "))
  end
end

local function fill(config, where, assumed)
  local family, family_name, strict = choose_family(config, where, assumed)
  local reader = Reader.new(config, where, family.defaults, assumed)
  local model = { family = family_name }
  for field, value in pairs(family.fixed) do model[field] = value end
  fill_counts(reader, family, model)
  fill_flags(reader, family, model)
  fill_heads(reader, family, model)
  for _, rule in ipairs(family.rules) do rule(reader, model) end
  check_leftovers(reader, family, strict)
  return model
end

-- The language model of a nested config, with what is written once for all parts.
local function language_part(config, where)
  local inner
  for _, key in ipairs(TEXT_KEYS) do
    local part = config[key]
    if is_object(part) and #part > 0 then errors.input(where .. ": " .. key, "must be an object, got a list") end
    if is_object(part) then inner = key break end
  end
  if not inner then return config, where end
  local outer_type = config.model_type
  if refused[outer_type] then return config, where end
  local part = {}
  for key, value in pairs(config[inner]) do part[key] = value end
  for _, key in ipairs({ "tie_word_embeddings", "quantization_config", "torch_dtype", "dtype" }) do
    if part[key] == nil then part[key] = config[key] end
  end
  return part, where .. ": " .. inner
end

-- What stands beside a language model, read where it is known and else named.
local function read_towers(config, where, model, assumed)
  for _, key in ipairs(TOWER_KEYS) do
    if is_object(config[key]) and not (key == "vision_config" and tower.read(config, where, model, assumed)) then
      assumed[#assumed + 1] = ("the tower in %s is not counted"):format(key)
    end
  end
end

-- The part of a head that rotary positions turn; nil where it is all of it.
local function rotary_dim(config, head_dim)
  local share = config.partial_rotary_factor or config.rotary_pct
    or is_object(config.rope_parameters) and config.rope_parameters.partial_rotary_factor
  local width = math.tointeger(config.rotary_dim) or math.type(share) and math.floor(share * head_dim)
  return width and width > 0 and width < head_dim and width or nil
end

--- The model of a decoded config.
---@param config table the object in config.json
---@param where string|nil what errors call it
---@return table model fields of a model, `name` and `source` if `where` was given
---@return string[] assumed one sentence for everything that is not written in the config
function hf.from_config(config, where)
  where = where or "config"
  if type(config) ~= "table" then errors.input(where, "must be a table, got " .. type(config)) end
  local assumed = {}
  local part, place = language_part(config, where)
  local model = fill(part, place, assumed)
  read_towers(config, where, model, assumed)
  if part.quantization_config ~= nil and not is_object(part.quantization_config) then
    errors.input(where .. ": quantization_config", "must be an object, got " .. type(part.quantization_config))
  end
  model.quantization = quantization(part, place, assumed)
  model.rope, model.router = launch.rope(part), (model.experts or 0) > 0 and launch.router(part) or nil
  model.rotary_dim = rotary_dim(part, model.head_dim)
  model.route_groups, model.route_top = launch.groups(part)
  model.source = where
  model.name = type(config._name_or_path) == "string" and config._name_or_path ~= ""
    and config._name_or_path or model.family
  if #assumed > 0 then model.notes = table.concat(assumed, "; ") end
  return model, assumed
end

-- "org--Name_config.json", "Name/config.json" and "Name" are all called Name.
local function name_of(path)
  local folder, file = path:match("^(.-)/*([^/]+)/*$")
  if file == "config.json" then file = folder:match("([^/]+)/*$") or file end
  return (file:gsub("%.json$", ""):gsub("[_.-]config$", ""):gsub("^.*%-%-", ""))
end

--- The model of a config.json, or of a folder that holds one.
---@param path string
---@return table model, string[] assumed
function hf.read(path)
  files.check(path)
  local kind = lfs.attributes(path, "mode")
  local file = kind == "directory" and (path:gsub("/+$", "") .. "/config.json") or path
  local config = json.decode(files.read(file), path)
  -- ModelOpt writes what is quantised beside the config.
  local beside = kind == "directory" and path:gsub("/+$", "") .. "/hf_quant_config.json"
  if beside and files.exists(beside) and type(config) == "table" and config.quantization_config == nil then
    local stated = json.decode(files.read(beside), beside)
    config.quantization_config = type(stated) == "table" and stated.quantization or nil
  end
  local model, assumed = hf.from_config(config, path)
  model.name = name_of(path)
  return model, assumed
end

return hf

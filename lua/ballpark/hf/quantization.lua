-- The number format of a checkpoint, from its config, in the words of catalog/models/stored.lua.
local errors = require("ballpark.errors")
local json = require("ballpark.hf.json")
local stored = require("ballpark.catalog.models.stored")
local tables = require("ballpark.tables")

-- Weights in the first group of compressed-tensors and ModelOpt configs: num_bits, type.
local function group_of(config)
  local weights = tables.at(config, "config_groups", "group_0", "weights")
  return type(weights) == "table" and weights or {}
end

-- Bits of a weight, as a mean of ExLlama's with a fraction.
local function number_of(bits)
  return math.tointeger(bits) or math.type(bits) == "float" and bits > 0 and bits < 32 and bits or nil
end

local function bits_of(config)
  if config.load_in_4bit == true then return 4 end
  if config.load_in_8bit == true then return 8 end
  return number_of(config.bits) or math.tointeger(config.w_bit) or math.tointeger(group_of(config).num_bits)
end

-- Floats of so many bits, as compressed-tensors packs them.
local FLOATS <const> = { [4] = "nvfp4", [8] = "fp8" }

-- Whether attention is among the layers that stay as they are.
local function ignores_attention(config)
  for _, name in ipairs(type(config.ignore) == "table" and config.ignore or {}) do
    if type(name) == "string" and name:find("^re:.*attn") then return true end
  end
  return false
end

local function text(value) return type(value) == "string" and value:lower() or nil end

-- Format of the KV cache that ModelOpt and compressed-tensors state: a word, or bits and a type; nil where none is.
local function kv_of(config)
  local scheme = config.kv_cache_quant_algo or config.kv_cache_scheme
  if type(scheme) ~= "table" then return text(scheme) end
  if scheme.type ~= "float" then return nil end
  return scheme.num_bits == 8 and "fp8" or scheme.num_bits == 4 and "nvfp4" or nil
end

-- Tools that say a type in words of their own: where their config has it (their configs of 2024 and 2025; recalled).
local STATED <const> = {
  fbgemm_fp8 = function() return "float8" end,
  eetq = function() return "int8" end,
  quark = function(config) return tables.at(config, "global_quant_config", "weight", "dtype") end,
  quanto = function(config) return config.weights end,
  torchao = function(config)
    local kind = config.quant_type
    return type(kind) == "table" and (tables.at(kind, "default", "_type") or tables.at(kind, "default")) or kind
  end,
  hqq = function(config)
    local bits = tables.at(config, "quant_config", "weight_quant_params", "nbits") or config.nbits
    return bits and "int" .. tostring(bits)
  end,
}

-- Types by patterns of such words, and ours; the first found decides.
local TYPES <const> = { { "mxfp4", "mxfp4" }, { "fp4", "mxfp4" }, { "float8", "fp8" }, { "fp8", "fp8" }, { "int8", "int8" },
  { "int4", "int4" } }

local function type_of(config)
  local stated = STATED[text(config.quant_method) or ""]
  local word = stated and text(stated(config))
  for _, row in ipairs(TYPES) do
    if word and word:find(row[1], 1, true) then return row[2] end
  end
end

-- What is quantised and how: a checkpoint that mixes formats names the one of its experts apart.
local function method_of(config)
  local known = type_of(config)
  if known then return known end
  local algorithm = text(config.quant_algo)
  if not algorithm and group_of(config).type == "float" then algorithm = FLOATS[bits_of(config)] end
  if algorithm == "mixed_precision" then algorithm = nil end
  return algorithm or text(config.quant_method) or "quantised"
end

-- Methods whose bits are those of integers, or cost what those do (transformers, utils/quantization_config.py, and what vLLM
-- takes besides; recalled).
local OF_INTEGERS <const> = tables.set({ "auto-round", "awq", "awq_marlin", "bitblas", "bitsandbytes", "compressed-tensors", "gptq",
  "gptq_bitblas", "gptq_marlin", "gptq_marlin_24", "hqq", "intel/auto-round", "modelopt", "moe_wna16", "quanto", "quark",
  "torchao", "w4a16" })

local function assume_integers(quantization, method, bits, assumed)
  if not bits or OF_INTEGERS[method] then return end
  local said = quantization.quant_method
  assumed[#assumed + 1] = ("quantization_config: %s: its %s bits are taken as those of integers"):format(said == nil
    and "quant_method is not given" or ("quant_method '%s' is not known here"):format(errors.in_short(said)), bits)
end

-- Words of a config and of what it says of its quantisation.
local WORDS <const> = { "torch_dtype", "dtype", "expert_dtype" }
local WORDS_OF_METHOD <const> = { "quant_method", "quant_algo", "moe_quant_algo", "fmt" }

local function check_words(of, names, where)
  for _, name in ipairs(names) do
    local value = of[name]
    if value ~= nil and value ~= json.null and type(value) ~= "string" then
      errors.input(where .. ": " .. name, "must be text, got " .. (type(value) == "table" and "a list or object" or tostring(value)))
    end
  end
end

--- The weight format of a decoded config, or nil where it says nothing; sentences about what was taken for granted go to the
--- list `assumed`.
---@param config table
---@param where string what errors call it
---@param assumed string[]
return function(config, where, assumed)
  local quantization = config.quantization_config
  check_words(config, WORDS, where)
  if type(quantization) ~= "table" or next(quantization) == nil then
    return text(config.torch_dtype) or text(config.dtype)
  end
  check_words(quantization, WORDS_OF_METHOD, where .. ": quantization_config")
  local method, mixed = method_of(quantization), text(quantization.moe_quant_algo)
  local bits, kv = not mixed and bits_of(quantization), kv_of(quantization)
  if bits and ignores_attention(quantization) then
    return stored.words({ weights = "bf16", experts = "int" .. bits, kv = kv })
  end
  bits = bits and not method:find(tostring(bits), 1, true) and bits or nil
  assume_integers(quantization, method, bits, assumed)
  return stored.words({ weights = method, bits = bits,
    kind = text(quantization.fmt), experts = mixed or text(config.expert_dtype), kv = kv })
end

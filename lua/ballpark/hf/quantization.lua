-- The number format of a checkpoint, in words: a note beside the model, not a part of its shape.

-- Bits of the weights in the first group of compressed-tensors and ModelOpt configs.
local function group_bits(config)
  local groups = config.config_groups
  local first = type(groups) == "table" and groups.group_0
  local weights = type(first) == "table" and first.weights
  return type(weights) == "table" and weights.num_bits
end

local function bits_of(config)
  if config.load_in_4bit == true then return 4 end
  if config.load_in_8bit == true then return 8 end
  return math.tointeger(config.bits) or math.tointeger(config.w_bit) or math.tointeger(group_bits(config))
end

local function text(value) return type(value) == "string" and value:lower() or nil end

-- Format of the KV cache that ModelOpt and compressed-tensors state: a word, or bits and a type; nil where none is.
local function kv_of(config)
  local scheme = config.kv_cache_quant_algo or config.kv_cache_scheme
  if type(scheme) ~= "table" then return text(scheme) end
  if scheme.type ~= "float" then return nil end
  return scheme.num_bits == 8 and "fp8" or scheme.num_bits == 4 and "nvfp4" or nil
end

-- What is quantised and how: a checkpoint that mixes formats names the one of its experts apart.
local function method_of(config)
  local algorithm = text(config.quant_algo)
  if algorithm == "mixed_precision" then algorithm = nil end
  return algorithm or text(config.quant_method) or "quantised"
end

--- The weight format of a decoded config, or nil where it says nothing.
return function(config)
  local quantization = config.quantization_config
  if type(quantization) ~= "table" or next(quantization) == nil then
    return text(config.torch_dtype) or text(config.dtype)
  end
  local words = { method_of(quantization) }
  local mixed = text(quantization.moe_quant_algo)
  local bits = not mixed and bits_of(quantization)
  if bits and not words[1]:find(tostring(bits), 1, true) then words[#words + 1] = bits .. " bit" end
  if text(quantization.fmt) then words[#words + 1] = text(quantization.fmt) end
  local expert = mixed or text(config.expert_dtype)
  if expert then words[#words + 1] = "experts " .. expert end
  local kv = kv_of(quantization)
  if kv then words[#words + 1] = "kv " .. kv end
  return table.concat(words, ", ")
end

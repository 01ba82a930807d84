-- What the name of a checkpoint says besides the model: how it was tuned, published or packed. None of it
-- changes the shape; a weight format says how it is stored.
local variants = {}

local function set(text)
  local words = {}
  for word in text:gmatch("%S+") do words[word] = true end
  return words
end

--- How a checkpoint was tuned or published.
variants.published = set("base chat deduped hf instruct it meta nvidia preview pt reasoning released think thinking")

-- How a weight format was made.
local packing = set("aqlm block bnb dynamic exl2 exl3 gguf kv mlx pertensor qat quantized static unsloth")

-- Packings that are always of fewer bits than 16, in a format of which they say nothing.
local unsaid = set("bnb exl2 exl3 gguf mlx quantized")

-- Weight formats, as serving/formats.lua reads them.
local formats = {
  fp8 = "fp8", nvfp4 = "nvfp4", fp4 = "nvfp4", mxfp4 = "mxfp4", awq = "awq", gptq = "gptq", int4 = "int4",
  ["4bit"] = "int4", w4a16 = "w4a16", int8 = "int8", ["8bit"] = "int8", w8a8 = "w8a8", w8a16 = "int8", bf16 = "bf16", fp16 = "fp16",
  awq8 = "int8", gptq8 = "int8", ["quantized.w8a8"] = "w8a8", ["quantized.w4a16"] = "w4a16", ["quantized.w8a16"] = "int8", q4 = "int4", q8 = "int8",
}

-- Bits and codebooks of AQLM and its kind: 2bit, 1x16.
local function is_code(word) return word:find("^%dbit$") or word:find("^%dx%d+$") end

--- Whether a word of a name says how weights were packed.
function variants.is_packing(word) return packing[word] or formats[word] or is_code(word) end

--- Versions of a checkpoint (v0.1) and dates (2407) name a release, not a shape.
function variants.is_release(word) return word:find("^v0%.%d+$") or word:find("^%d%d%d%d$") end

-- Words of a name; a second release of a quantised checkpoint (FP4-v2) is the same one, and so are the kinds of a
-- file of llama.cpp of so many bits (Q4_K_M, Q8_0), whose ends are words behind a dot, too (.Q4_0.gguf).
local function words_of(name)
  local plain = name:lower():gsub("%.gguf$", " gguf"):gsub("%.(i?q%d_[%w_]+)%f[^%w_]", " %1"):gsub("(fp[48])[%-_]v%d", "%1"):gsub("%f[%w](q[48])_[k%d]_?[sml]?%f[%W]", "%1")
  return plain:gmatch("[^%s_%-%(%):]+")
end

-- Tools that pack integers: what says how many bits those have says more, before the tool as behind it (INT8-AWQ, AWQ-INT8).
local tools, integers = set("awq gptq"), set("int4 int8 w4a16")

--- The weight format that a name states, or nil.
---@param name string
---@return string|nil
function variants.format(name)
  local found
  for word in words_of(name) do
    if not (tools[word] and integers[found or ""]) then found = formats[word] or found end
  end
  return found
end

-- What packed frozen weights of four bits, by words of a name; the first found decides. unsloth calls its dynamic checkpoints
-- "-unsloth-bnb-4bit", plain ones "-bnb-4bit".
local packers = { { "unsloth%-bnb%-4bit", "bitsandbytes_dynamic" }, { "bnb%-4bit", "bitsandbytes" }, { "gptq", "gptq" }, { "awq", "gptq" } }

--- What packed a checkpoint of four bits that a name means, as plan.base_format has it; nil where it does not say.
---@param name string
---@return string|nil
function variants.packer(name)
  local lower = name:lower()
  for _, row in ipairs(packers) do
    if lower:find(row[1]) then return row[2] end
  end
end

-- Formats of ModelOpt, in which NVIDIA publishes checkpoints whose configs state a KV cache in fp8.
local modelopt = { fp8 = true, nvfp4 = true }

--- The format of the KV cache that a checkpoint of that name states: behind that of the weights (FP8-KV), or in its
--- config as ModelOpt writes it (nvidia/...-FP8); or nil.
---@param name string
---@return string|nil
function variants.kv_format(name)
  local lower = name:lower()
  local published = lower:find("^nvidia/") and modelopt[variants.format(lower)]
  return (published or lower:find("fp8[%-_]kv%f[%W]")) and "fp8" or nil
end

--- Whether a name says that weights have fewer bits than 16, and not how many.
---@param name string
---@return boolean
function variants.leaves_format_open(name)
  local open = false
  for word in words_of(name) do open = open or unsaid[word] ~= nil end
  return open and variants.format(name) == nil
end

--- A name without such words, in lower case and without separators. Dates go as well, numbers of versions stay.
---@param name string
---@return string
function variants.bare(name)
  local rest = {}
  for word in words_of(name) do
    local variant = variants.published[word] or variants.is_packing(word) or word:find("^%d%d%d%d$")
    if not variant then rest[#rest + 1] = word end
  end
  return table.concat(rest)
end

return variants

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
local packing = set("block bnb dynamic gguf kv pertensor quantized static unsloth")

-- Weight formats, as serving/formats.lua reads them.
local formats = {
  fp8 = "fp8", nvfp4 = "nvfp4", fp4 = "nvfp4", mxfp4 = "mxfp4", awq = "awq", gptq = "gptq", int4 = "int4",
  ["4bit"] = "int4", w4a16 = "w4a16", int8 = "int8", ["8bit"] = "int8", w8a8 = "w8a8", bf16 = "bf16", fp16 = "fp16",
  ["quantized.w8a8"] = "w8a8", ["quantized.w4a16"] = "w4a16",
}

--- Versions of a checkpoint (v0.1) and dates (2407) name a release, not a shape.
function variants.is_release(word) return word:find("^v0%.%d+$") or word:find("^%d%d%d%d$") end

-- Words of a name; a second release of a quantised checkpoint (FP4-v2) is the same one.
local function words_of(name) return (name:lower():gsub("(fp[48])[%-_]v%d", "%1"):gmatch("[^%s_%-%(%)]+")) end

--- The weight format that a name states, or nil.
---@param name string
---@return string|nil
function variants.format(name)
  local found
  for word in words_of(name) do found = formats[word] or found end
  return found
end

--- A name without such words, in lower case and without separators. Dates go as well, numbers of versions stay.
---@param name string
---@return string
function variants.bare(name)
  local rest = {}
  for word in words_of(name) do
    local variant = variants.published[word] or packing[word] or formats[word] or word:find("^%d%d%d%d$")
    if not variant then rest[#rest + 1] = word end
  end
  return table.concat(rest)
end

return variants

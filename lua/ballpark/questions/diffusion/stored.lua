-- Weights of a denoiser that are stored in fewer bits than they multiply in: bytes of one, and what making it wide for every
-- pass moves.
local errors = require("ballpark.errors")
local format = require("ballpark.resolve.local_inference.format")
local gguf = require("ballpark.catalog.gguf")
local tables = require("ballpark.tables")
local weight_formats = require("ballpark.catalog.weight_formats")

local stored = {}

-- Bytes moved for a weight and pass: read and written once where a cast does it (fp8, counted); bitsandbytes as in fine-tuning;
-- operations of PyTorch one after the other for files of llama.cpp, as GPTQ layers (core/kernel/count/adapters.c).
local CAST <const>, BITSANDBYTES <const>, BY_OPERATIONS <const> = 3, 18, 28

local TRAFFIC <const> = { fp8 = CAST, nf4 = BITSANDBYTES, nf4_double = BITSANDBYTES, int8 = BITSANDBYTES }

-- Formats that software of images reads: diffusers with bitsandbytes, ComfyUI with files of llama.cpp.
local function names()
  local list = tables.sorted_keys(TRAFFIC)
  for _, name in ipairs(gguf.files()) do
    if format.is_gguf(name) then list[#list + 1] = name end
  end
  return list
end

--- { name, bytes, traffic } of a format as people write it; nil where none is said or it is of 16 bit.
---@param word string|nil
---@return table|nil
function stored.of(word)
  if word == nil then return nil end
  local lower = tostring(word):lower() -- what int8 is here is GPTQ in the serving of LLMs
  local name = TRAFFIC[lower] and lower or type(word) == "string" and format.named(word)
  if name == "F16" or name == "BF16" then return nil end
  if name and format.is_gguf(name) then
    return { name = name, bytes = gguf.base_bytes(name), traffic = BY_OPERATIONS }
  end
  if not TRAFFIC[name or ""] then errors.choice("weights", tostring(word), names()) end
  return { name = name, bytes = weight_formats.get(name)[1] / 8, traffic = TRAFFIC[name] }
end

return stored

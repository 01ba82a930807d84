-- How a checkpoint stores its weights: a note of words beside the shape of a model (`model.quantization`), written and
-- read here. "fp8", "fp8, experts fp4", "gptq, 4 bit", "int4, packed by bitsandbytes, kv fp8".
local blanks = require("ballpark.blanks")

local stored = {}

---@class ballpark.Stored what the words say; a field is nil where they do not say it
---@field weights string|nil a format, or the tool that made it, in the words of the publisher
---@field bits string|nil of a weight, where `weights` does not say them; as written
---@field kind string|nil of numbers, in the words of the publisher (e4m3)
---@field experts string|nil the format of experts, where it is another
---@field packer string|nil what packed frozen weights of four bits, as plan.base_format has it
---@field kv string|nil the format of the KV cache

-- Parts behind the first, in the order in which they are written: how one is written, and the pattern that reads it.
local PARTS <const> = {
  { "bits", "%s bit", "^(%-?%d+%.?%d*) bit$" }, { "kind", "%s", "^(%S+)$" }, { "experts", "experts %s", "^experts (%w+)$" },
  { "packer", "packed by %s", "^packed by ([%w_]+)$" }, { "kv", "kv %s", "^kv (%w+)$" },
}

--- The words, or nil of nothing.
---@param of ballpark.Stored
---@return string|nil
function stored.words(of)
  local words = { of.weights }
  for _, part in ipairs(PARTS) do
    local value = of[part[1]]
    if value then words[#words + 1] = part[2]:format(value) end
  end
  return words[1] and table.concat(words, ", ")
end

--- What the words of a model say.
---@param model table|nil
---@return ballpark.Stored
function stored.read(model)
  local text, said = type(model) == "table" and tostring(model.quantization or "") or "", {}
  for _, word in ipairs(blanks.between_commas(text)) do
    if not said.weights then
      said.weights = word
    else
      for _, part in ipairs(PARTS) do
        local value = word:match(part[3])
        if value then said[part[1]] = value break end
      end
    end
  end
  return said
end

return stored

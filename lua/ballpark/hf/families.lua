-- All families by model_type.
local families = {}

for _, group in ipairs({ "llama", "gpt", "gemma", "moe", "deepseek", "hybrid", "encoder", "encoder_decoder" }) do
  for name, family in pairs(require("ballpark.hf." .. group)) do
    families[name] = family
  end
end

return families

-- A model and its format from one word: "llama3.1:8b", "Qwen/Qwen2.5-72B-Instruct-AWQ", "unsloth/…-GGUF:Q4_K_M",
-- "llama-2-7b.Q4_0.gguf", "gpt-oss 20B MXFP4 MoE".
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local format = require("ballpark.resolve.local_inference.format")
local models = require("ballpark.catalog.models")
local name_length = require("ballpark.name_length")
local tables = require("ballpark.tables")

local names = {}

-- Ollama's tags that name no model by themselves (its library, 2025).
local TAGS <const> = {
  ["deepseek-r1:1.5b"] = "DeepSeek-R1-Distill-Qwen-1.5B", ["deepseek-r1:7b"] = "DeepSeek-R1-Distill-Qwen-7B",
  ["deepseek-r1:8b"] = "Qwen3-8B", ["deepseek-r1:14b"] = "DeepSeek-R1-Distill-Qwen-14B",
  ["deepseek-r1:32b"] = "DeepSeek-R1-Distill-Qwen-32B", ["deepseek-r1:70b"] = "DeepSeek-R1-Distill-Llama-70B",
  ["deepseek-r1:671b"] = "DeepSeek-R1", ["vicuna-7b"] = "vicuna-7b-v1.5", ["vicuna-13b"] = "vicuna-13b-v1.5",
  ["llama2"] = "llama2-7b", ["llama3"] = "llama3-8b", ["llama3.1"] = "llama3.1-8b", ["llama3.2"] = "llama3.2-3b",
  ["mistral"] = "mistral-7b", ["phi4"] = "phi-4", ["phi4:14b"] = "phi-4", ["phi3:3.8b"] = "Phi-3-mini-4k-instruct",
  ["phi4-mini:3.8b"] = "Phi-4-mini-instruct", ["devstral:24b"] = "Devstral-Small-2505",
  ["magistral:24b"] = "Magistral-Small-2506", ["qwen3-coder:30b"] = "Qwen3-30B-A3B",
  ["deepseek-coder-v2:16b"] = "DeepSeek-V2-Lite", ["deepseek-coder-v2:236b"] = "DeepSeek-V2",
  ["gemma3n:e4b"] = "gemma-3n-E4B-it", ["gpt-oss"] = "gpt-oss-20b",
}

-- Types in which Ollama pulls a tag that says none, where that is not the usual one: until about September 2024 its library was
-- made in Q4_0, of which Llama 3.1 and Mistral 7B were made again; the smallest models are in Q8_0 (its library, 2025;
-- recalled). By the word before the colon, or by the whole tag.
local PULLED <const> = {
  Q4_0 = tables.set({ "llama2", "llama3", "codellama", "gemma", "gemma2", "mixtral", "mistral-nemo", "qwen", "qwen2", "phi3",
    "phi3.5", "deepseek-coder", "deepseek-coder-v2", "deepseek-v2", "command-r", "yi", "starcoder2", "codegemma", "vicuna",
    "tinyllama", "falcon", "solar", "mistral-small:22b" }),
  Q8_0 = tables.set({ "llama3.2:1b", "smollm2:1.7b" }),
}

-- Words behind a name that are none of the model's: parts of a split file, and who made it.
local function without_file_words(text)
  return (text:gsub("[%.%-][Gg][Gg][Uu][Ff]$", ""):gsub("%-%d%d%d%d%d%-of%-%d%d%d%d%d$", ""))
end

-- Who publishes weights of one engine, whose "4bit" is that of it.
local OWNERS <const> = { ["mlx-community"] = "mlx" }

-- The longest end of a name that is a format, and what stands before it. Words are cut at blanks, colons, hyphens and dots.
local function split(text)
  local engine = OWNERS[(text:match("^([^/]+)/") or ""):lower()]
  for at in text:gmatch("()[%s:%-%.]+") do
    local word = text:sub(at):gsub("^[%s:%-%.]+", "")
    local named = format.named(word, engine)
    if named and at > 1 then return text:sub(1, at - 1), named, word end
  end
  return text, nil
end

-- Packings that a name may state and leave the bits open: what is then mostly pulled.
local OPEN <const> = { { "gguf", "Q4_K_M" }, { "ggml", "Q4_0" }, { "exl2", "exl2-4.0" }, { "exl3", "exl3-4.0" }, { "mlx", "mlx4" }, { "bnb", "nf4" } }

--- The format of a name that states a packing and not of how many bits; and the word that states it.
---@param text string
---@return string|nil format
---@return string|nil packing
function names.open_format(text)
  for _, row in ipairs(OPEN) do
    local word = text:lower():match("%f[%w](" .. row[1] .. ")%f[%W]")
    if word then return row[2], word end
  end
end

-- Tools whose files have formats of their own.
local TOOLS <const> = { "aqlm", "hqq", "vptq", "spqr", "quip", "higgs", "bitnet" }

-- Formats that a name may state and nobody estimates: files of llama.cpp that do not exist, GPTQ of other bits.
local function unknown_format(text)
  for word in text:gmatch("%f[%w]([Ii]?[Qq]%d_[%w_]+)%f[^%w_]") do
    if not format.named(word) then return word end
  end
  for _, tool in ipairs(TOOLS) do
    if text:lower():find("%f[%a]" .. tool .. "%f[%A]") then return tool end
  end
  return format.other_bits(text)
end

local function known(name)
  name = name:gsub(":latest$", ""):gsub("^https?://", ""):gsub("^hf%.co/", ""):gsub("^huggingface%.co/", "")
  local tag = TAGS[name:lower()]
  return models.resolve(tag or name) or nil
end

--- Whether a text is a tag of Ollama, as "llama3.1:8b", which pulls four bits unless the tag says others, or its authors
--- publish a file.
function names.is_tag(text) return text:find("^[%w%.%-]+:[%w%.%-]+$") ~= nil end

--- The type in which Ollama pulls a tag, nil of the usual one.
---@param tag string
---@return string|nil
function names.pulled(tag)
  local lower = tag:lower()
  for kind, tags in pairs(PULLED) do
    if tags[lower] or tags[lower:match("^[^:]+")] then return kind end
  end
end

--- The catalog's name of a model and the format that the text says, each nil where there is none; and the text without
--- the format, and the word that says it.
---@param text string
---@return string|nil model
---@return string|nil format
---@return string bare
---@return string|nil word
function names.read(text)
  name_length.check("model", text)
  local whole = without_file_words(blanks.cut(text))
  local name, said, word = split(whole)
  name = name:gsub("[%-_ ][Gg][Gg][Uu][Ff]$", ""):gsub("%-[Qq][Aa][Tt]$", "")
  local found = known(name) or known(whole)
  return found, said, name, word
end

-- What is behind the colon of a known model and says neither a format nor a size.
local function unknown_tag(text)
  local base, tag = text:match("^([^:]+):([^:/]+)$")
  if not base or not known(base) or tag:lower():find("%f[%w]e?%d[%d%.x]*[bm]%f[%W]") then return nil end
  local found, said = names.read(text)
  return not (found or said) and tag or nil
end

--- Refuses a name that states a format which is not estimated, or a tag that says nothing.
function names.check(text)
  local word = unknown_format(text) or unknown_tag(text)
  if word then errors.input("model", ("'%s' says %s, which is not a format that is estimated: say another, one of %s"):format(text, word,
    table.concat(format.names(), ", "))) end
end

return names

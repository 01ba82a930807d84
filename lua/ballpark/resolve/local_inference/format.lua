-- The format a word means: of a GGUF file ("Q4_K - Medium", "q4_k_m"), of a quantisation ("AWQ 4-bit g128"), or 16 bit.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local gguf = require("ballpark.catalog.gguf")
local name_length = require("ballpark.name_length")
local stored = require("ballpark.catalog.models.stored")
local tables = require("ballpark.tables")
local weight_formats = require("ballpark.catalog.weight_formats")

local format = {}

-- Words of people and of tables, in lower case with one space for all separators.
local WORDS <const> = {
  fp16 = "F16", float16 = "F16", half = "F16", bfloat16 = "BF16", fp32 = "F32", float32 = "F32", float = "F32",
  ["q4 k medium"] = "Q4_K_M", ["q5 k medium"] = "Q5_K_M", ["q3 k medium"] = "Q3_K_M", ["q4 k small"] = "Q4_K_S",
  ["q5 k small"] = "Q5_K_S", ["q3 k small"] = "Q3_K_S", ["q3 k large"] = "Q3_K_L", q4 = "Q4_K_M", q8 = "Q8_0",
  q5 = "Q5_K_M", q6 = "Q6_K", q3 = "Q3_K_M", q2 = "Q2_K", ["q4 k"] = "Q4_K_M", ["q5 k"] = "Q5_K_M", ["q3 k"] = "Q3_K_M",
  ["q8 k xl"] = "Q8_0", ["q6 k xl"] = "Q6_K", ["q5 k xl"] = "Q5_K_M", ["q4 k xl"] = "Q4_K_M", ["q3 k xl"] = "Q3_K_M",
  ["q2 k xl"] = "Q2_K",
  -- Files whose embedding and head have eight bits (bartowski's; recalled): the others are most of them.
  ["q6 k l"] = "Q6_K", ["q5 k l"] = "Q5_K_M", ["q4 k l"] = "Q4_K_M", ["q2 k l"] = "Q2_K", w8a16 = "gptq8",
  ["fp8 dynamic"] = "fp8", ["fp8 kv"] = "fp8", ["fp8 block"] = "fp8", ["fp8 static"] = "fp8", ["mxfp4 moe"] = "MXFP4",
  ["mxfp4 q8"] = "MXFP4", -- files of MLX: experts in MXFP4, all else in 8 bit
  ["awq 4 bit g128"] = "awq", ["awq int4"] = "awq", int4 = "gptq", ["gptq int4"] = "gptq", ["gptq int8"] = "gptq8", int8 = "gptq8", ["llm.int8"] = "int8",
  w4a16 = "gptq", ["bnb nf4"] = "nf4", bnb = "nf4", ["bnb 4bit"] = "nf4_double", ["unsloth bnb 4bit"] = "nf4_double",
  ["it qat"] = "Q4_0", qat = "Q4_0", -- Google's files after quantisation-aware training
   ["bnb nf4 double quant"] = "nf4_double", ["load in 4bit"] = "nf4",
  ["load in 8bit"] = "int8", ["8bit"] = "int8", w8a8 = "int8", ["mlx 4bit"] = "mlx4", ["mlx 8bit"] = "mlx8",
  ["4bit mlx"] = "mlx4", ["8bit mlx"] = "mlx8", ["q4f16 1"] = "q4f16", ["q4f16 0"] = "q4f16",
}

-- What an engine takes for 4 bits where nobody says the format.
local FOUR_BITS <const> = { mlc = "q4f16", mlx = "mlx4", exllama = "gptq", llamacpp = "Q4_0", vllm = "awq",
  transformers = "nf4", awq = "awq" }

local function spaced(word) return blanks.cut((word:lower():gsub("[%s_%-]+", " "))) end

local function plain(word) return (spaced(word):gsub("^ud ", "")) end

--- The place of a GGUF type in format.LADDER, or nil.
function format.place(name)
  for i, word in ipairs(format.LADDER) do
    if word == name or word == "F16" and name == "BF16" then return i end
  end
end

-- Tools whose files have four or eight bits here, and how people write the bits: before the tool or behind it.
local MAKERS <const> = { "gptq", "awq" }
local BITS <const> = { "int%s%%f[%%D]", "%s[%%s%%-_]?bit" }

-- What a text says of such a tool with bits that match a pattern of a digit; nil where it says none.
local function with_bits(text, digit)
  local lower = text:lower()
  for _, maker in ipairs(MAKERS) do
    for _, form in ipairs(BITS) do
      local bits = form:format(digit)
      local said = lower:match("%f[%w]" .. maker .. "[%s%-_]*" .. bits) or lower:match("%f[%w]" .. bits .. "[%s%-_]" .. maker .. "%f[%W]")
      if said then return said end
    end
    local close = lower:match("%f[%w]" .. maker .. digit .. "%f[^%w]")
    if close then return close end
  end
end

--- What a text says of GPTQ or AWQ with other bits than the four and eight that their kernels have here; nil of all else.
---@param text string
---@return string|nil
function format.other_bits(text) return with_bits(text, "[1235679]") end

-- The format of a word that is GPTQ's or AWQ's, with or without bits: eight are stored alike by both.
local function of_makers(key)
  for _, maker in ipairs(MAKERS) do
    if key:find("^" .. maker) or key:find("^int[48] " .. maker .. "$") or key:find("^[48] ?bit " .. maker .. "$") then
      return with_bits(key, "8") and "gptq8" or maker
    end
  end
end

--- The format's name, or nil.
---@param word string
---@param engine string|nil of the catalog, for words that leave it to the engine
function format.named(word, engine)
  if name_length.is_over(word) then return nil end
  local key = plain(word)
  local upper = key:upper():gsub(" ", "_")
  if gguf.has(upper) then return upper end
  local of_mlx = engine == "mlx" and (key:match("^(%d) ?bit") or key:match("^int(%d)$"))
  if of_mlx and weight_formats.get("mlx" .. of_mlx) then return "mlx" .. of_mlx end
  if WORDS[key] then return WORDS[key] end
  local lower = key:gsub(" ", "_")
  if weight_formats.get(lower) then return lower end
  local version, bits = key:match("^exl([23])[ :]+(%d+%.?%d*)")
  bits = bits or key:match("^(%d+%.?%d*) ?bpw")
  if bits then return ("exl%s-%s"):format(version or 2, bits) end
  if format.other_bits(word) then return nil end
  if of_makers(key) then return of_makers(key) end
  if key:find("^4 ?bit") then return FOUR_BITS[engine or ""] or "Q4_K_M" end
  return nil
end

--- What is taken in the place of a word that means another mixture of bits or other kernels than it says, as a sentence without
--- a full stop; nil where the word is the format.
---@param word string
---@param name string of format.named
---@return string|nil
function format.instead(word, name)
  local key = spaced(word)
  if name:find("^exl3") then return "exl3 with the kernels of ExLlamaV2: nobody measured those of ExLlamaV3 for us" end
  local is_own_mixture = key:find("^ud ") or key:find(" k x?l$")
  if not is_own_mixture or not gguf.has(name) or key:upper():gsub(" ", "_") == name then return nil end
  return ("%s taken as %s: which tensor has more bits is up to who made the file"):format(word, name)
end

--- All formats there are.
function format.names()
  local names = gguf.files()
  for _, name in ipairs(weight_formats.names()) do names[#names + 1] = name end
  return names
end

--- The same, unknown words being an error.
---@param path string where the word stands
function format.get(path, word, engine)
  if type(word) ~= "string" then errors.input(path, "must be the name of a format") end
  return format.named(word, engine) or errors.choice(path, word, format.names())
end

--- Formats that are smaller than one, from the largest to the smallest: what to try where it does not fit.
format.LADDER = { "F16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "IQ3_XXS", "Q2_K", "IQ2_M", "IQ2_S",
  "IQ2_XS", "IQ2_XXS" }

--- Whether the engine runs files of llama.cpp.
function format.is_gguf(name) return gguf.has(name) and not tables.contains({ "F16", "BF16", "F32" }, name) end

--- The type of llama.cpp's files in which a model's authors publish its weights, or its experts; nil where it is none.
---@param model table|nil
---@return string|nil
function format.published(model)
  local said = stored.read(model)
  for _, word in ipairs({ said.weights or "", said.experts }) do
    local named = format.named(word)
    if named and format.is_gguf(named) then return named end
  end
end

-- Formats of checkpoints whose config names the tool and the bits: bitsandbytes' own (arXiv:2208.07339, 2305.14314), and those of
-- compressed-tensors, W8A8 and W4A16. MLX names no tool.
local OF_TOOLS <const> = { bitsandbytes = { ["4"] = "nf4", ["8"] = "int8" }, ["compressed-tensors"] = { ["4"] = "gptq", ["8"] = "int8" },
  quantised = { ["3"] = "mlx3", ["4"] = "mlx4", ["6"] = "mlx6", ["8"] = "mlx8" } }

-- Integers of other tools, of which no more is known than how many bits they have.
local OF_BITS <const> = { ["4"] = "gptq", ["8"] = "gptq8" }

-- Experts whose config says floats of four bits have a scale of a byte per 32, as MXFP4 has (DeepSeek-V4; recalled): a file that
-- keeps them has eight bits elsewhere.
local OF_EXPERTS <const> = { fp4 = "MXFP4" }

-- A format by the tool or type that a config names, and the bits where it says them apart.
local function of_tool(tool, bits, engine)
  if not bits then return format.named(tool, engine) end
  if OF_TOOLS[tool] then return OF_TOOLS[tool][bits] end
  if tool:find("^exl[23]$") then return format.named(tool .. " " .. (bits:find(".", 1, true) and bits or bits .. ".0")) end
  return format.named(("%s %s bit"):format(tool, bits), engine) or OF_BITS[bits]
end

--- The format of a model's weights as published, of its experts where those have another: nil where it has none here. And what
--- is said of it, nil where nothing is. GPTQ and AWQ of other bits are refused.
---@param model table
---@param engine string|nil of the catalog, for words that leave it to the engine
---@return string|nil format
---@return string|nil words
function format.as_published(model, engine)
  local said = stored.read(model)
  if not said.weights then return nil end
  local tool, bits = said.experts or said.weights, not said.experts and said.bits or nil
  local words = bits and (OF_TOOLS.quantised == OF_TOOLS[tool] and ("%s bit by a tool that is not named"):format(bits)
    or ("%s of %s bit"):format(tool, bits)) or tool
  local other = format.other_bits(bits and ("%s %s bit"):format(tool, bits) or tool)
  if other then
    errors.input("model", ("is published in %s, which is not a format that is estimated: say another, one of %s"):format(other,
      table.concat(format.names(), ", ")))
  end
  return OF_EXPERTS[said.experts or ""] or of_tool(tool, bits, engine), words
end

--- Whether only engines of one sequence read a format.
---@param name string
function format.is_local(name)
  return format.is_gguf(name) and name ~= "MXFP4" or name == "F32" or name == "q4f16" or name:find("^exl") ~= nil or name:find("^mlx") ~= nil
    or name:find("^nf4") ~= nil
end

return format

-- GGUF: the types tensors are stored in, and which type llama.cpp gives to which tensor of a file that is called Q4_K_M.
-- Bytes of a block: structs of ggml/src/ggml-common.h; mixtures: llama_tensor_get_type in src/llama-quant.cpp (llama.cpp,
-- 2025; both recalled, and checked against published sizes of files). Files of the IQ types are taken to be made with an
-- importance matrix, as published ones are: without one IQ3_XXS is 4 % larger. Sizes are within
-- half a per cent of those of bartowski's files of Llama 3.1 (recalled).
local gguf = {}

-- Weights of a block and its bytes.
local BLOCKS <const> = {
  F32 = { 1, 4 }, F16 = { 1, 2 }, BF16 = { 1, 2 },
  Q4_0 = { 32, 18 }, Q4_1 = { 32, 20 }, Q5_0 = { 32, 22 }, Q5_1 = { 32, 24 }, Q8_0 = { 32, 34 },
  Q2_K = { 256, 84 }, Q3_K = { 256, 110 }, Q4_K = { 256, 144 }, Q5_K = { 256, 176 }, Q6_K = { 256, 210 },
  IQ1_S = { 256, 50 }, IQ1_M = { 256, 56 }, IQ2_XXS = { 256, 66 }, IQ2_XS = { 256, 74 }, IQ2_S = { 256, 82 },
  IQ3_XXS = { 256, 98 }, IQ3_S = { 256, 110 }, IQ4_NL = { 32, 18 }, IQ4_XS = { 256, 136 }, MXFP4 = { 32, 17 },
  TQ1_0 = { 256, 54 }, TQ2_0 = { 256, 66 }, -- 1.69 and 2.06 bits a weight, which is -1, 0 or 1
}

-- What takes the place of a type whose blocks do not fit the rows of a tensor.
local INSTEAD <const> = {
  Q4_K = "Q5_0", Q5_K = "Q5_1", Q6_K = "Q8_0", Q2_K = "IQ4_NL", Q3_K = "IQ4_NL", IQ4_XS = "IQ4_NL", IQ1_S = "IQ4_NL",
  IQ1_M = "IQ4_NL", IQ2_XXS = "IQ4_NL", IQ2_XS = "IQ4_NL", IQ2_S = "IQ4_NL", IQ3_XXS = "IQ4_NL", IQ3_S = "IQ4_NL",
  TQ1_0 = "Q4_0", TQ2_0 = "Q4_0",
}

-- The block that rows of so many weights are stored in.
local function block_of(kind, row)
  local block = BLOCKS[kind]
  if row % block[1] ~= 0 and INSTEAD[kind] then return block_of(INSTEAD[kind], row) end
  return block
end

--- Bytes of one weight of a tensor type whose rows have so many weights.
---@param kind string
---@param row integer
---@return number
function gguf.bytes(kind, row)
  local block = block_of(kind, row)
  return block[2] / block[1]
end

-- The layers in which a mixture spends more bits: the first and the last eighth, and every third between.
local function more_bits(i, n)
  return i < n // 8 or i >= 7 * n // 8 or (i - n // 8) % 3 == 2
end

local function some_more(kind)
  return function(i, n) return more_bits(i, n) and kind or nil end
end

local function first(part, kind)
  return function(i, n) return i < n // part and kind or nil end
end

-- Values of keys that heads share are small and worth more.
local function shared(kind, else_kind)
  return function(_, _, facts) return facts.shared_by >= 4 and kind or else_kind end
end

local function first_ones(count, kind, else_kind)
  return function(i) return i < count and kind or else_kind end
end

local SMALL <const> = { output = "Q5_K" }

local function small(base, embedding, v, down, o)
  return { base = base, output = SMALL.output, embedding = embedding, v = shared("Q4_K", v), down = first(8, down), o = o, is_small = true }
end

-- All layers but the first and the last eighth.
local function between(kind)
  return function(i, n) return i >= n // 8 and i < 7 * n // 8 and kind or nil end
end

-- By file type: the base type of all tensors, and where another one is taken; nil of a function is the base type.
local FILES <const> = {
  F32 = { base = "F32", output = "F32" },
  F16 = { base = "F16", output = "F16" },
  BF16 = { base = "BF16", output = "BF16" },
  Q4_0 = { base = "Q4_0" }, Q4_1 = { base = "Q4_1" }, Q5_0 = { base = "Q5_0" }, Q5_1 = { base = "Q5_1" },
  Q8_0 = { base = "Q8_0", output = "Q8_0" },
  Q2_K = { base = "Q2_K", v = shared("Q4_K", "Q3_K"), down = "Q3_K", o = "Q3_K" },
  Q2_K_S = { base = "Q2_K", v = shared("Q4_K"), down = first(8, "Q4_K") },
  Q3_K_S = { base = "Q3_K" },
  Q3_K_M = { base = "Q3_K", v = first_ones(2, "Q5_K", "Q4_K"), o = "Q4_K",
    down = function(i, n) return i < n // 16 and "Q5_K" or "Q4_K" end },
  Q3_K_L = { base = "Q3_K", v = "Q5_K", down = "Q5_K", o = "Q5_K" },
  Q4_K_S = { base = "Q4_K", v = first_ones(4, "Q5_K"), down = first(8, "Q5_K") },
  Q4_K_M = { base = "Q4_K", v = some_more("Q6_K"), down = some_more("Q6_K") },
  Q5_K_S = { base = "Q5_K" },
  Q5_K_M = { base = "Q5_K", v = some_more("Q6_K"), down = some_more("Q6_K") },
  Q6_K = { base = "Q6_K" },
  IQ1_S = small("IQ1_S", "Q2_K", "Q2_K", "Q2_K", "IQ2_XXS"),
  IQ1_M = small("IQ1_M", "Q2_K", "Q2_K", "Q2_K", "IQ2_XXS"),
  IQ2_XXS = small("IQ2_XXS", "Q2_K", "Q2_K", "Q2_K"),
  IQ2_XS = small("IQ2_XS", "Q2_K", "Q2_K", "Q2_K"),
  IQ2_S = small("IQ2_XS", "IQ3_S", "IQ3_S", "IQ3_S", "IQ3_S"),
  IQ2_M = small("IQ2_S", "IQ3_S", "IQ3_S", "IQ3_S", "IQ3_S"),
  IQ3_XXS = { base = "IQ3_XXS", output = "Q5_K", embedding = "IQ3_S", v = shared("Q4_K"), o = "IQ3_S", q = "IQ2_S", k = "IQ2_S" },
  IQ3_XS = { base = "IQ3_S", v = shared("Q4_K"), q = "IQ3_XXS", k = "IQ3_XXS", gate = between("IQ3_XXS"), up = between("IQ3_XXS") },
  IQ3_S = { base = "IQ3_S", v = shared("Q4_K") },
  IQ3_M = { base = "IQ3_S", v = "Q4_K", o = "Q4_K", down = first(8, "Q4_K") },
  IQ4_NL = { base = "IQ4_NL", v = shared("Q5_K") },
  IQ4_XS = { base = "IQ4_XS", v = shared("Q5_K") },
  TQ1_0 = { base = "TQ1_0", embedding = "Q4_K" }, TQ2_0 = { base = "TQ2_0", embedding = "Q4_K" },
  MXFP4 = { base = "Q8_0", output = "Q8_0", experts = "MXFP4" },
  MXFP4_BF16 = { base = "BF16", output = "BF16", experts = "MXFP4" }, -- a checkpoint as published, which Ollama pulls (recalled)
}

-- With eight experts, as Mixtral's, what all tokens share is small and gets more bits.
local EIGHT <const> = { k = "Q8_0", v = "Q8_0", o = "Q5_K" }

-- A model of 80 layers whose values are shared by eight heads has few of them, which get more bits in all but the small files.
local function is_seventy(facts) return facts.layers == 80 and facts.shared_by == 8 and facts.experts == 0 end

local function special(file, part, i, n, facts)
  if facts.experts == 8 and EIGHT[part] and file.base:find("^I?Q[234]") then return EIGHT[part] end
  local rule = file[part]
  local kind = type(rule) == "function" and rule(i, n, facts) or type(rule) == "string" and rule or file.base
  if part == "v" and not file.is_small and is_seventy(facts) and (kind == "Q3_K" or kind == "Q4_K") then return "Q5_K" end
  return kind
end

--- Names of file types, sorted.
function gguf.files()
  local names = {}
  for name in pairs(FILES) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Blocks of so many weights have a scale and no blocks inside of them.
local PLAIN_BLOCK <const> = 32

--- Whether most weights of a file lie in plain blocks: those of rows of so many weights. gpt-oss, whose rows are 2,880 wide,
--- has Q8_0 in a file that is called Q6_K.
---@param file_type string
---@param row integer
function gguf.is_plain(file_type, row)
  local file = FILES[file_type]
  return block_of(file.experts or file.base, row)[1] <= PLAIN_BLOCK
end

--- Bytes of a weight in most matrices of a file.
function gguf.base_bytes(file_type)
  local block = BLOCKS[FILES[file_type].base]
  return block[2] / block[1]
end

--- Whether there is a file type of that name.
function gguf.has(name) return FILES[name] ~= nil end

--- Bytes of a weight in a tensor, mean over layers.
---@param file_type string
---@param tensor {part: string, row: integer, layers: integer, routed: boolean|nil} part: embedding, output, q, k, v, o,
--- gate, up, down, rest (F32 is not quantised: whole)
---@param facts {layers: integer, shared_by: number, experts: integer} shared_by: query heads of a key head
function gguf.weight_bytes(file_type, tensor, facts)
  local file = FILES[file_type]
  local part = tensor.part
  if part == "whole" then return gguf.bytes("F32", tensor.row) end
  if part == "output" then return gguf.bytes(file.output or "Q6_K", tensor.row) end
  if part == "embedding" then return gguf.bytes(file.embedding or file.base, tensor.row) end
  if tensor.routed and file.experts then return gguf.bytes(file.experts, tensor.row) end
  local sum = 0
  for i = 0, tensor.layers - 1 do
    sum = sum + gguf.bytes(special(file, part, i, tensor.layers, facts), tensor.row)
  end
  return sum / tensor.layers
end

return gguf

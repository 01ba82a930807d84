-- In which formats a served checkpoint stores and multiplies its parts, from the words of its publisher or of a table.
local errors = require("ballpark.errors")
local engines = require("ballpark.catalog.engines")
local stored = require("ballpark.catalog.models.stored")
local tables = require("ballpark.tables")

local formats = {}

local words = {
  q4_0 = "int4", q4_k_m = "int4", q4_k_s = "int4", q8_0 = "int8", -- of llama.cpp's files
  bf16 = "bf16", bfloat16 = "bf16", fp16 = "bf16", float16 = "bf16", half = "bf16", auto = "bf16",
  fp8 = "fp8", fp8_e4m3 = "fp8", fp8_e5m2 = "fp8", fp8_static = "fp8", fp8_block = "fp8_block",
  mxfp8 = "fp8_block", int8 = "int8", int8_wo = "int8", w8a8 = "int8", sq = "int8", int4 = "int4",
  int4_wo = "int4", int4_awq = "int4", awq = "int4", gptq = "int4", w4a16 = "int4", fp4 = "nvfp4",
  nvfp4 = "nvfp4", mxfp4 = "mxfp4", w4a16_mxfp4 = "mxfp4", w4a8_mxfp4_mxfp8 = "mxfp4",
}

--- Whether a word of a publisher or a benchmark means a format.
function formats.is_named(word) return words[word:lower()] ~= nil end

--- The format that a word of a publisher or a benchmark means; `path` is where it stands.
function formats.named(path, word)
  return words[word:lower()] or errors.choice(path, word, tables.sorted_keys(words))
end

-- Tools of these words quantise every linear layer of a block but the router: AutoAWQ, GPTQModel, compressed-tensors' W4A16.
local of_all_layers = { awq = true, gptq = true, int4_awq = true, w4a16 = true, int4_wo = true }

-- Integers, where a config says how many bits they have and no more.
local OF_BITS <const> = { ["4"] = "int4", ["8"] = "int8" }

local four_bits = { nvfp4 = true, mxfp4 = true, int4 = true }

-- MoE models that their authors publish in fp8 carry a scale per block since DeepSeek-V3 (arXiv:2412.19437, section
-- 3.3), in all parts that are in fp8 where experts have them: configs state one block size. Fp8 that others make of 16-bit
-- weights (ModelOpt's FP8 recipe, engines while loading) has one per tensor. Those in
-- 4 bit quantise the experts and leave attention in 16 bit, unless the `word` of their tool says another. A checkpoint that
-- is published in mxfp4 stays in it.
local function of_moe(model, word, dense, experts)
  local said = stored.read(model)
  if experts == "nvfp4" and (said.experts or said.weights or ""):find("mxfp4", 1, true) then experts = "mxfp4" end
  local blocks = experts == "fp8_block" or (said.weights or ""):find("^fp8") ~= nil
  if blocks and experts == "fp8" then experts = "fp8_block" end
  if blocks and dense == "fp8" then dense = "fp8_block" end
  return four_bits[dense] and not of_all_layers[word] and "bf16" or dense, experts
end

local function of_parts(model, word, dense, experts)
  if (model.experts or 0) == 0 then return { weights = dense } end
  local weights, of_experts = of_moe(model, word:lower(), dense, experts)
  return { weights = weights, experts = of_experts }
end

--- { weights, experts } of a checkpoint of `model` that is called "fp8", or "fp8, experts nvfp4".
function formats.checkpoint(text, model)
  local first, experts = text:match("^%s*([%w_]+)%s*$"), nil
  if not first then first, experts = text:match("^%s*([%w_]+)%s*,%s*experts%s+([%w_]+)%s*$") end
  if not first then
    errors.input("plan.checkpoint", ("'%s' does not read: say a format, or 'FORMAT, experts FORMAT'"):format(text))
  end
  local dense = formats.named("plan.checkpoint", first)
  -- Who says int4 and no tool means every layer, as such tools do.
  return of_parts(model, dense == "int4" and "w4a16" or first, dense, experts and formats.named("plan.checkpoint", experts) or dense)
end

--- { weights, experts } of a checkpoint as its authors publish it; nil where that is 16 bit, or not known.
function formats.published(model)
  local said = stored.read(model)
  local first, bits = said.weights or "", said.bits
  local dense = words[first]
  if bits and (not dense or of_all_layers[first]) then
    first, dense = "w4a16", OF_BITS[bits]
  end
  local experts = words[said.experts or ""] or dense
  if not dense or dense == "bf16" and experts == "bf16" then return nil end
  return of_parts(model, first, dense, experts)
end

-- Words of a config that say no format: the type of weights that nobody quantised, or of another library.
local PLAIN <const> = tables.set({ "", "float32", "fp32", "float", "none", "nil" })

-- A quantised checkpoint in a format that is not estimated is refused: in 16 bit it would be another.
local function check_understood(model)
  local said = stored.read(model)
  local first, bits = said.weights or "", said.bits
  local understood = PLAIN[first] or words[first] and not bits or bits and OF_BITS[bits]
  if not understood then
    errors.input("model", ("is published in '%s', which is not a format that is estimated: say the nearest, as --weights "
      .. "(plan.checkpoint): bf16, fp8, int8, int4"):format(model.quantization))
  end
end

local is_format = { auto = true }
for _, format in pairs(words) do is_format[format] = true end

-- A word of publishers or engines that is no format, but means one.
local function is_word(word) return type(word) == "string" and not is_format[word] and formats.is_named(word) end

-- Formats in the words of publishers and engines. Those of weights name the checkpoint: weights = "awq", kv = "fp8_e4m3".
local function in_words(plan)
  local read = tables.with(plan)
  for _, part in ipairs({ "kv", "experts", "activations" }) do
    if is_word(plan[part]) then read[part] = formats.named("plan." .. part, plan[part]) end
  end
  if plan.checkpoint == nil and is_word(plan.weights) then read.checkpoint, read.weights = plan.weights, nil end
  return read
end

local function is_given(plan) return (plan.weights or "auto") ~= "auto" or plan.experts ~= nil end

--- The plan with formats of weights and experts: as given, those of the checkpoint it names, or those that the model
--- is published in; and what was assumed.
function formats.weights(plan, model)
  plan = in_words(plan)
  if plan.checkpoint == nil then
    if is_given(plan) then return plan end
    local published = formats.published(model)
    if not published then
      check_understood(model)
      return plan, "16-bit weights, no format was given"
    end
    return tables.with(plan, published), "weights as published, in " .. published.weights
      .. (published.experts and ", experts in " .. published.experts or "")
  end
  if type(plan.checkpoint) ~= "string" then errors.input("plan.checkpoint", "must be the name of a format") end
  if (plan.weights or "auto") ~= "auto" then errors.input("plan.checkpoint", "says the format: leave out weights") end
  local full = tables.with(plan, formats.checkpoint(plan.checkpoint, model))
  if (plan.experts or "auto") ~= "auto" then full.experts = plan.experts end
  full.checkpoint = nil
  return full
end

local function is_quantised(plan)
  return (plan.weights or "bf16") ~= "bf16" or (plan.experts or "auto") ~= "auto" and plan.experts ~= "bf16"
end

local function is_of_authors(plan, model)
  local published = formats.published(model)
  return published ~= nil and published.weights == plan.weights and (published.experts or "auto") == (plan.experts or "auto")
end

--- Format of the KV cache that engines take unless told, and why where it is not 16 bit: the one that the checkpoint
--- states, by its config or name. Authors who publish in few bits state none. Checkpoints in nvfp4 are made by ModelOpt,
--- whose configs state fp8; so are those for TensorRT-LLM that others make of 16-bit weights.
function formats.kv(plan, engine_name, model)
  if not is_quantised(plan) then return "bf16" end
  local stated = stored.read(model).kv
  if stated then return stated, "as the checkpoint states" end
  if plan.weights == "nvfp4" or plan.experts == "nvfp4" then return "fp8", "as checkpoints in nvfp4 state" end
  if engines.like(engine_name) ~= "trtllm" or is_of_authors(plan, model) then return "bf16" end
  return "fp8", "as trtllm takes it from a checkpoint that ModelOpt made"
end

return formats

-- In which formats a served checkpoint stores and multiplies its parts, from the words of a table or of its authors.
local errors = require("ballpark.errors")

local formats = {}

local words = {
  q4_0 = "int4", q4_k_m = "int4", q4_k_s = "int4", q8_0 = "int8", -- of llama.cpp's files
  bf16 = "bf16", bfloat16 = "bf16", fp16 = "bf16", float16 = "bf16", half = "bf16", auto = "bf16",
  fp8 = "fp8", fp8_e4m3 = "fp8", fp8_e5m2 = "fp8", fp8_static = "fp8", fp8_block = "fp8_block",
  mxfp8 = "fp8_block", int8 = "int8", int8_wo = "int8", w8a8 = "int8", sq = "int8", int4 = "int4",
  int4_wo = "int4", int4_awq = "int4", awq = "int4", gptq = "int4", w4a16 = "int4", fp4 = "nvfp4",
  nvfp4 = "nvfp4", mxfp4 = "mxfp4", w4a16_mxfp4 = "mxfp4", w4a8_mxfp4_mxfp8 = "mxfp4",
}

local function format_of(column, word)
  local known = words[word:lower()]
  if not known then
    local names = {}
    for name in pairs(words) do names[#names + 1] = name end
    table.sort(names)
    errors.choice(column, word, names)
  end
  return known
end

local four_bits = { nvfp4 = true, mxfp4 = true, int4 = true }

-- MoE models that their authors publish in fp8 carry a scale per block since DeepSeek-V3 (arXiv:2412.19437, section
-- 3.3); fp8 that others make of 16-bit weights (ModelOpt's FP8 recipe, engines while loading) one per tensor. Those in
-- 4 bit quantise the experts and leave attention in 16 bit. A checkpoint that is published in mxfp4 stays in it.
local function of_moe(model, dense, experts)
  if experts == "nvfp4" and tostring(model.quantization):find("mxfp4", 1, true) then experts = "mxfp4" end
  local blocks = tostring(model.quantization or ""):find("^fp8") ~= nil
  if blocks and experts == "fp8" then experts = "fp8_block" end
  if blocks and dense == "fp8" then dense = "fp8_block" end
  return four_bits[dense] and "bf16" or dense, experts
end

--- weights, experts and what had to be assumed (or nil).
function formats.weights(row, model)
  local dense, experts = row.gemm_quant or row.precision, row.moe_quant or row.gemm_quant or row.precision
  local said
  if not dense then
    local published = tostring(model.quantization or ""):match("^(%w+)")
    dense = published and words[published] or "bf16"
    experts = dense
    said = "weights in " .. dense .. ", as published"
  end
  dense = format_of("gemm_quant", dense)
  experts = format_of("moe_quant", experts)
  if (model.experts or 0) > 0 then
    dense, experts = of_moe(model, dense, experts)
    return dense, experts, said
  end
  return dense, "auto", said
end

--- { weights, experts } of a checkpoint as its authors publish it; nil where that is 16 bit, or not known.
function formats.published(model)
  local text = type(model) == "table" and tostring(model.quantization or "") or ""
  local dense = words[text:match("^(%w+)") or ""]
  if not dense or dense == "bf16" then return nil end
  if (model.experts or 0) == 0 then return { weights = dense } end
  local weights, experts = of_moe(model, dense, words[text:match("experts (%w+)") or ""] or dense)
  return { weights = weights, experts = experts }
end

--- Format of keys and values; 16 bit unless said. TensorRT-LLM takes what the checkpoint states, and
--- quantised checkpoints made for it (ModelOpt) state fp8.
function formats.kv(row, engine, dense, experts)
  local word = row.kv_cache_dtype and row.kv_cache_dtype:match("^[%w_]+")
  if word and word ~= "auto" then return format_of("kv_cache_dtype", word) end
  local quantised = dense ~= "bf16" or (experts ~= "bf16" and experts ~= "auto")
  local kv = engine == "trtllm" and quantised and "fp8" or "bf16"
  return kv, not word and ("KV cache in " .. kv .. ", the engine's default") or nil
end

return formats

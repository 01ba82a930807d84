-- Formats of weights other than GGUF's: bits of a weight in the matrices of layers, in the head and in the embedding.
local weight_formats = {}

-- name = { layers, head, embedding, source }
local FORMATS <const> = {
  awq = { 4 + 20 / 128, 16, 16, "fp16 scale and 4-bit zero per 128: arXiv:2306.00978" },
  gptq = { 4 + 20 / 128, 16, 16, "fp16 scale and 4-bit zero per 128: arXiv:2210.17323" },
  gptq8 = { 8 + 24 / 128, 16, 16, "fp16 scale and 8-bit zero per 128: arXiv:2210.17323" },
  int8 = { 8, 16, 16, "a scale per row: arXiv:2208.07339" },
  nf4 = { 4 + 32 / 64, 16, 16, "fp32 scale per 64: arXiv:2305.14314 section 3" },
  nf4_double = { 4.127, 16, 16, "8-bit scale per 64, fp32 per 256 of these: arXiv:2305.14314 section 3" },
  mlx3 = { 3.5, 3.5, 3.5, "fp16 scale and bias per 64: MLX documentation, quantize (2024)" },
  mlx4 = { 4.5, 4.5, 4.5, "fp16 scale and bias per 64: MLX documentation, quantize (2024)" },
  mlx6 = { 6.5, 6.5, 6.5, "fp16 scale and bias per 64: MLX documentation, quantize (2024)" },
  mlx8 = { 8.5, 8.5, 8.5, "fp16 scale and bias per 64: MLX documentation, quantize (2024)" },
  q4f16 = { 4.5, 4.5, 4.5, "fp16 scale per 32: MLC LLM documentation, q4f16_1 (2024)" },
  fp8 = { 8, 16, 16, "a scale per tensor" },
}

--- Bits { layers, head, embedding, source } of a format, nil where nobody knows it. exl2 and exl3 are written with their bits: exl2-4.0.
---@param name string
function weight_formats.get(name)
  local bits = tonumber(name:match("^exl[23]%-(%d+%.?%d*)$"))
  if bits then return { bits, 6, 16, "ExLlamaV2 and V3: mean bits of layers as named, head of 6" } end
  return FORMATS[name]
end

--- Names, sorted.
function weight_formats.names()
  local names = { "exl2-4.0" }
  for name in pairs(FORMATS) do names[#names + 1] = name end
  table.sort(names)
  return names
end

return weight_formats

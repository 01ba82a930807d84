-- ballpark local: a model on a machine of one's own.
local blanks = require("ballpark.blanks")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")

local local_command = {
  summary = "A model on a machine of one's own: does it fit, how fast is it, what would be better",
  examples = {
    "ballpark local llama-3.1-8b:Q4_K_M --device 'RTX 4090' --context 8192",
    "ballpark local gpt-oss-120b --device 'Strix Halo' --prompt-tokens 2048",
    "ballpark local llama3.1:70b --device 'RTX 3090' --host 'EPYC 7763' --device-layers 40",
    "ballpark local Qwen/Qwen2.5-72B-Instruct-AWQ --device A6000 --devices 2 --kv fp8",
    "ballpark local llama-3.3-70b:Q3_K_M --device 'RTX 3090 + RTX 4060 Ti 16GB'",
    "ballpark local qwen3-32b --device 'RTX 3090,M4 Max 64GB' --weights Q4_K_M,Q6_K,Q8_0",
  },
}

-- Options that give an input as it is, with what they are.
local TEXTS <const> = {
  { "device", "device", "Catalog name, as people write it: 'RTX 4090', 'M3 Max 64GB', '7900 XTX', 'EPYC 9654'; 24GB is a card of so much memory; two "
    .. "kinds of card as 'RTX 3090 + RTX 3060'. Several with commas are compared.", several = true },
  { "weights", "format", "Format of the weights: Q4_K_M, Q8_0, IQ4_XS, MXFP4, F16, awq, gptq, mlx4, exl2-4.0, …; by the "
    .. "model's name unless said. Several with commas are compared.", several = true },
  { "engine", "engine", "llama.cpp, ollama, exllama, mlx, mlc, vllm, transformers or awq; by the format unless said." },
  { "backend", "backend", "Of llama.cpp: cuda, metal, rocm, vulkan, sycl or cpu; by the vendor unless said." },
  { "host", "host", "Processor that has what the device has not." },
  { "kv", "kv", "Format of the KV cache: f16, q8_0, q4_0, fp8." },
}
local NUMBERS <const> = {
  { "devices", "devices", "Devices that share the model." },
  { "sequences", "sequences", "Sequences that begin together and take every step together, a static batch; 1 unless said." },
  { "context", "context_tok", "Tokens of each that the KV cache has room for; 4096 unless said." },
  { "prompt-tokens", "prompt_tok", "Tokens of the prompt of each; 512 unless said." },
  { "ubatch", "ubatch_tok", "Tokens of a prompt in one pass at most, as llama.cpp's -ub; as the engine does unless said." },
  { "device-layers", "device_layers", "Layers on the device, the rest with the host; unless said, as many as it has room for." },
  { "host-experts", "host_experts", "First layers whose experts stay with the host." },
}

function local_command.define(command)
  options.define_model(command, "Catalog name, Hugging Face id, Ollama tag, GGUF file or a folder with a config.json; a format "
    .. "behind it counts, as in llama-3.1-8b:Q4_K_M.")
  for _, row in ipairs(TEXTS) do
    command:option(row[1] == "device" and "--device --on --vram" or "--" .. row[1], row[3]):argname("NAME")
  end
  for _, row in ipairs(NUMBERS) do command:option("--" .. row[1], row[3]):argname("N") end
  command:option("--file-size", "Size of the file where it is known, as 'GB(4.92)'."):argname("BYTES")
  command:flag("--no-flash", "Attention is not fused.")
  options.define_overrides(command)
  options.define_output(command)
end

-- A text, or a list of those that stand between commas.
local function several_of(text)
  local list = blanks.between_commas(text)
  return #list > 1 and list or text
end

local function input_of(chosen)
  local input = { model = options.model(chosen), file_bytes = question.number(chosen, "file-size") }
  for _, row in ipairs(TEXTS) do
    local text = chosen[row[1]]
    input[row[2]] = row.several and text and several_of(text) or text
  end
  for _, row in ipairs(NUMBERS) do input[row[2]] = question.whole(chosen, row[1]) end
  if chosen.no_flash then input.flash = false end
  return input
end

local function ask(chosen, state)
  return scenario.answer(state, "local_inference", input_of(chosen))
end

local OPTION_OF <const> = { format = "weights", context_tok = "context", prompt_tok = "prompt_tokens", file_bytes = "file_size",
  other = "device" }

function local_command.run(chosen)
  options.format(chosen)
  local state = scenario.state(nil, { command = "local", overrides = overrides.parse(chosen.define) })
  return options.emit(question.blamed(chosen, OPTION_OF, ask, chosen, state), chosen)
end

return local_command

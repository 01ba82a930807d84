-- Engines of one sequence on one machine: what they do, and, fitted, how well they use a device (fitted/local.lua).
-- A back end of llama.cpp is an engine of its own here, and so are kernels of another library inside of one engine.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local local_engines = {}

--- What an engine's coefficients are before any fit: orders of size of kernels that are written well (assumption). The
--- fit moves them by factors (fitted/local.lua); `start` of an engine stands in their place where its kind is another.
local_engines.base = {
  stream16 = 0.85, stream8 = 0.8, stream4 = 0.75, stream_plain = 0.8, unpack = 8, unpack_plain = 4, convert = 2, stream_kv = 0.4,
  fused_kv = 0.6, score = 0.1, gap_s = 3e-5,
  host_s = 1e-5, split_s = 2e-5, token_s = 3e-4, hop_s = 5e-5, matmul16 = 0.5, matmul8 = 0.3, experts = 1, scaling = 0.4, op_j = 1e-12,
  rows0 = 32, between = 0.8,
  attention = 0.15, pass_s = 5e-5, pipelined = 0.3,
}

-- Depth that start and end of a tile cost in matmuls of a prompt: measured matmuls of bf16 say 60 to 200, of 8 bit 180 to 660
-- (k0 of catalog/curves.lua). Processors have no tiles that are filled first.
local DEPTH <const> = 200

-- `offloads`: layers and experts may stay with the host. `narrow_kv`: the format of a packed cache (llama.cpp
-- common/arg.cpp, ExLlamaV2 cache_q8, MLX LM --kv-bits 8, vLLM --kv-cache-dtype fp8; 2025), nil where there is none.
-- llama.cpp: pieces of 512 tokens, embedding with the host, layers of several devices one after another
-- (common/arg.cpp and src/llama-model.cpp, 2025). Back ends differ in kernels and launches only. Fused attention reads the
-- cache at another rate than the kernels before it (`reads_fused`), which it had until 2025. A prompt of a model with MLA goes
-- through the same attention to latents as a token (`latent_prompts`; graph of deepseek2 in src/llama-model.cpp, 2025, recalled).
-- Values between matmuls are fp32 (`activation_bytes`), of other engines 16 bit. `stride`: 2,048 weights of a row at
-- a time on CUDA and HIP (ggml-cuda/mmvq.cu: 8 blocks of 256 by 128 threads), 1,024 in shaders of Metal and Vulkan (2025, recalled).
local LLAMA <const> = { family = "llamacpp", split = "layers", int8 = true, ubatch = 512, host_embedding = true, flash = true,
  reads_fused = true, latent_prompts = true, activation_bytes = 4, stride = 1024, offloads = true, narrow_kv = "q8_0" }

local function llama(changes) return tables.with(LLAMA, changes) end

-- Engines in Python launch kernel by kernel unless they capture graphs; they take a prompt in one piece.
local function python(changes)
  return tables.with({ split = "layers", int8 = false, ubatch = 8192, host_embedding = false, flash = true }, changes)
end

-- FlashAttention and its like, which attend with matrix units for a token, too, and read keys of a group of heads once: orders of
-- size of its papers (arXiv:2307.08691, 2023; Flash-Decoding, 2023), as an assumption.
local FLASH <const> = { stream_kv = 0.7, score = 0.3, attention = 0.4 }

local ENTRIES <const> = {
  -- Tiles are up to 128 tokens wide (ggml-cuda/mmq.cuh, 2025): the last of a matrix is half empty in the mean. Attention of
  -- prompts multiplies with matrix units as FlashAttention does (ggml-cuda/fattn-mma-f16.cuh, 2025).
  ["llamacpp-cuda"] = llama({ on = "gpu", stride = 2048, accumulate16 = true, source = "llama.cpp, CUDA back end (2025)",
    start = { rows0 = 64, attention = FLASH.attention } }),
  ["llamacpp-cuda-cublas"] = llama({ on = "gpu", stride = 2048, accumulate16 = true, int8 = false,
    source = "llama.cpp, CUDA back end (first half of 2024): prompts multiply unpacked weights by cuBLAS" }),
  ["llamacpp-metal"] = llama({ on = "gpu", int8 = false, source = "llama.cpp, Metal back end (2025)",
    start = { gap_s = 8e-5, stream_kv = 0.2, unpack = 20 } }),
  ["llamacpp-rocm"] = llama({ on = "gpu", stride = 2048, source = "llama.cpp, HIP back end (2025)" }),
  ["llamacpp-vulkan"] = llama({ on = "gpu", source = "llama.cpp, Vulkan back end (2025)" }),
  ["llamacpp-vulkan-bf16"] = llama({ on = "gpu", source = "llama.cpp, Vulkan back end (2025), bf16 in shaders without it",
    start = { stream16 = 0.5, matmul16 = 0.3 } }),
  -- Nobody measured it for us: Intel's GPUs reach about as little of their bandwidth by one back end of the program as by another.
  ["llamacpp-sycl"] = llama({ on = "gpu", like = "llamacpp-vulkan", source = "llama.cpp, SYCL back end (2025), as that of Vulkan" }),
  -- Cores wait for memory alike whatever they read; what unpacking takes is beside it.
  ["llamacpp-cpu"] = llama({ on = "cpu", one_stream = "stream4", stride = 1, k0 = 0, source = "llama.cpp on processors (2025)",
    start = { gap_s = 2e-5, stream4 = 0.6, unpack = 6, convert = 2, matmul8 = 0.1, scaling = 0, rows0 = 4,
      pass_s = 1e-5 } }),
  -- The embedding stays in the memory of the host (embed_cpu of its set_device_map; prefer_cpu of V3; recalled).
  exllama = python({ family = "exllama", narrow_kv = "q8_0", ubatch = 2048, host_embedding = true, accumulate16 = true,
    source = "ExLlamaV2 (2024): prompts unpacked once a pass", start = tables.with(FLASH, { stream4 = 0.7, gap_s = 4e-5, matmul8 = 0.5 }) }),
  -- Nobody measured it for us: its kernels are written for the same matrix units of the same GPUs as those of llama.cpp's Metal.
  mlx = python({ family = "mlx", like = "llamacpp-metal", narrow_kv = "q8_0", ubatch = 512, source = "MLX LM (2025): prompts in pieces of 512",
    start = { gap_s = 5e-5 } }),
  mlc = python({ family = "mlc", split = "tensors", ubatch = 2048, source = "MLC LLM (2024)",
    start = tables.with(FLASH, { gap_s = 2e-5 }) }),
  vllm = python({ family = "vllm", narrow_kv = "fp8", split = "tensors", source = "vLLM (2024): graphs of steps, one sequence",
    start = tables.with(FLASH, { gap_s = 3e-5, token_s = 2e-3 }) }),
  ["vllm-packed"] = python({ family = "vllm", narrow_kv = "fp8", split = "tensors", source = "vLLM (2024) with Marlin kernels",
    start = tables.with(FLASH, { gap_s = 3e-5, token_s = 2e-3, matmul8 = 0.5 }) }),
  transformers = python({ family = "transformers", source = "Transformers, eager PyTorch (2024)",
    start = { host_s = 9e-4, stream_kv = 0.1, token_s = 5e-4 } }),
  ["transformers-gptq"] = python({ family = "transformers", source = "Transformers with AutoGPTQ's kernels (2024)",
    start = { host_s = 9e-4, stream_kv = 0.1, token_s = 5e-4 } }),
  ["transformers-gptq8"] = python({ family = "transformers", source = "Transformers with AutoGPTQ's kernels of 8 bit (2024)",
    start = { host_s = 1.1e-3, stream_kv = 0.1, token_s = 5e-4, unpack = 20 } }),
  ["transformers-awq"] = python({ family = "transformers", source = "Transformers with AutoAWQ's kernels (2024)",
    start = { host_s = 1.1e-3, stream_kv = 0.1, token_s = 5e-4 } }),
  ["transformers-bnb"] = python({ family = "transformers", source = "Transformers and LitGPT with bitsandbytes (2024)",
    start = { host_s = 1.5e-3, stream_kv = 0.1, token_s = 5e-4, unpack = 20 } }),
  awq = python({ family = "awq", ubatch = 2048, source = "TinyChat and AutoAWQ with fused layers (2024)",
    start = { gap_s = 5e-5, host_s = 1e-4 } }),
  ["awq-cpu"] = python({ family = "awq", on = "cpu", k0 = 0, ubatch = 2048, source = "AutoAWQ with Intel's extension for PyTorch (2024)",
    start = { gap_s = 1e-4, stream4 = 0.5, unpack = 2, convert = 1, matmul8 = 0.2, rows0 = 64, pass_s = 1e-4 } }),
}

-- What people call them.
local NAMES <const> = {
  ["llama.cpp"] = "llamacpp", llamacpp = "llamacpp", ["llama-cpp"] = "llamacpp", ollama = "llamacpp",
  ["lm studio"] = "llamacpp", lmstudio = "llamacpp", koboldcpp = "llamacpp", llamafile = "llamacpp", jan = "llamacpp",
  exllama = "exllama", exllamav2 = "exllama", exllamav3 = "exllama", tabbyapi = "exllama", mlx = "mlx", ["mlx-lm"] = "mlx",
  ["mlx lm"] = "mlx", mlc = "mlc", ["mlc llm"] = "mlc", ["mlc-llm"] = "mlc", vllm = "vllm", transformers = "transformers",
  litgpt = "transformers", huggingface = "transformers", tinychat = "awq", autoawq = "awq",
  awq = "awq",
}

-- What shares the name of a family and none of its kernels: Neuron's library for models of Transformers.
local OTHERS <const> = { "^transformers.neuronx" }

-- Back ends of llama.cpp by the words that tables and people use.
local BACKENDS <const> = { cuda = "cuda", metal = "metal", mps = "metal", rocm = "rocm", hip = "rocm", vulkan = "vulkan",
  sycl = "sycl", cpu = "cpu", blas = "cpu" }

-- The back end that a vendor's devices are mostly run with.
local OF_VENDOR <const> = { NVIDIA = "cuda", Apple = "metal", AMD = "vulkan", Intel = "vulkan" }

-- Kernels of other libraries inside of an engine, by format.
local KERNELS <const> = {
  ["llamacpp-vulkan"] = { BF16 = "llamacpp-vulkan-bf16" },
  transformers = { gptq = "transformers-gptq", gptq8 = "transformers-gptq8", awq = "transformers-awq",
    nf4 = "transformers-bnb", nf4_double = "transformers-bnb", int8 = "transformers-bnb" },
  vllm = { gptq = "vllm-packed", gptq8 = "vllm-packed", awq = "vllm-packed", fp8 = "vllm-packed", mxfp4 = "vllm-packed" },
}

--- Families of engines that people may name, sorted.
function local_engines.names() return tables.sorted_keys(NAMES) end

--- All engines of the fit, sorted.
function local_engines.keys() return tables.sorted_keys(ENTRIES) end

--- The family that a text begins with ("Ollama 0.5", "vllm 0.6.3"), or nil.
---@param text string
---@return string|nil
function local_engines.family(text)
  local lower = text:lower()
  for _, other in ipairs(OTHERS) do
    if lower:find(other) then return nil end
  end
  local longest, found = 0, nil
  for name, family in pairs(NAMES) do
    if #name > longest and lower:sub(1, #name) == name then longest, found = #name, family end
  end
  return found
end

--- The back end that a word begins with, or nil.
function local_engines.backend(word)
  local lower = word:lower()
  for name, backend in pairs(BACKENDS) do
    if lower:sub(1, #name) == name then return backend end
  end
  return nil
end

--- The back end that the name of an engine has in it ("llamacpp-vulkan", "llama.cpp (ROCm)"), or nil.
function local_engines.backend_in(name)
  for word in name:lower():gmatch("%a+") do
    if BACKENDS[word] then return BACKENDS[word] end
  end
  return nil
end

-- A processor is an architecture of its own, and what has no GPU of a vendor named above.
local function backend_of(device)
  local on_cpu = (device.architecture or ""):find("^x86") or (device.architecture or ""):find("^arm")
    or (device.architecture or ""):find("^risc")
  return on_cpu and "cpu" or OF_VENDOR[device.vendor] or "vulkan"
end

-- Families that print the speed of generation apart from that of the prompt (timings of llama.cpp and Ollama, mlx_lm.generate,
-- ExLlamaV2's test_inference, statistics of MLC, TinyChat; 2025, recalled). Who times another engine times whole calls.
local TIMES_APART <const> = { llamacpp = true, mlx = true, exllama = true, mlc = true, awq = true }

--- Whether a family of engines prints the speed of generation apart from that of the prompt.
---@param family string
function local_engines.times_apart(family) return TIMES_APART[family] == true end

--- Whether a device is a processor.
function local_engines.is_processor(device) return backend_of(device) == "cpu" end

-- What a back end did before kernels on int8 tensor cores took prompts over: builds of llama.cpp before b3200 (June 2024,
-- recalled); of a year that is all that is known, 2024 counts as before.
local BEFORE <const> = { ["llamacpp-cuda"] = { key = "llamacpp-cuda-cublas", build = 3200, year = 2025 } }

local function is_before(entry, name, year)
  local build = tonumber(name:match("%f[%w]b(%d%d%d%d+)%f[%D]"))
  if build then return build < entry.build end
  return year ~= nil and year < entry.year
end

--- The engine's key for a device, a format and, where it is said, a back end.
---@param family string
---@param device table
---@param format string
---@param backend string|nil
---@param name string|nil what people call it, perhaps with its build ("llama.cpp b2900")
---@param year integer|nil of the software; today's if nil
function local_engines.key(family, device, format, backend, name, year)
  local on = backend or backend_of(device)
  local engine = family
  if family == "llamacpp" then engine = "llamacpp-" .. on end
  local before = BEFORE[engine]
  if before and is_before(before, name or "", year) then return before.key end
  if family == "awq" and on == "cpu" then engine = "awq-cpu" end
  return KERNELS[engine] and KERNELS[engine][format] or engine
end

-- Vendors whose chips a back end of llama.cpp or a family of engines has kernels for (their documentation, 2025); what is
-- not listed runs on all. Backend cpu and the processors belong together.
local RUNS_ON <const> = { cuda = { "NVIDIA" }, metal = { "Apple" }, rocm = { "AMD" }, mlx = { "Apple" },
  exllama = { "NVIDIA", "AMD" } }

--- Refuses a back end or a family of engines, where somebody said it, on a device that it has no kernels for.
---@param path string "backend" or "engine"
---@param name string a back end or a family
---@param device table
function local_engines.check(path, name, device)
  local vendors, processor = RUNS_ON[name], local_engines.is_processor(device)
  local wrong = vendors and (processor or not tables.contains(vendors, device.vendor or "")) or name == "cpu" and not (processor or device.shared_memory)
    or processor and BACKENDS[name] and name ~= "cpu"
  if wrong then
    errors.input(path, ("%s does not run on %s, but on %s"):format(name, device.name or "the device",
      vendors and "cards of " .. table.concat(vendors, " and ") or name == "cpu" and "processors: name one as the device" or "cards"))
  end
end

-- Beginnings of formats that a family of engines does not read (its documentation, 2025).
local READS_NOT <const> = {
  llamacpp = { "gptq", "awq", "exl", "mlx", "nf4", "q4f16", "fp8", "int8" }, exllama = { "mlx", "nf4", "fp8", "q4f16", "gguf" },
  mlx = { "gptq", "awq", "exl", "nf4", "q4f16", "fp8", "int8", "gguf" }, mlc = { "exl", "mlx", "nf4", "fp8", "gguf" },
  vllm = { "exl", "mlx", "q4f16" }, transformers = { "exl", "mlx", "q4f16", "fp8" }, awq = { "exl", "mlx", "nf4", "q4f16", "gguf" },
}

-- Formats of those that a family reads all the same: MLX has had matrices in MXFP4, as gpt-oss is published, since its release
-- 0.29 (September 2025; recalled).
local READS_TOO <const> = { mlx = { "MXFP4" } }

--- Whether a family of engines reads a format.
---@param family string
---@param name string of resolve/local_inference/format.lua
---@param is_gguf boolean
function local_engines.reads(family, name, is_gguf)
  if tables.contains(READS_TOO[family] or {}, name) then return true end
  for _, beginning in ipairs(READS_NOT[family] or {}) do
    if beginning == "gguf" and is_gguf or name:sub(1, #beginning) == beginning then return false end
  end
  return true
end

--- Refuses a format that a family of engines does not read.
function local_engines.check_format(family, name, is_gguf)
  if not local_engines.reads(family, name, is_gguf) then
    errors.input("format", ("%s does not read %s"):format(local_engines.called(family), name))
  end
end

-- The format that a family's own models mostly have: what its converter makes unless told (mlx_lm.convert -q: 4 bit in groups of
-- 64; mlc_llm: q4f16_1; AutoAWQ), 4.0 bits of ExLlamaV2 (its README's tables; 2025, recalled). Others run a model as published.
local OWN_FORMAT <const> = { mlx = "mlx4", exllama = "exl2-4.0", mlc = "q4f16", awq = "awq" }

--- The format that models of a family of engines mostly have; nil of one that runs models as they are published.
---@param family string|nil
---@return string|nil
function local_engines.own_format(family) return OWN_FORMAT[family] end

--- The engine most people run a device and a format with.
function local_engines.usual(format_is_gguf, format)
  if format_is_gguf or format == "F16" or format == "BF16" then return "llamacpp" end
  if format:find("^mlx") then return "mlx" end
  if format:find("^exl") then return "exllama" end
  if format == "q4f16" then return "mlc" end
  return format:find("^nf4") and "transformers" or "vllm"
end

-- Formats that a family's models are published in, from wide to narrow (its documentation, 2025).
local LADDERS <const> = {
  mlx = { "F16", "mlx8", "mlx6", "mlx4", "mlx3" }, exllama = { "F16", "exl2-8.0", "exl2-6.0", "exl2-5.0", "exl2-4.0", "exl2-3.0", "exl2-2.5" },
  mlc = { "F16", "q4f16" }, vllm = { "F16", "fp8", "awq" }, transformers = { "F16", "int8", "awq" }, awq = { "awq" },
}

--- Formats that a family's models are published in, from wide to narrow; nil of llama.cpp, whose are those of files.
---@param family string|nil
---@return string[]|nil
function local_engines.ladder(family) return LADDERS[family] end

-- What a family is called in a report.
local CALLED <const> = { llamacpp = "llama.cpp", exllama = "ExLlamaV2", mlx = "MLX", mlc = "MLC", vllm = "vllm",
  transformers = "transformers", awq = "AutoAWQ" }

--- What people call a family of engines.
---@param family string
function local_engines.called(family) return CALLED[family] end

--- What people call the engine of a key.
---@param key string
function local_engines.said(key) return CALLED[ENTRIES[key].family] end

--- What is stated of an engine: { family, split, int8, ubatch, k0, activation_bytes, host_embedding, flash, offloads, narrow_kv,
--- like (the engine whose fit is its own), one_stream (the coefficient that all streams of weights share), source, start }.
function local_engines.get(key)
  if not ENTRIES[key] then errors.choice("engine", key, local_engines.keys()) end
  return tables.with({ k0 = DEPTH, activation_bytes = 2 }, ENTRIES[key])
end

return local_engines

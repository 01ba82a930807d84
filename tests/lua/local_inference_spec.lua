-- Local inference: sizes of files, names, what is monotone, and a table of measurements.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local format = require("ballpark.resolve.local_inference.format")
local gguf = require("ballpark.catalog.gguf")
local hf = require("ballpark.hf")
local local_inference = require("ballpark.validate.local_inference")
local names = require("ballpark.resolve.local_inference.names")
local ranges = require("ballpark.range.local_inference")
local questions = require("ballpark.questions")
local resolve = require("ballpark.resolve.local_inference")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local setups = require("ballpark.questions.local_inference.setups")
local show = require("ballpark.questions.local_inference.show")
local tables = require("ballpark.tables")
local weights = require("ballpark.resolve.local_inference.weights")

local function file_gb(model, word)
  local shape = catalog.model(model)
  return weights.file_bytes(shape, weights.of(shape, word)) / 1e9
end

local function speeds(spec) return core.local_inference(resolve.of(spec).input) end

local function rate(spec) return speeds(spec).tokens_per_s end

describe("a GGUF file", function()
  it("is as large as those that are published", function()
    -- Sizes of files on Hugging Face (bartowski, TheBloke, ggml-org), with some MB of vocabulary in each.
    for _, known in ipairs({ { "llama-3.1-8b", "Q4_K_M", 4.921 }, { "llama-3.1-8b", "Q8_0", 8.541 },
      { "llama-3.1-8b", "Q2_K", 3.179 }, { "llama-3.1-8b", "Q3_K_M", 4.019 }, { "llama-3.1-8b", "Q5_K_M", 5.733 },
      { "llama-3.1-8b", "Q6_K", 6.596 }, { "llama-3.1-70b", "Q4_K_M", 42.52 }, { "Llama-2-7b-hf", "Q4_0", 3.826 },
      { "gpt-oss-20b", "MXFP4", 12.1 }, { "gpt-oss-120b", "MXFP4", 63.4 }, { "Qwen3-30B-A3B", "Q4_K_M", 18.56 } }) do
      assert.near(known[3], file_gb(known[1], known[2]), 0.006 * known[3], known[1] .. " " .. known[2])
    end
  end)

  it("of few bits is one made with an importance matrix", function()
    -- Sizes of bartowski's files of Meta-Llama-3.1 in GB (recalled).
    for name, known in pairs({ ["llama-3.1-8b"] = { IQ2_S = 2.76, IQ2_M = 2.95, IQ3_XXS = 3.27, IQ3_XS = 3.52, IQ3_M = 3.78, IQ4_XS = 4.45 },
      ["llama-3.1-70b"] = { IQ1_M = 16.75, IQ2_XXS = 19.10, IQ2_XS = 21.14, IQ2_S = 22.24, IQ2_M = 24.12, IQ3_XXS = 27.47, IQ3_M = 31.94 } }) do
      for file_type, gb in pairs(known) do
        assert.near(gb, file_gb(name, file_type), 0.005 * gb, name .. " " .. file_type)
      end
    end
  end)

  it("of a tag is the one that Ollama pulls", function()
    -- Sizes of ollama.com/library in GB, which has two figures of each (2025; recalled).
    for tag, known in pairs({ ["llama3.1:8b"] = { "Q4_K_M", 4.9 }, ["gemma2:9b"] = { "Q4_0", 5.4 }, ["mixtral:8x7b"] = { "Q4_0", 26 },
      ["mixtral:8x22b"] = { "Q4_0", 80 }, ["qwen2.5:32b"] = { "Q4_K_M", 20 }, ["llama3.2:1b"] = { "Q8_0", 1.3 }, ["gpt-oss:20b"] = { "MXFP4_BF16", 14 },
      ["gpt-oss:120b"] = { "MXFP4_BF16", 65 } }) do
      local model, word = resolve.model(tag)
      assert.equal(known[1], word, tag)
      assert.near(known[2], weights.file_bytes(model, weights.of(model, word)) / 1e9, 0.025 * known[2], tag)
    end
    local function taken(engine) return resolve.of({ model = "gpt-oss-20b", format = "MXFP4", engine = engine, device = "RTX 4090" }).format end
    assert.equal("MXFP4_BF16", taken("Ollama 0.12"))
    assert.equal("MXFP4", taken("ollama or llama.cpp"))
  end)

  it("has the bits of its types", function()
    assert.near(4.5, 8 * gguf.bytes("Q4_K", 4096), 1e-12)
    assert.near(6.5625, 8 * gguf.bytes("Q6_K", 4096), 1e-12)
    assert.near(4.25, 8 * gguf.bytes("MXFP4", 4096), 1e-12)
    -- block_tq1_0 and block_tq2_0 of llama.cpp: 48 + 4 + 2 and 64 + 2 bytes of 256 weights.
    assert.near(1.6875, 8 * gguf.bytes("TQ1_0", 4096), 1e-12)
    assert.near(2.0625, 8 * gguf.bytes("TQ2_0", 4096), 1e-12)
    assert.is_true(file_gb("llama-3.1-8b", "TQ1_0") < file_gb("llama-3.1-8b", "TQ2_0"))
    assert.near(5.5, 8 * gguf.bytes("Q4_K", 896), 1e-12) -- rows that blocks of 256 do not fit
    assert.is_false(gguf.is_plain("Q6_K", 4096))
    assert.is_true(gguf.is_plain("Q6_K", 2880) and gguf.is_plain("Q8_0", 4096))
    assert.is_true(weights.of(catalog.model("gpt-oss-20b"), "Q6_K").plain_blocks) -- 2,880 wide
    assert.is_false(weights.of(catalog.model("llama-3.1-8b"), "Q6_K").plain_blocks)
  end)
end)

describe("a name", function()
  it("says model and format, however it is written", function()
    for text, wanted in pairs({ ["llama3.1:8b"] = { "Llama-3.1-8B" }, ["llama-2-7b.Q4_0.gguf"] = { "Llama-2-7b-hf", "Q4_0" },
      ["Qwen/Qwen2.5-72B-Instruct-AWQ"] = { "Qwen2.5-72B", "awq" },
      ["bartowski/Llama-3.1-8B-Instruct-GGUF:Q5_K_M"] = { "Llama-3.1-8B", "Q5_K_M" },
      ["GLM-4.7-Flash-UD-Q8_K_XL"] = { "GLM-4.7-Flash", "Q8_0" }, ["deepseek-r1:14b"] = { "Qwen2.5-14B" },
      ["deepseek-r1:8b"] = { "Qwen3-8B" }, ["gemma3:27b-it-qat"] = { "Gemma-3-27b-it", "Q4_0" },
      ["google/gemma-3-27b-it-qat-q4_0-gguf"] = { "Gemma-3-27b-it", "Q4_0" },
      ["unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit"] = { "Llama-3.1-8B", "nf4_double" },
      ["mlx-community/Qwen3-30B-A3B-8bit"] = { "Qwen3-30B-A3B", "mlx8" }, ["phi4:14b"] = { "phi-4" },
      ["turboderp/Llama-3.1-8B-Instruct-exl2:6.0bpw"] = { "Llama-3.1-8B", "exl2-6.0" },
      ["Meta-Llama-3.1-8B-Instruct-Q6_K_L.gguf"] = { "Llama-3.1-8B", "Q6_K" }, ["llama3.1:latest"] = { "Llama-3.1-8B" },
      ["amd/Llama-3.1-8B-Instruct-FP8-KV"] = { "Llama-3.1-8B", "fp8" },
      ["Llama-3.1-70B-AWQ-8bit"] = { "Llama-3.1-70B", "gptq8" }, ["Qwen3-32B-AWQ-INT8"] = { "Qwen3-32B", "gptq8" },
      ["Qwen3-32B-INT8-AWQ"] = { "Qwen3-32B", "gptq8" }, ["gpt-oss-120b-mxfp4-00001-of-00003"] = { "gpt-oss-120b", "MXFP4" },
      ["mlx-community/gpt-oss-20b-MXFP4-Q8"] = { "gpt-oss-20b", "MXFP4" } }) do
      local name, said = names.read(text)
      assert.equal(wanted[1]:lower(), tostring(name):lower(), text)
      assert.equal(wanted[2], said, text)
    end
  end)

  it("that states a format which is not estimated is refused, and one that leaves the bits open is said", function()
    for _, word in ipairs({ "gptq-3bit", "GPTQ 3bit", "awq 3-bit", "gptq int2", "gptq3", "3bit-gptq", "INT2 AWQ" }) do assert.is_nil(format.named(word)) end
    for _, word in ipairs({ "GPTQ 8 bit", "awq 8bit", "AWQ-8bit", "awq-int8", "awq8", "INT8-AWQ", "8bit-gptq", "AWQ 8-bit g128", "gptq8" }) do
      assert.equal("gptq8", format.named(word))
    end
    for _, word in ipairs({ "awq4", "AWQ-INT4", "int4-awq", "awq 4bit", "awq" }) do assert.equal("awq", format.named(word)) end
    for word, wanted in pairs({ ["gptq-4bit"] = "gptq", ["GPTQ 8 bit"] = "gptq8", ["AWQ 4-bit g128"] = "awq" }) do assert.equal(wanted, format.named(word)) end
    for word, wanted in pairs({ int4 = "mlx4", ["8bit"] = "mlx8" }) do assert.equal(wanted, format.named(word, "mlx")) end
    for _, text in ipairs({ "llama-3.1-8b:Q1_K_M", "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int2", "TheBloke/Llama-2-7B-GPTQ-3bit" }) do
      assert.matches("not a format that is estimated", errors.catch(names.check, text))
    end
    names.check("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4")
    assert.same({ "Q4_K_M", "gguf" }, { names.open_format("TheBloke/Llama-2-13B-GGUF") })
    assert.matches("says nvfp4", errors.catch(resolve.of, { model = "nvidia/Llama-3.1-405B-Instruct-NVFP4", device = "H100" }))
  end)

  it("of a format is read as people and tables write it", function()
    for word, wanted in pairs({ ["Q4_K - Medium"] = "Q4_K_M", q4_k_m = "Q4_K_M", fp16 = "F16", ["AWQ 4-bit g128"] = "awq",
      ["GPTQ-Int8"] = "gptq8", ["4.5bpw"] = "exl2-4.5", ["MXFP4 MoE"] = "MXFP4" }) do
      assert.equal(wanted, format.named(word), word)
    end
    assert.matches("format", errors.catch(format.get, "format", "Q9_Z"), 1, true)
  end)
end)

describe("a model that nobody knows", function()
  it("has the shape of one of the size that its name says", function()
    for text, wanted in pairs({ ["koala-13b"] = { 40, 5120 }, ["wizardlm-33b"] = { 60, 6656 }, ["vila-7b"] = { 32, 4096 },
      ["Acme-30B-A3B"] = { 48, 2048 }, ["dolphin-mixtral:8x7b"] = { 32, 4096 }, ["Qwen3.9-27B"] = { 64, 5120 } }) do
      local model, _, assumed = resolve.model(text)
      assert.same(wanted, { model.layers, model.hidden }, text)
      assert.matches("is not in the catalog: the shape of", table.concat(assumed, "; "), text)
    end
  end)

  it("is none where the name says no size, a slip of a known name, or a shape that is known to be another", function()
    for text, reason in pairs({ ["koala"] = "unknown model", ["lama-3.1-8b"] = "did you mean 'Llama%-3%.1%-8B'",
      ["meta-llama/Llama-3.1-7OB"] = "did you mean 'Llama%-3%.1%-70B'", ["falcon-mamba-7b"] = "cannot be represented" }) do
      assert.matches(reason, (errors.catch(resolve.model, text)), text)
    end
  end)
end)

describe("a device", function()
  it("is known by the machine it is in, by short names and with a count", function()
    for label, wanted in pairs({ ["Mac mini M4 16GB"] = "M4", ["MacBook Pro M3 Max 64GB"] = "M3-Max-40", ["iMac M1"] = "M1",
      ["Ryzen 7950X"] = "Ryzen-9-7950X", ["i9-13900K"] = "Core-i9-13900K", ["i7-12700"] = "Core-i7-12700K",
      ["Core i5-12400F"] = "Core-i5-12400", ["i5-13600KF"] = "Core-i5-13600K", ["Jetson Orin Nano"] = "Jetson-Orin-Nano-8GB",
      ["Galaxy S24"] = "Snapdragon-8-Gen-3", ["2x RTX 3090"] = "RTX-3090",
      ["Framework Desktop"] = "Ryzen-AI-Max+-395", ["DGX Spark"] = "GB10" }) do
      assert.equal(wanted, devices.resolve(label), label)
    end
    assert.equal(2, devices.count_said("2x RTX 3090"))
    assert.equal(4, devices.count_said("4x3090"))
    assert.is_nil(devices.count_said("RTX 3090"))
    -- A number is a count where a device stands behind it, and else a part of the name.
    for _, label in ipairs({ "7900 XTX", "9070 XT", "7600 XT", "5800X3D", "7950X", "7900 XTX 24GB" }) do
      assert.is_nil(devices.count_said(label), label)
      assert.is_truthy(devices.resolve(label), label)
    end
    assert.equal(2, devices.count_said("2x7900 XTX"))
    assert.equal(3, devices.count_said("3 x 7900 XTX"))
  end)
end)

describe("generation", function()
  it("is bound by bytes over bandwidth", function()
    -- Llama 3.1 8B, Q4_K_M: 4.913 GB without the 0.295 GB of embedding that nobody reads, at 1,008 GB/s: 218 tokens/s
    -- at most.
    local most = 1008e9 / (4.9129e9 - 0.2955e9)
    local own = rate({ model = "llama-3.1-8b", format = "Q4_K_M", device = "RTX 4090", at_tok = 64 })
    assert.is_true(own < most and own > most / 2)
  end)

  it("is one step of the host for all sequences that take it together", function()
    local spec = { model = "llama-3.1-8b", format = "BF16", device = "A100", engine = "transformers", at_tok = 600 }
    local one, before = rate(spec), rate(spec)
    for _, count in ipairs({ 2, 4, 16, 64, 256 }) do
      local now = rate(tables.with(spec, { sequences = count }))
      assert.is_true(now > before and now < count * one * 1.001)
      before = now
    end
    assert.is_true(rate(tables.with(spec, { sequences = 2 })) > 1.8 * one)
  end)

  it("launches the slower the processor of the machine is, and no faster with a better one of its kind", function()
    local spec = { model = "llama-3.2-1b", format = "Q4_K_M", device = "RTX 4090", at_tok = 64 }
    local function on(host) return rate(tables.with(spec, { host = host })) end
    assert.equal(on("Ryzen-9-7950X"), on("Core-i9-13900K"))
    assert.is_true(on("Raspberry-Pi-5") < 0.9 * on("Ryzen-9-7950X"))
  end)

  it("launches a third block in layers with a cross attention", function()
    local spec = { model = "t5-base", format = "F16", device = "A100", engine = "transformers", at_tok = 64 }
    local input = resolve.of(spec).input
    local plain = tables.with(input, { model = tables.with(input.model, { cross_layers = 0 }) })
    assert.near(1.5, core.local_inference(input).token_s / core.local_inference(plain).token_s, 0.1)
  end)

  it("is never slower with fewer bits, more bandwidth or more layers on the device", function()
    local last
    for _, name in ipairs({ "RTX 3090", "7900 XTX", "M3 Max", "Strix Halo", "EPYC 9654" }) do
      last = 0
      for _, word in ipairs({ "F16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K" }) do
        local own = rate({ model = "llama-3.1-8b", format = word, device = name, at_tok = 512 })
        assert.is_true(own >= last, name .. " " .. word)
        last = own
      end
    end
    last = 0
    for _, bandwidth in ipairs({ 1e11, 3e11, 1e12, 3e12 }) do
      local device = tables.with(catalog.device("RTX 3090"), { mem_bw_bytes_s = bandwidth })
      local own = rate({ model = "llama-3.1-8b", device = device })
      assert.is_true(own > last)
      last = own
    end
    last = 0
    for layers = 0, 80, 20 do
      local own = rate({ model = "llama-3.1-70b", device = "RTX 3090", host = "Ryzen-9-7950X", device_layers = layers })
      assert.is_true(own > last)
      last = own
    end
  end)

  it("reads the experts of a token only, and experts of the host from its memory", function()
    local all = rate({ model = "gpt-oss-120b", device = "RTX 5090", devices = 3, at_tok = 128 })
    local some = rate({ model = "gpt-oss-120b", device = "RTX 5090", host = "EPYC-9654", host_experts = 30, at_tok = 128 })
    assert.is_true(some < all)
    assert.is_true(all > rate({ model = "llama-3.1-70b", device = "RTX 5090", devices = 2, at_tok = 128 }))
  end)

  it("hands a token to experts of the host and back, at the gap between devices for every layer", function()
    local input = resolve.of({ model = "gpt-oss-120b", device = "RTX 5090", host = "EPYC-9654", host_experts = 30, at_tok = 128 }).input
    local free = tables.with(input, { engine = tables.with(input.engine, { hop_s = 0 }) })
    assert.near(2 * 30 * input.engine.hop_s, core.local_inference(input).token_s - core.local_inference(free).token_s, 1e-9)
  end)

  it("takes larger pieces of a prompt where it is told, which reads experts of the host less often", function()
    local spec = { model = "gpt-oss-120b", device = "RTX 3090", host = "Ryzen-9-7950X", host_experts = 24, prompt_tok = 4096, context_tok = 8192 }
    local small, large = speeds(spec), speeds(tables.with(spec, { ubatch_tok = 4096 }))
    assert.is_true(large.prompt_tokens_per_s > 2 * small.prompt_tokens_per_s)
    assert.is_true(large.compute_bytes > 7 * small.compute_bytes)
    assert.equal(small.tokens_per_s, large.tokens_per_s)
  end)

  it("attends to latents in prompts, too, with llama.cpp", function()
    local spec = { model = "deepseek-r1", device = "M3 Ultra 512GB", format = "Q4_K_M", depth_tok = 16384, prompt_tok = 512 }
    local latent = resolve.of(spec).input
    local heads = tables.with(latent, { engine = tables.with(latent.engine, { latent_prompts = false }) })
    local ratio = core.local_inference(latent).prompt_attention_s / core.local_inference(heads).prompt_attention_s
    assert.near((2 * 512 + 64) / (128 + 64 + 128), ratio, 1e-6)
  end)

  it("multiplies scores of a prompt with matrix units on CUDA", function()
    local here = { model = "llama-2-7b", device = "RTX 3090", format = "Q4_0", prompt_tok = 512 }
    local near, far = speeds(here), speeds(tables.with(here, { depth_tok = 16384 }))
    -- 32 layers of 4 x 4,096 FLOP for each pair of a token and one before it.
    local flop, peak = 32 * 4 * 4096 * 512 * 16384, catalog.device("RTX 3090").bf16_flop_s
    local share = flop / (far.prompt_attention_s - near.prompt_attention_s) / peak
    assert.is_true(share > 0.3 and share < 1)
  end)

  it("takes longer over many small experts than over as many weights in one", function()
    local few = speeds({ model = "gpt-oss-20b", device = "RTX 4090", prompt_tok = 2048, ubatch_tok = 2048, format = "MXFP4" })
    local many = speeds({ model = "qwen3-30b-a3b", device = "RTX 4090", prompt_tok = 2048, ubatch_tok = 2048, format = "Q4_K_M" })
    local dense = speeds({ model = "llama-3.2-3b", device = "RTX 4090", prompt_tok = 2048, ubatch_tok = 2048, format = "Q4_0" })
    assert.is_true(dense.prompt_tokens_per_s > few.prompt_tokens_per_s and few.prompt_tokens_per_s > many.prompt_tokens_per_s)
  end)

  it("unpacks with the integer units that a generation has", function()
    local function unpack(name) return resolve.engine("llamacpp-cuda", name, { engines = {}, architectures = {} }).unpack end
    assert.near(2, unpack("ampere") / unpack("turing"), 1e-12)
    assert.near(1.5, unpack("pascal") / unpack("ampere"), 1e-12)
  end)

  it("reads no weights faster than the memory gives them", function()
    for _, name in ipairs({ "RTX 5090", "DGX Spark", "M5 Max", "RTX 4090", "Strix Halo", "EPYC 9654" }) do
      local spec = { model = "llama-3.1-70b", device = name, format = "Q4_0", prompt_tok = 1, context_tok = 512, at_tok = 0 }
      local device, out = catalog.device(name), speeds(spec)
      assert.is_true(out.tokens_per_s * out.token_bytes < device.mem_bw_bytes_s, name)
    end
  end)

  it("slows down with the context, less with a packed cache", function()
    local spec = { model = "llama-3.1-8b", device = "M3 Max" }
    local near, far = tables.with(spec, { at_tok = 128 }), tables.with(spec, { at_tok = 32768 })
    assert.is_true(rate(near) > rate(far))
    assert.is_true(rate(tables.with(far, { kv = "q8_0" })) >= rate(far))
    assert.matches("kv", errors.catch(resolve.of, tables.with(spec, { kv = "q3" })), 1, true)
  end)
end)

describe("memory", function()
  it("is weights, cache and buffers by hand", function()
    local out = speeds({ model = "llama-3.1-8b", format = "Q4_K_M", device = "RTX 4090", context_tok = 8192 })
    assert.near(8192 * 32 * 2 * 8 * 128 * 2, out.cache_bytes, 1) -- 1 GiB
    assert.near(512 * 4 * (128256 + 4096), out.compute_bytes, 1) -- 258.5 MiB, as llama.cpp prints
    assert.near(4.9129e9 - 0.2955e9, out.device_weights_bytes, 5e6)
    assert.is_true(out.fits)
  end)
end)

describe("what cannot be", function()
  it("is a format that the engine does not read, and layers beside an engine that keeps all", function()
    local function refused(changes)
      return (errors.catch(resolve.of, tables.with({ model = "llama-3.1-8b", device = "RTX 4090" }, changes)))
    end
    assert.matches("llama.cpp does not read gptq", refused({ format = "gptq", engine = "llama.cpp" }))
    assert.matches("MLX does not read Q4_K_M", refused({ format = "Q4_K_M", engine = "mlx", device = "M3 Max" }))
    assert.matches("exllama does not run on EPYC", refused({ format = "exl2-4.0", device = "EPYC 9654" }))
    assert.matches("keeps all of a model", refused({ format = "exl2-4.0", device_layers = 10 }))
    assert.is_truthy(resolve.of({ model = "llama-3.1-8b", device = "RTX 4090", format = "gptq", engine = "exllama" }))
    assert.equal("MXFP4", resolve.of({ model = "gpt-oss-20b", engine = "mlx", device = "M3 Max" }).format)
  end)

  it("is another mixture or kernel than the word says, unsaid", function()
    local function assumed(changes)
      return table.concat(resolve.of(tables.with({ model = "llama-3.1-8b", device = "RTX 4090" }, changes)).assumed, "; ")
    end
    for word, taken in pairs({ ["UD-Q4_K_XL"] = "Q4_K_M", Q4_K_L = "Q4_K_M", ["UD-Q2_K_XL"] = "Q2_K", ["UD-IQ1_S"] = "IQ1_S" }) do
      assert.equal(taken, format.named(word))
      assert.matches(word .. " taken as " .. taken, assumed({ format = word }), 1, true)
      assert.matches(word .. " taken as " .. taken, assumed({ model = "llama-3.1-8b:" .. word }), 1, true)
    end
    for _, word in ipairs({ "Q4_K_M", "Q3_K_L", "q8_0", "TQ1_0", "exl2-4.0" }) do assert.is_nil(assumed({ format = word }):find("taken as", 1, true)) end
    assert.equal("exl3-4.0", format.named("exl3 4.0bpw"))
    assert.matches("kernels of ExLlamaV2", assumed({ format = "exl3-4.0" }))
    assert.equal(file_gb("llama-3.1-8b", "exl2-4.0"), file_gb("llama-3.1-8b", "exl3-4.0"))
    -- Its embedding, in 16 bit, lies with the host: with all else 70B of 1.6 bits take little more than 16 GB.
    assert.is_true(speeds({ model = "llama-3.1-70b", format = "exl3-1.6", device = "RTX 4090", context_tok = 4096 }).device_bytes < 17.5e9)
  end)

  it("is no format of another engine where none is said: each has its own, or 16 bit", function()
    local ask = questions.runner("local_inference").run
    local function taken(engine, changes)
      return ask(tables.with({ model = "llama-3.1-8b", device = engine == "mlx" and "M3 Max 64GB" or "RTX 4090", engine = engine }, changes))
    end
    for engine, word in pairs({ mlx = "mlx4", exllama = "exl2-4.0", mlc = "q4f16", awq = "awq", vllm = "F16", transformers = "F16",
      ["llama.cpp"] = "Q4_K_M" }) do
      local answer = taken(engine)
      assert.equals(word, answer.resolved.format)
      assert.matches("none was given", (table.concat(answer.resolved.assumed, "; "):gsub("no format was given", "none was given")))
      -- A tag of Ollama says the format of llama.cpp's files, which others do not run.
      assert.equals(word, taken(engine, { model = "llama3.1:8b" }).resolved.format)
      assert.equals(engine == "vllm" and "F16" or word, taken(engine, { format = word }).resolved.format)
    end
    for _, engine in ipairs({ "vllm", "transformers" }) do
      local answer = taken(engine, { model = "qwen3-32b" }) -- 65 GB in 16 bit
      assert.equals("awq", answer.resolved.format)
      assert.matches("16 bit do not fit", table.concat(answer.resolved.assumed, "; "))
      assert.is_true(answer.fits)
      assert.is_false(taken(engine, { model = "qwen3-32b", format = "F16" }).fits)
    end
    -- Changes are formats that the engine reads.
    for _, change in ipairs(taken("mlx", { format = "F16" }).better) do assert.is_nil(change.what:find("Q%d_")) end
  end)

  it("is what a config says of tool and bits, or said to be none of ours", function()
    local shape <const> = { model_type = "llama", hidden_size = 8192, num_hidden_layers = 80, num_attention_heads = 64,
      num_key_value_heads = 8, intermediate_size = 28672, vocab_size = 128256, tie_word_embeddings = false, max_position_embeddings = 131072 }
    local function of(quantization, changes)
      local model = hf.from_config(tables.with(shape, { quantization_config = quantization }))
      local resolved = resolve.of(tables.with({ model = model, device = "H100" }, changes))
      return resolved.format, table.concat(resolved.assumed, "; "), resolved
    end
    local function ints(bits) return { quant_method = "compressed-tensors", config_groups = { group_0 = { weights = { num_bits = bits, type = "int" } } } } end
    for _, case in ipairs({ { { quant_method = "gptq", bits = 4 }, "gptq" }, { { quant_method = "gptq", bits = 8, group_size = 128 }, "gptq8" },
      { { quant_method = "awq", bits = 8 }, "gptq8" }, { { quant_method = "awq", bits = 4 }, "awq" },
      { { quant_method = "bitsandbytes", load_in_8bit = true }, "int8" }, { { quant_method = "bitsandbytes", load_in_4bit = true }, "nf4" },
      { ints(8), "int8" }, { ints(4), "gptq" }, { { quant_method = "auto-round", bits = 8 }, "gptq8" },
      { { quant_method = "hqq", quant_config = { weight_quant_params = { nbits = 8 } } }, "gptq8" },
      { { quant_method = "exl2", bits = 6 }, "exl2-6.0" }, { { quant_method = "exl2", bits = 4.65 }, "exl2-4.65" } }) do
      local named, said = of(case[1])
      assert.equal(case[2], named)
      assert.matches("weights as published, in " .. case[2], said, 1, true)
    end
    -- 80 layers of 855638016 weights in 8 + 24 / 128 bits, embedding and head of 128256 * 8192 and norms of 161 * 8192 in 16.
    local _, _, resolved = of({ quant_method = "gptq", bits = 8, group_size = 128 })
    assert.near(80 * 855638016 * 8.1875 / 8 + 2 * (2 * 128256 * 8192 + 161 * 8192),
      weights.file_bytes(resolved.model, resolved.input.weights), 1)
    assert.equal("mlx8", (of({ group_size = 64, bits = 8 }, { device = "M3 Ultra 512GB" })))
    assert.equal("Q8_0", (of({ group_size = 64, bits = 8 })))
    for words, case in pairs({ ["format Q4_K_M in place of aqlm, in which it is published and which is not estimated here"] = { { quant_method = "aqlm" } },
      ["format Q4_K_M in place of auto-round of 3 bit, in which it is published and which is not estimated here"] = { { quant_method = "auto-round", bits = 3 } },
      ["format Q4_K_M in place of gptq of 8 bit, in which it is published and which llama.cpp does not read"] =
        { { quant_method = "gptq", bits = 8 }, { engine = "llama.cpp" } },
      ["format mlx4 in place of gptq of 4 bit, in which it is published and which MLX does not read"] =
        { { quant_method = "gptq", bits = 4 }, { engine = "mlx", device = "M3 Ultra 512GB" } } }) do
      local _, said = of(table.unpack(case))
      assert.matches(words, said, 1, true)
    end
    for _, quantization in ipairs({ { quant_method = "gptq", bits = 3 }, { quant_method = "awq", bits = 2 } }) do
      assert.matches("is published in %a+ %d bit, which is not a format that is estimated: say another", errors.catch(of, quantization))
      assert.equal("Q4_K_M", (of(quantization, { format = "Q4_K_M" })))
    end
    -- Experts are most of the weights.
    for words, wanted in pairs({ ["bf16, experts int4"] = "gptq", ["fp8, experts fp4"] = "MXFP4", ["fp8"] = "fp8", ["float32"] = "F32" }) do
      assert.equal(wanted, (format.as_published({ quantization = words })))
    end
  end)

  it("is read once of a folder, whatever is tried of it", function()
    local path, read, count = os.tmpname(), hf.read, 0
    local file <close> = assert(io.open(path .. ".json", "w"))
    file:write([[{ "model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
      "intermediate_size": 28672, "vocab_size": 128256, "quantization_config": { "quant_method": "gptq", "bits": 8 } }]])
    file:flush()
    hf.read = function(...)
      count = count + 1
      return read(...)
    end
    local ok, answer = pcall(questions.runner("local_inference").run, { model = path .. ".json", device = "RTX 4090" })
    hf.read = read
    os.remove(path)
    os.remove(path .. ".json")
    assert(ok, answer)
    assert.equal(1, count)
    assert.is_true(#answer.better > 1)
    assert.matches("model: ", table.concat(answer.resolved.assumed, "; ")) -- what was taken for granted of the config is still said
  end)

  it("is a file of another size than weights have, or experts in more layers than there are", function()
    local function refused(changes)
      local text = errors.catch(resolve.of, tables.with({ model = "llama-3.1-8b", format = "Q4_K_M", device = "RTX 4090" }, changes))
      return text
    end
    assert.matches("file_bytes: .*bits a weight", refused({ file_bytes = 4.92 }))
    assert.matches("file_bytes: .*bits a weight", refused({ file_bytes = 4e12 }))
    assert.is_truthy(resolve.of({ model = "llama-3.1-8b", format = "Q4_K_M", device = "RTX 4090", file_bytes = 4.92e9 }))
    local input = resolve.of({ model = "qwen3-30b-a3b", format = "Q4_K_M", device = "RTX 4090", host_experts = 300 }).input
    assert.matches("host_experts", (errors.catch(core.local_inference, input)))
  end)

  it("is two sequences that write less than one, on processors with and without int8", function()
    for _, device in ipairs({ "Xeon-E5-2680-v4", "Core-i7-12700K", "EPYC-9654" }) do
      local spec = { model = "gemma-2-9b", format = "Q4_K_M", device = device, at_tok = 64 }
      assert.is_true(rate(tables.with(spec, { sequences = 2 })) >= rate(spec))
    end
  end)
end)

describe("a table of measured speeds", function()
  local HEADER <const> = "case_id,engine,backend,device,model,quant,prompt_tokens,gen_tokens,pp_tokens_per_s,tg_tokens_per_s,notes\n"

  local function run(...)
    return local_inference.run((local_inference.read(HEADER .. table.concat({ ... }, "\n") .. "\n", "local.csv")))
  end

  it("is predicted row by row, in tokens per second", function()
    local answer = run("a-1,llama.cpp,CUDA,RTX 4090,llama-3.1-8b,Q4_K_M,512,128,9000,130,")
    assert.same({ "prompt", "generation" }, { answer.rows[1].metric, answer.rows[2].metric })
    local spec = { model = "llama-3.1-8b", format = "Q4_K_M", device = "RTX 4090", engine = "llama.cpp", at_tok = 64,
      prompt_tok = 512 }
    assert.near(rate(spec), answer.rows[2].predicted, 1e-9)
    assert.near(130 / answer.rows[2].predicted - 1, answer.rows[2].error, 1e-12)
  end)

  it("has no answer where engine, model or device are blank", function()
    assert.matches("engine: is blank", run("a-1,,CUDA,RTX 4090,llama-3.1-8b,Q4_K_M,512,128,9000,130,").rows[1].reason)
    assert.matches("model: is blank", run("a-1,llama.cpp,CUDA,RTX 4090,,Q4_K_M,512,128,9000,130,").rows[1].reason)
    assert.matches("device: is blank", run("a-1,llama.cpp,CUDA,,llama-3.1-8b,Q4_K_M,512,128,9000,130,").rows[1].reason)
  end)

  it("may say the bits of EXL2 and the tokens of a pass in columns of their own", function()
    local columns = HEADER:gsub("case_id,", "case_id,bits_per_weight,n_ubatch,")
    local function answer(bits, ubatch, engine, quant)
      return local_inference.run((local_inference.read(columns .. ("a-1,%s,%s,%s,CUDA,RTX 4090,gpt-oss-20b,%s,2048,128,9000,130,\n"):format(bits,
        ubatch, engine, quant), "local.csv"))).rows
    end
    assert.is_true(answer(3, "", "exllamav2", "EXL2")[2].predicted > answer(5, "", "exllamav2", "EXL2")[2].predicted)
    assert.matches("EXL2", answer("", "", "exllamav2", "EXL2")[1].reason)
    assert.is_true(answer("", 2048, "llama.cpp", "MXFP4")[1].predicted > 1.2 * answer("", 512, "llama.cpp", "MXFP4")[1].predicted)
  end)

  it("is of the release of its year or build", function()
    local columns = HEADER:gsub("case_id,", "case_id,year,")
    local function key(year, engine)
      local rows = local_inference.read(columns .. ("a-1,%s,%s,CUDA,RTX 4090,llama-3.1-8b,Q4_K_M,512,128,9000,130,\n"):format(year, engine), "local.csv")
      return local_inference.about(local_inference.cases(rows)[1]).key
    end
    assert.equal("llamacpp-cuda-cublas", key("2024", "llama.cpp"))
    assert.equal("llamacpp-cuda", key("2025", "llama.cpp"))
    assert.equal("llamacpp-cuda", key("", "llama.cpp"))
    assert.equal("llamacpp-cuda-cublas", key("", "llama.cpp b2900"))
    assert.equal("llamacpp-cuda", key("2024", "llama.cpp b4400"))
  end)

  it("is of the processor that its machine's name begins with, and of HIP where Ollama ran a card of AMD", function()
    local columns = HEADER:gsub("device,", "device,host,")
    local note = "a suffix 1 in host = llama.cpp Vulkan"
    local function case(device, host)
      local rows = local_inference.read(columns .. ("a-1,llama.cpp,,%s,%s,llama-3.2-3b,Q4_K_M,,,,100,%s\n"):format(device, host, note), "local.csv")
      return local_inference.cases(rows)[1].resolved
    end
    assert.equal("Raspberry-Pi-5", case("RX 7900 XT", "Pi 5 - 8GB (AMD RX 7900 XT1)").input.host.name)
    assert.equal("llamacpp-vulkan", case("RX 7900 XT", "Pi 5 - 8GB (AMD RX 7900 XT1)").key)
    assert.equal("llamacpp-rocm", case("RX 7900 XT", "Ryzen 9 9950X (AMD 7900 XT)").key)
    assert.equal("llamacpp-vulkan", case("RX 580", "HiFive Premier P550 (AMD RX 580)").key)
  end)

  it("counts the prompt in the time of a request whose prompt speed nobody measured", function()
    local answer = run("a-1,vllm,CUDA,A100,Qwen2.5-7B,BF16,30720,2048,,70,")
    local alone = run("a-1,vllm,CUDA,A100,Qwen2.5-7B,BF16,1,2048,,84,")
    assert.is_true(answer.rows[1].predicted < alone.rows[1].predicted)
    -- Engines that print generation apart are slower behind a prompt, and no more: a prompt of 30,720 tokens takes them longer.
    local apart = run("a-1,llama.cpp,CUDA,A100,Qwen2.5-7B,Q8_0,30720,128,,70,").rows[1]
    local spec = { model = "Qwen2.5-7B", format = "Q8_0", device = "A100", engine = "llama.cpp", at_tok = 30720 + 64, prompt_tok = 30720, context_tok = 61568 }
    assert.near(rate(spec), apart.predicted, 1e-6)
    assert.is_true(30720 / speeds(spec).prompt_tokens_per_s > 128 / apart.predicted)
  end)

  it("adds up the rates of sequences that run together", function()
    local columns = HEADER:gsub("prompt_tokens", "batch,prompt_tokens")
    local rows = local_inference.read(columns .. "a-1,AutoAWQ,CUDA,RTX 4090,llama2-13b,AWQ,3,64,64,1594,286,\n", "local.csv")
    local answer = local_inference.run(rows)
    assert.is_true(math.abs(answer.rows[2].error) < 0.1)
  end)

  it("knows the model by the name of its file", function()
    local answer = run("a-1,llama.cpp,vulkan_radv,Strix Halo,gpt-oss 20B MXFP4 MoE,MXFP4 MoE,512,128,,79.8,file gpt-oss-20b-mxfp4")
    assert.equal("ok", answer.rows[1].status)
  end)

  it("says why a row has no prediction", function()
    local answer = run("a-1,llama.cpp,CUDA,RTX 9999,llama-3.1-8b,Q4_K_M,,,,1,", "a-2,abacus,,RTX 4090,llama-3.1-8b,,,,,1,",
      "a-3,llama.cpp,,RTX 4090,llama-3.1-8b,Q9,,,,1,")
    for i, word in ipairs({ "device", "engine", "format" }) do
      assert.equal("uncovered", answer.rows[i].status)
      assert.matches(word, answer.rows[i].reason, 1, true)
    end
  end)
end)

describe("the question of a local machine", function()
  local ask = require("ballpark.questions.local_inference.run").run

  it("says chance, longest context, speeds with ranges and what would be better", function()
    local answer = ask({ model = "llama-3.1-8b:Q4_K_M", device = "RTX 4090", context_tok = 8192 })
    assert.is_true(answer.fits and answer.fits_chance > 0.99)
    assert.is_true(answer.full.tokens_per_s < answer.out.tokens_per_s)
    assert.is_true(answer.range.generation.low < answer.out.tokens_per_s)
    assert.is_true(answer.range.generation.high > answer.out.tokens_per_s)
    assert.equal(131072, answer.max_context_tok) -- 16 GiB of cache beside 4.3 of weights, of 23.3
    local most = ask({ model = "llama-3.1-8b:Q8_0", device = "RTX 3060 12GB" }).max_context_tok
    local longer = ask({ model = "llama-3.1-8b:Q8_0", device = "RTX 3060 12GB", context_tok = most + most // 64 })
    assert.is_true(most > 4096 and most < 131072)
    assert.is_true(longer.fits_chance < 0.6 or longer.asked.device_layers < 32)
  end)

  it("holds no shorter context with more memory, where layers may be with the host", function()
    local host, before, longest = tables.with(devices.get("Ryzen 9 9950X"), { memory_bytes = 16 << 30 }), 0, 0
    for gib = 6, 16 do
      local card = tables.with(devices.get("RTX 3060 12GB"), { memory_bytes = gib << 30 })
      local answer = ask({ model = "llama-3.1-8b:Q8_0", device = card, host = host })
      assert.is_true(answer.dealt_context_tok >= before, gib .. " GiB")
      assert.is_true(answer.dealt_context_tok >= answer.max_context_tok, gib .. " GiB")
      before, longest = answer.dealt_context_tok, math.max(longest, answer.max_context_tok)
    end
    assert.is_true(before > longest)
    -- Told how to deal, and on a chip that shares its memory, there is nothing to move.
    assert.is_nil(ask({ model = "llama-3.1-8b:Q8_0", device = "RTX 3060 12GB", device_layers = 20 }).dealt_context_tok)
    assert.is_nil(ask({ model = "llama-3.1-8b:Q8_0", device = "M3 Max" }).dealt_context_tok)
  end)

  it("evaluates what would make it fit", function()
    local answer = ask({ model = "llama-3.1-70b:Q4_K_M", device = "RTX 3090", device_layers = 80, host = "EPYC 7763" })
    assert.is_false(answer.fits)
    assert.is_true(#answer.better >= 2)
    local changed = {}
    for _, item in ipairs(answer.better) do
      assert.is_true(item.fits_chance >= 0.9, item.what)
      assert.is_true(item.need_bytes < item.usable_bytes, item.what)
      for name in pairs(item.changes) do changed[name] = true end
    end
    assert.is_true(changed.format and changed.devices)
  end)

  it("deals what a device has no room for to the host, unless it is told", function()
    local dense = ask({ model = "llama-3.1-70b:Q4_K_M", device = "RTX 3090", host = "EPYC 7763" })
    local on = dense.asked.device_layers
    assert.is_true(dense.fits and on > 30 and on < 60)
    assert.is_true(dense.need_bytes < dense.usable_bytes)
    assert.is_false(ask({ model = "llama-3.1-70b:Q4_K_M", device = "RTX 3090", device_layers = on + 4 }).fits)
    assert.matches(("%d of 80 layers with the host"):format(80 - on), dense.resolved.assumed[1], 1, true)
    local experts = ask({ model = "gpt-oss-120b", device = "RTX 3090", host = "EPYC 7763" }).asked.host_experts
    assert.is_true(experts > 10 and experts < 36)
    assert.is_nil(ask({ model = "llama-3.1-8b:Q4_K_M", device = "RTX 3090" }).asked.device_layers)
  end)

  it("says that devices which take turns are no faster than one that holds it", function()
    local two = ask({ model = "llama-3.1-8b", device = catalog.device("RTX-3090"), devices = 2 })
    local found
    for _, change in ipairs(two.better) do found = found or change.what == "1 device" and change end
    assert.is_true(found.tokens_per_s > two.out.tokens_per_s)
  end)

  it("has a setup of each device and format of a list, in the order asked, and is of the first that surely fits", function()
    local points, axes = setups.of({ model = "qwen3-32b", device = { "RTX 3060 12GB", "RTX 3090" }, format = { "F16", "Q4_K_M" } })
    local answer = questions.runner("local_inference").systems(points, axes)
    local words = {}
    for i, one in ipairs(answer.setups) do
      words[i] = setups.words(axes, points[i])
      assert.equal(ask(points[i]).out.tokens_per_s, one.out.tokens_per_s)
    end
    assert.same({ "RTX 3060 12GB, F16", "RTX 3060 12GB, Q4_K_M", "RTX 3090, F16", "RTX 3090, Q4_K_M" }, words)
    assert.equal(setups.shown(answer.setups).out.tokens_per_s, answer.out.tokens_per_s)
    assert.is_nil(setups.of({ model = "qwen3-32b", device = "RTX 3090" }))
    local _, refused = pcall(questions.runner("local_inference").systems, { points[2], tables.with(points[2], { engine = "mlx" }) }, axes)
    assert.matches("mlx does not run on RTX%-3060%-12GB.*of RTX 3060 12GB, Q4_K_M", refused.message)
  end)

  it("gives an engine that nobody measured a wider range, and says so", function()
    local seen = ask({ model = "llama-3.1-8b:Q4_K_M", device = "RTX 3080 Ti" }).range.generation
    local unseen = ask({ model = "llama-3.1-8b:Q4_K_M", device = "RTX 3080 Ti", backend = "sycl" }).range.generation
    assert.is_true(unseen.high / unseen.value > seen.high / seen.value)
    assert.matches("nobody measured", unseen.why[1], 1, true)
  end)

  it("is less sure of experts where nobody measured them, and of Ollama, which nobody noted", function()
    local function wide(changes)
      local r = ask(changes).range.generation
      return r.high / r.low, r.why[1]
    end
    local card = { model = "llama-3.1-8b:Q4_K_M", device = "RTX 4090", engine = "llama.cpp" }
    local dense = wide(card)
    assert.near(dense, wide(tables.with(card, { model = "gpt-oss-20b" })), 1e-9)
    local latent, why = wide({ model = "deepseek-r1:671b", device = "M3 Ultra 512GB", format = "Q4_K_M" })
    assert.is_true(latent > 1.5 * wide({ model = "llama-3.1-8b:Q4_K_M", device = "M3 Ultra 512GB" }))
    assert.matches("no model with latent keys is among those measured", why, 1, true)
    for _, engine in ipairs({ "ollama", "unsaid" }) do
      assert.is_true(wide({ model = card.model, device = card.device, engine = engine ~= "unsaid" and engine or nil }) > 1.05 * dense)
    end
  end)

  it("is less sure of processors that nobody measured, and of prompts of an engine that nobody measured them of", function()
    local function half(metric, about)
      local seen = { ["llamacpp-cpu"] = { generation = { devices = { "x" }, architectures = { "i" } } } }
      return math.log(ranges.of(metric, tables.with({ key = "llamacpp-cpu", device = "x", architecture = "i" }, about), seen).high)
    end
    assert.is_true(half("generation", {}) < 0.2)
    for _, about in ipairs({ { device = "y" }, { device = "y", architecture = "j" } }) do
      assert.near(0.55, half("generation", about), 1e-9)
    end
    assert.is_true(half("prompt", {}) > 0.85)
    assert.is_true(half("generation", { key = "llamacpp-sycl" }) < 0.5)
  end)

  it("takes an engine that nobody measured as its kin on the chip, and a processor's streams of weights as one", function()
    local fit = { architectures = {}, engines = { ["llamacpp-vulkan"] = { stream4 = 0.5, gap_s = 2 }, ["llamacpp-cpu"] = { stream4 = 0.5, stream8 = 2 } } }
    local kin, sycl = resolve.engine("llamacpp-vulkan", nil, fit), resolve.engine("llamacpp-sycl", nil, fit)
    for _, name in ipairs({ "stream4", "gap_s" }) do assert.equal(kin[name], sycl[name]) end
    local cpu = resolve.engine("llamacpp-cpu", nil, fit)
    for _, name in ipairs({ "stream16", "stream8", "stream_plain" }) do assert.equal(cpu.stream4, cpu[name]) end
  end)

  it("knows less the farther the fit is from the device, and where nobody says which engine ran", function()
    local of_x = { devices = { "x" }, architectures = { "i" } }
    local seen = { a = { prompt = of_x, generation = of_x } }
    local function high(metric, about) return ranges.of(metric, tables.with({ key = "a", device = "x", architecture = "i" }, about), seen).high end
    for _, metric in ipairs({ "generation", "prompt" }) do
      local last = 1
      for _, about in ipairs({ {}, { device = "y" }, { device = "y", architecture = "j" }, { key = "b" } }) do
        assert.is_true(high(metric, about) >= last)
        last = high(metric, about)
      end
      assert.is_true(last > high(metric, {}))
      assert.is_true(high(metric, { unsaid_engine = true }) >= high(metric, {}))
    end
    assert.is_true(high("generation", { unsaid_engine = true }) > high("generation", {}))
    -- Kernels of experts and of latent keys are others.
    seen.a.generation = tables.with(of_x, { kinds = { "experts" } })
    assert.equal(high("generation", {}), high("generation", { kinds = { "experts" } }))
    assert.equal(high("generation", { key = "b" }), high("generation", { kinds = { "experts", "latent" } }))
    assert.equal("latent", ranges.nearness("generation", { key = "a", device = "x", kinds = { "experts", "latent" } }, seen))
    assert.same({ {}, { "experts" }, { "experts", "latent" } }, { ranges.kinds(catalog.model("llama-3.1-8b")),
      ranges.kinds(catalog.model("gpt-oss-20b")), ranges.kinds(catalog.model("deepseek-v3")) })
    -- So are those of cards of another vendor, but processors run the same code.
    seen.a.generation = tables.with(of_x, { vendors = { "NVIDIA" } })
    local function near(about) return ranges.nearness("generation", tables.with({ key = "a", device = "y" }, about), seen) end
    assert.same({ "engine", "vendor" }, { near({ vendor = "NVIDIA" }), near({ vendor = "AMD" }) })
    assert.equal("device", near({ device = "x", vendor = "AMD" }))
    seen["a-cpu"] = seen.a
    assert.equal("engine", near({ key = "a-cpu", vendor = "AMD" }))
    seen.a.generation = of_x
    -- Of a device whose prompts nobody measured only the generation is near.
    local about, of_generation = { key = "a", device = "x", architecture = "i" }, { a = { generation = of_x } }
    assert.same({ "device", "nothing" }, { ranges.nearness("generation", about, of_generation), ranges.nearness("prompt", about, of_generation) })
  end)

  it("deals the layers between two kinds of card so that both are equally full", function()
    local base = { model = "llama-3.3-70b:Q3_K_M", device = "RTX 3090" }
    local both = ask(tables.with(base, { other = "RTX 4060 Ti 16GB" }))
    assert.equal(30, both.out.other_layers) -- 80 x 16 / (24 + 16) less what the head takes, which is two layers long
    assert.is_true(both.fits and both.out.other_bytes < both.out.other_usable_bytes)
    local r = result.new({ command = "local" })
    show.answer(r, both)
    local memory
    for _, fact in ipairs(r.blocks[1].items) do memory = fact.name == "need_bytes" and fact.text or memory end
    assert.matches("of the fullest: RTX-3090", memory, 1, true)
    local whole = both.out.device_weights_bytes + both.out.other_weights_bytes
    assert.near(both.input.weights.layer_bytes + both.input.weights.head_bytes, whole, 1)
    local rates = {}
    for _, name in ipairs({ "RTX 3090", "RTX 4060 Ti 16GB" }) do
      rates[#rates + 1] = ask({ model = base.model, device = name, device_layers = 80 }).out.tokens_per_s
    end
    assert.is_true(both.out.tokens_per_s < rates[1] and both.out.tokens_per_s > rates[2])
    -- Where both together do not hold it, both are short.
    local short = ask(tables.with(base, { other = "GTX 1060", device_layers = 80 }))
    assert.is_false(short.fits)
    assert.near(short.out.device_bytes / short.out.usable_bytes, short.out.other_bytes / short.out.other_usable_bytes, 0.1)
    assert.is_true(short.out.other_bytes > short.out.other_usable_bytes)
    -- Three of one kind, and one of another.
    local more = ask(tables.with(base, { devices = 3, other = "RTX 4060 Ti 16GB", others = 1 }))
    assert.is_true(more.fits_chance >= both.fits_chance and more.out.other_layers < both.out.other_layers)
    for _, change in ipairs(more.better) do assert.is_nil(change.changes.devices) end
    assert.matches("Vulkan", table.concat(ask(tables.with(base, { other = "RX 7900 XTX" })).resolved.assumed, " "), 1, true)
    for text, changes in pairs({ ["no card"] = { other = "M3 Max" }, ["of which kind"] = { others = 2 },
      ["have to be alike"] = { other = "RTX 4090", format = "awq", engine = "vllm" } }) do
      assert.matches(text, errors.catch(ask, tables.with(base, changes)), 1, true)
    end
  end)

  it("is the same of two of a kind and of one beside another, and no slower with a second that is no slower than the first", function()
    for _, model in ipairs({ "gpt-oss-120b", "qwen3-30b-a3b:F16", "mixtral-8x7b:Q8_0", "llama-3.3-70b:Q4_K_M" }) do
      for _, device in ipairs({ "RTX 5090", "RTX 3090", "RTX 3060", "T4" }) do
        local base = { model = model, device = device, host = "Ryzen 9 9950X" }
        local function with(changes) return ask(tables.with(base, changes)) end
        local one, two, pair = ask(base), with({ devices = 2 }), with({ other = device })
        for _, of in ipairs({ "out", "full" }) do
          assert.equal(two[of].tokens_per_s, pair[of].tokens_per_s)
          assert.equal(two[of].prompt_tokens_per_s, pair[of].prompt_tokens_per_s)
        end
        assert.equal(two.fits_chance, pair.fits_chance)
        assert.equal(with({ devices = 3 }).out.tokens_per_s, with({ devices = 2, other = device }).out.tokens_per_s)
        assert.is_true(not one.fits or two.fits and two.out.tokens_per_s > one.out.tokens_per_s)
      end
    end
    local base = { model = "gpt-oss-120b", device = "RTX 3090" }
    assert.is_true(ask(tables.with(base, { other = "RTX 3060" })).out.tokens_per_s > 1.1 * ask(base).out.tokens_per_s)
  end)

  it("generates no slower behind the prompt with more memory, nor with a higher peak", function()
    for _, case in ipairs({ { model = "mixtral-8x7b:Q8_0", device = "RTX 5090", host = "Ryzen 9 9950X", sequences = 8, context_tok = 32768 },
      { model = "gpt-oss-120b", device = "RTX 4060 Ti 16GB", host = "EPYC 9654", context_tok = 32768 },
      { model = "qwen3-30b-a3b:Q4_K_M", device = "RTX 3060", host = "Ryzen 9 9950X", sequences = 8, context_tok = 8192 } }) do
      local device, last = catalog.device(case.device), 0
      for _, factor in ipairs({ 1, 1.1, 1.25, 1.5 }) do
        local speed = ask(tables.with(case, { device = tables.with(device, { memory_bytes = math.tointeger(factor * device.memory_bytes // 1) }) })).out.tokens_per_s
        assert.is_true(speed > 0.95 * last, case.model .. " x " .. factor)
        last = math.max(last, speed)
      end
      local peak = tables.with(device, { bf16_flop_s = 1.4 * device.bf16_flop_s, int8_flop_s = 1.4 * device.int8_flop_s,
        fp32_flop_s = 1.4 * device.fp32_flop_s })
      assert.is_true(ask(tables.with(case, { device = peak })).out.tokens_per_s > 0.95 * ask(case).out.tokens_per_s)
    end
  end)

  it("says what a host that is faster than its card would do alone", function()
    local slow = { model = "qwen3-30b-a3b:Q4_K_M", device = "GTX 1060", sequences = 8 }
    local function alone(changes)
      local answer = ask(tables.with(slow, changes))
      for _, change in ipairs(answer.better) do
        if change.what == "all layers with the host" then return change, answer end
      end
    end
    local change, answer = alone({ host = "EPYC 9654" })
    assert.is_true(change.tokens_per_s > 1.05 * answer.out.tokens_per_s)
    assert.matches("as the device has no room", answer.resolved.assumed[1], 1, true)
    assert.near(ask(tables.with(slow, { host = "EPYC 9654", device_layers = 0 })).out.tokens_per_s, change.tokens_per_s, 1e-9)
    assert.is_not_nil(alone({ host = "EPYC 9654", model = "llama-3.2-1b" })) -- which the card has room for
    -- Not of a host without room for all of it, nor of a slower one, or one that nobody named.
    assert.is_nil(alone({ host = tables.with(catalog.device("EPYC-9654"), { memory_bytes = 16 << 30 }) }))
    assert.is_nil(alone({ host = "EPYC 9654", device = "RTX 4090" }))
    assert.is_nil(alone({}))
  end)

  it("refuses a tag that says neither a format nor a size", function()
    for _, tag in ipairs({ "foo", "Q4_K_M,Q5_K_M" }) do
      assert.matches("says " .. tag .. ", which is not a format", errors.catch(ask, { model = "qwen3-32b:" .. tag, device = "RTX 4090" }),
        1, true)
    end
    for _, name in ipairs({ "qwen3:32b", "qwen3-32b:latest", "qwen3:32b-q8_0", "gpt-oss:20b-cloud" }) do
      assert.is_true(ask({ model = name, device = "H200" }).fits, name)
    end
  end)

  it("passes over devices on which nothing runs a format, where it names one that holds it", function()
    assert.is_false(ask({ model = "deepseek-r1", device = "RTX 4090" }).fits) -- of those in between V100 has no fp8
  end)

  it("leaves with the host what several cards do not hold, as with one card", function()
    for _, case in ipairs({ { device = "T4", devices = 2, model = "llama-3.1-70b:Q4_K_M" },
      { device = "RTX 3090", other = "GTX 1060", model = "llama-3.3-70b:Q3_K_M" },
      { device = "T4", devices = 2, model = "qwen3-30b-a3b:Q8_0" } }) do
      local dealt = ask(case)
      assert.is_true(dealt.fits)
      assert.matches("with the host, as the devices have no room", table.concat(dealt.resolved.assumed, "; "), 1, true)
      assert.is_false(ask(tables.with(case, { device_layers = dealt.input.model.layers })).fits)
    end
    assert.matches("has no experts", errors.catch(ask, { model = "llama-3.1-70b:Q4_K_M", device = "RTX 3090",
      host_experts = 10 }), 1, true)
  end)

  it("takes more of a Mac's memory where the limit of macOS is raised, and says how", function()
    local tight = ask({ model = "qwen3-30b-a3b:Q4_K_M", device = "M3 24GB" })
    assert.is_false(tight.fits)
    assert.matches("of 24 GiB macOS gives models 16.0 GiB; 'sudo sysctl iogpu.wired_limit_mb=20480' gives them 20 GiB",
      table.concat(tight.resolved.assumed, "; "), 1, true)
    local raised
    for _, change in ipairs(tight.better) do raised = change.what:find("wired_limit_mb=20480", 1, true) and change or raised end
    assert.is_true(raised.fits_chance > 0.9)
    assert.equal(20 << 30, raised.usable_bytes)
    -- Nobody raises it where there is room, nor on other machines.
    for _, roomy in ipairs({ ask({ model = "llama-3.1-8b", device = "M3 24GB" }), ask({ model = "qwen3-30b-a3b", device = "Strix Halo" }) }) do
      for _, change in ipairs(roomy.better) do assert.is_nil(change.what:find("wired", 1, true)) end
    end
  end)

  it("is a file that lies with the host in part, where a card has no room for what is only published", function()
    local dealt = ask({ model = "deepseek-v3", device = "RTX 3090", host = "EPYC 9654" })
    assert.same({ "Q4_K_M", "llamacpp" }, { dealt.resolved.format, dealt.resolved.family })
    assert.is_true(dealt.fits)
    assert.matches("in place of fp8 as published, of which RTX-3090 has no room", table.concat(dealt.resolved.assumed, "; "), 1, true)
    -- What is said stays, and so does what there is room for.
    assert.equal("fp8", ask({ model = "deepseek-v3", device = "RTX 3090", format = "fp8" }).resolved.format)
    assert.equal("fp8", ask({ model = "deepseek-v3", device = "H200", devices = 8 }).resolved.format)
  end)

  it("fits a larger device no less where what it has no room for goes to the host", function()
    local last = 0
    for _, gib in ipairs({ 8, 10, 11, 11.5, 12, 13, 16, 24 }) do
      local answer = ask({ model = "qwen3-30b-a3b", format = "Q2_K", host = "EPYC-9654", context_tok = 4096,
        device = tables.with(catalog.device("RTX-3060"), { memory_bytes = math.tointeger(gib * 2 ^ 30) }) })
      assert.is_true(answer.fits_chance > 0.9, gib)
      local on = answer.input.model.layers - (answer.input.host_experts or 0)
      assert.is_true(on >= last, gib)
      last = on
    end
  end)

  it("reads two kinds of card from one text, and no more", function()
    local function shown(device)
      return errors.catch(function()
        local state = scenario.state(nil, { command = "local" })
        scenario.answer(state, "local_inference", { model = "llama-3.3-70b:Q3_K_M", device = device })
        error(state.answers[1].input.devices .. " " .. state.answers[1].input.others .. " " .. state.answers[1].input.other.name, 0)
      end)
    end
    assert.equal("2 1 RTX-4090", shown("2x RTX 3090 + RTX 4090"))
    assert.equal("1 0 Ryzen-AI-Max+-395", shown("Ryzen AI Max+ 395"))
    assert.matches("more than two kinds", shown("RTX 3090 + RTX 4090 + RTX 3060"), 1, true)
    for name, input in pairs({ fit = { model = "llama-3.1-8b", on = { "RTX 3090 + RTX 4090" } },
      diffusion = { model = "sdxl", device = "RTX 3090 + RTX 4090" } }) do
      local said = errors.catch(scenario.answer, scenario.state(nil, { command = name }), name, input)
      assert.matches("which ballpark local asks about", tostring(said), 1, true)
    end
  end)

  it("reads the back end in the name of an engine", function()
    local base = { model = "llama-3.1-8b:Q4_K_M", device = "RTX 4090" }
    local function key(changes) return ask(tables.with(base, changes)).resolved.key end
    assert.equal("llamacpp-vulkan", key({ engine = "llama.cpp (Vulkan)" }))
    assert.equal("llamacpp-vulkan", key({ engine = "llamacpp-vulkan", backend = "vulkan" }))
    assert.equal("llamacpp-cuda", key({ engine = "llama.cpp" }))
    for input, words in pairs({ [{ engine = "llamacpp-rocm" }] = "rocm does not run on RTX-4090, but on cards of AMD",
      [{ engine = "llamacpp-cuda", backend = "vulkan" }] = "backend: vulkan, and the engine is llamacpp-cuda",
      [{ engine = "llamacpp-vulkan", device = "EPYC 9654" }] = "vulkan does not run on EPYC-9654, but on cards" }) do
      assert.matches(words, tostring(errors.catch(ask, tables.with(base, input))), 1, true)
    end
  end)

  it("refuses what cannot be meant", function()
    local base = { model = "llama-3.1-8b", device = "RTX 4090" }
    for name, value in pairs({ context_tok = 0.5, prompt_tok = -1, devices = 1.5, engine = "abacus", backend = "cobol" }) do
      local text = errors.catch(ask, tables.with(base, { [name] = value }))
      assert.matches(name, tostring(text), 1, true)
    end
    assert.matches("prompt_tok", errors.catch(ask, tables.with(base, { context_tok = 100, prompt_tok = 200 })), 1, true)
  end)
end)

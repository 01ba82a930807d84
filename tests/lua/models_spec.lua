-- The catalog of models: every entry has a source, a shape the core accepts and the published count.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local models = require("ballpark.catalog.models")
local stored = require("ballpark.catalog.models.stored")
local variants = require("ballpark.catalog.models.variants")

local function total(name) return core.params({ model = models.get(name) }).total_params end

describe("catalog of models", function()
  it("names are sorted and many", function()
    local names = models.names()
    assert.is_true(#names >= 340)
    for i = 2, #names do assert.is_true(names[i - 1] < names[i]) end
  end)

  it("every entry says where it was read and is a shape the core accepts", function()
    for _, name in ipairs(models.names()) do
      local entry = models.get(name)
      assert.is_string(entry.source, name)
      assert.is_string(entry.family, name)
      assert.is_nil(errors.catch(core.params, { model = entry }), name)
    end
  end)

  it("counts are within 1 % of published ones, and exact where those are", function()
    local compared, exact = 0, 0
    for _, name in ipairs(models.names()) do
      local entry = models.get(name)
      local published = entry.published_params
      if published then
        assert.is_string(entry.published_source, name)
        local off = math.abs(total(name) / published - 1)
        assert.is_true(off <= 0.01, ("%s: %d, published %d"):format(name, total(name), published))
        compared = compared + 1
        if published % 1000000 ~= 0 then
          assert.equal(published, total(name), name)
          exact = exact + 1
        end
      end
    end
    assert.is_true(compared >= 260)
    assert.is_true(exact >= 190)
  end)

  it("finds names without case, separators and owner, and aliases", function()
    assert.equal("Llama-3.1-70B", models.get("meta-llama/Llama-3.1-70B").name)
    assert.equal("Llama-3.1-70B", models.get("META-LLAMA/meta_llama 3.1 70b").name)
    assert.equal("Qwen3-32B", models.get("Qwen/Qwen3-32B-FP8").name)
    assert.equal("vit-l-16-224", models.get("ViT-L/16").name)
    assert.equal("opt-1.3b", models.get("opt-1.3b").name)
    assert.equal("opt-13b", models.get("facebook/opt-13b").name)
  end)

  it("finds checkpoints that are tuned, packed or dated otherwise", function()
    for id, name in pairs({
      ["meta-llama/Llama-3.1-8B-Instruct"] = "Llama-3.1-8B",
      ["RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w8a8"] = "Llama-3.1-70B",
      ["nvidia/DeepSeek-R1-0528-FP4-v2"] = "DeepSeek-R1",
      ["Qwen/Qwen3-4B-Thinking-2507"] = "Qwen3-4B",
      ["google/gemma-3-12b-pt"] = "Gemma-3-12b-it",
      ["mistralai/Mistral-7B-Instruct-v0.2"] = "Mistral-7B-v0.2",
      ["EleutherAI/pythia-6.9b-deduped"] = "pythia-6.9b",
      ["deepseek-ai/DeepSeek-R1-0528-Qwen3-8B"] = "Qwen3-8B",
    }) do
      assert.equal(name, models.resolve(id))
    end
    assert.is_nil(models.resolve("DeepSeek-Chat"))
    assert.is_nil(models.resolve("Llama-Instruct"))
  end)

  it("finds a model by a beginning that it alone has", function()
    for name, known in pairs({ ["qwen3-coder-30b"] = "Qwen3-30B-A3B", ["Qwen/Qwen3-Next-80B"] = "Qwen3-Next-80B-A3B",
      ["qwen3-235b-awq"] = "Qwen3-235B-A22B", smollm3 = "SmolLM3-3B", ["bge-large"] = "bge-large-en-v1.5" }) do
      assert.equal(known, models.resolve(name), name)
    end
    -- Several begin so, or the beginning is a part of a word.
    for _, name in ipairs({ "llama-3.1", "gemma-3", "mistral", "qwen3-co" }) do assert.is_nil(models.resolve(name), name) end
  end)

  it("are known with separators in place of points", function()
    for name, known in pairs({ qwen2_5_7b = "Qwen2.5-7B", ["Qwen2-57B-A14B"] = "Qwen2-57B-A14B", llama3_8b = "Llama-3-8B",
      llama3_1_8b = "Llama-3.1-8B", ["google/t5-v1_1-xl"] = "t5-v1.1-xl", ["gpt-2-1-5b"] = "gpt2-xl", ["pythia-2-8b"] = "pythia-2.8b" }) do
      assert.equal(known, models.resolve(name), name)
    end
  end)

  it("says in words how a checkpoint is stored, and reads them again", function()
    for words, said in pairs({
      ["fp8"] = { weights = "fp8" }, ["fp8, experts fp4"] = { weights = "fp8", experts = "fp4" },
      ["gptq, 4 bit"] = { weights = "gptq", bits = "4" }, ["bf16, experts int4, kv fp8"] = { weights = "bf16", experts = "int4", kv = "fp8" },
      ["int4, packed by bitsandbytes_dynamic, kv fp8"] = { weights = "int4", packer = "bitsandbytes_dynamic", kv = "fp8" },
      ["fp8, e4m3, experts nvfp4"] = { weights = "fp8", kind = "e4m3", experts = "nvfp4" },
      ["compressed-tensors, 8 bit"] = { weights = "compressed-tensors", bits = "8" },
    }) do
      assert.same(said, stored.read({ quantization = words }))
      assert.equal(words, stored.words(said))
    end
    assert.same({ {}, {} }, { stored.read({}), stored.read(nil) })
    assert.is_nil(stored.words({}))
  end)

  it("takes the weight format from the name of a checkpoint", function()
    assert.is_nil(models.get("Llama-3.1-8B").quantization)
    assert.equal("fp8, kv fp8", models.get("nvidia/Llama-3.1-8B-Instruct-FP8").quantization)
    assert.equal("awq", models.get("Qwen/Qwen2.5-7B-Instruct-AWQ").quantization)
    assert.equal("int4", models.get("Llama-3.2-3B-Instruct-Q4_K_M-GGUF").quantization)
    assert.equal("int8", models.get("hugging-quants/Llama-3.2-3B-Instruct-Q8_0-GGUF").quantization)
    assert.equal("fp8, kv fp8", models.get("amd/Llama-3.1-70B-Instruct-FP8-KV").quantization)
    assert.is_true(variants.leaves_format_open("TheBloke/Llama-2-7B-GGUF"))
    assert.is_false(variants.leaves_format_open("Llama-3.2-3B-Instruct-Q4_K_M-GGUF"))
    for _, name in ipairs({ "Qwen3-32B-AWQ-INT8", "Qwen3-32B-INT8-AWQ", "Qwen3-32B-8bit-GPTQ", "Qwen3-32B-AWQ8" }) do
      assert.equal("int8", variants.format(name))
    end
    assert.equal("awq", variants.format("Qwen3-32B-AWQ"))
    assert.same({ "int4", "int8" }, { variants.format("llama-2-7b.Q4_0.gguf"), variants.format("llama-3.1-8b-Q8_0.gguf") })
    assert.equal("Llama-3.1-8B", models.resolve("llama-3.1-8b-Q4_K_M.gguf"))
    assert.is_false(variants.leaves_format_open("meta-llama/Llama-2-7b"))
    assert.equal("fp8", models.get("DeepSeek-V3-0324").quantization)
    assert.equal("nvfp4, kv fp8", models.get("nvidia/DeepSeek-V3-NVFP4").quantization)
    assert.equal("mxfp4", models.get("gpt-oss-20b").quantization)
    assert.equal("bf16", models.get("lmsys/gpt-oss-20b-bf16").quantization)
  end)

  it("every name and alias finds its own entry", function()
    for _, name in ipairs(models.names()) do
      assert.equal(name, models.resolve(name))
      for _, alias in ipairs(models.aliases(name)) do
        assert.equal(name, models.resolve(alias))
        assert.equal(name, models.resolve("some-owner/" .. alias))
      end
    end
  end)

  it("gives copies", function()
    models.get("gpt2").layers = 1
    assert.equal(12, models.get("gpt2").layers)
    assert.is_nil(models.get("gpt2").aliases)
    models.aliases("gpt2")[1] = "changed"
    assert.are_not.equal("changed", models.aliases("gpt2")[1])
  end)

  it("refuses unknown names with the nearest one", function()
    local text, e = errors.catch(models.get, "meta-lama/Llama-3.1-7OB")
    assert.is_true(errors.is(e))
    assert.matches("unknown model, did you mean 'Llama%-3%.1%-70B'", text)
    assert.matches("unknown model", (errors.catch(models.get, "zzzzzzzzzz")))
    assert.matches("near it are Devstral-Small,", (errors.catch(models.get, "devstr:24b")), 1, true)
    assert.matches("its config.json is a model, too", text, 1, true)
  end)

  it("says why some models have no entry", function()
    assert.matches("'UL2' cannot be represented: encoder and decoder", (errors.catch(models.get, "google/UL2")))
    assert.matches("convolution network", (errors.catch(models.get, "resnet50")))
    assert.matches("'mbart%-large%-50' cannot be represented: encoder and decoder",
      (errors.catch(models.get, "facebook/mbart-large-50")))
    assert.equal("bart-large", models.resolve("facebook/bart-large-cnn"))
    assert.equal("t5-v1.1-xxl", models.resolve("google/flan-t5-xxl"))
    assert.equal("Llama-3.2-11B-Vision", models.resolve("meta-llama/Llama-3.2-11B-Vision-Instruct"))
    assert.matches("'mamba%-2%.8b' cannot", (errors.catch(models.get, "state-spaces/mamba-2.8b")))
    assert.equal("mamba2-2.7b", models.resolve("state-spaces/mamba2-2.7b"))
    -- No family takes the name of an entry.
    for _, name in ipairs(models.names()) do assert.is_nil(errors.catch(models.get, name)) end
  end)
end)

describe("counts of single entries", function()
  -- Text stack, both towers, experts of one layer kind: what the totals are made of.
  it("separate the vision tower", function()
    local p = core.params({ model = models.get("Gemma-3-4b-it") })
    assert.equal(419816304, p.encoder + p.extra)
    assert.equal(1152 * 2560, p.projector)
    assert.equal(4300079472, p.total_params)
    assert.equal(p.total_params - p.encoder - p.extra, p.active_params)
  end)

  it("count encoders as layers: total and encoder to the last parameter", function()
    for name, encoder in pairs({ ["whisper-large-v3"] = 636968960, ["t5-v1.1-xxl"] = 4630714368,
      ["Qwen2-VL-7B"] = 675759104, ["Qwen2.5-VL-72B"] = 704573696, ["Qwen3-VL-8B"] = 576388336,
      ["Llama-4-Scout"] = 871932416, ["Mistral-Small-3.1-24B"] = 438958080 }) do
      local model = models.get(name)
      local p = core.params({ model = model })
      assert.equal(model.published_params, p.total_params, name)
      assert.equal(encoder, p.encoder, name)
      assert.equal(0, p.extra, name)
    end
  end)

  it("count the output gate of attention: the query's columns twice", function()
    local p = core.params({ model = models.get("Qwen3-Next-80B-A3B") })
    assert.equal(2048 * (2 * 16 * 256 + 2 * 2 * 256) + 16 * 256 * 2048 + 2 * 256, p.global_layer)
    -- With its prediction layer 81.3 billion, as the Hugging Face model page says (recalled, not read again).
    assert.equal("81.3", ("%.1f"):format((p.total_params + p.mtp) / 1e9))
  end)

  it("keep the prediction layer out", function()
    local p = core.params({ model = models.get("DeepSeek-V3") })
    assert.equal(671026419200, p.total_params)
    assert.is_true(p.mtp > 11e9 and p.mtp < 12e9)
  end)

  it("count a feed-forward part in every layer of a hybrid, whatever its mixer", function()
    local p = core.params({ model = models.get("granite-4.0-h-micro") })
    local attention = 2048 * (32 + 2 * 8) * 64 + 2048 * 2048
    -- In, out, convolution over what the state space reads, and A, D and bias of steps of each head, and its norm.
    local inner, groups = 64 * 64, 2 * 128
    local state_space = 2048 * (2 * inner + groups + 64) + inner * 2048 + (inner + groups) * 5 + 3 * 64 + inner
    assert.equal(4 * attention + 36 * state_space + 40 * (3 * 2048 * 8192 + 2 * 2048) + 2048 + 2048 * 100352,
      p.total_params)
  end)

  it("count interleaved dense layers", function()
    local p = core.params({ model = models.get("Llama-4-Maverick-17B-128E") })
    assert.equal(24, p.moe_layers)
    assert.equal(24, p.mlp_layers)
    assert.equal(24 * 128 * 3 * 5120 * 8192, p.expert_params)
  end)
end)

-- Reading models from Hugging Face configs. The fixtures are written after the facts of released models;
-- the expected counts are those of their checkpoints.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local hf = require("ballpark.hf")
local lfs = require("lfs")

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local fixtures = here .. "/hf_fixtures/"

local PARAMETERS = {
  ["baichuan2-7b"] = 7505973248,
  ["bert-base-uncased"] = 109482240,
  ["bloom-560m"] = 559214592,
  ["clip-vision-b32"] = 87456000,
  ["command-r"] = 34980831232,
  ["dbrx"] = 131596523520,
  ["deepseek-v2-lite"] = 15706484224,
  ["deepseek-v3"] = 671026419200,
  ["deit-base"] = 85800192,
  ["distilbert-base-uncased"] = 66362880,
  ["electra-base"] = 108891648,
  ["exaone-3.5-7.8b"] = 7818448896,
  ["falcon-40b"] = 41303293952,
  ["falcon-7b"] = 6921720704,
  ["gemma-2-2b"] = 2614341888,
  ["gemma-2b"] = 2506172416,
  ["gemma-3-4b"] = 4300079472,
  ["glm-4-9b-0414"] = 9400279040,
  ["glm-4.5-air"] = 106852251264,
  ["gpt-j-6b"] = 6050882784,
  ["gpt-neo-1.3b"] = 1315575808,
  ["gpt-oss-20b"] = 20914757184,
  ["gpt2"] = 124439808,
  ["granite-3.0-8b"] = 8170848256,
  ["internlm2-20b"] = 19861149696,
  ["llama-3.1-8b"] = 8030261248,
  ["llama-4-scout"] = 108641793536,
  ["llava-1.5-7b"] = 7063427072,
  ["mamba2-2.7b"] = 2702599680,
  ["mistral-7b"] = 7241732096,
  ["mistral-small-3.1-24b"] = 24011361280,
  ["mixtral-8x7b"] = 46702792704,
  ["mpt-7b"] = 6649286656,
  ["nemotron-3-nano"] = 31577940288,
  ["nemotron-4-340b"] = 341029195776,
  ["olmo-2-7b"] = 7298617344,
  ["olmo-7b"] = 6888095744,
  ["olmoe-1b-7b"] = 6919161856,
  ["opt-350m"] = 331196416,
  ["phi-2"] = 2779683840,
  ["phi-3-mini-4k"] = 3821079552,
  ["phi-3.5-moe"] = 41873153344,
  ["pythia-410m"] = 405334016,
  ["qwen-72b"] = 72287920128,
  ["qwen1.5-moe-a2.7b"] = 14315784192,
  ["qwen2-7b"] = 7615616512,
  ["qwen2-vl-7b"] = 8291375616,
  ["qwen2.5-vl-7b"] = 8292166656,
  ["qwen3-30b-a3b"] = 30532122624,
  ["qwen3-vl-8b"] = 8767123696,
  ["roberta-base"] = 124645632,
  ["seed-oss-36b"] = 36151104512,
  ["smollm3-3b"] = 3075098624,
  ["stablelm-3b"] = 2795443200,
  ["starcoder"] = 15517456384,
  ["starcoder2-3b"] = 3030371328,
  ["t5-small"] = 60506624,
  ["t5-v1_1-xxl"] = 11135332352,
  ["vit-base-patch16-224"] = 85806346,
  ["whisper-large-v3"] = 1543490560,
  ["yi-34b"] = 34388917248,
}

local function has(list, pattern)
  for _, sentence in ipairs(list) do
    if sentence:find(pattern) then return true end
  end
  return false
end

-- A small LLaMA-like config with changes; `false` stays, json.null is a written null.
local null = require("ballpark.hf.json").null
local function config(changes)
  local made = {
    model_type = "llama", hidden_size = 64, num_hidden_layers = 4, num_attention_heads = 8,
    num_key_value_heads = 2, intermediate_size = 128, vocab_size = 1000, max_position_embeddings = 512,
    tie_word_embeddings = false,
  }
  for key, value in pairs(changes or {}) do made[key] = value end
  return made
end

local function without(key)
  local made = config()
  made[key] = nil
  return made
end

local function refusal(changes)
  local text, e = errors.catch(hf.from_config, type(changes) == "table" and config(changes) or changes, "here")
  assert.is_true(errors.is(e), text or "nothing was raised")
  assert.equal(2, e.code)
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

local function in_file(text)
  local path = write(os.tmpname(), text)
  local message, e = errors.catch(hf.read, path)
  os.remove(path)
  assert.is_true(errors.is(e), message or "nothing was raised")
  return message
end

describe("a layer of Falcon-H1", function()
  it("is two sub-layers, attention and state space, with one feed-forward part", function()
    local read = hf.from_config(config({ model_type = "falcon_h1", hidden_size = 3072, num_hidden_layers = 44, num_attention_heads = 12,
      num_key_value_heads = 2, head_dim = 128, intermediate_size = 12288, vocab_size = 130049, max_position_embeddings = 262144,
      mamba_d_ssm = 3072, mamba_n_heads = 24, mamba_d_head = 128, mamba_d_state = 256, mamba_n_groups = 1, mamba_d_conv = 4,
      mamba_conv_bias = true, mamba_rms_norm = false, projectors_bias = false, mamba_proj_bias = false,
      ssm_multipliers = { 0.35, 0.25, 0.17, 0.5, 0.35 } }), "here")
    local known = require("ballpark.catalog").model("Falcon-H1-7B")
    assert.equal(core.params({ model = known }).total_params, core.params({ model = read }).total_params)
    assert.near(1, core.params({ model = read }).total_params / known.published_params, 0.002)
    assert.same({ 88, 44, 44, 44 }, { read.layers, read.attention_layers, read.mamba_layers, read.ffn_layers })
  end)
end)

describe("hf.read", function()
  it("counts released models to the last digit", function()
    local seen = 0
    for file in lfs.dir(fixtures) do
      local name = file:match("^(.*)%.json$")
      if name then
        local model = hf.read(fixtures .. file)
        assert.equal(PARAMETERS[name], core.params({ model = model }).total_params, name)
        assert.equal(name, model.name)
        seen = seen + 1
      end
    end
    local expected = 0
    for _ in pairs(PARAMETERS) do expected = expected + 1 end
    assert.equal(expected, seen)
  end)

  it("reads a folder and names the model after it", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(lfs.mkdir(folder))
    assert.matches("cannot read .*config.json", (errors.catch(hf.read, folder)))
    assert(os.execute(("cp '%sgpt2.json' '%s/config.json'"):format(fixtures, folder)))
    local model = hf.read(folder .. "/")
    assert.equal(12, model.layers)
    assert.equal(folder:match("[^/]+$"), model.name)
    assert.equal(folder:match("[^/]+$"), hf.read(folder .. "/config.json").name)
    os.remove(folder .. "/config.json")
    lfs.rmdir(folder)
  end)

  it("says that a file is missing with the exit code of the outside world", function()
    local text, e = errors.catch(hf.read, "/nowhere/config.json")
    assert.equal(3, e.code)
    assert.matches("/nowhere/config.json", text)
  end)

  it("refuses a list where the language model is described", function()
    assert.matches("here: ",
      (errors.catch(hf.from_config, { model_type = "qwen3_vl", text_config = { 1, 2 } }, "here")))
  end)

  it("refuses what is not one JSON object", function()
    assert.matches("not valid JSON", in_file('{"hidden_size": 64,'))
    assert.matches("not valid JSON", in_file(""))
    assert.matches("one JSON object", in_file("[1, 2]"))
    assert.matches("one JSON object", in_file("null"))
    assert.matches("after the JSON value", in_file('{"model_type": "llama"} x'))
  end)

  it("takes Python's Infinity and NaN where nobody needs them, not as a size", function()
    local text = '{"model_type": "llama", "hidden_size": %s, "num_hidden_layers": 4, "num_attention_heads": 8, '
      .. '"note \\" NaN": "Infinity", "time_step_limit": [0.0, -Infinity], "intermediate_size": 128, "vocab_size": 9}'
    local path = write(os.tmpname(), text:format("64"))
    assert.equal(64, hf.read(path).hidden)
    os.remove(path)
    assert.matches("hidden_size: ", in_file(text:format("NaN")))
  end)

  it("takes comments for nothing, whatever is in them", function()
    local text = '{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 8, // 5" of [\n'
      .. '/* NaN " // { */ "time_step_limit": [0.0, -Infinity], "note": "// \\" /*", "intermediate_size": 128, "vocab_size": 9 //"\n}'
    local path = write(os.tmpname(), text)
    assert.equal(64, hf.read(path).hidden)
    os.remove(path)
    for _, comment in ipairs({ '/*"*/', '//"\r', '//"\n', '/*/"*/', '/**"/*/' }) do
      assert.matches("nested more than 200 deep", in_file(comment .. ("["):rep(1000) .. ("]"):rep(1000)), comment)
    end
    assert.matches("nested more than 200 deep", in_file('[/"/*",' .. ("["):rep(1000)))
    assert.matches("not valid JSON", in_file("/*" .. ("["):rep(1000)))
  end)
end)

describe("what is required of a config", function()
  it("is said by key", function()
    for _, key in ipairs({ "hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size" }) do
      assert.matches("here: " .. key .. ": is missing", (errors.catch(hf.from_config, without(key), "here")))
      assert.matches(key .. ": is missing", refusal({ [key] = null }))
      assert.matches(key .. ": must be at least 1, got 0", refusal({ [key] = 0 }))
      assert.matches(key .. ": must be from 0 .* got %-3", refusal({ [key] = -3 }))
      assert.matches(key .. ": must be a whole number, got 64.5", refusal({ [key] = 64.5 }))
      assert.matches(key .. ": must be a whole number, got '64'", refusal({ [key] = "64" }))
      assert.matches(key .. ": must be a whole number, got NaN", refusal({ [key] = 0 / 0 }))
      assert.matches(key .. ": must be a whole number, got inf", refusal({ [key] = math.huge }))
    end
    for _, key in ipairs({ "num_key_value_heads", "head_dim", "intermediate_size", "max_position_embeddings" }) do
      assert.equal("here: " .. key .. ": must be at least 1, got 0", refusal({ [key] = 0 }))
    end
    for key, changes in pairs({ num_experts_per_tok = { model_type = "mixtral", num_local_experts = 8, num_experts_per_tok = 0 },
      moe_intermediate_size = { model_type = "qwen3_moe", num_experts = 8, num_experts_per_tok = 2, moe_intermediate_size = 0 },
      n_inner = { model_type = "gpt2", n_embd = 64, n_layer = 4, n_head = 8, n_positions = 512, n_inner = 0 } }) do
      assert.equal("here: " .. key .. ": must be at least 1, got 0", refusal(changes))
    end
    assert.equal(8, hf.from_config(config({ num_key_value_heads = null })).kv_heads)
    assert.matches("num_attention_heads: ", refusal({ num_attention_heads = 7 }))
    assert.matches("attention_bias: ", refusal({ attention_bias = 1 }))
    assert.matches("must be a table, got string", refusal("text"))
  end)

  it("accepts whole numbers that Python wrote as floats", function()
    assert.equal(64, hf.from_config(config({ hidden_size = 64.0 })).hidden)
  end)
end)

describe("what is filled in", function()
  it("is said, and nothing else", function()
    local model, assumed = hf.from_config(config())
    assert.same({}, assumed)
    assert.is_nil(model.notes)
    model, assumed = hf.from_config(without("num_key_value_heads"))
    assert.equal(8, model.kv_heads)
    assert.equal(1, #assumed)
    assert.matches("num_key_value_heads is not given", assumed[1])
    assert.equal(assumed[1], model.notes)
  end)

  it("takes a default for a missing key, not for a written null", function()
    local given = { model_type = "gemma3_text", hidden_size = 64, num_hidden_layers = 12, intermediate_size = 128 }
    local model, assumed = hf.from_config(given)
    assert.equal(4096, model.sliding_window)
    assert.is_true(has(assumed, "sliding_window is not given: 4096"))
    given.sliding_window = null
    model, assumed = hf.from_config(given)
    assert.is_nil(model.sliding_window)
    assert.is_false(has(assumed, "sliding_window is not given"))
  end)

  it("names keys it did not understand", function()
    local _, assumed = hf.from_config(config({ some_new_switch = true, another_one = 0 }))
    assert.same({ "not understood and left out: some_new_switch" }, assumed)
  end)
end)

describe("families", function()
  local function read(name) return (hf.read(fixtures .. name .. ".json")) end

  it("know which layers have a window", function()
    assert.equal(32, read("mistral-7b").window_layers)
    assert.equal(13, read("gemma-2-2b").window_layers)
    assert.equal(29, read("gemma-3-4b").window_layers)
    assert.equal(12, read("gpt-oss-20b").window_layers)
    assert.equal(36, read("llama-4-scout").window_layers)
    assert.equal(12, read("gpt-neo-1.3b").window_layers)
    assert.is_nil(read("qwen2-7b").window_layers)
    assert.is_nil(read("mixtral-8x7b").sliding_window)
  end)

  it("switch windows as Qwen2 does", function()
    local changes = { model_type = "qwen2", sliding_window = 128, max_window_layers = 3, use_sliding_window = true }
    assert.equal(1, hf.from_config(config(changes)).window_layers)
    changes.use_sliding_window = false
    assert.is_nil(hf.from_config(config(changes)).sliding_window)
  end)

  it("drop a window as long as the context, and say so", function()
    local model, assumed = hf.from_config(config({ model_type = "mistral", sliding_window = 512 }))
    assert.is_nil(model.sliding_window)
    assert.is_true(has(assumed, "reaches over the whole context"))
    assert.equal(511, hf.from_config(config({ model_type = "mistral", sliding_window = 511 })).sliding_window)
  end)

  it("know dense layers among experts", function()
    assert.equal(3, read("deepseek-v3").dense_layers)
    assert.equal(0, read("llama-4-scout").dense_layers)
    local moe = { model_type = "qwen3_moe", num_experts = 8, num_experts_per_tok = 2, moe_intermediate_size = 32 }
    assert.equal(0, hf.from_config(config(moe)).dense_layers)
    moe.decoder_sparse_step = 2
    assert.equal(2, hf.from_config(config(moe)).dense_layers)
    moe.mlp_only_layers = { 1 }
    assert.equal(3, hf.from_config(config(moe)).dense_layers)
  end)

  it("take hybrids apart", function()
    local nano = read("nemotron-3-nano")
    assert.same({ 23, 6, 23, 0 }, { nano.mamba_layers, nano.attention_layers, nano.ffn_layers, nano.dense_layers })
    assert.is_false(nano.gated_mlp)
    local delta = { model_type = "qwen3_5_text", full_attention_interval = 4, linear_num_key_heads = 2,
      linear_num_value_heads = 4, linear_key_head_dim = 8, linear_value_head_dim = 8, linear_conv_kernel_dim = 4 }
    local model = hf.from_config(config(delta))
    assert.same({ 3, 1, true }, { model.linear_layers, model.attention_layers, model.attention_gate })
    delta.layer_types = { "full_attention", "linear_attention", "full_attention", "linear_attention" }
    assert.equal(2, hf.from_config(config(delta)).linear_layers)
  end)

  it("count encoder heads by class", function()
    assert.is_true(read("bert-base-uncased").lm_head)
    assert.is_false(read("roberta-base").lm_head)
    assert.equal(10, read("vit-base-patch16-224").classes)
    assert.equal(198, read("deit-base").learned_positions)
  end)

  it("read compressed and selected keys", function()
    local v4 = { model_type = "deepseek_v4", num_key_value_heads = 1, head_dim = 16, n_routed_experts = 8,
      num_experts_per_tok = 2, moe_intermediate_size = 32, n_shared_experts = 1, q_lora_rank = 24, o_lora_rank = 8,
      o_groups = 2, sliding_window = 32, index_n_heads = 4, index_head_dim = 8, index_topk = 64,
      compress_ratios = { 0, 4, 128, 4, 0 }, num_nextn_predict_layers = 1, hc_mult = 2 }
    local model, assumed = hf.from_config(config(v4))
    assert.same({ 1, 2, 4, 1, 128 }, { model.window_layers, model.index_layers, model.index_ratio,
      model.compress_layers, model.compress_ratio })
    assert.equal(2, model.residual_streams)
    assert.equal(1, model.mtp_layers)
    assert.is_true(has(assumed, "through an indexer"))
    assert.is_true(core.params({ model = model }).index_layer > 0)
    v4.compress_ratios = { 0, 4 }
    assert.matches("compress_ratios: ", refusal(v4))
    v4.compress_ratios = { 4, 8, 16, 32 }
    assert.matches("more than two compression ratios", refusal(v4))
  end)

  it("give layers without window their own heads", function()
    local gemma4 = config({ model_type = "gemma4_text", head_dim = 8, global_head_dim = 16, attention_k_eq_v = true,
      num_global_key_value_heads = 1, enable_moe_block = true, num_experts = 4, top_k_experts = 2,
      moe_intermediate_size = 16, sliding_window = 64, sliding_window_pattern = 2 })
    local model = hf.from_config(gemma4)
    assert.same({ 16, 1, true }, { model.global_head_dim, model.global_kv_heads, model.global_shared_kv })
    assert.same({ 4, 2, 16, 128 }, { model.experts, model.topk, model.moe_ffn, model.shared_ffn })
    assert.equal(2, model.window_layers)
  end)
end)

describe("encoders", function()
  local function read(name) return (hf.read(fixtures .. name .. ".json")) end

  it("of encoder-decoders have the shape of their own stack", function()
    local t5, whisper = read("t5-small"), read("whisper-large-v3")
    assert.same({ layers = 6, head_dim = 64, gated_mlp = false, norm = "rms", relative_buckets = 32 }, t5.encoder)
    assert.same({ 6, 512, true }, { t5.cross_layers, t5.cross_tok, t5.tied_embeddings })
    assert.is_true(read("t5-v1_1-xxl").encoder.gated_mlp)
    assert.same({ 128, 1500, 1500 }, { whisper.encoder.mel_bins, whisper.encoder.learned_positions, whisper.cross_tok })
    assert.is_false(whisper.key_bias)
  end)

  it("are vision towers with their projector", function()
    local qwen, gemma, llava = read("qwen2.5-vl-7b").encoder, read("gemma-3-4b"), read("llava-1.5-7b")
    assert.same({ 64, 28, 4, 2 }, { qwen.sliding_window, qwen.window_layers, qwen.merge, qwen.frames })
    assert.equal(3, read("qwen3-vl-8b").encoder.deepstack)
    assert.same({ 896, 16, true }, { gemma.image_size, gemma.encoder.merge, gemma.encoder.pooled })
    assert.same({ 336, 577, 4096 }, { llava.image_size, llava.encoder.learned_positions,
      llava.encoder.projector_hidden })
    assert.same({ 1024, 5120 }, { read("mistral-small-3.1-24b").encoder.projector_rank,
      read("mistral-small-3.1-24b").encoder.projector_hidden })
  end)

  it("that are not known stay out, and are named", function()
    local outer = { model_type = "llava", text_config = config(), vision_config = { model_type = "other_tower" } }
    local model, assumed = hf.from_config(outer)
    assert.is_nil(model.encoder)
    assert.same({ "the tower in vision_config is not counted" }, assumed)
    outer.vision_config = { model_type = "clip_vision_model", hidden_size = "wide" }
    assert.matches("vision_config: ", (errors.catch(hf.from_config, outer)))
  end)
end)

describe("nested configs", function()
  it("give the language model and name the tower", function()
    local outer = { model_type = "some_vl", tie_word_embeddings = true, text_config = without("tie_word_embeddings"),
      vision_config = { hidden_size = 32 }, quantization_config = { quant_method = "awq", bits = 4 } }
    local model, assumed = hf.from_config(outer)
    assert.is_true(model.tied_embeddings)
    assert.equal("awq, 4 bit", model.quantization)
    assert.same({ "the tower in vision_config is not counted" }, assumed)
  end)
end)

describe("notes for launch settings", function()
  it("hold rotary positions as configs write them", function()
    local function rope(changes) return hf.from_config(config(changes)).rope end
    assert.same({ base = 500000 }, rope({ rope_theta = 500000 }))
    assert.same({ base = 1e4, share = 0.5 }, rope({ rope_theta = 1e4, partial_rotary_factor = 0.5 }))
    assert.same({ base = 5e5, scaling = "llama3", factor = 8, from_tok = 8192 }, rope({ rope_theta = 5e5,
      rope_scaling = { rope_type = "llama3", factor = 8, original_max_position_embeddings = 8192 } }))
    assert.same({ base = 1e6 }, rope({ rope_parameters = { rope_theta = 1e6, rope_type = "default" } }))
  end)

  it("say which part of a head rotary positions turn", function()
    local whole = hf.from_config(config({}))
    local function turned(changes) return hf.from_config(config(changes)).rotary_dim end
    assert.is_nil(whole.rotary_dim)
    assert.equal(whole.head_dim // 2, turned({ partial_rotary_factor = 0.5 }))
    assert.equal(whole.head_dim // 4, turned({ rope_parameters = { rope_theta = 1e6, partial_rotary_factor = 0.25 } }))
    assert.equal(2, turned({ rotary_dim = 2 }))
    assert.is_nil(turned({ partial_rotary_factor = 1 }))
    assert.is_nil(turned({ partial_rotary_factor = "half" }))
  end)

  it("hold the router of experts", function()
    local function router(name) return (hf.read(fixtures .. name .. ".json")).router end
    assert.same({ normalized = true }, router("qwen3-30b-a3b"))
    assert.same({ score = "softmax" }, router("deepseek-v2-lite"))
    assert.is_nil(router("llama-3.1-8b"))
    local v3 = hf.from_config(config({ n_group = 8, topk_group = 4 }))
    assert.same({ 8, 4 }, { v3.route_groups, v3.route_top })
    assert.is_nil(hf.read(fixtures .. "deepseek-v2-lite.json").route_groups) -- all in one group
  end)
end)

describe("number formats", function()
  local function note(changes) return hf.from_config(config(changes)).quantization end

  it("are words beside the model", function()
    assert.is_nil(note())
    assert.equal("bfloat16", note({ torch_dtype = "bfloat16" }))
    assert.equal("float16", note({ dtype = "float16", quantization_config = {} }))
    assert.equal("fp8, e4m3", note({ quantization_config = { quant_method = "fp8", fmt = "e4m3" } }))
    assert.equal("mxfp4", note({ quantization_config = { quant_method = "mxfp4" } }))
    assert.equal("nvfp4", note({ quantization_config = { quant_method = "modelopt", quant_algo = "NVFP4" } }))
    assert.equal("nvfp4, kv fp8", note({ quantization_config = { quant_method = "modelopt", quant_algo = "NVFP4",
      kv_cache_scheme = { dynamic = false, num_bits = 8, type = "float" } } }))
    assert.equal("fp8, kv fp8", note({ quantization_config = { quant_algo = "FP8", kv_cache_scheme = "FP8" } }))
    assert.equal("fp8, e4m3, experts nvfp4", note({ expert_dtype = "fp4", quantization_config = { quant_method = "fp8",
      quant_algo = "MIXED_PRECISION", moe_quant_algo = "NVFP4", fmt = "e4m3",
      config_groups = { group_0 = { weights = { num_bits = 4 } } } } }))
    assert.equal("bitsandbytes, 8 bit", note({ quantization_config = { quant_method = "bitsandbytes",
      load_in_8bit = true } }))
    assert.equal("compressed-tensors, 4 bit", note({ quantization_config = { quant_method = "compressed-tensors",
      config_groups = { group_0 = { weights = { num_bits = 4 } } } } }))
  end)

  it("are texts", function()
    for _, key in ipairs({ "torch_dtype", "dtype" }) do
      for _, value in ipairs({ 7, true, { "bfloat16" }, {} }) do
        assert.matches("^here: " .. key .. ": must be text, got ", refusal({ [key] = value }))
      end
      assert.is_nil(note({ [key] = null }))
    end
    assert.equal("here: quantization_config: quant_method: must be text, got 7", refusal({ quantization_config = { quant_method = 7, bits = 4 } }))
  end)

  it("of a method that nobody knows are said to be taken as integers", function()
    local function assumed(quantization) return select(2, hf.from_config(config({ quantization_config = quantization }))) end
    assert.same({ "quantization_config: quant_method 'zzz' is not known here: its 4 bits are taken as those of integers" },
      assumed({ quant_method = "zzz", bits = 4 }))
    assert.same({ "quantization_config: quant_method is not given: its 8 bits are taken as those of integers" }, assumed({ bits = 8 }))
    for _, known in ipairs({ { quant_method = "gptq", bits = 4 }, { quant_method = "fp8", fmt = "e4m3" }, { quant_method = "zzz" },
      { quant_method = "bitsandbytes", load_in_4bit = true } }) do
      assert.same({}, assumed(known))
    end
  end)
end)

describe("what cannot be represented", function()
  it("is refused with the reason", function()
    for model_type, reason in pairs({
      bart = "an encoder%-decoder of another kind", clip = "two encoders of equal rank",
      resnet = "a convolution network",
      jamba = "state%-space mixer other than Mamba%-2", albert = "share their weights",
      minimax_text_01 = "lightning attention", mllama = "attend to another model",
    }) do
      assert.matches("here: cannot be represented: " .. model_type .. " is .*" .. reason,
        refusal({ model_type = model_type }))
    end
    assert.matches("an encoder%-decoder of another kind", refusal({ is_encoder_decoder = true }))
  end)

  it("includes shapes that known families do not have", function()
    assert.matches("key 'num_experts' changes the shape", refusal({ num_experts = 8 }))
    assert.matches("key 'kv_lora_rank' changes the shape", refusal({ kv_lora_rank = 8 }))
    assert.equal(64, hf.from_config(config({ num_experts = 0 })).hidden)
    assert.matches("unknown kind 'strange_attention'", refusal({ model_type = "mistral", sliding_window = 8,
      layer_types = { "strange_attention", "full_attention", "full_attention", "full_attention" } }))
    assert.matches("one entry per layer, 4, got 1", refusal({ model_type = "mistral", sliding_window = 8,
      layer_types = { "full_attention" } }))
    assert.matches("lightning attention", refusal({ model_type = "minimax_m2", num_local_experts = 4,
      num_experts_per_tok = 2, attn_type_list = { 0, 1, 1, 1 } }))
    assert.matches("bias on latent attention", refusal({ model_type = "deepseek_v3", attention_bias = true,
      kv_lora_rank = 8, qk_rope_head_dim = 4, qk_nope_head_dim = 4, v_head_dim = 4, n_routed_experts = 8,
      num_experts_per_tok = 2, moe_intermediate_size = 8 }))
    assert.matches("embeddings of width 32 under layers of width 64",
      refusal({ model_type = "electra", embedding_size = 32 }))
    assert.matches("layers of the unknown kind 'X'", refusal({ model_type = "nemotron_h", mamba_num_heads = 2,
      mamba_head_dim = 8, ssm_state_size = 8, n_groups = 1, conv_kernel = 4, hybrid_override_pattern = "M*EX" }))
  end)

  it("passes an unknown model_type only if all its keys are LLaMA's, and says so", function()
    local model, assumed = hf.from_config(config({ model_type = "brand_new", rope_theta = 5e5 }))
    assert.equal("brand_new", model.family)
    assert.is_true(has(assumed, "model_type 'brand_new' is unknown; read as 'llama'"))
    assert.matches("unknown model_type 'brand_new'; its key 'n_streams' is not one of a LLaMA%-like model",
      refusal({ model_type = "brand_new", n_streams = 3 }))
    assert.matches("unknown model_type 'qwen3_mo', nearest is 'qwen3_moe'; its key 'num_experts'",
      refusal({ model_type = "qwen3_mo", num_experts = 3 }))
    assert.matches("unknown model_type '%(none%)'", (errors.catch(hf.from_config, without("model_type"))))
  end)

  it("knows a family by its class when the model_type is private", function()
    local given = config({ model_type = "internal", architectures = { "MixtralForCausalLM" }, num_local_experts = 4,
      num_experts_per_tok = 2 })
    local model, assumed = hf.from_config(given)
    assert.equal(4, model.experts)
    assert.is_true(has(assumed, "read as 'mixtral', after its class MixtralForCausalLM"))
  end)
end)

describe("the format of a config", function()
  local function format_of(quantization)
    return hf.from_config(config({ quantization_config = quantization })).quantization
  end

  it("is that of the tools that say it in words of their own", function()
    assert.equal("fp8", format_of({ quant_method = "fbgemm_fp8" }))
    assert.equal("fp8", format_of({ quant_method = "quark", global_quant_config = { weight = { dtype = "fp8_e4m3" } } }))
    assert.equal("int4", format_of({ quant_method = "torchao", quant_type = "int4_weight_only" }))
    assert.equal("int8", format_of({ quant_method = "eetq" }))
    assert.matches("must be an object", (errors.catch(format_of, "fp8")))
  end)

  it("is no 16 bit where nobody estimates it", function()
    local formats = require("ballpark.resolve.serving.formats")
    for _, quantization in ipairs({ { quant_method = "gptq", bits = 3 }, { quant_method = "aqlm" },
      { quant_method = "hqq", quant_config = { weight_quant_params = { nbits = 3 } } } }) do
      local model = hf.from_config(config({ quantization_config = quantization }))
      assert.matches("is not a format that is estimated", (errors.catch(formats.weights, {}, model)))
      assert.equal("int4", formats.weights({ checkpoint = "int4" }, model).weights)
    end
  end)
end)

describe("any value of any key", function()
  local VALUES = { "text", -1, 0, 3, 2.5, 1e18, 999999999999999, true, false, null, {}, { 1, 2 }, { { 1 } }, { a = 1 } }

  -- Read and counted, or refused as an error of the input: never a bug of ours.
  local function survives(given, what)
    local ok, e = pcall(function() core.params({ model = hf.from_config(given) }) end)
    if not ok then assert.is_true(errors.is(e), what .. ": " .. tostring(e)) end
    return ok
  end

  it("is refused where bytes came to harm", function()
    local json = require("ballpark.hf.json")
    for _, text in ipairs({ '{"quant\xffization_config": {}}', '{"quant_method": "fp\0008"}', '{"hidden_size": 8}\0\0' }) do
      assert.matches("^c.json: is not valid JSON: byte %d+ %(0x%x%x%) is no text in UTF%-8", errors.catch(json.decode, text, "c.json"))
    end
    assert.same({ name = "modèle" }, json.decode('{\r\n\t"name": "modèle"}', "c.json"))
  end)

  it("says no key of an object twice", function()
    local json = require("ballpark.hf.json")
    for text, key in pairs({ ['{"vocab_size": 8, "x": [{}, "vocab_size"], "vocab_size": 9}'] = '"vocab_size"',
      ['[{"a": {"b": 1, "c": ",", "b": 1}}]'] = '"b"', ['{"a": NaN, "\\u0061": 1}'] = '"\\u0061"',
      ['{"q\\"": 1 /*, "z": */, "q\\"": 1}'] = '"q\\""', ['{"": 1, "": 1}'] = '""' }) do
      assert.equal("c.json: " .. key .. " is said twice in one object", errors.catch(json.decode, text, "c.json"))
    end
    for _, text in ipairs({ '{"a": "a", "b": {"a": ["a", "a", {"a": "b"}]}, "c": {"a": 1}}', '{"a": 1, "A": 1, "a\\\\": 1, "\\"a": 1}' }) do
      assert.is_nil(errors.catch(json.decode, text, "c.json"))
    end
  end)

  it("is read or refused", function()
    local read, refused = 0, 0
    local json = require("ballpark.hf.json")
    for name in pairs(PARAMETERS) do
      local file = assert(io.open(fixtures .. name .. ".json"))
      local text = file:read("a")
      file:close()
      local given = json.decode(text, name)
      local keys = {}
      for key in pairs(given) do keys[#keys + 1] = key end
      for _, key in ipairs(keys) do
        local kept = given[key]
        for _, value in ipairs(VALUES) do
          given[key] = value
          if survives(given, name .. "." .. key) then read = read + 1 else refused = refused + 1 end
        end
        given[key] = kept
      end
    end
    assert.is_true(read > 1000 and refused > 1000)
  end)
end)

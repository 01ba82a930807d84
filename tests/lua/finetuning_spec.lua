-- Tables of measured fine-tuning: what is read, what is answered, and the lengths of samples.
local core = require("ballpark.core")
local described_model = require("ballpark.resolve.described_model")
local finetuning = require("ballpark.validate.finetuning")
local finetuning_range = require("ballpark.range.finetuning")
local lengths = require("ballpark.resolve.training.lengths")
local resolve = require("ballpark.resolve.training")
local catalog = require("ballpark.catalog")
local tables = require("ballpark.tables")

local HEADER <const> = "case_id,framework,device,gpus,model,method,base_bits,rank,target_modules,batch_per_gpu,"
  .. "grad_accum,seq_len,seq_kind,grad_checkpointing,peak_mem_per_gpu_gb,mem_unit,mem_stat,oom,samples_per_s,source,params_b,precision,sharding,"
  .. "tokens_per_s,step_s,year,notes\n"

-- A row of made-up figures, by column.
local function row(changes)
  local known = { case_id = "a", framework = "transformers", device = "A100-80GB", model = "Llama-2-7b", method = "qlora",
    base_bits = "4", rank = "8", batch_per_gpu = "1", seq_len = "2048", seq_kind = "fixed", grad_checkpointing = "1",
    peak_mem_per_gpu_gb = "10", mem_stat = "allocated", oom = "0", step_s = "1" }
  for name, value in pairs(changes or {}) do known[name] = value end
  local cells = {}
  for name in HEADER:gmatch("[%w_]+") do cells[#cells + 1] = known[name] or "" end
  return table.concat(cells, ",") .. "\n"
end

local function run(...) return finetuning.run((finetuning.read(HEADER .. table.concat({ ... }), "t.csv"))) end

local function memory(changes) return run(row(changes)).memories[1].predicted end
local function time(changes) return run(row(changes)).times[1].predicted end

describe("measured fine-tuning", function()
  it("holds weights, scales, adapters and logits of a quantised 7B model", function()
    -- Llama 2 7B: 32 layers of 4 * 4096^2 + 3 * 4096 * 11008 and two norms; embedding and head of 32,000 * 4096, which
    -- PEFT makes fp32; rank 8 on queries and values, whose fp32 weight and two moments are 12 bytes: at the loss of a step of
    -- one micro-batch there is no gradient.
    local layers = 32 * (4 * 4096 ^ 2 + 3 * 4096 * 11008 + 2 * 4096)
    local fixed = layers * (0.5 + 1 / 64) + 2 * 32000 * 4096 * 4 + 32 * 8 * 2 * 2 * 4096 * 12
    -- Checkpoints of 32 layers in fp32, as the embedding is, the logits in 16 bytes, a 16-bit copy of the head, and the
    -- largest matrix wide.
    local moving = 32 * 2048 * 4096 * 4 + 2048 * 32000 * 16 + 32000 * 4096 * 2 + 4096 * 11008 * 2
    local predicted = memory() * (1 << 30)
    assert.is_true(predicted > fixed + moving)
    assert.is_true(predicted < fixed + moving + 1.2e9) -- and one layer that is computed again
    -- GPTQ leaves embedding and head in 16 bit.
    assert.is_true(memory({ notes = "gptq" }) < memory() - 0.5)
  end)

  it("reads units and what a log of memory counts", function()
    assert.near(10 * (1 << 30) / 1e9, 10 / (run(row({ mem_unit = "GB (1e9)" })).memories[1].measured) * 10, 1e-9)
    assert.is_true(memory({ mem_stat = "reserved" }) > memory())
    assert.is_true(memory({ mem_stat = "" }) > memory({ mem_stat = "reserved" }))
  end)

  it("takes no less for a higher rank, more matrices, bits or a longer sequence", function()
    local before
    for _, rank in ipairs({ "8", "16", "64", "256" }) do
      local held = memory({ rank = rank })
      assert.is_true(not before or held > before)
      before = held
    end
    assert.is_true(memory({ target_modules = "all linear" }) > memory({ target_modules = "q_proj v_proj" }))
    assert.is_true(memory({ base_bits = "8" }) > memory())
    assert.is_true(memory({ method = "lora", base_bits = "16" }) > memory({ base_bits = "8" }))
    assert.is_true(memory({ seq_len = "4096" }) > memory())
    assert.is_true(memory({ base_bits = "4.5" }) > memory())
  end)

  it("makes frozen weights wide in every pass of every micro-batch", function()
    local once, thrice = time({ step_s = "1" }), time({ grad_accum = "3" })
    assert.near(3, thrice / once, 0.1)
    assert.is_true(time() > time({ method = "lora", base_bits = "16" }))
    assert.is_true(time({ notes = "gptq" }) > time({ notes = "bitsandbytes" }))
  end)

  it("finds the values of bitsandbytes on integer lanes, and passes others at the speed of memory", function()
    -- Seconds that 4 bit add to a step on a device with other lanes or another memory.
    local function wide_s(format, changes)
      local device = tables.with(catalog.device("A100"), changes)
      local function step_s(bits)
        return core.train_step({ model = catalog.model("Llama-2-7b"), device = device, network = { devices = 1 },
          plan = { lora_rank = 8, base_bits = bits, base_format = format, recompute = "full" },
          job = { seq_len = 512, global_batch = 1 } }).time.step_s
      end
      return step_s(4) - step_s(16)
    end
    local plain = catalog.device("A100")
    local slower = { fp32_flop_s = plain.fp32_flop_s / 2 }
    assert.near(2, wide_s("bitsandbytes", slower) / wide_s("bitsandbytes", {}), 0.3)
    assert.near(1, wide_s("torchao", slower) / wide_s("torchao", {}), 0.3)
    -- Three times the fp32 rate from as many cores: twice the lanes, of which every second takes integers, at 1.5 times the clock.
    assert.near(1 / 1.5, wide_s("bitsandbytes", { fp32_flop_s = 3 * plain.fp32_flop_s }) / wide_s("bitsandbytes", {}), 0.3)
    assert.is_true(wide_s("torchao", { mem_bw_bytes_s = plain.mem_bw_bytes_s / 2 }) > 1.5 * wide_s("torchao", {}))
  end)

  it("computes what samples have, and holds the longest", function()
    local short = run(row({ seq_kind = "alpaca" }))
    assert.is_true(short.times[1].predicted < time())
    local full = { seq_len = "1304" } -- the longest of Alpaca
    assert.near(memory(full), short.memories[1].predicted, 1e-9) -- allocated, without blocks of other lengths
    assert.is_true(memory({ seq_kind = "alpaca", mem_stat = "" }) > memory(tables.with(full, { mem_stat = "" })))
    assert.matches("how long samples are is not said", run(row({ seq_kind = "maximum" })).times[1].reason)
  end)

  it("reads rates and seconds of a micro-batch as seconds of a step", function()
    assert.near(2, run(row({ step_s = "", samples_per_s = "4", grad_accum = "8" })).times[1].measured, 1e-12)
    assert.near(8, run(row({ grad_accum = "8", notes = "one microbatch iteration" })).times[1].measured, 1e-12)
    local rate = run(row({ step_s = "", tokens_per_s = "2000" })).times[1]
    assert.same({ "tokens_per_s_per_gpu", 2000 }, { rate.metric, rate.measured })
    assert.near(2048 / time(), rate.predicted, 1e-6)
  end)

  -- Parameters of a layer of Llama 2 7B, and of its embedding and head.
  local LAYER <const>, ENDS <const> = 4 * 4096 ^ 2 + 3 * 4096 * 11008 + 2 * 4096, 2 * 32000 * 4096

  it("counts what learns beside frozen layers: some of them, or layers that are added", function()
    local function full(changes)
      local all = { method = "full", base_bits = "16", rank = "", framework = "swift", precision = "bf16",
        grad_accum = "2" }
      for name, value in pairs(changes or {}) do all[name] = value end
      return memory(all) * (1 << 30)
    end
    -- States of 16 bit: a gradient and two moments, six bytes, of two layers and both ends in place of all.
    local lisa, four = full({ method = "full+lisa_2" }), full({ method = "full+lisa_4" })
    assert.near(2 * LAYER * 6, four - lisa, 0.01 * 2 * LAYER * 6)
    -- LLaMA Pro keeps four layers more, 16-bit weights and their states.
    local pro = full({ method = "llamapro", notes = "num_blocks=4" })
    local least = (36 * LAYER + ENDS) * 2 + 4 * LAYER * 6
    assert.is_true(pro > least and pro < least + 3e9)
  end)

  it("keeps GaLore's moments of matrices small, and what a scale of outputs multiplies", function()
    local function full(method)
      return memory({ method = method, base_bits = "16", framework = "swift", precision = "bf16", rank = "" }) * (1 << 30)
    end
    -- Adam's 4 bytes of the ends, three vectors of rank 128 for 4,096 columns of the others; all of them small otherwise.
    local states = ENDS * 4 + 32 * LAYER * 3 * 128 / 4096 * 2
    assert.near(states, full("full+galore128") - full("full+galore_emb"), 0.02 * states)
    local plain = { method = "adapter", base_bits = "16", framework = "litgpt", grad_checkpointing = "0", precision = "bf16-true" }
    local scaled = { method = "adapter_v2", base_bits = "16", framework = "litgpt", grad_checkpointing = "0", precision = "bf16-true" }
    -- Queries, keys, values, output, gate, up and down of 32 layers, 16 bit; a plain adapter is taken as LoRA that reads the
    -- input of queries, keys and values, without a dropout. Two norms a layer learn beside the scales. Fragments of the allocator are 5 %.
    local outputs, read = 32 * 2048 * (5 * 4096 + 2 * 11008) * 2, 32 * 2048 * 4096 * 2
    local norms = 32 * 2048 * 2 * 4096 * 2
    local more = (outputs + norms - read) * 1.05
    assert.near(more, (memory(scaled) - memory(plain)) * (1 << 30), 0.02 * more)
  end)

  it("leaves experts that are one tensor in 16 bit, as bitsandbytes does, and in 4 bit where kernels of GPTQ are", function()
    -- Qwen3-VL-30B-A3B: 48 layers of 128 experts of three matrices of 2048 * 768.
    local experts = 48 * 128 * 3 * 2048 * 768
    local function held(changes)
      local model = tables.with(catalog.model("Qwen3-VL-30B-A3B"), { fused_experts = changes.fused })
      return core.train_step({ model = model, device = catalog.device("H100"), network = { devices = 1 },
        plan = { lora_rank = 8, base_bits = 4, base_format = changes.format },
        job = { seq_len = 512, global_batch = 1 } }).memory.weights_bytes
    end
    local more = held({ fused = true, format = "bitsandbytes" }) - held({ fused = false, format = "bitsandbytes" })
    assert.near(experts * (2 - 0.5 - 1 / 64), more, 1e-6 * more) -- 4 bit and scales, quantised twice
    assert.equal(held({ fused = false, format = "gptq" }), held({ fused = true, format = "gptq" }))
  end)

  it("knows code without fused attention, and ranks that share a sequence", function()
    local function held(changes)
      local all = { model = "chatglm3-6b", framework = "swift", method = "lora", base_bits = "16", seq_len = "8192" }
      for name, value in pairs(changes or {}) do all[name] = value end
      return memory(all) * (1 << 30)
    end
    -- Scores of 32 heads: five stored bytes and eleven of steps, of one layer at a time.
    local scores = 32 * 8192 ^ 2 * 16
    local function growth(changes) return held(changes) - held(tables.with(changes or {}, { seq_len = "4096" })) end
    assert.is_true(growth() > 0.75 * scores)
    assert.is_true(growth({ model = "glm-4-9b" }) < 0.75 * scores)
    local shared = held({ gpus = "2", sharding = "DDP with sequence parallel 2" })
    assert.is_true(shared < held() - 0.5 * scores)
  end)

  it("finds the model in the title of a source whose model is a data set", function()
    local titled = { model = "unsloth/LaTeX_OCR", params_b = "25.9", source = "a/b nb/Gemma4_(26B_A4B)-Vision.ipynb" }
    assert.matches("catalog model Gemma%-4%-26B%-A4B", table.concat(run(row(titled)).rows[1].assumed, "; "))
    titled.params_b = "4.1" -- not of that size
    assert.not_matches("Gemma", table.concat(run(row(titled)).rows[1].assumed, "; "))
  end)

  it("takes pairs of texts for embedders, images and targets where nobody says lengths", function()
    assert.equal(160, lengths.usual(catalog.model("bge-m3")))
    assert.equal(160, lengths.usual(catalog.model("Qwen3-Embedding-4B")))
    assert.equal(512, lengths.usual(catalog.model("Qwen2.5-VL-7B"))) -- 640 * 480 / 28^2, and 121 words
    assert.equal(1321, lengths.usual(catalog.model("Pixtral-12B"))) -- 640 * 480 / 16^2
    assert.equal(512, lengths.usual(catalog.model("gemma-3-12b")))
    assert.equal(114, lengths.usual(catalog.model("t5-v1.1-xl")))
    assert.equal(2048, lengths.usual(catalog.model("llama-3.1-8b")))
    assert.equal(512, lengths.usual(catalog.model("llama-3.1-8b"), true)) -- whatever the shape says
    assert.equal(2048, lengths.usual(catalog.model("Qwen2.5-VL-7B"), false))
    -- 256 * 256 / 28^2 and 175 words of a formula.
    assert.equal(258, lengths.usual(catalog.model("Qwen2.5-VL-7B"), { pixels = 256 * 256, words = 175 }))
  end)

  it("takes samples with images to be as long as these, and those of a limit in tokens as long as it", function()
    local tuned = { framework = "unsloth", seq_kind = "maximum", seq_len = "", model = "gemma-3-12b" }
    local function at(changes) return memory(tables.with(tuned, changes or {})) end
    assert.equal(at({ seq_kind = "fixed", seq_len = "512" }), at())
    assert.equal(at({ seq_kind = "fixed", seq_len = "2048" }), at({ seq_len = "2048" }))
    assert.equal(at(), at({ seq_len = "2048", source = "a/b nb/Gemma3_(12B)-Vision.ipynb" }))
    assert.equal(at({ model = "Qwen2.5-VL-7B", seq_kind = "fixed", seq_len = "258" }),
      at({ model = "unsloth/LaTeX_OCR", params_b = "8.29", source = "a/b nb/Qwen2.5_VL_(7B)-Vision.ipynb" }))
    local blind = { model = "Qwen2.5-7B" }
    assert.equal(at({ model = "Qwen2.5-7B", seq_kind = "fixed", seq_len = "512" }),
      at(tables.with(blind, { source = "a/b nb/Some_OCR.ipynb" })))
    assert.is_true(at(blind) > at({ model = "Qwen2.5-7B", seq_kind = "fixed", seq_len = "512" }))
  end)

  it("multiplies packed weights in 16 bit, where the software loads others in fp32", function()
    for _, bits in ipairs({ "4", "8" }) do
      assert.equal(time({ base_bits = bits, year = "2023", precision = "bf16" }), time({ base_bits = bits, year = "2023" }))
    end
    local whole = { method = "lora", base_bits = "16", year = "2023" }
    local narrow = tables.with(whole, { precision = "bf16" })
    assert.equal(time(narrow), time(whole))
    assert.is_true(memory(tables.with(whole, { step_s = "" })) > memory(tables.with(narrow, { step_s = "" })))
  end)

  it("tells plain 4-bit checkpoints from dynamic ones by their names", function()
    local function held(model) return memory({ framework = "unsloth", model = model }) * (1 << 30) end
    local linear = 32 * (2 * 4096 ^ 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    local more = linear * 0.05 * (2 - 0.5 - 1 / 64)
    assert.near(more, held("unsloth/llama-3-8b-unsloth-bnb-4bit") - held("unsloth/llama-3-8b-bnb-4bit"), 1e-3 * more)
    assert.equal(held("unsloth/llama-3-8b-unsloth-bnb-4bit"), held("unsloth/llama-3-8b"))
  end)

  it("takes a model that the catalog does not have as one of its size, kin first", function()
    local function said(changes) return table.concat(run(row(changes)).rows[1].assumed, "; ") end
    assert.matches("the shape of Llama%-3%.2%-1B", said({ model = "unsloth/Llama-Unheard-1B", params_b = "1.25" }))
    assert.matches("the shape of Gemma%-3%-12b", said({ model = "some/formulas", params_b = "12.1",
      source = "a/b nb/Gemma9_(12B)_Vision.ipynb" }))
    -- No decoder stands in for one with embeddings of every layer, nor these for others.
    assert.not_matches("Gemma%-4", said({ model = "unsloth/gemma-9-8b", params_b = "7.9" }))
    assert.is_nil(described_model.kin("Unheard", 9000))
    assert.is_nil(described_model.kin("Unheard-Mamba-1B", 1.25)) -- no decoder of the usual kind
  end)

  it("makes the head of a tied model a matrix of its own where the count says so", function()
    local function held(params_b) return memory({ framework = "unsloth", method = "full", base_bits = "16", rank = "",
      model = "Qwen3-0.6B", params_b = params_b, grad_accum = "2" }) * (1 << 30) end
    -- 151,936 rows of 1,024, each with a 16-bit weight, an fp32 one, its gradient and 8-bit moments.
    local more = 151936 * 1024 * (2 + 4 + 4 + 2 * (1 + 4 / 2048))
    assert.near(more, held("0.752") - held("0.596"), 1e-3 * more)
    assert.equal(held("0.596"), held("0.6"))
  end)

  it("shares sequences by fused attention, on one rank as on several", function()
    local function held(sharding) return memory({ framework = "swift", method = "lora", base_bits = "16", model = "chatglm3-6b",
      gpus = "2", sharding = sharding, seq_len = "8192", year = "2024" }) end
    assert.is_true(held("DDP") > held("DDP sequence parallel 1") + 20) -- scores of 8,192^2 for 32 heads
    assert.is_true(held("DDP sequence parallel 1") > held("DDP sequence parallel 2"))
  end)

  it("counts blocks of other lengths beside limits, and not beside usual samples", function()
    local function cached(model, framework)
      local changes = { model = model, framework = framework or "transformers", seq_kind = "maximum", seq_len = "512" }
      return memory(tables.with(changes, { mem_stat = "reserved" })) - memory(tables.with(changes, { mem_stat = "allocated" }))
    end
    assert.is_true(cached("Qwen2.5-7B") > 1.5 * cached("Qwen2.5-VL-7B"))
    -- Segments that grow leave none, and a hundredth of fragments.
    assert.near(0.01 * memory({ model = "Qwen2.5-7B", framework = "unsloth", seq_kind = "maximum", seq_len = "512" }),
      cached("Qwen2.5-7B", "unsloth"), 1e-3)
  end)

  it("knows the data set that the title of a source names", function()
    local tuned = { framework = "unsloth", seq_kind = "maximum", mem_stat = "allocated" }
    local named = tables.with(tuned, { source = "a/b nb/Llama3_(8B)-Alpaca.ipynb" })
    assert.equal(memory(tables.with(tuned, { seq_kind = "alpaca" })), memory(named))
    assert.is_true(memory(named) < memory(tuned))
    -- Two steps of one sample each see no sample as long as the longest of the set.
    local few = tables.with(named, { notes = "steps 2" })
    assert.is_true(memory(few) < memory(named))
    assert.near(memory(named), memory(tables.with(named, { notes = "steps 1000000000" })), 1e-2)
  end)

  it("takes a limit for the longest sample where nobody says lengths, up to that of most recipes", function()
    local function at(length, changes)
      return memory(tables.with({ seq_kind = "maximum", seq_len = tostring(length) }, changes or {}))
    end
    assert.is_true(at(512) < at(2048))
    assert.equal(at(2048), at(32768))
    assert.is_true(at(2048) < at(8192, { seq_kind = "fixed" }))
    -- A mean is no limit.
    assert.equal(at(8192, { seq_kind = "fixed", mem_stat = "allocated" }), at(8192, { seq_kind = "mean of the data set" }))
    -- Recipes of torchtune have a data set, whose longest sample has 1,304 tokens.
    local tune = { framework = "torchtune" }
    assert.equal(at(1304, tables.with(tune, { seq_kind = "fixed" })), at(4096, tables.with(tune, { seq_kind = "not packed" })))
    assert.is_true(at(512, tables.with(tune, { seq_kind = "not packed" })) < at(1304, tables.with(tune, { seq_kind = "fixed" })))
  end)

  it("has a range of peaks that goes by what is said of lengths, not by the attention that software is known to have", function()
    local function band(changes)
      local found = run(row(changes)).memories[1]
      return math.log(found.range.high / found.predicted)
    end
    local said, unsaid = band({ framework = "unsloth" }), band({ framework = "unsloth", seq_kind = "maximum" })
    assert.near(finetuning_range.half(false), said, 1e-9)
    assert.near(finetuning_range.half(true), unsaid, 1e-9)
    assert.is_true(unsaid > said)
    assert.near(said, band({ framework = "litgpt", year = "2023" }), 1e-9)
    -- Scores were stored by default then; attention that some installed makes the peak smaller.
    local open = run(row({ framework = "transformers", year = "2023", grad_checkpointing = "0" })).memories[1]
    assert.is_true(math.log(open.predicted / open.range.low) > said)
  end)

  it("stores scores in Transformers before scaled_dot_product_attention was its default", function()
    -- One layer of 32 heads at a time: softmax in fp32 and output in 6 bytes a score, copies in 11.
    local scores = 32 * 2048 ^ 2 * (6 + 11) / (1 << 30)
    local function peak(year) return memory({ year = year, method = "lora", base_bits = "16", precision = "bf16" }) end
    -- With fused attention the peak is at the logits, of 16 bytes, which are more than the rest of a layer.
    local logits = 2048 * 32000 * 16 / (1 << 30)
    local more = peak("2023") - peak("2024")
    assert.is_true(scores - logits < more and more < scores)
  end)

  it("reads bf16-true as weights, gradients and moments of 16 bit", function()
    -- 6.74 billion weights: 16 bytes of states each and 2 of what autocast casts, and 2 + 2 + 4.
    local whole = { framework = "transformers", method = "full", base_bits = "16", rank = "", device = "MI300X", grad_accum = "2" }
    local mixed, pure = memory(tables.with(whole, { precision = "bf16" })),
      memory(tables.with(whole, { precision = "bf16-true" }))
    assert.near(6.74e9 * (16 + 2 - 8) / (1 << 30), mixed - pure, 4)
  end)

  it("reads a peak as what the software logs, where the row does not say", function()
    local function peak(framework, stat) return memory({ framework = framework, mem_stat = stat }) end
    assert.equal(peak("torchtune", "allocated"), peak("torchtune", ""))
    assert.is_true(peak("transformers", "allocated") < peak("transformers", ""))
  end)

  it("takes two samples at a time in torchtune, else one, where the row does not say", function()
    assert.equal(memory({ framework = "torchtune", batch_per_gpu = "2" }), memory({ framework = "torchtune", batch_per_gpu = "" }))
    assert.equal(memory({ framework = "litgpt" }), memory({ framework = "litgpt", batch_per_gpu = "", grad_accum = "16" }))
  end)

  it("has a wider range where nobody says how many samples it takes at a time", function()
    local function width(changes)
      local found = run(row(changes)).memories[1].range
      return found.high / found.low
    end
    assert.is_true(width({ batch_per_gpu = "" }) > width())
  end)

  it("is Transformers where nobody names the software, as finetune{} is", function()
    assert.equal(memory(), memory({ framework = "" }))
    assert.equal(time(), time({ framework = "" }))
  end)

  it("loads weights in 16 bit in trainers that say so to Transformers", function()
    local whole = { method = "lora", base_bits = "16", year = "2023" }
    for _, name in ipairs({ "ms-swift", "axolotl", "LLaMA-Factory" }) do
      local named = tables.with(whole, { framework = name })
      assert.equal(time(tables.with(named, { precision = "bf16" })), time(named))
    end
  end)

  it("asks of a run that failed whether memory holds it", function()
    local small, large = run(row({ oom = "1", step_s = "", device = "A100-40GB" })),
      run(row({ oom = "1", step_s = "", device = "T4", batch_per_gpu = "8" }))
    assert.is_true(small.rows[1].fits > 0.5)
    assert.is_true(large.rows[1].fits < 0.5)
    assert.same({ 1, 1 }, { large.fit.failed, small.fit.failed_likely })
  end)

  it("passes over what it cannot read", function()
    for reason, changes in pairs({ ["'distillation' is none of"] = { method = "distillation" },
      ["must be near 2, 3, 4, 8 or 16, got 6"] = { base_bits = "6" }, ["q%-galore' is not modelled"] = { method = "q-galore" },
      ["'llamapro' does not say how many layers"] = { method = "llamapro" },
      ["'H900'"] = { device = "H900" }, ["gte%-nobody' is not in the catalog"] = { model = "gte-nobody" } }) do
      assert.matches(reason, run(row(changes)).rows[1].reason or "answered")
    end
  end)
end)

describe("lengths of samples", function()
  it("have the mean that is said, where nothing is cut", function()
    local held = lengths.of({ mean = 300, deviation = 200 }, 20000, 1)
    assert.near(300, held.tokens, 6)
    local sum = 0
    for _, tokens in ipairs(held.points) do sum = sum + tokens end
    assert.near(300, sum / #held.points, 15)
  end)

  it("are padded to the longest of a micro-batch, cut or dropped at the limit", function()
    local about = { mean = 1000, deviation = 800 }
    local one, eight = lengths.of(about, 8192, 1), lengths.of(about, 8192, 8)
    for i, tokens in ipairs(one.points) do assert.is_true(eight.points[i] > tokens) end
    assert.near(one.tokens, eight.tokens, 1e-9)
    local cut = lengths.of(about, 512, 1)
    local dropped = lengths.of({ mean = 1000, deviation = 800, longer = "dropped" }, 512, 1)
    assert.equal(512, cut.points[#cut.points])
    assert.is_true(dropped.tokens < cut.tokens and dropped.tokens < 512)
  end)

  it("have a longest of so many, at most the longest of all", function()
    -- Of an exponential of mean 100 one sample in n + 1 is longer than 100 ln(n + 1).
    local about = { mean = 100, deviation = 100 }
    assert.near(100 * math.log(100), lengths.longest_of(about, 2000, 99), 5)
    assert.equal(200, lengths.longest_of(about, 200, 99))
  end)

  it("leave blocks with the allocator, as far as the loss is not below the peak", function()
    local peak, share = { loss_bytes = 1000, above_loss_bytes = 0, scores_bytes = 0 }, { mean = 0.5, squares = 0.3 }
    assert.equal(1250, lengths.cached_bytes(peak, share, {}))
    peak.above_loss_bytes = 1000
    assert.equal(250, lengths.cached_bytes(peak, share, {}))
    peak.above_loss_bytes = 2000
    assert.equal(0, lengths.cached_bytes(peak, share, {}))
    peak.scores_bytes = 1800
    assert.near(2.5 * 0.3 * 1800, lengths.cached_bytes(peak, share, {}), 1e-9)
    assert.equal(0, lengths.cached_bytes(peak, share, { expandable = true }))
    assert.same({ mean = 0.75, squares = 0.625 }, lengths.share({ points = { 50, 100 } }, 100))
  end)

  it("leave an exponential's mean below the limit", function()
    -- Mean of an exponential of mean 1, given that it is below 1: 1 - 1 / (e - 1).
    local held = lengths.of({ mean = 1000, deviation = 1000, longer = "dropped" }, 1000, 1)
    assert.near(1000 * (1 - 1 / (math.exp(1) - 1)), held.tokens, 2)
  end)
end)

describe("moments of a paged optimizer", function()
  -- 8 billion weights and a head without embedding of its own: two moments of a byte and their scales for each.
  local function step(device, in_backward)
    return core.train_step({ model = catalog.model("llama-3.1-8b"), device = catalog.device(device),
      network = { devices = 1 }, job = { seq_len = 512, global_batch = 1 },
      plan = { micro_batch = 1, optimizer = "paged_adam_8bit", master_bytes = 0, grad_bytes = 2,
        update_in_backward = in_backward, recompute = "full" } })
  end

  it("stay on the device while there is room, and cost nothing", function()
    local out = step("H100")
    assert.near(2 * 8.03e9, out.memory.paged_bytes, 0.01 * 2 * 8.03e9)
    assert.equal(0, out.memory.host_bytes)
    assert.equal(0, out.time.offload_s)
  end)

  it("leave it as far as it is short, there and back over the link of the host", function()
    local most, out, device = step("H100").memory.paged_bytes, step("RTX-4090", true), catalog.device("RTX-4090")
    assert.near(device.memory_bytes, out.memory.total_bytes + out.memory.paged_bytes, 2)
    assert.near(most, out.memory.paged_bytes + out.memory.host_bytes, 2)
    -- Updated after backward, they go by themselves. Without a class of software 0.8 of the link's rate are reached.
    out = step("RTX-4090", false)
    assert.near(2 * out.memory.host_bytes / (0.8 * device.host_bytes_s), out.time.offload_s, 1e-6 * out.time.offload_s)
  end)

  it("go under the rest of backward where that updates the weights", function()
    local out, device = step("RTX-4090", true), catalog.device("RTX-4090")
    local moved = 2 * out.memory.host_bytes / (0.8 * device.host_bytes_s)
    -- Backward has two of three matmuls, and computes the layers' forward again.
    assert.is_true(out.time.offload_s < moved - 2 / 3 * out.time.matmul_s)
    assert.is_true(out.time.offload_s > 0)
  end)
end)

describe("software for fine-tuning", function()
  local function resolved(software, plan, devices)
    return resolve.resolve({ model = catalog.model("llama-3.1-8b"), software = software, plan = plan, assume = true,
      job = { seq_len = 2048, global_batch = devices or 1 }, cluster = catalog.cluster({ device = "A100", devices = devices or 1 }) },
      { estimate = core.train_step })
  end

  it("has states in bf16 where those of 32 bit would fit on no share of the devices it ran on", function()
    local function states(devices, plan, software, device)
      local given = resolve.resolve({ model = catalog.model("llama-3.1-8b"), software = software or "transformers",
        plan = plan or {}, ran = true, job = { seq_len = 512, global_batch = devices },
        cluster = catalog.cluster({ device = device or "A100", devices = devices }) }, { estimate = core.train_step }).plan
      return { given.optimizer or "adam", given.master_bytes or 4, given.grad_bytes }
    end
    assert.same({ "adam_bf16", 0, 2 }, states(1)) -- 18 bytes of each of 8 billion weights on 80 GiB
    assert.same({ "adam", 4, 4 }, states(2))
    assert.same({ "adam", 4, 4 }, states(1, {}, "transformers", "RTX-4090")) -- 8 bytes do not fit, either
    assert.same({ "adam_8bit", 4, 4 }, states(1, { optimizer = "adam_8bit" }))
    assert.same({ "adam", 4, 4 }, states(1, {}, "deepspeed"))
    assert.same({ "adam", 4, 4 }, states(1, { lora_rank = 8 }))
  end)

  it("has its own defaults of what nobody states", function()
    local swift = resolved("ms-swift", { adapters = "lora" }).plan
    assert.same({ 8, "qkv", "full" }, { swift.lora_rank, swift.lora_targets, swift.recompute })
    local unsloth = resolved("unsloth", { adapters = "qlora" }).plan
    assert.same({ 16, "all", 4, "full", 1, "adam_8bit" }, { unsloth.lora_rank, unsloth.lora_targets, unsloth.base_bits,
      unsloth.recompute, unsloth.offload_activations, unsloth.optimizer })
    local tune = resolved("torchtune", {}).plan
    assert.same({ "paged_adam_8bit", true, 0 }, { tune.optimizer, tune.update_in_backward, tune.master_bytes })
    assert.same({ "adam_bf16", 2 }, { resolved("torchtune", {}, 8).plan.optimizer,
      resolved("torchtune", {}, 8).plan.grad_bytes })
  end)

  it("waits for litgpt's host where adapters leave the keys out, up to 2023", function()
    local function step(year, targets)
      return time({ framework = "litgpt", method = "lora", base_bits = "16", precision = "bf16-true", grad_checkpointing = "0",
        seq_len = "16", year = year, target_modules = targets })
    end
    -- 32 layers, and the ends as one, forward and 1.6 times backward, of 0.65 ms: the device waits for the host.
    assert.near(33 * 2.6 * 6.5e-4, step("2023", "q v") - step("2024", "q v"), 5e-4)
    assert.near(step("2023", "attention"), step("2024", "attention"), 1e-4)
  end)

  it("fills a bucket of gradients where nothing sets DeepSpeed's", function()
    local function held(software, zero)
      return memory({ framework = software, method = "lora", base_bits = "16", gpus = "2", sharding = zero, precision = "bf16", mem_stat = "allocated" }) * (1 << 30)
    end
    assert.near(5e8 * 2, held("accelerate", "ZeRO-2") - held("transformers", "ZeRO-2"), 1e3)
    assert.near(5e8 * 2, held("peft", "ZeRO-3") - held("transformers", "ZeRO-3"), 1e3)
    assert.near(0, held("peft", "ZeRO-1") - held("transformers", "ZeRO-1"), 1e3)
  end)

  it("takes the loss in 16 bit under DeepSpeed's fp16 alone", function()
    local function bytes(software, precision)
      return resolved(software, { adapters = "lora", precision = precision }).profile.logit_bytes
    end
    assert.same({ 8, 16, 16 }, { bytes("transformers + deepspeed", "fp16"), bytes("transformers + deepspeed", "bf16"),
      bytes("transformers", "fp16") })
  end)

  local function held(software, plan)
    local case = resolved(software, plan)
    return core.train_step({ model = case.model, device = case.device, network = case.network, plan = case.plan, job = case.job,
      profile = case.profile }).memory
  end

  it("of unsloth leaves one in twenty of 4-bit weights in 16 bit, and has logits but in 2025", function()
    local narrow = held("unsloth", { adapters = "qlora" })
    local linear, ends = 32 * (2 * 4096 ^ 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336), 2 * 128256 * 4096
    local bytes = linear * (0.95 * (0.5 + 1 / 64) + 0.05 * 2) + 2 * ends
    assert.near(bytes, narrow.weights_bytes, 1e-3 * bytes) -- adapters are in fp32 alone, with their moments
    assert.near(2048 * 128256 * 8, narrow.loss_bytes, 1) -- in 16 bit, in fp32, and their gradient in 16 bit
    local plain = linear * (0.5 + 1 / 64) + 2 * ends
    assert.near(plain, held("unsloth", { adapters = "qlora", base_format = "bitsandbytes" }).weights_bytes, 1e-3 * plain)
    local cut = { name = "unsloth", year = 2025 }
    assert.equal(0, held(cut, { adapters = "qlora", precision = "bf16" }).loss_bytes)
    assert.equal(narrow.loss_bytes, held(cut, { adapters = "qlora", precision = "fp16" }).loss_bytes)
  end)

  it("of torchtune takes an eighth of the logits in fp32 at a time", function()
    assert.near(2048 * 128256 * 2.5, held("torchtune", { adapters = "lora" }).loss_bytes, 1)
  end)

  it("leaves what is stated, and recomputes unasked only where it is known to", function()
    local plan = resolved("ms-swift", { lora_rank = 64, lora_targets = "mlp", recompute = "none" }).plan
    assert.same({ 64, "mlp", "none" }, { plan.lora_rank, plan.lora_targets, plan.recompute })
    assert.equal("none", resolved("peft", { adapters = "lora" }).plan.recompute)
    assert.equal("full", resolved("peft", { adapters = "qlora" }).plan.recompute)
  end)
end)

-- finetune{}: memory by hand, passes of other models, lengths, and what would make a run fit.
local catalog = require("ballpark.catalog")
local choice = require("ballpark.questions.finetune.choice")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local lengths = require("ballpark.resolve.training.lengths")
local questions = require("ballpark.questions")
local rendered = require("ballpark.report")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local shapes = require("ballpark.resolve.shapes")
local finetune = questions.runner("finetune")
local tables = require("ballpark.tables")

local function ask(changes, device, devices)
  local generates = changes.kind == "grpo" or changes.kind == "ppo"
  return finetune.run(tables.with({ model = catalog.model("llama-2-7b"), examples = 1000, seq_len = not generates and 1024 or nil,
    batch = 8, micro_batch = 1, cluster = catalog.cluster({ device = device or "A100-80GB", devices = devices or 1 }) }, changes))
end

local LAYERS <const> = 32 * (4 * 4096 ^ 2 + 3 * 4096 * 11008 + 2 * 4096) + 4096
local ENDS <const> = 2 * 32000 * 4096

describe("finetune", function()
  it("shows a system that is refused beside those that answer, and refuses where none does", function()
    -- 23 examples are no multiple of 8 ranks, which a T4 has for it and a V100, in tensors cut in 8, has not.
    local function on(device)
      local state = scenario.state(nil, { command = "finetune" })
      local answer = environment.new(state).finetune({ model = "llama-3.1-8b", method = "lora", batch = 23, examples = 1791, seq_len = 512,
        cluster = { devices = 8 }, space = { system = { device = device } } })
      questions.show(state.result, answer)
      return answer, rendered.render(state.result, "table"):gsub("%s+", " ")
    end
    local answer, text = on({ "T4", "V100-32GB" })
    assert.same({ 1, 1, "V100-32GB-SXM" },
      { #answer.systems.answers, #answer.systems.refused, answer.systems.best.input.cluster.device.name })
    assert.equal("plan.micro_batch: dp 8 * micro_batch 1 = 8 does not divide the global batch 23", answer.systems.refused[1].why)
    assert.matches("V100%-32GB%-SXM 8 .* – T4 8 – – – – – plan%.micro_batch: dp 8", text)
    assert.matches("does not divide the global batch 23 %(on T4%)", errors.catch(on, { "T4", "T4" }))
  end)

  it("is refused at the ranks that the devices cannot have, whatever words its plan has beside them", function()
    for _, method in ipairs({ "lora", "qlora", "full" }) do
      assert.matches("plan.tp: tp 2 %* pp 1 %* cp 1 does not divide 1 devices", errors.catch(finetune.run, { model = catalog.model("llama-3.1-8b"),
        method = method, examples = 100, plan = { tp = 2 }, cluster = catalog.cluster({ device = "H100", devices = 1 }) }), method)
    end
  end)

  it("has no chance where weights, gradients and moments alone do not fit, however long sequences are", function()
    -- Mistral 7B: 13.5 GiB of bf16 weights, as much again twice of gradients and thrice of fp32 weights and two 8-bit
    -- moments: 81 GiB, of which an H100 has 80.
    local function on(seq_len)
      return finetune.run({ model = catalog.model("mistral-7b"), method = "full", kind = "orpo", batch = 25, micro_batch = 25,
        epochs = 2, examples = 21486, software = { name = "unsloth" }, seq_len = seq_len,
        cluster = catalog.cluster({ device = "H100", devices = 1 }) })
    end
    for _, seq_len in ipairs({ 2500, 2800 }) do
      local answer = on(seq_len)
      assert.near(81, answer.memory.counted_bytes / 2 ^ 30, 0.1)
      assert.equal(0, answer.memory.fit_probability)
      assert.equal(answer.memory.counted_bytes, answer.range.total_bytes.low)
    end
    assert.is_true(on(2800).memory.gradients_bytes < on(2500).memory.gradients_bytes / 10)
  end)

  it("names the cheapest device that surely fits and is in time, and answers on each as alone", function()
    local function on(device, changes)
      local state = scenario.state(nil, { command = "finetune" })
      environment.new(state).finetune(tables.with({ model = "llama-2-7b", examples = 1000, seq_len = 1024, method = "qlora",
        cluster = type(device) == "string" and { device = device, devices = 1 } or {},
        space = type(device) == "table" and { system = { device = device } } or nil }, changes))
      return state.answers[1]
    end
    local names = { "L4", "RTX-3060", "H100", "2x H100" }
    local answer = on(names)
    assert.same({ "H100-SXM-80GB", 1 }, { answer.input.cluster.device.name, answer.input.cluster.network.devices })
    assert.same({ 4, 4 }, { #answer.systems.answers, answer.systems.sure })
    for i, other in ipairs(answer.systems.answers) do
      if other.input.cluster.network.devices == 1 then
        local alone = on(other.input.cluster.device.name)
        assert.same({ alone.run.cost_usd, alone.run.run_s, alone.memory.total_bytes },
          { other.run.cost_usd, other.run.run_s, other.memory.total_bytes }, other.input.cluster.device.name)
      end
      assert.is_true(i == 4 and other.run.cost_usd == nil or answer.run.cost_usd <= other.run.cost_usd)
    end
    assert.equal(2, answer.systems.fastest.input.cluster.network.devices)
    -- What is late is not taken, however cheap; where none is in time the nearest to it stands first.
    local late = on(names, { deadline_s = 0.7 * answer.run.run_s })
    assert.same({ 1, 2 }, { late.systems.sure, late.input.cluster.network.devices })
    local none = on(names, { deadline_s = 1 })
    assert.same({ 0, 2, false }, { none.systems.sure, none.input.cluster.network.devices, none.fits })
    assert.matches("space%.plan", errors.catch(on, "H100", { space = { plan = {} } }))
    assert.matches("space: must be a table, got string", errors.catch(on, "H100", { space = "free" }))
    assert.equal(2, #on({ "L4", "H100" }, { examples = 2000 }).systems.answers)
  end)

  it("tries no more micro-batches than can be the fastest, however large the batch", function()
    local started = os.clock()
    for _, batch in ipairs({ 1 << 31, 2095133040 }) do -- the second has 1,600 divisors
      local answer = ask({ batch = batch, micro_batch = false, method = "lora" })
      assert.is_true(answer.plan.micro_batch >= 1 and answer.memory.total_bytes > 0)
    end
    assert.is_true(os.clock() - started < 5, "took " .. os.clock() - started)
  end)

  it("freezes the four bits that a checkpoint is stored in", function()
    local stored = ask({ model = catalog.model("unsloth/llama-2-7b-bnb-4bit") })
    local qlora = ask({ method = "qlora" })
    assert.equal(qlora.memory.weights_bytes, stored.memory.weights_bytes)
    assert.equal("gptq", ask({ model = catalog.model("llama-2-7b-AWQ"), method = "lora" }).plan.base_format)
    assert.matches("stored in 4 bit", errors.catch(ask, { model = catalog.model("llama-2-7b-AWQ"), method = "full" }))
    for name, wanted in pairs({ ["unsloth/llama-2-7b-bnb-4bit"] = "bitsandbytes", ["unsloth/llama-2-7b-unsloth-bnb-4bit"] = "bitsandbytes_dynamic",
      ["llama-2-7b-GPTQ-Int4"] = "gptq", ["llama-2-7b"] = "bitsandbytes_dynamic" }) do
      local answer = ask({ model = catalog.model(name), method = "qlora", software = "unsloth" })
      assert.equal(wanted, answer.plan.base_format, name)
      local says = table.concat(answer.assumed, " "):find("dynamic checkpoints", 1, true) ~= nil
      assert.equal(wanted == "bitsandbytes_dynamic", says, name)
    end
  end)

  it("has embedding and head in fp32 beside four bits where PEFT prepares them, and says so", function()
    local function held(software, changes)
      local answer = ask(tables.with({ method = "qlora", software = software, rank = 8, targets = "all" }, changes))
      return answer.memory.weights_bytes, table.concat(answer.assumed, " "):find("head and norms in fp32", 1, true) ~= nil
    end
    local wide, said = held("transformers")
    for _, software in ipairs({ "llama-factory", "axolotl" }) do
      local narrow, says = held(software)
      assert.near(2 * ENDS, wide - narrow, 0.01 * ENDS)
      assert.is_false(says)
    end
    assert.is_true(said)
    assert.is_false(select(2, held("transformers", { method = "lora" })))
  end)

  it("says what is trained on of samples that are longer than the sequence", function()
    local function words(about) return table.concat(ask({ method = "lora", lengths = about }).assumed, " ") end
    assert.matches("500 tokens in the mean, .* 0%.8 of it: those of more than 1024 are cut", words({ mean = 500 }))
    assert.matches("mean: those of more than 1024 are dropped", words({ mean = 500, deviation = 500, longer = "dropped" }))
    assert.is_nil(words({ mean = 100 }):find("in the mean", 1, true))
  end)

  it("holds the weights, adapters and states that a hand counts", function()
    -- Rank 16 on queries and values: 2 * 16 * (4096 + 4096) in each of 32 layers; PEFT's are fp32 with Adam: 16 bytes.
    local adapters = 32 * 2 * 16 * 8192
    local lora = ask({ rank = 16, targets = "qv" }).memory
    assert.near(2 * (LAYERS + ENDS), lora.weights_bytes, 1e5)
    assert.near(4 * adapters, lora.gradients_bytes, 1)
    assert.near(12 * adapters, lora.optimizer_bytes, 1)
    local qlora = ask({ method = "qlora", rank = 16, targets = "qv" }).memory
    assert.near((0.5 + 1 / 64) * LAYERS + 4 * ENDS, qlora.weights_bytes, 1e5)
    for _, software in ipairs({ "torchtune", "transformers" }) do -- AdamW's moments are of the weights' format
      local full = ask({ method = "full", software = software, plan = { optimizer = "adam_bf16" } }).memory
      assert.near(2 * (LAYERS + ENDS), full.gradients_bytes, 1e5)
      assert.near(4 * (LAYERS + ENDS), full.optimizer_bytes, 1e5)
    end
    local engine = ask({ method = "full", software = "deepspeed", plan = { optimizer = "adam_bf16" } }) -- keeps its own weights
    assert.is_true(engine.plan.master_bytes > 0)
  end)

  it("needs no more memory for a higher ZeRO stage beside frozen weights", function()
    for _, changes in ipairs({ {}, { software = "deepspeed" }, { software = "ms-swift" }, { software = "axolotl", method = "qlora" },
      { batch = 2 }, { batch = 2, kind = "dpo", lengths = { mean = 300 } }, { plan = { optimizer = "sgd" } } }) do
      local before, chance = math.huge, 0
      for zero = 0, changes.method == "qlora" and 2 or 3 do -- two ranks save little of 4 bit
        local answer = ask(tables.with({ model = catalog.model("llama-3.1-8b"), method = "lora", seq_len = 3072, batch = 16 },
          tables.with(changes, { plan = tables.with({ zero = zero, recompute = "full" }, changes.plan) })), "RTX-4090", 2)
        assert.is_true(answer.memory.total_bytes <= before, zero)
        assert.is_true(answer.memory.fit_probability >= chance, zero)
        before, chance = answer.memory.total_bytes, answer.memory.fit_probability
      end
    end
  end)

  it("runs on Transformers where DeepSpeed alone is named", function()
    local plan = { zero = 3, offload = "optimizer_weights", recompute = "full" }
    local alone = ask({ software = "DeepSpeed", plan = plan })
    local both = ask({ software = "transformers + deepspeed", plan = plan })
    assert.equal(both.memory.total_bytes, alone.memory.total_bytes)
    assert.equal(both.step_s, alone.step_s)
  end)

  it("keeps what DeepSpeed gathered, up to a thousand million parameters", function()
    -- One rank that streams its weights: 16-bit weights of 1e9 of all parameters in place of those of two layers and
    -- of the ends.
    local plan = { zero = 3, offload = "optimizer_weights", recompute = "full" }
    local function working(software) return ask({ software = software, plan = plan }).memory.working_bytes end
    local two = 2 * 2 * (LAYERS - 4096) / 32 + 2 * 2 * 32000 * 4096
    local difference = working("transformers + deepspeed") - working("transformers")
    assert.near(2 * 1e9 - two, difference, 2e7)
  end)

  it("takes no less memory for more rank, matrices, tokens and sequences", function()
    local function bytes(changes) return ask(changes).memory.total_bytes end
    local base = bytes({ rank = 8 })
    assert.is_true(bytes({ rank = 64 }) > base)
    assert.is_true(bytes({ rank = 8, targets = "all" }) > base)
    assert.is_true(bytes({ rank = 8, seq_len = 2048 }) > base)
    assert.is_true(bytes({ rank = 8, micro_batch = 2 }) > base)
    assert.is_true(bytes({ rank = 8, method = "qlora" }) < base)
  end)

  it("runs a reference forward, which only whole weights have a copy of", function()
    local sft, dpo = ask({ plan = { recompute = "full" } }), ask({ kind = "dpo", plan = { recompute = "full" } })
    assert.equal(0, dpo.others_bytes)
    assert.equal(2 * sft.plan.micro_batch, dpo.plan.micro_batch)
    assert.near(dpo.train_s + dpo.forward_s, dpo.step_s, 1e-9)
    assert.is_true(dpo.forward_s < 0.5 * dpo.train_s)
    local whole = ask({ kind = "dpo", method = "full" })
    assert.near(2 * (LAYERS + ENDS), whole.others_bytes, 1e5)
    local orpo = ask({ kind = "orpo", method = "full" })
    assert.equal(0, orpo.others_bytes)
    assert.near(orpo.train_s, orpo.step_s, 1e-12)
  end)

  it("has no vocabulary behind a model that scores", function()
    local GIB <const> = 1 << 30
    local function said(answer, text) return table.concat(answer.assumed, "\n"):find(text, 1, true) ~= nil end
    local function offers(answer, text)
      for _, change in ipairs(answer.changes) do if change.words == text then return true end end
      return false
    end
    -- Weights, gradients and moments of 0.6 billion parameters at 16 bytes, an embedding among them which the head shares,
    -- checkpoints and one layer: no logits of 4096 tokens and 151,936 words at ten bytes or more.
    local small = { model = catalog.model("qwen3-0.6b"), method = "full", batch = 16, seq_len = 2048, plan = { recompute = "full" } }
    local orpo = ask(tables.with(small, { kind = "orpo" }), "RTX-4090")
    local reward = ask(tables.with(small, { kind = "reward" }), "RTX-4090")
    assert.is_true(orpo.memory.total_bytes > 20 * GIB and orpo.memory.logits_bytes > 4 * GIB)
    assert.near(12 * GIB, reward.memory.total_bytes, GIB)
    assert.is_true(reward.memory.loss_bytes < 1e6)
    assert.near(shapes.params(small.model) + 1025, reward.trained_params, 0.5)
    assert.same({ true, false }, { offers(orpo, "fused loss (Liger)"), offers(reward, "fused loss (Liger)") })
    assert.same({ false, true }, { said(orpo, "one number"), said(reward, "The head of a reward model is one number a sequence.") })
    -- A quarter of the FLOP of a token is the head's, where sequences are short.
    assert.is_true(reward.step_s < 0.8 * orpo.step_s)
    -- A head of its own goes with its parameters, the embedding stays.
    local parts = { method = "full", plan = { recompute = "full" } }
    local alone = ask(tables.with(parts, { kind = "reward" })).trained_params
    assert.near(LAYERS + ENDS / 2 + 4097, alone, 0.5)
    -- So it is with critic and reward model beside a policy, which has its logits.
    local generation = { prompt_tokens = 256, output_tokens = 768, completions = 1 }
    local ppo = ask({ kind = "ppo", method = "full", generation = generation, plan = { recompute = "full", zero = 0 } }, "B200")
    local states = ppo.memory.weights_bytes + ppo.memory.gradients_bytes + ppo.memory.optimizer_bytes
    local share = alone / (LAYERS + ENDS)
    assert.near(states * share + 2 * (LAYERS + ENDS) + 2 * alone, ppo.others_bytes, 1e6)
    assert.is_true(ppo.critic_s < ppo.train_s and ppo.scoring_s < ppo.forward_s)
    assert.is_true(offers(ppo, "fused loss (Liger)") and said(ppo, "Critic and reward model have a head of one number"))
    -- A length that nobody says is that of the data, whatever head reads it.
    local unsaid = { method = "lora", seq_len = false }
    assert.equal(ask(tables.with(unsaid, { kind = "orpo" })).seq_len, ask(tables.with(unsaid, { kind = "reward" })).seq_len)
  end)

  it("counts other models under the plan that it shows", function()
    -- Shown with the bytes of unsharded copies, or of a micro-batch that was not taken, when these came before the plan.
    local function shown(changes, device, devices)
      local input = tables.with({ method = "full", micro_batch = false, seq_len = false, batch = false, examples = 20000 }, changes)
      input.model = catalog.model(changes.model)
      local first = ask(input, device, devices)
      local plan = { zero = first.plan.zero, recompute = first.plan.recompute, recompute_share = first.plan.recompute_share }
      local again = ask(tables.with(input, { plan = plan, micro_batch = first.plan.micro_batch // first.sequences }), device, devices)
      for _, name in ipairs({ "total_bytes", "fit_probability" }) do assert.equal(again.memory[name], first.memory[name], name) end
      assert.equal(again.others_bytes, first.others_bytes)
      assert.equal(again.step_s, first.step_s)
      return first
    end
    local dpo = shown({ model = "llama-3.1-8b", kind = "dpo", seq_len = 1024, batch = 16 }, "B200", 8)
    assert.equal(3, dpo.plan.zero)
    -- Each rank has its part of the reference, however ranks are laid out; so many of them as share the weights.
    local copy = 2 * shapes.params(catalog.model("llama-3.1-8b"))
    local function others(plan)
      return ask({ model = catalog.model("llama-3.1-8b"), method = "full", kind = "dpo", plan = plan }, "B200", 8).others_bytes
    end
    assert.near(copy / 8, dpo.others_bytes, 1e5)
    assert.near(copy / 8, others({ zero = 3, cp = 2 }), 1e5)
    assert.near(copy / 8, others({ zero = 3, pp = 2 }), 1e5)
    assert.near(copy / 2, others({ zero = 3, shard = 2 }), 1e5)
    assert.near(copy / 4, others({ zero = 1, pp = 2, tp = 2 }), 1e5)
    local generation = { prompt_tokens = 256, output_tokens = 512, completions = 1 }
    shown({ model = "qwen3-4b", kind = "ppo", generation = generation }, "H200", 4)
    generation = { prompt_tokens = 77, output_tokens = 297, completions = 16 }
    local ppo = { model = "qwen2.5-7b", kind = "ppo", examples = 3008, generation = generation }
    for _, batch in ipairs({ 128, 256 }) do shown(tables.with(ppo, { batch = batch }), "A100-80GB", 4) end
    shown({ model = "qwen3-4b", kind = "ppo", method = "qlora", batch = 128, software = "axolotl", examples = 1000 }, "L4", 16)
  end)

  it("says of models that are far too large what they need beside each other", function()
    local answer = ask({ model = catalog.model("llama-3.1-405b"), kind = "ppo", method = "full" }, "B200", 1)
    assert.is_true(answer.others_bytes > 1e12 and answer.memory.total_bytes > answer.others_bytes)
    assert.equal(0, answer.memory.fit_probability)
  end)

  it("never parts a pair, be memory or devices what they are", function()
    local function pairs_on(memory_gib, devices, batch, plan)
      local device = tables.with(catalog.device("L4"), { memory_bytes = memory_gib << 30 })
      return finetune.run({ kind = "dpo", model = catalog.model("qwen2.5-1.5b"), method = "lora", software = "trl",
        examples = 1000, batch = batch, seq_len = 2048, plan = tables.with({ recompute = "none" }, plan or {}),
        cluster = catalog.cluster({ device = device, devices = devices }) })
    end
    local small, large = pairs_on(16, 1, 8), pairs_on(48, 1, 8)
    assert.is_true(large.fits)
    assert.is_false(small.fits) -- two sequences of 2,048 tokens, as on the large one
    assert.equal(2, small.plan.micro_batch)
    assert.equal(large.memory.total_bytes, small.memory.total_bytes)
    for _, batch in ipairs({ 1, 2, 3, 6 }) do
      local plan = pairs_on(48, 2, batch).plan
      assert.equal(0, 2 * batch % (plan.dp * plan.micro_batch))
      assert.equal(0, plan.micro_batch % 2)
    end
    assert.matches("parts a pair", errors.catch(pairs_on, 48, 1, 8, { micro_batch = 1 }))
  end)

  it("takes as many short samples at a time as are fastest, whatever the longest may be", function()
    local b200 = catalog.device("B200")
    for _, by in ipairs({ 1, 5 }) do
      local device = tables.with(b200, { mem_bw_bytes_s = by * b200.mem_bw_bytes_s })
      local function short(micro_batch)
        return finetune.run({ kind = "orpo", model = catalog.model("Mistral-7B-v0.1"), method = "qlora", examples = 1000,
          batch = 32, seq_len = 8192, lengths = { p50 = 20, p90 = 56 }, micro_batch = micro_batch,
          cluster = catalog.cluster({ device = device, devices = 2 }) })
      end
      assert.is_true(short().step_s <= 1.01 * short(8).step_s, ("%g"):format(by))
    end
  end)

  it("cuts a model before ranks share a small batch", function()
    local answer = ask({ model = catalog.model("llama-2-70b"), method = "lora", software = "nemo", micro_batch = 2, seq_len = 4096 }, "H100", 8)
    assert.is_true(answer.plan.tp > 1 and 8 % (answer.plan.dp * answer.plan.micro_batch) == 0)
  end)

  it("generates before it learns", function()
    local short = ask({ kind = "grpo", generation = { prompt_tokens = 256, output_tokens = 128 } }, "H100")
    local long = ask({ kind = "grpo", generation = { prompt_tokens = 256, output_tokens = 512 } }, "H100")
    assert.equal(384, short.seq_len)
    assert.is_true(long.rollout.seconds > 3 * short.rollout.seconds)
    assert.near(long.train_s + long.forward_s + long.rollout.seconds, long.step_s, 1e-9)
    assert.equal(1000 * 8 // 8, long.run.steps) -- eight answers to each prompt, eight sequences a step
    local ppo = ask({ kind = "ppo", generation = { output_tokens = 512, prompt_tokens = 256 } }, "H100")
    assert.near(ppo.train_s + ppo.critic_s + 2 * ppo.forward_s + 2 * ppo.scoring_s + ppo.rollout.seconds, ppo.step_s, 1e-9)
    local wide, sure = ppo.range.step_s, ask({ kind = "dpo" }, "H100").range.step_s -- no part of which waits for another
    assert.near(sure.value / sure.low, sure.high / sure.value, 0.05)
    assert.near(3 * wide.value / wide.low, wide.high / wide.value, 0.15)
    -- An evaluation generates too: eight answers to each of a hundred prompts, eight at a time.
    for _, kind in ipairs({ "grpo", "ppo" }) do
      local evaluated = ask({ kind = kind, evaluation = 100, generation = { prompt_tokens = 256, output_tokens = 128 } }, "H100")
      assert.near(100 * 8 / 8 * (evaluated.rollout.seconds + evaluated.forward_s), evaluated.run.evaluation_s, 1e-9)
      assert.matches("An evaluation generates as many answers to a prompt as a step, 8%.", table.concat(evaluated.assumed, " "))
    end
    local full = ask({ kind = "grpo", method = "full" }, "RTX-4090")
    assert.is_false(full.fits)
    -- Eighteen bytes of each of 6.74 thousand million parameters: 16 that learn, two of the reference.
    assert.matches("^answers cannot be generated beside the states of training: weights, gradients, optimizer states and other "
      .. "models take 113 GiB, and a device has 24%.0 GiB; times", full.contradictions[1].text)
    for name, value in pairs({ seq_len = 512, packing = true }) do
      assert.matches("^" .. name .. ": of kinds that generate answers", errors.catch(ask, { kind = "grpo", [name] = value }))
    end
  end)

  it("generates no slower on larger cards", function()
    local last = math.huge
    for _, gib in ipairs({ 30, 32, 34, 35, 36, 48 }) do
      local card = tables.with(catalog.device("RTX-4090"), { memory_bytes = gib << 30 })
      local rollout = ask({ model = catalog.model("llama-3.1-8b"), kind = "ppo",
        generation = { prompt_tokens = 50, output_tokens = 100, completions = 2 } }, card, 2).rollout
      if not rollout.refused then
        assert.is_true(rollout.seconds <= last * 1.0000001, gib)
        last = rollout.seconds
      end
    end
    assert.is_true(last < math.huge)
  end)

  it("has a usual batch that any number of devices shares", function()
    for devices, batch in pairs({ [1] = 16, [3] = 18, [6] = 18, [7] = 21, [24] = 24 }) do
      assert.equal(batch, finetune.run({ model = catalog.model("llama-3.1-8b"), examples = 100,
        cluster = catalog.cluster({ device = "H100", devices = devices }) }).input.job.global_batch)
    end
  end)

  it("has two groups of answers on every device where answers are generated", function()
    local function batch(kind, devices, completions)
      return finetune.run({ model = catalog.model("llama-3.1-8b"), examples = 100, kind = kind,
        generation = completions and { completions = completions }, cluster = catalog.cluster({ device = "H100", devices = devices }) })
        .input.job.global_batch
    end
    assert.same({ 16, 128, 16, 96 }, { batch("grpo", 1), batch("grpo", 8), batch("ppo", 1, 1), batch("grpo", 4, 24) })
  end)

  it("trains as the software's recipes do, where no method is said", function()
    local function method(software, changes) return ask(tables.with({ software = software }, changes)).method end
    assert.same({ "qlora", "qlora", "lora", "lora", "lora" }, { method("unsloth"), method({ name = "Unsloth" }), method("trl"), method(nil),
      method("unsloth", { method = "lora" }) })
  end)

  it("shards nothing with software that has whole states on every device", function()
    local answer = ask({ model = catalog.model("llama-3.1-70b"), software = "unsloth", micro_batch = false }, "A100-40GB", 2)
    assert.equal(0, answer.plan.zero)
    assert.is_false(answer.fits)
    for _, change in ipairs(answer.changes) do
      assert.no.matches("ZeRO", change.words)
      assert.no.matches("FSDP", change.words)
      assert.no.matches("^TP", change.words)
    end
    assert.matches("^plan.zero: 3, and unsloth has the whole model", errors.catch(ask, { software = "unsloth", plan = { zero = 3 } }))
    for _, case in ipairs({ { "llama-3.1-70b", "lora" }, { "llama-2-7b", "full" }, { "mixtral-8x7b", "lora" } }) do
      local function plan(device, devices)
        local held = ask({ model = catalog.model(case[1]), software = "unsloth", method = case[2] }, device, devices)
        return { held.plan.zero, held.plan.tp, held.plan.ep, held.plan.dp }, held
      end
      local several, held = plan("A100-40GB", 4)
      assert.same({ 0, 1, 1, 4 }, several)
      assert.is_false(held.fits)
      -- What one device has not room for, four that each hold all of it have not either.
      assert.near(select(2, plan("A100-40GB", 1)).memory.weights_bytes, held.memory.weights_bytes, 1)
    end
  end)

  it("takes matrices with adapters as people write them", function()
    local function targets(text) return ask({ targets = text }).plan.lora_targets end
    for text, word in pairs({ ["q_proj,v_proj"] = "qv", ["all-linear"] = "all", ["q_proj v_proj k_proj o_proj"] = "attention",
      ["gate_proj,up_proj,down_proj"] = "mlp", ["q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj"] = "all", c_attn = "qkv",
      attention = "attention" }) do
      assert.equal(word, targets(text), text)
    end
    assert.matches("'q_proj': adapters are counted on all", errors.catch(targets, "q_proj"), 1, true)
    assert.matches("'q_proj,foo' is not one of", errors.catch(targets, "q_proj,foo"), 1, true)
  end)

  it("counts no gradients of frozen weights in MFU", function()
    -- Of a matmul's forward, gradient of its input and gradient of its weights LoRA lacks the last: 2 of 3 parts, besides
    -- attention and what adapters of rank 1 add.
    local plan = { recompute = "none" }
    local lora, full = ask({ rank = 1, targets = "qv", plan = plan }), ask({ method = "full", plan = plan })
    local function flop(out) return out.mfu_frac * out.train_s end
    local attention = 3 * 32 * 2 * 2 * 4096 * 1024 / 2
    local matmuls = 2 * (LAYERS - 4096 - 64 * 4096 + ENDS / 2)
    assert.near((2 * matmuls + attention) / (3 * matmuls + attention), flop(lora) / flop(full), 2e-3)
    assert.near(8 * 1024 * (3 * matmuls + attention) / 312e12, flop(full), 2e-3 * flop(full))
    -- Padding is no work: of samples in pairs of 100 and 300 a half of the pairs.
    local short = { lengths = { samples = { 100, 300 } }, plan = plan }
    local one, two = ask(tables.with(short, { micro_batch = 1 })), ask(tables.with(short, { micro_batch = 2 }))
    assert.near(flop(one), flop(two), 0.03 * flop(one))
  end)

  it("counts steps, tokens, money, evaluation and saving", function()
    local answer = ask({ epochs = 3, lengths = { mean = 200, deviation = 150 }, price = 2, evaluation = 100 })
    assert.equal(375, answer.run.steps)
    assert.near(3 * 1000 * 200, answer.run.tokens, 0.02 * 600000)
    assert.near(375 * answer.step_s + answer.run.evaluation_s + answer.run.save_s, answer.run.run_s, 1e-6)
    assert.near(2 * answer.run.run_s / 3600, answer.run.cost_usd, 1e-9)
    assert.near(3 * 100 / 8 * answer.forward_s, answer.run.evaluation_s, 1e-9)
    -- A part of an epoch ends with one, too.
    local half = ask({ epochs = 1.5, evaluation = 100 })
    assert.near(2 * 100 / 8 * half.forward_s, half.run.evaluation_s, 1e-9)
  end)

  it("evaluates packed samples in sequences that they fill", function()
    -- Four samples of 256 tokens fill a sequence, eight sequences a step: 1,000 are 250 sequences, and pairs twice as many.
    for kind, sequences in pairs({ sft = 250, kto = 250, reward = 500, dpo = 500 }) do
      local packed = ask({ kind = kind, packing = true, lengths = { samples = { 256 } }, evaluation = 1000 })
      assert.near(sequences / packed.step_sequences * packed.forward_s, packed.run.evaluation_s, 0.01 * packed.run.evaluation_s)
    end
  end)

  it("needs fewer steps for packed samples, and less time for short ones", function()
    local about = { mean = 200, deviation = 150 }
    local full, padded = ask({}), ask({ lengths = about })
    assert.is_true(padded.run.run_s < 0.7 * full.run.run_s)
    assert.equal(full.memory.total_bytes, padded.memory.total_bytes)
    local packed = ask({ lengths = about, packing = true })
    assert.is_true(packed.run.steps < padded.run.steps / 4)
    assert.is_true(packed.run.run_s < padded.run.run_s)
    assert.is_true(padded.cached_bytes > 0 and packed.cached_bytes == 0)
  end)

  it("is the less sure the more the spread of lengths counts, where nobody says it", function()
    local function at(deviation, more)
      return ask(tables.with({ lengths = { mean = 200, deviation = deviation }, batch = 64, plan = { zero = 3 } }, more), nil, 8)
    end
    local open, usual = at(nil), at(160)
    local low, high = open.range.run_s.low, open.range.run_s.high
    assert.equal(usual.run.run_s, open.run.run_s)
    for deviation, out in pairs({ [80] = usual.range.run_s.low, [240] = usual.range.run_s.high }) do
      local there = at(deviation).run.run_s
      assert.is_true(low < there and there < high, deviation)
      assert.is_true(low < out and out < high)
    end
    assert.matches("^left open: lengths.deviation$", open.range.step_s.why[#open.range.step_s.why])
    assert.matches("Standard deviation of samples taken as 0.8", table.concat(open.assumed, " "), 1, true)
    -- It does not where samples fill sequences.
    for _, answer in ipairs({ at(nil, { packing = true }), usual }) do
      assert.is_nil(table.concat(answer.range.step_s.why, " "):find("deviation", 1, true))
    end
  end)

  it("attends inside packed samples where the software keeps them apart", function()
    local function packed(software)
      return ask({ lengths = { mean = 200, deviation = 0 }, packing = true, seq_len = 8192, software = software })
    end
    local apart, together = packed("axolotl"), packed("llama-factory")
    assert.near(200, apart.input.job.document_tok, 0.02 * 200)
    assert.equal(0, together.input.job.document_tok)
    assert.is_true(apart.step_s < 0.95 * together.step_s)
    assert.equal(0, packed({ name = "axolotl", year = 2022 }).input.job.document_tok)
    -- Of samples of 100 and 300 tokens as many a token is in one of (100^2 + 300^2) / 400.
    local mixed = ask({ lengths = { samples = { 100, 300 } }, packing = true, seq_len = 8192, software = "axolotl" })
    assert.near(250, mixed.input.job.document_tok, 0.05 * 250)
  end)

  it("says how it fits, the largest that does, and what would change that", function()
    local tight = ask({ method = "full" }, "A100-40GB")
    assert.is_false(tight.fits)
    assert.is_nil(tight.largest.micro_batch)
    local fitting = {}
    for _, change in ipairs(tight.changes) do
      if change.fit_probability > 0.9 then fitting[#fitting + 1] = change.words end
    end
    assert.is_true(tables.contains(fitting, "LoRA"))
    -- Transformers cuts weights that it trains, and none under adapters.
    for _, method in ipairs({ "full", "qlora" }) do
      local cut = false
      for _, change in ipairs(ask({ method = method, model = catalog.model("llama-65b") }, "A100-40GB").changes) do cut = cut or change.words:find("^TP ") ~= nil end
      assert.equal(method == "full", cut)
    end
    assert.is_true(tables.contains(fitting, "QLoRA: frozen weights in 4 bit"))
    local roomy = ask({ micro_batch = nil })
    assert.is_true(roomy.fits and roomy.largest.micro_batch >= 2 and roomy.largest.seq_len >= 2048)
    assert.is_true(roomy.memory.fit_probability > 0 and roomy.memory.fit_probability <= 1)
  end)

  it("has as many of another device where there are so many nodes, at the price of that device", function()
    local function on_another(cluster)
      local full = { method = "full", model = catalog.model("llama-3.1-70b"), micro_batch = false, batch = false,
        cluster = catalog.cluster(tables.with({ device = "A100-40GB" }, cluster)) }
      for _, change in ipairs(ask(full).changes) do
        if change.words:find("^on 16 x ") then return change end
      end
    end
    local by_count, by_nodes = on_another({ devices = 16 }), on_another({ nodes = 2 })
    assert.same(by_count, by_nodes)
    assert.equal(16 * catalog.price(by_nodes.words:match("x (.+)$")), by_nodes.usd_h)
    assert.equal(by_nodes.usd_h, on_another({ nodes = 2, price = 0.5 }).usd_h)
  end)

  it("keeps no fp32 copy, or steps in backward, as a change of its own", function()
    local function change(answer, words)
      for _, one in ipairs(answer.changes) do if one.words == words then return one end end
    end
    local full = ask({ method = "full" }, "A100-40GB")
    local gib = 1 << 30
    local pure = change(full, "weights, gradients and moments in bf16")
    -- 16 bytes a weight and the casts of autocast, or 2 + 2 + 4; and a twentieth of fragmentation.
    assert.near(1.05 * (16 + 2 - 8) * (LAYERS + ENDS), full.memory.total_bytes - pure.total_bytes, 2 * gib)
    local stepped = change(full, "optimizer in backward, one micro-batch a step")
    assert.is_true(stepped.total_bytes < full.memory.total_bytes - 3 * (LAYERS + ENDS))
    assert.is_nil(change(ask({ method = "full", batch = 1 }, "A100-40GB"), "optimizer in backward, one micro-batch a step"))
  end)

  it("compares software by the same adapters", function()
    local function beside(answer, words)
      for _, one in ipairs(answer.changes) do if one.words == words then return one end end
    end
    local quantised = { method = "qlora", lengths = "alpaca" }
    local slim = ask(tables.with(quantised, { software = "unsloth" }))
    local other = ask(tables.with(quantised, { software = "transformers", rank = 16, targets = "all" }))
    local change = beside(slim, "with transformers, the same adapters")
    assert.equal(other.memory.total_bytes, change.total_bytes)
    assert.near(other.example_s / slim.example_s, change.times, 1e-12)
    assert.is_true(other.memory.total_bytes > ask(tables.with(quantised, { software = "transformers" })).memory.total_bytes)
    local back = beside(other, "with unsloth, the same adapters")
    assert.equal(slim.memory.total_bytes, back.total_bytes)
  end)

  it("compares changes by the time of an example, however many a step has", function()
    local full = ask({ method = "full", batch = 16, examples = 1600 }, "A100-80GB")
    for _, change in ipairs(full.changes) do
      if change.words == "optimizer in backward, one micro-batch a step" then
        -- A step of one example beside one of sixteen.
        assert.near(change.step_s / 1 / (full.step_s / 16), change.times, 1e-9)
        return
      end
    end
    error("no step in backward among the changes")
  end)

  it("is no slower on two cards than on one, where samples are shorter than the longest", function()
    local function on(model, device, devices)
      return ask({ model = catalog.model(model), method = "lora", lengths = { mean = 500 }, seq_len = 2048, batch = 16,
        micro_batch = false }, device, devices)
    end
    -- Of the 8-billion models on 24 GB the one that all but surely fits whole, and of one that surely does.
    for _, pair in ipairs({ { "qwen2.5-7b", "RTX-4090" }, { "mistral-7b", "L4" } }) do
      local one, two = on(pair[1], pair[2], 1), on(pair[1], pair[2], 2)
      assert.is_true(one.memory.fit_probability > 0.8, pair[1])
      assert.is_true(two.run.run_s < 0.6 * one.run.run_s, pair[1])
    end
    -- Where whole weights fit less surely than that, they are told of beside what is taken: with moments of adapters shared,
    -- which is as fast and needs a little less.
    local tight = on("qwen2.5-7b", "L4", 2)
    assert.equal(3, tight.plan.zero)
    assert.is_true(tight.memory.fit_probability >= 0.9)
    local whole = tight.changes[1]
    assert.equal("ZeRO stage 1", whole.words)
    assert.is_true(whole.fit_probability > 0.5 and whole.fit_probability < 0.8 and whole.times < 1)
  end)

  it("shares no more states than the run asks for, and is faster on two cards than on one", function()
    local function on(model, device, devices, changes)
      return ask(tables.with({ model = catalog.model(model), method = "full", seq_len = 2048, micro_batch = false,
        lengths = { mean = 300 } }, changes), device, devices)
    end
    -- ms-swift's states are 8 bytes each in bf16, 61 GB of 7.6 billion: whole in 141, in 80 only where two cards share
    -- moments; software that shares weights first would wait for them in every micro-batch.
    for device, stages in pairs({ H200 = { 0, 0 }, H100 = { 0, 1 }, ["A100-80GB"] = { 0, 0 } }) do
      for _, micro_batch in ipairs({ 2, false }) do
        local changes = { software = "ms-swift", micro_batch = micro_batch }
        local two = on("qwen2.5-7b", device, 2, changes)
        assert.is_true(two.memory.fit_probability >= 0.9 and two.plan.zero <= stages[2] + 1, device)
        for zero = 0, 3 do
          local stated = on("qwen2.5-7b", device, 2, tables.with(changes, { plan = { zero = zero } }))
          assert.is_true(stated.memory.fit_probability < 0.9 or two.run.run_s <= 1.05 * stated.run.run_s, device .. zero)
        end
        local one = on("qwen2.5-7b", device, 1, changes)
        if one.memory.fit_probability >= 0.9 then assert.is_true(two.run.run_s < 0.8 * one.run.run_s, device) end
      end
    end
    -- 1.24 billion weights: 18 bytes of each are 22 GB of 24, with moments and masters of two cards 15.
    local moments = on("llama-3.2-1b", "RTX-4090", 2, { software = "deepspeed", batch = 16 })
    assert.is_true(moments.plan.zero == 1 and moments.memory.fit_probability >= 0.9)
    assert.matches("ZeRO stage 1, the s%a+ would not fit otherwise", table.concat(moments.assumed, " "))
    for _, software in ipairs({ "transformers", "axolotl" }) do
      local lion = on("llama-3.2-1b", "RTX-4090", 2, { software = software, batch = 16, plan = { optimizer = "lion" } })
      assert.is_true(lion.plan.zero == 1 and lion.memory.fit_probability >= 0.9, software)
    end
  end)

  it("refuses adapters on nothing but routed experts, and says where they are left out", function()
    local function adapted(model, targets)
      return ask({ model = catalog.model(model), method = "lora", rank = 8, targets = targets }, "H200", 2)
    end
    assert.matches("^plan%.lora_targets: mlp, but the feed%-forward parts of Mixtral.* say attention",
      errors.catch(adapted, "mixtral-8x7b", "mlp"))
    local words = "no adapters on routed experts"
    assert.matches(words, table.concat(adapted("mixtral-8x7b", "all").assumed, " "), 1, true)
    assert.no.matches(words, table.concat(adapted("mixtral-8x7b", "attention").assumed, " "), 1, true)
    assert.no.matches(words, table.concat(adapted("llama-2-7b", "mlp").assumed, " "), 1, true)
    -- One dense layer of 27, and two shared experts in each of the others, both with three matrices.
    local dense = adapted("deepseek-v2-lite", "mlp")
    assert.equal(8 * 3 * (2048 + 10944 + 26 * (2048 + 2 * 1408)), dense.trained_params)
  end)

  it("is hardly slower with a faster link, where the states may be sharded or not", function()
    local card = catalog.device("RTX-4090")
    local function over(link)
      return ask({ model = catalog.model("gemma-2-9b"), method = "lora", seq_len = 512, batch = 8, micro_batch = false,
        cluster = catalog.cluster({ device = tables.with(card, { link_bytes_s = link * card.link_bytes_s }), devices = 2 }) })
    end
    local before
    for _, link in ipairs({ 1, 1.3, 2, 4, 8 }) do
      local out = over(link)
      assert.is_true(not before or out.step_s <= 1.05 * before, ("%g times the link"):format(link))
      before = out.step_s
    end
  end)

  it("trains all weights on one device as torchtune's recipe does", function()
    local function torchtune(changes) return ask(tables.with({ method = "full", software = "torchtune", batch = false,
      micro_batch = false }, changes)) end
    local answer = torchtune({})
    assert.equal("paged_adam_8bit", answer.plan.optimizer)
    assert.is_true(answer.plan.update_in_backward)
    assert.equal(2, answer.plan.micro_batch)
    assert.equal(2, answer.input.job.global_batch)
    -- Weights in 16 bit, and little else.
    assert.near(2 * (LAYERS + ENDS), answer.memory.total_bytes, 5 * (1 << 30))
    assert.equal("adam_bf16", torchtune({ batch = 8, micro_batch = 1 }).plan.optimizer)
  end)

  it("has ranges around what it says, in every format", function()
    local answer = ask({ price = 2 })
    for _, name in ipairs({ "step_s", "run_s", "cost_usd", "total_bytes", "tokens_per_s" }) do
      local band = answer.range[name]
      assert.is_true(band.low < band.value and band.value < band.high)
    end
    assert.near(answer.tokens_per_s / answer.range.tokens_per_s.low,
      answer.range.step_s.high / answer.step_s, 1e-9)
    local report = result.new({ command = "finetune" })
    questions.show(report, answer)
    for _, format in ipairs(rendered.formats) do
      assert.is_true(#rendered.render(report, format, {}) > 100, format)
    end
  end)

  it("holds no longer sequence than the longest sample, where none is said", function()
    local function of(changes)
      return finetune.run(tables.with({ model = catalog.model("llama-2-7b"), method = "lora", examples = 1000, batch = 8,
        cluster = catalog.cluster({ device = "A100-80GB", devices = 1 }) }, changes)).seq_len
    end
    assert.same({ 2048, 1304, 2048, 4096, 700 }, { of({}), of({ lengths = "alpaca" }), of({ lengths = "alpaca", packing = true }),
      of({ lengths = "alpaca", seq_len = 4096 }), of({ lengths = { samples = { 40, 700, 300 } } }) })
  end)

  it("takes lengths as samples and percentiles", function()
    -- Half of the samples have 100 tokens, half 300: of pairs a quarter is padded to 100.
    local two = lengths.checked({ samples = { 100, 300, 100, 300 } })
    assert.same({ 100, 100, 100, 100, 300, 300, 300, 300 }, lengths.of(two, 400, 1).points)
    assert.same({ 100, 100, 300, 300, 300, 300, 300, 300 }, lengths.of(two, 400, 2).points)
    assert.near(200, lengths.of(two, 400, 1).tokens, 0.5)
    -- Two ranks wait for the longer of theirs, after each micro-batch where gradients are sharded, else after a step: the
    -- means are 250 and 200, of sums of four half as far apart.
    local function slowest(zero) return lengths.of(two, 400, 1, { dp = 2, zero = zero, micro_batches = 4 }).slowest end
    assert.same({ 100, 100, 300, 300, 300, 300, 300, 300 }, slowest(2))
    assert.same({ 125, 125, 125, 125, 325, 325, 325, 325 }, slowest(1))
    assert.same({ 100, 100, 100, 100, 100, 100, 100, 100 },
      lengths.of(tables.with(two, { longer = "dropped" }), 200, 1).points)
    -- Even between 0 and 1000: the mean is 500; at most 800 of them, 0.8 * 400 + 0.2 * 800.
    local even = lengths.checked({ p10 = 100, p50 = 500, ["p99.9"] = 999 })
    assert.near(500, lengths.of(even, 2000, 1).tokens, 2)
    assert.near(480, lengths.of(even, 800, 1).tokens, 1)
    -- Percentiles of the exponential distribution give its mean back.
    local quantiles = {}
    for _, p in ipairs({ 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99 }) do quantiles["p" .. p] = -200 * math.log(1 - p / 100) end
    assert.near(200, lengths.of(lengths.checked(quantiles), 4000, 1).tokens, 4)
    assert.near(200, lengths.of(lengths.checked({ mean = 200, deviation = 200 }), 4000, 1).tokens, 2)
    assert.near(1000, lengths.of(lengths.checked({ mean = 1000, deviation = 1e-6 }), 4000, 2).points[1], 1)
    assert.near(1000, lengths.of(lengths.checked({ mean = 1000, deviation = 0 }), 4000, 2).points[1], 1)
    assert.matches("lengths.deviation", errors.catch(lengths.checked, { mean = 1000, deviation = -1 }), 1, true)
    assert.equal(4000, lengths.of(lengths.checked({ mean = 1e300 }), 4000, 1).points[1])
    assert.equal(1, lengths.of(lengths.checked({ mean = 1e-300 }), 2000, 1).points[1])
    local answer = ask({ examples = false, lengths = { samples = { 100, 300, 100, 300 } }, batch = 1, price = 2 })
    assert.equal(4, answer.run.steps)
    assert.near(4 / (2 * answer.run.run_s / 3600), answer.run.examples_per_usd, 1e-6)
  end)

  it("trains on the examples that are left of a data set whose longer samples are dropped", function()
    local half = {}
    for i = 1, 100 do half[i] = i % 2 == 0 and 100 or 5000 end
    local function of(about, changes) return ask(tables.with({ examples = false, seq_len = 1000, batch = 10, lengths = about }, changes)) end
    local function seen(answer) return { answer.run.examples, answer.run.dropped, answer.run.steps } end
    local dropped, short = of({ samples = half, longer = "dropped" }), of({ samples = { 100 } }, { examples = 50 })
    assert.same({ 50, 50, 5 }, seen(dropped))
    for _, name in ipairs({ "run_s", "cost_usd", "tokens", "examples_per_s" }) do
      assert.near(short.run[name], dropped.run[name], 1e-9 * short.run[name], name)
    end
    assert.near(2 * dropped.example_s, short.example_s, 1e-9) -- of the examples of the data set
    assert.same({ 100, 0, 10 }, seen(of({ samples = half })))
    -- As software does unasked, of more epochs, packed: ten of 100 tokens a sequence, ten sequences a step.
    assert.same({ 50, 50, 15 }, seen(of({ samples = half }, { software = "ms-swift", epochs = 3 })))
    assert.same({ 100, 0, 10 }, seen(of({ samples = half, longer = "cut" }, { software = "ms-swift" })))
    assert.same({ 1000, 1000, 10 }, seen(of({ samples = half, longer = "dropped" }, { examples = 2000, packing = true })))
    -- Even between 0 and 800, of which 1,000 hold all and 600 three quarters; as exponential as its deviation is its mean.
    assert.same({ 2000, 0, 200 }, seen(of({ p25 = 200, ["p99.9999"] = 799.9992, longer = "dropped" }, { examples = 2000 })))
    assert.same({ 1500, 500, 150 }, seen(of({ p25 = 200, ["p99.9999"] = 799.9992, longer = "dropped" }, { examples = 2000, seq_len = 600 })))
    local share = 1 - math.exp(-1000 / 900)
    assert.near(10000 * share, of({ mean = 900, deviation = 900, longer = "dropped" }, { examples = 10000 }).run.examples, 10)
    -- None goes that fills the sequence, and of evaluated ones half do.
    assert.same({ 3, 0, 1 }, seen(of({ samples = { 999, 4999, 4999 }, longer = "dropped" }, { seq_len = 4999 })))
    local evaluated = of({ samples = half, longer = "dropped" }, { evaluation = 40 })
    assert.near(20 / 10 * evaluated.forward_s, evaluated.run.evaluation_s, 1e-9)
    -- How many are dropped is as open as the spread of lengths.
    local open = of({ mean = 900, longer = "dropped" }, { examples = 1000 })
    for _, deviation in ipairs({ 360, 1080 }) do
      local there = of({ mean = 900, deviation = deviation, longer = "dropped" }, { examples = 1000 }).run.run_s
      assert.is_true(open.range.run_s.low < there and there < open.range.run_s.high, deviation)
    end
    local report = result.new({ command = "finetune" })
    questions.show(report, dropped)
    assert.matches("Dropped +50 of 100 examples, those of more than 1000 tokens", (rendered.render(report, "table", {})))
  end)

  it("takes the name of a data set beside what becomes of longer samples", function()
    assert.same({ "dropped", 120, 1304 }, { lengths.checked({ name = "alpaca", longer = "dropped" }).longer,
      lengths.checked({ name = "Alpaca" }).mean, lengths.checked("alpaca").longest })
    assert.matches("lengths.mean: unknown", errors.catch(lengths.checked, { name = "alpaca", mean = 5 }))
    assert.equal(900, lengths.longest(lengths.checked({ mean = 300, longest = 900 })))
    assert.matches("lengths.longest", errors.catch(lengths.checked, { p50 = 1, p90 = 2, longest = 0.5 }))
  end)

  it("is what a training scenario asks whose job has a kind", function()
    local asked = { model = "m", cluster = "c", plan = { zero = 3 }, job = { kind = "dpo", examples = 5, global_batch = 8 } }
    local name, input = questions.meant("estimate", asked)
    assert.equal("finetune", name)
    assert.same({ model = "m", cluster = "c", plan = { zero = 3 }, kind = "dpo", examples = 5, batch = 8 }, input)
    assert.equal("estimate", (questions.meant("estimate", { job = { global_batch = 8 } })))
    assert.equal("serve", (questions.meant("serve", asked)))
    assert.matches("job.token: unknown", (errors.catch(questions.meant, "search", { job = { kind = "sft", token = 1 } })))
  end)

  it("takes the fastest micro-batch where lengths differ, however much memory there is", function()
    local function with(changes, gib)
      local device = tables.with(catalog.device("H100"), gib and { memory_bytes = gib << 30 } or nil)
      return ask(tables.with({ model = catalog.model("qwen2.5-7b"), method = "qlora", kind = "kto", seq_len = 512, lengths = "alpaca", batch = 64,
        cluster = catalog.cluster({ device = device, devices = 1 }) }, changes))
    end
    local free = with({ micro_batch = false })
    for _, count in ipairs({ 4, 8, 16, 32 }) do
      assert.is_true(free.step_s <= with({ micro_batch = count }).step_s * (1 + 1e-9), "micro-batch " .. count)
    end
    assert.is_true(free.plan.micro_batch // free.sequences < 64)
    assert.near(free.step_s, with({ micro_batch = false }, 240).step_s, 1e-9)
  end)

  it("takes the micro-batch that is fastest of all that fit as surely", function()
    local function of(model, device, devices, changes)
      return function(micro_batch)
        return finetune.run(tables.with({ model = catalog.model(model), examples = 5000, seq_len = 4096, batch = 16,
          micro_batch = micro_batch, cluster = catalog.cluster({ device = device, devices = devices }) }, changes))
      end
    end
    local l4 = catalog.device("L4")
    for _, case in ipairs({
      -- A whole batch at a time keeps no sum of gradients: it is faster and takes less memory.
      { of("qwen3-30b-a3b", "H200", 2, { software = "torchtune", method = "full", lengths = { mean = 813 } }), 8 },
      -- Neither surely fits, and both take the same memory.
      { of("llama-3.1-8b", "B200", 1, { software = "deepspeed", method = "full", batch = 128, lengths = { mean = 562 } }), 2 },
      -- Half as many at a time are slower, and a sixteenth is faster.
      { of("llama-3.1-8b", tables.with(l4, { memory_bytes = 40 << 30 }), 4, { software = "torchtune", method = "lora", examples = 733,
        batch = 64, seq_len = 2048, lengths = { mean = 966 } }), 1 },
    }) do
      local free, held = case[1](), case[1](case[2])
      assert.is_true(free.run.run_s <= held.run.run_s * (1 + 1e-9), case[2])
      assert.is_true(free.memory.fit_probability >= math.min(0.9, held.memory.fit_probability), case[2])
    end
  end)

  it("ends an epoch with what is left of the examples", function()
    local function of(batch, examples, changes)
      return ask(tables.with({ model = catalog.model("llama-3.2-3b"), method = "lora", micro_batch = false, batch = batch,
        examples = examples }, changes), "RTX-4090")
    end
    -- Twenty examples take twenty examples' time, in steps of four, of sixteen and four, or in one.
    local run_s = {}
    for i, batch in ipairs({ 4, 16, 32 }) do run_s[i] = of(batch, 20).run.run_s end
    assert.near(run_s[1], run_s[2], 0.05 * run_s[1])
    assert.near(run_s[1], run_s[3], 0.05 * run_s[1])
    local parted = of(16, 20, { epochs = 3, micro_batch = 1 })
    assert.same({ 6, 3, 16 }, { parted.run.steps, parted.run.shorter_steps, parted.step_sequences })
    assert.near(of(4, 20, { micro_batch = 1 }).step_s, parted.run.shorter_step_s, 1e-9)
    assert.near(3 * (parted.step_s + parted.run.shorter_step_s) + parted.run.save_s, parted.run.run_s, 1e-9)
    assert.near(parted.run.tokens / (parted.run.run_s - parted.run.save_s), parted.tokens_per_s, 1e-6)
    assert.near((parted.run.run_s - parted.run.save_s) / 60, parted.example_s, 1e-9)
    -- A part of an epoch ends likewise, and of what fills its steps no step is shorter.
    assert.same({ 3, 2 }, { of(16, 20, { epochs = 1.5 }).run.steps, of(16, 20, { epochs = 1.5 }).run.shorter_steps })
    local even = of(16, 32)
    assert.same({ 2, 0 }, { even.run.steps, even.run.shorter_steps })
    assert.is_nil(even.run.shorter_step_s)
    -- The last micro-batch may have fewer, and so may a device's only one.
    local function step_s(batch, examples, micro_batch)
      return of(batch, examples, { micro_batch = micro_batch, plan = { recompute = "full" } }).step_s
    end
    assert.near((step_s(8, 4, 4) + step_s(8, 8, 4)) / 2, step_s(8, 6, 4), 1e-9)
    assert.near(step_s(3, 3, 3), step_s(8, 3, 4), 1e-9)
  end)

  it("takes no less time for more examples, and steps of packed samples for as many as there are", function()
    for _, changes in ipairs({ {}, { method = "full", kind = "dpo" }, { lengths = { mean = 200 } },
      { kind = "grpo", generation = { prompt_tokens = 100, output_tokens = 100, completions = 4 } } }) do
      local before = 0
      for _, examples in ipairs({ 1, 2, 7, 15, 16, 17, 24, 31, 32, 33, 40 }) do
        local run_s = ask(tables.with({ model = catalog.model("qwen2.5-1.5b"), method = "lora", batch = 32, examples = examples,
          micro_batch = false }, changes), "A100-80GB", 2).run.run_s
        assert.is_true(run_s >= before, examples)
        before = run_s
      end
    end
    local function packed(batch)
      return ask({ model = catalog.model("qwen3-0.6b"), method = "lora", software = "llama-factory", examples = 208, seq_len = 8192,
        batch = batch, micro_batch = false, packing = true, lengths = { mean = 1093 } }, "A100-40GB", 4)
    end
    assert.same({ 28, 1 }, { packed(128).step_sequences, packed(128).run.steps })
    assert.near(packed(28).run.run_s, packed(128).run.run_s, 1e-9)
  end)

  it("saves whole adapters, however many micro-batches a step has", function()
    local function of(micro_batch)
      return ask({ model = catalog.model("llama-3.2-3b"), method = "lora", software = "unsloth", batch = 8, micro_batch = micro_batch })
    end
    local several, one = of(4), of(8)
    assert.is_true(several.trained_params > 1e7)
    assert.same({ several.trained_params, several.run.save_s }, { one.trained_params, one.run.save_s })
  end)

  it("keeps recomputing beside sharded states where that is faster, however much memory there is", function()
    local before
    for _, gb in ipairs({ 24, 26, 28, 30, 32, 36 }) do
      local device = tables.with(catalog.device("RTX-3090"), { memory_bytes = gb * 10^9 })
      local out = ask({ model = catalog.model("qwen2.5-1.5b"), method = "full", examples = 1000, seq_len = 512, batch = 16, micro_batch = false,
        cluster = catalog.cluster({ device = device, devices = 2 }) })
      assert.is_true(out.fits)
      assert.is_true(not before or out.step_s <= before * (1 + 1e-9), gb .. " GB")
      before = out.step_s
    end
  end)

  it("does not go where it takes longer than it may", function()
    local free = ask({})
    local late, timely = ask({ deadline_s = free.run.run_s / 2 }), ask({ deadline_s = free.run.run_s * 2 })
    assert.is_true(free.fits and timely.fits and not late.fits)
    assert.equal("deadline", late.contradictions[1].code)
    assert.same({}, timely.contradictions)
  end)

  it("refuses what it does not know", function()
    for message, changes in pairs({ ["method"] = { method = "prefix" }, ["kind"] = { kind = "rlhf" },
      ["examples"] = { examples = 0 }, ["lengths.mean"] = { lengths = { mean = -1 } }, ["batch"] = { batch = 2.5 },
      ["lengths: need two percentiles"] = { lengths = { p50 = 3 } }, ["lengths.p120"] = { lengths = { p120 = 3, p50 = 2 } },
      ["must grow"] = { lengths = { p50 = 3, p90 = 2 } }, ["lengths.samples[2]"] = { lengths = { samples = { 1, -1 } } },
      ["alpaka"] = { lengths = "alpaka" }, ["generation.outptu_tokens"] = { kind = "grpo",
        generation = { outptu_tokens = 5 } }, ["generation: is of grpo and ppo, which generate answers, and the kind is dpo"] = {
        kind = "dpo", generation = { prompt_tokens = 5 } } }) do
      local ok, problem = pcall(ask, changes)
      assert.is_false(ok)
      assert.matches(message, tostring(problem), 1, true)
    end
  end)

  it("is nearest to a budget where it costs least, and keeps none without a price", function()
    local function asked(devices, price, budget_usd)
      return { model = catalog.model("llama-3.1-8b"), method = "qlora", examples = 10000, lengths = { mean = 1000 }, budget_usd = budget_usd,
        cluster = catalog.cluster({ device = price and "H100" or "M3", devices = devices, price = price }) }
    end
    local one, four = finetune.run(asked(1, 4, 1)), finetune.run(asked(4, 4, 1))
    assert.is_false(one.fits or four.fits)
    assert.equal(one, choice.of({ four, one }).best)
    local unpriced = finetune.run(asked(1, nil, 1e6))
    assert.is_false(unpriced.fits)
    assert.equal("price", unpriced.contradictions[1].code)
  end)
end)

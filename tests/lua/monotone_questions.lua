-- Pairs of drawn questions of which physics or arithmetic says that the second has no less: whole answers of fit{},
-- finetune{}, local_inference{}, search{}, serve_search{}, budget{}, platform{} and their like.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local catalog = require("ballpark.catalog")
local drawn = dofile(here .. "/drawn.lua")
local errors = require("ballpark.errors")
local monotone = dofile(here .. "/monotone_pairs.lua")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")
local ways = require("ballpark.questions.finetune.ways")

local pairs_of = {}

local between, one_of = drawn.between, drawn.one_of
local better = monotone.better

local function chance(unit, share) return unit() < share end
local function whole(unit, low, high) return math.floor(between(unit, low, high + 0.999)) end

-- What a question answers; nil where it refuses what it was asked.
local function answer(name, input)
  local ok, answered = pcall(questions.runner(name).run, input)
  if ok then return answered end
  if not errors.is(answered) then error(answered, 0) end
  return nil
end

local MODELS <const> = { "llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "qwen3-30b-a3b", "mixtral-8x7b", "gemma-3-27b",
  "gpt-oss-20b", "qwen3-0.6b", "llama-3.2-3b", "deepseek-v3" }
local SMALL_MODELS <const> = { "llama-3.1-8b", "qwen3-0.6b", "llama-3.2-3b", "qwen3-4b", "gemma-3-4b" }
local DEVICES <const> = { "H100", "H200", "A100-80GB", "A100-40GB", "B200", "MI300X", "L40S", "L4", "T4", "RTX-4090", "RTX-3090",
  "V100-32GB" }
local BETTER <const> = { "memory", "bandwidth", "peak" }

local function better_device(unit, device)
  local name, by = one_of(unit, BETTER), one_of(unit, { 1.02, 1.2, 2, 5 })
  return (better[name](device, {}, by)), ("%s times %g"):format(name, by), name
end

local function better_cluster(unit, cluster)
  local name, by = one_of(unit, { "memory", "bandwidth", "peak", "links" }), one_of(unit, { 1.02, 1.2, 2, 5 })
  local device, network = better[name](cluster.device, cluster.network, by)
  return tables.with(cluster, { device = device, network = network }), ("%s times %g"):format(name, by), name
end

-- A number that is the better the smaller it is; nothing at all is worst.
local function less(value) return value and -value end

local kinds = {}

-- Fit.

local PURPOSES <const> = { "inference", "inference", "lora", "qlora", "full" }

local function fit_input(unit)
  local input = { model = one_of(unit, MODELS), purpose = one_of(unit, PURPOSES), devices = 1 << math.floor(unit() * 4),
    batch = whole(unit, 1, 16), context_tok = whole(unit, 128, 16384), on = { catalog.device(one_of(unit, DEVICES)) } }
  if input.purpose == "inference" then
    input.format = chance(unit, 0.5) and one_of(unit, { "bf16", "fp8", "awq", "Q4_K_M", "Q8_0" }) or nil
  end
  return input
end

local function fit(input)
  local answered = answer("fit", input)
  return answered and answered.rows[1]
end

local function fit_words(input, text)
  return ("fit: %s %s of %s on %d %s, batch %d of %d: %s"):format(input.purpose, input.format or "", input.model, input.devices,
    input.on[1].name, input.batch, input.context_tok, text)
end

local FITS <const> = { "fits_chance", "max_context_tok", "max_batch" }

-- How a training is run where nobody states it fills what memory there is, as long as it surely fits: from a chance of
-- nine in ten on any is as good.
local function capped(input, name, row)
  local value = row and (row[name] or 0)
  return value and name == "fits_chance" and input.purpose ~= "inference" and math.min(value, 0.9) or value
end

kinds["fit with memory"] = function(unit)
  local input, name = fit_input(unit), one_of(unit, FITS)
  local device = better.memory(input.on[1], {}, one_of(unit, { 1.02, 1.2, 2, 5 }))
  local before, after = fit(input), fit(tables.with(input, { on = { device } }))
  return capped(input, name, before), capped(input, name, after), fit_words(input, name)
end

kinds["fit with devices"] = function(unit)
  local input, name = fit_input(unit), one_of(unit, FITS)
  local before, after = fit(input), fit(tables.with(input, { devices = 2 * input.devices }))
  return capped(input, name, before), capped(input, name, after), fit_words(input, name .. ", devices twice")
end

-- A plan that is stated: what is chosen where nobody states it may need more where more is free.
local function with_plan(unit, input)
  if input.purpose ~= "inference" then
    input.plan = { recompute = one_of(unit, { "none", "full" }), zero = one_of(unit, { 0, 3 }) }
  end
  return input
end

kinds["fit of a shorter context"] = function(unit)
  local input = with_plan(unit, fit_input(unit))
  local before, after = fit(tables.with(input, { context_tok = 2 * input.context_tok })), fit(input)
  return before and less(before.need_bytes), after and less(after.need_bytes), fit_words(input, "context from twice")
end

kinds["fit of a smaller batch"] = function(unit)
  local input = with_plan(unit, fit_input(unit))
  local before, after = fit(tables.with(input, { batch = 2 * input.batch })), fit(input)
  return before and less(before.need_bytes), after and less(after.need_bytes), fit_words(input, "batch from twice")
end

local FEWER_BITS <const> = { { "bf16", "fp8" }, { "fp8", "awq" }, { "Q8_0", "Q4_K_M" }, { "Q8_0", "Q6_K" }, { "Q6_K", "Q5_K_M" },
  { "Q5_K_M", "Q4_K_M" }, { "Q4_K_M", "Q3_K_M" }, { "Q3_K_M", "Q2_K" } }

kinds["fit of fewer bits"] = function(unit)
  local input, two = fit_input(unit), one_of(unit, FEWER_BITS)
  input.purpose = "inference"
  local before, after = fit(tables.with(input, { format = two[1] })), fit(tables.with(input, { format = two[2] }))
  return before and less(before.need_bytes), after and less(after.need_bytes), fit_words(input, two[1] .. " to " .. two[2])
end

kinds["fit of a smaller KV cache"] = function(unit)
  local input = fit_input(unit)
  input.purpose = "inference"
  local llama = input.format and input.format:find("^Q")
  local before = fit(tables.with(input, { kv = llama and "f16" or "bf16" }))
  local after = fit(tables.with(input, { kv = llama and "q8_0" or "fp8" }))
  return before and less(before.need_bytes), after and less(after.need_bytes), fit_words(input, "KV cache of 8 bits")
end

kinds["fit of fewer trained weights"] = function(unit)
  local input, two = fit_input(unit), one_of(unit, { { "full", "lora" }, { "lora", "qlora" }, { "full", "qlora" } })
  input.format, input.purpose = nil, two[1]
  -- Embeddings go to fp32 beside weights of 4 bit, which is more than the weights of a model, or of a shard, that has little
  -- else; so do norms, whose inputs are more than all weights where tokens are many.
  input.batch, input.context_tok = 1, math.min(input.context_tok, 8192)
  input.model, input.plan = "llama-3.1-8b", { recompute = one_of(unit, { "none", "full" }), zero = 0 }
  local before, after = fit(tables.with(input, { purpose = two[1] })), fit(tables.with(input, { purpose = two[2] }))
  return before and less(before.need_bytes), after and less(after.need_bytes), fit_words(input, two[1] .. " to " .. two[2])
end

-- Fine-tuning.

local function finetune_input(unit)
  local input = { model = catalog.model(one_of(unit, SMALL_MODELS)), method = one_of(unit, { "full", "lora", "qlora" }),
    examples = whole(unit, 100, 50000), seq_len = 1 << (8 + math.floor(unit() * 5)), batch = 1 << math.floor(unit() * 7),
    epochs = whole(unit, 1, 4),
    cluster = catalog.cluster({ device = one_of(unit, DEVICES), devices = 1 << math.floor(unit() * 4), price = between(unit, 0.2, 5) }) }
  if chance(unit, 0.3) then input.kind = one_of(unit, { "dpo", "kto", "orpo", "reward", "simpo" }) end
  if chance(unit, 0.3) then input.lengths = { mean = input.seq_len * between(unit, 0.05, 0.5) } end
  return input
end

local function finetune_words(input, text)
  return ("finetune: %s %s of %s on %d %s, batch %d of %d: %s"):format(input.method, input.kind or "sft", input.model.name,
    input.cluster.network.devices, input.cluster.device.name, input.batch, input.seq_len, text)
end

-- What ask(answer) says of a fine-tuning as drawn and as changed.
local function finetuned(unit, ask, changed, text)
  local input = finetune_input(unit)
  local after = changed(input, unit)
  local words = type(after) == "table" and after.words or text
  after.words = nil
  local one, two = answer("finetune", input), answer("finetune", after)
  return one and ask(one), two and ask(two), finetune_words(input, words)
end

local function room(out) return -out.memory.total_bytes end

local function run_speed(out) return out.run and 1 / out.run.run_s end

-- What is chosen where nobody states it fills what memory there is, as long as it nearly surely fits.
local function surely(out) return math.min(out.memory.fit_probability, ways.NEARLY) end

kinds["finetune with memory fits"] = function(unit)
  return finetuned(unit, surely, function(input)
    local device, network = better.memory(input.cluster.device, input.cluster.network, one_of(unit, { 1.02, 1.2, 2, 5 }))
    return tables.with(input, { cluster = tables.with(input.cluster, { device = device, network = network }) })
  end, "memory")
end

kinds["finetune with better hardware"] = function(unit)
  -- A pick of the fastest that fits is no slower where the device is better, but where what software does unasked comes
  -- to fit, or within so much of the fastest, it is left as it is.
  local before, after, words = finetuned(unit, function(out) return out.fits and run_speed(out) end, function(input)
    local cluster, words = better_cluster(unit, input.cluster)
    return tables.with(input, { cluster = cluster, words = words })
  end)
  return before and before / ways.WORTH_IT, after, words
end

-- Examples of a step of a device with which it computes for longer than it sums gradients.
local ENOUGH <const> = 16

-- What nearly surely fits on few devices does on more of them in one node, each with its part of the batch.
kinds["finetune with more devices"] = function(unit)
  local input, node = finetune_input(unit), 8
  local device, before = input.cluster.device, 1 << math.floor(unit() * 3)
  input.batch = math.max(input.batch, ENOUGH * before)
  local function on(devices)
    return answer("finetune", tables.with(input, { cluster = catalog.cluster({ device = device, devices = devices, node_size = node }) }))
  end
  local few, many = on(before), on(2 * before)
  return few and few.memory.fit_probability >= ways.NEARLY and run_speed(few) / ways.WORTH_IT or nil, many and run_speed(many) or 0,
    finetune_words(input, ("%d devices to twice as many"):format(before))
end

-- Fields of a plan that a page of finetune{} shows and that say all of it.
local SHOWN <const> = { "zero", "recompute", "recompute_share", "tp", "pp", "cp", "ep", "offload", "offload_activations" }

-- The share of the larger that the smaller of two figures is.
local function alike(one, two) return one == two and 1 or math.min(one, two) / math.max(one, two) end

-- A plan that is stated as it was shown is answered as it was, other models beside the policy among it.
kinds["finetune of the plan that is shown"] = function(unit)
  local input = tables.with(finetune_input(unit), { kind = one_of(unit, { "dpo", "kto", "grpo", "ppo" }) })
  if input.kind == "grpo" or input.kind == "ppo" then
    input.generation = { prompt_tokens = whole(unit, 32, 1024), output_tokens = whole(unit, 64, 2048), completions = one_of(unit, { 1, 8, 16 }) }
    input.seq_len, input.lengths, input.batch = nil, nil, input.batch * input.generation.completions
  end
  local one, plan = answer("finetune", input), {}
  if not one then return nil, nil, nil end
  for _, name in ipairs(SHOWN) do plan[name] = one.plan[name] end
  local two = answer("finetune", tables.with(input, { plan = plan, micro_batch = one.plan.micro_batch // one.sequences }))
  return 1, two and math.min(alike(one.memory.total_bytes, two.memory.total_bytes), alike(one.step_s, two.step_s),
    alike(one.memory.fit_probability, two.memory.fit_probability)) or 0, finetune_words(tables.with(input, { seq_len = one.seq_len }), "stated as it is shown")
end

kinds["finetune of fewer examples"] = function(unit)
  return finetuned(unit, function(out) return run_speed(out) end, function(input)
    local examples = math.max(1, input.examples // 2)
    return tables.with(input, { examples = examples, words = "examples halved" })
  end)
end

kinds["finetune at a lower price"] = function(unit)
  return finetuned(unit, function(out) return out.run and less(out.run.cost_usd) end, function(input)
    return tables.with(input, { price = 0.1, words = "price 0.1" })
  end)
end

kinds["finetune of less trained"] = function(unit)
  local two = one_of(unit, { { "full", "lora" }, { "lora", "qlora" } })
  local input = finetune_input(unit)
  input.model, input.micro_batch, input.plan = catalog.model("llama-3.1-8b"), 1, { recompute = "full", zero = 0 }
  local before, after = answer("finetune", tables.with(input, { method = two[1] })), answer("finetune", tables.with(input, { method = two[2] }))
  return before and room(before), after and room(after), finetune_words(input, two[1] .. " to " .. two[2])
end

-- Of the first two stages: gathered weights of the third may be more than shards of them save.
kinds["finetune of a higher ZeRO stage beside frozen weights"] = function(unit)
  local input = tables.with(finetune_input(unit), { method = one_of(unit, { "lora", "qlora" }), micro_batch = 1 })
  local stage, recompute = one_of(unit, { 0, 1 }), one_of(unit, { "none", "full" })
  local function at(zero) return answer("finetune", tables.with(input, { plan = { recompute = recompute, zero = zero } })) end
  local before, after = at(stage), at(stage + 1)
  return before and room(before), after and room(after), finetune_words(input, ("ZeRO %d to %d"):format(stage, stage + 1))
end

kinds["finetune of shorter samples"] = function(unit)
  local input = finetune_input(unit)
  input.micro_batch, input.plan = 1, { recompute = one_of(unit, { "none", "full" }), zero = one_of(unit, { 0, 3 }) }
  local before, after = answer("finetune", tables.with(input, { seq_len = 2 * input.seq_len })), answer("finetune", input)
  if chance(unit, 0.5) then
    return before and room(before), after and room(after), finetune_words(input, "samples from twice, room")
  end
  return before and run_speed(before), after and run_speed(after), finetune_words(input, "samples from twice, speed")
end

-- One's own machine.

local FILES <const> = { "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K" }
local MACHINES <const> = { "RTX-4090", "RTX-3090", "M3-Max-40", "M2-Ultra", "RX-7900-XTX", "L4" }

local function local_input(unit)
  return { model = catalog.model(one_of(unit, MODELS)), device = catalog.device(one_of(unit, MACHINES)), format = one_of(unit, FILES),
    context_tok = whole(unit, 512, 32768), prompt_tok = whole(unit, 16, 2000), devices = chance(unit, 0.3) and 2 or nil }
end

local LOCAL <const> = {
  tokens = function(out) return out.out.tokens_per_s end, prompt = function(out) return out.out.prompt_tokens_per_s end,
  chance = function(out) return out.fits_chance end, context = function(out) return out.max_context_tok end,
}

-- All layers on the device: what it deals to the host where nobody says fills what there is.
local function whole_model(input) return tables.with(input, { device_layers = input.model.layers }) end

local function machine(first, second, ask, text, input)
  local one, two = answer("local_inference", first), answer("local_inference", second)
  return one and ask(one), two and ask(two), ("local: %s %s on %s, %d of %d: %s"):format(input.model.name, input.format, input.device.name,
    input.prompt_tok, input.context_tok, text)
end

for _, name in ipairs(tables.sorted_keys(LOCAL)) do
  kinds["local " .. name .. " with a better device"] = function(unit)
    local input = local_input(unit)
    if name == "chance" or name == "context" then input = whole_model(input) end
    local device, words = better_device(unit, input.device)
    return machine(input, tables.with(input, { device = device }), LOCAL[name], words, input)
  end
end

kinds["local need of fewer bits"] = function(unit)
  local input, at = whole_model(local_input(unit)), 1 + math.floor(unit() * (#FILES - 1))
  return machine(tables.with(input, { format = FILES[at] }), tables.with(input, { format = FILES[at + 1] }),
    function(out) return less(out.need_bytes) end, FILES[at] .. " to " .. FILES[at + 1], input)
end

kinds["local need of a shorter context"] = function(unit)
  local input = whole_model(local_input(unit))
  return machine(tables.with(input, { context_tok = 2 * input.context_tok }), input,
    function(out) return less(out.need_bytes) end, "from twice the context", input)
end

-- A replica.

local function replica_input(unit)
  local tp = 1 << math.floor(unit() * 4)
  return { model = catalog.model(one_of(unit, MODELS)), curve = false,
    cluster = catalog.cluster({ device = one_of(unit, DEVICES), devices = tp }), engine = one_of(unit, { "vllm", "sglang", "trtllm" }),
    plan = { tp = tp, weights = chance(unit, 0.3) and "fp8" or nil }, max_model_len = 32768,
    load = { input_tokens = whole(unit, 16, 8000), output_tokens = whole(unit, 2, 1000) } }
end

local function replica(first, second, ask, text)
  local one, two = answer("replica", first), answer("replica", second)
  return one and ask(one), two and ask(two), ("replica: %s on %d %s, %s, %d in %d out: %s"):format(first.model.name, first.plan.tp,
    first.cluster.device.name, first.engine, first.load.input_tokens, first.load.output_tokens, text)
end

local function pool(out) return out.memory.pool_tokens end

kinds["KV cache of fewer bits"] = function(unit)
  local input = replica_input(unit)
  return replica(tables.with(input, { plan = tables.with(input.plan, { kv = "bf16" }) }),
    tables.with(input, { plan = tables.with(input.plan, { kv = "fp8" }) }), pool, "kv bf16 to fp8")
end

kinds["KV cache beside weights of fewer bits"] = function(unit)
  local input, two = replica_input(unit), one_of(unit, { { "bf16", "fp8" }, { "fp8", "int4" }, { "bf16", "int8" }, { "int8", "int4" } })
  return replica(tables.with(input, { plan = tables.with(input.plan, { weights = two[1] }) }),
    tables.with(input, { plan = tables.with(input.plan, { weights = two[2] }) }), pool, two[1] .. " to " .. two[2])
end

kinds["KV cache of more memory"] = function(unit)
  local input, by = replica_input(unit), one_of(unit, { 1.02, 1.2, 2, 5 })
  local device, network = better.memory(input.cluster.device, input.cluster.network, by)
  return replica(input, tables.with(input, { cluster = tables.with(input.cluster, { device = device, network = network }) }), pool, "memory")
end

-- Searches of plans.

local function search_input(unit)
  return { model = catalog.model(one_of(unit, { "llama-3.1-8b", "llama-3.1-70b", "qwen3-30b-a3b", "mixtral-8x7b", "gpt3-175b" })),
    cluster = catalog.cluster({ device = one_of(unit, { "H100", "A100-80GB", "B200", "MI300X", "L40S" }), devices = 1 << (2 + math.floor(unit() * 6)),
      fabric = "infiniband", price = between(unit, 0.5, 5) }), job = { global_batch = 1 << (4 + math.floor(unit() * 6)),
      seq_len = 1 << (9 + math.floor(unit() * 6)), tokens = 1e12 }, top = 1 }
end

local function step_speed(plan) return plan and 1 / plan.time.step_s or 0 end

local function searched(input, after, ask, text)
  local one, two = answer("search", input), answer("search", after)
  return one and ask(one.best), two and ask(two.best), ("search: %s on %d %s, %d of %d: %s"):format(input.model.name, input.cluster.network.devices,
    input.cluster.device.name, input.job.global_batch, input.job.seq_len, text)
end

kinds["best step with better hardware"] = function(unit)
  local input = search_input(unit)
  local cluster, words = better_cluster(unit, input.cluster)
  return searched(input, tables.with(input, { cluster = cluster }), step_speed, words)
end

kinds["best step with devices"] = function(unit)
  local input = search_input(unit)
  local cluster = input.cluster
  -- A search uses all devices that it is given, also where there are more than sequences.
  input.job.global_batch = math.max(input.job.global_batch, 2 * cluster.network.devices)
  local more = catalog.cluster({ device = cluster.device.name, devices = 2 * cluster.network.devices, fabric = "infiniband" })
  return searched(input, tables.with(input, { cluster = more }), step_speed, "devices twice")
end

local NARROW <const> = { { tp = 1 }, { pp = 1 }, { ep = 1 }, { zero = 1 }, { recompute = "full" }, { micro_batch = 1 }, { vpp = 1 } }

kinds["best step in a larger space"] = function(unit)
  local input = search_input(unit)
  -- Short sequences that are cut are taken only where nothing else is left.
  local space = tables.with(one_of(unit, NARROW), { cp = 1 })
  return searched(tables.with(input, { space = space }), tables.with(input, { space = { cp = 1 } }), step_speed,
    "no more than " .. table.concat(tables.sorted_keys(space), ", "))
end

kinds["best step of fewer sequences"] = function(unit)
  local input = search_input(unit)
  return searched(tables.with(input, { job = tables.with(input.job, { global_batch = 2 * input.job.global_batch }) }), input, step_speed,
    "batch from twice")
end

local STATED <const>, SOFTWARE <const> = { {}, { tp = 1 }, { tp = 2 }, { pp = 1 }, { zero = 1 }, { recompute = "none" },
  { recompute = "selective" } }, { "megatron", "deepspeed", "fsdp", "nemo" }

-- An open plan on a cluster, and on one whose devices have more memory.
local function open_plans(unit)
  local input = search_input(unit)
  local device, network = better.memory(input.cluster.device, input.cluster.network, one_of(unit, { 1.02, 1.2, 2, 5 }))
  local after = tables.with(input.cluster, { device = device, network = network })
  local stated, software = one_of(unit, STATED), one_of(unit, SOFTWARE)
  local plan = { model = input.model, cluster = input.cluster, job = input.job, plan = stated, software = { name = software } }
  local one, two = answer("estimate", plan), answer("estimate", tables.with(plan, { cluster = after }))
  return one, two, ("estimate: %s on %d %s, %d of %d, %s, %s %s: memory"):format(input.model.name,
    input.cluster.network.devices, input.cluster.device.name, input.job.global_batch, input.job.seq_len, software,
    next(stated) or "nothing", select(2, next(stated)) or "stated")
end

-- What is left open is chosen so that it fits with nine chances in ten; more memory takes none of them away.
kinds["chance of an open plan with memory"] = function(unit)
  local one, two, words = open_plans(unit)
  local function holds(out) return math.min(out.memory.fit_probability, 0.9) end
  return one and holds(one), two and holds(two), words
end

-- Of what surely fits the fastest is taken, as less memory would have it, too.
kinds["speed of an open plan with memory"] = function(unit)
  local one, two, words = open_plans(unit)
  local function speed(out) return out.memory.fit_probability >= 0.9 and 1 / out.time.step_s or 0 end
  return one and speed(one), two and speed(two), words
end

kinds["search with memory fits"] = function(unit)
  local input = search_input(unit)
  local device, network = better.memory(input.cluster.device, input.cluster.network, 1.2)
  return searched(input, tables.with(input, { cluster = tables.with(input.cluster, { device = device, network = network }) }),
    function(plan) return plan and 1 or 0 end, "memory")
end

-- Training: as many tokens in longer sequences.

local PIECES <const> = { 512, 1024, 2048, 4096, 8192 }

kinds["step of shorter sequences"] = function(unit)
  local device, tp = one_of(unit, { "H100", "A100-80GB", "B200", "MI300X", "V100-32GB" }), 1 << math.floor(unit() * 4)
  local model, seq_len, mb = one_of(unit, { "llama-3.1-8b", "llama-3.1-70b", "qwen3-30b-a3b", "gpt3-175b" }), one_of(unit, PIECES),
    1 << math.floor(unit() * 3)
  local function ask(length, micro_batch)
    local out = answer("estimate", { model = catalog.model(model), cluster = catalog.cluster({ device = device, devices = 2 * tp }),
      plan = { tp = tp, pp = 1, dp = 2, micro_batch = micro_batch, zero = 1, recompute = "none" },
      job = { global_batch = 8 * micro_batch, seq_len = length } })
    return out and 1 / out.time.step_s
  end
  return ask(2 * seq_len, mb), ask(seq_len, 2 * mb), ("estimate: %s on %d %s, tp %d, %d of %d in sequences of twice the length"):format(model, 2 * tp, device,
    tp, mb, seq_len)
end

-- Fleets.

local function serve_input(unit)
  local input_tokens, output_tokens = whole(unit, 50, 4000), whole(unit, 10, 600)
  return { model = catalog.model(one_of(unit, { "llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "qwen3-30b-a3b" })),
    devices = { one_of(unit, { "H100", "H200", "A100-80GB", "L40S", "MI300X" }) },
    load = { rate_per_s = between(unit, 0.2, 60), input_tokens = input_tokens, output_tokens = output_tokens },
    sla = { ttft_s = between(unit, 0.3, 5), tpot_s = between(unit, 0.01, 0.1) } }
end

local function fleet(first, second, ask, text)
  local one, two = answer("serve_search", first), answer("serve_search", second)
  return one and ask(one), two and ask(two), ("fleet: %s on %s, %.3g/s of %d in %d out, TTFT %.3g TPOT %.3g: %s"):format(first.model.name,
    type(first.devices[1]) == "table" and first.devices[1].device or first.devices[1], first.load.rate_per_s, first.load.input_tokens,
    first.load.output_tokens, first.sla.ttft_s or 0, first.sla.tpot_s or 0, text)
end

-- No fleet at all costs more than any.
local NEVER <const> = 1e9

local function rent(out) return -(out.fits and out.winner.cost_usd_h or NEVER) end

kinds["rent under a looser SLO"] = function(unit)
  local input, name = serve_input(unit), one_of(unit, { "ttft_s", "tpot_s" })
  return fleet(input, tables.with(input, { sla = tables.with(input.sla, { [name] = input.sla[name] * one_of(unit, { 1.1, 2, 5 }) }) }), rent, name)
end

kinds["rent under a lower load"] = function(unit)
  local input = serve_input(unit)
  return fleet(input, tables.with(input, { load = tables.with(input.load, { rate_per_s = input.load.rate_per_s / one_of(unit, { 1.1, 2, 5 }) }) }), rent, "rate")
end

kinds["rent of a lower price"] = function(unit)
  local input, price = serve_input(unit), between(unit, 0.5, 5)
  local name = input.devices[1]
  return fleet(tables.with(input, { devices = { { device = name, price = price } } }),
    tables.with(input, { devices = { { device = name, price = price / 2 } } }), rent, "price halved")
end

kinds["rent with more devices to choose from"] = function(unit)
  local input = serve_input(unit)
  return fleet(input, tables.with(input, { devices = { input.devices[1], one_of(unit, { "H100", "L4", "B200", "RTX-4090" }) } }), rent, "another device")
end

kinds["rent with more plans to choose from"] = function(unit)
  local input, tp = serve_input(unit), 1 << math.floor(unit() * 4)
  return fleet(tables.with(input, { space = { tp = tp } }), tables.with(input, { space = { tp = { 1, 2, 4, 8 } } }), rent, "more tp than " .. tp)
end

kinds["rent of shorter answers"] = function(unit)
  local input = serve_input(unit)
  -- The time of a token is a mean over an answer: of shorter answers it varies more.
  input.sla = { e2e_s = input.sla.ttft_s + 2 * input.load.output_tokens * input.sla.tpot_s }
  return fleet(tables.with(input, { load = tables.with(input.load, { output_tokens = 2 * input.load.output_tokens }) }), input, rent, "answers from twice")
end

kinds["rent of fewer spares"] = function(unit)
  local input = serve_input(unit)
  return fleet(tables.with(input, { spares = 2 }), tables.with(input, { spares = 1 }), rent, "spares from 2")
end

-- Users in place of a rate.

local function of_users(unit)
  local input = serve_input(unit)
  local think_s = one_of(unit, { 0, between(unit, 0.5, 60) })
  return tables.with(input, { load = { users = whole(unit, 1, 600), think_s = think_s, input_tokens = input.load.input_tokens,
    output_tokens = input.load.output_tokens } })
end

local function users_fleet(first, second, text)
  local one, two, load = answer("serve_search", first), answer("serve_search", second), first.load
  return one and rent(one), two and rent(two), ("fleet: %s on %s, %d users who think %.3g s of %d in %d out, TTFT %.3g TPOT %.3g E2E %.3g: %s"):format(
    first.model.name, (first.devices[1].device or {}).name or first.devices[1], load.users, load.think_s, load.input_tokens, load.output_tokens,
    first.sla.ttft_s or 0, first.sla.tpot_s or 0, first.sla.e2e_s or 0, text)
end

kinds["rent of users on a better device"] = function(unit)
  local input = of_users(unit)
  -- Where answers are faster and prompts are not, prompts of more users meet: of the first token that may be for the worse. What
  -- engines take at a time unless told follows the memory.
  input.sla = { e2e_s = input.sla.ttft_s + input.load.output_tokens * input.sla.tpot_s }
  input.space = { max_running = 256, token_budget = 2048 }
  local device = catalog.device(input.devices[1])
  local finer, words = better_device(unit, device)
  local function on(one) return tables.with(input, { devices = { { device = one, price = 1 } } }) end
  return users_fleet(on(device), on(finer), words)
end

kinds["rent of fewer users"] = function(unit)
  local input = of_users(unit)
  return users_fleet(tables.with(input, { load = tables.with(input.load, { users = input.load.users * one_of(unit, { 2, 5 }) }) }), input, "more users")
end

kinds["rent of users under a looser SLO"] = function(unit)
  local input, name = of_users(unit), one_of(unit, { "ttft_s", "tpot_s" })
  return users_fleet(input, tables.with(input, { sla = tables.with(input.sla, { [name] = input.sla[name] * one_of(unit, { 1.1, 2, 5 }) }) }), name)
end

-- Offline.

local function offline(first, second, ask, text)
  local one, two = answer("batch_job", first), answer("batch_job", second)
  return one and ask(one), two and ask(two), ("offline: %s on %s, %d of %d in %d out in %.3g s: %s"):format(first.model.name, first.devices[1],
    first.prompts, first.load.input_tokens, first.load.output_tokens, first.deadline_s or 0, text)
end

local function offline_input(unit)
  local drawn_input = serve_input(unit)
  return { model = drawn_input.model, devices = drawn_input.devices, load = { input_tokens = drawn_input.load.input_tokens,
    output_tokens = drawn_input.load.output_tokens }, prompts = whole(unit, 100, 1000000), deadline_s = between(unit, 600, 1e6) }
end

local function bill(out) return -(out.fits and out.winner.usd or NEVER) end

kinds["bill of a later deadline"] = function(unit)
  local input = offline_input(unit)
  return offline(input, tables.with(input, { deadline_s = 2 * input.deadline_s }), bill, "twice the time")
end

kinds["bill of fewer prompts"] = function(unit)
  local input = offline_input(unit)
  return offline(tables.with(input, { prompts = 2 * input.prompts }), input, bill, "half the prompts")
end

kinds["bill with more devices"] = function(unit)
  local input = offline_input(unit)
  local gpus = whole(unit, 1, 32)
  return offline(tables.with(input, { gpus = gpus }), tables.with(input, { gpus = 2 * gpus }), bill, "gpus from " .. gpus)
end

-- Budgets.

local function budget_input(unit)
  local device, price = one_of(unit, { "H100", "A100-80GB", "B200" }), between(unit, 0.5, 5)
  return { model = catalog.model(one_of(unit, { "llama-3.1-8b", "llama-3.1-70b", "gpt3-175b" })),
    site = function(devices) return catalog.cluster({ device = device, devices = devices or 8 }) end, price = price,
    job = { tokens = between(unit, 1e10, 1e13), seq_len = 4096 } }
end

kinds["budget that is larger"] = function(unit)
  local input, usd, mfu = budget_input(unit), between(unit, 1e5, 1e8), 0.1 + 0.5 * unit()
  local function ask(money)
    local out = answer("budget", tables.with(input, { budget_usd = money, mfu_frac = mfu }))
    return out and out.found.feasible and out.found.deadline_s and -out.found.deadline_s or -1e15
  end
  return ask(usd), ask(2 * usd), ("budget: %s for %.3g USD, MFU %.2f, twice"):format(input.model.name, usd, mfu)
end

for name, case in pairs({ ["budget of a later deadline"] = { "devices", 2 },
  ["budget of a later deadline costs no more"] = { "cost_usd", 1.1 } }) do
  local field, later = case[1], case[2]
  kinds[name] = function(unit)
    local input, mfu, deadline = budget_input(unit), 0.1 + 0.5 * unit(), between(unit, 1e5, 1e8)
    local function ask(s)
      local out = answer("budget", tables.with(input, { deadline_s = s, mfu_frac = mfu }))
      return out and -out.found[field]
    end
    return ask(deadline), ask(later * deadline), ("budget: %s in %.3g s, MFU %.2f, %g times the time"):format(input.model.name,
      deadline, mfu, later)
  end
end

-- Of a search there are few kinds of plans here: what is asked is which number of devices.
local function searched_budget(unit)
  local input = budget_input(unit)
  return tables.with(input, { model = catalog.model(one_of(unit, { "llama-3.1-8b", "llama-3.2-3b", "mixtral-8x7b" })),
    job = tables.with(input.job, { global_batch = whole(unit, 4, 96) * 8 }), plan = { micro_batch = 1, cp = 1, recompute = "none" } })
end

kinds["budget of a later deadline, searched"] = function(unit)
  local input, deadline, later = searched_budget(unit), between(unit, 1e5, 1e8), one_of(unit, { 1.05, 1.3, 2, 10 })
  local function ask(s)
    local out = answer("budget", tables.with(input, { deadline_s = s }))
    return out and (out.fits and -out.found.cost_usd or -1e15)
  end
  return ask(deadline), ask(later * deadline), ("budget: %s, batch %d, in %.3g s, %g times the time"):format(input.model.name,
    input.job.global_batch, deadline, later)
end

for name, more in pairs({ money = { 1.3, 1 }, time = { 1, 1.3 } }) do
  for kind, drawn_input in pairs({ [""] = budget_input, [", searched"] = searched_budget }) do
    kinds[("budget of both with more %s%s"):format(name, kind)] = function(unit)
      local input, usd, s = drawn_input(unit), between(unit, 1e4, 1e7), between(unit, 1e5, 1e8)
      local function ask(money, time)
        local out = answer("budget", tables.with(input, { budget_usd = money, deadline_s = time }))
        return out and (out.fits and 1 or 0)
      end
      return ask(usd, s), ask(more[1] * usd, more[2] * s), ("budget: %s for %.3g USD in %.3g s, 1.3 times the %s"):format(
        input.model.name, usd, s, name)
    end
  end
end

kinds["budget at a lower price"] = function(unit)
  local input, mfu, deadline = budget_input(unit), 0.1 + 0.5 * unit(), between(unit, 1e5, 1e8)
  local function ask(price)
    local out = answer("budget", tables.with(input, { deadline_s = deadline, mfu_frac = mfu, price = price }))
    return out and -out.found.cost_usd
  end
  return ask(2), ask(1), ("budget: %s in %.3g s, MFU %.2f, half the price"):format(input.model.name, deadline, mfu)
end

-- Platforms.

local function platform_input(unit)
  local classes = {}
  for i = 1, 1 + math.floor(unit() * 3) do
    classes[i] = { name = "c" .. i, per_day = between(unit, 1, 200), duration = between(unit, 300, 40000), devices = 1 << math.floor(unit() * 4),
      bytes = between(unit, 1e6, 1e12), ttl_s = between(unit, 1e4, 1e7), replication = 1 + math.floor(unit() * 3) }
  end
  return { classes = classes, nodes = whole(unit, 2, 30), node_size = 8, policy = one_of(unit, { "fifo", "backfill", "priority" }) }
end

local function platform(first, second, ask, text)
  local one, two = answer("platform", first), answer("platform", second)
  return one and ask(one), two and ask(two), ("platform: %d classes, %d nodes, %s: %s"):format(#first.classes, first.nodes, first.policy, text)
end

local function mean_wait(out) return out.seen and -math.max(out.seen.wait.mean_s, 1e-9) or -1e15 end

kinds["wait on more nodes"] = function(unit)
  local input = platform_input(unit)
  return platform(input, tables.with(input, { nodes = 2 * input.nodes }), mean_wait, "nodes twice")
end

local function stored(out) return -(out.storage and out.storage.bytes or 0) end

for name, by in pairs({ ttl_s = 2, replication = 2, bytes = 2, per_day = 2 }) do
  kinds["storage of less " .. name] = function(unit)
    local input = platform_input(unit)
    local more = {}
    for i, class in ipairs(input.classes) do more[i] = tables.with(class, { [name] = by * class[name] }) end
    return platform(tables.with(input, { classes = more }), input, stored, name .. " from twice")
  end
end

-- Encoders, images, sound, indexes.

local SINGLE <const> = {
  encode = function(unit) return { model = one_of(unit, { "bert-base", "bge-m3", "bert-large" }), batch = whole(unit, 1, 256), tokens = whole(unit, 16, 512) } end,
  rerank = function(unit) return { model = "bge-reranker-v2-m3", documents = whole(unit, 1, 300), document_tokens = whole(unit, 16, 512) } end,
  diffusion = function(unit) return { model = one_of(unit, { "sdxl", "sd-1.5", "flux.1-dev" }), batch = whole(unit, 1, 8), steps = whole(unit, 1, 50) } end,
  transcribe = function(unit) return { model = "whisper-large-v3", batch = whole(unit, 1, 32), beams = one_of(unit, { 1, 5 }) } end,
  speak = function(unit) return { model = "orpheus-3b", voices = whole(unit, 1, 64) } end,
}

local SPEEDS <const> = { encode = function(out) return out.out.per_s end, rerank = function(out) return out.documents_per_s end,
  diffusion = function(out) return out.per_s end, transcribe = function(out) return out.speed end, speak = function(out) return out.speed end }

for name, make in pairs(SINGLE) do
  kinds[name .. " with a better device"] = function(unit)
    local input, device = make(unit), catalog.device(one_of(unit, { "H100", "A100-80GB", "L4", "T4", "A10", "RTX-4090" }))
    local finer, words = better_device(unit, device)
    local one, two = answer(name, tables.with(input, { device = device })), answer(name, tables.with(input, { device = finer }))
    return one and SPEEDS[name](one), two and SPEEDS[name](two), ("%s: %s on %s: %s"):format(name, input.model, device.name, words)
  end
end

--- Names of the kinds, sorted.
pairs_of.kinds = tables.sorted_keys(kinds)
pairs_of.ROUNDING = monotone.ROUNDING

--- Pair of a kind, or of the kind whose turn it is: { kind, text, before, after, falls }; nil where it is refused.
---@param index integer
---@param kind string|nil
function pairs_of.pair(index, kind)
  kind = kind or pairs_of.kinds[1 + index % #pairs_of.kinds]
  local before, after, text = kinds[kind](drawn.stream(11 * index + 5))
  if not (before and after) then return nil end
  return { kind = kind, text = text, before = before, after = after, falls = monotone.judged(before, after) }
end

return pairs_of

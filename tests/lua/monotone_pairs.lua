-- Pairs of drawn cases of which physics says that the second has no less: capacity with more memory, bandwidth or peak;
-- speed of a load with more replicas; room on a device with more sharding or recomputation; speed with less
-- recomputation or faster hardware.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local drawn = dofile(here .. "/drawn.lua")
local errors = require("ballpark.errors")
local limited_s = require("ballpark.questions.serve_search.candidate").limited_s
local serving_cases = dofile(here .. "/capacity_cases.lua")
local tables = require("ballpark.tables")
local training = require("ballpark.resolve.training")

local pairs_of = {}

--- Share by which what should not fall may: rounding, of bytes to whole ones, too, and what loops of the kernels leave.
pairs_of.ROUNDING = 1e-8

local one_of = drawn.one_of

-- What a call says; nil where it refuses its input.
local function said(call, ...)
  local ok, answer = pcall(call, ...)
  if ok then return answer end
  if not errors.is(answer) then error(answer, 0) end
  return nil
end

local RATES <const> = { "bf16_flop_s", "fp8_flop_s", "int8_flop_s", "fp4_flop_s", "fp32_flop_s", "tf32_flop_s" }
local LINKS <const> = { "scaleup", "scaleout" }

-- What makes hardware better: each by a factor, of { device, network }.
local better = {}
pairs_of.better = better

--- Share by which a number falls that should not, 0 where it does not.
function pairs_of.judged(before, after) return math.max(0, (before - after) / math.abs(before)) end

function better.memory(device, network, by)
  return tables.with(device, { memory_bytes = device.memory_bytes * by // 1 }), network
end

function better.bandwidth(device, network, by)
  return tables.with(device, { mem_bw_bytes_s = device.mem_bw_bytes_s * by }), network
end

function better.peak(device, network, by)
  local changes = {}
  for _, name in ipairs(RATES) do changes[name] = device[name] and device[name] * by end
  return tables.with(device, changes), network
end

function better.links(device, network, by)
  local changes = {}
  for _, name in ipairs(LINKS) do
    local tier = network[name]
    changes[name] = tier and tier.bw_bytes_s and tables.with(tier, { bw_bytes_s = tier.bw_bytes_s * by })
  end
  return device, tables.with(network, changes)
end

local function factor(unit) return one_of(unit, { 1.02, 1.2, 2, 5 }) end

-- A drawn case of serving with its hardware as it is and better: what ask(input) says of both.
local function served(index, unit, better_name, ask)
  local plain = serving_cases.drawn(index)
  local by = factor(unit)
  local function on_better(cluster)
    local device, network = better[better_name](cluster.device, cluster.network, by)
    return tables.with(cluster, { device = device, network = network })
  end
  local before, after = serving_cases.asked(plain), serving_cases.asked(plain, on_better)
  -- vLLM starts with other settings on devices of more memory: both are asked with the same.
  if before and after then after.engine = before.engine end
  before, after = before and ask(before), after and ask(after)
  return before, after, ("%s on %s, %s, tp %d, %d in %d out: %s times %g"):format(plain.model, plain.device,
    plain.engine.name, plain.plan.tp, plain.load.input_tokens, plain.load.output_tokens, better_name, by)
end

-- A replica that no request fits in any more has no capacity, so that anything is more.
local function capacity(input)
  local out = said(core.infer_load, input)
  return out and out.capacity_per_s
end

-- Answers of one length in ever faster steps: as many requests come during one as its speed lets, in groups that change.
local FINER <const>, TIMES <const> = 1.01, 14
local SERVED_ON <const> = { "V100-32GB", "RTX-4090", "A100-80GB", "T4", "H100", "L40S", "MI300X" }

--- Drawn case of short prompts and short answers of one length, on hardware that is better by 1 % each time: the largest share
--- by which capacity falls from one to the next, and words.
---@param index integer
---@param name string "memory", "bandwidth", "peak" or "links"
---@return number falls
---@return string text
function pairs_of.chain(index, name)
  local unit, drawn_case = drawn.stream(13 * index + 1), serving_cases.drawn(index)
  drawn_case = tables.with(drawn_case, { device = one_of(unit, SERVED_ON),
    load = { lengths = "fixed", input_tokens = drawn.between(unit, 16, 640) // 1, output_tokens = drawn.between(unit, 8, 320) // 1 } })
  local worst, engine, before = 0, nil, nil
  for k = 0, TIMES do
    local input = serving_cases.asked(drawn_case, function(cluster)
      local device, network = better[name](cluster.device, cluster.network, FINER ^ k)
      return tables.with(cluster, { device = device, network = network })
    end)
    if not input then break end
    -- Engines may start with other settings on another device: all are asked with the first.
    engine = engine or input.engine
    local now = capacity(tables.with(input, { engine = engine }))
    if before and now then worst = math.max(worst, pairs_of.judged(before, now)) end
    before = now or before
  end
  return worst, ("case %d, %s on %s, %s, tp %d, %d in %d out, ever better %s"):format(index, drawn_case.model, drawn_case.device,
    drawn_case.engine.name, drawn_case.plan.tp, drawn_case.load.input_tokens, drawn_case.load.output_tokens, name)
end

-- Speed of a request that is alone: the inverse of its time from the first token to the last.
local function lone_speed(input)
  local out = said(core.infer_load, tables.with(input, { concurrency = 1 }))
  return out and out.tpot_s > 0 and 1 / out.tpot_s or nil
end

local function lone_first(input)
  local out = said(core.infer_load, tables.with(input, { concurrency = 1 }))
  return out and out.ttft_s > 0 and 1 / out.ttft_s or nil
end

-- Speed of requests that come by chance, at so much of the capacity: the inverse of a time that fleets of them are sized
-- for.
local function loaded_speed(input, name, rate_per_s)
  local out = said(core.infer_load, tables.with(input, { concurrency = 0, rate_per_s = rate_per_s }))
  return out and out.stable and out[name] > 0 and 1 / limited_s(out, name, input.output_tokens) or nil
end

-- The same load on replicas and on one more of them.
local function shared(index, unit, name)
  local plain = serving_cases.drawn(index)
  local input = serving_cases.asked(plain)
  local most = input and capacity(input)
  if not most then return nil end
  local replicas, share = 1 + math.floor(8 * unit()), 0.05 + 0.94 * unit()
  local text = ("%s on %s, %s, tp %d, %d in %d out: %d replicas at %.2f, and one more"):format(plain.model, plain.device,
    plain.engine.name, plain.plan.tp, plain.load.input_tokens, plain.load.output_tokens, replicas, share)
  return loaded_speed(input, name, share * most), loaded_speed(input, name, share * most * replicas / (replicas + 1)), text
end

local MODELS <const> = { "llama-3.1-8b", "llama-3.1-70b", "gpt3-175b", "qwen3-30b-a3b", "mixtral-8x7b", "deepseek-v3",
  "gemma-3-27b", "qwen3-32b" }
local DEVICES <const> = { "H100", "H200", "A100-80GB", "B200", "MI300X", "L40S", "V100-32GB", "RTX-4090" }
local SOFTWARE <const> = { "megatron", "fsdp", "deepspeed", "jax", "nanotron", "generic", "native" }
local SCHEDULES <const> = { "1f1b", "gpipe", "zb_h1", "zb_h2", "breadth_first", "dualpipe" }
local PRECISIONS <const> = { "bf16", "fp8", "fp32" }

local function power(unit, most) return 1 << math.floor(unit() * (most + 1)) end

-- The facts of a drawn training.
local function trained(unit)
  local plan = { tp = power(unit, 3), pp = power(unit, 3), dp = power(unit, 5), cp = unit() < 0.1 and 2 or 1,
    ep = 1, zero = math.floor(unit() * 4), micro_batch = power(unit, 2), sequence_parallel = unit() < 0.8, flash = unit() < 0.9,
    recompute = one_of(unit, { "none", "selective", "full" }), precision = one_of(unit, PRECISIONS),
    grad_bytes = one_of(unit, { 2, 4 }), master_bytes = one_of(unit, { 2, 4, 4, 4 }) }
  if unit() < 0.5 then plan.ep = math.min(8, plan.dp * plan.cp) end
  if unit() < 0.2 then plan.schedule = one_of(unit, SCHEDULES) end
  if plan.pp > 1 and plan.schedule == nil and unit() < 0.3 then plan.vpp = 2 end
  if unit() < 0.1 then plan.cross_entropy = "fused" end
  return { model = one_of(unit, MODELS), device = one_of(unit, DEVICES), software = one_of(unit, SOFTWARE), plan = plan,
    steps = power(unit, 4), seq_len = one_of(unit, { 512, 2048, 4096, 8192, 32768 }) }
end

local OPTIMIZERS <const> = { "adam", "adam_bf16", "adam_8bit", "adafactor", "muon", "lion", "momentum", "sgd", "paged_adam_8bit",
  "galore" }
local FORMATS <const> = { "bf16", "bf16", "fp16", "fp8", "mxfp8", "nvfp4", "fp32" }
local FINE_TUNING <const> = { "transformers", "transformers deepspeed", "litgpt", "torchtune" }

-- The same with an optimizer, formats and adapters, of software for fine-tuning, too, which is data parallel.
local function trained_otherwise(unit)
  local facts = trained(unit)
  local plan = facts.plan
  if unit() < 0.3 then
    facts.software, plan.tp, plan.pp, plan.vpp = one_of(unit, FINE_TUNING), 1, 1, nil
  end
  plan.optimizer, plan.precision = one_of(unit, OPTIMIZERS), one_of(unit, FORMATS)
  plan.master_bytes = one_of(unit, { 0, 2, 4, 4 })
  plan.quantized_params = unit() < 0.3
  if unit() < 0.2 then plan.lora_rank, plan.base_bits = 16, one_of(unit, { 4, 16 }) end
  return facts
end

-- What core.train_step says of it; nil where a rule or the core refuses.
local function step_of(facts, name, by)
  local plan = facts.plan
  return said(function()
    local cluster = catalog.cluster({ device = facts.device, devices = plan.tp * plan.pp * plan.dp * plan.cp,
      fabric = "infiniband" })
    local device, network = cluster.device, cluster.network
    if name then device, network = better[name](device, network, by) end
    local case = training.resolve({ model = catalog.model(facts.model),
      cluster = tables.with(cluster, { device = device, network = network }), plan = plan, software = facts.software,
      job = { global_batch = plan.dp * plan.micro_batch * facts.steps, seq_len = facts.seq_len } },
      { estimate = core.train_step })
    return core.train_step(training.input(case))
  end)
end

local function words(facts, changed)
  local plan = facts.plan
  return ("%s on %s, %s, tp %d pp %d dp %d cp %d mb %d zero %d, %s recompute, %s, %d batches of %d: %s"):format(
    facts.model, facts.device, facts.software, plan.tp, plan.pp, plan.dp, plan.cp, plan.micro_batch, plan.zero,
    plan.recompute, plan.precision .. " " .. (plan.optimizer or "adam"), facts.steps, facts.seq_len, changed)
end

local function with_plan(facts, changes) return tables.with(facts, { plan = tables.with(facts.plan, changes) }) end

-- Two plans of one drawn training: what ask(step) says of both.
local function planned(unit, first, second, ask, text)
  local facts = trained(unit)
  local before, after = with_plan(facts, first), with_plan(facts, second)
  before, after = step_of(before), step_of(after)
  return before and ask(before), after and ask(after), words(with_plan(facts, first), text)
end

local function room(step) return -step.memory.total_bytes end

local function speed(step) return 1 / step.time.step_s end

local MODULES <const> = { "recompute_norms", "recompute_activation", "recompute_up_proj", "recompute_mlp",
  "recompute_moe", "recompute_shared" }

-- A kind of pairs: (unit, index) to what the first has, what the second has, and words.
local kinds = {}

for _, name in ipairs({ "memory", "bandwidth", "peak", "links" }) do
  kinds["capacity with " .. name] = function(unit, index) return served(index, unit, name, capacity) end
  kinds["lone tokens with " .. name] = function(unit, index) return served(index, unit, name, lone_speed) end
  kinds["lone first token with " .. name] = function(unit, index) return served(index, unit, name, lone_first) end
end

-- Times under load are known to this share: what runs is found by halving, and steps lie on a straight line.
local LOADED <const> = 5e-3

for what, name in pairs({ ["first token"] = "ttft_s", token = "tpot_s", answer = "e2e_s" }) do
  kinds[what .. " with replicas"] = function(unit, index)
    local before, after, text = shared(index, unit, name)
    return before and before * (1 - LOADED), after, text
  end
end

-- Software that shares states as PyTorch's FSDP does, and of it what casts 16-bit weights from fp32 ones.
local FSDP <const> = { fsdp = true, torchtune = true, transformers = true, litgpt = true }
local CASTS <const> = { fsdp = true, torchtune = true }

-- Software whose collectives hold memory in streams of their own, as a share of everything: where ranks share states in
-- DeepSpeed, gradients in FSDP.
local STREAMS <const> = { ["transformers deepspeed"] = 0, transformers = 1, litgpt = 1 }

-- Whether a ZeRO stage may need more than the one below. FSDP has shards of the weights beside what it gathered from them
-- from ZeRO 2 on, and others from ZeRO 3 on: fp32 weights in shards and 16-bit ones gathered, of one direction, are no
-- more than fp32 ones; frozen weights that few ranks share are, and what two ranks share of few layers or beside experts of their own; in
-- fine-tuning with DeepSpeed all that it has not given back.
local function needs_shards(facts, stage)
  local plan = facts.plan
  local is_frozen = (plan.lora_rank or 0) > 0
  local are_few = plan.dp * plan.cp == 2 and (plan.pp > 1 or plan.ep > 1)
    or facts.software == "transformers deepspeed" and plan.ep > 1
  if not FSDP[facts.software] then return stage == 2 and (is_frozen or are_few) end
  local cast = CASTS[facts.software] and plan.precision ~= "fp32" and plan.master_bytes == 4 and plan.schedule ~= "dualpipe"
  return stage == 1 and (is_frozen or are_few or not cast)
end

-- What a step has room for with a ZeRO stage and with the next, where that never needs more.
local function sharded_more(facts, stage)
  if needs_shards(facts, stage) or STREAMS[facts.software] == stage then return nil end
  local before, after = with_plan(facts, { zero = stage }), with_plan(facts, { zero = stage + 1 })
  local text = words(before, "ZeRO one more")
  before, after = step_of(before), step_of(after)
  return before and room(before), after and room(after), text
end

kinds["room with ZeRO"] = function(unit)
  local stage = math.floor(unit() * 2)
  return sharded_more(trained(unit), stage)
end

kinds["room with ZeRO, told the optimizer"] = function(unit)
  local stage = math.floor(unit() * 3)
  return sharded_more(trained_otherwise(unit), stage)
end

kinds["room with an update in backward"] = function(unit)
  local facts = tables.with(trained_otherwise(unit), { steps = 1 })
  local before, after = step_of(facts), step_of(with_plan(facts, { update_in_backward = true }))
  return before and room(before), after and room(after), words(facts, "in backward")
end

local OFFLOADS <const> = { "optimizer", "optimizer_weights", "optimizer_nvme", "optimizer_weights_nvme" }

kinds["room with offloading"] = function(unit)
  local facts, offload = trained_otherwise(unit), one_of(unit, OFFLOADS)
  if STREAMS[facts.software] then offload = "optimizer" end -- what comes from the host has a stream of its own, too
  local before, after = step_of(facts), step_of(with_plan(facts, { offload = offload }))
  return before and room(before), after and room(after), words(facts, "offload " .. offload)
end

kinds["room with ranks"] = function(unit)
  local facts = trained(unit)
  local name = one_of(unit, { "dp", "tp" })
  -- A rank that shares with nobody runs no FSDP, which gathers what it shards.
  if name == "dp" then facts.plan.dp = 2 * facts.plan.dp end
  local more = with_plan(facts, { [name] = 2 * facts.plan[name] })
  local before, after = step_of(facts), step_of(more)
  return before and room(before), after and room(after), words(facts, name .. " twice")
end

kinds["room with a smaller micro-batch"] = function(unit)
  local facts = trained(unit)
  local size = facts.plan.micro_batch
  local large = with_plan(facts, { micro_batch = 2 * size })
  local before, after = step_of(large), step_of(facts)
  return before and room(before), after and room(after), words(large, "micro-batch halved")
end

local LESS <const> = { { "none", "full" }, { "none", "selective" }, { "selective", "full" } }

kinds["room with recomputation"] = function(unit)
  local two = one_of(unit, LESS)
  return planned(unit, { recompute = two[1] }, { recompute = two[2] }, room, two[2])
end

kinds["speed with less recomputation"] = function(unit)
  local two = one_of(unit, LESS)
  return planned(unit, { recompute = two[2] }, { recompute = two[1] }, speed, two[1])
end

kinds["room with a larger share"] = function(unit)
  local share = 0.05 + 0.45 * unit()
  return planned(unit, { recompute = "full", recompute_share = share },
    { recompute = "full", recompute_share = 2 * share }, room, ("share %.2f twice"):format(share))
end

kinds["speed with a smaller share"] = function(unit)
  local share = 0.05 + 0.45 * unit()
  return planned(unit, { recompute = "full", recompute_share = 2 * share },
    { recompute = "full", recompute_share = share }, speed, ("share %.2f, from twice"):format(share))
end

kinds["room with modules"] = function(unit)
  local name = one_of(unit, MODULES)
  return planned(unit, { recompute = "none" }, { recompute = "none", [name] = true }, room, name)
end

kinds["speed without modules"] = function(unit)
  local name = one_of(unit, MODULES)
  return planned(unit, { recompute = "none", [name] = true }, { recompute = "none" }, speed, "without " .. name)
end

for _, name in ipairs({ "bandwidth", "peak", "links" }) do
  kinds["step with " .. name] = function(unit)
    local facts, by = trained(unit), factor(unit)
    local before, after = step_of(facts), step_of(facts, name, by)
    return before and speed(before), after and speed(after), words(facts, ("%s times %g"):format(name, by))
  end
end

kinds["chance to fit with memory"] = function(unit)
  local facts, by = trained(unit), factor(unit)
  local before, after = step_of(facts), step_of(facts, "memory", by)
  local function chance(step) return step.memory.fit_probability end
  return before and chance(before), after and chance(after), words(facts, ("memory times %g"):format(by))
end

--- Names of the kinds, sorted.
pairs_of.kinds = tables.sorted_keys(kinds)

--- Pair number `index`: { kind, text, before, after, falls (by which share what should not fall does, 0 where it does
--- not) }; nil where the first of the two is refused, or the second for what has nothing to do with size.
---@param index integer
---@param kind string|nil the kind whose turn it is, where none is named
---@return table|nil
function pairs_of.pair(index, kind)
  kind = kind or pairs_of.kinds[1 + index % #pairs_of.kinds]
  local unit = drawn.stream(7 * index + 3)
  local before, after, text = kinds[kind](unit, index)
  if not (before and after) then return nil end
  return { kind = kind, text = text, before = before, after = after, falls = pairs_of.judged(before, after) }
end

return pairs_of

-- The one place that knows what a service is where its description is silent. In: the facts of serve{} (of a scenario,
-- of the command line, of a row of a table). Out: the complete input of core.serve, what was assumed and why, and
-- what else each blank could be.
local encoders = require("ballpark.resolve.encoders")
local clusters = require("ballpark.catalog.clusters")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local engine_of = require("ballpark.resolve.serving.engine")
local errors = require("ballpark.errors")
local formats = require("ballpark.resolve.serving.formats")
local layout = require("ballpark.resolve.serving.layout")
local load_of = require("ballpark.resolve.serving.load")
local open = require("ballpark.resolve.serving.open")
local packing = require("ballpark.resolve.serving.packing")
local platform = require("ballpark.resolve.serving.platform")
local pool_link = require("ballpark.resolve.serving.pool_link")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local serving = {}

-- Fields of the facts that core.serve takes as they are.
local FLEET <const> = { "replicas", "routing", "start_s", "autoscale", "failures", "percentile", "pool_tokens" }

-- Devices of one replica, where somebody stated them.
local function stated_devices(given)
  local spec = given.cluster.spec or {}
  return (spec.devices or spec.nodes) and given.cluster.network.devices or nil
end

local function say(case, text) case.assumed[#case.assumed + 1] = text end

-- A run that was measured did run: what its labels say against that is put aside. Of other plans it is refused.
local function check_launch(given, plan, model, engine_name, case)
  if not given.ran then return layout.check_launch(model, plan, engine_name) end
  plan.ep = layout.launched_ep(plan, model)
  if case.pooled or model.heads % plan.tp == 0 then return end
  if (model.experts or 0) == 0 then layout.check_heads(model, plan) end
  say(case, ("tp %d does not divide %d attention heads: in attention groups nobody states"):format(plan.tp,
    model.heads))
end

--- The plan of a replica with ranks and formats, for an engine of that name; and what was assumed of it, in order.
---@param plan table|nil
---@param stated integer|nil devices of a replica, where somebody says them
---@param domain integer|nil of them that fast links join
function serving.plan(plan, model, engine_name, stated, domain)
  local assumed = {}
  local full, said = formats.weights(plan or {}, model)
  assumed[1] = said
  if not full.tp then
    full, said = layout.over(full, model, engine_name, stated, domain)
    assumed[#assumed + 1] = said
  end
  full = tables.with(full, { pp = full.pp or 1, dp = full.dp or 1 })
  if (full.kv or "auto") == "auto" then
    local kv, why = formats.kv(full, engine_name, model)
    full.kv = kv ~= "bf16" and kv or nil
    if full.kv then
      assumed[#assumed + 1] = ("KV cache in %s, %s"):format(kv, why)
    end
  end
  return full, assumed
end

-- Formats of a prefill pool are those of the other one, unless its plan has its own: both run one checkpoint.
local function prefill_plan(pool, plan, model, engine_name)
  if type(pool.plan) ~= "table" then return plan end
  local formatted = pool.plan.weights or pool.plan.experts or pool.plan.checkpoint
  local shared = not formatted and { weights = plan.weights, experts = plan.experts, activations = plan.activations }
  local own = tables.with(shared or {}, pool.plan)
  own.kv = own.kv or plan.kv
  return (serving.plan(own, model, engine_name))
end

-- What becomes of a wide system of which only its width is known: it was disaggregated.
local function guess_pools(given, plan, model, engine, load, case)
  if not given.ran or given.prefill_pool then return plan, given.prefill_pool, given.replicas end
  local prompts, answers = layout.pools(model, engine.name, plan.tp * plan.dp * plan.pp, load)
  if not prompts then return plan, nil, given.replicas end
  say(case, "disaggregated, devices shared out by the tokens' work")
  return layout.cut_as(plan, answers.plan), { replicas = prompts.replicas,
    plan = tables.with(layout.cut_as(plan, prompts.plan), { draft_tokens = 0 }) }, answers.replicas
end

local function has_pool(pool) return type(pool) == "table" and (pool.replicas or 0) > 0 end

local METHODS <const> = { "joint", "loops" }

-- Fields that only the simulation of both pools in one run reads.
local LINK <const> = { "link_bytes_s", "link_latency_s", "layer_wise" }

-- How two pools are simulated: a closed loop as two loops, each of which is the time that the other's clients think;
-- in one run where it is open, or the link between the pools is described. Means of 53 published closed loops: the
-- first token errs by 47 % with two loops and by 76 % in one run, the time per token by 20 and 26 %.
local function method_of(given, pool, load)
  if pool.method ~= nil then
    if not tables.contains(METHODS, pool.method) then
      errors.choice("prefill_pool.method", tostring(pool.method), METHODS)
    end
    return pool.method
  end
  if (load.arrivals or "closed") ~= "closed" or given.trace or given.autoscale or given.failures then return "joint" end
  for _, name in ipairs(LINK) do
    if pool[name] ~= nil then return "joint" end
  end
  return "loops"
end

-- The pool with the link that its devices have to other nodes. Prompts of a trace, and those that leave layer by layer, have no
-- mean to wait for.
local function with_link(given, input, pool, case)
  local plan, bytes_s = pool.plan, clusters.between_nodes_bytes_s(given.cluster)
  local ranks = layout.ranks(plan)
  local prompt_bytes = (given.trace or pool.layer_wise) and 0 or core.infer_memory({ model = input.model, device = input.device, engine = input.engine,
    network = clusters.resized(given.cluster, ranks).network, plan = plan, sequence_tokens = input.load.input_tokens or load_of.TOKENS }).sequence_bytes
  say(case, ("KV caches move over what the %d devices that compute prompts can send to other nodes, %.4g GB/s each"):format(
    ranks * pool.replicas, bytes_s / 1e9))
  return tables.with(pool_link.of(bytes_s, ranks, pool.replicas, prompt_bytes), pool)
end

local function add_pool(given, input, pool, case)
  if type(pool) ~= "table" then
    input.prefill_pool = pool
    return
  end
  pool = tables.with(pool, { plan = prefill_plan(pool, input.plan, input.model, input.engine.name),
    method = has_pool(pool) and method_of(given, pool, input.load) or pool.method })
  if not given.ran then
    layout.check_launch(input.model, pool.plan, input.engine.name, "prefill_pool.plan")
    units.check(pool.plan, input.device, input.engine.name, "prefill_pool.plan")
  end
  if has_pool(pool) and pool.method == "joint" and pool.link_bytes_s == nil then pool = with_link(given, input, pool, case) end
  input.prefill_pool = pool
  case.loops = has_pool(pool) and pool.method == "loops"
end

-- Names of the engine and of the curves, before and with the load.
local function engine_under_load(given, device, draft_tokens, load, case)
  local base, said, defaults = engine_of.of(given.engine, device, draft_tokens, given.max_model_len)
  local traced = given.trace and { arrivals = "open", client = load.client }
  local engine, shares, most_tokens = engine_of.under(base, traced or load, given.engine, given.plan)
  case.shares, case.most_tokens, case.launched = shares, most_tokens, base
  say(case, said)
  return engine, defaults
end

local function shared(prompts)
  return prompts < 2 and "come one per step" or ("share a step as long as they add nothing to it: %.0f"):format(prompts)
end

--- The case with as many prompts of one length in a step as its plan and engine take: to be called again where these
--- change.
function serving.pack(case)
  local i = case.input
  if not case.most_tokens or case.pooled then return end
  local setup = { model = i.model, device = i.device, network = i.network, curves = i.curves, plan = i.plan, engine = i.engine }
  i.engine, case.most_tokens, case.together = packing.under(setup, i.load, i.load.concurrency or 1)
end

local function say_of_load(given, case)
  local load = case.input.load
  if next(case.shares) then
    say(case, ("a client that costs little: %g of the front end's times"):format(case.shares.front_s
      or select(2, next(case.shares))))
  end
  local same = select(2, load_of.sharing(given.load or {}))
  if same then say(case, same) end
  if case.most_tokens then say(case, "prompts of one length " .. shared(case.together or 1)) end
  if load_of.leaves_lengths_open(given.load or {}) and not (given.trace or given.samples) then
    say(case, ("lengths %s, nobody says how they differ"):format(load.lengths or "fixed"))
  end
end

--- The engine of a name or table on a device, under a load where one is given; and what is to be said of it.
function serving.engine(value, device, draft_tokens, load)
  local engine, said = engine_of.of(value, device, draft_tokens)
  return load and (engine_of.under(engine, load, value)) or engine, said
end

--- An engine as who calls it in the same process has it.
serving.in_process = engine_of.in_process

serving.holding = engine_of.holding

serving.multiplying = engine_of.multiplying

--- The case of the facts { model, cluster, engine, plan, load, trace, samples, replicas, prefill_pool, ran, ... }:
--- { input (of core.serve), assumed (sentences), open (see resolve/serving/open.lua), ran, loops (two pools as
--- two loops), shares (of the engine's fields that the client leaves), most_tokens (of a step), launched (the engine as
--- it is started, before the load changes it), before_load (how many sentences say nothing of the load), origin (device that the curves are of) }.
function serving.of(given)
  local case = { assumed = {}, ran = given.ran or nil }
  local model, device = given.model, given.cluster.device
  local load, plan = load_of.of(given.load or {}), given.plan or {}
  local prompt
  if not (given.trace or given.samples) then model, load, prompt = encoders.with_prompt(model, load) end
  local engine, defaults = engine_under_load(given, device, plan.draft_tokens, load, case)
  local said
  plan, said = serving.plan(plan, model, engine.name, stated_devices(given), not given.ran and given.cluster.network.domain or nil)
  for _, text in ipairs(said) do say(case, text) end
  engine = engine_of.multiplying(engine, plan, device)
  local pool, replicas
  plan, pool, replicas = guess_pools(given, plan, model, engine, load, case)
  case.pooled = has_pool(pool)
  check_launch(given, plan, model, engine.name, case)
  devices.check_group("plan", device, (plan.tp or 1) * (plan.pp or 1) * (plan.dp or 1))
  if not (given.trace or given.samples) then encoders.check_prompt(model, load.input_tokens or load_of.TOKENS) end
  if not given.ran then units.check(plan, device, engine.name) end
  local curves, origin = serving_curves.get(device)
  local input = { model = model, device = device, network = given.cluster.network, curves = curves, plan = plan,
    engine = engine, load = load, trace = given.trace, samples = given.samples }
  for _, name in ipairs(FLEET) do input[name] = given[name] end
  input.replicas = replicas
  case.input, case.origin = input, origin
  serving.pack(case)
  add_pool(given, input, pool, case)
  say(case, platform.said(device, engine.name))
  say(case, units.said(plan, device))
  say(case, defaults)
  if (engine.max_loras or 0) > 0 then say(case, "LoRA adapters take memory, and no time") end
  say(case, encoders.said(model, engine.name))
  say(case, prompt)
  case.before_load = #case.assumed
  say_of_load(given, case)
  case.open = open.of(given, case)
  local words = open.words(case.open)
  say(case, words and "left open, which widens the range: " .. words)
  return case
end

return serving

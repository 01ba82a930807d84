-- A replica that serves under load: memory, what it can do at best, and what requests see of it.
local core = require("ballpark.core")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")

local serving = {}

local allowed = { "model", "cluster", "engine", "plan", "load", "trace", "samples", "replicas", "routing", "start_s",
  "autoscale", "failures", "prompt_pool" }

-- Of the input, as core.serve takes them.
local FLEET <const> = { "replicas", "routing", "start_s", "autoscale", "failures", "prompt_pool" }

local function check(input)
  if type(input) ~= "table" then errors.input("serve", "takes a table, got " .. type(input)) end
  local known = {}
  for _, name in ipairs(allowed) do known[name] = true end
  local keys = {}
  for key in pairs(input) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  for _, key in ipairs(keys) do
    if not known[key] then errors.unknown("serve", key, allowed) end
  end
end

--- The engine of a name, or of a table whose `name` says which one it changes; and what was assumed.
function serving.engine(value)
  if value == nil then return engines.get("vllm"), "engine vllm, no other was given" end
  if type(value) == "string" then return engines.get(value) end
  if type(value) ~= "table" then errors.input("engine", "must be a name or a table, got " .. type(value)) end
  local engine = engines.get(value.name or "vllm")
  for key, item in pairs(value) do engine[key] = item end
  return engine, not value.name and "engine vllm, no other was given" or nil
end

-- The longest request of a load: what has to find room.
local function longest(load)
  return (load.input_tokens or 1024) + (load.output_tokens or 1024)
end

-- One replica with its even share of the load.
local function closed_form(setup, load, replicas)
  local open = load.arrivals == "open" or load.arrivals == "diurnal"
  return core.infer_load(tables.with(setup, { concurrency = not open and (load.concurrency or 1) / replicas or nil,
    rate_per_s = open and (load.rate_per_s or 1) / replicas or nil, input_tokens = load.input_tokens,
    output_tokens = load.output_tokens, length_cv = load.lengths == "lognormal" and load.spread or nil }))
end

-- Replicas that share the load when all are up.
local function most_replicas(input)
  local scale = type(input.autoscale) == "table" and input.autoscale or {}
  return math.max(1, tonumber(input.replicas) or 1, tonumber(scale.min) or 1, tonumber(scale.max) or 1)
end

-- The setup of a replica with what makes a fleet of it.
local function fleet_of(setup, input)
  local fleet = {}
  for _, name in ipairs(FLEET) do fleet[name] = input[name] end
  if type(fleet.prompt_pool) == "table" and not fleet.prompt_pool.plan then
    fleet.prompt_pool = tables.with(fleet.prompt_pool, { plan = setup.plan })
  end
  return tables.with(setup, fleet)
end

--- Refuses a plan whose tensor-parallel ranks do not divide the heads.
-- Published points are wider than their heads now and then (attention groups nobody wrote down), so the
-- kernel takes any width; a plan that somebody asks for has to run.
function serving.check_heads(model, plan)
  local tp = plan.tp or 1
  if type(tp) == "number" and type(model) == "table" and model.heads and tp > 0 and model.heads % tp ~= 0 then
    errors.input("plan.tp", ("%d does not divide %d attention heads"):format(tp // 1, model.heads))
  end
end

--- Serves input.load (of core.serve) by input.model on input.cluster: { kind, fits, memory, steady,
--- seen }, the last two absent where nothing fits; seen is absent where the load is beyond capacity.
function serving.run(input)
  check(input)
  if type(input.cluster) ~= "table" or not input.cluster.device then
    errors.input("cluster", "must be made by cluster{}")
  end
  serving.check_heads(input.model, input.plan or {})
  local engine, said = serving.engine(input.engine)
  local curves, origin = serving_curves.get(input.cluster.device)
  local load = input.load or {}
  local setup = { model = input.model, device = input.cluster.device, network = input.cluster.network,
    curves = curves, plan = input.plan or {}, engine = engine }
  local answer = { kind = "serving", input = tables.with(setup, { load = load }), assumed = { said }, origin = origin,
    price_usd_h = input.cluster.usd_h }
  answer.memory = core.infer_memory(tables.with(setup, { sequence_tokens = longest(load) }))
  answer.fits = answer.memory.fits
  if not answer.fits then return answer end
  answer.steady = closed_form(setup, load, most_replicas(input))
  if answer.steady.stable or input.trace then
    answer.seen = core.serve(tables.with(fleet_of(setup, input),
      { load = load, trace = input.trace, samples = input.samples }))
  end
  return answer
end

return serving

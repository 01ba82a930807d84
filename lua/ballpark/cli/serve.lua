-- ballpark serve: replicas under a load, or the cheapest fleet that meets an SLO, described by options.
local catalog_devices = require("ballpark.catalog.devices")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local best_plan = require("ballpark.cli.best_plan")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local quantity = require("ballpark.quantity")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")
local space = require("ballpark.questions.serve_search.space")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")

local serve = {
  summary = "Serve a model: what a replica can do, replicas under a load, or with an SLO the cheapest fleet",
  examples = {
    "ballpark serve --model llama-3.1-8b --device L4",
    "ballpark serve --model llama-3.1-70b --device H100,L40S --gpus 32 --rate 8 \\",
    "    --input-tokens 1500 --output-tokens 300 --ttft 1 --tpot 0.05 --percentile 90",
    "ballpark serve --model llama-3.1-8b --device L40S --ttft 1 --tpot 0.05",
    "ballpark serve --model llama-3.1-70b --device H100,L40S --users 100 --think 30s \\",
    "    --ttft 1s --tpot 50ms",
    "ballpark serve --model llama-3.1-8b --device L4 --gpus 32 --rate 2 --peak-over-mean 3 --ttft 2 \\",
    "    --zones 3 --terms on_demand,spot --emit vllm",
    "ballpark serve --model llama-3.1-8b --device H100,L4 --gpus 64 --rate 60 --ttft 0.8 \\",
    "    --bucket share=0.7,input=300,output=150 --bucket share=0.3,input=8000,output=400",
    "ballpark serve --model llama-3.1-70b --device H100 --tp 4 --weights fp8 --concurrency 64 \\",
    "    --input-tokens 1024 --output-tokens 1024",
    "ballpark serve --model llama-3.1-8b --device H100 --rate 4 --replicas 3 -D routing=session \\",
    "    -D load.turns=4 -D load.think_s=20",
  },
}

-- Options of each group of the question: option, field, what it is, kind of value ("list" of them, or text).
local OPTIONS <const> = {
  { "rate", "load.rate_per_s", "Requests per second, as 8 or 'per_minute(500)'." },
  { "concurrency", "load.concurrency", "Clients that each wait for their answer, instead of a rate." },
  { "users", "load.users", "Users who ask, wait for the answer, think and ask again, instead of a rate." },
  { "think", "load.think_s", "Time that each of them thinks: seconds, or 30s, 2min." },
  { "arrivals", "load.arrivals", "diurnal: the rate is the mean of a day; with an SLO, static against scaled.",
    "text" },
  { "peak-over-mean", "load.peak_over_mean", "Peak over the rate, where that is the mean." },
  { "input-tokens", "load.input_tokens", "Tokens of a prompt, mean; of uniform lengths the longest." },
  { "output-tokens", "load.output_tokens", "Tokens of an answer, mean; of uniform lengths the longest." },
  { "lengths", "load.lengths", "How lengths are drawn: fixed, uniform, lognormal, exponential.", "text" },
  { "spread", "load.spread", "Of lengths: deviation of the logarithm, or shortest over longest." },
  { "max-model-len", "max_model_len", "Tokens of a prompt and its answer at most, as the engine is told." },
  { "max-loras", "engine.max_loras", "LoRA adapters that an engine has room for at one time; none unless said." },
  { "max-lora-rank", "engine.max_lora_rank", "Rank that this room is made for; 16 unless said." },
  { "requests", "load.requests", "How many requests to simulate." },
  { "ttft", "sla.ttft_s", "SLO of TTFT: seconds, or 500ms." },
  { "tpot", "sla.tpot_s", "SLO of TPOT: seconds, or 50ms." },
  { "e2e", "sla.e2e_s", "SLO of end-to-end latency, seconds." },
  { "percentile", "sla.percentile", "For how many requests in a hundred the SLO holds, 1 to 99.9, usually 90; "
    .. "without one, shown as well." },
  { "gpus", "gpus", "Devices there are at most; without, as many as it takes." },
  { "utilization", "utilization_frac", "Share of the capacity to plan with; 0.7 unless said." },
  { "spares", "spares", "Replicas that may fail at the peak; 1 unless said." },
  { "zones", "zones", "Zones, of which one may be lost." },
  { "surge", "surge_frac", "Share of extra replicas during a roll-out." },
  { "start", "start_s", "Seconds from the order of a replica until it serves, for --arrivals diurnal." },
  { "terms", "terms", "How devices are paid: on_demand, reserved, reserved_3y, spot.", "list" },
}

local AXES <const> = {
  tp = "Tensor-parallel ranks", pp = "pipeline stages", ep = "ranks the experts are dealt to",
  attention_dp = "attention-parallel groups", format = "format of weights: bf16, fp8, nvfp4, ...",
  kv = "format of the KV cache",
  engine = "engines: vllm, sglang, trtllm, several, or a file of 'ballpark calibrate serving'",
  max_running = "sequences that run at one time at most", token_budget = "tokens of a step at most",
  draft_tokens = "draft tokens per step (speculative decoding)", pattern = "pools: aggregated, disaggregated",
  replicas = "replicas; with an SLO, spares included",
}

-- Field of a bucket by its word in --bucket.
local BUCKET <const> = { share = "share", input = "input_tokens", output = "output_tokens" }

-- --format is the form of the output.
local function option_name(axis) return axis == "format" and "weights" or (axis:gsub("_", "-")) end

local function target_of(name) return (name:gsub("%-", "_")) end

function serve.define(command)
  options.define_model(command)
  command:option("--device", "Catalog name, or several to choose from."):argname("D,D,...")
  command:option("--price", "USD per device-hour, or a provider."):argname("USD")
  for _, option in ipairs(OPTIONS) do
    command:option("--" .. option[1], option[3]):argname(option[4] == "list" and "V,V,..." or "V")
  end
  command:option("--bucket", "Instead of one length: requests of these tokens and their share of all, as in "
    .. "share=0.7,input=300,output=150; shares make 1. With an SLO, pools of different replicas for them. May be "
    .. "repeated."):argname("BUCKET"):count("*")
  for _, axis in ipairs(space.axes) do
    local text = AXES[axis]:gsub("^%l", string.upper) .. "."
    command:option("--" .. option_name(axis), text):argname("V,V,..."):target("axis_" .. axis)
  end
  command:flag("--levers", "Change one thing at a time (formats, batch, device, model, pools, draft tokens, ...) and "
    .. "search again: what each saves and costs.")
  best_plan.define_emit(command)
  options.define_overrides(command)
  options.define_output(command)
end

local function as_list(text)
  local values = overrides.values(text)
  return type(values) == "table" and values or { values }
end

-- Axes of words; the others are of whole numbers.
local WORDS <const> = tables.set({ "format", "kv", "engine", "pattern" })

-- Values of an axis.
local function axis_values(axis, text)
  local list = as_list(text)
  for _, value in ipairs(WORDS[axis] and {} or list) do
    if value ~= "auto" and not math.tointeger(value) then
      errors.usage(("--%s: must be whole numbers, got '%s'"):format(option_name(axis), text))
    end
  end
  return list
end

local function value_of(option, text)
  if option[4] == "text" then return text end
  if option[4] == "list" then return as_list(text) end
  local value = overrides.range(text) or overrides.value(text)
  if quantity.is(value) or uncertain.is(value) then return value end
  if type(value) ~= "number" then errors.usage("--" .. option[1] .. ": must be a number, got '" .. text .. "'") end
  return math.type(value) == "float" and math.tointeger(value) or value
end

local function buckets_of(texts)
  local list = {}
  for i, text in ipairs(texts) do
    list[i] = {}
    local said = overrides.record("--bucket", text)
    for _, word in ipairs(tables.sorted_keys(said)) do
      if not BUCKET[word] then errors.choice("--bucket " .. text, word, { "share", "input", "output" }) end
      list[i][BUCKET[word]] = said[word]
    end
  end
  return list[1] and list or nil
end

-- The input of the question: groups and single fields from the options that were given.
local function asked(chosen)
  local input = { load = { buckets = buckets_of(chosen.bucket) }, sla = {}, engine = {} }
  for _, option in ipairs(OPTIONS) do
    local text = chosen[target_of(option[1])]
    if text then
      local group, field = option[2]:match("^(%l+)%.(.+)$")
      local into = group and input[group] or input
      into[field or option[2]] = value_of(option, text)
    end
  end
  local load = input.load
  if load.think_s and not (load.users or load.concurrency or #chosen.define > 0) then
    errors.usage("--think is how long each user thinks: say how many, as in --users 100")
  end
  return input
end

local function devices_of(chosen)
  local list = {}
  for name in (chosen.device or ""):gmatch("[^,]+") do
    list[#list + 1] = { device = name, price = chosen.price and (tonumber(chosen.price) or chosen.price) }
  end
  return list
end

local function space_of(chosen)
  local values = {}
  for _, axis in ipairs(space.axes) do
    local text = chosen["axis_" .. axis]
    if text then values[axis] = axis_values(axis, text) end
  end
  return values
end

-- The only value of an axis, where there is no search.
local function single(chosen, axis)
  local text = chosen["axis_" .. axis]
  if not text then return nil end
  local list = axis_values(axis, text)
  if #list > 1 then
    errors.usage("--" .. option_name(axis) .. ": one value, or an SLO: --ttft, --tpot or --e2e")
  end
  return list[1]
end

local FLEET_ONLY <const> = { "gpus", "utilization", "spares", "zones", "surge", "terms", "start", "levers",
  "bucket", "axis_pattern" }

-- The first of these that is given, or nil.
local function fleet_option(chosen)
  for _, name in ipairs(FLEET_ONLY) do
    if chosen[name] and (name ~= "bucket" or chosen.bucket[1]) then return name end
  end
end

local function engine_of(chosen, input)
  local settings = tables.with(input.engine, { max_running = single(chosen, "max_running"),
    token_budget = single(chosen, "token_budget") })
  local name = single(chosen, "engine") or "vllm"
  return next(settings) and tables.with(settings, { name = name }) or name
end

-- Whether -D says something that begins so.
local function defines(chosen, beginning)
  for _, text in ipairs(chosen.define or {}) do
    if text:find(beginning) then return true end
  end
  return false
end

-- Whether somebody says how requests come; -D may, too.
local function has_load(chosen)
  return chosen.rate or chosen.concurrency or chosen.users or chosen.arrivals or defines(chosen, "^load%.[rca]") or defines(chosen, "^trace=")
end

local function has_slo(chosen) return (chosen.ttft or chosen.tpot or chosen.e2e) ~= nil end

-- Options that say something of a load only.
local OF_LOAD <const> = { "requests", "peak_over_mean", "axis_replicas" }

-- replica{...}: what one is able to do, whoever comes.
local function one_replica(env, chosen, ask)
  for _, name in ipairs(OF_LOAD) do
    if chosen[name] then
      errors.usage("--" .. name:gsub("^axis_", ""):gsub("_", "-") .. " is about a load: give --rate or --concurrency")
    end
  end
  if chosen.percentile and not has_slo(chosen) then
    errors.usage("--percentile is about a load or an SLO: give --rate, --concurrency, --ttft, --tpot or --e2e")
  end
  return env.replica(ask)
end

-- Devices of a replica: those that its plan cuts it into, or that stand before their name ("2xH100").
local function devices_of_replica(plan, label)
  local cut, said = (plan.tp or 1) * (plan.pp or 1) * (plan.dp or 1), catalog_devices.count_said(label)
  if not said or said == cut then return cut end
  if plan.tp or plan.pp or plan.dp then
    errors.usage(("--device: '%s' says %d devices, and the plan cuts a replica into %d: give one, and --replicas for more of them"):format(
      label, said, cut))
  end
  return said
end

-- serve{...}: replicas, each of as many devices as its plan cuts it into.
local function given_replicas(chosen, env, input)
  local of_fleet = fleet_option(chosen)
  if of_fleet then
    errors.usage("--" .. of_fleet:gsub("^axis_", ""):gsub("_", "-")
      .. " is about a fleet: give an SLO, by --ttft, --tpot or --e2e")
  end
  local devices = devices_of(chosen)
  if #devices > 1 then errors.usage("--device: one, or an SLO: --ttft, --tpot or --e2e") end
  local format = single(chosen, "format")
  local plan = { tp = single(chosen, "tp"), pp = single(chosen, "pp"), ep = single(chosen, "ep"),
    dp = single(chosen, "attention_dp"), checkpoint = format ~= "auto" and format or nil, kv = single(chosen, "kv"),
    draft_tokens = single(chosen, "draft_tokens") }
  if devices[1] then devices[1].devices = devices_of_replica(plan, devices[1].device) end
  local ask = { model = options.model(chosen), cluster = devices[1], engine = engine_of(chosen, input), plan = plan,
    load = input.load, max_model_len = input.max_model_len }
  if not has_load(chosen) then
    ask.sla = next(input.sla) and input.sla or nil
    return env.show(one_replica(env, chosen, ask))
  end
  if ask.load.users and ask.load.concurrency then errors.usage("--users and --concurrency say the same: give one") end
  ask.load.concurrency, ask.load.users = ask.load.concurrency or ask.load.users, nil
  ask.load.arrivals = ask.load.arrivals or ask.load.concurrency and "closed" or not defines(chosen, "^trace=") and "open" or nil
  ask.replicas, ask.percentile = single(chosen, "replicas"), input.sla.percentile
  env.show(env.serve(ask))
  env.note("This is the fleet as it was given. How many devices, of which kind and plan? Add an SLO: --ttft 1 (seconds to the "
    .. "first token), --tpot 0.05 (a token) or --e2e 10, and --percentile 90.")
end

local function fleet(chosen, env, input)
  local devices = devices_of(chosen)
  input.model, input.devices, input.space = options.model(chosen), devices[1] and devices, space_of(chosen)
  local engines, settings = input.space.engine or {}, input.engine
  input.engine = nil
  if #engines == 1 then input.engine, input.space.engine = engines[1], nil end -- may be a file
  if next(settings) then
    if #engines > 1 then errors.usage("--max-loras: one engine, or none") end
    input.engine = tables.with(settings, { name = input.engine or "vllm" })
  end
  local answer = env.serve_search(input)
  env.show(answer)
  if chosen.levers then env.show(env.levers(input, answer)) end
end

-- Axes that a plan calls otherwise.
local PLAN_AXES <const> = { weights = "format", checkpoint = "format", dp = "attention_dp" }

-- Paths of errors by the option that gave what they name.
local function option_of(path)
  if path == "percentile" then path = "sla.percentile" end
  for _, option in ipairs(OPTIONS) do
    if option[2] == path then return option[1] end
  end
  local axis = path:match("^space%.([%w_]+)") or path:match("^plan%.([%w_]+)") or path
  axis = PLAN_AXES[axis] or axis
  return AXES[axis] and option_name(axis), axis
end

local function blamed(chosen, fn, ...)
  local outcome = table.pack(pcall(fn, ...))
  if outcome[1] then return table.unpack(outcome, 2, outcome.n) end
  local e = outcome[2]
  local bucket = errors.is(e) and e.path and e.path:match("^load%.buckets%[(%d+)%]")
  if bucket then
    e.where = "--bucket " .. chosen.bucket[tonumber(bucket)]
  elseif errors.is(e) and e.path and not e.where then
    local option, axis = option_of(e.path)
    local given = option and chosen[axis and "axis_" .. axis or target_of(option)]
    if given then e.where = "--" .. option .. " " .. given end
  end
  error(e, 0)
end

-- Whether a fleet is sought: an SLO, and a load or what only a fleet has.
local function seeks_fleet(chosen)
  return has_slo(chosen) and (fleet_option(chosen) ~= nil or has_load(chosen) or #devices_of(chosen) ~= 1)
end

local function answered(chosen, state)
  local env, input = environment.new(state), asked(chosen)
  local answer = seeks_fleet(chosen) and fleet or given_replicas
  answer(chosen, env, input)
  return scenario.finish(state, "this question")
end

function serve.run(chosen)
  best_plan.check(chosen)
  local state = scenario.state(nil, { command = "serve", overrides = overrides.parse(chosen.define) })
  local result = question.blamed(chosen, nil, blamed, chosen, answered, chosen, state)
  return best_plan.answer(result, state, chosen)
end

return serve

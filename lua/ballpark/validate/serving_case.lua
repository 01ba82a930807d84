-- How a row of measured serving becomes the input of a simulation. What is blank takes the engine's
-- default, and the case says so.
local catalog = require("ballpark.catalog")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local formats = require("ballpark.questions.serve.formats")
local hf = require("ballpark.hf")
local pools = require("ballpark.validate.serving_pools")
local serving = require("ballpark.questions.serve.run")
local serving_curves = require("ballpark.catalog.serving_curves")
local serving_unknown = require("ballpark.validate.serving_unknown")
local units = require("ballpark.questions.serve.units")
local words = require("ballpark.questions.serve.words")

local serving_case = {}

-- Requests per client, and shortest over longest prompt, of the InferenceX benchmark's client.
local PER_CLIENT <const>, SHORTEST <const> = 10, 0.8

-- Share of the front end's times that remains with a client that costs little (load generators with processes of
-- their own, against InferenceX's one Python loop): chosen among 0.3, 0.4 and 0.6 on published points.
local LIGHT_CLIENT <const> = 0.4
local front_fields = { "front_s", "front_sequence_s", "front_token_s" }

-- Release since which vLLM plans a step while one runs: release notes of 0.14 (2026-01).
local VLLM_OVERLAPS <const> = 14

-- Where a folder may hold the config of owner/name.
local function config_paths(folder, id)
  local name = id:match("([^/]+)$")
  local flat = id:gsub("/", "--")
  return {
    folder .. "/" .. flat .. "_config.json", folder .. "/" .. flat .. ".json", folder .. "/" .. id .. "/config.json",
    folder .. "/" .. flat .. "/config.json", folder .. "/" .. name .. "/config.json", folder .. "/" .. name .. ".json",
    folder .. "/" .. name .. "_config.json",
  }
end

local function model_of(id, folder)
  if folder then
    for _, path in ipairs(config_paths(folder, id)) do
      if files.exists(path) then
        local model = hf.read(path)
        return model
      end
    end
  end
  return catalog.model(id)
end

--- The shape of a model by catalog name, Hugging Face id, or config in `folder`.
function serving_case.model(id, folder) return model_of(id, folder) end

--- What only serving needs of a device.
function serving_case.curves(device) return (serving_curves.get(device)) end

local function remembered(context, kind, key, make)
  local store = context[kind] or {}
  context[kind] = store
  if store[key] == nil then store[key] = make() end
  return store[key]
end

local function hardware(context, label, devices)
  return remembered(context, "hardware", label .. " " .. devices, function()
    local cluster = catalog.cluster({ device = label, devices = devices })
    local curves = serving_curves.get(cluster.device)
    return { device = cluster.device, network = cluster.network, curves = curves }
  end)
end

local function drafts_of(text)
  if not text or text == "none" or text == "ambiguous" then return 0 end
  local steps = text:match("steps=(%d+)") or text:match("draft_tokens=(%d+)")
  return steps and math.tointeger(tonumber(steps)) or 1
end

local function setting(row, name)
  return row.other_settings and math.tointeger(tonumber(row.other_settings:match("%f[%w_]" .. name .. "=(%d+)")))
end

local function whole(text) return text and math.tointeger(tonumber(text)) end

local function default(case, column, value)
  case.assumed[#case.assumed + 1] = ("%s %s, the engine's default"):format(column, tostring(value))
end

-- Whether the engine plans a step while one runs, as stated or as its version does by default.
local function overlaps(row)
  local stated = (row.other_settings or ""):match("async%-scheduling=(%a+)")
  if row.engine == "sglang" and drafts_of(row.speculative) > 0 then return false end
  if row.engine ~= "vllm" or stated then return stated ~= "False" end
  local minor = (row.engine_version or ""):match("^0%.(%d+)")
  return not minor or tonumber(minor) >= VLLM_OVERLAPS
end

-- Settings of engines that choose TensorRT-LLM's kernels for experts.
local fused = { "moe_config%.backend=TRTLLM", "moe%-runner%-backend=flashinfer_trtllm",
  "enable%-flashinfer%-trtllm%-moe=true" }

local function fuses_experts(row)
  for _, pattern in ipairs(fused) do
    if (row.other_settings or ""):find(pattern) then return true end
  end
  return false
end

local function engine_of(row, case, vendor)
  local engine, said = engines.published(row.engine .. " " .. (row.engine_version or ""), vendor)
  case.assumed[#case.assumed + 1] = said
  for column, field in pairs({ step_token_budget = "token_budget", recv_interval = "recv_interval",
    stream_interval = "stream_interval",
    cuda_graph_max_bs = "graph_tokens" }) do
    if row[column] then engine[field] = row[column] end
  end
  engine.max_running = whole(row.max_running) or engine.max_running
  engine.memory_frac = tonumber(row.mem_fraction) or engine.memory_frac
  engine.batch_wait = setting(row, "batch_wait_timeout_iters")
  engine.graph_prompts = (row.other_settings or ""):find("enable_piecewise_cuda_graph=True", 1, true) ~= nil
  if not engines.beyond(engine.name) then engine.overlap = overlaps(row) end
  engine.fused_experts = fuses_experts(row)
  if row.chunked_prefill then engine.chunked_prefill = row.chunked_prefill == "on" end
  if not row.step_token_budget then default(case, "step_token_budget", engine.token_budget) end
  if not whole(row.max_running) then default(case, "max_running", engine.max_running) end
  if not tonumber(row.mem_fraction) then default(case, "mem_fraction", engine.memory_frac) end
  return engine
end

-- Requests in flight in one replica: where fewer are stated per attention group than all of them, there
-- are several replicas.
local function clients_of(row, case)
  local own = row.batch_per_dp and row.batch_per_dp * (row.attention_dp or 1)
  if not row.concurrency then
    if not own then errors.input("concurrency", "is blank, and batch_per_dp too") end
    case.assumed[#case.assumed + 1] = "concurrency = batch_per_dp * attention_dp"
    return own
  end
  if own and not row.columns_repaired and own < row.concurrency then
    case.assumed[#case.assumed + 1] = "several replicas, one of them with batch_per_dp * attention_dp requests"
    return own
  end
  return row.concurrency
end

-- Answers of one length end one step after another once their prompts were in different steps, and stay apart: where
-- prompts share steps with answers, published points have one prompt per step, whatever the budget holds.
local function come_one_by_one(engine, row, clients, case)
  case.most_tokens = math.tointeger(row.input_len + clients)
  engine.token_budget = math.min(engine.token_budget, case.most_tokens)
  case.assumed[#case.assumed + 1] = "prompts of one length come one per step"
end

local function cost_less(engine, case)
  for _, field in ipairs(front_fields) do
    engine[field] = engine[field] * LIGHT_CLIENT
    case.shares[field] = LIGHT_CLIENT
  end
end

local function load_of(row, engine, case)
  local clients = clients_of(row, case)
  local per_client = whole((row.num_prompts_rule or ""):match("^(%d+)%*conc")) or PER_CLIENT
  local uniform = (row.protocol or ""):find("uniform", 1, true) or (row.protocol or ""):find("InferenceX", 1, true)
  local load = { arrivals = "closed", concurrency = clients, requests = per_client * clients,
    lengths = "uniform", spread = SHORTEST, input_tokens = row.input_len, output_tokens = row.output_len }
  if not uniform then
    load.lengths = "fixed"
    if engine.policy == "mixed" then come_one_by_one(engine, row, clients, case) end
    cost_less(engine, case)
  end
  return load
end

-- Tensor-parallel ranks: stated, or what the devices of a replica leave.
local function tp_of(row, case)
  if row.tp then return row.tp end
  local rest = (row.width_gpus or 1) / ((row.pp or 1) * (row.attention_dp or 1))
  local tp = math.max(1, math.tointeger(rest) or 1)
  case.assumed[#case.assumed + 1] = ("tp %d%s"):format(tp, row.width_gpus and ", what width_gpus leaves" or "")
  return tp
end

local function plan_of(row, model, case)
  local dense, experts, said = formats.weights(row, model)
  case.assumed[#case.assumed + 1] = said
  local kv, kv_said = formats.kv(row, row.engine, dense, experts)
  case.assumed[#case.assumed + 1] = kv_said
  local ep = row.effective_ep or math.max(1, row.moe_ep or 1)
  local plan = { tp = tp_of(row, case), pp = row.pp or 1, dp = row.attention_dp or 1, weights = dense,
    experts = experts, kv = kv, drafts = drafts_of(row.speculative) }
  plan.ep = (model.experts or 0) > 0 and ep or 1
  if (row.other_settings or ""):find("enable_attention_dp=True", 1, true) and plan.dp == 1 and plan.tp > 1 then
    plan.tp, plan.dp = 1, plan.tp
    case.assumed[#case.assumed + 1] = "attention data parallel over the tensor-parallel ranks, as the settings say"
  end
  if (plan.tp * plan.dp) % plan.ep ~= 0 then plan.ep = 1 end
  return plan
end

-- Ranks of tensor parallelism share the heads; with experts, they may be those of attention groups that nobody wrote
-- down, as published rows have them.
local function check_heads(row, model, case)
  local tp = case.input.plan.tp
  if case.pools or model.heads % tp == 0 then return end
  if (model.experts or 0) == 0 then serving.check_heads(model, case.input.plan, row.tp and "tp" or "width_gpus") end
  case.assumed[#case.assumed + 1] = ("tp %d does not divide %d attention heads: in attention groups nobody states")
    :format(tp, model.heads)
end

--- The case of a row: { row, input (of core.serve), shares (of the engine's fields that the client leaves),
--- assumed, unknown (columns of settings that the row leaves open) }. `context` remembers models and devices, and
--- may hold models, a folder of configs.
function serving_case.of(row, context)
  if row.wrong then errors.input("row", row.wrong) end
  for _, name in ipairs({ "model", "gpu", "engine", "input_len", "output_len" }) do
    if row[name] == nil then errors.input(name, "is blank") end
  end
  local case = { row = row, assumed = {}, shares = {} }
  local model = remembered(context, "shapes", row.model, function() return model_of(row.model, context.models) end)
  local plan = plan_of(row, model, case)
  local guessed, drafts
  case.pools, guessed, drafts = pools.of(row, model)
  if guessed then case.assumed[#case.assumed + 1] = "disaggregated, devices shared out by the tokens' work" end
  plan.drafts = drafts and math.tointeger(drafts) or plan.drafts
  local hard = hardware(context, row.gpu, math.max(plan.tp * plan.pp * plan.dp, case.pools and 72 or 1))
  local engine = engine_of(row, case, hard.device.vendor)
  if plan.dp > 1 then engine.batch_wait = setting(row, "timeout_iters") or engine.batch_wait end
  case.input = { model = model, device = hard.device, network = hard.network, curves = hard.curves, plan = plan,
    engine = engine, load = load_of(row, engine, case) }
  check_heads(row, model, case)
  case.assumed[#case.assumed + 1] = units.said(plan, hard.device)
  case.assumed[#case.assumed + 1] = words.too_long(model, row.input_len + row.output_len)
  case.unknown = serving_unknown.columns(row, model)
  serving_unknown.say(case)
  return case
end

return serving_case

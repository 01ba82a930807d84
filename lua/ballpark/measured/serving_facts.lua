-- What a row of measured serving states, in the words of serve{}: cells become fields, and what is blank stays blank.
local catalog = require("ballpark.catalog")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local formats = require("ballpark.resolve.serving.formats")
local model_shapes = require("ballpark.measured.model_shapes")

local serving_facts = {}

local function whole(text) return math.tointeger(csv.number(text)) end

-- Tokens drafted per step by the words of a row; nil where they leave it open.
local function drafts_of(row)
  local text, candidate = row.speculative, row.mtp_candidate
  local stated = text and text ~= "ambiguous"
  if stated and text ~= "none" then
    local tokens = text:match("steps=(%d+)") or text:match("draft_tokens=(%d+)")
    return tokens and whole(tokens) or 1
  end
  if candidate == "no" or (stated and candidate ~= "possible") then return 0 end
  return nil
end

local function setting(row, name)
  return row.other_settings and whole(row.other_settings:match("%f[%w_]" .. name .. "=(%d+)"))
end

local function has(row, text) return (row.other_settings or ""):find(text) ~= nil end

-- Settings of engines that choose TensorRT-LLM's kernels for experts.
local fused = { "moe_config%.backend=TRTLLM", "moe%-runner%-backend=flashinfer_trtllm",
  "enable%-flashinfer%-trtllm%-moe=true" }

local function fuses_experts(row)
  for _, pattern in ipairs(fused) do
    if has(row, pattern) then return true end
  end
  return nil
end

-- A number, "auto" where words say that the engine chose, nil where the cell is blank.
local function number_or_auto(row, name, read)
  local text = row[name]
  if not text then return nil end
  return read(text) or text:lower():find("^auto") and "auto"
    or errors.input(name, ("'%s' is neither a number nor 'auto'"):format(text))
end

-- Modes of vLLM's graphs that leave a step with prompts, or one that decodes, without a whole one.
local function graphs_of(row)
  local mode = (row.other_settings or ""):match('"cudagraph_mode":%s*"([%u_]+)"')
  if mode == "FULL_DECODE_ONLY" then return { graph_pieces = false } end
  if mode == "PIECEWISE" then return { graph_whole = false } end
  return {}
end

-- Settings that make one kernel of an all-reduce and the norm after it, and of vLLM's pass also of quantising
-- (vllm/compilation/collective_fusion.py, 2025).
local fusions = { { 'enable_fi_allreduce_fusion":%s*true', "quantize" }, { "fuse_allreduce_rms=true", "quantize" },
  { "enable%-flashinfer%-allreduce%-fusion=true", "norm" } }

local function sum_fusion(row)
  for _, item in ipairs(fusions) do
    if has(row, item[1]) then return item[2] end
  end
  return nil
end

local function stated_overlap(row)
  local stated = (row.other_settings or ""):match("async%-scheduling=(%a+)")
  if not stated then return nil end
  return stated ~= "False"
end

local function engine_of(row, attention_groups)
  local chunked
  local graphs = graphs_of(row)
  if row.chunked_prefill then chunked = row.chunked_prefill == "on" end
  return { name = row.engine, published = true, version = row.engine_version, token_budget = row.step_token_budget,
    max_running = number_or_auto(row, "max_running", whole),
    memory_frac = number_or_auto(row, "mem_fraction", csv.number),
    recv_interval = row.recv_interval, stream_interval = row.stream_interval, graph_tokens = row.cuda_graph_max_bs,
    chunked_prefill = chunked, fused_experts = fuses_experts(row), overlap = stated_overlap(row),
    graph_prompts = has(row, "enable_piecewise_cuda_graph=True") or nil, graph_pieces = graphs.graph_pieces,
    graph_whole = graphs.graph_whole, sum_fusion = sum_fusion(row),
    gathers = has(row, "moe_config%.backend=TRITON") and "8_bit" or nil,
    batch_wait = attention_groups > 1 and setting(row, "timeout_iters") or setting(row, "batch_wait_timeout_iters") }
end

-- What the checkpoint is called, as plan.checkpoint takes it.
local function checkpoint_of(row)
  local dense = row.gemm_quant or row.precision
  local experts = row.moe_quant or dense
  if not dense then return nil end
  return experts == dense and dense or ("%s, experts %s"):format(dense, experts)
end

-- "auto" alone says nothing; with the words of what it is, that the engine chose.
local function kv_of(row)
  local text = row.kv_cache_dtype
  local word = text and text ~= "auto" and text:match("^[%w_]+")
  if not word then return nil end
  if word == "auto" then return word end
  return formats.named("kv_cache_dtype", word)
end

local function pool_of(text, kind)
  local count, tp, ep, dp = text:match(kind .. " (%d+)x tp(%d+) ep(%d+) dp%-attn (%a+)")
  if not count then return nil end
  tp = whole(tp)
  local spread = dp == "True"
  return { replicas = whole(count), plan = { tp = spread and 1 or tp, dp = spread and tp or 1, ep = whole(ep) } }
end

-- Attention groups: a layer of experts is over all ranks of attention (vLLM's page on data parallel deployment, 2025: with
-- tensor parallelism over tp x dp ranks, or dealt to them), so more ranks of experts than of attention are of further groups.
local function attention_groups_of(row)
  local groups = row.attention_dp or 1
  local experts, ranks = (row.moe_tp or 0) * (row.moe_ep or 0), (row.tp or 1) * groups
  if experts > ranks and experts % ranks == 0 then return groups * experts // ranks end
  return row.attention_dp
end

-- Whether the tensor-parallel ranks each have a scheduler of their own: more requests are in flight than one runs, and no more
-- on a rank.
local function has_own_schedulers(row)
  local most, own, all = whole(row.max_running), row.batch_per_dp, row.concurrency
  return most and own and all and all > most and own <= most and own * (row.tp or 1) == all
end

-- Ranks as stated; where the settings deal attention to the tensor-parallel ranks, they are its groups.
local function plan_of(row, notes)
  local plan = { tp = row.tp, pp = row.pp, dp = attention_groups_of(row),
    ep = row.effective_ep or row.moe_ep and math.max(1, row.moe_ep), checkpoint = checkpoint_of(row), kv = kv_of(row),
    draft_tokens = drafts_of(row) }
  local stated, own = has(row, "enable_attention_dp=True"), has_own_schedulers(row)
  if (stated or own) and (plan.dp or 1) == 1 and plan.tp and plan.tp > 1 then
    plan.tp, plan.dp = 1, plan.tp
    notes[#notes + 1] = "attention data parallel over the tensor-parallel ranks, as "
      .. (stated and "the settings say" or "more requests run than one scheduler takes")
  elseif plan.dp ~= row.attention_dp then
    notes[#notes + 1] = ("attention in %d groups, as its ranks are those of the experts"):format(plan.dp)
  end
  return plan
end

-- Devices of what the row is about.
local function devices_of(row, plan)
  local ranks = plan.tp and plan.tp * (plan.pp or 1) * (plan.dp or 1)
  return ranks or row.width_gpus or (plan.pp or 1) * (plan.dp or 1)
end

-- Disaggregated prefill and decode in the words of the settings: the plan of decode, and the prefill pool.
local function add_pools(row, facts)
  local text = row.other_settings or ""
  local prompts, answers = pool_of(text, "prefill"), pool_of(text, "decode")
  if not (prompts and answers) then return end
  local plan = facts.plan
  for _, name in ipairs({ "tp", "dp", "ep" }) do plan[name] = answers.plan[name] end
  plan.pp, plan.draft_tokens = 1, whole(text:match("DECODE_MTP_SIZE=(%d+)")) or plan.draft_tokens
  prompts.plan.pp, prompts.plan.draft_tokens = 1, 0
  facts.replicas, facts.prefill_pool = answers.replicas, prompts
end

-- Requests in flight in one replica: where fewer are stated per attention group than all of them, there
-- are several replicas.
local function clients_of(row, groups, notes)
  local own = row.batch_per_dp and row.batch_per_dp * groups
  if not row.concurrency then
    if not own then errors.input("concurrency", "is blank, and batch_per_dp too") end
    notes[#notes + 1] = "concurrency = batch_per_dp * attention_dp"
    return own
  end
  if groups > (row.attention_dp or 1) and row.concurrency == row.batch_per_dp then
    notes[#notes + 1] = "concurrency is that of one attention group, as batch_per_dp"
    return own
  end
  if own and not row.columns_repaired and own < row.concurrency then
    notes[#notes + 1] = "several replicas, one of them with batch_per_dp * attention_dp requests"
    return own
  end
  return row.concurrency
end

--- The protocol that the words of a row name; nil where they name none.
function serving_facts.protocol(row)
  local text = row.protocol or ""
  return (text:find("uniform", 1, true) or text:find("InferenceX", 1, true)) and "inferencex" or nil
end

local function load_of(row, notes)
  local clients = clients_of(row, attention_groups_of(row) or 1, notes)
  local per_client = whole((row.num_prompts_rule or ""):match("^(%d+)%*conc"))
  local load = { concurrency = clients, requests = per_client and per_client * clients, input_tokens = row.input_len,
    output_tokens = row.output_len }
  load.protocol = serving_facts.protocol(row)
  if row.protocol and not load.protocol then load.lengths = "fixed" end
  return load
end

local function remembered(context, kind, key, make)
  local store = context[kind] or {}
  context[kind] = store
  if store[key] == nil then store[key] = table.pack(make()) end
  return table.unpack(store[key])
end

--- The facts of a row as resolve.serving takes them, what its words had to be read as, and whether its model is of a
--- config. `context` remembers models and devices, and may hold models, a folder of configs.
function serving_facts.of(row, context)
  if row.wrong then errors.input("row", row.wrong) end
  for _, name in ipairs({ "model", "gpu", "engine", "input_len", "output_len" }) do
    if row[name] == nil then errors.input(name, "is blank") end
  end
  local notes = {}
  local model, read = remembered(context, "shapes", row.model, function()
    return model_shapes.of(row.model, context.models)
  end)
  local plan = plan_of(row, notes)
  local devices = devices_of(row, plan)
  local facts = { model = model, plan = plan, engine = engine_of(row, plan.dp or 1), load = load_of(row, notes),
    ran = true }
  facts.cluster = remembered(context, "clusters", row.gpu .. " " .. devices, function()
    return catalog.cluster({ device = row.gpu, devices = devices })
  end)
  add_pools(row, facts)
  return facts, notes, read
end

return serving_facts

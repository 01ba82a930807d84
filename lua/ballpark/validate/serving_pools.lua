-- Disaggregated replicas: some devices only compute prompts, others only decode. Each pool is simulated
-- as a closed loop, in which the other one is the time a client thinks.
local core = require("ballpark.core")
local tables = require("ballpark.tables")

local serving_pools = {}

-- Devices of one engine where a system of many says nothing else.
local USUAL <const> = 8

local function pool_of(text, kind)
  local count, tp, ep, dp = text:match(kind .. " (%d+)x tp(%d+) ep(%d+) dp%-attn (%a+)")
  if not count then return nil end
  tp, ep = math.tointeger(tonumber(tp)), math.tointeger(tonumber(ep))
  local spread = dp == "True"
  return { count = math.tointeger(tonumber(count)), tp = spread and 1 or tp, dp = spread and tp or 1, ep = ep }
end

-- Devices for prompts by their share of the tokens' work (a token of a prompt costs about a quarter of
-- one that is decoded); few requests decode in replicas of the usual size, many in one wide one.
local function guessed(row, engine, width)
  local size = engine == "trtllm" and USUAL // 2 or USUAL
  local share = row.input_len / (row.input_len + 4 * row.output_len)
  local for_prompts = math.max(1, math.floor(share * width / size + 0.5)) * size
  local rest = math.max(size, width - for_prompts)
  local replicas = math.max(1, rest // USUAL)
  local wide = (row.concurrency or 1) > 4 * width
  return { count = for_prompts // size, tp = 1, dp = size, ep = size },
    { count = wide and 1 or replicas, tp = wide and 1 or math.min(rest, USUAL), dp = wide and rest or 1,
      ep = wide and rest or math.min(rest, USUAL) }
end

--- The pools { prompts, answers } of a row, each { count, tp, dp, ep }, and whether they were guessed; nil
--- where it is one replica.
function serving_pools.of(row, model)
  local text = row.other_settings or ""
  local prompts, answers = pool_of(text, "prefill"), pool_of(text, "decode")
  if prompts and answers then return { prompts, answers }, false, tonumber(text:match("DECODE_MTP_SIZE=(%d+)")) end
  local width = row.width_gpus or (row.tp or 1) * (row.attention_dp or 1)
  if width <= 2 * USUAL or (model.experts or 0) == 0 then return nil end
  prompts, answers = guessed(row, row.engine, width)
  return { prompts, answers }, true
end

local function plan_for(plan, pool)
  return tables.with(plan, { tp = pool.tp, dp = pool.dp, ep = pool.ep, pp = 1 })
end

local function clients(load, share, count)
  local n = math.max(1, math.floor(load.concurrency * share / count + 0.5))
  return n, n * math.max(1, load.requests // load.concurrency)
end

local function answers_of(input, pools, share)
  local n, requests = clients(input.load, share, pools[2].count)
  return core.serve(tables.with(input, { plan = plan_for(input.plan, pools[2]),
    engine = tables.with(input.engine, { graph_tokens = 1e9, graph_prompts = true }),
    load = tables.with(input.load, { concurrency = n, requests = requests, prefix_tokens = 1e9 }) }))
end

local function prompts_of(input, pools, think_s)
  local n, requests = clients(input.load, 1, pools[1].count)
  return core.serve(tables.with(input, { plan = tables.with(plan_for(input.plan, pools[1]), { drafts = 0 }),
    load = tables.with(input.load, { concurrency = n, requests = requests, output_tokens = 1, think_s = think_s }) }))
end

--- Means of the whole: { ttft_s, tpot_s }.
function serving_pools.run(input, pools)
  local answers = answers_of(input, pools, 1)
  local prompts = prompts_of(input, pools, answers.e2e.mean_s)
  local share = answers.e2e.mean_s / (answers.e2e.mean_s + prompts.e2e.mean_s)
  answers = answers_of(input, pools, share)
  prompts = prompts_of(input, pools, answers.e2e.mean_s)
  return { ttft_s = prompts.ttft.mean_s, tpot_s = answers.tpot.mean_s }
end

return serving_pools

-- SGLang: a shell script around `python3 -m sglang.launch_server`.
local backwards = require("ballpark.emit.backwards")
local rows = require("ballpark.emit.serving.rows")
local script = require("ballpark.emit.serving.script")
local tables = require("ballpark.tables")

local sglang = { title = "SGLang", engine = "sglang", length = "context-length",
  plain = tables.with(rows.plain, { ["speculative-eagle-topk"] = true, ["speculative-num-steps"] = true,
    ["speculative-num-draft-tokens"] = true }), -- with the algorithm
  versions = { { name = "c18919f", date = "2026-07-23" } } }

-- --tp-size counts all ranks of a stage, attention groups are a part of them.
local function groups(value, c)
  local set = { { "tp-size", c.plan.tp * value } }
  if value > 1 then
    set[2] = { "dp-size", value }
    set[3] = { "enable-dp-attention", true }
  end
  return set
end

-- Limits are of all attention groups together, those of an estimate of each.
local function together(name)
  return { set = function(value, c) return { { name, value * c.plan.dp } } end,
    read = function(set, c) return backwards.times(set[name], c.plan.dp) end }
end

local function chunk(value, c)
  value = value * c.plan.dp
  if c.engine.chunked_prefill then return { { "chunked-prefill-size", value } } end
  return { { "chunked-prefill-size", -1 }, { "max-prefill-tokens", value } }
end

-- Steps of a draft where a method is named alone: SGLang's own are three or five, by model (its server arguments, 2025; recalled).
local USUAL_STEPS <const> = 3

-- A chain of so many steps is drafted; of a tree, or of n-grams, all tokens are that one step looks at but its own.
local function drafted(set)
  if not set["speculative-algorithm"] then return nil end
  local steps, seen = set["speculative-num-steps"], set["speculative-num-draft-tokens"]
  local is_chain = (set["speculative-eagle-topk"] or 1) == 1
  return is_chain and steps or seen and seen - 1 or steps or USUAL_STEPS
end

sglang.rows = {
  tp = { implied = function() return true end, read = function(set) -- with dp
    return backwards.times(set["tp-size"] or 1, set["enable-dp-attention"] and set["dp-size"] or 1)
  end },
  pp = { usual = 1, name = "pp-size" }, dp = { set = groups, read = "dp-size" }, cp = rows.cp(),
  ep = { usual = 1, name = "ep-size" },
  weights = rows.weights({ fp8 = "fp8" }, "quantization"), experts = rows.experts(),
  activations = rows.activations(), kv = rows.kv("kv-cache-dtype", { bf16 = "bfloat16", fp8 = "fp8_e4m3", half = "auto" }),
  draft_tokens = rows.draft_tokens("--speculative-algorithm and --speculative-num-draft-tokens", drafted),
  acceptance = rows.acceptance(),
  policy = rows.policy("prefill_first"), token_budget = { set = chunk, read = function(set, c)
    local tokens = set["chunked-prefill-size"] or -1
    tokens = tokens > 0 and tokens or set["max-prefill-tokens"]
    return backwards.times(tokens, c.plan.dp)
  end },
  max_running = together("max-running-requests"),
  chunked_prefill = { implied = function() return true end, read = function(set)
    return (set["chunked-prefill-size"] or 1) > 0
  end }, -- with token_budget
  prefix_cache = rows.prefix_cache({ "disable-radix-cache", true }),
  reserve_output = { usual = false, cannot = "memory is given as answers grow" },
  memory_frac = rows.memory("mem-fraction-static", "static"), block_tokens = { name = "page-size" },
  recv_interval = { usual = 1, name = "scheduler-recv-interval" },
  stream_interval = { usual = 1, name = "stream-interval" },
  batch_wait = { usual = 0, cannot = "prompts do not wait for company" },
  max_loras = rows.adapters("max-loras-per-batch", "enable-lora"),
  max_lora_rank = { usual = 16, name = "max-lora-rank" },
  overlap = rows.overlap("disable-overlap-schedule"),
  graph_tokens = rows.graphs("disable-cuda-graph", { name = "cuda-graph-max-bs-decode" }),
}

--- Tokens of the KV cache where the file says them.
function sglang.pool(set) return set["max-total-tokens"] end

--- What belongs to no field: 16 bit of a device without bf16, and nodes.
function sglang.shape(c)
  local found = rows.half(c)
  if c.nodes > 1 then found[#found + 1] = { "nnodes", c.nodes } end
  return found, {}
end

--- The command that starts a replica.
function sglang.body(settings, c)
  local nodes = c.nodes > 1 and " --node-rank \"${NODE_RANK:?}\" "
    .. "--dist-init-addr \"${MASTER_ADDR:?}:${MASTER_PORT:-5000}\"" or ""
  return script.command(settings, "exec python3 -m sglang.launch_server --model-path "
    .. "\"${MODEL:?a checkpoint}\"" .. nodes .. " \"${ARGS[@]}\" \"$@\"\n")
end

--- What makes a replica one for prefill or one for decode.
function sglang.connect(role)
  return { { "disaggregation-mode", role == "prefill" and "prefill" or "decode" },
    { "disaggregation-transfer-backend", "nixl" } },
    "nixl, or mooncake, as in SGLang's documentation of 2025; check with your version whether it wants "
      .. "--disaggregation-ib-device"
end

--- What is in front of both; 8998 is where prefill replicas are met by default.
sglang.router = [[
ARGS=(--pd-disaggregation)
for at in ${PROMPTS:?HOST:PORT of each prefill replica}; do
    ARGS+=(--prefill "http://$at" 8998)
done
for at in ${ANSWERS:?HOST:PORT of each replica for answers}; do
    ARGS+=(--decode "http://$at")
done
exec python3 -m sglang_router.launch_router "${ARGS[@]}" "$@"
]]
sglang.router_doubt = "sglang_router is a package of its own; its default looks at prefixes, the estimate at the "
  .. "requests in flight"

return sglang
